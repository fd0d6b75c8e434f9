"""The first page's drawings of three tools' chunks are what the tools return."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from chunkana_core import HierarchicalChunkingResult
from tests import corpora
from tests.core.pages import DOCS, run_sessions

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation")

LIMIT = 160


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def langchain_chunks(text: str) -> list[str]:
    """Return the chunks of LangChain's splitter for Markdown."""
    pytest.importorskip("langchain_text_splitters")
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN, chunk_size=LIMIT, chunk_overlap=0
    )
    return splitter.split_text(text)


def llamaindex_chunks(text: str) -> list[str]:
    """Return the chunks of LlamaIndex's parser for Markdown and its splitter, by characters."""
    pytest.importorskip("llama_index.core")
    from llama_index.core import Document
    from llama_index.core.ingestion import run_transformations
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
    from llama_index.core.schema import MetadataMode

    splitter = SentenceSplitter(chunk_size=LIMIT, chunk_overlap=0, tokenizer=list)
    nodes = run_transformations([Document(text=text)], [MarkdownNodeParser(), splitter])
    return [node.get_content(MetadataMode.NONE) for node in nodes]


def _example() -> tuple[str, HierarchicalChunkingResult]:
    """Return the document of the first page's example, and its result."""
    names = run_sessions(DOCS / "index.md")
    text, result = names["text"], names["result"]
    assert isinstance(text, str)
    assert isinstance(result, HierarchicalChunkingResult)
    return text, result


def _drawing(name: str) -> ET.Element:
    return ET.parse(DOCS / "pictures" / f"cuts_{name}.svg").getroot()  # noqa: S314


def _drawn(name: str) -> list[ET.Element]:
    """Return the groups of a drawing that are chunks."""
    return [group for group in _drawing(name).iter() if group.get("class") == "chunk"]


def _texts(group: ET.Element, kind: str) -> list[str]:
    """Return the texts of a class in a group."""
    found = [text for text in group.iter() if kind in text.get("class", "").split()]
    return ["".join(text.itertext()) for text in found]


def _assert_drawn(name: str, chunks: list[str]) -> None:
    """Compare the chunks and their sizes with a drawing."""
    groups = _drawn(name)
    assert [_texts(group, "said") for group in groups] == [_lines(chunk) for chunk in chunks]
    assert [_texts(group, "size") for group in groups] == [[str(len(chunk))] for chunk in chunks]
    assert _texts(_drawing(name), "count") == [
        f"{len(chunks)} chunks of at most {LIMIT} characters"
    ]


@pytest.mark.parametrize(
    ("name", "chunks_of"), [("langchain", langchain_chunks), ("llamaindex", llamaindex_chunks)]
)
def test_chunks_of_others_are_as_drawn(name: str, chunks_of: Callable[[str], list[str]]) -> None:
    """Each chunk and its size."""
    document, _ = _example()
    chunks = chunks_of(document)
    _assert_drawn(name, chunks)
    assert max(map(len, chunks)) <= LIMIT


def test_our_chunks_are_as_drawn() -> None:
    """Besides, what is repeated is marked."""
    _, result = _example()
    chunks = result.get_flat_chunks()
    _assert_drawn("chunkana", [chunk.content for chunk in chunks])
    assert max(chunk.size for chunk in chunks) <= LIMIT
    for group, chunk in zip(_drawn("chunkana"), chunks, strict=True):
        assert _texts(group, "again") == _lines(chunk.content[: chunk.text_offset])


def test_the_first_page_says_what_is_drawn() -> None:
    """The limit of the example is that of the drawings."""
    page = corpora.read(DOCS / "index.md")
    assert f"max_chunk_size={LIMIT}" in page
    assert f"{LIMIT} characters" in page
