"""Errors of the command: one line on standard error, and an exit code."""

from __future__ import annotations

from typing import NoReturn

import typer

from chunkana_cli.writing.ending import report

__all__ = ["FAILED", "USAGE", "InputError", "fail", "report"]

FAILED = 1  # a file could not be read or written
USAGE = 2  # invalid arguments


class InputError(Exception):
    """A document cannot be read; the message names it."""


def fail(message: str, code: int = FAILED) -> NoReturn:
    """Report a message and end the command."""
    report(message)
    raise typer.Exit(code)
