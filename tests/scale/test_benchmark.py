"""The benchmark of engines counts what it says; how fast anything is, no test asks."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import scale
from chunkana_batch import chunk_table
from tests.scale.documents import in_order


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> scale.Input:
    """Write the documents of a small corpus, as often as there are files."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "tea.md").write_bytes("# Tea\n\nGrün.\n".encode())
    (corpus / "milk.md").write_bytes(b"# Milk\n\nAdd it last.\n\n## Warm\n\nNot yet.\n")
    monkeypatch.setattr(scale, "CORPUS", corpus)
    return scale.write_documents(tmp_path / "documents", 0)


def test_documents_are_counted_and_have_different_paths(given: scale.Input) -> None:
    table = pa.Table.from_batches(given.batches())
    assert table.num_rows == given.documents == 16
    assert len(set(table["path"].to_pylist())) == 16
    assert given.size == sum(len(text.encode()) for text in table["text"].to_pylist())


def test_one_process_writes_the_chunks(given: scale.Input, tmp_path: Path) -> None:
    scale.chunk_in_one_process(given, tmp_path / "chunks")
    written = pq.read_table(tmp_path / "chunks")
    expected = chunk_table(pa.Table.from_batches(given.batches()))
    assert written.num_rows > 0
    assert in_order(written).equals(in_order(expected))


def test_jobs_are_compared_with_the_first(tmp_path: Path) -> None:
    given = scale.Input(tmp_path, documents=1, size=36_000_000)
    jobs = {"one": scale.Spent(10.0, 12.0), "two": scale.Spent(15.0, 8.0)}
    assert list(scale.job_rows(iter(jobs.items()), given)) == [
        ("one", "3.60", "77", "1.00", "12"),
        ("two", "2.40", "116", "1.50", "8"),
    ]


def test_each_job_is_run_in_a_folder_of_its_own(given: scale.Input, tmp_path: Path) -> None:
    folders: list[Path] = []

    def job(_given: scale.Input, folder: Path) -> None:
        folder.mkdir()
        folders.append(folder)

    scale.spend(job, given, tmp_path)
    assert len(set(folders)) == len(folders) > 1
    assert not any(folder.exists() for folder in folders)
