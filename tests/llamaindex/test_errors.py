"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from llama_index.core import MockEmbedding
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import Document

from chunkana_llamaindex import (
    ChunkanaRetriever,
    MarkdownHierarchyNodeParser,
    build_auto_merging,
)

EMBEDDING: Any = MockEmbedding(8)
TEA: Any = Document(text="# Tea\n\nBoil.\n", id_="tea.md", metadata={"team": "leaf"})
MILK: Any = Document(text="# Milk\n\nBoil.\n", id_="milk.md", metadata={"team": "drink"})
OF_THE_RETRIEVER = (
    "around, budget, callback_manager, document_weight, embed_model, embedded_metadata_keys, "
    "fetch_k, filters, folder, k, length_function, lexical_weight, max_parent_size, min_score, "
    "model_name, must_exist, node_parser, node_postprocessors, order, ratio, returns, search, "
    "section_weight, show_progress, timeout, tokenize, vector_store"
)
COUNTS = "k, the number of results, or fetch_k, the number of leaves of each search"


def said_of(call: Callable[[], object]) -> str:
    """Return the message of the error that a call raises, without ids."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return re.sub(r"[\da-f]{8}-[\da-f-]{27}", "X", str(caught.value))


def test_files_are_no_documents() -> None:
    assert said_of(lambda: build_auto_merging(["README.md"])) == (  # type: ignore[list-item]
        "documents[0] is 'README.md'; allowed: a Document: SimpleDirectoryReader(…).load_data(), "
        'or Document(text="# Text")'
    )


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("embedding", "embed_model"),
        ("similarity_top_k", COUNTS),
        ("top_k", COUNTS),
        ("similarity_cutoff", "min_score"),
        ("transformations", "node_parser"),
        ("chunk_size", "node_parser=ChunkanaNodeParser(max_chunk_size=…)"),
        ("length_func", "length_function"),
        ("vectorstore", "vector_store"),
    ],
)
def test_arguments_that_the_retriever_does_not_have(name: str, meant: str) -> None:
    options: Any = {name: EMBEDDING}
    message = f"argument is {name!r}; allowed: {OF_THE_RETRIEVER}; did you mean {meant}?"
    assert said_of(lambda: ChunkanaRetriever.from_documents([TEA], **options)) == message
    assert said_of(lambda: ChunkanaRetriever.load("index", **options)) == message


def test_a_name_that_is_near_none() -> None:
    said = said_of(lambda: ChunkanaRetriever(colour=3))
    assert said == f"argument is 'colour'; allowed: {OF_THE_RETRIEVER}"


@pytest.mark.parametrize("parser", [SentenceSplitter(), MarkdownHierarchyNodeParser])
def test_other_parsers(parser: Any) -> None:  # noqa: ANN401
    said = said_of(lambda: ChunkanaRetriever(EMBEDDING, node_parser=parser))
    assert said.startswith("node_parser is ")
    assert said.endswith("; allowed: a ChunkanaNodeParser(…)")


def test_a_document_is_no_list_of_documents() -> None:
    assert said_of(lambda: build_auto_merging(TEA)) == (
        "documents is <class 'llama_index.core.schema.Document'>; allowed: a list of documents: "
        "[document]"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"search": "words"}, "search is 'words'; allowed: 'hybrid', 'dense' or 'lexical'"),
        ({"budget": -1}, "budget is -1; allowed: a number of at least 0"),
        ({"returns": "nodes"}, "returns is 'nodes'; allowed: 'passages' or 'parents'"),
        ({"around": "parent"}, "around is 'parent'; allowed: a tuple: around=('parent',)"),
        ({"embed_model": "local"},
         "embed_model is 'local'; allowed: an embedding model of LlamaIndex's"),
        ({"node_parser": 5}, "node_parser is 5; allowed: a ChunkanaNodeParser(…)"),
        ({"vector_store": 5},
         ("vector_store is 5; allowed: a vector store that keeps nodes and deletes them by their "
         "ids, as Qdrant does")),
        ({"embedded_metadata_keys": "topic"},
         "embedded_metadata_keys is 'topic'; allowed: a list of str"),
        ({"node_postprocessors": [5]},
         "node_postprocessors[0] is 5; allowed: a postprocessor of LlamaIndex's"),
    ],
)  # fmt: skip
def test_arguments_of_the_retriever_are_checked(options: dict[str, Any], message: str) -> None:
    given = {"embed_model": EMBEDDING, **options}
    assert said_of(lambda: ChunkanaRetriever.from_documents([TEA], **given)) == message


def test_two_documents_of_one_id() -> None:
    said = said_of(lambda: ChunkanaRetriever.from_documents([TEA, MILK, TEA], EMBEDDING))
    assert said == "id of two documents is 'tea.md'; allowed: documents with different ids"
    said = said_of(lambda: build_auto_merging([TEA, MILK, TEA], embed_model=EMBEDDING))
    assert said == "id of two documents is 'tea.md'; allowed: documents with different ids"
