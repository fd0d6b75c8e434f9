"""Standard streams that write all data completely, however they were opened.

With PYTHONUNBUFFERED, Python's own streams make one system call and drop the data that the system
did not accept: beyond 2 GiB, on an almost full disk, in a non-blocking pipe.
"""

from __future__ import annotations

import errno
import io
import select
import sys
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on

# The errors of a write to a pipe without a reader; on Windows, it is often EINVAL.
_NO_READER = {errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE}


class _WaitingWriter(io.RawIOBase):
    """A raw stream that waits for room in a non-blocking pipe.

    The stream raises one BrokenPipeError if the pipe has no reader, and drops all later data:
    buffers write their data once more when they are deleted, and Python 3.13 and later print a
    failure of that write.
    """

    def __init__(self, raw: io.RawIOBase, owner: object) -> None:
        """Wrap a raw stream; keep a reference to its owner, which would close it when deleted."""
        self._raw = raw
        self._owner = owner
        self._has_reader = True

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor of the raw stream."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Return whether the raw stream is a terminal."""
        return self._raw.isatty()

    def write(self, data: ReadableBuffer, /) -> int:
        """Write as many bytes as the system accepts, at least one; return their number."""
        if not self._has_reader:
            return memoryview(data).nbytes
        try:
            while (count := self._raw.write(data)) is None:
                select.select([], [self._raw], [])
        except OSError as error:
            if error.errno not in _NO_READER:
                raise
            self._has_reader = False
            raise BrokenPipeError(errno.EPIPE, error.strerror) from error
        return count


class _WholeWriter(_WaitingWriter):
    """An unbuffered raw stream whose `write` writes all bytes."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all bytes; return their number."""
        left = memoryview(data).cast("B")
        length = len(left)
        while left:
            left = left[super().write(left) :]
        return length


def write_whole(stream: TextIO) -> TextIO:
    """Return a stream that writes all data to the same descriptor, with the same buffering.

    A stream without a raw stream, as in tests, is returned unchanged.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    binary: object = stream.buffer
    whole: BinaryIO
    if isinstance(binary, io.BufferedWriter):
        whole = io.BufferedWriter(_WaitingWriter(binary.raw, stream))
    elif isinstance(binary, io.RawIOBase):
        whole = cast("BinaryIO", _WholeWriter(binary, stream))  # raw, as PYTHONUNBUFFERED has it
    else:
        return stream
    return io.TextIOWrapper(
        whole,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
