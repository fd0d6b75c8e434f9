"""Standard streams that write all of what they are given, however they were opened.

With PYTHONUNBUFFERED, Python's own write once and drop what the system did not take: of more than
2 GiB, on a disk that is nearly full, in a pipe that does not block.
"""

from __future__ import annotations

import errno
import io
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on

# What a write to a pipe without a reader fails with; on Windows, it is often the second.
_NO_READER = {errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE}


class _WaitingWriter(io.RawIOBase):
    """A raw stream that waits for room in a pipe that does not block.

    It raises one BrokenPipeError where the pipe has no reader. What is written afterwards is
    dropped: buffers write what they hold once more when they are deleted, and from Python 3.13 on
    a failure there is printed.
    """

    def __init__(self, raw: io.RawIOBase, owner: object) -> None:
        """Write to a raw stream, which is closed when nothing refers to its owner."""
        self._raw = raw
        self._owner = owner
        self._has_reader = True

    def writable(self) -> bool:
        """Return True."""
        return True

    def fileno(self) -> int:
        """Return the descriptor of the stream below."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Tell whether the stream below is a terminal."""
        return self._raw.isatty()

    def write(self, data: ReadableBuffer, /) -> int:
        """Write as many bytes as the system takes at once, at least one; return their number."""
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
    """A raw stream of which each write writes everything, without a buffer."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all bytes; return their number."""
        left = memoryview(data).cast("B")
        length = len(left)
        while left:
            left = left[super().write(left) :]
        return length


def write_whole(stream: TextIO) -> TextIO:
    """Return a stream over the same descriptor that writes all, buffered as the given one is.

    A stream that is not over a raw one, as in tests, is returned as it is.
    """
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    binary: object = stream.buffer
    whole: io.BufferedIOBase | io.RawIOBase
    if isinstance(binary, io.BufferedWriter):
        whole = io.BufferedWriter(_WaitingWriter(binary.raw, stream))
    elif isinstance(binary, io.RawIOBase):
        whole = _WholeWriter(binary, stream)
    else:
        return stream
    return io.TextIOWrapper(
        whole,  # type: ignore[type-var]  # raw, as Python's own with PYTHONUNBUFFERED
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
