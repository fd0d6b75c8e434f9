"""Answers that were missed: where they are, what was ranked before them, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from benchmarks.retrieval.metrics import common, merged, overlap, within
from benchmarks.retrieval.passages import Passage
from benchmarks.retrieval.questions import Collection, Question
from benchmarks.retrieval.ranking import Scores, ranked

_ENOUGH = 0.5  # of an answer; what was found to a smaller share is a miss
_SHOWN = 8  # passages
_EXCERPT = 70  # characters


def cause(question: Question, ranking: Sequence[Passage], budget: int) -> str:
    """Say why an answer is not within a budget: "ranking", "cut" or "budget".

    It is the budget where the answer alone is larger, or is in the passage that was cut; the cut
    where another passage that holds some of the answer was taken; else the ranking.
    """
    holding = [n for n, passage in enumerate(ranking) if _holds(passage, question)]
    before = [0, *accumulate(len(passage.span) for passage in ranking)]
    taken = [n for n in holding if before[n] < budget]
    if sum(map(len, question.spans)) > budget or any(before[n + 1] > budget for n in taken):
        return "budget"
    return "cut" if taken else "ranking"


def _holds(passage: Passage, question: Question) -> bool:
    is_there = passage.document == question.document
    return is_there and common([passage.span], merged(question.spans)) > 0


def misses(
    collection: Collection, found: Sequence[Passage], scores: Scores, budget: int
) -> Iterator[str]:
    """Yield a description of each answer of which less than half is within a budget."""
    for question, row in zip(collection.questions, ranked(scores), strict=True):
        ranking = [found[n] for n in row]
        recall = overlap(question, within(ranking, budget)).recall
        if recall < _ENOUGH:
            yield "\n".join(_described(collection, question, ranking, budget, recall))


def _described(
    collection: Collection,
    question: Question,
    ranking: Sequence[Passage],
    budget: int,
    recall: float,
) -> Iterator[str]:
    yield f"\n## {question.text}\n"
    why = cause(question, ranking, budget)
    yield f"{question.kind}, {recall:.2f} found; cause: {why}\n"
    name, text = collection.texts[question.document].name, collection.texts[question.document].text
    for span in question.spans:
        yield f"- answer: {name} {_excerpt(text, span.start, span.end)}"
    for rank, passage in enumerate(ranking, 1):
        holds = _holds(passage, question)
        if rank <= _SHOWN or holds:
            where = collection.texts[passage.document]
            excerpt = _excerpt(where.text, passage.span.start, passage.span.end)
            yield f"{rank}. {'**holds it** ' if holds else ''}{where.name} {excerpt}"


def _excerpt(text: str, start: int, end: int) -> str:
    said = " ".join(text[start:end].split())
    return f"[{start}:{end}] `{said[:_EXCERPT]}`"
