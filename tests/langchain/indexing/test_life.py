"""The life of an index: after any edits it answers from today's documents, and costs little."""

from __future__ import annotations

import asyncio
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaAutoMergingRetriever, ChunkanaRetriever
from chunkana_langchain.indexing.leaves import MemoryLeaves
from chunkana_retrieval.indexing import run
from tests.langchain.indexing.parts import (
    OVEN,
    QUERY,
    SPLITTER,
    TEA,
    TEXTS,
    abring,
    assert_true,
    bring,
    documents,
    found,
    texts_of,
)
from tests.langchain.parts import WordEmbeddings

PARAGRAPHS = ["Boil the water.", "Green tea at 80 degrees.", "# Tea", "## Cup", "```\nx = 1\n```"]
TEXT = st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=5).map("\n\n".join)
STATE = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXT, max_size=3)


class Counted(WordEmbeddings):
    """Notes each call with the texts in it."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.calls.append(texts)
        return super().embed_documents(texts)


def external(embedding: WordEmbeddings) -> dict[str, Any]:
    """Return stores of the caller's."""
    return {"vectorstore": InMemoryVectorStore(embedding), "docstore": InMemoryStore()}


@settings(max_examples=25, deadline=None)
@given(st.lists(STATE, min_size=2, max_size=5), st.booleans(), st.booleans())
def test_after_any_edits_all_that_is_found_is_in_todays_documents(
    states: list[dict[str, str]], is_external: object, is_async: object
) -> None:
    embedding = Counted()
    options: dict[str, Any] = {"embedding": embedding}
    if is_external:
        options = external(embedding)
    retriever = ChunkanaRetriever.from_documents([], splitter=SPLITTER, **options)
    for texts in states:
        if is_async:
            asyncio.run(abring(retriever, texts))
        else:
            bring(retriever, texts)
        fresh = ChunkanaRetriever.from_documents(
            documents(texts), WordEmbeddings(), splitter=SPLITTER
        )
        for query in ("water", "green tea", "x = 1"):
            passages = retriever.invoke(query)
            assert_true(passages, texts)
            assert sorted(found(retriever, query)) == sorted(found(fresh, query))
        if is_external:
            leaves = options["vectorstore"].store
            assert len(leaves) == len(SPLITTER.split_documents(documents(texts)))
            assert len([*options["docstore"].yield_keys()]) == len(texts)
    if not is_external:
        assert len(set(embedding.embedded)) == len(embedding.embedded)


@pytest.mark.parametrize("is_external", [False, True])
def test_an_update_without_changes_embeds_and_writes_nothing(is_external: object) -> None:
    embedding, written = Counted(), list[object]()

    class Noted(InMemoryStore):
        def mset(self, key_value_pairs: Any) -> None:  # noqa: ANN401
            written.append(key_value_pairs)
            super().mset(key_value_pairs)

    options: dict[str, Any] = {"embedding": embedding}
    if is_external:
        options = {"vectorstore": InMemoryVectorStore(embedding), "docstore": Noted()}
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), splitter=SPLITTER, **options)
    assert len(embedding.calls) == 1
    written.clear()
    report = retriever.update(documents(TEXTS), delete_missing=True)
    assert (report.unchanged, report.leaves_added, report.leaves_deleted) == ([*TEXTS], 0, 0)
    assert len(embedding.calls) == 1
    assert written == []


@pytest.mark.parametrize("kind", [ChunkanaRetriever, ChunkanaAutoMergingRetriever])
def test_not_all_documents_are_deleted_because_none_are_given(
    kind: type[ChunkanaRetriever | ChunkanaAutoMergingRetriever],
) -> None:
    retriever = kind.from_documents(documents(TEXTS), WordEmbeddings(), splitter=SPLITTER)
    with pytest.raises(ConfigurationError, match=r"delete\(document_ids\(\)\)"):
        retriever.update([], delete_missing=True)
    with pytest.raises(ConfigurationError, match="delete_missing"):
        asyncio.run(retriever.aupdate([], delete_missing=True))
    assert retriever.document_ids() == asyncio.run(retriever.adocument_ids()) == [*TEXTS]
    assert retriever.delete(retriever.document_ids()).deleted == [*TEXTS]
    assert retriever.document_ids() == []


def test_a_changed_paragraph_embeds_what_is_new_alone() -> None:
    embedding = Counted()
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), embedding, splitter=SPLITTER)
    embedding.embedded.clear()
    edited = TEXTS | {"tea.md": TEA.replace("Wait for 80", "Wait a little, for 75")}
    report = retriever.update(documents(edited))
    assert (report.changed, report.unchanged) == (["tea.md"], ["oven.md"])
    assert embedding.embedded == [
        "tea.md > Tea > Green\n\n## Green\n\nWait a little, for 75 degrees."
    ]
    assert "75 degrees" in found(retriever)[0]
    assert not any("80 degrees" in text for text in found(retriever))


