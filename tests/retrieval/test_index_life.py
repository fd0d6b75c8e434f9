"""`Index` without a framework: in folders, with wrong input, damaged, pickled and copied."""

from __future__ import annotations

import json
import pickle
import sqlite3
import threading
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from chunkana_core import ConfigurationError
from chunkana_retrieval import Index, IndexDocument, SearchOptions
from chunkana_retrieval.index import Embedder, Leaf, Proposal, SourceDocuments, record_document
from tests.conformance.models import Model
from tests.retrieval.test_index import CHUNKER, OVEN, TEA, TEXTS, documents, found, update

COOLER = {**TEXTS, "tea.md": TEA.replace("80", "75")}


def test_an_index_in_a_folder_is_loaded_saved_and_pickled(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Index.load(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with Index(tmp_path / "new") as index:
        update(index, TEXTS, Model())
        assert index.folder == tmp_path / "new"
        index.save(tmp_path / "copy")
        copies = [Index.load(tmp_path / "copy"), pickle.loads(pickle.dumps(index))]  # noqa: S301
        update(index, COOLER, Model())
        assert "2 documents" in repr(index)
    with Index() as memory:
        update(memory, TEXTS, Model())
        copies.append(pickle.loads(pickle.dumps(memory)))  # noqa: S301
        memory.save(str(tmp_path / "memory"))
        copies.append(Index.load(str(tmp_path / "memory")))
        update(memory, COOLER, Model())
    for copy, text in zip(copies, ("80", "75", "80", "80"), strict=True):
        with copy:
            model = Model()
            assert any(f"{text} degrees" in one for _, one in found(copy, "wait"))
            update(copy, COOLER, model)
            assert len(model.texts) == (0 if text == "75" else 1)


def test_a_copy_replaces_the_index_that_is_there(tmp_path: Path) -> None:
    with Index(tmp_path) as old, Index() as new:
        update(old, {"old.md": "Old tea."})
        found(old, "tea")
        update(new, TEXTS, Model())
        new.save(tmp_path)
        assert sorted(old.document_ids()) == sorted(TEXTS)
        assert found(old, "water degrees") == found(new, "water degrees")


def test_an_update_changes_all_documents_or_none(tmp_path: Path) -> None:
    """Also for another index of the same folder, and one that reads during the update."""
    seen: list[list[str]] = []
    with Index(tmp_path) as index, Index.load(tmp_path) as other:
        update(index, TEXTS)

        def look(done: int, count: int) -> None:
            assert 1 <= done <= count == 2
            seen.append(sorted(text for _, text in found(other, "degrees heat wait")))

        before = sorted(text for _, text in found(other, "degrees heat wait"))
        hotter = {"tea.md": TEA.replace("80", "75"), "oven.md": OVEN.replace("Heat", "Warm")}
        update(index, hotter, progress=look)
        assert seen == [before, before]
        after = found(other, "degrees heat wait")
        assert any("75 degrees" in text for _, text in after)


def test_an_error_of_the_callers_is_the_callers(tmp_path: Path) -> None:
    """Also one of SQLite's, from a model that caches in a database."""
    theirs = sqlite3.OperationalError("theirs")
    for error in (theirs, KeyboardInterrupt(), ZeroDivisionError()):
        with Index(tmp_path) as index:

            def fail(_: list[str], error: BaseException = error) -> Sequence[Sequence[float]]:
                raise error

            with pytest.raises(type(error)) as raised:
                index.update(documents(TEXTS), embed=fail)
            assert raised.value is error
            assert index.document_ids() == []
            with pytest.raises(type(error)):
                index.update(documents(TEXTS), progress=lambda *_, error=error: _raise(error))
            assert update(index, {"a.md": "Text."}).added == ["a.md"]
            update(index, {})


def _raise(error: BaseException) -> None:
    raise error


def test_a_second_writer_waits_and_gives_up_in_time(tmp_path: Path) -> None:
    begun, done = threading.Event(), threading.Event()
    model = Model()

    def wait(vectors: list[list[float]]) -> list[list[float]]:
        begun.set()
        assert done.wait(30)
        return vectors

    model.fault = wait
    with Index(tmp_path) as first, Index(tmp_path, timeout=0.01) as second:
        thread = threading.Thread(target=update, args=(first, TEXTS, model))
        thread.start()
        assert begun.wait(30)
        try:
            with pytest.raises(TimeoutError):
                update(second, COOLER, Model())
            assert found(second, "degrees") == set()
        finally:
            done.set()
            thread.join(30)
        assert update(second, COOLER, Model()).changed == ["tea.md"]


def test_an_update_and_the_next_question_cost_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In instructions of SQLite: ten times as many documents cost at most twice as many."""
    connect, done = sqlite3.connect, [0]

    def count() -> int:
        done[0] += 1
        return 0

    def connect_counted(*arguments: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_progress_handler(count, 10)
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_counted)
    costs = []
    for size in (40, 400):
        many = {f"{n}.md": f"# Tea {n}\n\nCup{n} is blue.\n" for n in range(size)}
        with Index(tmp_path / str(size)) as index:
            update(index, many | TEXTS, Model())
            found(index, "cup7 degrees", has_vectors=True)
            done[0] = 0
            index.update(
                documents({"tea.md": COOLER["tea.md"]}),
                chunker=CHUNKER, embed=Model().embed, model_name="words",
            )  # fmt: skip
            found(index, "cup7 degrees", has_vectors=True)
            costs.append(done[0])
    assert 10 < costs[1] <= 2 * costs[0], costs


# What is refused


def test_documents_and_metadata_are_checked_before_anything_is_done() -> None:
    with Index() as index:
        update(index, TEXTS)
        for bad, said in (
            ([*documents(COOLER), IndexDocument("tea.md", "Another.")], "tea.md"),
            ([*documents(COOLER), IndexDocument("x", "X", {"odd": object()})], "odd"),
            ([*documents(COOLER), "text"], "documents"),
        ):
            with pytest.raises(ConfigurationError, match=said):
                index.update(bad, chunker=CHUNKER)  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match="delete_missing"):
            index.update([], delete_missing=True)
        assert ("tea.md", "## Green\n\nWait for 80 degrees.") in found(index, "degrees")
        index.update([IndexDocument("day.md", "Day.", {"day": date(2026, 1, 2)})], chunker=CHUNKER)
        assert index.document("day.md").metadata == {"day": "2026-01-02"}


def test_another_model_or_kind_is_refused(tmp_path: Path) -> None:
    with Index(tmp_path / "vectors") as index, Index(tmp_path / "words") as words:
        update(index, TEXTS, Model())
        update(words, TEXTS)
        with pytest.raises(ConfigurationError, match="'words'"):
            update(index, COOLER, Model(), model_name="other")
        with pytest.raises(ConfigurationError, match="128"):
            update(index, COOLER, Model(size=64))
        with pytest.raises(ConfigurationError, match="embedding"):
            update(index, COOLER)
        with pytest.raises(ConfigurationError, match="words alone"):
            update(words, COOLER, Model())
        for one in (index, words):
            assert one.document("tea.md").text == TEA
        update(index, {})
        assert len(update(index, COOLER).added) == 2  # an index without documents may be any


# A vector store of a framework of one's own


class Leaves:
    """A vector store in a dictionary."""

    def __init__(self) -> None:
        self.texts: dict[str, tuple[str, str]] = {}

    def add(self, leaves: Sequence[Leaf]) -> None:
        self.texts |= {one.leaf_id: (r.document_id, r.embedded(one)) for r, one in leaves}

    def delete(self, leaf_ids: Sequence[str]) -> None:
        for leaf_id in leaf_ids:
            self.texts.pop(leaf_id, None)

    def missing(self, leaf_ids: Sequence[str]) -> Sequence[str]:
        return [leaf_id for leaf_id in leaf_ids if leaf_id not in self.texts]

    def find(self, word: str) -> list[Proposal]:
        return [Proposal(n, i, 1.0) for i, (n, text) in self.texts.items() if word in text]


def sources(texts: dict[str, str]) -> SourceDocuments:
    results = {name: CHUNKER.chunk_hierarchical(text) for name, text in texts.items()}
    return SourceDocuments(
        texts, lambda name: record_document(name, results[name], {}, texts[name]), "80"
    )


def test_leaves_are_in_a_store_of_the_callers(tmp_path: Path) -> None:
    store = Leaves()
    with Index(tmp_path) as index:
        index.update_sources(sources(TEXTS), store=store)
        assert len(store.texts) == 5
        report = index.update_sources(sources(COOLER), store=store)
        assert (report.leaves_added, report.leaves_deleted, len(store.texts)) == (1, 1, 5)
        hits = index.search("?", SearchOptions("dense"), proposals=store.find("75")).hits
        assert [hit.text for hit in hits] == ["## Green\n\nWait for 75 degrees."]
        hits = index.search("bread wait", proposals=store.find("Green"), is_filtered=True).hits
        assert {hit.document_id for hit in hits} == {"tea.md"}
        with pytest.warns(UserWarning, match="no leaf of this index"):
            index.search("tea", proposals=[Proposal("tea.md", "unknown", 1.0)])
        index.check_store(store)
        lost, *_ = store.find("Bread")
        store.delete([lost.leaf_id])
        with pytest.warns(UserWarning, match=r"lacks 1 of 5.*repair"):
            index.check_store(store)
        names = index.repair(store)
        index.update_sources(sources({name: COOLER[name] for name in names}), store=store)
        index.check_store(store)
        assert len(store.texts) == 5
        embedder = Embedder.of(Model(), Model().embed)
        with pytest.raises(ConfigurationError, match="vector store"):
            index.require_model(embedder, has_store=False)
        index.require_model(None, has_store=True)
        index.update_sources(sources({}), store=store, deleted=[*TEXTS])
        assert store.texts == {}


def test_metadata_and_texts_survive_json_of_the_records(tmp_path: Path) -> None:
    text = "# T\ud800\n\nLone \udfff and \0 and\u2028.\n"
    own: dict[str, object] = {"k\ud800": ["\0", None, 1.5, {}]}
    with Index(tmp_path) as index:
        index.update([IndexDocument("a\ud800/\0", text, own)], chunker=CHUNKER)
    with Index.load(tmp_path) as index:
        assert index.document("a\ud800/\0") == IndexDocument("a\ud800/\0", text, own)
        assert json.loads(json.dumps(index.document("a\ud800/\0").metadata)) == own
        assert index.search("lone").hits
