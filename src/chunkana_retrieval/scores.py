"""Scores propagated within a section and a document: what is near an answer is read with it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from chunkana_core import ConfigurationError
from chunkana_retrieval.checks import LARGEST, require_count, require_number
from chunkana_retrieval.hits import Hit


class Place(NamedTuple):
    """Where a passage is.

    Attributes:
        document: the name of its document; None for a passage that has document and section for
            itself.
        section: the name of its section, unique in the document; None for one that it has for
            itself.
        start: where it starts in the document.
    """

    document: str | None = None
    section: Hashable = None
    start: int = 0


def propagate_scores(
    scores: Sequence[float],
    sections: Sequence[Hashable],
    documents: Sequence[Hashable],
    *,
    section_weight: float = 0.4,
    document_weight: float = 0.2,
) -> list[float]:
    """Return scores to which the best one of the same section and document are added.

    That is `score + section_weight * best of the section + document_weight * best of the document`,
    for passages that one question found. The best passage stays the best. The order does not depend
    on where scores start or on their unit: cosines, BM25's and negated distances will do.

    Args:
        scores: of the passages, in any order; a higher one is better, and any may be negative.
        sections: the name of each passage's section, unique in its document; None for a passage
            that has its section for itself.
        documents: the name of each passage's document; None for a passage that has document and
            section for itself.
        section_weight: how much the best score of a section counts; 0 for nothing.
        document_weight: how much the best score of a document counts; 0 for nothing.

    Returns:
        The new scores, in the order of the old ones. Those of passages that are by themselves are
        multiplied, by the same factor, so that they compare with the others.

    Raises:
        ConfigurationError: naming the argument, for lengths that differ, a score that is no finite
            number, and a weight that is negative or not finite.

    >>> propagate_scores([1.0, 0.5, 0.75], ["a", "a", "b"], ["x", "x", "y"], section_weight=0.5)
    [1.7, 1.2, 1.275]
    """
    _require_as_many("sections", sections, scores)
    _require_as_many("documents", documents, scores)
    for score in scores:
        require_number("scores", score, -LARGEST, LARGEST, "finite numbers")
    for name, weight in (("section_weight", section_weight), ("document_weight", document_weight)):
        require_number(name, weight, 0, LARGEST, "a finite number of at least 0")
    places = [
        None if section is None or document is None else (document, section)
        for section, document in zip(sections, documents, strict=True)
    ]
    best = zip(_best(scores, places), _best(scores, documents), strict=True)
    return [
        score + section_weight * of_section + document_weight * of_document
        for score, (of_section, of_document) in zip(scores, best, strict=True)
    ]


def propagate_hits(
    hits: Sequence[Hit],
    *,
    section_weight: float = 0.4,
    document_weight: float = 0.2,
    top_k: int = 30,
) -> list[Hit]:
    """Return hits ranked by `propagate_scores`, with these scores.

    Args:
        hits: the best first, with the ids of their sections and documents.
        section_weight: how much the best score of a section counts; 0 for nothing.
        document_weight: how much the best score of a document counts; 0 for nothing.
        top_k: how many of the best hits take part; the others stay behind them, in order.

    Raises:
        ConfigurationError: naming the argument, as `propagate_scores` does.

    >>> hits = [
    ...     Hit("a", 1.0, document_id="x"),
    ...     Hit("b", 0.5, document_id="y"),
    ...     Hit("c", 0.45, document_id="x"),
    ... ]
    >>> [(hit.node_id, round(hit.score, 2)) for hit in propagate_hits(hits)]
    [('a', 1.6), ('c', 0.83), ('b', 0.8)]
    """
    ranked = rank_scores(
        [hit.score for hit in hits],
        [Place(hit.document_id, _section(hit), hit.span.start) for hit in hits],
        section_weight=section_weight,
        document_weight=document_weight,
        top_k=top_k,
    )
    return [replace(hits[number], score=score) for number, score in ranked]


def rank_scores(
    scores: Sequence[float],
    places: Sequence[Place],
    *,
    section_weight: float = 0.4,
    document_weight: float = 0.2,
    top_k: int = 30,
) -> list[tuple[int, float]]:
    """Return the positions of passages, ranked by `propagate_scores`, each with its new score.

    Equal scores are ranked by document and start, so that the order in which a store returns them
    changes nothing.

    Args:
        scores: of the passages, in any order; a higher one is better.
        places: of the passages.
        section_weight: how much the best score of a section counts; 0 for nothing.
        document_weight: how much the best score of a document counts; 0 for nothing.
        top_k: how many of the best passages take part; the others stay behind them, in order.

    Raises:
        ConfigurationError: naming the argument, as `propagate_scores` does.

    >>> places = [Place("x", "a"), Place("y", "a"), Place("x", "b")]
    >>> [position for position, _ in rank_scores([1.0, 0.5, 0.45], places)]
    [0, 2, 1]
    """
    require_count("top_k", top_k, 0)
    _require_as_many("places", places, scores)

    def ranked(given: Sequence[float]) -> list[int]:
        def key(position: int) -> tuple[float, str, int]:
            return -given[position], places[position].document or "", places[position].start

        return sorted(range(len(given)), key=key)

    best = {*ranked(scores)[:top_k]}
    known = [place if n in best else Place() for n, place in enumerate(places)]
    new = propagate_scores(
        scores,
        [place.section for place in known],
        [place.document for place in known],
        section_weight=section_weight,
        document_weight=document_weight,
    )
    return [(position, new[position]) for position in ranked(new)]


def _section(hit: Hit) -> Hashable:
    """Return the name of a hit's section, which is its own where it has none."""
    return ("", hit.node_id) if hit.section_id is None else hit.section_id


def _best(scores: Sequence[float], groups: Sequence[Hashable]) -> list[float]:
    """Return, for each score, the best one of its group; its own where it is in none."""
    best: dict[Hashable, float] = {}
    for score, group in zip(scores, groups, strict=True):
        best[group] = max(score, best.get(group, score))
    return [
        score if group is None else best[group] for score, group in zip(scores, groups, strict=True)
    ]


def _require_as_many(field: str, value: Sequence[Hashable], scores: Sequence[float]) -> None:
    if len(value) != len(scores):
        raise ConfigurationError(field, value, f"one for each of {len(scores)} scores")
