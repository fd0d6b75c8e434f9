"""Walk folders and expand patterns, and collect errors for unreadable folders."""

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
    """Yield the tuples of `os.walk`; add unreadable folders to `errors`."""

    def add(error: OSError) -> None:
        errors.add(_describe(str(error.filename), error))

    yield from os.walk(folder, onerror=add)


def is_readable_file(name: str, errors: set[str]) -> bool:
    """Return whether a name is a regular file; add an error if that cannot be determined.

    Errors are broken links, and files in folders that may be listed but not searched.
    """
    try:
        return stat.S_ISREG(Path(name).stat().st_mode)
    except FileNotFoundError:
        if Path(name).is_symlink():  # otherwise the file has just been removed
            errors.add(f"{name}: is a broken link")
    except OSError as error:
        errors.add(_describe(name, error))
    return False


def expand(pattern: str, ignored: AbstractSet[str], errors: set[str]) -> dict[str, None]:
    """Return the paths that match a pattern; `**` does not follow links, which may be cyclic.

    Args:
        pattern: a pattern in the syntax of `glob`.
        ignored: names of folders that are not searched.
        errors: the set to which unreadable folders are added.
    """
    match = _ANY_DEPTH.search(pattern)
    if match is None:
        errors.update(_unreadable(pattern, ignored))
        return dict.fromkeys(glob.glob(pattern))  # noqa: PTH207  # a Path would drop "./"
    head, tail = pattern[: match.start()], pattern[match.end() :] or "*"
    if head:
        errors.update(_unreadable(head.rstrip("/"), ignored))
    found: dict[str, None] = {}
    below: set[str] = set()
    for base in glob.glob(head) if head else [os.curdir]:  # noqa: PTH207
        for place, folders, _ in walk(base, below):
            folders[:] = [x for x in folders if not (x.startswith(".") or x in ignored)]
            name = place if head else os.path.relpath(place)
            inside = "" if name == os.curdir else os.path.join(glob.escape(name), "")  # noqa: PTH118
            found |= expand(inside + tail, ignored, errors)
    errors.update(error if head else error.removeprefix(f"{os.curdir}/") for error in below)
    return found


def _unreadable(pattern: str, ignored: AbstractSet[str]) -> Iterator[str]:
    """Yield an error for each unreadable folder that `glob` would skip silently."""
    head, tail = os.path.split(pattern)
    for folder in glob.glob(head) if head else [os.curdir]:  # noqa: PTH207
        if ignored.isdisjoint(Path(folder).parts):
            try:
                with suppress(*_ABSENT):
                    _look_into(folder, tail)
            except OSError as error:
                yield _describe(str(error.filename), error)
    if head and head != pattern and glob.has_magic(head):
        yield from _unreadable(head, ignored)


def _look_into(folder: str, name: str) -> None:
    """Access a folder as `glob` does: list it for a pattern, look up a plain name."""
    if glob.has_magic(name):
        with os.scandir(folder):
            pass
    elif name:
        os.lstat(os.path.join(folder, name))  # noqa: PTH118


def _describe(name: str, error: OSError) -> str:
    return f"{name}: {error.strerror or error}"
