"""Any ids, texts and metadata: indexed as they are, or refused before anything is done."""

from __future__ import annotations

import asyncio
import json
import warnings
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from chunkana_core import ConfigurationError
from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.texts import (
    COOLER,
    OVEN,
    QUESTION,
    TEA,
    TEXTS,
    assert_true,
    read,
    sources,
)

ODD = ["a/b\\c.md", "nul\0.md", "lone\ud800.md", " ", "'; DROP TABLE document; --", "é" * 300, "\n"]


@pytest.mark.parametrize("search", ["hybrid", "lexical"])
async def test_ids_may_be_anything(framework: Framework, search: str, tmp_path: Path) -> None:
    texts = {name: f"# Tea\n\nCup {n} waits.\n" for n, name in enumerate(ODD)}
    model = Model()
    made = framework.make(texts, model, folder=tmp_path, search=search)
    made.close()
    loaded = framework.load(tmp_path, model, search=search)
    assert loaded.document_ids() == ODD
    found = framework.ask(loaded, "cup")
    assert_true(found, texts)
    assert sources(found) == {*ODD}
    assert {one.metadata["source"] for one in found} == {*ODD}
    assert framework.update(loaded, texts).unchanged == ODD
    for name in ODD[:-1]:
        assert loaded.delete([name]).deleted == [name]
    assert (await loaded.adelete(ODD)).deleted == ODD[-1:]


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
def test_texts_may_be_anything(framework: Framework, search: str, tmp_path: Path) -> None:
    texts = {"odd.md": "# T\ud800\n\nLone \udfff and \0 and\u2028 end.\r\n\r\nNext line.\r\n"}
    made = framework.make(texts, Model(), folder=tmp_path, search=search)
    found = framework.ask(made, "lone next")
    assert found
    text = texts["odd.md"]
    for answer in found:
        assert all(text[start:end] in answer.text for start, end in answer.metadata["spans"])
    made.close()
    loaded = framework.load(tmp_path, Model(), search=search)
    assert framework.ask(loaded, "lone next") == found
    assert framework.update(loaded, texts).unchanged == ["odd.md"]


def test_metadata_come_back_as_they_were(adapter: Framework, tmp_path: Path) -> None:
    own = {
        "tags": ["hot", "wet"], "n": None, "empty": [], "more": {"a": [1, {"b": 2.5}]},
        "yes": True, "title": "T\ud800\0", "path": "C:/tea", "spans": "mine",
    }  # fmt: skip
    made = adapter.make({}, Model(), folder=tmp_path)
    with pytest.warns(UserWarning, match="path"):
        made.update(adapter.documents({"tea.md": TEA}, own))
    made.close()
    loaded = adapter.load(tmp_path, Model())
    for answer in adapter.ask(loaded, QUESTION):
        assert {key: answer.metadata[key] for key in own} == own
    answer.metadata["tags"].append("changed by a reader")
    assert adapter.ask(loaded, QUESTION)[0].metadata["tags"] == ["hot", "wet"]


def test_dates_are_iso_texts(framework: Framework) -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    own = {"moment": moment, "day": date(2026, 1, 2), "seen": [moment]}
    made = framework.make({}, Model())
    made.update(framework.documents({"tea.md": TEA}, own))
    assert made.update(framework.documents({"tea.md": TEA}, own)).unchanged == ["tea.md"]
    wanted = {"day": "2026-01-02"}
    (answer, *_) = framework.ask(made, QUESTION, filter=wanted)
    assert answer.metadata["moment"] == moment.isoformat()
    assert answer.metadata["day"] == "2026-01-02"
    assert answer.metadata["seen"] == [moment.isoformat()]
    json.dumps(answer.metadata)


def _nested(depth: int) -> object:
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


NOT_JSON = (object(), {1, 2}, b"x", float("nan"), {"deep": [object()]}, _nested(100_000))
NO_DOCUMENTS = ("tea.md", ["text"], [None], Path("tea.md"), 7)


