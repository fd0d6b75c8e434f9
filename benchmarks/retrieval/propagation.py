"""Scores of passages with those of their section and document added."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval.passages import Passage
from benchmarks.retrieval.ranking import Scores, Words
from chunkana_retrieval import propagate_scores

_CANDIDATES = 30


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the score of a section and of a document count beside that of a passage."""

    section: float
    document: float


def sections(passages: Sequence[Passage]) -> NDArray[np.intp]:
    """Return a number for the section of each passage."""
    return _numbers([(passage.document, passage.section) for passage in passages])


def documents(passages: Sequence[Passage]) -> NDArray[np.intp]:
    """Return the number of the document of each passage."""
    return np.asarray([passage.document for passage in passages])


def _numbers(keys: Sequence[Hashable]) -> NDArray[np.intp]:
    numbers: dict[Hashable, int] = {}
    return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys])


def propagate(scores: Scores, passages: Sequence[Passage], weights: Weights) -> Scores:
    """Add the best scores of a passage's section and of its document to the best passages' own.

    Of each question, the 30 best passages take part; the others stay behind them, in order.
    """
    of_section, of_document = sections(passages), documents(passages)
    return np.array([_propagate_row(row, of_section, of_document, weights) for row in scores])


def _propagate_row(
    scores: NDArray[np.float64],
    of_section: NDArray[np.intp],
    of_document: NDArray[np.intp],
    weights: Weights,
) -> NDArray[np.float64]:
    top = np.argsort(-scores, kind="stable")[:_CANDIDATES]
    best = propagate_scores(
        scores[top].tolist(),
        of_section[top].tolist(),
        of_document[top].tolist(),
        section_weight=weights.section,
        document_weight=weights.document,
    )
    result: NDArray[np.float64] = scores + min(best) - scores.max() - 1  # behind the best
    result[top] = best
    return result


def second_level(
    words: Words,
    scores: Scores,
    passages: Sequence[Passage],
    questions: Sequence[str],
    weights: Weights,
) -> Scores:
    """Add the BM25 scores of the whole section and of the whole document to those of passages."""

    def level(groups: NDArray[np.intp]) -> Scores:
        joined = [""] * (int(groups.max()) + 1)
        for group, passage in zip(groups, passages, strict=True):
            joined[group] += passage.indexed + "\n"
        return words.scores(joined, questions)[:, groups]

    return with_levels(scores, passages, weights, level)


def with_levels(
    scores: Scores,
    passages: Sequence[Passage],
    weights: Weights,
    level: Callable[[NDArray[np.intp]], Scores],
) -> Scores:
    """Add to the scores of passages those of their section and of their document.

    Args:
        scores: of the passages.
        passages: what is scored.
        weights: what the scores of section and document are multiplied with.
        level: gives the scores of what passages of one number make up together, by passage.
    """
    result = scores + weights.section * level(sections(passages))
    result += weights.document * level(documents(passages))
    return result
