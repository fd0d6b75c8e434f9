"""Entry point of the command; interrupts and output errors end it without a traceback."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from types import FrameType

from chunkana_cli.streams import (
    INTERRUPTED,
    TERMINATED,
    discard_standard_output,
    fail,
    report,
    write_whole,
)


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
        print_version()
    else:
        from chunkana_cli.main import app  # noqa: PLC0415  # slow; may be interrupted

        app(prog_name="chunkana")


def print_version() -> None:
    """Print the name of the command and the version of the package."""
    from importlib.metadata import version  # noqa: PLC0415  # slow; needed here only

    print(f"chunkana {version('chunkana-rag')}", flush=True)  # noqa: T201  # for users


def _require_extra() -> None:
    """End the command with installation instructions if a dependency is missing."""
    # `find_spec` does not import them: numpy is slow, and only searching commands need it.
    missing = [name for name in ("typer", "rich", "numpy", "jinja2") if find_spec(name) is None]
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
