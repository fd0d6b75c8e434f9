"""Vector stores of the caller's: on disk, asynchronous alone, without scores or ids."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import faiss
import pytest
from langchain_classic.storage import LocalFileStore
from langchain_community.docstore.in_memory import InMemoryDocstore
from langchain_community.vectorstores import FAISS
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient
from qdrant_client.models import Distance, FieldCondition, Filter, MatchValue, VectorParams

from chunkana_core import ConfigurationError
from chunkana_langchain import CachedEmbeddings, ChunkanaRetriever
from chunkana_retrieval import LostLeavesWarning
from tests.langchain.parts import (
    OVEN,
    QUERY,
    SMALL,
    TEA,
    TEXTS,
    WordEmbeddings,
    assert_true,
    documents,
    made,
    sources_of,
    texts_of,
)

SIZE = len(WordEmbeddings().embed_query(""))
LEAVES = len(SMALL.split_documents(documents()))


class OnDisk:
    """A vector store on disk, opened as another process would open it."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind, self.folder, self.embedding = kind, folder, WordEmbeddings()
        self.vectorstore: Any = None

    def open(self) -> VectorStore:
        """Return the store, with what was stored before."""
        vectors = LocalFileStore(self.folder / "vectors")
        embedding = CachedEmbeddings(self.embedding, vectors, namespace="words")
        self.vectorstore = getattr(self, f"_{self.kind}")(embedding)
        return self.vectorstore  # type: ignore[no-any-return]

    def close(self) -> None:
        """Leave everything on disk."""
        if self.kind == "faiss":
            self.vectorstore.save_local(str(self.folder / "faiss"))
        else:
            self.vectorstore.client.close()

    def ids(self) -> set[str]:
        """Return the ids of all leaves."""
        if self.kind == "faiss":
            return {*self.vectorstore.index_to_docstore_id.values()}
        points, _ = self.vectorstore.client.scroll("leaves", limit=1000)
        return {point.id for point in points}

    def filter(self, source: str) -> object:
        """Return a filter of documents."""
        if self.kind == "faiss":
            return {"source": source}
        return Filter(must=[FieldCondition(key="metadata.source", match=MatchValue(value=source))])

    def _faiss(self, embedding: CachedEmbeddings) -> VectorStore:
        folder = self.folder / "faiss"
        if folder.exists():
            return FAISS.load_local(str(folder), embedding, allow_dangerous_deserialization=True)
        return FAISS(embedding, faiss.IndexFlatL2(SIZE), InMemoryDocstore(), {})

    def _qdrant(self, embedding: CachedEmbeddings) -> VectorStore:
        client = QdrantClient(
            path=str(self.folder / "qdrant"), force_disable_check_same_thread=True
        )
        if not client.collection_exists("leaves"):
            vectors = VectorParams(size=SIZE, distance=Distance.COSINE)
            client.create_collection("leaves", vectors_config=vectors)
        return QdrantVectorStore(client, "leaves", embedding)


@pytest.fixture(params=["faiss", "qdrant"])
def on_disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OnDisk]:
    store = OnDisk(request.param, tmp_path)
    yield store
    store.close()


async def test_stores_on_disk(on_disk: OnDisk, tmp_path: Path) -> None:
    """Updates in several processes, as it were, sync and async; nothing is left of old texts."""
    folder = tmp_path / "index"
    first = made(vectorstore=on_disk.open(), folder=folder)
    before = first.invoke(QUERY)
    assert_true(before, TEXTS)
    on_disk.close()
    again = ChunkanaRetriever.load(folder, vectorstore=on_disk.open(), splitter=SMALL)
    assert again.invoke(QUERY) == await again.ainvoke(QUERY)
    assert texts_of(again.invoke(QUERY)) == texts_of(before)
    on_disk.embedding.embedded.clear()
    edited = {"/tea.md": TEA.replace("80", "75"), "oven.md": OVEN}
    await again.aupdate(documents(edited), delete_missing=True)
    assert on_disk.embedding.embedded == [
        "tea.md > Tea > Green\n\n## Green\n\nWait for 75 degrees."
    ]
    on_disk.close()
    third = await ChunkanaRetriever.aload(folder, vectorstore=on_disk.open(), splitter=SMALL)
    passages = await third.ainvoke(QUERY)
    assert_true(passages, edited)
    assert "75 degrees" in passages[0].page_content
    assert len(on_disk.ids()) == LEAVES
    third.delete(["/tea.md"])
    assert sources_of(third.invoke(QUERY)) == {"oven.md"}
    await third.adelete(["oven.md"])
    assert on_disk.ids() == set()
    assert third.invoke(QUERY) == await third.ainvoke(QUERY) == []


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_filters_of_stores_on_disk(on_disk: OnDisk, search: str) -> None:
    retriever = made(vectorstore=on_disk.open(), search=search)
    chosen = on_disk.filter("oven.md")
    always = retriever.model_copy(update={"filter": chosen})
    as_arguments = retriever.model_copy(update={"search_kwargs": {"filter": chosen}})
    for found in (
        retriever.invoke(QUERY, filter=chosen),
        await retriever.ainvoke(QUERY, filter=chosen),
        always.invoke(QUERY),
        await as_arguments.ainvoke(QUERY),
    ):
        assert sources_of(found) == {"oven.md"}
    assert sources_of(always.invoke(QUERY, filter=None)) == {*TEXTS}


