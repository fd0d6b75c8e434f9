"""Open indexes, and report what is wrong with them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from chunkana_cli.streams import fail
from chunkana_core import ChunkanaError
from chunkana_retrieval import Index

FOLDER = ".chunkana"  # the default folder of an index
IndexFolder = Annotated[str, typer.Argument(metavar="INDEX", help="The folder of an index.")]


@contextmanager
def open_index(folder: str) -> Iterator[Index]:
    """Open the index in a folder; end the command if there is none, or something is wrong."""
    with reporting_errors():
        try:
            index = Index.load(folder)
        except FileNotFoundError:
            fail(f"{folder}: has no index; make one: chunkana index FOLDER -o {folder}")
        with index:
            yield index


@contextmanager
def make_index(folder: str) -> Iterator[Index]:
    """Open the index in a folder, or make one that version control ignores."""
    with reporting_errors():
        ignored, is_new = Path(folder, ".gitignore"), not Path(folder).exists()
        with Index(folder) as index:
            if is_new:
                ignored.write_text("*\n", encoding="ascii")
            yield index


@contextmanager
def reporting_errors() -> Iterator[None]:
    """End the command with a message for the errors of an index."""
    try:
        yield
    except ChunkanaError as error:
        fail(str(error))
    except OSError as error:
        if error.errno == errno.EPIPE:  # the reader of standard output has gone
            raise
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
