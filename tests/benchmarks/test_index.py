"""The benchmark of an index measures the same documents in each run, and a real index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.index import documents, probe
from benchmarks.index.plain import Engine


def test_generated_documents_and_questions_are_the_same_in_each_run() -> None:
    pages = documents.generated(3)
    assert pages == documents.generated(3)
    assert len({page.text for page in pages}) == len(pages)
    assert documents.questions(pages, 4) == documents.questions(pages, 4)


def test_the_files_of_a_folder_are_repeated_with_other_words(tmp_path: Path) -> None:
    words = " ".join(
        f"{word}ing{word}" for word in ("chunk", "search", "index", "load", "merge", "cut")
    )
    words += " paragraphs sections sentences documents breadcrumb tokenizer retrieval embedding"
    (tmp_path / "a.md").write_text(f"# Title\n\n{words}\n")
    first, second, third = documents.from_folder(tmp_path, 3)
    assert first == ("000/a.md", f"# Title\n\n{words}\n")
    assert len({first.text, second.text, third.text}) == 3
    assert set(second.text.split()) <= set(first.text.split())


def test_a_folder_without_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no files with \.md"):
        documents.from_folder(tmp_path, 3)


def test_an_edit_adds_one_paragraph() -> None:
    (page,) = documents.generated(1)
    before, after = (set(one.text.split("\n\n")) for one in (page, documents.edited(page, 7)))
    assert after - before == {"This is paragraph 7 of the edits, and it is short."}


@pytest.mark.parametrize("has_vectors", [True, False])
def test_everything_is_measured(tmp_path: Path, *, has_vectors: bool) -> None:
    pages = documents.generated(3)
    (tmp_path / probe.DOCUMENTS).write_text(json.dumps(pages))
    (tmp_path / probe.QUESTIONS).write_text(json.dumps(documents.questions(pages, 2)))
    folder = tmp_path / "index"
    measured = probe.build(Engine(folder, has_vectors=has_vectors), tmp_path)
    measured |= probe.load(Engine(folder, has_vectors=has_vectors), tmp_path)
    assert bool(measured.pop(probe.VECTORS)) == has_vectors
    measured.pop(probe.MEMORY)  # a peak of this process, which may have been higher before
    assert all(number > 0 for number in measured.values())