def test_a_store_with_the_leaves_of_a_lost_index_is_filled_again(
    on_disk: OnDisk, tmp_path: Path
) -> None:
    store = on_disk.open()
    before = made(vectorstore=store, folder=tmp_path / "a").invoke(QUERY)
    again = made(vectorstore=store, folder=tmp_path / "b")
    assert texts_of(again.invoke(QUERY)) == texts_of(before)
    assert len(on_disk.ids()) == LEAVES


@pytest.mark.parametrize("is_async", [False, True])
async def test_leaves_that_a_store_lost_are_stored_again(
    on_disk: OnDisk,
    is_async: bool,  # noqa: FBT001
) -> None:
    store = on_disk.open()
    retriever = made(vectorstore=store)
    before = retriever.invoke(QUERY)
    store.delete(sorted(on_disk.ids())[:3])
    with pytest.warns(LostLeavesWarning, match=f"lacks 3 of {LEAVES} leaves"):
        assert retriever.update(documents()).unchanged == [*TEXTS]
    assert (await retriever.arepair() if is_async else retriever.repair()) == []
    assert len(on_disk.ids()) == LEAVES
    assert texts_of(retriever.invoke(QUERY)) == texts_of(before)


def test_words_rank_the_leaves_that_a_filter_of_the_store_passes() -> None:
    """They add none, and all of them count."""
    others = {f"{n}.md": "# Bread\n\nBread, bread, bread.\n" for n in range(70)}
    retriever = ChunkanaRetriever.from_documents(
        documents(TEXTS | others),
        vectorstore=InMemoryVectorStore(WordEmbeddings()),
        splitter=SMALL,
        lexical_weight=1.0,
    )
    passages = retriever.invoke(
        "bread", filter=lambda leaf: leaf.metadata["source"] == "oven.md", budget=60
    )
    assert sources_of(passages) == {"oven.md"}
    assert "Bake the bread" in passages[0].page_content


# What stores have and do not have


class ChromaLike(InMemoryVectorStore):
    """Counts distances, filters by values, and refuses empty lists, as Chroma does."""

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
        wanted = options.pop("filter", None) or {}

        def has_values(document: Document) -> bool:
            return wanted.items() <= document.metadata.items()

        found = super().similarity_search_with_score(query, k, filter=has_values)
        return [(document, 1 - score) for document, score in found]

    async def asimilarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        **options: Any,  # noqa: ANN401
    ) -> list[tuple[Document, float]]:
        return self.similarity_search_with_score(query, k, **options)


async def test_a_store_like_chroma() -> None:
    given = [
        Document(text, metadata={"source": name, "tags": [], "more": {}, "n": 0})
        for name, text in TEXTS.items()
    ]
    store = ChromaLike(WordEmbeddings())
    retriever = ChunkanaRetriever.from_documents(given, vectorstore=store, splitter=SMALL)
    passages = retriever.invoke(QUERY)
    assert texts_of(passages) == texts_of(made().invoke(QUERY))
    assert passages[0].metadata["tags"] == []
    assert sources_of(await retriever.ainvoke(QUERY, filter={"source": "oven.md"})) == {"oven.md"}
    with pytest.raises(ConfigurationError, match="min_score"):
        retriever.invoke(QUERY, min_score=0.5)


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
    assert "80 degrees" in retriever.invoke(QUERY)[0].page_content
    assert await retriever.ainvoke(QUERY) == retriever.invoke(QUERY)
    await retriever.aupdate(documents({"tea.md": TEA.replace("80", "75")}))
    assert "75 degrees" in retriever.invoke(QUERY)[0].page_content
    assert len(store.store) == LEAVES


