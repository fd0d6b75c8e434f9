"""The standard streams: complete writes, and messages of one line; imports only what loads quickly.

With PYTHONUNBUFFERED, Python's own streams make one system call and drop the data that the system
did not accept: beyond 2 GiB, on an almost full disk, in a non-blocking pipe.
"""

from __future__ import annotations

import errno
import io
import os
import re
import select
import sys
from typing import TYPE_CHECKING, BinaryIO, NoReturn, TextIO, cast

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on

FAILED = 1  # the exit code if a file could not be read or written
USAGE = 2  # for invalid arguments
INTERRUPTED = 130  # of shells for SIGINT
TERMINATED = 143  # and for SIGTERM

# The errors of a write to a pipe without a reader; on Windows, it is often EINVAL.
_NO_READER = {errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE}
_MAX_BYTE = 0xFF
_LINE_END = re.compile(r"\r\n?")
# Control characters, which a terminal would execute; characters that reorder the text around them;
# and surrogates, which Python uses for file names that are not UTF-8.
_UNSAFE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""Return a text from an untrusted document with LF line ends and escaped control characters.

    >>> visible("a\x1b[31mb\r\n")
    'a\\x1b[31mb\n'
    """
    return _UNSAFE.sub(_escape, _LINE_END.sub("\n", text))


def on_one_line(text: str) -> str:
    r"""Return a text on one line: escaped, with white space collapsed.

    >>> on_one_line("a\n b")
    'a b'
    """
    return " ".join(visible(text).split())


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code <= _MAX_BYTE else f"\\u{code:04x}"


def format_count(number: int, noun: str) -> str:
    """Return a number and a noun, in the plural unless the number is 1.

    >>> format_count(1, "chunk"), format_count(1200, "chunk")
    ('1 chunk', '1,200 chunks')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def report(message: str) -> None:
    """Print a message as one line on standard error, with control characters escaped.

    If standard error is closed or full, the message is dropped, and the command continues.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"chunkana: {on_one_line(message)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr.fileno())


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Report a message and end the command."""
    report(message)
    sys.exit(code)


def discard_standard_output() -> None:
    """Drop buffered output after a failed write; Python would try to write it again at exit."""
    _discard(sys.stdout.fileno())


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


class _WholeWriter(io.RawIOBase):
    """A raw stream whose `write` writes all bytes, and waits for room in a non-blocking pipe.

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
        """Write all bytes; return their number."""
        left = memoryview(data).cast("B")
        length = len(left)
        try:
            while left and self._has_reader:
                if (count := self._raw.write(left)) is None:
                    select.select([], [self._raw], [])
                else:
                    left = left[count:]
        except OSError as error:
            if error.errno not in _NO_READER:
                raise
            self._has_reader = False
            raise BrokenPipeError(errno.EPIPE, error.strerror) from error
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
        whole = io.BufferedWriter(_WholeWriter(binary.raw, stream))
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
