"""A pipeline stage that lets leaves through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TransformComponent

from chunkana_llamaindex.parsing.metadata import leaves_of


class LeafNodes(TransformComponent):
    """Passes the leaves of what `ChunkanaNodeParser` gives; no parents, no summaries.

    An `IngestionPipeline` sends every node to the vector store, where parents would have their
    text embedded once more and be found instead of their children. Parents belong in a store of
    nodes: the pipeline's own document store holds documents.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the name by which it is serialised."""
        return "ChunkanaLeafNodes"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002
        """Return the leaves among nodes."""
        return leaves_of(list(nodes))
