"""`build_auto_merging`: leaves are found, sections read, and what is missing is said at once."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import (
    Document,
    StorageContext,
    VectorStoreIndex,
    load_index_from_storage,
)
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import MockEmbedding
from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import BaseNode, NodeRelationship, NodeWithScore, QueryBundle, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import MetadataFilter, MetadataFilters

from chunkana_core import ConfigurationError
from chunkana_llamaindex import (
    LeafNodes,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)
from tests.llamaindex.parts import (
    SECTIONS,
    CountingEmbedding,
    FailingEmbedding,
    WordEmbedding,
    book,
    book_parser,
    own_documents,
    section,
)


class Finds(BaseRetriever):
    """Finds certain nodes, the first with the best score."""

    def __init__(self, nodes: list[BaseNode]) -> None:
        self.nodes = nodes
        super().__init__()

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        scores = (1 - number / 100 for number, _ in enumerate(self.nodes))
        return [NodeWithScore(node=n, score=s) for n, s in zip(self.nodes, scores, strict=True)]


class Scored(BaseRetriever):
    """Finds certain nodes with certain scores."""

    def __init__(self, nodes: list[NodeWithScore]) -> None:
        self.nodes = nodes
        super().__init__()

    def _retrieve(self, _: QueryBundle) -> list[NodeWithScore]:
        return self.nodes


def found(retriever: AutoMergingRetriever, query: str = "?") -> list[str]:
    """Return the texts of what is retrieved, in order of their scores."""
    return [node.get_content() for node in retriever.retrieve(query)]


def leaves(nodes: list[BaseNode], number: int) -> list[BaseNode]:
    """Return the leaves of a section of the book."""
    path = f"/Book/subject{number}"
    return [leaf for leaf in get_leaf_nodes(nodes) if leaf.metadata["header_path"] == path]


def span(node: BaseNode) -> tuple[int, int]:
    """Return the offsets of a node."""
    assert isinstance(node, TextNode)
    assert node.start_char_idx is not None
    assert node.end_char_idx is not None
    return node.start_char_idx, node.end_char_idx


def test_one_leaf_of_a_section_stays_and_two_of_three_are_the_section() -> None:
    nodes = book_parser()([book()])
    parts = leaves(nodes, 3)
    assert len(parts) == 3
    one = build_auto_merging(nodes, base_retriever=Finds(parts[:1]))
    assert found(one) == [parts[0].get_content()]
    two = build_auto_merging(nodes, base_retriever=Finds(parts[:2]))
    assert found(two) == [section(3)]


def test_of_exactly_half_of_the_children_none_is_merged() -> None:
    """More than the ratio have to be found."""
    nodes = book_parser()([book()])
    build = build_auto_merging(nodes, base_retriever=Finds(leaves(nodes, 3)[:2]), ratio=2 / 3)
    assert len(found(build)) == 2


@pytest.mark.parametrize("size", [180, 400])
def test_no_single_leaf_ever_returns_more_than_itself(size: int) -> None:
    """The whole document is above the cap; a lone child would be merged up to it."""
    for document in [book(), *own_documents()]:
        nodes = MarkdownHierarchyNodeParser(max_chunk_size=size)([document])
        finds = Finds([])
        retriever = build_auto_merging(nodes, base_retriever=finds)
        for leaf in get_leaf_nodes(nodes):
            finds.nodes = [leaf]
            assert found(retriever) == [leaf.get_content()]


def test_all_leaves_are_at_most_as_large_as_parents_may_be() -> None:
    nodes = book_parser()([book()])
    texts = found(build_auto_merging(nodes, base_retriever=Finds(get_leaf_nodes(nodes))))
    assert 1 < len(texts) < len(get_leaf_nodes(nodes))
    assert max(map(len, texts)) <= 720


def test_results_have_the_scores_of_the_best_in_them_and_come_by_these() -> None:
    nodes = book_parser()([book()])
    first, *_, last = leaves(nodes, 3)
    between = leaves(nodes, 5)[0]
    retriever = build_auto_merging(nodes, base_retriever=Finds([first, between, last]))
    got = retriever.retrieve("?")
    assert [node.get_content() for node in got] == [section(3), between.get_content()]
    # Scores that are propagated: the section and the document of the second have a better one.
    assert [node.score for node in got] == pytest.approx([1.6, 0.99 * 1.4 + 0.2])


def test_a_gap_between_two_leaves_is_filled() -> None:
    """With document metadata set, which upstream's infos would copy."""
    nodes = book_parser()([book()])
    last, first = leaves(nodes, 3)[-1], leaves(nodes, 4)[1]
    gap = leaves(nodes, 4)[0]
    texts = found(build_auto_merging(nodes, base_retriever=Finds([last, first])))
    assert texts == [last.get_content(), section(4)]  # with the gap, two of three were found
    one = build_auto_merging(nodes, base_retriever=Finds([last, first]), ratio=0.9)
    assert sorted(found(one)) == sorted(n.get_content() for n in (last, gap, first))


