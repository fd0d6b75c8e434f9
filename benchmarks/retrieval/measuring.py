"""Measure the recall of every chunker, size, search and kind of budget."""

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

T = TypeVar("T")  # the ranking of a question

SEARCHES = ("dense", "words", "hybrid")
_DEPTH = 200  # hits of a ranking that are used; enough for any budget


@dataclass(frozen=True, slots=True)
class System:
    """A chunker with a size and a search."""

    chunker: str
    size: int
    search: str


Limit = tuple[Counted, int]  # what counts against a budget, and the budget
Outcomes = dict[System, dict[Limit, Numbers]]  # the recall of each question


@dataclass(frozen=True, slots=True)
class Bench:
    """Measures systems on one collection.

    Attributes:
        collection: the documents and questions.
        embeddings: the embedding model; None for lexical search only.
    """

    collection: Collection
    embeddings: Embeddings | None

    def measure(self, name: str, size: int, passages: Passages) -> Outcomes:
        """Return the recall of each search over passages, which are read in ranked order."""
        found, outcomes = passages.found, Outcomes()
        for search, scores in self._scores([passage.indexed for passage in found]):
            rows = [[found[n] for n in row[:_DEPTH]] for row in ranked(scores)]
            outcomes[System(name, size, search)] = self._outcome(rows, within)
        return outcomes

    def measure_reading(self, name: str, size: int) -> Outcomes:
        """Return the recall of each search over Chunkana's leaves, assembled by `assemble`."""
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
        """Return the recall of each question within each budget; `read` reads a ranking."""
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
