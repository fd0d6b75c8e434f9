"""Which files are meant: by name, by folder, by pattern."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunkana_cli.errors import USAGE, fail, report
from chunkana_cli.reading.documents import STANDARD_INPUT
from chunkana_cli.reading.folders import expand, is_readable_file, walk
from chunkana_cli.reading.manifests import MANIFEST, written_by_split
from chunkana_cli.screen.naming import counted
from chunkana_core import format_names, format_of

FILES_HELP = "Files, folders, quoted patterns; - for standard input."
_PATTERN = re.compile(r"[*?]|\[.+\]")  # what is special to glob
_AS_IT_IS = ("\\\\?\\", "\\\\.\\")  # how names start in which Windows reads no slash
_NOT_DOCUMENTS = {"node_modules", "venv", "__pycache__", "site-packages"}


def find_files(arguments: Iterable[str]) -> tuple[list[str], bool]:
    """Return the files that are meant, each once, in the order of the arguments.

    What is in a folder is sorted by its path. Names have slashes on every system, so that what is
    made of them, such as ids and the order of documents, is the same everywhere. An argument that
    means no file is reported, and so are folders and links below it that cannot be read.

    Returns:
        The files, and whether these are all that are meant.
    """
    given = list(arguments)
    if given.count(STANDARD_INPUT) > 1:
        fail("standard input (-) can be read only once", USAGE)
    found: dict[str, str] = {}
    is_whole = True
    for argument in given:
        names, errors = _meant_by(_with_slashes(argument))
        for name in map(_with_slashes, names):
            found.setdefault(_real(name), name)
        for error in sorted(errors):
            report(error)
        is_whole = is_whole and not errors
    return list(found.values()), is_whole


def _with_slashes(name: str) -> str:
    r"""Return a name with "/" for what stands between folders on this system.

    Elsewhere than on Windows, a backslash is a character like others.
    """
    return name if name.startswith(_AS_IT_IS) else name.replace(os.sep, "/")


def _real(name: str) -> str:
    """Return what is the same for all names of a file, but for those that mean none."""
    is_none = name == STANDARD_INPUT or "\0" in name
    return name if is_none else os.path.realpath(name)  # a Path can be in a loop


def _meant_by(argument: str) -> tuple[list[str], set[str]]:
    """Return the files that an argument means, and errors of what it may have meant."""
    if argument == STANDARD_INPUT or "\0" in argument:
        return [argument], set()
    if os.path.isdir(argument):  # noqa: PTH112  # a Path would drop what a name starts with, "./"
        return _in_folder(argument)
    if not os.path.lexists(argument) and _PATTERN.search(argument):
        return _matching(argument)
    return [argument], set()


def _in_folder(folder: str) -> tuple[list[str], set[str]]:
    errors: set[str] = set()
    names = _sorted_by_path(_documents_under(folder, errors))
    installed = format_names()
    readable = [name for name in names if format_of(name) in installed]
    if len(readable) < len(names):
        count = counted(len(names) - len(readable), "file")
        report(f'{folder}: {count} left out, for want of: pip install "chunkana-rag[code]"')
    if not (readable or errors):
        kinds = ", ".join(installed)
        written = ", ".join(sorted(written_by_split(folder)))
        what = f"but what split wrote ({written})" if written else f"of a known kind ({kinds})"
        errors.add(f"{folder}: no file {what}; name files or a pattern")
    return readable, errors


def _documents_under(folder: str, errors: set[str]) -> Iterator[str]:
    for place, folders, files in walk(folder, errors):
        folders[:] = [name for name in folders if not _is_left_out(name)]
        written = written_by_split(place) if MANIFEST in files else set()
        for name in files:
            if name in written:
                continue
            path = os.path.join(place, name)  # noqa: PTH118  # as above
            if format_of(name) and not name.startswith(".") and is_readable_file(path, errors):
                yield path


def _matching(pattern: str) -> tuple[list[str], set[str]]:
    asked = _NOT_DOCUMENTS.intersection(Path(pattern).parts)
    left_out = _NOT_DOCUMENTS - asked
    errors: set[str] = set()
    files = [
        name for name in expand(pattern, left_out, errors)
        if left_out.isdisjoint(Path(name).parts) and is_readable_file(name, errors)
    ]  # fmt: skip
    if not (files or errors):
        errors.add(f"{pattern}: this pattern matches no file")
    return _sorted_by_path(files), errors


def _sorted_by_path(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: Path(name).parts)


def _is_left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in _NOT_DOCUMENTS
