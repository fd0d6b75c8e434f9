"""How much of an answer is in what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from benchmarks.retrieval.passages import Passage
from benchmarks.retrieval.questions import Question
from chunkana_core import Span

BUDGETS = (1500, 3000, 6000)  # characters
Counted = Literal["handed over", "source"]  # what counts against a budget
COUNTED: tuple[Counted, ...] = ("handed over", "source")
Ranges = Iterable[tuple[int, Span]]  # of documents, by their numbers
_BETWEEN = "\n\n"  # what is handed over


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the same ranges in order and disjoint."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(span.end, result[-1].end))
        else:
            result.append(span)
    return result


def common(left: Sequence[Span], right: Sequence[Span]) -> int:
    """Return how many characters two lists of disjoint ranges share."""
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in left for b in right)


def recall(question: Question, found: Ranges) -> float:
    """Return the share of an answer's characters that are in ranges of documents."""
    answer = merged(question.spans)
    ranges = merged(span for document, span in found if document == question.document)
    return common(answer, ranges) / sum(map(len, answer)) if answer else 0.0


def within(ranked: Iterable[Passage], budget: int, counted: Counted) -> Iterator[tuple[int, Span]]:
    """Yield the ranges in the first passages that fill a budget of characters; cut the last.

    Args:
        ranked: the best first.
        budget: how many characters there may be.
        counted: whether these are all that is handed over, what stands before a text and blank
            lines between passages too, or characters of the source alone.
    """
    left = budget
    for passage in ranked:
        if left <= 0:
            return
        is_all = counted == "handed over"
        shown = min(len(passage.span), left - passage.before if is_all else left)
        if shown > 0:
            yield passage.document, Span(passage.span.start, passage.span.start + shown)
        left -= passage.size + len(_BETWEEN) if is_all else len(passage.span)
