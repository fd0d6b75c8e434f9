"""How much of an answer is in what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchmarks.retrieval.passages import Passage
from benchmarks.retrieval.questions import Question
from chunkana_core import Span

BUDGETS = (1500, 3000, 6000)  # characters


@dataclass(frozen=True, slots=True)
class Overlap:
    """What an answer and what was found have in common, by characters."""

    common: int
    answer: int
    found: int

    @property
    def recall(self) -> float:
        """The share of the answer that was found."""
        return self.common / self.answer if self.answer else 0.0

    @property
    def precision(self) -> float:
        """The share of what was found that is the answer."""
        return self.common / self.found if self.found else 0.0

    @property
    def union_share(self) -> float:
        """What is common, as a share of both together (intersection over union)."""
        union = self.answer + self.found - self.common
        return self.common / union if union else 0.0


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


def overlap(question: Question, taken: Iterable[tuple[int, Span]]) -> Overlap:
    """Compare a question's answer with ranges of documents, each counted once."""
    by_document: dict[int, list[Span]] = {}
    for document, span in taken:
        by_document.setdefault(document, []).append(span)
    ranges = {document: merged(spans) for document, spans in by_document.items()}
    answer = merged(question.spans)
    return Overlap(
        common(answer, ranges.get(question.document, [])),
        sum(map(len, answer)),
        sum(len(span) for spans in ranges.values() for span in spans),
    )


def within(ranked: Iterable[Passage], budget: int) -> Iterator[tuple[int, Span]]:
    """Yield the ranges of the first passages that fill a budget of characters; cut the last."""
    left = budget
    for passage in ranked:
        if left <= 0:
            return
        end = min(passage.span.end, passage.span.start + left)
        yield passage.document, Span(passage.span.start, end)
        left -= end - passage.span.start


def first(ranked: Sequence[Passage], count: int) -> Iterator[tuple[int, Span]]:
    """Yield the ranges of the first passages."""
    for passage in ranked[:count]:
        yield passage.document, passage.span
