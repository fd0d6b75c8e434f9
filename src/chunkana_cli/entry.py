"""Entry point of the command; interrupts and output errors end it without a traceback.

The standard streams are wrapped for complete writes: with PYTHONUNBUFFERED, Python's own make one
system call and drop the data that the system did not accept: beyond 2 GiB, on an almost full disk,
in a non-blocking pipe.
"""

from __future__ import annotations

import errno
import io
import os
import select
import signal
import sys
from importlib.util import find_spec
from types import FrameType
from typing import TYPE_CHECKING, BinaryIO, TextIO, cast

from chunkana_cli import describe_version
from chunkana_cli.streams import (
    INTERRUPTED,
    TERMINATED,
    discard_standard_output,
    fail,
    report,
)

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on

# The errors of a write to a pipe without a reader; on Windows, it is often EINVAL.
_NO_READER = {errno.EPIPE, errno.EINVAL} if sys.platform == "win32" else {errno.EPIPE}


def run() -> None:
    """Run the command."""
    _handle_signals()
    if sys.stdout is not None:
        sys.stdout = write_whole(sys.stdout)
    if sys.stderr is not None:
        sys.stderr = write_whole(sys.stderr)
    try:
        _require_extra()
        _run_command()
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except SystemExit as error:
        if error.code in (INTERRUPTED, TERMINATED):  # raised by Typer, and by `end` below
            # Exit at once: Python would wait for worker processes, which end only with this one.
            os._exit(error.code)
        raise
    except MemoryError:
        fail("not enough memory")
    except BrokenPipeError:  # the reader of the version has gone
        sys.exit(1)
    except OSError as error:  # raised by Typer's own output, such as help
        report(f"standard output: cannot be written: {error.strerror or error}")
        discard_standard_output()
        sys.exit(1)


def _run_command() -> None:
    """Print the version, for which nothing slow is loaded, or run Typer."""
    if sys.argv[1:] == ["--version"]:
        print(describe_version(), flush=True)  # noqa: T201  # for users
    else:
        from chunkana_cli.main import load_app  # noqa: PLC0415  # slow; may be interrupted

        load_app(sys.argv[1:])(prog_name="chunkana")


def _require_extra() -> None:
    """End the command with installation instructions if a dependency is missing."""
    # `find_spec` does not import them: numpy is slow, and only searching commands need it.
    missing = [
        name
        for name in ("typer", "rich", "numpy", "jinja2", "platformdirs")
        if find_spec(name) is None
    ]
    if missing:
        fail(f'this command needs {", ".join(missing)}: pip install "chunkana-rag[cli]"')


def _handle_signals() -> None:
    """Install signal handlers: an exception in this process, immediate exit in forked ones."""
    own = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        if os.getpid() != own:  # a worker process, which never sees SIGINT
            os._exit(TERMINATED)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(TERMINATED)  # unlike the signal itself, runs cleanup of worker processes

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


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
