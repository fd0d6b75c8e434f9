"""How the command fails: one line on standard error, and an exit code."""

from __future__ import annotations

from typing import NoReturn

import typer

from chunkana_cli.writing.ending import report

__all__ = ["FAILED", "USAGE", "InputError", "fail", "report"]

FAILED = 1  # a file could not be read or written
USAGE = 2  # the command was called in a way that cannot work


class InputError(Exception):
    """A document that cannot be read; the message names it."""


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Report and end the command."""
    report(message)
    raise typer.Exit(code)
