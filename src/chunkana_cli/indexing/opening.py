"""Open indexes, and report what is wrong with them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chunkana_cli.indexing.updating import FileUpdate
from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import INDEX_FOLDER
from chunkana_cli.streams import fail
from chunkana_core import ChunkanaError, ChunkConfig
from chunkana_retrieval import Index
from chunkana_retrieval.index import Embedder, has_database


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
                ignored.write_bytes(b"*\n")
            yield index


@contextmanager
def open_asked(
    batch: Batch, config: ChunkConfig, embedder: Embedder | None, folder: Path | None
) -> Iterator[Index]:
    """Open the index that is named, or one of the files that are named.

    Args:
        batch: the folder of an index, or files; nothing for the default folder of an index.
        config: the options by which files are chunked.
        embedder: the embedding model of the index of files, None for none.
        folder: the folder where that index is kept, None for memory.
    """
    named = batch.arguments or [INDEX_FOLDER]
    if named == [INDEX_FOLDER] or (len(named) == 1 and has_database(Path(named[0]))):
        with open_index(named[0]) as index:
            yield index
        return
    with reporting_errors(), Index(folder) as index:
        FileUpdate(index, batch, config, embedder=embedder).run()
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
