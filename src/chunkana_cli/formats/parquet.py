"""Chunks as a Parquet table, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    message = 'Parquet needs pyarrow: pip install "chunkana-rag[parquet]"'
    raise ImportError(message, name="pyarrow") from error

from chunkana_cli.formats.format import Format, front_matter_of
from chunkana_cli.writing.written_json import to_json
from chunkana_core import HierarchicalChunkingResult, chunk_markdown

_ROWS = 10_000  # in a group, which readers load as a whole
_KINDS = {bool: pa.bool_(), int: pa.int64(), list: pa.list_(pa.string())}
# None in the example that the columns are taken from.
_NUMBERS = {"split_index": pa.int64(), "original_section_size": pa.int64()}


def _schema(front_matter_keys: Sequence[str] = ()) -> pa.Schema:
    """Return the columns: those of JSON lines, the metadata's beside the others.

    Keys of front matter, whose values may differ in type, are texts.
    """
    (example,) = chunk_markdown("Text.")
    columns = {name: _NUMBERS.get(name) or _KINDS.get(type(value), pa.string())
               for name, value in example.metadata.items()}  # fmt: skip
    text = dict.fromkeys(("file", "content", "text"), pa.string())
    texts = dict.fromkeys(front_matter_keys, pa.string())
    return pa.schema(list((text | columns | texts).items()))


SCHEMA = _schema()


def render(keys: Sequence[str], name: str, result: HierarchicalChunkingResult) -> pa.RecordBatch:
    """Return the rows of a document; of front matter, what is no text is JSON."""
    front_matter = {
        key: value if isinstance(value, str) else to_json(value)
        for key, value in front_matter_of(result, keys).items()
    }
    rows = [
        {
            "file": name,
            "content": chunk.content,
            "text": chunk.text,
            **chunk.metadata,
            **front_matter,
        }
        for chunk in result.get_leaves()
    ]
    return pa.RecordBatch.from_pylist(rows, schema=_schema(keys) if keys else SCHEMA)


def write(batches: Iterator[pa.RecordBatch], out: BinaryIO) -> None:
    """Write the rows of all documents, in groups of one size however they were made."""
    first = next(batches, None)
    schema = SCHEMA if first is None else first.schema
    with pq.ParquetWriter(out, schema) as writer:
        waiting: list[pa.RecordBatch] = []
        for batch in chain(() if first is None else [first], batches):
            waiting.append(batch)
            if sum(len(held) for held in waiting) >= _ROWS:
                writer.write_table(pa.Table.from_batches(waiting, schema), row_group_size=_ROWS)
                waiting = []
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting, schema), row_group_size=_ROWS)


FORMAT = Format(render, write, is_text=False, has_metadata=True)
