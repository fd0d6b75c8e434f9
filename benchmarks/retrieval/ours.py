"""Chunkana's chunks through each adapter, as the framework embeds them and shows them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from llama_index.core import Document
from llama_index.core.schema import MetadataMode, TextNode

from benchmarks.retrieval.passages import Chunker, Piece
from benchmarks.retrieval.questions import Text
from chunkana_langchain import ChunkanaSplitter
from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser

SIZES = (500, 800, 1000)
SPLITTER = "`ChunkanaSplitter`"
PARSER = "`MarkdownHierarchyNodeParser`"


def llamaindex(text: Text, size: int, **options: Any) -> Iterator[Piece]:  # noqa: ANN401
    """Yield the leaves of the node parser."""
    parser = MarkdownHierarchyNodeParser(max_chunk_size=size, **options)
    keys = ["file_path"]  # which is in the context
    document = Document(
        text=text.text,
        metadata={"file_path": text.name},
        excluded_embed_metadata_keys=keys,
        excluded_llm_metadata_keys=keys,
    )
    for node in LeafNodes()(parser.get_nodes_from_documents([document])):
        if isinstance(node, TextNode) and node.start_char_idx is not None:
            own = text.text[node.start_char_idx : node.end_char_idx]
            embedded, read = map(node.get_content, (MetadataMode.EMBED, MetadataMode.LLM))
            yield Piece(own, embedded, read, node.start_char_idx)


def langchain(text: Text, size: int, **options: Any) -> Iterator[Piece]:  # noqa: ANN401
    """Yield the documents of the text splitter."""
    splitter = ChunkanaSplitter(chunk_size=size, **options)
    for page in splitter.create_documents([text.text], [{"source": text.name}]):
        start, end = page.metadata["start_char"], page.metadata["end_char"]
        yield Piece(text.text[start:end], page.page_content, page.page_content, start)


OURS: dict[str, Chunker] = {
    SPLITTER: langchain,
    f'{SPLITTER}, `header_context="none"`': partial(langchain, header_context="none"),
    PARSER: llamaindex,
}
PLAIN = (SPLITTER,)  # compared on documents without headings
