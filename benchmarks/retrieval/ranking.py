"""Scores of passages for questions: by words, and by words and meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bm25s
import numpy as np
import Stemmer
from numpy.typing import NDArray

Scores = NDArray[np.float64]  # a row for each question, a column for each passage

_WORDS_SHARE = 0.3  # of fused scores


@dataclass(frozen=True, slots=True)
class Words:
    """Scores by BM25, with the tokenisation and English stop words of bm25s.

    Attributes:
        is_stemmed: whether Snowball's English stemmer is applied, to passages and questions.
    """

    is_stemmed: bool = False

    def scores(self, texts: Sequence[str], questions: Sequence[str]) -> Scores:
        """Return the score of each text for each question."""
        model = bm25s.BM25()
        model.index(self._words(texts), show_progress=False)
        rows = [model.get_scores(words) for words in self._words(questions)]
        return np.asarray(rows, np.float64)

    def _words(self, texts: Sequence[str]) -> list[list[str]]:
        stemmer = Stemmer.Stemmer("english") if self.is_stemmed else None
        words: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
        )
        return words


def fused(words: Scores, meaning: Scores) -> Scores:
    """Return the weighted sum of two kinds of scores, each divided by the question's best."""
    return _WORDS_SHARE * _relative(words) + (1 - _WORDS_SHARE) * _relative(meaning)


def _relative(scores: Scores) -> Scores:
    best = scores.max(axis=1, keepdims=True)
    return scores / np.where(best > 0, best, np.inf)


def ranked(scores: Scores) -> NDArray[np.intp]:
    """Return the numbers of passages for each question, the best first; of equals, the first."""
    return np.argsort(-scores, axis=1, kind="stable")
