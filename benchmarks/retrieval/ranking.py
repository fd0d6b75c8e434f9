"""Scores and rankings of passages for questions: lexical, and fused with embeddings."""

from __future__ import annotations

from collections.abc import Sequence

import bm25s
import numpy as np
from numpy.typing import NDArray

from chunkana_retrieval import words_of

Scores = NDArray[np.float64]  # a row for each question, a column for each passage

_WORDS_SHARE = 0.3  # of fused scores; other chunkers have a better recall than with 0.5


def word_scores(texts: Sequence[str], questions: Sequence[str]) -> Scores:
    """Return the BM25 score of each text for each question, of the words of `words_of`."""
    model = bm25s.BM25()
    model.index([*map(words_of, texts)], show_progress=False)
    rows = [model.get_scores(words_of(question)) for question in questions]
    return np.asarray(rows, np.float64)


def fused(words: Scores, meaning: Scores) -> Scores:
    """Return the weighted sum of two scores, each divided by the question's best score."""
    return _WORDS_SHARE * _relative(words) + (1 - _WORDS_SHARE) * _relative(meaning)


def _relative(scores: Scores) -> Scores:
    best = scores.max(axis=1, keepdims=True)
    return scores / np.where(best > 0, best, np.inf)


def ranked(scores: Scores) -> NDArray[np.intp]:
    """Return the indexes of passages for each question, the best first; ties in order."""
    return np.argsort(-scores, axis=1, kind="stable")
