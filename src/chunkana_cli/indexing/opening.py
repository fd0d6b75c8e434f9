"""Open indexes, and report what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chunkana_cli.indexing.embedding import Embedding
from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import INDEX_FOLDER
from chunkana_cli.streams import FAILED, USAGE, fail
from chunkana_core import ChunkanaError, ChunkConfig, ConfigurationError
from chunkana_retrieval import Index, IndexFileError
from chunkana_retrieval.index import Embedder, has_database

_CLEAR = ", or delete the indexes that are kept: chunkana cache --clear"


@contextmanager
def open_index(folder: str, embedder: Embedder | None = None) -> Iterator[Index]:
    """Open the index in a folder; end the command if there is none, or something is wrong.

    Args:
        folder: the folder.
        embedder: the embedding model of questions, None for a search by words.
    """
    with reporting_errors():
        try:
            index = Index.load(folder)
        except FileNotFoundError:
            fail(f"{folder}: has no index; make one: chunkana index FOLDER -o {folder}")
        with index:
            index.require_model(embedder)
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
def open_named_index(
    batch: Batch, config: ChunkConfig, embedding: Embedding, *, is_kept: bool
) -> Iterator[Index]:
    """Open the index that is named, or one of the files that are named.

    Args:
        batch: the folder of an index, or files; nothing for the default folder of an index.
        config: the options by which files are chunked.
        embedding: the embedding model of the index of files, and of questions.
        is_kept: whether the index of files is kept for the next question.
    """
    named = batch.arguments or [INDEX_FOLDER]
    if named == [INDEX_FOLDER] or (len(named) == 1 and has_database(Path(named[0]))):
        with open_index(named[0], embedding.embedder) as index:
            yield index
        return
    # What follows loads chunking, which a search of an index does not need.
    from chunkana_cli.indexing.keeping import kept_folder  # noqa: PLC0415
    from chunkana_cli.indexing.updating import FileUpdate  # noqa: PLC0415

    folder = kept_folder(batch, config, embedding.name) if is_kept else None
    with reporting_errors(_CLEAR if folder else ""), Index(folder) as index:
        FileUpdate(index, batch, config, embedder=embedding.embedder).run()
        yield index


@contextmanager
def reporting_errors(if_damaged: str = "") -> Iterator[None]:
    """End the command with a message for the errors of an index.

    Args:
        if_damaged: the end of the message if the index is damaged.
    """
    try:
        yield
    except ChunkanaError as error:
        code = USAGE if isinstance(error, ConfigurationError) else FAILED
        fail(f"{error}{if_damaged if isinstance(error, IndexFileError) else ''}", code)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}" if error.filename else str(error))
