"""The bytes of a file or of standard input, all of them or an error that says why not."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
from pathlib import Path
from typing import Protocol

from chunkana_cli.errors import InputError

MOST_BYTES = 2**30  # of an input; a device such as /dev/zero would be read without end
_PIECE = 2**20  # bytes that are read at once
_STEP = 1.0  # seconds
TOO_LONG = "has more than {:,} bytes, which is the most that is read"


class _Input(Protocol):
    """A file for bytes, of which a read may find that there are none yet."""

    def read(self, count: int, /) -> bytes | None: ...


def read_bytes(name: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        InputError: if it cannot be read, or is too long.
    """
    try:
        with Path(name).open("rb", buffering=0) as file:
            found = os.fstat(file.fileno())
            if stat.S_ISREG(found.st_mode) and found.st_size > MOST_BYTES:
                raise InputError(f"{name}: {TOO_LONG.format(MOST_BYTES)}")
            return _read_all(file, name)
    except IsADirectoryError:
        raise InputError(f"{name}: is a folder; name the files in it") from None
    except FileNotFoundError:
        raise InputError(f"{name}: {_what_is_missing(name)}") from None
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from None
    except ValueError:  # a NUL in the path
        raise InputError(f"{name}: no such file") from None


def read_standard_input(title: str) -> bytes:
    """Return all bytes of standard input.

    Args:
        title: what standard input is called in messages.

    Raises:
        InputError: if it is closed, cannot be read, or is too long.
    """
    if sys.stdin is None:
        raise InputError(f"{title}: is closed")
    try:
        return _read_all(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), title)
    except OSError as error:
        raise InputError(f"{title}: {error.strerror or error}") from None


def _read_all(file: _Input, title: str) -> bytes:
    data = bytearray()
    while (piece := _read_piece(file)) != b"":
        data += piece or b""
        if len(data) > MOST_BYTES:
            raise InputError(f"{title}: {TOO_LONG.format(MOST_BYTES)}")
    return bytes(data)


def _read_piece(file: _Input) -> bytes | None:
    """Return the next bytes, none at the end, None where another process has taken them.

    A pipe is waited for in steps: a signal that comes just before a step is only heard after it.
    """
    if os.name == "posix" and isinstance(file, io.FileIO):
        while not any(select.select([file], [], [], _STEP)):
            pass
    return file.read(_PIECE)


def _what_is_missing(name: str) -> str:
    """Return what a name is that leads to no file."""
    return "is a link to nothing" if os.path.islink(name) else "no such file"  # noqa: PTH114