def test_a_gap_is_not_filled_with_what_was_found_anyway() -> None:
    """The leaf between two others came third: once is enough."""
    nodes = book_parser()([book()])
    first, second, third = leaves(nodes, 5)
    retriever = build_auto_merging(nodes, base_retriever=Finds([first, third, second]), ratio=1)
    assert found(retriever) == [n.get_content() for n in (first, third, second)]


def test_a_part_of_what_is_returned_is_not_returned_besides() -> None:
    """On one level a section is merged of its parts, on the next its siblings into the whole."""
    parts = "\n\n".join(f"Sentence {n} of some words." for n in range(4))
    text = f"# T\n\nIntroduction.\n\n## A\n\n{parts}\n\n## B\n\nAn end."
    parser = MarkdownHierarchyNodeParser(max_chunk_size=90, min_chunk_size=0, introductions=False)
    nodes = parser([Document(text=text)])
    introduction, first, second, end = get_leaf_nodes(nodes)
    retriever = build_auto_merging(nodes, base_retriever=Finds([introduction, end, first, second]))
    assert found(retriever) == [text]


@pytest.mark.parametrize("number", range(SECTIONS))
def test_from_documents_to_an_answer(number: int) -> None:
    retriever = build_auto_merging([book()], book_parser(), embed_model=WordEmbedding(), k=3)
    assert isinstance(retriever, AutoMergingRetriever)
    text, *others = found(retriever, f"What of subject{number}?")
    assert len(others) == 2
    assert section(number) in text


async def test_asynchronously_the_same() -> None:
    retriever = build_auto_merging([book()], book_parser(), embed_model=WordEmbedding(), k=3)
    assert (await retriever.aretrieve("subject7"))[0].get_content() == section(7)


def test_only_leaves_are_indexed_and_everything_is_stored() -> None:
    embedding = CountingEmbedding()
    context = StorageContext.from_defaults()
    build_auto_merging([book()], book_parser(), embed_model=embedding, storage_context=context)
    nodes = book_parser()([book()])
    assert embedding.count == len(get_leaf_nodes(nodes))
    assert context.docstore.docs.keys() == {node.node_id for node in nodes}


def test_an_index_persisted_and_loaded_answers_the_same(tmp_path: Path) -> None:
    documents = own_documents()[:6]
    context = StorageContext.from_defaults()
    parser = MarkdownHierarchyNodeParser(max_chunk_size=300)
    built = build_auto_merging(
        documents, parser, embed_model=WordEmbedding(), storage_context=context
    )
    context.persist(str(tmp_path))
    stored = StorageContext.from_defaults(persist_dir=str(tmp_path))
    index = load_index_from_storage(stored, embed_model=WordEmbedding())
    loaded = build_auto_merging(index=index)
    for query in ("configuration options", "install", "What does the table say?"):
        again, before = loaded.retrieve(query), built.retrieve(query)
        assert [n.to_dict() for n in again] == [n.to_dict() for n in before]
        assert again


def test_nodes_stored_of_a_document_are_replaced_and_no_others() -> None:
    """Also by none, where a document has no text any longer."""
    context = StorageContext.from_defaults()
    other = Document(text="# Other\n\nNothing of it.\n", id_="other")
    changed = Document(text="# Other\n\nAll of it.\n", id_="other")
    blank = Document(text=" \n", id_="other")
    texts: list[list[str]] = []
    for version in (other, changed, blank):
        build_auto_merging(
            [book(), version], book_parser(), storage_context=context, base_retriever=Finds([])
        )
        stored = context.docstore.docs.values()
        texts.append([n.get_content() for n in stored if n.ref_doc_id == "other"])
        assert sum(n.ref_doc_id == "book" for n in stored) == len(book_parser()([book()]))
    assert texts == [["# Other\n\nNothing of it."], ["# Other\n\nAll of it."], []]


def test_a_changed_document_replaces_its_leaves_in_an_index() -> None:
    embedding = CountingEmbedding()
    context = StorageContext.from_defaults()
    other = Document(text="# Other\n\nNothing of it.\n", id_="other")
    nodes = book_parser()([book(), other])
    index = VectorStoreIndex(LeafNodes()(nodes), storage_context=context, embed_model=embedding)
    build_auto_merging(nodes, index=index)
    first = embedding.count

    changed = Document(text="# Other\n\nAll of subject99.\n", id_="other")
    again = book_parser()([book(), changed])
    with pytest.raises(
        ValueError, match=r"the index lacks .* of document other; give no index, or"
    ):
        build_auto_merging(again, index=index)
    retriever = build_auto_merging(parser=book_parser(), index=index)
    retriever.update([changed])
    assert embedding.count == first + 1
    assert found(retriever, "subject99")[0] == "# Other\n\nAll of subject99."
    assert not any("Nothing of it" in text for text in found(retriever, "Nothing of it"))


