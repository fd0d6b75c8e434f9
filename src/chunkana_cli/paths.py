"""Which files are meant: by name, by folder, by pattern."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunkana_cli.documents import STANDARD_INPUT
from chunkana_cli.errors import USAGE, InputError, fail, report

SUFFIXES = (".md", ".markdown", ".mdx")
FILES_HELP = "Markdown files, folders of such, quoted patterns; - for standard input."
_PATTERN = re.compile(r"[*?]|\[.+\]")  # what is special to glob
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
    found: dict[str, None] = {}
    is_whole = True
    for argument in given:
        try:
            found |= dict.fromkeys(_meant_by(argument))
        except InputError as error:
            report(str(error))
            is_whole = False
    return list(found), is_whole


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
    if not names:
        kinds = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise InputError(f"{folder}: no Markdown in this folder ({kinds}); name files or a pattern")
    return names


def _documents_under(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_left_out(name)]
        for name in files:
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                yield os.path.join(place, name)  # noqa: PTH118  # as above


def _matching(pattern: str) -> list[str]:
    names = glob.glob(pattern, recursive=True)  # noqa: PTH207  # as above
    asked = set(Path(pattern).parts)
    files = [
        name for name in names
        if Path(name).is_file()
        and not any(part in _NOT_DOCUMENTS - asked for part in Path(name).parts)
    ]  # fmt: skip
    if not files:
        raise InputError(f"{pattern}: this pattern matches no file")
    return sorted(files, key=lambda name: Path(name).parts)


def _is_left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in _NOT_DOCUMENTS
