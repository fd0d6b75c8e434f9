"""Node parsers for LlamaIndex: Chunkana's, and LlamaIndex's own that suit Markdown.

A parser with sizes in tokens gets the number of tokens that has the same number of characters in
real documents, by LlamaIndex's default tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from llama_index.core import Document
from llama_index.core.node_parser import (
    HierarchicalNodeParser,
    MarkdownNodeParser,
    NodeParser,
    SentenceSplitter,
    get_leaf_nodes,
)
from llama_index.core.schema import BaseNode

from benchmarks.chunkers.timed import Timed
from chunkana_llamaindex import MarkdownHierarchyNodeParser

PACKAGES = ("llama-index-core",)
_CHARACTERS_PER_TOKEN = 4.08  # in the documents of the benchmark of retrieval
_LEVELS = (4, 2, 1)  # sizes of the hierarchy, in multiples of the leaf size


def timed(size: int) -> Iterator[Timed]:
    """Yield Chunkana's and LlamaIndex's parsers, which make LlamaIndex nodes."""
    ours = MarkdownHierarchyNodeParser(max_chunk_size=size)
    yield Timed("Chunkana `MarkdownHierarchyNodeParser`", parsing(ours), _leaves, parses=True)
    yield Timed("LlamaIndex `MarkdownNodeParser`, any size", parsing(MarkdownNodeParser()))
    yield Timed("LlamaIndex `SentenceSplitter`", parsing(sentence_splitter(size)))
    sizes = [tokens(size * times) for times in _LEVELS]
    hierarchical = HierarchicalNodeParser.from_defaults(sizes, chunk_overlap=0)
    yield Timed("LlamaIndex `HierarchicalNodeParser`", parsing(hierarchical), _leaves)


def parsing(parser: NodeParser) -> Callable[[str], list[BaseNode]]:
    """Return a function that parses a text inside a document with a file name, as from a reader."""

    def parse(text: str) -> list[BaseNode]:
        document = Document(text=text, metadata={"file_name": "a.md"})
        return parser.get_nodes_from_documents([document])

    return parse


def sentence_splitter(size: int) -> SentenceSplitter:
    """Return the default splitter, without overlap."""
    return SentenceSplitter(chunk_size=tokens(size), chunk_overlap=0)


def tokens(size: int) -> int:
    """Return the number of tokens with about `size` characters."""
    return round(size / _CHARACTERS_PER_TOKEN)


def _leaves(nodes: list[BaseNode]) -> int:
    return len(get_leaf_nodes(nodes))