def test_an_embedding_that_fails_leaves_no_trace_in_the_next_try() -> None:
    context, embedding = StorageContext.from_defaults(), FailingEmbedding()
    with pytest.raises(RuntimeError, match="no connection"):
        build_auto_merging([book()], book_parser(), storage_context=context, embed_model=embedding)
    retriever = build_auto_merging(
        [book()], book_parser(), storage_context=context, embed_model=WordEmbedding()
    )
    assert found(retriever, "subject7 item7x1")


def test_a_deleted_document_leaves_nothing_behind() -> None:
    other = Document(text="# Other\n\nAll of subject99.\n", id_="other")
    nodes = book_parser()([book(), other])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=WordEmbedding())
    retriever = build_auto_merging(nodes, index=index)
    assert retriever.delete(["book", "unknown"]).deleted == ["book"]
    assert {node.ref_doc_id for node in index.docstore.docs.values()} == {"other"}
    assert index.docstore.get_ref_doc_info("book") is None
    assert found(retriever, "subject3") == ["# Other\n\nAll of subject99."]
    assert found(build_auto_merging(index=index), "subject3") == ["# Other\n\nAll of subject99."]
    context = StorageContext.from_defaults()
    build_auto_merging([other], storage_context=context, base_retriever=Finds([])).delete(["other"])
    assert not context.docstore.docs


def test_nodes_of_one_document_may_stand_apart() -> None:
    nodes = book_parser()([book()])
    other = MarkdownHierarchyNodeParser()([Document(text="# O\n\nText.\n", id_="other")])
    mixed = [*nodes[:5], *other, *nodes[5:]]
    context = StorageContext.from_defaults()
    build_auto_merging(mixed, storage_context=context, base_retriever=Finds([]))
    assert len(context.docstore.docs) == len(mixed)


def test_missing_nodes_are_named_when_building() -> None:
    nodes = book_parser()([book()])
    lowest = get_leaf_nodes(nodes)
    with pytest.raises(
        ValueError,
        match=r"is linked to .*, which is not stored: parents are",
    ):
        build_auto_merging(lowest, embed_model=MockEmbedding(8))
    parents = [node for node in nodes if node not in lowest]
    with pytest.raises(
        ValueError,
        match=r"is linked to .*, which is not stored: parents are",
    ):
        build_auto_merging(parents, embed_model=MockEmbedding(8))
    index = VectorStoreIndex(lowest, embed_model=MockEmbedding(8))
    with pytest.raises(ValueError, match=r"is linked to .*, which is not stored"):
        build_auto_merging(index=index)
    with pytest.raises(ValueError, match="there are no nodes, neither given nor stored"):
        build_auto_merging(base_retriever=Finds(lowest))
    with pytest.raises(ValueError, match="there are no nodes, neither given nor stored"):
        build_auto_merging()
    elsewhere = StorageContext.from_defaults(docstore=SimpleDocumentStore())
    elsewhere.docstore.add_documents(MarkdownHierarchyNodeParser()(own_documents()[:1]))
    with pytest.raises(ValueError, match=r"the index finds .*, which is not stored"):
        build_auto_merging(index=index, storage_context=elsewhere)


def test_a_parent_that_is_missing_is_named_when_asking() -> None:
    """Of what a retriever of the user's finds, nothing is known before."""
    nodes = book_parser()([book()])
    other = MarkdownHierarchyNodeParser()([Document(text="# O\n\nText.\n", id_="other")])
    retriever = build_auto_merging(other, base_retriever=Finds(leaves(nodes, 3)))
    with pytest.raises(
        ValueError, match=r"was found, but its parent or neighbour .* is not stored; give"
    ):
        retriever.retrieve("?")


def test_arguments_that_exclude_each_other_or_are_out_of_range_are_refused() -> None:
    nodes = book_parser()([book()])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=WordEmbedding())
    for options in ({"index": index}, {"filters": MetadataFilters(filters=[])}):
        with pytest.raises(ValueError, match="give a base_retriever, or index and filters"):
            build_auto_merging(nodes, base_retriever=Finds([]), **options)
    with pytest.raises(ValueError, match="embed_model is for a new index"):
        build_auto_merging(nodes, index=index, embed_model=WordEmbedding())
    with pytest.raises(ValueError, match=r"ratio is 1\.5; allowed: a number from 0 to 1"):
        build_auto_merging(nodes, index=index, ratio=1.5)


