"""Leaves that were found, as the nodes that a language model reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from llama_index.core.schema import MetadataMode, NodeWithScore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.retrieving.documents import passage_template
from chunkana_retrieval import Hit, Passage, assemble, assemble_mixed
from chunkana_retrieval.indexing import DocumentRecord, with_surroundings
from chunkana_retrieval.indexing.searching import Relation


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

    def nodes(self, hits: Sequence[Hit], records: Sequence[DocumentRecord]) -> list[NodeWithScore]:
        """Return the passages of hits that fit, documents in the order of their best hit."""
        hits = with_surroundings(hits, records, self.around)
        names = {hit.document_id for hit in hits}
        known = {record.document_id: record for record in records if record.document_id in names}
        templates = {name: passage_template(record) for name, record in known.items()}

        def written(passage: Passage) -> str:
            return templates[passage.document_id].node(passage).get_content(MetadataMode.LLM)

        sources = {name: record.text for name, record in known.items()}
        parts = assemble_mixed(hits, self.budget, self.length, sources, written)
        passages = [part for part in parts if isinstance(part, Passage)]
        return [templates[one.document_id].scored_node(one) for one in passages]
