"""Ray Data calls `chunk_table` in its tasks, and has the rows that one machine has."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from ray.data import DataContext, Dataset, from_arrow, read_parquet

from chunkana_batch import SCHEMA, chunk_table
from chunkana_core import ChunkConfig
from tests.scale.documents import (
    BAD_TEXTS,
    LONGEST,
    OPTIONS,
    Options,
    broken_strings,
    in_order,
    make_chunking_that_dies,
    make_locked_size,
    make_strict_size,
)

pytestmark = [
    pytest.mark.usefixtures("two_processors"),
    # Ray itself sets options that it does not want.
    pytest.mark.filterwarnings("ignore:::ray.data.context"),
]


@pytest.fixture(scope="module")
def two_processors() -> Iterator[None]:
    """Start Ray on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel("ERROR")
        yield
        ray.shutdown()


@pytest.mark.parametrize("blocks", [1, 7])
def test_rows_are_those_of_one_machine(
    documents: pa.Table, expected: pa.Table, blocks: int
) -> None:
    rows = rows_of(chunked(from_arrow(documents).repartition(blocks), OPTIONS))
    assert in_order(rows).equals(in_order(expected))


def test_rows_do_not_depend_on_the_size_of_batches(documents: pa.Table, expected: pa.Table) -> None:
    rows = rows_of(chunked(from_arrow(documents), OPTIONS, batch_size=100))
    assert in_order(rows).equals(in_order(expected))


def test_rows_written_as_parquet_have_the_schema(
    documents: pa.Table, expected: pa.Table, tmp_path: Path
) -> None:
    pq.write_table(documents, tmp_path / "documents.parquet")
    dataset = read_parquet(str(tmp_path / "documents.parquet"))
    chunked(dataset, OPTIONS).write_parquet(str(tmp_path / "chunks"))
    rows = pq.read_table(tmp_path / "chunks")
    assert in_order(rows.cast(SCHEMA)).equals(in_order(expected))


@pytest.mark.parametrize("message", BAD_TEXTS)
def test_a_bad_row_is_an_error_row_and_the_others_are_chunked(message: str) -> None:
    table = pa.table({"text": BAD_TEXTS[message], "path": ["bad.md", "fine.md"]})
    config = ChunkConfig(length_function=make_strict_size())
    options = Options(config=config, max_characters=LONGEST)
    bad, fine = rows_of(chunked(from_arrow(table), options)).to_pylist()
    assert (bad["file"], bad["error"]) == ("bad.md", message)
    assert (fine["content"], fine["error"]) == ("fine", None)


def test_strings_that_are_no_utf8_are_error_rows() -> None:
    table = pa.table({"text": broken_strings()})
    bad, fine = rows_of(chunked(from_arrow(table))).to_pylist()
    assert bad["error"] == "text is not utf-8 at byte 3"
    assert fine["content"] == "fine"


def test_blocks_may_be_empty() -> None:
    dataset = from_arrow(pa.table({"text": ["One.", "Two."]})).repartition(8)
    rows = rows_of(chunked(dataset)).to_pylist()
    assert sorted(row["content"] for row in rows) == ["One.", "Two."]


def test_no_documents_are_no_chunks() -> None:
    nothing = pa.table({"text": pa.array([], pa.string())})
    assert chunked(from_arrow(nothing)).count() == 0


def test_a_task_that_dies_half_way_is_tried_again_and_has_no_row_twice(
    documents: pa.Table, expected: pa.Table, tmp_path: Path
) -> None:
    chunk = make_chunking_that_dies(tmp_path)

    def chunk_as_tables(table: pa.Table) -> Iterator[pa.Table]:
        for batch in chunk(table.to_batches()):
            yield pa.Table.from_batches([batch])

    dataset = from_arrow(documents).repartition(4).materialize()
    rows = rows_of(dataset.map_batches(chunk_as_tables, batch_format="pyarrow"))
    calls = [path for path in tmp_path.iterdir() if path.name != "died"]
    assert len(calls) == 4 + 1
    assert in_order(rows).equals(in_order(expected))


def test_a_length_function_may_be_a_lambda() -> None:
    config = ChunkConfig(length_function=lambda text: 2 * len(text))
    options = Options(config=config, max_characters=LONGEST)
    dataset = from_arrow(pa.table({"text": ["One."]}))
    (row,) = rows_of(chunked(dataset, options)).to_pylist()
    assert row["size"] == 8


def test_what_cannot_be_pickled_is_an_error_before_a_task_runs(tmp_path: Path) -> None:
    def leave_a_file(table: pa.Table) -> pa.Table:
        (tmp_path / "ran").touch()
        return table

    dataset = from_arrow(pa.table({"text": ["One."]}))
    before = dataset.map_batches(leave_a_file, batch_format="pyarrow")
    config = ChunkConfig(length_function=make_locked_size())
    options = Options(config=config, max_characters=LONGEST)
    with pytest.raises(TypeError, match=r"cannot pickle '_thread\.lock' object"):
        chunked(before, options).materialize()
    assert not (tmp_path / "ran").exists()
    before.materialize()
    assert (tmp_path / "ran").exists()


def chunked(
    documents: Dataset, options: Options | None = None, batch_size: int | None = None
) -> Dataset:
    """Return the dataset of the chunks of documents."""
    return documents.map_batches(
        chunk_table, batch_format="pyarrow", batch_size=batch_size, fn_kwargs=options
    )


def rows_of(dataset: Dataset) -> pa.Table:
    """Return the rows of a dataset as one table, in order; an empty block has no columns."""
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()), promote_options="default")
