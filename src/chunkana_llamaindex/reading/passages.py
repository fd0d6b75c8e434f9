"""Convert passages to LlamaIndex nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from llama_index.core.schema import NodeRelationship, NodeWithScore, TextNode

from chunkana_llamaindex.nodes import KEYS
from chunkana_retrieval import Passage

_OWN_KEYS: Final = frozenset(KEYS)


@dataclass(frozen=True, slots=True)
class PassageTemplate:
    """The properties that the passages of a document take over from its nodes.

    Attributes:
        best: the best node; passages have its excluded keys, templates, separator and source.
        metadata: the metadata of the document that all its nodes share.
    """

    best: TextNode
    metadata: Mapping[str, Any]

    def node(self, passage: Passage) -> TextNode:
        """Convert a passage to a node."""
        own = {"start_line": 0, "end_line": 0, **passage.metadata()}
        best, start, end = self.best, passage.spans[0].start, passage.spans[-1].end
        added = [key for key in own if key not in self.metadata]
        source = best.relationships[NodeRelationship.SOURCE]
        return TextNode(
            id_=f"{passage.document_id}:{start}-{end}",
            text=passage.text,
            start_char_idx=start,
            end_char_idx=end,
            metadata={**self.metadata, **{key: own[key] for key in added}},
            excluded_llm_metadata_keys=self._excluded(best.excluded_llm_metadata_keys, added),
            excluded_embed_metadata_keys=self._excluded(best.excluded_embed_metadata_keys, added),
            metadata_seperator=best.metadata_separator,  # LlamaIndex's spelling
            metadata_template=best.metadata_template,
            text_template=best.text_template,
            relationships={NodeRelationship.SOURCE: source},
        )

    def scored_node(self, passage: Passage) -> NodeWithScore:
        """Convert a passage to a node with its score, None if the score is unknown."""
        score = None if isnan(passage.score) else passage.score
        return NodeWithScore(node=self.node(passage), score=score)

    def _excluded(self, keys: Sequence[str], added: Sequence[str]) -> list[str]:
        theirs = [key for key in keys if key not in _OWN_KEYS or key in self.metadata]
        return list(dict.fromkeys([*theirs, *added]))
