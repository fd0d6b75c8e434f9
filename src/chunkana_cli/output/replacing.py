"""Replace files atomically, and lock folders.

A file is replaced by a hidden temporary file, which is renamed when it is whole. It is locked while
its process lives. The system releases the lock however the process ends, and the next run removes
temporary files without a lock. On Windows, an open file cannot be removed and needs no lock. A
folder is locked by a file in it.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import isfile
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from chunkana_cli.inputs.files import identity_of
from chunkana_cli.streams import fail

_PREFIX, _SUFFIX = ".chunkana-", ".part"
_FOLDER_LOCK = ".chunkana.lock"
_DEFAULT_MODE = 0o666  # the system removes the bits of the umask
_OPEN_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # on Windows only
_PERMISSION_ERRORS = (errno.EACCES, errno.EPERM, errno.EROFS)

if sys.platform == "win32":

    def try_lock(file: BinaryIO) -> None:
        """Lock a file for this process, or raise a PermissionError."""
        from msvcrt import LK_NBLCK, locking  # noqa: PLC0415  # on Windows only

        locking(file.fileno(), LK_NBLCK, 1)

    def _lock(_file: BinaryIO) -> None:
        """Do nothing: an open file cannot be removed."""

    def _remove_if_dead(temporary: Path) -> None:
        """Remove a temporary file, unless a process has it open."""
        with suppress(OSError):
            temporary.unlink()
else:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    def try_lock(file: BinaryIO) -> None:
        """Lock a file for this process, not for forked ones, or raise a BlockingIOError."""
        lockf(file, LOCK_EX | LOCK_NB)

    def _lock(file: BinaryIO) -> None:
        """Lock a file for this process; forked processes do not inherit the lock."""
        lockf(file, LOCK_EX)

    def _remove_if_dead(temporary: Path) -> None:
        """Remove a temporary file, unless a process has locked it or another user owns it."""
        with suppress(OSError), temporary.open("r+b") as file:
            try_lock(file)
            temporary.unlink()


@contextmanager
def open_replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file for bytes, which replaces the file at a path if no error occurs.

    Devices and pipes are written directly, and so is a file in a folder in which this process has
    no permission to create another file.
    """
    before = _stat(path)
    target = Path(os.path.realpath(path))  # a link stays one
    temporary = (
        _create_temporary(target, before)
        if before is None or _is_replaceable(path, target)
        else None
    )
    if temporary is None:
        with path.open("wb") as direct:
            yield direct
        return
    name, file = temporary
    try:
        with file:
            yield file
            _finish(name, file, target, before)
    finally:
        name.unlink(missing_ok=True)


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _is_replaceable(path: Path, target: Path) -> bool:
    """Return whether a path and its resolved target are the same regular file.

    For /dev/stdout, they may differ.
    """
    identity = identity_of(path)
    return identity is not None and identity == identity_of(target)


def _finish(name: Path, file: BinaryIO, target: Path, before: os.stat_result | None) -> None:
    """Sync a temporary file to disk, which reports all write errors, then rename it."""
    file.flush()
    os.fsync(file.fileno())
    if before is not None:
        name.chmod(stat.S_IMODE(before.st_mode))
    if sys.platform == "win32":
        file.close()  # Windows cannot rename an open file
    name.replace(target)  # still locked


def _create_temporary(target: Path, before: os.stat_result | None) -> tuple[Path, BinaryIO] | None:
    """Create a temporary file next to the target; return None without permission to create it."""
    _remove_dead_files(target.parent)
    mode = _DEFAULT_MODE if before is None else stat.S_IMODE(before.st_mode) | stat.S_IWUSR
    while True:
        name = target.with_name(f"{_PREFIX}{token_hex(8)}{_SUFFIX}")
        try:
            file = os.fdopen(os.open(name, _OPEN_FLAGS, mode), "wb")
        except OSError as error:
            if error.errno in _PERMISSION_ERRORS:
                return None
            raise
        with suppress(OSError):  # a file system without locks
            _lock(file)
        if isfile(name):
            return name, file
        file.close()  # another process removed the file before it was locked


def _remove_dead_files(folder: Path) -> None:
    """Remove the temporary files of ended processes from a folder."""
    try:
        names = os.listdir(folder)  # faster than a Path for each name
    except OSError:  # creating the temporary file will report a better error
        return
    for name in names:
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and isfile(folder / name):
            _remove_if_dead(folder / name)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder; end the command if another process has locked it.

    A folder that takes no new files, and one of a file system without locks, is not locked.
    """
    path = folder / _FOLDER_LOCK
    file = _open_locked(path)
    try:
        yield
    finally:
        if file is not None:
            if sys.platform == "win32":
                file.close()  # Windows cannot remove an open file
            with suppress(OSError):
                path.unlink()  # still locked
            file.close()


def _open_locked(path: Path) -> BinaryIO | None:
    while True:
        try:
            file = path.open("ab")
        except OSError:
            return None
        try:
            try_lock(file)
        except (BlockingIOError, PermissionError):
            file.close()
            fail(f"{path.parent}: another run is writing there; try again when it has ended")
        except OSError:  # a file system without locks
            pass
        found = os.fstat(file.fileno())
        if identity_of(path) == (found.st_dev, found.st_ino):
            return file
        file.close()  # the run that had locked the file has removed it
