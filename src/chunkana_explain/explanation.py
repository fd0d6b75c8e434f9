"""The explanation of a chunked document: steps, cuts and their alternatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

Stage = Literal["sections", "merging", "headings", "size"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another place for a cut, with all other cuts unchanged.

    Attributes:
        start: the offset of the text after the cut.
        line: the line of that offset, from 1.
        begins: the first characters after the cut, up to the end of the line.
        where: the place in words, such as "before a paragraph".
        cost: the cost of the cut.
        small_parts: how many of the two parts around the cut would be smaller than the minimum.
        over: by how much the larger part would exceed the limit, 0 if both fit.
    """

    start: int
    line: int
    begins: str
    where: str
    cost: int
    small_parts: int
    over: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut between two chunks, with its reason.

    Attributes:
        start: the offset of the text after the cut.
        line: the line of that offset, from 1.
        begins: the first characters after the cut, up to the end of the line.
        stage: "sections" if two drafts were not merged, "headings" if a heading was moved to the
            text below it, "size" inside a draft that is over the limit.
        where: the place in words, such as "before a paragraph".
        why: the reason for the cut.
        cost: the cost of a cut for size, otherwise None; small parts weigh more than any cost.
        small_parts: how many of the two parts around the cut are smaller than the minimum.
        alternatives: the best other places of a cut for size, the best first.
    """

    start: int
    line: int
    begins: str
    stage: Stage
    where: str
    why: str
    cost: int | None = None
    small_parts: int | None = None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A change that a stage made to a part of the document.

    Attributes:
        stage: "merging" of small neighbours, "headings" moved to the text below them, or "size".
        start: the offset at which the part starts.
        end: the offset at which the part ends.
        first_line: the first line of the part, from 1.
        last_line: the last line of the part.
        what: the change in words.
    """

    stage: Stage
    start: int
    end: int
    first_line: int
    last_line: int
    what: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a chunked document; `str` returns it as text for people.

    Attributes:
        strategy: the name of the strategy.
        limit: the largest size of a content.
        steps: the steps of the stages, stage by stage.
        cuts: the cuts between all neighbouring leaves, in document order.
    """

    strategy: str
    limit: int
    steps: tuple[Step, ...]
    cuts: tuple[Cut, ...]

    def to_dict(self) -> dict[str, object]:
        """Return the explanation as values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"Strategy {self.strategy}, limit {self.limit}."
        for step in self.steps:
            yield f"lines {step.first_line}-{step.last_line}: {step.stage}: {step.what}"
        for cut in self.cuts:
            cost = "" if cut.cost is None else f", cost {cut.cost}{_small(cut.small_parts)}"
            yield f"line {cut.line}, {cut.begins!r}: cut {cut.where}: {cut.why}{cost}"
            for other in cut.alternatives:
                over = f", {other.over} over the limit" if other.over else ""
                cost = f"cost {other.cost}{_small(other.small_parts)}{over}"
                yield f"    or line {other.line}, {other.begins!r}: {other.where}: {cost}"


def _small(parts: int | None) -> str:
    return f", small parts {parts}" if parts else ""
