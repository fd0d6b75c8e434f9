"""Vector stores of the caller's: what stores of LangChain's have and do not have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_core import ConfigurationError
from chunkana_langchain import ChunkanaRetriever
from chunkana_retrieval import LostLeavesWarning
from tests.conformance.texts import COOLER, QUESTION, TEXTS
from tests.langchain.parts import SMALL, WordEmbeddings, documents, made, sources_of, texts_of

LEAVES = len(SMALL.split_documents(documents()))


async def test_filters_are_also_arguments_of_the_store() -> None:
    def of_oven(leaf: Document) -> bool:
        return bool(leaf.metadata["source"] == "oven.md")

    retriever = made(vectorstore=InMemoryVectorStore(WordEmbeddings()))
    always = retriever.model_copy(update={"filter": of_oven})
    as_arguments = retriever.model_copy(update={"search_kwargs": {"filter": of_oven}})
    for found in (always.invoke(QUESTION), await as_arguments.ainvoke(QUESTION)):
        assert sources_of(found) == {"oven.md"}
    assert sources_of(always.invoke(QUESTION, filter=None)) == {*TEXTS}


class ChromaLike(InMemoryVectorStore):
    """Counts distances, and refuses empty lists, as Chroma does."""

    def add_documents(
        self, documents: list[Document], ids: list[str] | None = None, **_: object
    ) -> list[str]:
        for document in documents:
            assert [] not in document.metadata.values()
            assert {} not in document.metadata.values()
        return super().add_documents(documents, ids)

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        **options: Any,  # noqa: ANN401
    ) -> list[tuple[Document, float]]:
        found = super().similarity_search_with_score(query, k, **options)
        return [(document, 1 - score) for document, score in found]


def test_a_store_that_counts_distances() -> None:
    given = [
        Document(text, metadata={"source": name, "tags": [], "more": {}, "n": 0})
        for name, text in TEXTS.items()
    ]
    store = ChromaLike(WordEmbeddings())
    retriever = ChunkanaRetriever.from_documents(given, vectorstore=store, splitter=SMALL)
    passages = retriever.invoke(QUESTION)
    assert texts_of(passages) == texts_of(made().invoke(QUESTION))
    assert passages[0].metadata["tags"] == []
    with pytest.raises(ConfigurationError, match="min_score"):
        retriever.invoke(QUESTION, min_score=0.5)


class Bare(InMemoryVectorStore):
    """Has no scores and no ids, and raises an error for what it cannot delete."""

    def similarity_search_with_score(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        raise NotImplementedError

    async def asimilarity_search_with_score(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        raise NotImplementedError

    def similarity_search(self, query: str, k: int = 4, **kwargs: object) -> list[Document]:
        found = super().similarity_search_with_score(query, k, **kwargs)
        return [Document(d.page_content, metadata=d.metadata) for d, _ in found]

    async def asimilarity_search(self, query: str, k: int = 4, **kwargs: object) -> list[Document]:
        return self.similarity_search(query, k, **kwargs)

    def delete(self, ids: Sequence[str] | None = None, **_: object) -> None:
        if missing := set(ids or ()) - self.store.keys():
            raise KeyError(missing)
        super().delete(ids)

    async def adelete(self, ids: Sequence[str] | None = None, **_: object) -> None:
        self.delete(ids)


class Blind(Bare):
    """Cannot tell which ids it has, either."""

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise NotImplementedError(ids)

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        raise NotImplementedError(ids)


@pytest.mark.parametrize("kind", [Bare, Blind])
async def test_a_store_without_scores_and_ids(kind: type[Bare]) -> None:
    store = kind(WordEmbeddings())
    retriever = made(vectorstore=store)
    assert "80 degrees" in retriever.invoke(QUESTION)[0].page_content
    assert await retriever.ainvoke(QUESTION) == retriever.invoke(QUESTION)
    await retriever.aupdate(documents(COOLER))
    assert "75 degrees" in retriever.invoke(QUESTION)[0].page_content
    assert len(store.store) == LEAVES


@pytest.mark.parametrize("is_async", [False, True])
async def test_leaves_that_are_not_there_are_deleted_without_an_error(*, is_async: bool) -> None:
    store = Bare(WordEmbeddings())
    retriever = made(vectorstore=store)
    store.delete([next(iter(store.store))])
    await retriever.adelete([*TEXTS]) if is_async else retriever.delete([*TEXTS])
    assert store.store == {}


@pytest.mark.parametrize(
    "forged",
    [{}, {"chunkana_document_id": 7}, {"chunkana_leaf_id": None}, {"chunkana_leaf_id": ["x"]}],
)
def test_forged_metadata_of_leaves_end_no_query(forged: dict[str, Any]) -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    retriever = made(vectorstore=store, search="dense")
    for entry in store.store.values():
        if entry["metadata"]["source"] == "tea.md":
            entry["metadata"] = entry["metadata"] | forged if forged else {}
    assert sources_of(retriever.invoke(QUESTION)) == {"oven.md"}


@pytest.mark.parametrize("is_async", [False, True])
async def test_an_update_says_how_many_leaves_a_store_lost(*, is_async: bool) -> None:
    """And stores those of unchanged documents again."""
    store = InMemoryVectorStore(WordEmbeddings())
    retriever = made(vectorstore=store)
    before = retriever.invoke(QUESTION)
    store.delete(sorted(store.store)[:3])
    with pytest.warns(LostLeavesWarning, match=f"lacks 3 of {LEAVES} leaves"):
        assert retriever.update(documents()).unchanged == [*TEXTS]
    assert (await retriever.arepair() if is_async else retriever.repair()) == []
    assert len(store.store) == LEAVES
    assert texts_of(retriever.invoke(QUESTION)) == texts_of(before)


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_a_store_without_the_leaves_is_named(search: str, tmp_path: Path) -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    made(vectorstore=store, folder=tmp_path, search=search)
    other = InMemoryVectorStore(WordEmbeddings())
    options: dict[str, Any] = {"vectorstore": other, "splitter": SMALL, "search": search}
    with pytest.warns(LostLeavesWarning, match=f"lacks {LEAVES} of {LEAVES} leaves"):
        loaded = ChunkanaRetriever.load(tmp_path, **options)
    with pytest.warns(LostLeavesWarning, match="no leaf of this index"):
        found = loaded.invoke(QUESTION)
    with pytest.warns(LostLeavesWarning, match="no leaf of this index"):
        assert await loaded.ainvoke(QUESTION) == found
    assert bool(found) is (search == "hybrid")
    again = made(vectorstore=store, folder=tmp_path / "b")  # of an index that was lost
    assert texts_of(again.invoke(QUESTION)) == texts_of(made().invoke(QUESTION))
    assert len(store.store) == LEAVES
