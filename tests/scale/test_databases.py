"""DuckDB and Polars hand their rows to `chunk_table` and read what it returns."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from chunkana_batch import SCHEMA, chunk_batches, chunk_table
from tests.scale.documents import OPTIONS, in_order, make_yesterday, paths_to_chunk

NEW = """
FROM documents WHERE NOT EXISTS (
    FROM chunks WHERE document_id = documents.path AND document_hash = sha256(documents.text))
"""
STALE = """
DELETE FROM chunks WHERE error IS NOT NULL OR NOT EXISTS (
    FROM documents WHERE path = chunks.document_id AND sha256(text) = chunks.document_hash)
"""


@pytest.fixture
def database(documents: pa.Table) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a database that has the documents in a table."""
    with duckdb.connect() as connection:
        connection.register("given", documents)
        connection.execute("CREATE TABLE documents AS FROM given")
        yield connection


def test_duckdb_streams_rows_through_chunking(
    database: duckdb.DuckDBPyConnection, expected: pa.Table
) -> None:
    """No table of all documents or chunks is made in Python."""
    batches = database.cursor().sql("FROM documents").to_arrow_reader(200)
    made = pa.RecordBatchReader.from_batches(SCHEMA, chunk_batches(batches, **OPTIONS))
    database.register("made", made)
    database.execute("CREATE TABLE chunks AS FROM made")
    rows = database.sql("FROM chunks").to_arrow_table()
    assert rows.schema.equals(SCHEMA)
    assert in_order(rows).equals(in_order(expected))


def test_duckdb_has_the_hashes_of_documents() -> None:
    texts = ["abc", "\ufeff# Grüße\r\n", "a\x00b 😀 e\u0301 \u2028", "x" * 100_000]
    table = pa.table({"text": texts, "path": [f"{number}.txt" for number in range(4)]})
    with duckdb.connect() as connection:
        connection.register("given", table)
        found = connection.sql("SELECT path, sha256(text) FROM given").fetchall()
    rows = chunk_table(table).to_pylist()
    assert set(found) == {(row["file"], row["document_hash"]) for row in rows}


def test_what_did_not_change_is_not_chunked_again(
    database: duckdb.DuckDBPyConnection, documents: pa.Table, expected: pa.Table
) -> None:
    """An anti-join on id and hash finds new documents, and chunks that are no longer true."""
    database.register("yesterday", chunk_table(make_yesterday(documents), **OPTIONS))
    database.execute("CREATE TABLE chunks AS FROM yesterday")
    new = database.sql(NEW).to_arrow_table()
    assert sorted(new["path"].to_pylist()) == sorted(paths_to_chunk(documents, expected))
    database.execute(STALE)
    database.register("made", chunk_table(new, **OPTIONS))
    database.execute("INSERT INTO chunks FROM made")
    rows = database.sql("FROM chunks").to_arrow_table()
    assert in_order(rows).equals(in_order(expected))


@pytest.mark.parametrize("newest", [False, True])
def test_polars_gives_and_takes_tables(
    documents: pa.Table, expected: pa.Table, *, newest: bool
) -> None:
    """Its strings are large ones, or views."""
    frame = pl.DataFrame(documents)
    level = pl.CompatLevel.newest() if newest else None
    chunks = pl.DataFrame(chunk_table(frame.to_arrow(compat_level=level), **OPTIONS))
    assert in_order(chunks.to_arrow().cast(SCHEMA)).equals(in_order(expected))
