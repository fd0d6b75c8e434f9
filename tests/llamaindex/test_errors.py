"""Mistakes that users make at first: each error says what to do instead, in whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
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


def test_a_near_name_of_the_parser() -> None:
    said = said_of(lambda: MarkdownHierarchyNodeParser.from_defaults(max_parents_size=2000))
    assert "argument is 'max_parents_size'; allowed: " in said
    assert "; did you mean max_parent_size?" in said


@pytest.mark.parametrize("parser", [SentenceSplitter(), MarkdownHierarchyNodeParser])
def test_other_parsers(parser: Any) -> None:  # noqa: ANN401
    said = said_of(lambda: ChunkanaRetriever(EMBEDDING, node_parser=parser))
    assert said.startswith("node_parser is ")
    assert said.endswith("; allowed: a ChunkanaNodeParser(…)")


PARSE = MarkdownHierarchyNodeParser().get_nodes_from_documents


@pytest.mark.parametrize("make", [PARSE, ChunkanaRetriever(EMBEDDING).update, build_auto_merging])
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


@pytest.mark.parametrize("form", [ChunkanaRetriever.load, ChunkanaRetriever.aload])
async def test_folders_without_an_index(form: Callable[..., Any], tmp_path: Path) -> None:
    """An OSError, as is documented, of a folder that is missing or empty, or is a file."""
    (tmp_path / "file.md").write_text("# Tea\n", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "missing", tmp_path / "file.md"):
        with pytest.raises(OSError, match="index") as caught:
            await form(folder, EMBEDDING)
        assert caught.value.filename == str(folder)
