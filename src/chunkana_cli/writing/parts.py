"""Files that replace others once they are whole; until then they are parts of a hidden name.

A part is locked while its process lives: the system drops the lock however that ends, and the next
run removes what nobody holds. On Windows, a part that is open needs no lock.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

from chunkana_cli.reading.files import identity_of, is_file

_PREFIX, _SUFFIX = ".chunkana-", ".part"
_USUAL_MODE = 0o666  # less what the process's umask forbids
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)  # which Windows needs
_NO_RIGHT = (errno.EACCES, errno.EPERM, errno.EROFS)

if sys.platform == "win32":

    def _lock(_file: BinaryIO) -> None:
        """Do nothing: what is open cannot be removed."""

    def _remove_if_dead(part: Path) -> None:
        """Remove a part, unless a process has it open."""
        with suppress(OSError):
            part.unlink()
else:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    def _lock(file: BinaryIO) -> None:
        """Lock a file for this process alone, without the processes that it forks."""
        lockf(file, LOCK_EX)

    def _remove_if_dead(part: Path) -> None:
        """Remove a part, unless a process has it locked, or it is another user's."""
        with suppress(OSError), part.open("r+b") as file:
            lockf(file, LOCK_EX | LOCK_NB)
            part.unlink()


@contextmanager
def open_replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a part for exact bytes, which becomes the file of a path if nothing goes wrong.

    A device or pipe is written itself, and so is a file beside which this process has no right to
    make another.
    """
    before = _stat(path)
    target = Path(os.path.realpath(path))  # a link stays one
    part = _make_part(target, before) if before is None or _is_replaceable(path, target) else None
    if part is None:
        with path.open("wb") as direct:
            yield direct
        return
    name, file = part
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
    """Tell whether a path leads to a regular file by its real name, as /dev/stdout may not."""
    identity = identity_of(path)
    return identity is not None and identity == identity_of(target)


def _finish(name: Path, file: BinaryIO, target: Path, before: os.stat_result | None) -> None:
    """Give a part its name, once it is on the disk: only then are all errors of writing known."""
    file.flush()
    os.fsync(file.fileno())
    if before is not None:
        name.chmod(stat.S_IMODE(before.st_mode))
    if sys.platform == "win32":
        file.close()  # else it cannot be renamed
    name.replace(target)  # while it is locked


def _make_part(target: Path, before: os.stat_result | None) -> tuple[Path, BinaryIO] | None:
    """Return a new part beside a file and its name, None for want of the right to make one."""
    _remove_dead_parts(target.parent)
    mode = _USUAL_MODE if before is None else stat.S_IMODE(before.st_mode) | stat.S_IWUSR
    while True:
        name = target.with_name(f"{_PREFIX}{token_hex(8)}{_SUFFIX}")
        try:
            file = os.fdopen(os.open(name, _NEW, mode), "wb")
        except OSError as error:
            if error.errno in _NO_RIGHT:
                return None
            raise
        with suppress(OSError):  # a file system without locks
            _lock(file)
        if is_file(name):
            return name, file
        file.close()  # another process has removed it before it was locked


def _remove_dead_parts(folder: Path) -> None:
    """Remove the parts in a folder whose processes are gone."""
    try:
        names = os.listdir(folder)  # noqa: PTH208  # paths of all that is there would take longer
    except OSError:  # that of making a part says more
        return
    for name in names:
        if name.startswith(_PREFIX) and name.endswith(_SUFFIX) and is_file(folder / name):
            _remove_if_dead(folder / name)
