"""A pipeline stage that lets leaves through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import BaseNode, TransformComponent


class LeafNodes(TransformComponent):
    """Passes the leaves of what `MarkdownHierarchyNodeParser` gives, and drops parents.

    An `IngestionPipeline` sends every node to the vector store, where parents would have their
    text embedded once more and be found instead of their children. Store parents before, in a
    node store: the pipeline's own document store holds documents alone.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which it is serialised."""
        return "ChunkanaLeafNodes"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002
        """Return the leaves among nodes."""
        return get_leaf_nodes(list(nodes))
