"""`ChunkanaRetriever` over vector stores of LlamaIndex's, and filters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.schema import BaseNode
from llama_index.core.storage.kvstore import SimpleKVStore
from llama_index.core.vector_stores import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex import ChunkanaRetriever
from tests.conformance.over_llamaindex import answers_of
from tests.conformance.texts import assert_true
from tests.llamaindex.parts import WordEmbedding
from tests.llamaindex.test_retriever import (
    IRON,
    QUESTION,
    SMALL,
    TEA,
    documents,
    read,
    retriever,
    sources,
)

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")

# Filters


def filters(*given: tuple[str, Any, str], condition: str = "and") -> MetadataFilters:
    """Return filters of a key, a value and an operator each."""
    made = [MetadataFilter(key=k, value=v, operator=FilterOperator(o)) for k, v, o in given]
    return MetadataFilters(filters=[*made], condition=FilterCondition(condition))


FILTERS = [
    *(filters(("year", 2020, operator)) for operator in ("==", "!=", ">", ">=", "<", "<=")),
    *(filters(("topic", ["tea", "milk"], operator)) for operator in ("in", "nin")),
    *(filters(("tags", ["hot", "wet"], operator)) for operator in ("any", "all")),
    filters(("tags", "hot", "contains")),
    filters(("topic", "ea", "text_match")),
    filters(("missing", None, "is_empty")),
    filters(("missing", "x", "==")),
    filters(("topic", "tea", "=="), ("year", 2021, "==")),
    filters(("topic", "tea", "=="), ("year", 2021, "=="), condition="or"),
    filters(("header_path", "/Tea/Green", "==")),
    filters(("format", "markdown", "==")),
    MetadataFilters(filters=[]),
]


@pytest.mark.parametrize("given", FILTERS, ids=lambda one: one.model_dump_json()[12:90])
def test_filters_are_those_of_a_simple_vector_store(given: MetadataFilters) -> None:
    """Where vectors are in the index, for each search, as LlamaIndex's own store filters them."""
    known = documents(tea=TEA, iron=IRON)
    for number, (one, tags) in enumerate(zip(known, (["hot", "wet"], ["hot"]), strict=True)):
        one.metadata |= {"year": 2020 + number, "tags": tags}
    store = SimpleVectorStore()
    theirs = retriever(known, vector_store=store, search="dense", budget=10**6)
    expected = read(theirs.with_options(filters=given).retrieve("degrees, hot"))
    ours = retriever(known, search="dense", budget=10**6)
    assert read(ours.with_options(filters=given).retrieve("degrees, hot")) == expected
    words = ours.with_options(filters=given, search="lexical", around=())
    assert sources(words.retrieve("tea iron")) == sources(
        theirs.with_options(filters=given, search="lexical").retrieve("tea iron")
    )


@pytest.mark.parametrize("has_store", [False, True])
def test_a_dict_filters_by_equal_values(*, has_store: bool) -> None:
    made = retriever(vector_store=SimpleVectorStore() if has_store else None)
    assert sources(made.with_options(filters={}).retrieve(QUESTION)) == {"tea.md", "iron.md"}
    for wanted in ({"topic": "iron"}, {"topic": "iron", "format": "markdown"}):
        assert sources(made.with_options(filters=wanted).retrieve(QUESTION)) == {"iron.md"}
        later = asyncio.run(made.with_options(filters=wanted).aretrieve(QUESTION))
        assert sources(later) == {"iron.md"}
    assert made.with_options(filters={"topic": "milk"}).retrieve(QUESTION) == []


@pytest.mark.parametrize("given", ["team", {1: "leaf"}, {"team": True}, {"team": 1j}], ids=str)
def test_filters_that_are_none(given: object) -> None:
    with pytest.raises(ConfigurationError) as raised:
        retriever(filters=given)
    assert str(raised.value) == (
        f"filters is {given!r}; allowed: None, MetadataFilters, or a dict of equal values, such as "
        '{"format": "markdown"}'
    )


# Stores


def test_leaves_in_a_store_have_metadata_to_filter_by() -> None:
    store = SimpleVectorStore()
    retriever(documents(tea=TEA), vector_store=store)
    assert len(store.data.metadata_dict) == 3
    assert {*store.data.text_id_to_ref_doc_id.values()} == {"tea.md"}
    for metadata in store.data.metadata_dict.values():
        assert {"section_id", "parent_section_id", "header_path", "content_type", "container",
                "format", "kind", "name", "file_name", "topic", "chunkana_leaf_id",
               } <= metadata.keys()  # fmt: skip
        assert not {"path", "start_line", "end_line", "start_char_idx", "spans"} & metadata.keys()


async def test_a_store_with_an_asynchronous_client_alone(tmp_path: Path) -> None:
    qdrant = pytest.importorskip("llama_index.vector_stores.qdrant")
    client = pytest.importorskip("qdrant_client").AsyncQdrantClient(":memory:")
    store = qdrant.QdrantVectorStore("leaves", aclient=client)
    options: dict[str, Any] = {"vector_store": store, "node_parser": SMALL, "folder": tmp_path}
    made = await ChunkanaRetriever.afrom_documents([], WordEmbedding(), **options)
    assert await made.aretrieve("?") == []
    await made.aupdate(documents(tea=TEA, iron=IRON))
    await made.aupdate(documents(tea=TEA.replace("80", "75")))
    loaded = await ChunkanaRetriever.aload(embed_model=WordEmbedding(), **options)
    assert "75 degrees" in read(await loaded.aretrieve("degrees"))
    assert await loaded.arepair() == []
    await loaded.adelete(["tea.md"])
    assert sources(await loaded.aretrieve("tea")) == {"iron.md"}
    assert (await client.count("leaves")).count == 2
    with pytest.raises(AttributeError):  # LlamaIndex's, of a client that is None
        loaded.retrieve("tea")
    await client.close()


def test_an_embeddings_cache_of_the_model_spares_the_work() -> None:
    cache, options = SimpleKVStore(), dict[str, Any](vector_store=SimpleVectorStore())
    retriever(embed_model=WordEmbedding(embeddings_cache=cache), **options)
    embedding = WordEmbedding(embeddings_cache=cache)
    moved = documents(tea=TEA)
    moved[0].metadata["topic"] = "other"
    retriever(moved, embed_model=embedding, **options)
    assert embedding.texts == []


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
    tea.metadata |= {"tags": ["hot"], "odd": "\ud800"}
    made = retriever([tea, *documents(iron=IRON)], vector_store=Flat())
    found = made.retrieve("80 degrees")
    assert "80 degrees" in found[0].node.get_content()
    assert found[0].node.metadata["tags"] == ["hot"]
    assert_true(answers_of(found), {"tea.md": TEA, "iron.md": IRON})


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
    with pytest.raises(ConfigurationError, match="keeps nodes and deletes them by their ids"):
        retriever(vector_store=store)


def test_wrong_vectors_do_not_get_into_a_store() -> None:
    class Zero(WordEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return [0.0] * len(text)

    store = SimpleVectorStore()
    with pytest.raises(ConfigurationError, match=r"embed_model is .a model that returned a vector"):
        retriever(vector_store=store, embed_model=Zero())
    assert store.data.embedding_dict == {}
