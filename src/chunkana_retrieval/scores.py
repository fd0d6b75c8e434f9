"""Score propagation: the best scores of a section and a document raise the scores in them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from chunkana_core.extending import require_finite, require_number
from chunkana_retrieval.hits import Hit


def propagate_scores(
    hits: Sequence[Hit],
    *,
    section_weight: float = 0.4,
    document_weight: float = 0.2,
    top_k: int = 30,
) -> list[Hit]:
    """Return hits with their scores plus the weighted best scores of their section and document.

    A new score is `score + section_weight * best of the section + document_weight * best of the
    document`, for the hits that a search found for one question. The best hit remains the best. The
    order does not depend on the zero or the unit of the scores: cosine similarities, BM25 scores
    and negated distances are all suitable.

    Args:
        hits: the hits in any order, with the ids of their sections and documents; a hit without a
            section is alone in its section. A higher score is better; scores may be negative.
        section_weight: the weight of the best score of the section; 0 to ignore it.
        document_weight: the weight of the best score of the document; 0 to ignore it.
        top_k: the number of the best hits that take part. The others follow them in their order,
            each with the score of a hit that is alone in its document.

    Returns:
        The hits, the best first; equal scores are ordered by document and offset.

    Raises:
        ConfigurationError: naming the argument, for a score that is not a finite number, and a
            weight that is negative or not finite.

    >>> hits = [
    ...     Hit("a", 1.0, document_id="x"),
    ...     Hit("b", 0.5, document_id="y"),
    ...     Hit("c", 0.45, document_id="x"),
    ... ]
    >>> [(hit.node_id, round(hit.score, 2)) for hit in propagate_scores(hits)]
    [('a', 1.6), ('c', 0.83), ('b', 0.8)]
    """
    require_number("top_k", top_k, 0, kind=int)
    require_finite("section_weight", section_weight, 0)
    require_finite("document_weight", document_weight, 0)
    for hit in hits:
        require_finite("score", hit.score)
    ranked = sorted(hits, key=_rank)
    best, others = ranked[:top_k], ranked[top_k:]
    of_section, of_document = _best(map(_section, best), best), _best(map(_document, best), best)
    raised = [
        hit.score
        + section_weight * of_section[_section(hit)]
        + document_weight * of_document[_document(hit)]
        for hit in best
    ]
    alone = [hit.score * (1 + section_weight + document_weight) for hit in others]
    scored = zip([*best, *others], [*raised, *alone], strict=True)
    return sorted((replace(hit, score=score) for hit, score in scored), key=_rank)


def _rank(hit: Hit) -> tuple[float, str, int]:
    return -hit.score, hit.document_id, hit.span.start


def _document(hit: Hit) -> Hashable:
    return hit.document_id


def _section(hit: Hit) -> Hashable:
    """Return a key of a hit's section, or of its own for a hit without a section."""
    is_alone = hit.section_id is None
    return hit.document_id, is_alone, hit.node_id if is_alone else hit.section_id


def _best(groups: Iterable[Hashable], hits: Sequence[Hit]) -> dict[Hashable, float]:
    """Return the best score of each group; the hits are the best first."""
    best: dict[Hashable, float] = {}
    for group, hit in zip(groups, hits, strict=True):
        best.setdefault(group, hit.score)
    return best
