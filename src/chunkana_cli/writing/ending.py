"""Exit codes, and messages on standard error; imports only modules that load quickly."""

from __future__ import annotations

import os
import sys

from chunkana_cli.screen.visible import on_one_line

INTERRUPTED = 130  # the exit code of shells for SIGINT
TERMINATED = 143  # and for SIGTERM


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


def discard_standard_output() -> None:
    """Drop buffered output after a failed write; Python would try to write it again at exit."""
    _discard(sys.stdout.fileno())


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
