"""A pipeline stage that keeps only leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.schema import BaseNode, TransformComponent

from chunkana_llamaindex.parsing.metadata import leaves_of


class LeafNodes(TransformComponent):
    """Keeps the leaves among nodes of `ChunkanaNodeParser`, without parents and summaries.

    An `IngestionPipeline` adds every node to the vector store. There, the text of parents would be
    embedded a second time, and parents would be found instead of their children. Store parents in a
    separate document store: the one of the pipeline contains documents.
    """

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaLeafNodes"

    def __call__(self, nodes: Sequence[BaseNode], **kwargs: Any) -> Sequence[BaseNode]:  # noqa: ARG002
        """Return the leaves among nodes."""
        return leaves_of(list(nodes))
