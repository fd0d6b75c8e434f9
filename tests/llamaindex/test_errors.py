"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document

from chunkana_llamaindex import (
    ChunkanaRetriever,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)

EMBEDDING: Any = MockEmbedding(8)
TEA: Any = Document(text="# Tea\n\nBoil.\n", id_="tea.md", metadata={"team": "leaf"})
MILK: Any = Document(text="# Milk\n\nBoil.\n", id_="milk.md", metadata={"team": "drink"})
MAKERS: list[Callable[..., Any]] = [ChunkanaRetriever.from_documents, build_auto_merging]
OF_THE_RETRIEVER = (
    "around, budget, callback_manager, docstore, document_weight, embedded_metadata_keys, "
    "embedding, fetch_k, filters, folder, length_function, lexical_weight, parser, search, "
    "section_weight, vectorstore"
)
OF_MERGING = (
    "base_retriever, document_weight, documents_or_nodes, embed_model, fetch_k, filters, index, k, "
    "max_parent_size, node_postprocessors, parser, ratio, section_weight, storage_context"
)
READ = "budget, the size of all passages, or fetch_k, the number of leaves of each search"
RETURNED = "k, the number of nodes to return, or fetch_k, the number of leaves to find"
TEXT = "# Tea\n\nBoil.\n\n" + "## Part\n\nSome words of it.\n\n" * 80


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without ids."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return re.sub(r"[\da-f]{8}-[\da-f-]{27}", "X", str(caught.value))


def test_parents_are_not_smaller_than_leaves() -> None:
    said = said_of(lambda: MarkdownHierarchyNodeParser(max_parent_size=999))
    assert (
        "max_parent_size is 999; allowed: None, or at least max_chunk_size (1000): a parent holds "
        "several chunks"
    ) in said
    MarkdownHierarchyNodeParser(max_parent_size=1000)


@pytest.mark.parametrize(
    "make", [MarkdownHierarchyNodeParser().get_nodes_from_documents, build_auto_merging]
)
def test_files_are_no_documents(make: Callable[[list[str]], object]) -> None:
    assert said_of(lambda: make(["README.md"])) == (
        "documents[0] is 'README.md'; allowed: a Document: SimpleDirectoryReader(…).load_data(), "
        'or Document(text="# Text")'
    )


def test_a_vector_index_has_no_parents() -> None:
    nodes = MarkdownHierarchyNodeParser().get_nodes_from_documents([Document(text=TEXT)])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=MockEmbedding(8))
    assert said_of(lambda: build_auto_merging(index=index)) == (
        "node X is linked to X, which is not stored: parents are not in vector stores; give all "
        "documents, or all nodes of the parser, or "
        "storage_context=StorageContext.from_defaults(docstore=…) that has them"
    )


def test_nothing_given_and_nothing_stored() -> None:
    assert said_of(build_auto_merging) == (
        "there are no nodes, neither given nor stored; give documents_or_nodes, or "
        "storage_context=StorageContext.from_defaults(docstore=…) that has them"
    )


def test_an_index_and_a_retriever_exclude_each_other() -> None:
    nodes = MarkdownHierarchyNodeParser().get_nodes_from_documents([Document(text=TEXT)])
    index = VectorStoreIndex(LeafNodes()(nodes), embed_model=MockEmbedding(8))
    said = said_of(
        lambda: build_auto_merging(nodes, base_retriever=index.as_retriever(), index=index)
    )
    assert said == "give a base_retriever, or index and filters for one"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("embed_model", "embedding"),
        ("k", READ),
        ("similarity_top_k", READ),
        ("length_func", "length_function"),
    ],
)
def test_arguments_that_the_retriever_does_not_have(name: str, meant: str) -> None:
    options: Any = {name: EMBEDDING}
    message = f"argument is {name!r}; allowed: {OF_THE_RETRIEVER}; did you mean {meant}?"
    assert said_of(lambda: ChunkanaRetriever.from_documents([TEA], **options)) == message
    assert said_of(lambda: ChunkanaRetriever(**options)) == message


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("similarity_top_k", RETURNED),
        ("top_k", RETURNED),
        ("embedding", "embed_model"),
        ("simple_ratio_thresh", "ratio"),
        ("vector_store", "storage_context=StorageContext.from_defaults(vector_store=…)"),
        ("max_parent", "max_parent_size"),
    ],
)
def test_arguments_that_auto_merging_does_not_have(name: str, meant: str) -> None:
    options: Any = {name: 3}
    assert said_of(lambda: build_auto_merging([TEA], **options)) == (
        f"argument is {name!r}; allowed: {OF_MERGING}; did you mean {meant}?"
    )


def test_a_name_that_is_near_none() -> None:
    options: Any = {"colour": 3}
    said = said_of(lambda: build_auto_merging([TEA], **options))
    assert said == f"argument is 'colour'; allowed: {OF_MERGING}"


def test_a_near_name_of_the_parser() -> None:
    said = said_of(lambda: MarkdownHierarchyNodeParser.from_defaults(max_parents_size=2000))
    assert "argument is 'max_parents_size'; allowed: " in said
    assert "; did you mean max_parent_size?" in said


@pytest.mark.parametrize("make", MAKERS)
def test_other_parsers(make: Callable[..., Any]) -> None:
    said = said_of(lambda: make([TEA], parser=SentenceSplitter()))
    assert said.startswith(
        "parser is <class 'llama_index.core.node_parser.text.sentence.SentenceSplitter'>; "
        "allowed: None or a ChunkanaNodeParser"
    )


