"""What there is to say of how a document was chunked: steps, cuts, and what else was possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

Stage = Literal["sections", "merging", "headings", "size"]


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another place for a cut, the other cuts unchanged.

    Attributes:
        start: the offset of the text after it.
        line: the number of its line, from 1.
        begins: the first characters after it, of that line.
        where: what it would part.
        cost: what it would cost.
        small_parts: how many of the two parts beside it would be smaller than the minimum.
        over: by how much the larger of them would be over the limit; 0 where both fit.
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
    """A cut between two chunks, and why it is there.

    Attributes:
        start: the offset of the text after it.
        line: the number of its line, from 1.
        begins: the first characters after it, of that line.
        stage: "sections" where drafts stayed apart, "headings" where headings were parted from
            what is before them, "size" inside a draft that is over the limit.
        where: what it parts.
        why: the reason for it.
        cost: of a cut for size, what it costs; small parts weigh more than any cost.
        small_parts: how many of the two parts beside it are smaller than the minimum.
        alternatives: other places for a cut for size, the best ones first.
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
    """What a stage made of a stretch of the document.

    Attributes:
        stage: "merging" of small neighbours, "headings" that went to the text below them, "size".
        start: the offset of the stretch.
        end: the offset of its end.
        first_line: its first line, from 1.
        last_line: its last one.
        what: what was done to it.
    """

    stage: Stage
    start: int
    end: int
    first_line: int
    last_line: int
    what: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a document is chunked as it is; printed, it is text for people.

    Attributes:
        strategy: the name of the strategy.
        limit: the largest size of a content.
        steps: what the stages did, stage by stage.
        cuts: between all neighbouring leaves, in document order.
    """

    strategy: str
    limit: int
    steps: tuple[Step, ...]
    cuts: tuple[Cut, ...]

    def to_dict(self) -> dict[str, object]:
        """Return it as values that JSON knows."""
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
