"""Other splitters for Markdown, each through its public interface and without overlap.

Sizes are in characters. A splitter with sizes in tokens gets the number of tokens that has the same
number of characters in these documents, by its own tokenizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from chonkie import RecursiveChunker
from langchain_core.documents import Document as Page
from langchain_text_splitters import RecursiveCharacterTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import MarkdownNodeParser, NodeParser
from llama_index.core.schema import MetadataMode, TextNode
from semantic_text_splitter import MarkdownSplitter

from benchmarks.chunkers.langchain import header_splitter, recursive_splitter
from benchmarks.chunkers.llamaindex import sentence_splitter
from benchmarks.retrieval.passages import Chunker, Piece
from benchmarks.retrieval.questions import Text


@cache
def _recursive(size: int) -> RecursiveCharacterTextSplitter:
    return recursive_splitter(size, with_starts=True)


def recursive(text: Text, size: int) -> Iterator[Piece]:
    """Split at LangChain's separators for Markdown."""
    for page in _recursive(size).create_documents([text.text]):
        content = page.page_content
        yield Piece(content, content, content, page.metadata["start_index"])


def headers_stripped(text: Text, size: int) -> Iterator[Piece]:
    """Split at headings, then recursively; headings are only in the metadata."""
    return _by_header(text, size, strip=True)


def headers_kept(text: Text, size: int) -> Iterator[Piece]:
    """Split at headings, then recursively; headings stay in the text."""
    return _by_header(text, size, strip=False)


def _by_header(text: Text, size: int, *, strip: bool) -> Iterator[Piece]:
    sections = header_splitter(strip=strip).split_text(text.text)
    pages: list[Page] = _recursive(size).split_documents(sections)
    for page in pages:
        yield Piece(page.page_content, page.page_content, page.page_content)


def markdown_nodes(text: Text, _size: int) -> Iterator[Piece]:
    """Parse with LlamaIndex's Markdown parser: sections of any size, embedded with their path."""
    return _nodes(text, MarkdownNodeParser())


def sentences(text: Text, size: int) -> Iterator[Piece]:
    """Split with LlamaIndex's default splitter, with sizes in tokens."""
    return _nodes(text, sentence_splitter(size))


def _nodes(text: Text, parser: NodeParser) -> Iterator[Piece]:
    for node in parser.get_nodes_from_documents([Document(text=text.text)]):
        if isinstance(node, TextNode):
            embedded, read = map(node.get_content, (MetadataMode.EMBED, MetadataMode.LLM))
            yield Piece(node.text, embedded, read, node.start_char_idx)


def semantic_markdown(text: Text, size: int) -> Iterator[Piece]:
    """Split with semantic-text-splitter, which parses CommonMark."""
    for start, piece in MarkdownSplitter(size).chunk_indices(text.text):
        yield Piece(piece, piece, piece, start)


def chonkie_recursive(text: Text, size: int) -> Iterator[Piece]:
    """Split with chonkie's default rules; those for Markdown would have to be downloaded."""
    for chunk in RecursiveChunker(chunk_size=size).chunk(text.text):
        yield Piece(chunk.text, chunk.text, chunk.text, chunk.start_index)


SIZES = (500, 800, 1000, 1300)
RECURSIVE = "LangChain recursive Markdown"
PEERS: dict[str, Chunker] = {
    RECURSIVE: recursive,
    "LangChain MarkdownHeader + recursive": headers_stripped,
    "LangChain MarkdownHeader + recursive, headers kept": headers_kept,
    "LlamaIndex SentenceSplitter": sentences,
    "semantic-text-splitter Markdown": semantic_markdown,
    "chonkie recursive": chonkie_recursive,
}
UNSIZED: dict[str, Chunker] = {"LlamaIndex MarkdownNodeParser": markdown_nodes}
