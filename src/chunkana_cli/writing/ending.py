"""What is done at the end, whatever became of the streams; loads nothing that takes time."""

from __future__ import annotations

import os
import sys

from chunkana_cli.screen.visible import on_one_line

INTERRUPTED = 130  # what shells say of SIGINT
TERMINATED = 143  # and of SIGTERM


def report(message: str) -> None:
    """Print a line on standard error, whatever is in the names that it quotes.

    Where that is closed or full, nobody can be told, and the command goes on.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"chunkana: {on_one_line(message)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr.fileno())


def discard_standard_output() -> None:
    """Throw away what could not be written, which Python would try to write again at its end."""
    _discard(sys.stdout.fileno())


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
