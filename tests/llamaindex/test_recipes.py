"""LlamaIndex's own retrievers over our nodes: auto-merging, recursive retrieval, trees."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.retrievers import AutoMergingRetriever, RecursiveRetriever
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle, TextNode

from chunkana_llamaindex import (
    AsyncAutoMergingRetriever,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
    recursive_retriever_inputs,
    tree_index,
)
from tests.llamaindex.parts import (
    SECTIONS,
    WordEmbedding,
    book,
    book_parser,
    own_documents,
    section,
)

MERGING = [AutoMergingRetriever, AsyncAutoMergingRetriever]
Merging = type[AutoMergingRetriever]


class Finds(BaseRetriever):
    """Finds certain nodes, the first with the best score."""

    def __init__(self, nodes: Sequence[BaseNode]) -> None:
        self.nodes = nodes
        super().__init__()

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=n, score=1 - k / 100) for k, n in enumerate(self.nodes)]


def merged(
    merging: Merging, nodes: Sequence[BaseNode], hits: Sequence[BaseNode], ratio: float = 0.5
) -> list[str]:
    """Return the texts that auto-merging makes of certain hits."""
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    made = merging(Finds(hits), context, simple_ratio_thresh=ratio)  # type: ignore[arg-type]
    return [one.get_content() for one in made.retrieve("?")]


def leaves(nodes: Sequence[BaseNode], number: int) -> list[BaseNode]:
    """Return the leaves of a section of the book."""
    path = f"/Book/subject{number}"
    return [leaf for leaf in get_leaf_nodes([*nodes]) if leaf.metadata["header_path"] == path]


@pytest.mark.parametrize("merging", MERGING)
def test_one_leaf_of_a_section_stays_and_two_of_three_are_the_section(merging: Merging) -> None:
    nodes = book_parser()([book()])
    first, second, _ = leaves(nodes, 3)
    assert merged(merging, nodes, [first]) == [first.get_content()]
    assert merged(merging, nodes, [first, second]) == [section(3)]
    assert len(merged(merging, nodes, [first, second], 2 / 3)) == 2


@pytest.mark.parametrize("size", [180, 400])
def test_no_single_leaf_ever_returns_more_than_itself(size: int) -> None:
    """The whole document is above the cap; a lone child would be merged up to it."""
    for document in [book(), *own_documents()[:1]]:
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=size)([document])
        context, finds = StorageContext.from_defaults(), Finds([])
        context.docstore.add_documents(nodes)
        for merging in MERGING:
            made = merging(finds, context)  # type: ignore[arg-type]
            for leaf in get_leaf_nodes(nodes):
                finds.nodes = [leaf]
                assert [one.get_content() for one in made.retrieve("?")] == [leaf.get_content()]


@pytest.mark.parametrize("merging", MERGING)
def test_a_gap_between_two_leaves_is_filled(merging: Merging) -> None:
    """With document metadata set, which upstream's infos would copy."""
    nodes = book_parser()([book()])
    last, (gap, first, _) = leaves(nodes, 3)[-1], leaves(nodes, 4)
    found = merged(merging, nodes, [last, first])
    assert sorted(found) == sorted([last.get_content(), section(4)])  # two of three
    found = merged(merging, nodes, [last, first], 0.9)
    assert sorted(found) == sorted(one.get_content() for one in (last, gap, first))


def test_filling_and_merging_come_to_an_end() -> None:
    """LlamaIndex's own class fills a gap again that was merged into its parent, for ever."""
    words = [" ".join(f"{name}{n}" for n in range(8)) + "." for name in "abcdefgh"]
    a, g, *parts, h, b = words
    inner = "\n\n".join(parts)
    text = f"# A\n\n{a}\n\n# P\n\n{g}\n\n## S\n\n{inner}\n\n## H\n\n{h}\n\n# B\n\n{b}\n"
    parser = MarkdownHierarchyNodeParser(max_chunk_size=70, min_chunk_size=0, max_parent_size=200)
    nodes = parser([Document(text=text)])
    lowest = get_leaf_nodes(nodes)
    paths = [node.metadata["header_path"] for node in lowest]
    outer = lowest[paths.index("/A")], lowest[paths.index("/B")]
    between = [node for node, path in zip(lowest, paths, strict=True) if path == "/P/S"]
    endless = [(outer[0], *both, outer[1]) for both in permutations(between, 2)]
    for hits in [*endless, *[*permutations(lowest, 4)][::23]]:
        found = merged(AsyncAutoMergingRetriever, nodes, hits)
        for hit in hits:
            assert isinstance(hit, TextNode)
            assert any(text[hit.start_char_idx : hit.end_char_idx] in one for one in found)


def test_from_documents_to_an_answer() -> None:
    retriever = build_auto_merging([book()], book_parser(), embed_model=WordEmbedding())
    assert isinstance(retriever, AutoMergingRetriever)
    for number in range(SECTIONS):
        question = f"What of subject{number}?"
        found = [one.get_content() for one in retriever.retrieve(question)]
        assert section(number) in found[0]
        later = asyncio.run(retriever.aretrieve(question))
        assert [one.get_content() for one in later] == found