@pytest.mark.parametrize("is_async", [False, True])
async def test_leaves_that_are_not_there_are_deleted_without_an_error(
    is_async: bool,  # noqa: FBT001
) -> None:
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
    assert sources_of(retriever.invoke(QUERY)) == {"oven.md"}


def test_other_documents_in_a_store_are_not_returned() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents([Document("How long does green tea wait? Of others.")])
    assert_true(made(vectorstore=store).invoke(QUERY), TEXTS)


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_a_store_without_the_leaves_is_named(search: str, tmp_path: Path) -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    made(vectorstore=store, folder=tmp_path, search=search)
    other = InMemoryVectorStore(WordEmbeddings())
    options: dict[str, Any] = {"vectorstore": other, "splitter": SMALL, "search": search}
    with pytest.warns(LostLeavesWarning, match=f"lacks {LEAVES} of {LEAVES} leaves"):
        loaded = ChunkanaRetriever.load(tmp_path, **options)
    with pytest.warns(LostLeavesWarning, match="no leaf of this index"):
        found = loaded.invoke(QUERY)
    with pytest.warns(LostLeavesWarning, match="no leaf of this index"):
        assert await loaded.ainvoke(QUERY) == found
    assert bool(found) is (search == "hybrid")
    with pytest.raises(ConfigurationError, match="a vector store of yours"):
        ChunkanaRetriever.load(tmp_path, WordEmbeddings())


# Stores with an asynchronous client alone


class Overlap:
    """Counts how many calls run at a time; each waits until all are there."""

    def __init__(self, expected: int) -> None:
        self.running, self.most, self.expected = 0, 0, expected
        self.all_there = asyncio.Event()

    async def wait(self) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        if self.running == self.expected:
            self.all_there.set()
        await asyncio.wait_for(self.all_there.wait(), 30)
        self.running -= 1


class AsyncVectors(InMemoryVectorStore):
    """A vector store with an asynchronous client alone."""

    overlap: Overlap | None = None

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **kwargs: object
    ) -> list[tuple[Document, float]]:
        if self.overlap:
            await self.overlap.wait()
        return super().similarity_search_with_score(query, k, **kwargs)

    async def adelete(self, ids: Sequence[str] | None = None, **_: object) -> None:
        super().delete(ids)

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return InMemoryVectorStore.get_by_ids(self, ids)

    def similarity_search_with_score(self, *_: Any, **__: Any) -> Any:  # noqa: ANN401
        raise AssertionError

    add_documents = delete = get_by_ids = similarity_search = similarity_search_with_score


async def test_a_store_with_an_asynchronous_client_alone(tmp_path: Path) -> None:
    options: dict[str, Any] = {"vectorstore": AsyncVectors(WordEmbeddings()), "splitter": SMALL}
    retriever = await ChunkanaRetriever.afrom_documents(documents(), folder=tmp_path, **options)
    edited = TEXTS | {"tea.md": TEA.replace("80", "75")}
    await retriever.aupdate(documents(edited), delete_missing=True)
    loaded = await ChunkanaRetriever.aload(tmp_path, **options)
    assert_true(await loaded.ainvoke(QUERY), edited)
    assert await loaded.arepair() == []
    await loaded.adelete(["tea.md"])
    assert sources_of(await loaded.ainvoke(QUERY)) == {"oven.md"}


@pytest.mark.parametrize("search", ["hybrid", "dense"])
async def test_queries_run_at_the_same_time(search: str) -> None:
    store = AsyncVectors(WordEmbeddings())
    retriever = await ChunkanaRetriever.afrom_documents(
        documents(), vectorstore=store, search=search
    )
    store.overlap = Overlap(40)
    answers = await asyncio.gather(*(retriever.ainvoke(QUERY) for _ in range(40)))
    assert store.overlap.most == 40
    assert answers == answers[:1] * 40