def test_filling_and_merging_come_to_an_end() -> None:
    """A leaf that was merged into its parent is a gap again, and is not filled again."""
    words = [" ".join(f"{name}{n}" for n in range(8)) + "." for name in "abcdefgh"]
    a, g, *parts, h, b = words
    inner = "\n\n".join(parts)
    text = f"# A\n\n{a}\n\n# P\n\n{g}\n\n## S\n\n{inner}\n\n## H\n\n{h}\n\n# B\n\n{b}\n"
    nodes = MarkdownHierarchyNodeParser(max_chunk_size=70, min_chunk_size=0, max_parent_size=200)(
        [Document(text=text)]
    )
    lowest = get_leaf_nodes(nodes)
    for hits in combinations(lowest, 4):
        retriever = build_auto_merging(nodes, base_retriever=Finds([*hits]), k=len(lowest))
        got = retriever.retrieve("?")
        spans = sorted(span(n.node) for n in got)
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
        for hit in hits:
            assert any(start <= span(hit)[0] < end for start, end in spans)


def test_summaries_of_documents_are_not_indexed() -> None:
    parser = MarkdownHierarchyNodeParser(include_document_node=True)
    embedding, context = CountingEmbedding(), StorageContext.from_defaults()
    build_auto_merging(own_documents(), parser, embed_model=embedding, storage_context=context)
    nodes = parser(own_documents())
    assert embedding.count == len(MarkdownHierarchyNodeParser()(own_documents())) - sum(
        NodeRelationship.CHILD in node.relationships for node in nodes
    )
    assert len(context.docstore.docs) == len(nodes)


def test_blank_documents_are_said_to_have_no_nodes() -> None:
    with pytest.raises(ValueError, match="no nodes"):
        build_auto_merging(
            [Document(text=" \n")], index=VectorStoreIndex([], embed_model=MockEmbedding(8))
        )


def test_as_many_nodes_are_returned_as_are_asked_for() -> None:
    """As many leaves are merged as make them, of those that are found."""
    nodes = book_parser()([book()])
    for k in (1, 3, 5):
        retriever = build_auto_merging(nodes, base_retriever=Finds(get_leaf_nodes(nodes)), k=k)
        assert len(retriever.retrieve("?")) == k
    retriever = build_auto_merging(nodes, base_retriever=Finds(leaves(nodes, 3)), k=5)
    assert found(retriever) == [section(3)]


def test_an_index_is_asked_for_at_least_as_many_as_are_returned() -> None:
    nodes = book_parser()([book()])
    lowest = get_leaf_nodes(nodes)
    few = build_auto_merging(nodes, embed_model=WordEmbedding(), k=9, fetch_k=1, ratio=1)
    assert len(few.retrieve("subject3")) == 9 < len(lowest)


def test_no_parent_is_larger_than_asked_for() -> None:
    nodes = book_parser()([book()])
    size = len(section(3))
    for largest, is_merged in ((size, True), (size - 1, False)):
        retriever = build_auto_merging(
            nodes, base_retriever=Finds(leaves(nodes, 3)), max_parent_size=largest
        )
        assert (found(retriever) == [section(3)]) is is_merged


def test_filters_are_those_of_the_index() -> None:
    only = MetadataFilters(filters=[MetadataFilter(key="header_path", value="/Book/subject5")])
    retriever = build_auto_merging(
        [book()], book_parser(), embed_model=WordEmbedding(), filters=only
    )
    assert found(retriever, "What of subject3?") == [section(5)]


def test_ties_are_ranked_by_document_and_offset_whatever_the_order_of_the_store() -> None:
    documents = [book(), Document(text="# A\n\nText of it.\n", id_="a")]
    nodes = book_parser()(documents)
    lowest = get_leaf_nodes(nodes)
    answers = []
    for order in (lowest, lowest[::-1], [*lowest[7:], *lowest[:7]]):
        equal = [NodeWithScore(node=node, score=0.5) for node in order]
        retriever = build_auto_merging(nodes, base_retriever=Scored(equal), k=5)
        answers.append([(one.node_id, one.score) for one in retriever.retrieve("?")])
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0][0] == lowest[-1].node_id


@pytest.mark.parametrize(
    "option",
    [
        {"k": 0},
        {"fetch_k": 0},
        {"section_weight": -1.0},
        {"document_weight": float("nan")},
        {"max_parent_size": 0},
    ],
)
def test_options_out_of_range_are_refused_before_anything_is_embedded(
    option: dict[str, Any],
) -> None:
    embedding = CountingEmbedding()
    with pytest.raises(ConfigurationError, match=next(iter(option))):
        build_auto_merging([book()], embed_model=embedding, **option)
    assert embedding.count == 0
