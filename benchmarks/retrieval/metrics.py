"""Recall: the share of an answer that is in the passages read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from benchmarks.retrieval.passages import Passage
from benchmarks.retrieval.questions import Question
from chunkana_core import Span

BUDGETS = (1500, 3000, 6000)  # characters
Counted = Literal["handed over", "source"]  # the text that counts against a budget
COUNTED: tuple[Counted, ...] = ("handed over", "source")
Ranges = Iterable[tuple[int, Span]]  # pairs of the index of a document and a span
_BETWEEN = "\n\n"  # between the passages given to the reader


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the union of spans, in order and disjoint."""
    result: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.end)):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(span.end, result[-1].end))
        else:
            result.append(span)
    return result


def common(left: Sequence[Span], right: Sequence[Span]) -> int:
    """Return the number of characters in the intersection of two lists of disjoint spans."""
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in left for b in right)


def recall(question: Question, found: Ranges) -> float:
    """Return the share of an answer's characters that are in ranges of documents."""
    answer = merged(question.spans)
    ranges = merged(span for document, span in found if document == question.document)
    return common(answer, ranges) / sum(map(len, answer)) if answer else 0.0


def within(ranked: Iterable[Passage], budget: int, counted: Counted) -> Iterator[tuple[int, Span]]:
    """Yield the spans of the first passages until a budget is full; cut the last one.

    Args:
        ranked: the passages, the best first.
        budget: the maximum number of characters.
        counted: "handed over" to count all text given to the reader, including contexts and blank
            lines between passages; "source" to count characters of the source only.
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