@pytest.mark.parametrize("make", MAKERS)
def test_the_class_of_a_parser(make: Callable[..., Any]) -> None:
    assert said_of(lambda: make([TEA], parser=MarkdownHierarchyNodeParser)) == (
        "parser is <class 'chunkana_llamaindex.node_parser.MarkdownHierarchyNodeParser'>; "
        "allowed: None or an instance of the class, with parentheses: MarkdownHierarchyNodeParser()"
    )


def test_an_embedding_in_place_of_the_parser() -> None:
    assert said_of(lambda: build_auto_merging([TEA], EMBEDDING)) == (
        "parser is <class 'llama_index.core.embeddings.mock_embed_model.MockEmbedding'>; allowed: "
        "None or a ChunkanaNodeParser; to give an embedding model, write embed_model=…"
    )


EMBEDDED = [{"embedding": EMBEDDING}, {"embed_model": EMBEDDING}]


@pytest.mark.parametrize(("options", "make"), [*zip(EMBEDDED, MAKERS, strict=True)])
def test_filters_are_dicts_too(options: dict[str, Any], make: Callable[..., Any]) -> None:
    def sources(filters: object) -> set[str]:
        retriever = make([TEA, MILK], **options, filters=filters)
        return {found.node.ref_doc_id for found in retriever.retrieve("Boil")}

    assert sources(None) == sources({}) == {"tea.md", "milk.md"}
    assert sources({"team": "drink"}) == {"milk.md"}
    assert sources({"team": "drink", "format": "markdown"}) == {"milk.md"}
    if make is MAKERS[0]:  # below the other, the oldest LlamaIndex fails where nothing fits
        assert sources({"team": "drink", "format": "python"}) == set()


@pytest.mark.parametrize("filters", ["team", {"team": ["leaf"]}, {1: "leaf"}, {"team": True}])
@pytest.mark.parametrize("make", MAKERS)
def test_filters_that_are_none(filters: object, make: Callable[..., Any]) -> None:
    assert said_of(lambda: make([TEA], filters=filters)) == (
        f"filters is {filters!r}; allowed: None, MetadataFilters, or a dict of equal values, such "
        'as {"format": "markdown"}'
    )


PARSE = MarkdownHierarchyNodeParser().get_nodes_from_documents


@pytest.mark.parametrize("make", [PARSE, lambda given: MAKERS[0](given, EMBEDDING), MAKERS[1]])
def test_what_is_no_list_of_documents(make: Callable[..., Any]) -> None:
    assert said_of(lambda: make(TEA)) == (
        "documents is <class 'llama_index.core.schema.Document'>; allowed: a list of documents: "
        "[document]"
    )
    for given in ("docs", Path("docs"), None):
        assert said_of(lambda given=given: make(given)) == (  # type: ignore[misc]
            f"documents is {given!r}; allowed: a list of documents: "
            "SimpleDirectoryReader(…).load_data() reads a folder's"
        )


def test_one_relation_is_a_tuple_of_one() -> None:
    around: Any = "parent"
    assert said_of(lambda: ChunkanaRetriever(EMBEDDING, around=around)) == (
        "around is 'parent'; allowed: a tuple: around=('parent',)"
    )


def test_two_documents_of_one_id() -> None:
    said = said_of(lambda: ChunkanaRetriever.from_documents([TEA, MILK, TEA], EMBEDDING))
    assert said == "id of two documents is 'tea.md'; allowed: documents with different ids"
    said = said_of(lambda: build_auto_merging([TEA, MILK, TEA], embed_model=EMBEDDING))
    assert said == "id of two documents is 'tea.md'; allowed: documents with different ids"


def test_what_is_no_tokenizer() -> None:
    """What pydantic says of it; what returns no tokens is named by what it should be."""
    tokenizer: Any
    for tokenizer in ("cl100k_base", 4):
        said = said_of(lambda given=tokenizer: MarkdownHierarchyNodeParser(tokenizer=given))  # type: ignore[misc]
        assert "tokenizer\n  Input should be callable" in said
    said = said_of(lambda: MarkdownHierarchyNodeParser(tokenizer=len))
    assert (
        "tokenizer returned 0 for a text of 0 characters; allowed: a sequence of tokens, as of "
        "tiktoken's tokenizer=encoding.encode"
    ) in said


def test_an_index_of_parents() -> None:
    """Leaves alone are to be found: what finds their parents too would return texts twice."""
    nodes = MarkdownHierarchyNodeParser().get_nodes_from_documents([Document(text=TEXT)])
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(8))
    message = (
        "the index finds X, which is a parent; index only leaves, which are merged into their "
        "parent if enough of them are found: VectorStoreIndex(LeafNodes()(nodes))"
    )
    assert said_of(lambda: build_auto_merging(nodes, index=index)) == message
    assert said_of(lambda: build_auto_merging(index=index)) == message
    build_auto_merging(nodes, index=VectorStoreIndex(LeafNodes()(nodes), embed_model=EMBEDDING))


async def test_folders_without_an_index(tmp_path: Path) -> None:
    """An OSError, as is documented, of a folder that is missing or empty, or is a file."""
    (tmp_path / "file.md").write_text("# Tea\n", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "missing", tmp_path / "file.md"):
        with pytest.raises(OSError, match="no chunkana_index") as caught:
            ChunkanaRetriever.load(folder, EMBEDDING)
        with pytest.raises(OSError, match="no chunkana_index"):
            await ChunkanaRetriever.aload(folder, EMBEDDING)
        assert caught.value.strerror == (
            "no chunkana_index.bin, the file of an index, is in this folder; "
            "from_documents(documents, …, folder=…) makes one"
        )
        assert caught.value.filename == str(folder)
