"""Our chunks, through each of our public interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Literal

from langchain_core.documents import Document as Page
from llama_index.core import Document
from llama_index.core.schema import MetadataMode, TextNode

from benchmarks.retrieval.passages import Chunker, Piece
from benchmarks.retrieval.peers import labelled
from benchmarks.retrieval.questions import Text
from chunkana_core import ChunkConfig, HierarchicalChunkingResult, MarkdownChunker
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser

Atoms = Literal["keep", "split"]
SIZES = (500, 800, 1000)


@cache
def _result(text: str, size: int, atoms: Atoms = "keep") -> HierarchicalChunkingResult:
    config = ChunkConfig(max_chunk_size=size, atomic_blocks=atoms)
    return MarkdownChunker(config).chunk_hierarchical(text)


def texts(text: Text, size: int) -> Iterator[Piece]:
    """Return exact slices, and nothing else."""
    for chunk in _result(text.text, size).get_flat_chunks():
        yield Piece(chunk.text, chunk.text, chunk.span.start, chunk.section_id)


def contextualized(text: Text, size: int, atoms: Atoms = "keep") -> Iterator[Piece]:
    """Return what the core advises to embed: breadcrumb and content."""
    result = _result(text.text, size, atoms)
    for chunk in result.get_flat_chunks():
        indexed = result.contextualize(chunk)
        yield Piece(chunk.text, indexed, chunk.span.start, chunk.section_id)


def llamaindex(text: Text, size: int) -> Iterator[Piece]:
    """Return leaves of the node parser, as LlamaIndex embeds them."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=size)
    for node in LeafNodes()(parser.get_nodes_from_documents([Document(text=text.text)])):
        if isinstance(node, TextNode) and node.start_char_idx is not None:
            own = text.text[node.start_char_idx : node.end_char_idx]
            embedded = node.get_content(MetadataMode.EMBED)
            yield Piece(own, embedded, node.start_char_idx, str(node.metadata["section_id"]))


def langchain(text: Text, size: int, atoms: Atoms = "keep") -> Iterator[Piece]:
    """Return the page contents of the text splitter."""
    splitter = ChunkanaSplitter(chunk_size=size, atomic_blocks=atoms)
    for page in splitter.split_documents([Page(page_content=text.text)]):
        start, end = page.metadata["start_char"], page.metadata["end_char"]
        own = text.text[start:end]
        yield Piece(own, page.page_content, start, str(page.metadata["section_id"]))


OURS: dict[str, Chunker] = {
    "Chunkana, text": texts,
    "Chunkana, contextualize": contextualized,
    "Chunkana, contextualize, atoms split": partial(contextualized, atoms="split"),
    "Chunkana, LlamaIndex": llamaindex,
    "Chunkana, LangChain": langchain,
    "Chunkana, LangChain, atoms split": partial(langchain, atoms="split"),
}
LABELLED: dict[str, Chunker] = {
    f"{name}, labelled": labelled(OURS[name])
    for name in ("Chunkana, contextualize", "Chunkana, LangChain")
}
PLAIN = (
    "Chunkana, text",
    "Chunkana, contextualize",
    "Chunkana, contextualize, atoms split",
    "Chunkana, LangChain",
)
