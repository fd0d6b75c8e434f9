"""Leaves that were found, as the nodes that a language model reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from llama_index.core.schema import MetadataMode, NodeWithScore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.retrieving.documents import passage_template
from chunkana_retrieval import Passage, assemble
from chunkana_retrieval.indexing import FoundLeaves, RankingOptions, Relation, with_surroundings


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read at most.

    Attributes:
        budget: the most that all of it may measure.
        length: the measure.
        around: which leaves around those that were found are read besides.
    """

    budget: float
    length: Callable[[str], float]
    around: tuple[Relation, ...]

    def __post_init__(self) -> None:
        """Check them all."""
        assemble([], self.budget)
        with_surroundings([], [], self.around)
        length: object = self.length
        if not callable(length):
            allowed = "a function that returns the size of a text"
            raise ConfigurationError("length_function", length, allowed)

    def nodes(self, found: FoundLeaves, options: RankingOptions) -> list[NodeWithScore]:
        """Return the passages that fit, documents in the order of their best hit."""
        hits = with_surroundings(found.rank(options), found.records, self.around)
        names = {hit.document_id for hit in hits}
        known = {one.document_id: one for one in found.records if one.document_id in names}
        templates = {name: passage_template(record) for name, record in known.items()}

        def written(passage: Passage) -> str:
            return templates[passage.document_id].node(passage).get_content(MetadataMode.LLM)

        sources = {name: record.text for name, record in known.items()}
        passages = assemble(hits, self.budget, self.length, sources, written=written)
        return [templates[one.document_id].scored_node(one) for one in passages]
