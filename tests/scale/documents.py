"""Tables of documents for engines, bad ones among them, and functions that engines run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import TypedDict
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from chunkana_batch import chunk_batches
from chunkana_core import ChunkConfig
from tests.corpora import own_documents

LONGEST = 3000
_LINES = 30  # of a document


class Options(TypedDict):
    """Arguments of `chunk_table` and `chunk_batches` that all engines are given."""

    config: ChunkConfig
    max_characters: int


OPTIONS: Options = {"config": ChunkConfig(max_chunk_size=400), "max_characters": LONGEST}


def make_documents(count: int) -> pa.Table:
    """Return a table of different documents; some have no text, others too long a one."""
    lines = [line for sample in own_documents() for line in sample.text.splitlines(keepends=True)]
    texts = [make_text(lines, number) for number in range(count)]
    paths = [f"folder/{number}.{'md' if number % 10 else 'txt'}" for number in range(count)]
    metadata = [{"number": number} for number in range(count)]
    return pa.table({"text": texts, "path": paths, "metadata": metadata})


def make_text(lines: list[str], number: int) -> str | None:
    """Return the text of a document: some lines, or what cannot be chunked."""
    if number % 97 == 0:
        return None
    if number % 89 == 0:
        return "long " * LONGEST
    start = number * 7 % (len(lines) - _LINES)
    return f"# Number {number}\n\n" + "".join(lines[start : start + _LINES])


def make_yesterday(documents: pa.Table) -> pa.Table:
    """Return what the documents were before ten changed, five were new and five had gone."""
    paths = documents["path"].to_pylist()
    texts = documents["text"].to_pylist()
    texts[1:11] = [f"{text}\n\nAnd more." for text in texts[1:11]]
    paths[-5:] = [f"gone/{number}.md" for number in range(5)]
    metadata = documents["metadata"].to_pylist()
    return pa.table({"text": texts, "path": paths, "metadata": metadata})


def paths_to_chunk(documents: pa.Table, chunks: pa.Table) -> set[str]:
    """Return the paths of documents that yesterday's chunks do not hold, or as errors only."""
    paths: list[str] = documents["path"].to_pylist()
    failed = chunks.filter(pc.is_valid(chunks["error"]))["file"].to_pylist()
    return {*paths[1:11], *paths[-5:], *failed}


def in_order(table: pa.Table) -> pa.Table:
    """Return the chunks of a table in the order of documents, whichever tasks made them."""
    ordered = table.sort_by([("document_id", "ascending"), ("chunk_index", "ascending")])
    return ordered.combine_chunks()


def broken_strings() -> pa.Array:
    """Return strings whose bytes are no UTF-8, as engines that do not check them hand them on."""
    data = pa.array([b"caf\xe9", b"fine"], pa.binary())
    return pa.StringArray.from_buffers(2, *data.buffers()[1:])


BAD_TEXTS = {
    "text is null": pa.array([None, "fine"]),
    "text has 3,001 characters; max_characters is 3,000": pa.array(["x" * 3001, "fine"]),
    "text is not utf-8 at byte 3": pa.array([b"caf\xe9", b"fine"]),
    "ValueError: no size of this": pa.array(["never", "fine"]),
}


def make_strict_size() -> Callable[[str], int]:
    """Return a length function that fails with some texts."""

    def strict_size(text: str) -> int:
        if "never" in text:
            raise ValueError("no size of this")
        return len(text)

    return strict_size


def make_locked_size() -> Callable[[str], int]:
    """Return a length function that cannot be sent to another process, for it has a lock."""
    lock = Lock()

    def locked_size(text: str) -> int:
        with lock:
            return len(text)

    return locked_size


Batches = Iterable[pa.RecordBatch]


def make_chunking_that_dies(folder: Path) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """Return a function whose process ends, in its first call, when half of a batch is yielded.

    Each call leaves a file in the folder.
    """

    def chunk(batches: Batches) -> Iterator[pa.RecordBatch]:
        (folder / uuid4().hex).touch()
        for batch in chunk_batches(batches, **OPTIONS):
            middle = batch.num_rows // 2
            yield batch.slice(0, middle)
            try:
                (folder / "died").touch(exist_ok=False)
            except FileExistsError:
                yield batch.slice(middle)
            else:
                os._exit(1)

    return chunk
