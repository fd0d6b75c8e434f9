"""`ScorePropagation`: the rule of tests/retrieval/test_scores.py over nodes, whoever found them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import pytest
from llama_index.core import Document, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from pydantic import ValidationError

from chunkana_llamaindex import (
    LeafNodes,
    MarkdownHierarchyNodeParser,
    ScorePropagation,
    build_auto_merging,
)
from tests.llamaindex.parts import WordEmbedding, book, book_parser

KETTLE = """# Kettle

## Cleaning

Descale the kettle once a month, whatever water you have.

Pour vinegar in, wait for an hour, and rinse twice.

## Warranty

Two years, from the day on the receipt.
"""
OTHER = """# {name}

## Cleaning

Descale the {name} once a year{more}.

## Filling

Use the cup once, and water that is not hard.
"""
DOCUMENTS = [
    Document(text=KETTLE, id_="kettle.md"),
    *(
        Document(text=OTHER.format(name=name, more=" or later" * number), id_=name)
        for number, name in enumerate(("iron", "boiler", "steamer", "shower"))
    ),
]
PARSER = MarkdownHierarchyNodeParser(max_chunk_size=90, min_chunk_size=0, header_context="none")
QUERY = "Descale once a month?"


def node(name: str, document: str | None = None, section: str | None = None) -> TextNode:
    """Return a node of a document and section, or of none."""
    made = TextNode(
        text=name, id_=name, metadata={} if section is None else {"section_id": section}
    )
    if document is not None:
        made.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=document)
    return made


def names(nodes: Sequence[NodeWithScore]) -> str:
    """Return the texts of nodes, joined."""
    return "".join(found.node.get_content() for found in nodes)


def scored(*nodes: tuple[TextNode, float | None]) -> list[NodeWithScore]:
    """Return nodes with their scores."""
    return [NodeWithScore(node=made, score=score) for made, score in nodes]


FOUND = [
    (node("a", "x", "s"), 0.9),
    (node("b", "y", "s"), 0.8),
    (node("c", "y", "t"), 0.7),
    (node("d", "x", "s"), 0.65),
    (node("e", "x", "t"), 0.6),
]


async def test_the_section_of_the_best_comes_first_with_the_new_scores() -> None:
    """In copies, since the nodes of a store in memory are shared by all who ask it."""
    found, propagation = scored(*FOUND), ScorePropagation()
    before = [one.model_copy(deep=True) for one in found]
    got = propagation.postprocess_nodes(found)
    assert names(got) == "abdce"
    assert [one.score for one in got] == pytest.approx([1.44, 1.28, 1.19, 1.14, 1.02])
    assert found == before
    assert {id(one) for one in got}.isdisjoint(map(id, found))
    assert await propagation.apostprocess_nodes(scored(*FOUND[::-1])) == got
    assert names(ScorePropagation(top_n=3).postprocess_nodes(found)) == "abd"
    assert propagation.postprocess_nodes([]) == []


def test_nodes_that_are_not_ours_have_their_document_alone() -> None:
    """And those without a document nothing."""
    found = scored((node("a", "x"), 1.0), (node("b", "x"), 0.0), (node("c"), 0.5), (node("d"), 0.0))
    got = ScorePropagation().postprocess_nodes(found)
    assert names(got) == "acbd"
    assert [one.score for one in got] == pytest.approx([1.6, 0.8, 0.2, 0.0])


@pytest.mark.parametrize("shift", [0.0, -5.0])
def test_only_the_best_take_part_and_others_stay_behind_in_order(shift: float) -> None:
    """Also where scores are negative, as rerankers give."""
    found = scored(*((made, score + shift) for made, score in FOUND))
    got = ScorePropagation(top_k=2).postprocess_nodes(found)
    assert names(got) == "abcde"
    assert [one.get_score() for one in got] == sorted(map(NodeWithScore.get_score, got))[::-1]
    assert names(ScorePropagation(top_k=4).postprocess_nodes(found)) == "abdce"


def test_nodes_without_a_score_stay_behind_in_order_as_they_are() -> None:
    """As do those whose score is no number; a retriever without scores keeps its order."""
    found = scored((node("n", "x", "s"), None), *FOUND, (node("m", "x", "s"), nan))
    got = ScorePropagation().postprocess_nodes(found)
    assert names(got) == "abdcenm"
    assert (got[5], got[6]) == (found[0], found[-1])
    without = scored(*((made, None) for made, _ in FOUND))
    assert ScorePropagation().postprocess_nodes(without) == without


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("section_weight", -0.1), ("section_weight", inf), ("document_weight", nan),
        ("document_weight", "much"), ("top_k", 0), ("top_n", 0), ("top_n", 1.5), ("weight", 0.4),
    ],
)  # fmt: skip
def test_values_that_are_not_allowed_are_named(field: str, value: object) -> None:
    options: dict[str, Any] = {field: value}
    with pytest.raises(ValidationError, match=field):
        ScorePropagation(**options)


def test_it_is_serialised_with_its_fields() -> None:
    made = ScorePropagation(section_weight=0.6, document_weight=0.3, top_k=20, top_n=5)
    assert made.to_dict() == {
        "section_weight": 0.6, "document_weight": 0.3, "top_k": 20, "top_n": 5,
        "class_name": "ChunkanaScorePropagation",
    }  # fmt: skip
    assert ScorePropagation.from_dict(made.to_dict()).to_dict() == made.to_dict()
    assert ScorePropagation.from_json(made.to_json()).to_dict() == made.to_dict()


# Beside LlamaIndex's retrievers


def place(found: Sequence[NodeWithScore], words: str) -> int:
    """Return the place of the node that has some words."""
    (at,) = (number for number, one in enumerate(found) if words in one.node.get_content())
    return at


@pytest.mark.parametrize("mode", ["vector", "bm25", *FUSION_MODES])
def test_the_rest_of_the_best_section_is_lifted_whoever_finds(mode: Any) -> None:  # noqa: ANN401
    """The sentence on vinegar has no word of the question, but stands below one that has all."""
    leaves = LeafNodes()(PARSER(DOCUMENTS))
    count = len(leaves)
    index = VectorStoreIndex(leaves, embed_model=WordEmbedding())
    made: Any = index.as_retriever(similarity_top_k=count)
    if mode != "vector":
        bm25 = pytest.importorskip("llama_index.retrievers.bm25").BM25Retriever
        words = bm25.from_defaults(nodes=leaves, similarity_top_k=count)
        made = words if mode == "bm25" else QueryFusionRetriever(
            [made, words], llm=MockLLM(), mode=mode, num_queries=1, use_async=False,
            similarity_top_k=count,
        )  # fmt: skip
    found = made.retrieve(QUERY)
    got = ScorePropagation().postprocess_nodes(found, query_str=QUERY)
    assert place(got, "a month") == place(found, "a month") == 0
    assert place(got, "vinegar") < place(found, "vinegar")
    assert {one.node.node_id for one in got} == {one.node.node_id for one in found}


def test_in_a_query_engine() -> None:
    leaves = LeafNodes()(PARSER(DOCUMENTS))
    index = VectorStoreIndex(leaves, embed_model=WordEmbedding())
    strong = ScorePropagation(section_weight=100, top_n=2)  # the best section alone is left
    engine = RetrieverQueryEngine.from_args(
        index.as_retriever(similarity_top_k=len(leaves)),
        llm=MockLLM(),
        node_postprocessors=[strong],
    )
    sources = engine.query(QUERY).source_nodes
    assert [one.node.metadata["header_path"] for one in sources] == ["/Kettle/Cleaning"] * 2


def test_after_merging_sections_and_leaves_take_part() -> None:
    """What was merged is a node like any other, of its document."""
    retriever = build_auto_merging(
        [book(), *DOCUMENTS], book_parser(), embed_model=WordEmbedding(), similarity_top_k=12
    )
    found = retriever.retrieve("item3x1 of subject3, item5x2")
    got = ScorePropagation().postprocess_nodes(found)
    assert any(NodeRelationship.CHILD in one.node.relationships for one in found)
    assert got[0].node == found[0].node
    assert {one.node_id for one in got} == {one.node_id for one in found}
