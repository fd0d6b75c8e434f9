"""Which files are meant: by name, by folder, by pattern."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunkana_cli.documents import STANDARD_INPUT
from chunkana_cli.errors import USAGE, InputError, fail, report
from chunkana_cli.files import is_file
from chunkana_cli.naming import counted
from chunkana_core import format_names, format_of

FILES_HELP = "Files, folders, quoted patterns; - for standard input."
_PATTERN = re.compile(r"[*?]|\[.+\]")  # what is special to glob
_ANY_DEPTH = re.compile(r"(?:^|(?<=/))\*\*(?:/+|$)")
_NOT_DOCUMENTS = {"node_modules", "venv", "__pycache__", "site-packages"}


def find_files(arguments: Iterable[str]) -> tuple[list[str], bool]:
    """Return the files that are meant, each once, in the order of the arguments.

    What is in a folder is sorted by its path. An argument that means no file is reported.

    Returns:
        The files, and whether each argument meant one.
    """
    given = list(arguments)
    if given.count(STANDARD_INPUT) > 1:
        fail("standard input (-) can be read only once", USAGE)
    found: dict[str, str] = {}
    is_whole = True
    for argument in given:
        try:
            for name in _meant_by(argument):
                found.setdefault(_real(name), name)
        except InputError as error:
            report(str(error))
            is_whole = False
    return list(found.values()), is_whole


def _real(name: str) -> str:
    """Return what is the same for all names of a file, but for those that mean none."""
    is_none = name == STANDARD_INPUT or "\0" in name
    return name if is_none else os.path.realpath(name)  # a Path can be in a loop


def _meant_by(argument: str) -> list[str]:
    if argument == STANDARD_INPUT or "\0" in argument:
        return [argument]
    if os.path.isdir(argument):  # noqa: PTH112  # a Path would drop what a name starts with, "./"
        return _in_folder(argument)
    if not os.path.lexists(argument) and _PATTERN.search(argument):
        return _matching(argument)
    return [argument]


def _in_folder(folder: str) -> list[str]:
    names = sorted(_documents_under(folder), key=lambda name: Path(name).parts)
    installed = format_names()
    readable = [name for name in names if format_of(name) in installed]
    if len(readable) < len(names):
        count = counted(len(names) - len(readable), "file")
        report(f'{folder}: {count} left out, for want of: pip install "chunkana-rag[code]"')
    if not readable:
        kinds = ", ".join(installed)
        raise InputError(f"{folder}: no file of a known kind ({kinds}); name files or a pattern")
    return readable


def _documents_under(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_left_out(name)]
        for name in files:
            path = os.path.join(place, name)  # noqa: PTH118  # as above
            if format_of(name) and not name.startswith(".") and is_file(path):
                yield path


def _matching(pattern: str) -> list[str]:
    asked = set(Path(pattern).parts)
    files = [
        name for name in _expanded(pattern)
        if is_file(name)
        and not any(part in _NOT_DOCUMENTS - asked for part in Path(name).parts)
    ]  # fmt: skip
    if not files:
        raise InputError(f"{pattern}: this pattern matches no file")
    return sorted(files, key=lambda name: Path(name).parts)


def _expanded(pattern: str) -> dict[str, None]:
    """Return what a pattern matches; its `**` do not follow links, which may lead in a circle."""
    match = _ANY_DEPTH.search(pattern)
    if match is None:
        return dict.fromkeys(glob.glob(pattern))  # noqa: PTH207  # as above
    head, tail = pattern[: match.start()], pattern[match.end() :] or "*"
    found: dict[str, None] = {}
    for base in glob.glob(head) if head else [os.curdir]:  # noqa: PTH207
        for place, folders, _ in os.walk(base):
            folders[:] = [name for name in folders if not name.startswith(".")]
            name = place if head else os.path.relpath(place)
            inside = "" if name == os.curdir else os.path.join(glob.escape(name), "")  # noqa: PTH118
            found |= _expanded(inside + tail)
    return found


def _is_left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in _NOT_DOCUMENTS