@pytest.mark.parametrize(
    "changed",
    [
        {"/tea.md": TEA},  # a file in another folder; names of files are embedded
        {"tea.md": TEA.replace("\n## Green", "\n\n\n## Green")},  # all moves
        {"tea.md": "# Tea\n\nBoil fresh water.\n\n" + TEA[TEA.index("## Black") :] + "\n"
         + TEA[TEA.index("## Green") : TEA.index("## Black")]},  # sections change places
        {"tea.md": TEA, "/tea.md": TEA},
    ],
)  # fmt: skip
def test_what_was_embedded_is_not_embedded_again(changed: dict[str, str]) -> None:
    embedding = Counted()
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), embedding, splitter=SPLITTER)
    embedding.embedded.clear()
    texts = {"oven.md": OVEN, **changed}
    retriever.update(documents(texts), delete_missing=True)
    assert embedding.embedded == []
    passages = retriever.invoke(QUERY)
    assert_true(passages, texts)
    assert {p.metadata["source"] for p in passages} == set(texts)


def test_changed_metadata_are_oneand_filtered_by_without_embedding() -> None:
    embedding = Counted()
    source = Document(TEA, id="tea", metadata={"day": 1})
    retriever = ChunkanaRetriever.from_documents([source], embedding)
    embedding.embedded.clear()
    report = retriever.update([Document(TEA, id="tea", metadata={"day": 2})])
    assert report.changed == ["tea"]
    assert embedding.embedded == []
    (passage,) = retriever.invoke("tea", filter=lambda leaf: leaf.metadata["day"] == 2)
    assert passage.metadata["day"] == 2
    assert retriever.invoke("tea", filter=lambda leaf: leaf.metadata["day"] == 1) == []


def test_another_splitter_indexes_anew() -> None:
    store = external(WordEmbeddings())
    make = ChunkanaRetriever.from_documents
    make(documents(TEXTS), splitter=SPLITTER, **store)
    assert make([], splitter=SPLITTER, **store).update(documents(TEXTS)).changed == []
    assert make([], **store).update(documents(TEXTS)).changed == [*TEXTS]


async def test_what_is_deleted_is_gone_sync_and_async() -> None:
    store = external(WordEmbeddings())
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), **store)
    assert (await retriever.adelete(["tea.md"])).deleted == ["tea.md"]
    assert {p.metadata["source"] for p in retriever.invoke("water heat")} == {"oven.md"}
    assert retriever.delete(["oven.md", "oven.md"]).deleted == ["oven.md"]
    assert retriever.invoke(QUERY) == []
    assert store["vectorstore"].store == {}
    assert [*store["docstore"].yield_keys()] == []


def test_documents_that_are_not_given_stay() -> None:
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), WordEmbeddings())
    retriever.update(documents({"new.md": "# New\n\nNothing.\n"}))
    assert {p.metadata["source"] for p in retriever.invoke(QUERY)} >= set(TEXTS)


def test_stores_that_have_an_index_are_brought_up_to_date_by_making_it_again() -> None:
    embedding = Counted()
    store = external(embedding)
    first = ChunkanaRetriever.from_documents(documents(TEXTS), **store)
    embedding.embedded.clear()
    again = ChunkanaRetriever.from_documents(documents(TEXTS), **store)
    assert embedding.embedded == []
    assert again.invoke(QUERY) == first.invoke(QUERY)


def test_vectors_that_were_in_memory_alone_are_made_again() -> None:
    """The records are those of an earlier process, whose vectors were nowhere else."""
    docstore, embedding = InMemoryStore(), Counted()
    ChunkanaRetriever.from_documents(documents(TEXTS), embedding, docstore=docstore)
    count, make = len(embedding.embedded), ChunkanaRetriever.from_documents
    again = make(documents(TEXTS), embedding, docstore=docstore, search="dense")
    assert len(embedding.embedded) == 2 * count
    assert {p.metadata["source"] for p in again.invoke(QUERY)} == set(TEXTS)


class FailingOnceError(Exception):
    """The embedding is out of reach."""


class Failing(WordEmbeddings):
    """Embeds no text that has a word."""

    word = "75"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if any(self.word in text for text in texts):
            raise FailingOnceError
        return super().embed_documents(texts)


