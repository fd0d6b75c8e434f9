"""Every chunker, every size, every search, both counts: how much of each answer is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from benchmarks.retrieval.comparing import Numbers
from benchmarks.retrieval.embeddings import Embeddings
from benchmarks.retrieval.metrics import BUDGETS, COUNTED, Counted, Ranges, recall, within
from benchmarks.retrieval.passages import Passages
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Scores, fused, ranked, word_scores
from benchmarks.retrieval.reading import Leaves, rankings

T = TypeVar("T")  # what ranks one question's hits

SEARCHES = ("dense", "words", "hybrid")
_DEPTH = 200  # ranks that are looked at; enough for any budget


@dataclass(frozen=True, slots=True)
class System:
    """A chunker at a size, and what is searched with."""

    chunker: str
    size: int
    search: str


Limit = tuple[Counted, int]  # what counts against a budget, and the budget
Outcomes = dict[System, dict[Limit, Numbers]]  # the recall of each question


@dataclass(frozen=True, slots=True)
class Bench:
    """What all systems are measured with.

    Attributes:
        collection: the documents and questions.
        embeddings: what embeds them; None leaves out what needs them.
    """

    collection: Collection
    embeddings: Embeddings | None

    def measure(self, name: str, size: int, passages: Passages) -> Outcomes:
        """Return what each search finds among passages, read as they are ranked."""
        found, outcomes = passages.found, Outcomes()
        for search, scores in self._scores([passage.indexed for passage in found]):
            rows = [[found[n] for n in row[:_DEPTH]] for row in ranked(scores)]
            outcomes[System(name, size, search)] = self._outcome(rows, within)
        return outcomes

    def measure_reading(self, name: str, size: int) -> Outcomes:
        """Return what each search finds among our leaves, and `assemble` hands over."""
        leaves, outcomes = Leaves.of(self.collection, size), Outcomes()
        meaning = None
        if self.embeddings is not None:
            meaning = self.embeddings.scores(leaves.embedded, self._asked)
        for search, found in rankings(leaves, self._asked, meaning).items():
            outcomes[System(name, size, search)] = self._outcome(found, leaves.read)
        return outcomes

    def _scores(self, texts: list[str]) -> Iterator[tuple[str, Scores]]:
        words = word_scores(texts, self._asked)
        yield "words", words
        if self.embeddings is not None:
            meaning = self.embeddings.scores(texts, self._asked)
            yield "dense", meaning
            yield "hybrid", fused(words, meaning)

    def _outcome(
        self, rankings: Sequence[T], read: Callable[[T, int, Counted], Ranges]
    ) -> dict[Limit, Numbers]:
        """Return the recall of each question within each budget, of what is read of a ranking."""
        pairs = [*zip(self.collection.questions, rankings, strict=True)]
        return {
            (counted, budget): np.asarray(
                [recall(question, read(ranking, budget, counted)) for question, ranking in pairs]
            )
            for counted in COUNTED
            for budget in BUDGETS
        }

    @property
    def _asked(self) -> list[str]:
        return [question.text for question in self.collection.questions]
