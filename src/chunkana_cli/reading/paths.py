"""Find the files that command line arguments name: files, folders, patterns."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunkana_cli.errors import USAGE, fail, report
from chunkana_cli.reading.documents import STANDARD_INPUT
from chunkana_cli.reading.folders import expand, is_readable_file, walk
from chunkana_cli.reading.manifests import MANIFEST, written_by_split
from chunkana_cli.screen.naming import format_count
from chunkana_core import format_names
from chunkana_core.extending import known_format

FILES_HELP = "Files, folders, quoted patterns; - for standard input."
_PATTERN = re.compile(r"[*?]|\A[^\[]*+\[.+\]")  # the special characters of glob
_VERBATIM_PREFIXES = (
    "\\\\?\\",
    "\\\\.\\",
)  # Windows reads no "/" after these
_IGNORED_FOLDERS = {"node_modules", "venv", "__pycache__", "site-packages"}


def find_files(arguments: Iterable[str]) -> tuple[list[str], bool]:
    """Return the files that arguments name, each once, in the order of the arguments.

    The files of a folder or pattern are sorted by path. Names have slashes on every system, so that
    ids and the order of documents are the same everywhere. Arguments without files are reported,
    and so are unreadable folders and broken links below them.

    Returns:
        The files, and whether all arguments could be resolved without errors.
    """
    requested = list(arguments)
    if requested.count(STANDARD_INPUT) > 1:
        fail("standard input (-) can be read only once", USAGE)
    files: dict[str, str] = {}
    is_complete = True
    for argument in requested:
        names, errors = _resolve_argument(_normalize_slashes(argument))
        for name in map(_normalize_slashes, names):
            files.setdefault(_real_path(name), name)
        for error in sorted(errors):
            report(error)
        is_complete = is_complete and not errors
    return list(files.values()), is_complete


def _normalize_slashes(name: str) -> str:
    r"""Return a name with "/" in place of the separator of this system.

    On systems other than Windows, a backslash is an ordinary character.
    """
    return name if name.startswith(_VERBATIM_PREFIXES) else name.replace(os.sep, "/")


def _real_path(name: str) -> str:
    """Return the resolved path of a file; "-" and invalid names are returned unchanged."""
    is_none = name == STANDARD_INPUT or "\0" in name
    return name if is_none else os.path.realpath(name)  # a Path can be in a loop


def _resolve_argument(argument: str) -> tuple[list[str], set[str]]:
    """Return the files that an argument names, and the errors found below it."""
    if argument == STANDARD_INPUT or "\0" in argument:
        return [argument], set()
    if os.path.isdir(argument):  # noqa: PTH112  # a Path would drop a leading "./"
        return _find_in_folder(argument)
    if not os.path.lexists(argument) and _PATTERN.search(argument):
        return _find_by_pattern(argument)
    return [argument], set()


def _find_in_folder(folder: str) -> tuple[list[str], set[str]]:
    errors: set[str] = set()
    names = _sorted_by_path(_walk_documents(folder, errors))
    installed = format_names()
    readable = [name for name in names if known_format(name) in installed]
    if len(readable) < len(names):
        count = format_count(len(names) - len(readable), "file")
        report(f'{folder}: {count} skipped; to read them: pip install "chunkana-rag[code]"')
    if not (readable or errors):
        kinds = ", ".join(installed)
        written = ", ".join(sorted(written_by_split(folder)))
        what = f"but what split wrote ({written})" if written else f"of a known type ({kinds})"
        errors.add(f"{folder}: no file {what}; name files or a pattern")
    return readable, errors


def _walk_documents(folder: str, errors: set[str]) -> Iterator[str]:
    for place, folders, files in walk(folder, errors):
        folders[:] = [name for name in folders if not _is_ignored_folder(name)]
        written = written_by_split(place) if MANIFEST in files else set()
        for name in files:
            if name in written:
                continue
            path = os.path.join(place, name)  # noqa: PTH118  # as above
            if known_format(name) and not name.startswith(".") and is_readable_file(path, errors):
                yield path


def _find_by_pattern(pattern: str) -> tuple[list[str], set[str]]:
    asked = _IGNORED_FOLDERS.intersection(Path(pattern).parts)
    ignored = _IGNORED_FOLDERS - asked
    errors: set[str] = set()
    files = [
        name for name in expand(pattern, ignored, errors)
        if ignored.isdisjoint(Path(name).parts) and is_readable_file(name, errors)
    ]  # fmt: skip
    if not (files or errors):
        errors.add(f"{pattern}: this pattern matches no file")
    return _sorted_by_path(files), errors


def _sorted_by_path(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: Path(name).parts)


def _is_ignored_folder(folder: str) -> bool:
    return folder.startswith(".") or folder in _IGNORED_FOLDERS
