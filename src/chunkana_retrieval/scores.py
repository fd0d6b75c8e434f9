"""Score propagation: the best scores of a section and a document raise the scores in them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from chunkana_core import ConfigurationError
from chunkana_retrieval.checks import LARGEST, require_count, require_number
from chunkana_retrieval.hits import Hit


class Place(NamedTuple):
    """The document, section and offset of a passage.

    Attributes:
        document: the id of the document; None for a passage that shares it with no other passage.
        section: the id of the section, unique in the document; None for a section that no other
            passage is in.
        start: the offset in the document where the passage starts.
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
    """Return the scores of passages plus the weighted best scores of their section and document.

    A new score is `score + section_weight * best of the section + document_weight * best of the
    document`, for the passages that a search found for one question. The best passage remains the
    best. The order does not depend on the zero or the unit of the scores: cosine similarities, BM25
    scores and negated distances are all suitable.

    Args:
        scores: the scores of the passages, in any order; a higher score is better, and scores may
            be negative.
        sections: the id of each passage's section, unique in its document; None for a passage that
            is alone in its section.
        documents: the id of each passage's document; None for a passage that is alone in its
            document and section.
        section_weight: the weight of the best score of the section; 0 to ignore it.
        document_weight: the weight of the best score of the document; 0 to ignore it.

    Returns:
        The new scores, in the order of the old ones. The score of a passage that is alone is
        multiplied by the sum of the weights and one, so that it stays comparable to the others.

    Raises:
        ConfigurationError: naming the argument, for different lengths, a score that is not a
            finite number, and a weight that is negative or not finite.

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
    """Return hits with the scores of `propagate_scores`, the best first.

    Args:
        hits: the hits, the best first, with the ids of their sections and documents.
        section_weight: the weight of the best score of the section; 0 to ignore it.
        document_weight: the weight of the best score of the document; 0 to ignore it.
        top_k: the number of the best hits that take part; the others follow them in their order.

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
    """Return the indices of passages and their scores by `propagate_scores`, the best first.

    Equal scores are ordered by document and start, so the result does not depend on the order in
    which a store returns passages.

    Args:
        scores: the scores of the passages, in any order; a higher score is better.
        places: the document, section and offset of each passage.
        section_weight: the weight of the best score of the section; 0 to ignore it.
        document_weight: the weight of the best score of the document; 0 to ignore it.
        top_k: the number of the best passages that take part; the others follow them in their
            order.

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
    """Return the id of a hit's section, or a key of its own for a hit without a section."""
    return ("", hit.node_id) if hit.section_id is None else hit.section_id


def _best(scores: Sequence[float], groups: Sequence[Hashable]) -> list[float]:
    """Return the best score of each score's group; the score itself if its group is None."""
    best: dict[Hashable, float] = {}
    for score, group in zip(scores, groups, strict=True):
        best[group] = max(score, best.get(group, score))
    return [
        score if group is None else best[group] for score, group in zip(scores, groups, strict=True)
    ]


def _require_as_many(field: str, value: Sequence[Hashable], scores: Sequence[float]) -> None:
    if len(value) != len(scores):
        raise ConfigurationError(field, value, f"one for each of {len(scores)} scores")
