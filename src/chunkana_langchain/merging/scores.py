"""Ranking of LangChain documents by propagated scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import NamedTuple, TypeGuard

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_retrieval import Place, rank_scores

# Added to a rank (from 0) before taking the reciprocal, which replaces a score. The usual 60 of
# reciprocal rank fusion makes all ranks nearly equal; with 5, propagation improves a ranking as
# much as with BM25 scores.
_RANK_OFFSET = 5


class ScoredDocument(NamedTuple):
    """A document with the score by which it is ranked; a higher score is better."""

    document: Document
    score: float


def rank_documents(
    found: Sequence[tuple[Document, object]],
    *,
    section_weight: float,
    document_weight: float,
    top_k: int,
) -> list[ScoredDocument]:
    """Return documents with the scores of `chunkana_retrieval.propagate_scores`, the best first.

    Args:
        found: documents and their scores, the best first. Scores may be similarities or distances;
            if one is not a number, or if they are not in order, ranks replace them.
        section_weight: the weight of the best score of a section.
        document_weight: the weight of the best score of a document.
        top_k: the number of the best documents that take part; the others follow them in their
            order.
    """
    ranked = rank_scores(
        _higher_is_better([score for _, score in found]),
        [_place(document) for document, _ in found],
        section_weight=section_weight,
        document_weight=document_weight,
        top_k=top_k,
    )
    return [ScoredDocument(found[position][0], score) for position, score in ranked]


def _higher_is_better(scores: Sequence[object]) -> list[float]:
    """Return descending scores: distances are negated, scores without an order become ranks."""
    numbers = [float(score) for score in scores if _is_number(score)]
    if len(numbers) == len(scores):
        if all(before >= after for before, after in pairwise(numbers)):
            return numbers
        if all(before <= after for before, after in pairwise(numbers)):
            return [-number for number in numbers]
    return [1 / (_RANK_OFFSET + rank) for rank in range(len(scores))]


def _is_number(score: object) -> TypeGuard[float]:
    return not isinstance(score, bool) and isinstance(score, Real) and isfinite(score)


def _place(document: Document) -> Place:
    """Return the place of a document from its metadata; without Chunkana's keys, it is alone."""
    metadata = document.metadata
    name, section = metadata.get(keys.DOCUMENT_ID), metadata.get(keys.SECTION_ID)
    start = metadata.get(keys.START_CHAR)
    return Place(
        None if name is None else str(name),
        None if section is None else str(section),
        start if isinstance(start, int) else 0,
    )
