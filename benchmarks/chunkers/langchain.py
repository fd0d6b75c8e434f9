"""Splitters for LangChain: Chunkana's, and LangChain's own for Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from langchain_core.documents import Document
from langchain_text_splitters import (
    Language,
    MarkdownHeaderTextSplitter,
    RecursiveCharacterTextSplitter,
    TextSplitter,
)

from benchmarks.chunkers.timed import Timed
from chunkana_langchain import ChunkanaSplitter

PACKAGES = ("langchain-core", "langchain-text-splitters")
HEADERS = [("#" * level, f"Header {level}") for level in range(1, 7)]


def timed(size: int) -> Iterator[Timed]:
    """Yield Chunkana's and LangChain's splitters, which make LangChain documents."""
    recursive = recursive_splitter(size)
    by_header = header_splitter()
    yield Timed("Chunkana `ChunkanaSplitter`", splitting(ChunkanaSplitter(size)), parses=True)
    yield Timed("LangChain `RecursiveCharacterTextSplitter`, Markdown", splitting(recursive))
    yield Timed("LangChain `MarkdownHeaderTextSplitter`, any size", by_header.split_text)
    yield Timed(
        "LangChain header, then recursive",
        lambda text: recursive.split_documents(by_header.split_text(text)),
    )


def splitting(splitter: TextSplitter) -> Callable[[str], list[Document]]:
    """Return a function that splits a text inside a document with a source, as from a loader."""

    def split(text: str) -> list[Document]:
        return splitter.split_documents([Document(page_content=text, metadata={"source": "a.md"})])

    return split


def recursive_splitter(size: int, *, with_starts: bool = False) -> RecursiveCharacterTextSplitter:
    """Return the splitter at separators for Markdown, without overlap."""
    return RecursiveCharacterTextSplitter.from_language(
        Language.MARKDOWN, chunk_size=size, chunk_overlap=0, add_start_index=with_starts
    )


def header_splitter(*, strip: bool = True) -> MarkdownHeaderTextSplitter:
    """Return the splitter at headings of all levels."""
    return MarkdownHeaderTextSplitter(HEADERS, strip_headers=strip)
