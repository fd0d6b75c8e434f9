"""Parquet output: a row for each chunk, with the schema of `chunkana_batch`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from pathlib import Path
from typing import BinaryIO

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    message = 'Parquet needs pyarrow: pip install "chunkana-rag[arrow]"'
    raise ImportError(message, name="pyarrow") from error

from chunkana_batch.rows import DocumentFields, Row
from chunkana_batch.tables import rows_to_batch, schema_of
from chunkana_cli.runs.format import Format, RowOptions
from chunkana_core import HierarchicalChunkingResult

_ROWS = 10_000  # of a row group, which readers load as a whole
_NEW_ROWS = 500  # from which waiting rows are converted to an Arrow batch


def render(options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[Row]:
    """Return the rows of a document."""
    return list(DocumentFields.of_file(name).rows(result, options.front_matter_keys))


def write(
    options: RowOptions, documents: Iterator[list[Row] | pa.RecordBatch], out: BinaryIO
) -> None:
    """Write the rows of all documents in row groups of `_ROWS` rows."""
    schema = schema_of(options.fields)
    with pq.ParquetWriter(out, schema, compression="zstd") as writer:
        waiting: list[pa.RecordBatch] = []
        count = 0
        for batch in _batches(options, documents):
            waiting.append(batch)
            count += batch.num_rows
            while count >= _ROWS:
                table = pa.Table.from_batches(waiting, schema)
                writer.write_table(table.slice(0, _ROWS), row_group_size=_ROWS)
                waiting = table.slice(_ROWS).to_batches()
                count -= _ROWS
        if count:
            writer.write_table(pa.Table.from_batches(waiting, schema), row_group_size=_ROWS)


def _batches(
    options: RowOptions, documents: Iterable[list[Row] | pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of documents as Arrow batches; convert lists of rows many at a time."""
    for is_new, group in groupby(documents, lambda rows: isinstance(rows, list)):
        if is_new:
            rows = chain.from_iterable(group)
            while some := list(islice(rows, _NEW_ROWS)):
                yield rows_to_batch(some, options.fields)
        else:  # reused from an earlier run
            yield from group


def _read(path: Path, counts: Iterable[tuple[int, bool]]) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        groups = file.iter_batches(_ROWS)
        table = pa.Table.from_batches([], file.schema_arrow)
        for count, is_wanted in counts:
            while table.num_rows < count:
                table = pa.concat_tables([table, pa.Table.from_batches([next(groups)])])
            if is_wanted:
                rows = table.slice(0, count).combine_chunks().to_batches()
                yield rows[0] if rows else pa.RecordBatch.from_pylist([], file.schema_arrow)
            table = table.slice(count)


FORMAT = Format("parquet", (".parquet", ".pq"), render, write, _read, is_text=False)
