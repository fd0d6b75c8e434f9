"""Lock a folder against other runs; the system releases the lock of a run that was killed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from chunkana_cli.errors import fail
from chunkana_cli.reading.files import identity_of

_NAME = ".chunkana.lock"

if sys.platform == "win32":
    from msvcrt import LK_NBLCK, locking

    def try_lock(file: BinaryIO) -> None:
        """Lock a file for this process, or raise a PermissionError."""
        locking(file.fileno(), LK_NBLCK, 1)
else:
    from fcntl import LOCK_EX, LOCK_NB, lockf

    def try_lock(file: BinaryIO) -> None:
        """Lock a file for this process, not for forked ones, or raise a BlockingIOError."""
        lockf(file, LOCK_EX | LOCK_NB)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder; end the command if another process has locked it.

    A folder that takes no new files, and one of a file system without locks, is not locked.
    """
    path = folder / _NAME
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
