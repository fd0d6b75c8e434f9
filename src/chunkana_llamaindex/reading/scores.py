"""A postprocessor that ranks nodes by propagated scores."""

from __future__ import annotations

from math import isfinite
from typing import Any

from llama_index.core.bridge.pydantic import ConfigDict, Field, model_validator
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import NodeWithScore, QueryBundle

from chunkana_retrieval import propagate_scores

_SECTION = "section_id"


class ScorePropagation(BaseNodePostprocessor):
    """Ranks nodes by their score and the best ones of their section and of their document.

    The rule is that of `chunkana_retrieval.propagate_scores`, for whatever scores a retriever
    gives, as long as higher is better. The best `top_k` nodes take part; all others stay behind
    them, in order. A node's section is known by its document and its metadata `section_id`. A node
    without one takes part in its document alone, a node without a document in neither.

    Returned nodes have the new scores, in copies: what was given stays as it was. Nodes without a
    score, or with one that is not finite, stay as they are, behind all others, in order.

    Raises:
        ValueError: when made, for values that are not allowed and for unknown arguments.

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
        default=0.4, ge=0, allow_inf_nan=False, description="How much the section's best counts."
    )
    document_weight: float = Field(
        default=0.2, ge=0, allow_inf_nan=False, description="How much the document's best counts."
    )
    top_k: int = Field(default=30, ge=1, description="How many of the best nodes take part.")
    top_n: int | None = Field(
        default=None, ge=1, description="How many nodes to return; None for all."
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
        """Return the name by which it is serialised."""
        return "ChunkanaScorePropagation"

    def _postprocess_nodes(
        self,
        nodes: list[NodeWithScore],
        query_bundle: QueryBundle | None = None,  # noqa: ARG002
    ) -> list[NodeWithScore]:
        """Return nodes in their new order, those without a score last."""
        scored = [node for node in nodes if _is_scored(node)]
        others = [node for node in nodes if not _is_scored(node)]
        return [*self._ranked(scored), *others][: self.top_n]

    def _ranked(self, nodes: list[NodeWithScore]) -> list[NodeWithScore]:
        nodes = sorted(nodes, key=NodeWithScore.get_score, reverse=True)
        alone = [None] * len(nodes[self.top_k :])  # in no section or document, they stay behind
        scores = propagate_scores(
            [node.get_score() for node in nodes],
            [*map(_section, nodes[: self.top_k]), *alone],
            [*map(_document, nodes[: self.top_k]), *alone],
            section_weight=self.section_weight,
            document_weight=self.document_weight,
        )
        rescored = [
            node.model_copy(update={"score": score})
            for node, score in zip(nodes, scores, strict=True)
        ]
        return sorted(rescored, key=NodeWithScore.get_score, reverse=True)


def _is_scored(node: NodeWithScore) -> bool:
    return node.score is not None and isfinite(node.score)


def _section(found: NodeWithScore) -> str | None:
    """Return the name of a node's section, unique in its document; None for none."""
    section = found.node.metadata.get(_SECTION)
    return None if section is None else str(section)


def _document(found: NodeWithScore) -> str | None:
    """Return the name of a node's document; None for none."""
    source = found.node.source_node
    return None if source is None else source.node_id