def test_only_leaves_are_indexed_and_everything_is_stored(tmp_path: Path) -> None:
    """Another process finds both again."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=300, include_document_node=True)
    context, embedding, documents = StorageContext.from_defaults(), WordEmbedding(), [book()]
    made = build_auto_merging(documents, parser, embed_model=embedding, storage_context=context)
    nodes = parser(documents)
    assert len(embedding.texts) == sum(not n.child_nodes for n in nodes) - 1  # without the summary
    assert context.docstore.docs.keys() == {node.node_id for node in nodes}
    context.persist(str(tmp_path))
    stored = StorageContext.from_defaults(persist_dir=str(tmp_path))
    index = load_index_from_storage(stored, embed_model=WordEmbedding())
    finds: Any = index.as_retriever(similarity_top_k=6)
    loaded = AsyncAutoMergingRetriever(finds, stored)
    assert [one.to_dict() for one in loaded.retrieve("item5x1")] == [
        one.to_dict() for one in made.retrieve("item5x1")
    ]


def test_a_missing_parent_is_said_before_anything_is_embedded() -> None:
    embedding = WordEmbedding()
    lowest = get_leaf_nodes(book_parser()([book()]))
    with pytest.raises(ValueError, match=r"the parent of node .* is missing; give all nodes"):
        build_auto_merging(lowest, embed_model=embedding)
    assert len(embedding.texts) == 0


async def test_questions_do_not_block_the_loop() -> None:
    """Each waits until all are asked."""

    class Meeting(Finds):
        def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            raise AssertionError(query_bundle)

        async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
            waiting.append(query_bundle)
            if len(waiting) == 4:
                everyone.set()
            await everyone.wait()
            return [NodeWithScore(node=node, score=0.5) for node in self.nodes]

    nodes, waiting, everyone = book_parser()([book()]), list[QueryBundle](), asyncio.Event()
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    made = AsyncAutoMergingRetriever(Meeting(leaves(nodes, 3)), context)  # type: ignore[arg-type]
    async with asyncio.timeout(30):
        answers = await asyncio.gather(*[made.aretrieve("?") for _ in range(4)])
    assert [one.get_content() for one in answers[0]] == [section(3)]
    assert answers == answers[:1] * 4


def test_recursive_retrieval_returns_parents() -> None:
    nodes = book_parser()([book()])
    index_nodes, node_dict = recursive_retriever_inputs(nodes)
    assert len(index_nodes) == len(get_leaf_nodes(nodes))
    assert {node.index_id for node in index_nodes} == node_dict.keys()
    index = VectorStoreIndex(index_nodes, embed_model=WordEmbedding())
    retriever = RecursiveRetriever(
        "vector",
        retriever_dict={"vector": index.as_retriever(similarity_top_k=2)},
        node_dict=node_dict,
    )
    assert [n.get_content() for n in retriever.retrieve("subject8")] == [section(8)]


def test_recursive_retrieval_of_leaves_without_parents_returns_them() -> None:
    nodes = MarkdownHierarchyNodeParser()([Document(text="# A\n\nText.\n")])
    (index_node,), node_dict = recursive_retriever_inputs(nodes)
    assert node_dict == {index_node.index_id: nodes[0]}
    alone = MarkdownHierarchyNodeParser(max_chunk_size=180, include_parents=False)([book()])
    _, node_dict = recursive_retriever_inputs(alone)
    assert node_dict.keys() == {node.node_id for node in alone}


@pytest.mark.parametrize("with_summary", [False, True])
def test_tree_index_runs_without_a_model(*, with_summary: bool) -> None:
    parser = MarkdownHierarchyNodeParser(
        max_chunk_size=180, min_chunk_size=0, include_document_node=with_summary
    )
    nodes = parser([book(), Document(text="# Other\n\nText.\n", id_="other")])
    context = StorageContext.from_defaults()
    index = tree_index(nodes, storage_context=context)
    assert context.docstore.docs.keys() == {node.node_id for node in nodes}

    roots = index.as_retriever(retriever_mode="root").retrieve("?")
    if with_summary:
        assert [n.metadata["content_type"] for n in roots] == ["document"] * 2
    else:
        expected = {n.node_id for n in get_root_nodes(nodes)}
        assert {n.node_id for n in roots} == expected
    every = index.as_retriever(retriever_mode="all_leaf").retrieve("?")
    assert {n.node_id for n in get_leaf_nodes(nodes)} <= {n.node_id for n in every}
    best = index.as_retriever(
        retriever_mode="select_leaf_embedding", embed_model=WordEmbedding()
    ).retrieve("What of subject5 and item5x1?")
    assert [n.metadata["header_path"] for n in best] == ["/Book/subject5"]
    assert "item5x1" in best[0].get_content()


def test_a_document_s_own_content_type_makes_no_summaries() -> None:
    document = Document(text=section(1), metadata={"content_type": "document"})
    with pytest.warns(UserWarning, match="content_type"):
        nodes = book_parser()([document])
    roots = tree_index(nodes).as_retriever(retriever_mode="root").retrieve("?")
    assert {n.node_id for n in roots} == {n.node_id for n in get_root_nodes(nodes)}
