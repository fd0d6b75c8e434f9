"""Sharing of evidence: what is near a good chunk is lifted with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import NamedTuple, TypeGuard

from langchain_core.documents import Document

from chunkana_core import share_evidence
from chunkana_langchain import keys

# What is added to a rank, from 0, whose reciprocal stands for a score. The 60 of reciprocal rank
# fusion makes all ranks nearly equal; with 5, sharing gains as much as with the scores of BM25.
_FLATTEN = 5


class Found(NamedTuple):
    """What was found, and the score that it was found with, if it is known.

    Attributes:
        document: a chunk, or what else there is.
        score: that, or whatever a caller's metadata call so.
    """

    document: Document
    score: object


@dataclass(frozen=True, slots=True)
class Sharing:
    """How what was found shares evidence; see `chunkana_core.share_evidence`.

    Attributes:
        section_weight: how much the best score of a section counts.
        document_weight: how much the best score of a document counts.
        top_k: how many of the best documents take part.
    """

    section_weight: float
    document_weight: float
    top_k: int

    def ranked(self, found: Sequence[Found]) -> list[Document]:
        """Return documents in their new order; those that take no part stay behind, in theirs.

        Args:
            found: the best first, with scores that count either way. Where one is no number, or
                they do not go one way, the ranks stand for them.
        """
        documents = [one.document for one in found]
        best = documents[: self.top_k]
        apart = [None] * (len(documents) - len(best))  # by themselves, they stay behind
        shared = share_evidence(
            _higher_is_better([one.score for one in found]),
            [*(_named(document, keys.SECTION_ID) for document in best), *apart],
            [*(_named(document, keys.DOCUMENT_ID) for document in best), *apart],
            section_weight=self.section_weight,
            document_weight=self.document_weight,
        )
        order = sorted(range(len(documents)), key=shared.__getitem__, reverse=True)
        return [documents[position] for position in order]


def _higher_is_better(scores: Sequence[object]) -> list[float]:
    """Return scores of which the first is the highest: distances are negated."""
    numbers = [float(score) for score in scores if _is_number(score)]
    if len(numbers) == len(scores):
        if all(before >= after for before, after in pairwise(numbers)):
            return numbers
        if all(before <= after for before, after in pairwise(numbers)):
            return [-number for number in numbers]
    return [1 / (_FLATTEN + rank) for rank in range(len(scores))]


def _is_number(score: object) -> TypeGuard[float]:
    return not isinstance(score, bool) and isinstance(score, Real) and isfinite(score)


def _named(document: Document, key: str) -> str | None:
    """Return what a document's metadata say of where it is, None for nothing."""
    name = document.metadata.get(key)
    return None if name is None else str(name)
