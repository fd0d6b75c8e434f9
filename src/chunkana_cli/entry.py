"""Where the command starts: what may end it at any time ends it without a traceback."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from types import FrameType

from chunkana_cli.writing.ending import INTERRUPTED, TERMINATED, discard_standard_output, report
from chunkana_cli.writing.streams import write_whole


def run() -> None:
    """Run the command."""
    _handle_signals()
    if sys.stdout is not None:
        sys.stdout = write_whole(sys.stdout)
    if sys.stderr is not None:
        sys.stderr = write_whole(sys.stderr)
    try:
        _require_extra()
        from chunkana_cli.main import app  # noqa: PLC0415  # takes so long that it is interrupted

        app(prog_name="chunkana")
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    except SystemExit as error:
        if error.code in (INTERRUPTED, TERMINATED):  # of Typer, and of `end` below
            # At once: Python would wait for the processes that it has started, and they for nothing
            # but the end of this one.
            os._exit(error.code)
        raise
    except MemoryError:
        report("not enough memory")
        sys.exit(1)
    except OSError as error:  # of Typer's own output, such as help
        report(f"standard output: cannot be written: {error.strerror or error}")
        discard_standard_output()
        sys.exit(1)


def _require_extra() -> None:
    """End the command, with a line that says what to install, where the extra is missing."""
    # Looked for, not imported: bm25s loads numpy, which only commands that search need.
    missing = [name for name in ("typer", "rich", "bm25s", "jinja2") if find_spec(name) is None]
    if missing:
        report(f'this command needs {", ".join(missing)}: pip install "chunkana-rag[cli]"')
        sys.exit(1)


def _handle_signals() -> None:
    """Have signals end this process by an exception, and what it forks at once."""
    own = os.getpid()

    def end(number: int, _frame: FrameType | None) -> None:
        if os.getpid() != own:
            os._exit(INTERRUPTED if number == signal.SIGINT else TERMINATED)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(TERMINATED)  # which, unlike the signal itself, lets processes be ended too

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)
