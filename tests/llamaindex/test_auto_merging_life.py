"""Auto-merging while documents change: what is returned is stored today, and nothing piles up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores import SimpleVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex import (
    ChunkanaAutoMergingRetriever,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    ScorePropagation,
    build_auto_merging,
)
from tests.llamaindex.parts import (
    CountingEmbedding,
    FailingEmbedding,
    WordEmbedding,
    book,
    book_parser,
    section,
)

PARSER = MarkdownHierarchyNodeParser(max_chunk_size=60, min_chunk_size=0)
PARAGRAPHS = ["Boil the water first, then wait.", "Green tea takes 80 degrees.", "## Tea", "## Cup",
              "A cup is for two."]  # fmt: skip
TEXT = st.lists(st.sampled_from(PARAGRAPHS), min_size=1, max_size=7).map("\n\n".join)
STATE = st.dictionaries(st.sampled_from(["a", "b", "c"]), TEXT, min_size=1, max_size=3)
FIRST = {"a": "## Tea\n\nGreen tea takes 80 degrees.", "b": "## Cup\n\nA cup is for two."}


def documents(texts: dict[str, str]) -> list[Document]:
    return [Document(text=text, id_=name) for name, text in texts.items()]


def built(texts: dict[str, str], **options: Any) -> ChunkanaAutoMergingRetriever:  # noqa: ANN401
    given: dict[str, Any] = {"embed_model": WordEmbedding(), "fetch_k": 40, **options}
    return build_auto_merging(documents(texts), PARSER, **given)


def described(nodes: list[BaseNode]) -> dict[str, dict[str, Any]]:
    return {node.node_id: node.to_dict() for node in nodes}


@settings(max_examples=25, deadline=None)
@given(st.lists(STATE, min_size=1, max_size=4), st.sampled_from(["water", "green tea", "cup"]))
def test_after_any_edits_what_is_returned_is_of_todays_documents(
    states: list[dict[str, str]], question: str
) -> None:
    context, embedding = StorageContext.from_defaults(), CountingEmbedding()
    retriever = built(FIRST, storage_context=context, embed_model=embedding)
    for texts in states:
        retriever.update(documents(texts), delete_missing=True)
        today = described(PARSER(documents(texts)))
        assert {name: node.to_dict() for name, node in context.docstore.docs.items()} == today
        vectors = context.vector_store
        assert isinstance(vectors, SimpleVectorStore)
        assert vectors.data.embedding_dict.keys() == {
            leaf.node_id for leaf in LeafNodes()(PARSER(documents(texts)))
        }
        infos = context.docstore.get_all_ref_doc_info() or {}
        assert {name for info in infos.values() for name in info.node_ids} == today.keys()
        fresh = [one.node.to_dict() for one in built(texts).retrieve(question)]
        found = [one.node.to_dict() for one in retriever.retrieve(question)]
        assert all(one in today.values() for one in found)
        assert sorted(map(str, found)) == sorted(map(str, fresh))
        count = embedding.count
        report = retriever.update(documents(texts), delete_missing=True)
        assert (report.changed, report.deleted, report.leaves_added) == ([], [], 0)
        assert embedding.count == count


def test_one_paragraph_that_changed_is_all_that_is_embedded() -> None:
    embedding = CountingEmbedding()
    retriever = build_auto_merging([book()], book_parser(), embed_model=embedding)
    count, changed = embedding.count, book()
    changed.set_content(book().text.replace("item5x2 is", "item5x2 was"))
    report = retriever.update([changed])
    assert (report.changed, report.leaves_added, embedding.count) == (["book"], 1, count + 1)
    best = retriever.retrieve("subject5")[0].get_content()
    assert section(5).replace("item5x2 is", "item5x2 was") in best


async def test_the_same_asynchronously() -> None:
    context = StorageContext.from_defaults()
    retriever = built(FIRST, storage_context=context)
    changed = {**FIRST, "a": "## Tea\n\nGreen tea takes 75 degrees."}
    assert (await retriever.aupdate(documents(changed))).changed == ["a"]
    found = await retriever.aretrieve("degrees")
    assert "75 degrees" in found[0].get_content()
    assert (await retriever.adelete(["a", "x"])).deleted == ["a"]
    assert {one.node.ref_doc_id for one in await retriever.aretrieve("degrees")} == {"b"}
    assert described([*context.docstore.docs.values()]) == described(
        [*PARSER(documents({"b": FIRST["b"]}))]
    )
    assert (await retriever.aupdate(documents(FIRST), delete_missing=True)).added == ["a"]
    with pytest.raises(ConfigurationError, match="delete_missing"):
        await retriever.aupdate([], delete_missing=True)
    with pytest.raises(ConfigurationError, match="delete_missing"):
        retriever.update([], delete_missing=True)
    assert retriever.document_ids() == await retriever.adocument_ids() == ["b", "a"]
    await retriever.adelete(retriever.document_ids())
    assert retriever.document_ids() == []


def test_an_update_that_failed_is_done_by_the_next() -> None:
    context = StorageContext.from_defaults()
    built(FIRST, storage_context=context)
    failing = FailingEmbedding()
    failing.count = 9
    vectors = context.vector_store
    index = VectorStoreIndex([], storage_context=context, embed_model=failing)
    retriever = build_auto_merging(parser=PARSER, index=index)
    changed = {**FIRST, "a": "## Tea\n\nGreen tea takes 75 degrees."}
    with pytest.raises(RuntimeError, match="no connection"):
        retriever.update(documents(changed))
    found: list[NodeWithScore] = []
    with suppress(AssertionError):  # LlamaIndex 0.13's, where an index has no node
        found = retriever.retrieve(QueryBundle("", embedding=[1.0] * 512))
    assert not [one for one in found if "80" in one.get_content()]
    again = VectorStoreIndex([], storage_context=context, embed_model=WordEmbedding())
    mended = build_auto_merging(parser=PARSER, index=again)
    assert mended.update(documents(changed)).changed == ["a"]
    assert "75 degrees" in mended.retrieve("75 degrees")[0].get_content()
    assert isinstance(vectors, SimpleVectorStore)
    assert len(vectors.data.embedding_dict) == 2


class Meeting(BaseRetriever):
    """Answers questions only when as many are asked at a time as are expected."""

    def __init__(self, nodes: list[BaseNode], expected: int) -> None:
        self._nodes, self._expected, self._waiting = nodes, expected, 0
        self._met = asyncio.Event()
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        raise AssertionError(query_bundle)  # a synchronous call

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        self._waiting += 1
        if self._waiting == self._expected:
            self._met.set()
        await self._met.wait()
        assert query_bundle.query_str == "?"
        return [NodeWithScore(node=node, score=0.5) for node in self._nodes]


async def test_questions_are_asked_at_the_same_time() -> None:
    nodes = book_parser()([book()])
    leaves = [*LeafNodes()(nodes)][:3]
    retriever = build_auto_merging(
        nodes, base_retriever=Meeting(leaves, 4), node_postprocessors=[ScorePropagation()]
    )
    async with asyncio.timeout(30):
        answers = await asyncio.gather(*[retriever.aretrieve("?") for _ in range(4)])
    assert all(answer and answer == answers[0] for answer in answers)


@pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")
async def test_a_store_with_an_asynchronous_client_alone() -> None:
    qdrant = pytest.importorskip("llama_index.vector_stores.qdrant")
    from qdrant_client import AsyncQdrantClient

    client = AsyncQdrantClient(":memory:")
    store = qdrant.QdrantVectorStore("leaves", aclient=client)
    index = VectorStoreIndex.from_vector_store(store, embed_model=WordEmbedding())
    context = StorageContext.from_defaults()
    context.docstore.add_documents([TextNode(text="Of something else.")])
    retriever = build_auto_merging(parser=PARSER, index=index, storage_context=context)
    await retriever.aupdate(documents(FIRST))
    await retriever.aupdate(documents({**FIRST, "a": "## Tea\n\nGreen tea takes 75 degrees."}))
    assert "75 degrees" in (await retriever.aretrieve("degrees"))[0].get_content()
    assert (await client.count("leaves")).count == 2
    await retriever.adelete(["a", "b"])
    assert (await client.count("leaves")).count == 0
    await client.close()


def test_what_a_retriever_of_the_callers_finds_is_returned_as_it_is_stored() -> None:
    class Finds(BaseRetriever):
        def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
            return [NodeWithScore(node=node, score=1.0) for node in old]

    old = [*LeafNodes()(PARSER(documents(FIRST)))]
    context = StorageContext.from_defaults()
    retriever = build_auto_merging(
        documents(FIRST), PARSER, base_retriever=Finds(), storage_context=context
    )
    moved = {**FIRST, "a": "Above.\n\n" + FIRST["a"]}
    assert retriever.update(documents(moved)).changed == ["a"]
    for one in retriever.retrieve("?"):
        node = one.node
        assert isinstance(node, TextNode)
        assert moved[str(node.ref_doc_id)][node.start_char_idx : node.end_char_idx] == node.text


def test_documents_are_checked() -> None:
    retriever = built(FIRST)
    with pytest.raises(ConfigurationError, match="documents with different ids"):
        retriever.update(documents(FIRST) * 2)
    with pytest.raises(ConfigurationError, match="document_ids"):
        retriever.delete("a")