def refused(framework: Framework) -> Iterator[tuple[Native, str]]:
    """Yield documents that an update refuses, and what the error says."""
    documents, chunking = framework.documents(COOLER), framework.chunking()
    for value in NOT_JSON:
        yield documents + framework.documents({"bad.md": "B."}, {"odd": value}), r"odd.*bad\.md"
    for given in NO_DOCUMENTS:
        yield given, "documents"
    yield documents + framework.documents({"tea.md": OVEN}), r"'tea\.md'"
    yield [], "^delete_missing is True.*delete them"
    if framework.name != "plain":  # chunks, of which each text would be found several times
        split: Native = getattr(chunking, "split_documents", chunking)
        yield split(documents), "documents"


def test_what_is_refused_changes_nothing(framework: Framework) -> None:
    model = Model()
    made = framework.make(TEXTS, model)
    model.clear()
    for documents, said in refused(framework):
        with pytest.raises(ConfigurationError, match=said):
            made.update(documents, delete_missing=True)
        with pytest.raises(ConfigurationError, match=said):
            asyncio.run(made.aupdate(documents, delete_missing=True))
    assert model.texts == []
    assert sorted(made.document_ids()) == sorted(TEXTS)
    assert "80 degrees" in read(framework.ask(made, "degrees"))


def test_large_values_of_metadata_are_kept_and_never_exceed_the_budget(
    framework: Framework, tmp_path: Path
) -> None:
    """LlamaIndex's language models read the metadata; where nothing fits, a warning says so."""
    large = "x" * 5_000_000
    made = framework.make({"oven.md": OVEN}, Model(), folder=tmp_path)
    made.update(framework.documents({"tea.md": TEA}, {"large": large}))
    if framework.reads_metadata:
        with pytest.warns(UserWarning, match="budget"):
            found = framework.ask(made, "green degrees", budget=500)
    else:
        found = framework.ask(made, "green degrees", budget=500)
        assert {one.metadata.get("large") for one in found} == {large, None}
    assert len(read(found)) <= 500
    assert made.update(framework.documents({"tea.md": TEA}, {"large": large})).changed == []
    assert made.delete(["tea.md"]).deleted == ["tea.md"]


def _length(text: str) -> int:
    return -1 if "unchunkable" in text else len(text)


def test_a_document_that_cannot_be_chunked_is_named_and_the_others_are_indexed(
    framework: Framework, tmp_path: Path
) -> None:
    chunking = framework.chunking(length=_length)
    bad = {"bad.md": "# Bad\n\nIt is unchunkable.\n"}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = framework.make({**TEXTS, **bad}, Model(), chunking=chunking, folder=tmp_path)
    assert framework.name == "plain" or any("bad.md" in str(one.message) for one in seen)
    assert sorted(made.document_ids()) == sorted(TEXTS)
    report = framework.update(made, {**COOLER, **bad})
    assert [*report.failed] == ["bad.md"]
    assert "ConfigurationError" in report.failed["bad.md"] or "TypeError" in report.failed["bad.md"]
    assert report.changed == ["tea.md"]
    assert "75 degrees" in read(framework.ask(made, "degrees"))
    report = framework.update(made, {**COOLER, "bad.md": "# Good\n\nNow.\n"})
    assert (report.added, report.failed) == (["bad.md"], {})


def test_a_document_that_cannot_be_chunked_any_more_is_as_it_was(framework: Framework) -> None:
    """Also where all others are deleted."""
    made = framework.make(TEXTS, Model(), chunking=framework.chunking(length=_length))
    texts = {"tea.md": f"{TEA}\n\nunchunkable\n"}
    report = framework.update(made, texts)
    assert ([*report.failed], report.deleted) == (["tea.md"], ["oven.md"])
    assert_true(framework.ask(made, QUESTION), {"tea.md": TEA})
    assert made.document_ids() == ["tea.md"]
