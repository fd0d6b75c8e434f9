"""What is in folders, and what of it cannot be read, which else nobody would be told."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

_ANY_DEPTH = re.compile(r"(?:^|(?<=/))\*\*(?:/+|$)")
_ABSENT = (FileNotFoundError, NotADirectoryError)


def walk(folder: str, errors: set[str]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield what `os.walk` yields; add the folders that cannot be read to the errors."""

    def add(error: OSError) -> None:
        errors.add(_describe(str(error.filename), error))

    yield from os.walk(folder, onerror=add)


def is_readable_file(name: str, errors: set[str]) -> bool:
    """Tell whether a name is that of a regular file; add what cannot be known to the errors.

    That is a link to nothing, or what is in a folder that only shows its names.
    """
    try:
        return stat.S_ISREG(Path(name).stat().st_mode)
    except FileNotFoundError:
        if Path(name).is_symlink():  # else it has just been removed
            errors.add(f"{name}: is a link to nothing")
    except OSError as error:
        errors.add(_describe(name, error))
    return False


def expand(pattern: str, left_out: AbstractSet[str], errors: set[str]) -> dict[str, None]:
    """Return what a pattern matches; its `**` do not follow links, which may lead in a circle.

    Args:
        pattern: as `glob` takes them.
        left_out: names of folders in which nothing is missed.
        errors: receives the folders that cannot be read.
    """
    match = _ANY_DEPTH.search(pattern)
    if match is None:
        errors.update(_unreadable(pattern, left_out))
        return dict.fromkeys(glob.glob(pattern))  # noqa: PTH207  # a Path would drop "./"
    head, tail = pattern[: match.start()], pattern[match.end() :] or "*"
    if head:
        errors.update(_unreadable(head.rstrip("/"), left_out))
    found: dict[str, None] = {}
    below: set[str] = set()
    for base in glob.glob(head) if head else [os.curdir]:  # noqa: PTH207
        for place, folders, _ in walk(base, below):
            folders[:] = [x for x in folders if not (x.startswith(".") or x in left_out)]
            name = place if head else os.path.relpath(place)
            inside = "" if name == os.curdir else os.path.join(glob.escape(name), "")  # noqa: PTH118
            found |= expand(inside + tail, left_out, errors)
    errors.update(error if head else error.removeprefix(f"{os.curdir}/") for error in below)
    return found


def _unreadable(pattern: str, left_out: AbstractSet[str]) -> Iterator[str]:
    """Yield errors of the folders in which `glob`, which says nothing of them, looks for names."""
    head, tail = os.path.split(pattern)
    for folder in glob.glob(head) if head else [os.curdir]:  # noqa: PTH207
        if left_out.isdisjoint(Path(folder).parts):
            try:
                with suppress(*_ABSENT):
                    _look_into(folder, tail)
            except OSError as error:
                yield _describe(str(error.filename), error)
    if head and head != pattern and glob.has_magic(head):
        yield from _unreadable(head, left_out)


def _look_into(folder: str, name: str) -> None:
    """Read a folder, of which a pattern asks for all names, or for one."""
    if glob.has_magic(name):
        with os.scandir(folder):
            pass
    elif name:
        os.lstat(os.path.join(folder, name))  # noqa: PTH118


def _describe(name: str, error: OSError) -> str:
    return f"{name}: {error.strerror or error}"
