"""Indexes that are kept in the user's cache folder, for folders that are asked again."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from chunkana_cli.inputs.batch import Batch
from chunkana_cli.inputs.files import escape_name
from chunkana_cli.streams import report
from chunkana_core import ChunkConfig, Chunker
from chunkana_retrieval.index import describe_chunker

MOST_BYTES = 2 * 10**9  # of all kept indexes; those that were used least recently are deleted
_NAMES = "names.txt"  # what the index is of


class KeptIndex(NamedTuple):
    """A kept index.

    Attributes:
        folder: the folder of the index.
        names: the names of the files and folders that it is of.
        size: the size of its files in bytes.
        used: when it was last used, in seconds since 1970.
    """

    folder: Path
    names: str
    size: int
    used: float


def kept_folder(batch: Batch, config: ChunkConfig, embedding: str) -> Path | None:
    """Return the folder of the kept index of some files, which is marked as used now.

    Others that were used least recently are deleted if all have too many bytes. If the user's
    cache folder cannot be written, this is reported, and the result is None.
    """
    parts = [os.getcwd(), *batch.arguments, batch.input_format, batch.encoding, embedding]
    parts.append(describe_chunker(Chunker(config)))  # has the version, too
    folder = _root() / sha256(json.dumps(parts).encode()).hexdigest()[:32]
    names = ", ".join(os.path.abspath(name) for name in batch.arguments)
    try:
        _root().mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / _NAMES).write_bytes(escape_name(names).encode())
        os.utime(folder)
        delete_indexes(MOST_BYTES, but=folder)
    except OSError as error:
        report(f"the index is not kept: {error.filename or folder}: {error.strerror}")
        return None
    return folder


def kept_indexes() -> list[KeptIndex]:
    """Return the kept indexes, those that were used last first."""
    return sorted(_kept_indexes(), key=lambda one: -one.used)


def delete_indexes(most_bytes: int = 0, but: Path | None = None) -> None:
    """Delete the indexes that were used least recently, until all have at most so many bytes.

    Args:
        most_bytes: the size.
        but: the folder of an index that is not deleted.
    """
    size = 0
    for one in kept_indexes():
        size += one.size
        if size > most_bytes and one.folder != but:
            shutil.rmtree(one.folder, ignore_errors=True)


def _root() -> Path:
    return user_cache_path("chunkana", appauthor=False)


def _size(file: Path) -> int:
    """Return the size of a file, 0 if another process has just deleted it."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _kept_indexes() -> Iterator[KeptIndex]:
    for folder in filter(Path.is_dir, _root().glob("*")):
        size, names = sum(map(_size, folder.iterdir())), folder / _NAMES
        shown = names.read_text("utf-8", "replace") if names.exists() else folder.name
        yield KeptIndex(folder, shown, size, folder.stat().st_mtime)
