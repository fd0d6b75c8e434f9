"""The first page's drawings of three tools' chunks are what the tools return."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from chunkana_core import HierarchicalChunkingResult
from tests import corpora
from tests.core.pages import DOCS, run_sessions

pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation")

LIMIT = 160
_HEADING = re.compile(r"^#{1,6} ")
Check = Callable[[str, str], bool]  # of a chunk's content and the document


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def _headings(text: str) -> set[str]:
    """Return the heading lines of a document, without comments in its fenced code."""
    outside = "".join(text.split("```")[::2])
    return {line for line in _lines(outside) if _HEADING.match(line)}


def _has_half_a_fence(chunk: str, _: str) -> bool:
    return chunk.count("```") % 2 == 1


def _starts_with_a_comment(chunk: str, document: str) -> bool:
    first = _lines(chunk)[0]
    return first.startswith("#") and first not in _headings(document)


def _is_only_headings(chunk: str, document: str) -> bool:
    return set(_lines(chunk)) <= _headings(document)


def _has_half_a_row(chunk: str, _: str) -> bool:
    return any("|" in line and line[0] + line[-1] != "||" for line in _lines(chunk))


def _has_rows_alone(chunk: str, _: str) -> bool:
    return "|" in chunk and "|--" not in chunk


def _has_a_whole_fence(chunk: str, _: str) -> bool:
    return chunk.count("```") == 2


def _repeats_a_header_row(chunk: str, document: str) -> bool:
    return chunk not in document and bool(re.match(r"## .+\n\n\|.+\n\|--.+\n\|", chunk))


def _has_headings_and_text(chunk: str, document: str) -> bool:
    found = set(_lines(chunk)) & _headings(document)
    return len(found) > 1 and not _is_only_headings(chunk, document)


FAULTS: dict[str, Check] = {
    "half of a code block": _has_half_a_fence,
    "cut at a comment: its # taken for a heading": _starts_with_a_comment,
    "a heading without its text": _is_only_headings,
    "a row cut in two": _has_half_a_row,
    "rows without their header": _has_rows_alone,
}
MERITS: dict[str, Check] = {
    "the code is whole": _has_a_whole_fence,
    "heading and header row are repeated": _repeats_a_header_row,
    "the headings stay with their text": _has_headings_and_text,
}


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


def _marks(group: ET.Element, kind: str) -> list[str]:
    """Return the texts of a class without the sign before each."""
    return [text[2:] for text in _texts(group, kind)]


def _assert_drawn(name: str, chunks: list[str], document: str) -> None:
    """Compare the chunks, their sizes and what is wrong with them with a drawing."""
    groups = _drawn(name)
    assert [_texts(group, "said") for group in groups] == [_lines(chunk) for chunk in chunks]
    assert [_texts(group, "size") for group in groups] == [[str(len(chunk))] for chunk in chunks]
    for group, chunk in zip(groups, chunks, strict=True):
        faults = [fault for fault, is_so in FAULTS.items() if is_so(chunk, document)]
        assert _marks(group, "fault") == faults
    assert _texts(_drawing(name), "count") == [
        f"{len(chunks)} chunks of at most {LIMIT} characters"
    ]


@pytest.mark.parametrize(
    ("name", "chunks_of"), [("langchain", langchain_chunks), ("llamaindex", llamaindex_chunks)]
)
def test_chunks_of_others_are_as_drawn(name: str, chunks_of: Callable[[str], list[str]]) -> None:
    """Each chunk, its size, and every fault that it has and no other."""
    document, _ = _example()
    chunks = chunks_of(document)
    _assert_drawn(name, chunks, document)
    assert max(map(len, chunks)) <= LIMIT


def test_our_chunks_are_as_drawn() -> None:
    """Besides, what is repeated is marked, and each merit is true."""
    document, result = _example()
    chunks = result.get_flat_chunks()
    _assert_drawn("chunkana", [chunk.content for chunk in chunks], document)
    assert max(chunk.size for chunk in chunks) <= LIMIT
    groups = _drawn("chunkana")
    assert not any(_texts(group, "fault") for group in groups)
    for group, chunk in zip(groups, chunks, strict=True):
        assert _texts(group, "again") == _lines(chunk.content[: chunk.text_offset])
        assert all(MERITS[merit](chunk.content, document) for merit in _marks(group, "merit"))
    assert [merit for group in groups for merit in _marks(group, "merit")] == [*MERITS]


def test_the_first_page_says_what_is_drawn() -> None:
    """The limit of the example is that of the drawings."""
    page = corpora.read(DOCS / "index.md")
    assert f"max_chunk_size={LIMIT}" in page
    assert f"{LIMIT} characters" in page
