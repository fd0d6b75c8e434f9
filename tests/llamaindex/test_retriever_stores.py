"""`ChunkanaRetriever` over vector stores of the caller's: Qdrant on disk, and in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llama_index.vector_stores.qdrant")

from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.schema import BaseNode, NodeWithScore, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import (
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.types import BasePydanticVectorStore
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import AsyncQdrantClient, QdrantClient

from chunkana_core import ConfigurationError
from chunkana_llamaindex import ChunkanaRetriever, MarkdownHierarchyNodeParser
from tests.llamaindex.parts import CountingEmbedding, WordEmbedding
from tests.llamaindex.test_retriever import (
    IRON,
    PROPERTY,
    SMALL,
    STATE,
    TEA,
    bring,
    documents,
    read,
    recording,
    require_exact,
    retriever,
)

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[QdrantClient]:
    """Yield Qdrant on disk."""
    made = QdrantClient(path=str(tmp_path / "vectors"))
    yield made
    made.close()


def stored(client: QdrantClient) -> dict[str, str]:
    """Return the texts that a vector store has, by their ids."""
    if not client.collection_exists("leaves"):
        return {}
    points, _ = client.scroll("leaves", limit=1000)
    return {str(p.id): json.loads((p.payload or {})["_node_content"])["text"] for p in points}


@pytest.mark.parametrize("search", ["hybrid", "dense"])
def test_on_disk_and_loaded_again(search: Any, client: QdrantClient, tmp_path: Path) -> None:  # noqa: ANN401
    store, folder = QdrantVectorStore("leaves", client=client), tmp_path / "index"
    made = retriever(documents(tea=TEA, iron=IRON), vectorstore=store, folder=folder, search=search)
    embedding = CountingEmbedding()
    loaded = ChunkanaRetriever.load(
        folder, embedding, vectorstore=QdrantVectorStore("leaves", client=client), search=search,
        parser=SMALL,
    )  # fmt: skip
    for question in ("80 degrees", "damp silk", "time"):
        found = [one.to_dict() for one in made.retrieve(question)]
        assert [one.to_dict() for one in loaded.retrieve(question)] == found
    changed = documents(tea=TEA.replace("80", "75"), iron=IRON)
    report = loaded.update(changed)
    assert (embedding.count, report.leaves_added, report.leaves_deleted) == (1, 1, 1)
    assert (len(stored(client)), loaded.update(changed).leaves_added) == (5, 0)
    again = ChunkanaRetriever.load(folder, WordEmbedding(), vectorstore=store, parser=SMALL)
    assert "75 degrees" in read(again.retrieve("degrees"))


@settings(max_examples=10, deadline=None)
@given(st.lists(STATE, min_size=1, max_size=3), st.sampled_from(["water", "green tea"]))
def test_after_any_edits_nothing_old_is_found_or_kept(
    states: list[dict[str, str]], question: str
) -> None:
    client = QdrantClient(":memory:")
    embedding, store = recording(), QdrantVectorStore("leaves", client=client)
    made = retriever([], embedding=embedding, parser=PROPERTY, vectorstore=store)
    for state in states:
        embedding.texts.clear()
        bring(made, state)
        assert len(embedding.texts) == len(set(embedding.texts))
        new = QdrantClient(":memory:")
        fresh = retriever(
            documents(**state), parser=PROPERTY, vectorstore=QdrantVectorStore("leaves", client=new)
        )
        assert stored(client) == stored(new)
        found, expected = (
            {one.node.get_content() for one in each.retrieve(question)} for each in (made, fresh)
        )
        assert found == expected
        require_exact(made.retrieve(question), {f"{name}.md": state[name] for name in state})
    client.close()


async def test_a_store_with_an_asynchronous_client_alone() -> None:
    client = AsyncQdrantClient(":memory:")
    store, docstore = QdrantVectorStore("leaves", aclient=client), SimpleDocumentStore()
    options: dict[str, Any] = {"vectorstore": store, "docstore": docstore, "parser": SMALL}
    made = await ChunkanaRetriever.afrom_documents([], WordEmbedding(), **options)
    assert await made.aretrieve("?") == []
    assert (await made.adelete(["unknown"])).deleted == []
    await made.aupdate(documents(tea=TEA, iron=IRON))
    await made.aupdate(documents(tea=TEA.replace("80", "75")))
    loaded = await ChunkanaRetriever.aload(None, WordEmbedding(), **options)
    assert "75 degrees" in read(await loaded.aretrieve("degrees"))
    await loaded.adelete(["tea.md"])
    assert {one.node.ref_doc_id for one in await loaded.aretrieve("tea")} == {"iron.md"}
    assert (await client.count("leaves")).count == 2
    await client.close()


class NoConnection(WordEmbedding):
    """Embeds nothing."""

    def _get_text_embedding(self, text: str) -> list[float]:
        raise ConnectionError(text[:3])


def test_what_failed_before_there_was_a_collection_is_done_next(client: QdrantClient) -> None:
    store, docstore = QdrantVectorStore("leaves", client=client), SimpleKVStore()
    options: dict[str, Any] = {"vectorstore": store, "docstore": docstore}
    with pytest.raises(ConnectionError):
        retriever(documents(tea=TEA), embedding=NoConnection(), **options)
    with pytest.warns(UserWarning, match=r"was not finished.*: tea.md \(before\)"):
        made = retriever(documents(tea=TEA), **options)
    assert "80 degrees" in read(made.retrieve("degrees"))
    assert len(stored(client)) == 3


def test_filters_are_those_of_the_store(client: QdrantClient) -> None:
    only = MetadataFilters(filters=[MetadataFilter(key="topic", value="iron")])
    made = retriever(
        documents(tea=TEA, iron=IRON), filters=only,
        vectorstore=QdrantVectorStore("leaves", client=client),
    )  # fmt: skip
    for found in (made.retrieve("80 degrees"), made.retrieve("Do not wait")):
        assert {one.node.ref_doc_id for one in found} == {"iron.md"}


def test_leaves_that_others_put_there_or_changed_are_not_returned(client: QdrantClient) -> None:
    store = QdrantVectorStore("leaves", client=client)
    made = retriever(documents(tea=TEA), vectorstore=store)
    vector = WordEmbedding().get_text_embedding("80 degrees")
    store.add([TextNode(text="80 degrees, says another tool.", embedding=vector)])
    points, _ = client.scroll("leaves", limit=100, with_vectors=True)
    for point in points:
        forged = {**(point.payload or {}), "section_id": ["x"], "path": 5, "chunkana_leaf_id": {}}
        client.overwrite_payload("leaves", forged, points=[point.id])
    with pytest.warns(UserWarning, match="without a document or id, which are left out"):
        found = made.retrieve("80 degrees")
    require_exact(found, {"tea.md": TEA})
    assert "another tool" not in read(found)


def test_sections_can_be_asked_for_in_the_store(client: QdrantClient) -> None:
    made = retriever(documents(tea=TEA), vectorstore=QdrantVectorStore("leaves", client=client))
    assert made.retrieve("tea")
    points, _ = client.scroll("leaves", limit=100)
    for point in points:
        payload = point.payload or {}
        assert {"section_id", "parent_section_id", "header_path", "content_type",
                "container", "chunkana_leaf_id", "file_name", "topic",
                "format", "kind", "name"} <= payload.keys()  # fmt: skip
        assert payload["doc_id"] == "tea.md"
        assert not {"path", "start_line", "end_line", "start_char_idx", "spans"} & payload.keys()


class Meeting(SimpleVectorStore):
    """Answers questions only when as many are asked at a time as are expected."""

    def __init__(self, expected: int) -> None:
        super().__init__()
        self._expected, self._waiting, self._met = expected, 0, asyncio.Event()

    async def aquery(self, query: VectorStoreQuery, **options: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        self._waiting += 1
        if self._waiting == self._expected:
            self._met.set()
        await self._met.wait()
        return super().query(query, **options)

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        raise AssertionError(query)  # a synchronous call


async def test_questions_are_asked_at_the_same_time() -> None:
    store = Meeting(4)
    made = retriever(documents(tea=TEA, iron=IRON), vectorstore=store)
    async with asyncio.timeout(30):
        answers = await asyncio.gather(*[made.aretrieve("80 degrees") for _ in range(4)])
    assert all("80 degrees" in read(found) for found in answers)


async def test_updates_at_the_same_time_are_done_one_after_the_other() -> None:
    made = retriever(documents(tea=TEA), vectorstore=SimpleVectorStore())
    versions = [documents(tea=TEA.replace("80", str(number))) for number in range(70, 76)]
    reports = await asyncio.gather(*[made.aupdate(version) for version in versions])
    assert [report.leaves_added for report in reports] == [1] * 6
    assert "75 degrees" in read(await made.aretrieve("degrees"))
    assert made.update(versions[-1]).leaves_added == 0


async def test_questions_may_be_asked_while_documents_change() -> None:
    made = retriever(documents(tea=TEA, iron=IRON))
    texts = [TEA.replace("80", str(number)) for number in range(10, 60)]

    def change() -> None:
        for text in texts:
            made.update(documents(tea=text, iron=IRON))

    async def ask() -> None:
        while not changing.done():
            found = await asyncio.to_thread(made.retrieve, "Wait for degrees")
            for one in found:
                assert one.node.get_content()

    changing = asyncio.get_running_loop().run_in_executor(None, change)
    await asyncio.gather(ask(), ask(), changing)
    assert "59 degrees" in read(made.retrieve("degrees"))


class Flat(SimpleVectorStore):
    """Takes flat metadata alone, like Chroma, gives nodes other ids, and no scores."""

    flat_metadata: bool = True
    stores_text: bool = True
    kept: list[BaseNode] = []  # noqa: RUF012 - pydantic copies it

    def add(self, nodes: Sequence[BaseNode], **options: Any) -> list[str]:  # noqa: ANN401
        for node in nodes:
            assert all(isinstance(v, str | int | float | None) for v in node.metadata.values())
        self.kept.extend(nodes)
        return super().add(nodes, **options)

    def query(self, query: VectorStoreQuery, **options: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        ids = super().query(query, **options).ids or []
        known = {node.node_id: node for node in self.kept}
        found = [known[name].model_copy(update={"id_": str(n)}) for n, name in enumerate(ids)]
        return VectorStoreQueryResult(nodes=found)


def test_stores_without_scores_or_ids_or_lists() -> None:
    (tea,) = documents(tea=TEA)
    tea.metadata["tags"] = ["hot"]
    made = retriever([tea, *documents(iron=IRON)], vectorstore=Flat())
    found = made.retrieve("80 degrees")
    assert "80 degrees" in found[0].node.get_content()
    assert found[0].node.metadata["tags"] == ["hot"]


class NoDeletion(BasePydanticVectorStore):
    """Deletes no nodes."""

    stores_text: bool = True

    @property
    def client(self) -> None:
        return None

    def add(self, nodes: Sequence[BaseNode], **_: Any) -> list[str]:  # noqa: ANN401
        raise AssertionError(nodes)

    def delete(self, ref_doc_id: str, **_: Any) -> None:  # noqa: ANN401
        raise AssertionError(ref_doc_id)

    def query(self, query: VectorStoreQuery, **_: Any) -> VectorStoreQueryResult:  # noqa: ANN401
        raise AssertionError(query)


class NumbersAlone(NoDeletion):
    """Knows numbers instead of ids and texts, as FAISS does."""

    stores_text: bool = False

    def delete_nodes(self, *_: Any, **__: Any) -> None:  # noqa: ANN401
        return


@pytest.mark.parametrize("store", [NoDeletion(), NumbersAlone()])
def test_stores_that_cannot_be_kept_up_to_date_are_refused(store: BasePydanticVectorStore) -> None:
    embedding = CountingEmbedding()
    with pytest.raises(ConfigurationError, match="keeps nodes and deletes them by their ids"):
        retriever(documents(tea=TEA), embedding=embedding, vectorstore=store)
    assert embedding.count == 0


def test_an_embeddings_cache_of_the_model_spares_other_processes_the_work(
    client: QdrantClient,
) -> None:
    cache, docstore = SimpleKVStore(), SimpleDocumentStore()
    options: dict[str, Any] = {
        "vectorstore": QdrantVectorStore("leaves", client=client), "docstore": docstore,
    }  # fmt: skip
    retriever(documents(tea=TEA), embedding=WordEmbedding(embeddings_cache=cache), **options)
    embedding = CountingEmbedding(embeddings_cache=cache)
    loaded = ChunkanaRetriever.load(None, embedding, parser=SMALL, **options)
    moved = Document(text=TEA, id_="new.md", metadata={"file_path": "/tea.md"})
    loaded.update([moved], delete_missing=True)
    assert embedding.count == 0
    assert {one.node.ref_doc_id for one in loaded.retrieve("80 degrees")} == {"new.md"}


def test_long_documents_are_changed_in_batches(client: QdrantClient) -> None:
    parser = MarkdownHierarchyNodeParser()
    texts = {f"d{n}": f"# D{n}\n\nAbout item{n}.\n" for n in range(70)}
    made = retriever(
        documents(**texts), vectorstore=QdrantVectorStore("leaves", client=client), parser=parser
    )
    assert len(stored(client)) == 70
    assert made.delete(made.document_ids()).leaves_deleted == 70
    assert stored(client) == {}


class PowerCutError(Exception):
    """The process ends here."""


class Power:
    """Counts changes of stores, after some of which there are none any more."""

    def __init__(self) -> None:
        self.left = 10**9

    def use(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise PowerCutError


class PoweredVectors(SimpleVectorStore):
    """A vector store that may end half-way."""

    def __init__(self, power: Power) -> None:
        super().__init__()
        self._power = power

    def add(self, nodes: Sequence[BaseNode], **options: Any) -> list[str]:  # noqa: ANN401
        self._power.use()
        return super().add(nodes, **options)

    def delete_nodes(self, node_ids: list[str] | None = None, *_: Any, **__: Any) -> None:  # noqa: ANN401
        self._power.use()
        super().delete_nodes(node_ids)


class PoweredRecords(SimpleKVStore):
    """A key-value store that may end half-way."""

    def __init__(self, power: Power) -> None:
        super().__init__()
        self._power = power

    def put(self, key: str, val: dict[str, Any], collection: str = "data") -> None:
        self._power.use()
        super().put(key, val, collection)


@settings(max_examples=40, deadline=None)
@given(STATE, STATE, st.integers(0, 9))
@pytest.mark.filterwarnings("ignore:an update was not finished:UserWarning")
def test_who_ends_half_way_answers_each_document_as_before_or_as_after(
    before: dict[str, str], after: dict[str, str], steps: int
) -> None:
    power = Power()
    store = PoweredVectors(power)
    options: dict[str, Any] = {
        "vectorstore": store, "docstore": PoweredRecords(power), "parser": PROPERTY,
    }  # fmt: skip
    made = retriever(documents(**before), **options)
    power.left = steps
    try:
        bring(made, after)
    except PowerCutError:
        power.left = 10**9
        made = ChunkanaRetriever.load(None, WordEmbedding(), **options)
        for one in made.retrieve("water, green tea or a cup?"):
            name = str(one.node.ref_doc_id).removesuffix(".md")
            known = [texts[name] for texts in (before, after) if name in texts]
            assert any(is_of(one, text) for text in known)
    power.left = 10**9
    bring(made, after)
    expected = SimpleVectorStore()
    retriever(documents(**after), parser=PROPERTY, vectorstore=expected)
    assert store.data.embedding_dict == expected.data.embedding_dict
    assert made.update(documents(**after)).mended == {}


def is_of(found: NodeWithScore, text: str) -> bool:
    """Tell whether a passage is slices of a text, where it says that they are."""
    content, spans = found.node.get_content(), found.node.metadata["spans"]
    return all(end <= len(text) and text[start:end] in content for start, end in spans)
