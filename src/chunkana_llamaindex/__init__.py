"""Chunkana's adapter to LlamaIndex: a node parser, a retriever and postprocessors.

It needs the extra `llamaindex`: `pip install "chunkana-rag[llamaindex]"`.
"""

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    raise ImportError(
        'chunkana_llamaindex needs llama-index-core: pip install "chunkana-rag[llamaindex]"'
    ) from error

from chunkana_llamaindex.node_parser import (
    ChunkanaNodeParser,
    LeafNodes,
    MarkdownHierarchyNodeParser,
    to_nodes,
)
from chunkana_llamaindex.postprocessors import ContextAssembler, ScorePropagation
from chunkana_llamaindex.recipes import (
    AsyncAutoMergingRetriever,
    build_auto_merging,
    recursive_retriever_inputs,
    tree_index,
)
from chunkana_llamaindex.retriever import ChunkanaRetriever

__all__ = [
    "AsyncAutoMergingRetriever",
    "ChunkanaNodeParser",
    "ChunkanaRetriever",
    "ContextAssembler",
    "LeafNodes",
    "MarkdownHierarchyNodeParser",
    "ScorePropagation",
    "build_auto_merging",
    "recursive_retriever_inputs",
    "to_nodes",
    "tree_index",
]
