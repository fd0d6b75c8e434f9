"""`DocumentIndex` over stores of no framework: made, loaded, changed and asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from chunkana_core import ConfigurationError, MarkdownChunker
from chunkana_retrieval import IndexFileError, UnknownLeavesWarning
from chunkana_retrieval.indexing import (
    DocumentIndex,
    FoundLeaves,
    Leaf,
    LeafStore,
    MemoryRecords,
    Procedure,
    Proposal,
    Question,
    RankingOptions,
    SearchKind,
    SourceDocuments,
    record_document,
    run,
    run_async,
)

pytest.importorskip("bm25s")

TEXTS = {"tea.md": "# Tea\n\nWait for 80 degrees.\n", "oven.md": "# Oven\n\nHeat it first.\n"}


class Leaves:
    """Leaves in a dictionary, with the lengths of their texts as vectors."""

    def __init__(self, *, is_in_memory: bool = True) -> None:
        self.is_in_memory = is_in_memory
        self.stored: dict[str, tuple[str, list[float]]] = {}
        self.known: dict[str, list[float]] = {}
        self.embedded: list[str] = []
        self.is_broken = False

    def add(self, leaves: Sequence[Leaf]) -> Procedure[None]:
        for record, leaf in leaves:
            text = record.embedded(leaf)
            if text not in self.known:
                if self.is_broken:
                    raise ConnectionError(text)
                self.embedded.append(text)
            vector = self.known.setdefault(text, [float(len(text))])
            self.stored[leaf.leaf_id] = (record.document_id, vector)
        yield from ()

    def delete(self, leaf_ids: Sequence[str]) -> Procedure[None]:
        for leaf_id in leaf_ids:
            self.stored.pop(leaf_id, None)
        yield from ()

    def find(self, asked: str) -> Procedure[list[Proposal]]:
        assert asked
        yield from ()
        return [Proposal(name, leaf_id, 1.0) for leaf_id, (name, _) in self.stored.items()]

    def vectors(self) -> Mapping[str, Sequence[float]]:
        return {leaf_id: vector for leaf_id, (_, vector) in self.stored.items()}

    def remember(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self.known |= {text: [*vector] for text, vector in vectors.items()}


_METHODS = {k: v for k, v in vars(MemoryRecords).items() if k not in {"__dict__", "__weakref__"}}
ExternalRecords: Any = type("ExternalRecords", (), _METHODS)  # which are the caller's


def sources(texts: Mapping[str, str]) -> SourceDocuments:
    results = {name: MarkdownChunker().chunk_hierarchical(text) for name, text in texts.items()}
    return SourceDocuments(
        texts, lambda name: record_document(name, results[name], {}, texts[name])
    )


def made(leaves: LeafStore[str], *args: Any) -> DocumentIndex[str]:  # noqa: ANN401
    index = DocumentIndex(leaves, *args)
    index.make(sources(TEXTS))
    return index


def names(found: FoundLeaves, search: SearchKind = "hybrid") -> list[str]:
    return [hit.document_id for hit in found.rank(RankingOptions(search))]


def test_it_is_made_changed_and_asked() -> None:
    leaves = Leaves()
    index = made(leaves)
    assert names(run(index.find(Question("degrees", 9, "degrees"))))[0] == "tea.md"
    assert index.update(sources(TEXTS)).unchanged == [*TEXTS]
    report = index.update(sources({"tea.md": "# Tea\n\nWait for 75 degrees.\n"}), ["oven.md"])
    assert (report.changed, report.deleted, len(leaves.embedded)) == (["tea.md"], ["oven.md"], 3)
    assert names(run(index.find(Question("heat", 9, "heat")))) == ["tea.md"]
    assert len(leaves.stored) == 1


def test_it_is_made_changed_and_asked_asynchronously(tmp_path: Path) -> None:
    async def live() -> list[str]:
        index = DocumentIndex(Leaves(), None, tmp_path)
        await index.amake(sources(TEXTS))
        await index.aupdate(sources({}), ["oven.md"])
        loaded = DocumentIndex(Leaves(), None, tmp_path)
        await loaded.aload()
        return names(await run_async(loaded.find(Question("tea", 9, "tea"))))

    assert asyncio.run(live()) == ["tea.md"]


def test_a_question_without_a_search_by_meaning_asks_no_vector_store() -> None:
    found = run(made(Leaves()).find(Question("degrees", 9, None)))
    assert (found.proposals, names(found, "lexical")[0]) == ([], "tea.md")


def test_what_is_saved_is_not_embedded_again(tmp_path: Path) -> None:
    made(Leaves(), None, tmp_path)
    before, leaves = (tmp_path / "chunkana_index.bin").stat(), Leaves()
    loaded = DocumentIndex(leaves, None, tmp_path)
    loaded.load()
    assert loaded.update(sources(TEXTS), delete_missing=True).unchanged == [*TEXTS]
    assert (len(leaves.stored), leaves.embedded) == (2, [])
    assert (tmp_path / "chunkana_index.bin").stat() == before


def test_leaves_of_records_without_vectors_are_embedded() -> None:
    records = ExternalRecords()
    made(Leaves(), records)
    again = Leaves()
    made(again, records)
    assert len(again.embedded) == 2


def test_an_unfinished_update_is_said_to_the_caller_and_mended(tmp_path: Path) -> None:
    leaves = Leaves()
    index = made(leaves, None, tmp_path)
    leaves.is_broken = True
    edited = sources({"tea.md": "# Tea\n\nWait for 75 degrees.\n"})
    with pytest.raises(ConnectionError):
        index.update(edited)
    loaded = DocumentIndex(Leaves(), None, tmp_path)
    with pytest.warns(UserWarning, match=r"not finished.*: tea.md \(before\)$") as seen:
        loaded.load()
    assert seen[0].filename == __file__
    assert loaded.update(edited).mended == {"tea.md": "before"}


def test_an_index_that_cannot_be_made_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    made(Leaves(), None, tmp_path)
    (file,) = tmp_path.iterdir()
    before, broken = file.read_bytes(), Leaves()
    broken.is_broken = True
    with pytest.raises(ConnectionError):
        made(broken, None, tmp_path)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("leaves", "records", "field"),
    [
        (Leaves(is_in_memory=False), None, "vectorstore"),
        (Leaves(), ExternalRecords(), "docstore"),
    ],
)
def test_each_part_is_either_given_or_saved(
    leaves: Leaves,
    records: Any,  # noqa: ANN401
    field: str,
    tmp_path: Path,
) -> None:
    made(Leaves(), None, tmp_path / "whole")
    with pytest.raises(ConfigurationError, match="of this index are in its folder") as raised:
        DocumentIndex(leaves, records, tmp_path / "whole").load()
    assert raised.value.field == field
    made(leaves, records, tmp_path / "part")
    with pytest.raises(ConfigurationError, match="which are not in its folder") as raised:
        DocumentIndex(Leaves(), None, tmp_path / "part").load()
    assert raised.value.field == field


def test_words_alone_need_no_vectors(tmp_path: Path) -> None:
    leaves = Leaves()
    made(leaves, None, tmp_path, "lexical")
    assert leaves.embedded == []
    loaded = DocumentIndex(Leaves(), None, tmp_path, "lexical")
    loaded.load()
    assert names(run(loaded.find(Question("heat", 9, None))), "lexical")[0] == "oven.md"
    with pytest.raises(ConfigurationError, match="has no vectors"):
        DocumentIndex(Leaves(), None, tmp_path).load()
    with pytest.raises(ConfigurationError, match="which uses no vector store"):
        made(Leaves(is_in_memory=False), None, None, "lexical")


def test_a_vector_store_without_the_leaves_is_named(tmp_path: Path) -> None:
    made(Leaves(is_in_memory=False), None, tmp_path)
    index: DocumentIndex[str] = DocumentIndex(Leaves(is_in_memory=False), None, tmp_path)
    index.load()
    with pytest.warns(UnknownLeavesWarning) as seen:
        run(index.find(Question("tea", 9, "tea")))
    assert seen[0].filename == __file__
    assert run(index.find(Question("tea", 9, "tea", is_filtered=True))).is_filtered


def test_a_file_that_another_wrote_is_not_changed(tmp_path: Path) -> None:
    first = made(Leaves(), None, tmp_path)
    second: DocumentIndex[str] = DocumentIndex(Leaves(), None, tmp_path)
    second.load()
    first.update(sources({"new.md": "New."}))
    with pytest.raises(IndexFileError, match="written by another"):
        second.update(sources({"new.md": "Newer."}))
