"""Where output goes: a file or standard output."""

from __future__ import annotations

import errno
import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from rich.console import Console

from chunkana_cli.errors import USAGE, fail
from chunkana_cli.reading.documents import STANDARD_INPUT
from chunkana_cli.reading.files import exists, identities_of, identity_of
from chunkana_cli.writing.ending import discard_standard_output
from chunkana_cli.writing.parts import open_replacing
from chunkana_cli.writing.written_json import to_json

STANDARD_OUTPUT = "-"
ANY_WIDTH = 10**6  # of lines in a pipe, where nothing should be wrapped
_TITLE = "standard output"  # in messages


def require_other_file(output: str, inputs: Iterable[str]) -> None:
    """End the command if its output would replace one of its inputs."""
    if output != STANDARD_OUTPUT:
        require_other_files([output], inputs)


def require_other_files(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """End the command if one of the files to write is an input, by whatever name or link."""
    known = identities_of(name for name in inputs if name != STANDARD_INPUT)
    for output in outputs:
        if identity_of(output) in known:
            fail(f"{output}: is one of the inputs, and would be replaced", USAGE)


@contextmanager
def open_output(name: str) -> Iterator[BinaryIO]:
    """Open a file, or standard output if its name is "-", for exact bytes.

    A file stays as it was until all is written.
    """
    if name == STANDARD_OUTPUT:
        with _reported(_TITLE):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
    else:
        with _reported(name), open_replacing(Path(name)) as file:
            yield file


def write_json(said: object) -> None:
    """Write JSON for programs to standard output."""
    with open_output(STANDARD_OUTPUT) as out:
        out.write(to_json(said, indent=2).encode() + b"\n")


@contextmanager
def open_console(width_of_pipe: int) -> Iterator[Console]:
    """Open standard output for what rich renders, in UTF-8 unless a terminal says otherwise."""
    with _reported(_TITLE):
        if isinstance(sys.stdout, io.TextIOWrapper):
            encoding = None if sys.stdout.isatty() else "utf-8"
            sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
        yield Console(highlight=False, width=None if sys.stdout.isatty() else width_of_pipe)
        sys.stdout.flush()


@contextmanager
def _reported(title: str) -> Iterator[None]:
    """End the command if writing fails."""
    if sys.stdout is None and title == _TITLE:
        fail(f"{title}: is closed")
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader has seen enough; Typer ends without a word
            raise
        if title == _TITLE:
            discard_standard_output()
        fail(f"{title}: cannot be written: {_reason(title, error)}")


def _reason(title: str, error: OSError) -> str:
    """Return why a file cannot be written, naming the folder where that is what is missing."""
    folder = Path(title).parent
    if isinstance(error, FileNotFoundError) and not exists(folder):
        return f"the folder {folder} does not exist"
    return error.strerror or str(error)
