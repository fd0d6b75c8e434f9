"""How the command fails: one line on standard error, and an exit code."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from chunkana_cli.visible import on_one_line

FAILED = 1  # a file could not be read or written
USAGE = 2  # the command was called in a way that cannot work


class InputError(Exception):
    """A document that cannot be read; the message names it."""


def report(message: str) -> None:
    """Print a line on standard error, whatever is in the names that it quotes."""
    line = f"chunkana: {on_one_line(message)}\n"
    sys.stderr.write(line)


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Report and end the command."""
    report(message)
    raise typer.Exit(code)
