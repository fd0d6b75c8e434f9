"""Spark calls `chunk_batches` in its tasks, and has the rows that one machine has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from pickle import PicklingError

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from chunkana_batch import SCHEMA, chunk_batches, chunk_table, spark_schema
from chunkana_core import ChunkConfig
from tests.scale.documents import (
    BAD_TEXTS,
    LONGEST,
    OPTIONS,
    in_order,
    make_chunking_that_dies,
    make_locked_size,
    make_strict_size,
    make_yesterday,
    paths_to_chunk,
)
from tests.scale.java import require_java

require_java()

CHUNK = partial(chunk_batches, **OPTIONS)
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
}


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """Yield a session of two threads, in which a task may fail twice and be tried again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = SparkSession.builder.master("local[2,3]").config(map=SETTINGS).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.mark.parametrize("partitions", [1, 7])
def test_rows_are_those_of_one_machine(
    spark: SparkSession, documents: pa.Table, expected: pa.Table, partitions: int
) -> None:
    frame = spark.createDataFrame(documents).repartition(partitions)
    rows = frame.mapInArrow(CHUNK, spark_schema()).toArrow()
    assert in_order(rows).equals(in_order(expected))


def test_rows_written_as_parquet_have_the_schema(
    spark: SparkSession, documents: pa.Table, expected: pa.Table, tmp_path: Path
) -> None:
    pq.write_table(documents, tmp_path / "documents.parquet")
    frame = spark.read.parquet(str(tmp_path / "documents.parquet")).repartition(2)
    frame.mapInArrow(CHUNK, spark_schema()).write.parquet(str(tmp_path / "chunks"))
    rows = pq.read_table(tmp_path / "chunks")
    assert in_order(rows.cast(SCHEMA)).equals(in_order(expected))


@pytest.mark.parametrize("message", BAD_TEXTS)
def test_a_bad_row_is_an_error_row_and_the_others_are_chunked(
    spark: SparkSession, message: str
) -> None:
    table = pa.table({"text": BAD_TEXTS[message], "path": ["bad.md", "fine.md"]})
    config = ChunkConfig(length_function=make_strict_size())
    chunk = partial(chunk_batches, config=config, max_characters=LONGEST)
    bad, fine = rows_of(spark.createDataFrame(table).coalesce(1), chunk)
    assert (bad["file"], bad["error"]) == ("bad.md", message)
    assert (fine["content"], fine["error"]) == ("fine", None)


def test_strings_that_are_no_utf8_are_error_rows(spark: SparkSession) -> None:
    """Spark does not check the bytes that it casts to a string."""
    frame = spark.sql("SELECT CAST(X'636166E9' AS STRING) AS text, 'bad.md' AS path")
    (bad,) = rows_of(frame, CHUNK)
    assert (bad["file"], bad["error"]) == ("bad.md", "text is not utf-8 at byte 3")


def test_partitions_may_be_empty(spark: SparkSession) -> None:
    frame = spark.createDataFrame(pa.table({"text": ["One.", "Two."]})).repartition(8)
    assert sorted(str(row["content"]) for row in rows_of(frame, CHUNK)) == ["One.", "Two."]


def test_no_documents_are_no_chunks_of_the_schema(spark: SparkSession) -> None:
    frame = spark.createDataFrame(pa.table({"text": ["One."]})).where("text = 'Two.'")
    rows = frame.mapInArrow(CHUNK, spark_schema()).toArrow()
    assert rows.num_rows == 0
    assert rows.schema.equals(SCHEMA)


def test_a_task_that_dies_half_way_is_tried_again_and_has_no_row_twice(
    spark: SparkSession, documents: pa.Table, expected: pa.Table, tmp_path: Path
) -> None:
    frame = spark.createDataFrame(documents).repartition(4)
    rows = frame.mapInArrow(make_chunking_that_dies(tmp_path), spark_schema()).toArrow()
    calls = [path for path in tmp_path.iterdir() if path.name != "died"]
    assert len(calls) == 4 + 1
    assert in_order(rows).equals(in_order(expected))


def test_a_length_function_may_be_a_lambda(spark: SparkSession) -> None:
    chunk = partial(chunk_batches, config=ChunkConfig(length_function=lambda text: 2 * len(text)))
    (row,) = rows_of(spark.createDataFrame(pa.table({"text": ["One."]})), chunk)
    assert row["size"] == 8


def test_what_cannot_be_pickled_is_an_error_before_there_is_a_job(spark: SparkSession) -> None:
    frame = spark.createDataFrame(pa.table({"text": ["One."]}))
    chunk = partial(chunk_batches, config=ChunkConfig(length_function=make_locked_size()))
    with pytest.raises(PicklingError, match=r"cannot pickle '_thread\.lock' object"):
        frame.mapInArrow(chunk, spark_schema())


def test_spark_has_the_hashes_of_documents(spark: SparkSession) -> None:
    texts = ["abc", "\ufeff# Grüße\r\n", "a\x00b 😀 e\u0301 \u2028", "x" * 100_000]
    table = pa.table({"text": texts, "path": [f"{number}.txt" for number in range(4)]})
    frame = spark.createDataFrame(table).selectExpr("path", "sha2(text, 256)")
    hashes = {(row["file"], row["document_hash"]) for row in chunk_table(table).to_pylist()}
    assert {tuple(row) for row in frame.collect()} == hashes


def test_what_did_not_change_is_not_chunked_again(
    spark: SparkSession, documents: pa.Table, expected: pa.Table, tmp_path: Path
) -> None:
    """An anti-join on id and hash leaves new documents, a semi-join the chunks of the others."""
    yesterday = spark.createDataFrame(make_yesterday(documents))
    yesterday.mapInArrow(CHUNK, spark_schema()).write.parquet(str(tmp_path / "chunks"))
    chunks = spark.read.parquet(str(tmp_path / "chunks"))
    today = spark.createDataFrame(documents).selectExpr("*", "sha2(text, 256) AS hash")
    is_same = (chunks.document_id == today.path) & (chunks.document_hash == today.hash)
    new = today.join(chunks, is_same, "left_anti")
    kept = chunks.join(today, is_same, "left_semi")
    paths = [row["path"] for row in new.select("path").collect()]
    assert sorted(paths) == sorted(paths_to_chunk(documents, expected))
    rows = kept.union(new.mapInArrow(CHUNK, spark_schema())).toArrow()
    assert in_order(rows).equals(in_order(expected))


def rows_of(frame: DataFrame, chunk: partial[Iterator[pa.RecordBatch]]) -> list[dict[str, object]]:
    """Return the chunks that Spark makes of a frame, in the order of files."""
    rows: list[dict[str, object]] = frame.mapInArrow(chunk, spark_schema()).toArrow().to_pylist()
    return sorted(rows, key=lambda row: str(row["file"]))
