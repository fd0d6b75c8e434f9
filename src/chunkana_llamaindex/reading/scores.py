"""A postprocessor that ranks nodes by propagated scores."""

from __future__ import annotations

from math import isfinite
from typing import Any

from llama_index.core.bridge.pydantic import ConfigDict, Field, model_validator
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from chunkana_retrieval import Place, rank_scores


class ScorePropagation(BaseNodePostprocessor):
    """Ranks nodes by their own score and the best scores in their section and document.

    The rule is that of `chunkana_retrieval.propagate_scores`, for any scores of which higher is
    better. The best `top_k` nodes are ranked; all other nodes follow in their previous order. Equal
    scores are ranked by document and offset. The section of a node is identified by its document
    and its metadata `section_id`. A node without a section is ranked by its own score and the best
    one in its document, a node without a document by its own score only.

    The returned nodes are copies with the new scores. Nodes without a finite score are returned
    unchanged after all other nodes, in their previous order.

    Raises:
        ValueError: at construction, for unknown arguments and values that are not allowed.

    >>> from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
    >>> def found(text, document, score):
    ...     source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)}
    ...     return NodeWithScore(node=TextNode(text=text, relationships=source), score=score)
    >>> nodes = [found("a", "x", 0.9), found("b", "y", 0.7), found("c", "x", 0.69)]
    >>> [node.text for node in ScorePropagation().postprocess_nodes(nodes)]
    ['a', 'c', 'b']
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    section_weight: float = Field(
        strict=True,
        default=0.4,
        ge=0,
        allow_inf_nan=False,
        description="The weight of the best score in the section.",
    )
    document_weight: float = Field(
        strict=True,
        default=0.2,
        ge=0,
        allow_inf_nan=False,
        description="The weight of the best score in the document.",
    )
    top_k: int = Field(
        strict=True, default=30, ge=1, description="The number of the best nodes that are ranked."
    )
    top_n: int | None = Field(
        strict=True, default=None, ge=1, description="The number of nodes to return; None for all."
    )

    @model_validator(mode="before")
    @classmethod
    def _require_known(cls, values: Any) -> Any:
        if isinstance(values, dict):
            for name in values.keys() - cls.model_fields.keys():
                allowed = ", ".join(sorted(cls.model_fields))
                raise ValueError(f"unknown argument {name!r}; allowed: {allowed}")
        return values

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class in serialised form."""
        return "ChunkanaScorePropagation"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        """Return nodes in their new order, those without a finite score last."""
        scored = [node for node in nodes if _is_scored(node)]
        unscored = [node for node in nodes if not _is_scored(node)]
        return [*self._rank(scored), *unscored][: self.top_n]

    def _rank(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        ranked = rank_scores(
            [node.get_score() for node in nodes],
            [*map(_place, nodes)],
            section_weight=self.section_weight,
            document_weight=self.document_weight,
            top_k=self.top_k,
        )
        return [nodes[position].model_copy(update={"score": score}) for position, score in ranked]


def _is_scored(node: NodeWithScore) -> bool:
    return node.score is not None and isfinite(node.score)


def _place(scored: NodeWithScore) -> Place:
    """Return the document, section and offset of a node; document and section may be unknown."""
    node, source = scored.node, scored.node.source_node
    section = node.metadata.get("section_id")
    return Place(
        None if source is None else source.node_id,
        None if section is None else str(section),
        (node.start_char_idx or 0) if isinstance(node, TextNode) else 0,
    )
