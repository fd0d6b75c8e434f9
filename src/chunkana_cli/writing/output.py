"""Open the output of a command: a file or standard output."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import typer
from rich.console import Console

from chunkana_cli.errors import USAGE, fail
from chunkana_cli.reading.documents import STANDARD_INPUT
from chunkana_cli.reading.files import exists, identities_of, identity_of
from chunkana_cli.writing.ending import discard_standard_output
from chunkana_cli.writing.json_text import to_json
from chunkana_cli.writing.replacing import open_replacing

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer  # `collections.abc.Buffer` from Python 3.12 on

STANDARD_OUTPUT = "-"
ANY_WIDTH = 10**6  # columns; lines in a pipe are not wrapped
_TITLE = "standard output"  # in messages


def require_name(parameter: typer.CallbackParam, name: str | None) -> str | None:
    """End the command if the name of a file or folder is empty: it would be the current folder."""
    if name == "":
        fail(f"{parameter.opts[0]} is ''; allowed: the name of a file or folder", USAGE)
    return name


def require_other_file(output: str, inputs: Iterable[str]) -> None:
    """End the command if its output would replace one of its inputs."""
    if output != STANDARD_OUTPUT:
        require_other_files([output], inputs)


def require_other_files(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """End the command if an output file is an input, under the same or another name or link."""
    known = identities_of(name for name in inputs if name != STANDARD_INPUT)
    for output in outputs:
        if identity_of(output) in known:
            fail(f"{output}: is one of the inputs, and would be replaced", USAGE)


@contextmanager
def open_output(name: str) -> Iterator[BinaryIO]:
    """Open a file for bytes, or standard output if its name is "-".

    A file is replaced only after everything is written.
    """
    if name == STANDARD_OUTPUT:
        with _reporting_errors(_TITLE):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    else:
        with _reporting_errors(name), open_replacing(Path(name)) as file:
            yield file


class HashingOutput(io.BufferedIOBase):
    """A binary stream that computes the SHA-256 of what is written to another one.

    Attributes:
        hash: the hash of all data written so far.
    """

    def __init__(self, out: BinaryIO) -> None:
        """Wrap a stream, which stays open."""
        self._out = out
        self.hash = sha256()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Write and hash all bytes; return their number."""
        self.hash.update(data)
        return self._out.write(data)


def write_json(value: object) -> None:
    """Write a value as indented JSON to standard output."""
    with open_output(STANDARD_OUTPUT) as out:
        out.write(to_json(value, indent=2).encode() + b"\n")


@contextmanager
def open_console(width_of_pipe: int) -> Iterator[Console]:
    """Open standard output as a rich console; in a pipe, with UTF-8 and the given width."""
    with _reporting_errors(_TITLE):
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = None if sys.stdout.isatty() else "utf-8"
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        yield Console(highlight=False, width=None if sys.stdout.isatty() else width_of_pipe)
        sys.stdout.flush()


@contextmanager
def _reporting_errors(title: str) -> Iterator[None]:
    """End the command with a message if writing fails."""
    if sys.stdout is None and title == _TITLE:
        fail(f"{title}: is closed")
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader closed the pipe; Typer exits silently
            raise
        if title == _TITLE:
            discard_standard_output()
        fail(f"{title}: cannot be written: {_reason(title, error)}")


def _reason(title: str, error: OSError) -> str:
    """Return why a file cannot be written; if its folder is missing, name the folder."""
    folder = Path(title).parent
    if isinstance(error, FileNotFoundError) and not exists(folder):
        return f"the folder {folder} does not exist"
    return error.strerror or str(error)
