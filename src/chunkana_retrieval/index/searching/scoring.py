"""BM25 scores on three levels: leaves, sections and documents."""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Scores = NDArray[np.float32]
# Relative to a leaf's own score; values from 0.25 to 1 give similar results.
_SECTION_WEIGHT = _DOCUMENT_WEIGHT = 0.5
_K1, _B = 1.5, 0.75  # Lucene's BM25, as bm25s computes it


class Level(NamedTuple):
    """The texts of one level: leaves, sections or documents.

    Attributes:
        text_of: the number of each leaf's text.
        norms: by text, what is added to the count of a word in it: `k1 * (1 - b + b * length /
            mean length)`.
    """

    text_of: Numbers
    norms: NDArray[np.float64]

    @classmethod
    def of(cls, text_of: Numbers, lengths: Numbers) -> Level:
        """Return a level of texts that consist of leaves with these lengths, in words."""
        totals = np.bincount(text_of, weights=lengths)
        mean = totals.mean() if totals.any() else 1.0
        return cls(text_of, _K1 * (1 - _B + _B * totals / mean))

    def add(self, scores: Scores, occurrences: Numbers) -> None:
        """Add the scores of a word to those of texts.

        Args:
            scores: the scores by text.
            occurrences: the number of the leaf of each occurrence of the word.
        """
        texts, counts = np.unique(self.text_of[occurrences], return_counts=True)
        rarity = log(1 + (len(self.norms) - len(texts) + 0.5) / (len(texts) + 0.5))
        scores[texts] += np.float32(rarity) * (counts / (counts + self.norms[texts]))


class Levels(NamedTuple):
    """The levels of an index."""

    leaves: Level
    sections: Level
    documents: Level

    @classmethod
    def of(cls, lengths: Numbers, section_of: Numbers, document_of: Numbers) -> Levels:
        """Return the levels of leaves.

        Args:
            lengths: the number of words of each leaf.
            section_of: the number of each leaf's section.
            document_of: the number of each leaf's document, without gaps.
        """
        numbers = np.arange(len(lengths))
        return cls(*(Level.of(one, lengths) for one in (numbers, section_of, document_of)))

    def scores(self, words: list[Numbers]) -> Scores:
        """Return the score of each leaf: its own plus half of those of its section and document.

        Args:
            words: for each word of the question the leaves of its occurrences.
        """
        totals = [np.zeros(len(level.norms), np.float32) for level in self]
        for occurrences in words:
            for level, total in zip(self, totals, strict=True):
                level.add(total, occurrences)
        leaf, section, document = totals
        scores: Scores = leaf + _SECTION_WEIGHT * section[self.sections.text_of]
        scores += _DOCUMENT_WEIGHT * document[self.documents.text_of]
        return scores


def best(scores: Scores, count: int, least: float) -> list[int]:
    """Return the positions of the best scores above the least one; of equal ones, the first."""
    above = np.flatnonzero(scores > least)
    if len(above) > count:  # sorting only these takes a tenth of the time
        limit = np.partition(scores[above], len(above) - count)[len(above) - count]
        above = above[scores[above] >= limit]
    order = np.argsort(-scores[above], kind="stable")[:count]
    return [int(position) for position in above[order]]