@pytest.mark.parametrize("is_external", [False, True])
def test_an_update_that_fails_leaves_the_answers_of_before_and_is_mended(
    is_external: object,
) -> None:
    embedding = Failing()
    options = external(embedding) if is_external else {"embedding": embedding}
    retriever = ChunkanaRetriever.from_documents(documents(TEXTS), splitter=SPLITTER, **options)
    before = retriever.invoke(QUERY)
    edited = documents(TEXTS | {"tea.md": TEA.replace("80", "75")})
    with pytest.raises(FailingOnceError):
        retriever.update(edited)
    assert retriever.invoke(QUERY) == before
    embedding.word = "none has it: \0"
    assert retriever.update(edited).mended == {"tea.md": "before"}
    assert "75 degrees" in found(retriever)[0]


async def test_updates_of_threads_and_tasks_wait_for_each_other() -> None:
    retriever = ChunkanaRetriever.from_documents([], WordEmbeddings(), splitter=SPLITTER)
    states = [{"tea.md": TEA.replace("80", str(number))} for number in range(12)]
    threads = [asyncio.to_thread(retriever.update, documents(one)) for one in states[::2]]
    tasks = [retriever.aupdate(documents(one)) for one in states[1::2]]
    await asyncio.gather(*threads, *tasks)
    (record,) = run(retriever.index.stores.records.read(["tea.md"]))
    (text,) = (one["tea.md"] for one in states if one["tea.md"] == record.text)
    assert {leaf.leaf_id for leaf in record.leaves} == set(vectors(retriever))
    assert found(retriever) == found(
        ChunkanaRetriever.from_documents(
            documents({"tea.md": text}), WordEmbeddings(), splitter=SPLITTER
        )
    )


def vectors(retriever: ChunkanaRetriever) -> dict[str, list[float]]:
    """Return the vectors that are in memory."""
    leaves = retriever.index.stores.leaves
    assert isinstance(leaves, MemoryLeaves)
    return leaves.vectors()


class PowerCutError(Exception):
    """The process ends here."""


class Power:
    """Counts what stores are asked to change, and ends before one change too many."""

    def __init__(self) -> None:
        self.left = 10**9

    def use(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCutError


class Vectors(InMemoryVectorStore):
    """A vector store that may end before a change, or in its middle."""

    power: Power

    def add_documents(
        self, documents: list[Document], ids: list[str] | None = None, **_: object
    ) -> list[str]:
        names = ids or []
        for document, name in zip(documents, names, strict=True):
            self.power.use()
            super().add_documents([document], [name])
        return names

    def delete(self, ids: Sequence[str] | None = None, **_: object) -> None:
        for name in ids or ():
            self.power.use()
            super().delete([name])


class Kept(InMemoryStore):
    """A document store that may end before a change, or in its middle."""

    power: Power

    def mset(self, key_value_pairs: Sequence[tuple[str, Document]]) -> None:
        for pair in key_value_pairs:
            self.power.use()
            super().mset([pair])

    def mdelete(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.power.use()
            super().mdelete([key])


@settings(max_examples=60, deadline=None)
@given(STATE, STATE, st.integers(0, 25), st.booleans())
def test_who_ends_half_way_leaves_an_index_as_before_or_as_after(
    before: dict[str, str], after: dict[str, str], steps: int, has_parents: object
) -> None:
    kind = ChunkanaAutoMergingRetriever if has_parents else ChunkanaRetriever
    power = Power()
    vectors, kept = Vectors(WordEmbeddings()), Kept()
    vectors.power = kept.power = power
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is not finished
        options: dict[str, Any] = {
            "vectorstore": vectors, "docstore": kept, "folder": folder, "splitter": SPLITTER,
        }  # fmt: skip
        kind.from_documents(documents(before), **options)
        power.left = steps
        with suppress(PowerCutError):
            bring(kind.load(**options), after)
        power.left = 10**9
        loaded = kind.load(**options)
        for query in ("water", "green tea", "x = 1"):
            for one in loaded.invoke(query):
                name = one.metadata["source"]
                now = [state[name] for state in (before, after) if name in state]
                assert any(says(one, text) for text in now)
        bring(loaded, after)
        assert len(vectors.store) == len(SPLITTER.split_documents(documents(after)))
        assert len(kept.store) == len(after)
        again = kind.load(**options)
        fresh = kind.from_documents(documents(after), WordEmbeddings(), splitter=SPLITTER)
        for query in ("water", "green tea", "x = 1"):
            assert sorted(texts_of(again.invoke(query))) == sorted(texts_of(fresh.invoke(query)))


def says(document: Document, text: str) -> bool:
    """Tell whether a passage, chunk or parent has slices of a text, where it says."""
    m = document.metadata
    spans = m["spans"] if "spans" in m else [(m["start_char"], m["end_char"])]
    return all(text[start:end] and text[start:end] in document.page_content for start, end in spans)
