"""Queries about files by name; an invalid file name is treated as a missing file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

Identity = tuple[int, int]


def exists(name: str | Path) -> bool:
    """Return whether a file, folder or device of this name exists."""
    return _stat(name) is not None


def is_file(name: str | Path) -> bool:
    """Return whether a name is a regular file or a link to one, not a pipe or device."""
    found = _stat(name)
    return found is not None and stat.S_ISREG(found.st_mode)


def is_folder(name: str | Path) -> bool:
    """Return whether a name is a folder or a link to one."""
    found = _stat(name)
    return found is not None and stat.S_ISDIR(found.st_mode)


def identity_of(name: str | Path) -> Identity | None:
    """Return the device and inode numbers of a regular file, None for anything else."""
    found = _stat(name)
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino


def identities_of(names: Iterable[str]) -> set[Identity]:
    """Return the identities of the regular files among some names."""
    return {identity for name in names if (identity := identity_of(name)) is not None}


def _stat(name: str | Path) -> os.stat_result | None:
    try:
        return Path(name).stat()
    except (OSError, ValueError):  # too long, or with a NUL
        return None
