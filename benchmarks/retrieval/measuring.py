"""Every chunker, every size, every way to search: how much of each answer is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.retrieval.comparing import Numbers
from benchmarks.retrieval.embeddings import Embeddings
from benchmarks.retrieval.metrics import BUDGETS, first, overlap, within
from benchmarks.retrieval.passages import Chunker, Passage, Passages, passages
from benchmarks.retrieval.propagation import Weights, propagate, second_level, with_levels
from benchmarks.retrieval.questions import Collection
from benchmarks.retrieval.ranking import Scores, Words, fused, ranked

WORDS, MEANING, FUSED = "BM25", "dense", "fused"
PROPAGATION = "propagation .4/.2"
_PROPAGATION = {
    PROPAGATION: Weights(0.4, 0.2),
    "propagation .2/.1": Weights(0.2, 0.1),
    "propagation .8/.4": Weights(0.8, 0.4),
}
_LEVELS = "levels"
_BEST_WORD_LEVELS, _BEST_MEANING_LEVELS = "levels 1/1", "levels .4/.2"
_WORD_LEVELS = {
    "levels 1/1": Weights(1, 1),
    "levels .5/1": Weights(0.5, 1),
    "levels .4/.2": Weights(0.4, 0.2),
}
_MEANING_LEVELS = {"levels .4/.2": Weights(0.4, 0.2), "levels .5/0": Weights(0.5, 0)}
BASES = (WORDS, MEANING, FUSED)
_TOP = 5
_DEPTH = 200  # ranks that are looked at; enough for any budget


@dataclass(frozen=True, slots=True)
class System:
    """A chunker at a size, and what is searched with."""

    chunker: str
    size: int
    search: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a system found, with a number for each question in every array.

    Attributes:
        recalls: by budget, the share of the answer's characters.
        top_recall: of the first five passages.
        top_precision: of the first five passages.
        top_union_share: of the first five passages, intersection over union.
    """

    recalls: dict[int, Numbers]
    top_recall: Numbers
    top_precision: Numbers
    top_union_share: Numbers


Outcomes = dict[System, Outcome]


@dataclass(frozen=True, slots=True)
class Bench:
    """What all systems are measured with.

    Attributes:
        collection: the documents and questions.
        words: how BM25 sees them.
        embeddings: what embeds them; None leaves out what needs them.
    """

    collection: Collection
    words: Words
    embeddings: Embeddings | None

    def split(self, chunker: Chunker, size: int) -> Passages:
        """Split all documents."""
        return passages(chunker, self.collection.texts, size)

    def measure(self, name: str, size: int, found: Passages) -> Iterator[tuple[System, Outcome]]:
        """Yield what each way to search finds among passages."""
        for search, scores in self.scores(found.found):
            yield System(name, size, search), self.outcome(found.found, scores)

    def scores(self, found: Sequence[Passage]) -> Iterator[tuple[str, Scores]]:
        """Yield the scores of passages, by each way to search."""
        for name, scores in self._plain(found):
            yield name, scores
            for label, weights in _PROPAGATION.items():
                if name in BASES or label == PROPAGATION:
                    yield f"{name} + {label}", propagate(scores, found, weights)

    def _plain(self, found: Sequence[Passage]) -> Iterator[tuple[str, Scores]]:
        words = dict(self._by_words(found))
        yield from words.items()
        if self.embeddings is not None:
            meaning = dict(self._by_meaning(self.embeddings, found))
            yield from meaning.items()
            levels = words[f"{WORDS} + {_BEST_WORD_LEVELS}"]
            yield FUSED, fused(words[WORDS], meaning[MEANING])
            yield f"{FUSED} + BM25's {_LEVELS}", fused(levels, meaning[MEANING])
            both = fused(levels, meaning[f"{MEANING} + {_BEST_MEANING_LEVELS}"])
            yield f"{FUSED} + both {_LEVELS}", both

    def _by_words(self, found: Sequence[Passage]) -> Iterator[tuple[str, Scores]]:
        scores = self.words.scores([passage.indexed for passage in found], self._asked)
        yield WORDS, scores
        for label, weights in _WORD_LEVELS.items():
            added = second_level(self.words, scores, found, self._asked, weights)
            yield f"{WORDS} + {label}", added

    def _by_meaning(
        self, embeddings: Embeddings, found: Sequence[Passage]
    ) -> Iterator[tuple[str, Scores]]:
        texts = [passage.indexed for passage in found]
        scores = embeddings.scores(texts, self._asked)
        yield MEANING, scores
        level = partial(embeddings.level, texts, self._asked)
        for label, weights in _MEANING_LEVELS.items():
            yield f"{MEANING} + {label}", with_levels(scores, found, weights, level)

    @property
    def _asked(self) -> list[str]:
        return [question.text for question in self.collection.questions]

    def outcome(self, found: Sequence[Passage], scores: Scores) -> Outcome:
        """Return what a ranking brings to each question."""
        rankings = [[found[n] for n in row[:_DEPTH]] for row in ranked(scores)]
        pairs = list(zip(self.collection.questions, rankings, strict=True))
        recalls = {
            budget: _numbers(overlap(q, within(ranking, budget)).recall for q, ranking in pairs)
            for budget in BUDGETS
        }
        top = [overlap(question, first(ranking, _TOP)) for question, ranking in pairs]
        return Outcome(
            recalls,
            _numbers(o.recall for o in top),
            _numbers(o.precision for o in top),
            _numbers(o.union_share for o in top),
        )


def _numbers(values: Iterable[float]) -> Numbers:
    return np.fromiter(values, np.float64)
