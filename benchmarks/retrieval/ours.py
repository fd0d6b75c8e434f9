"""Our chunks, through each of our public interfaces."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any, Literal

from langchain_core.documents import Document as Page
from llama_index.core import Document
from llama_index.core.schema import MetadataMode, TextNode

from benchmarks.retrieval.passages import Chunker, Piece
from benchmarks.retrieval.questions import Text
from chunkana_core import Chunk, ChunkConfig, Context, MarkdownChunker
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser

Atoms = Literal["keep", "split"]
SIZES = (500, 800, 1000)


@cache
def _chunks(text: str, size: int, atoms: Atoms, context: Context | None) -> list[Chunk]:
    config = ChunkConfig(max_chunk_size=size, atomic_blocks=atoms)
    return MarkdownChunker(config, context).chunk_hierarchical(text).get_flat_chunks()


def texts(text: Text, size: int, atoms: Atoms = "split") -> Iterator[Piece]:
    """Return exact slices, and nothing else."""
    for chunk in _chunks(text.text, size, atoms, None):
        yield Piece(chunk.text, chunk.text, chunk.span.start, chunk.section_id)


def with_context(
    text: Text, size: int, atoms: Atoms = "keep", *, is_labelled: bool = False
) -> Iterator[Piece]:
    """Return what the core embeds with a context: breadcrumb, introduction and content."""
    context = Context(label=text.name if is_labelled else "")
    for chunk in _chunks(text.text, size, atoms, context):
        yield Piece(chunk.text, chunk.embedded, chunk.span.start, chunk.section_id)


def llamaindex(text: Text, size: int, label: str | None = None) -> Iterator[Piece]:
    """Return leaves of the node parser, as LlamaIndex embeds them."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=size, source_label=label)
    document = Document(
        text=text.text,
        metadata={"source": text.name},
        excluded_embed_metadata_keys=["source"],
    )
    for node in LeafNodes()(parser.get_nodes_from_documents([document])):
        if isinstance(node, TextNode) and node.start_char_idx is not None:
            own = text.text[node.start_char_idx : node.end_char_idx]
            embedded = node.get_content(MetadataMode.EMBED)
            yield Piece(own, embedded, node.start_char_idx, str(node.metadata["section_id"]))


def langchain(text: Text, size: int, **options: Any) -> Iterator[Piece]:  # noqa: ANN401
    """Return the page contents of the text splitter."""
    splitter = ChunkanaSplitter(chunk_size=size, **options)
    document = Page(page_content=text.text, metadata={"source": text.name})
    for page in splitter.split_documents([document]):
        start, end = page.metadata["start_char"], page.metadata["end_char"]
        own = text.text[start:end]
        yield Piece(own, page.page_content, start, str(page.metadata["section_id"]))


OURS: dict[str, Chunker] = {
    "Chunkana, text alone": texts,
    "Chunkana, context": with_context,
    "Chunkana, context, atoms split": partial(with_context, atoms="split"),
    "Chunkana, LlamaIndex": llamaindex,
    "Chunkana, LangChain": langchain,
    "Chunkana, LangChain, atoms kept": partial(langchain, atomic_blocks="keep"),
    "Chunkana, LangChain, no introductions": partial(langchain, introductions=False),
}
LABELLED: dict[str, Chunker] = {
    "Chunkana, context, labelled": partial(with_context, is_labelled=True),
    "Chunkana, LlamaIndex, labelled": partial(llamaindex, label="source"),
    "Chunkana, LangChain, labelled": partial(langchain, source_label="source"),
}
PLAIN = ("Chunkana, context", "Chunkana, LlamaIndex", "Chunkana, LangChain")
