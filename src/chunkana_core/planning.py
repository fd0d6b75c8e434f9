"""Plan parts with sums of sizes, then check them whole: measures need not be additive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkana_core.packing import Row, least_cost_cuts
from chunkana_core.sizing import Sizer
from chunkana_core.source import Source, Span

# How much each unit is overestimated, and which share of the limit is planned with, in turn.
_ATTEMPTS = ((0, 1.0), (1, 1.0), (1, 0.85), (1, 0.6))


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is planned with: a unit's place, the cost of a cut before it, and what it adds.

    Attributes:
        span: where it is.
        cost: what a cut before it costs.
        overhead: the size of what is put around it in a part's content.
    """

    span: Span
    cost: int
    overhead: int = 0


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans parts of a row of stretches.

    Attributes:
        source: the document's text.
        sizer: measures it.
        limit: the size of a part's text, beside what is repeated before it.
        minimum: parts with less are avoided.
        repeated: the size of what goes before every part but the first.
    """

    source: Source
    sizer: Sizer
    limit: int
    minimum: int
    repeated: int = 0

    def plan(
        self,
        stretches: Sequence[Stretch],
        headings: int,
        fits: Callable[[range], bool],
    ) -> list[range]:
        """Return the parts, as ranges of the stretches' indices.

        Args:
            stretches: in order; each fits.
            headings: the size of the headings that the first one starts with.
            fits: whether the whole content of a part is within the limit.
        """
        for slack, share in _ATTEMPTS:
            row = self._row(stretches, headings, slack)
            starts = least_cost_cuts(row, int(self.limit * share), self.minimum)
            parts = _ranges(starts, len(stretches))
            if self.sizer.is_exact or all(len(part) == 1 or fits(part) for part in parts):
                return parts
        return _ranges(list(range(len(stretches))), len(stretches))

    def _row(self, stretches: Sequence[Stretch], headings: int, slack: int) -> Row:
        if self.sizer.is_exact:
            begins, ends = _offsets(stretches)
        else:
            begins, ends = self._sums(stretches, slack)
        if len(begins) > 1:  # the first part has its headings inside, and nothing before it
            begins[0] = min(begins[0] + self.repeated, begins[1])
        return Row(begins, ends, [s.cost for s in stretches], max(0, headings - self.repeated))

    def _sums(self, stretches: Sequence[Stretch], slack: int) -> tuple[list[int], list[int]]:
        begins, ends = [0], []
        length, text = self.sizer.length, self.source.text
        for stretch, following in zip(stretches, [*stretches[1:], None], strict=True):
            start, end = stretch.span.start, stretch.span.end
            overhead = stretch.overhead + slack
            ends.append(begins[-1] + length(text[start:end]) + overhead)
            if following is not None:
                size = length(text[start : following.span.start])
                begins.append(max(ends[-1], begins[-1] + size + overhead))
        return begins, ends


def _offsets(stretches: Sequence[Stretch]) -> tuple[list[int], list[int]]:
    begins, ends = [], []
    overhead = 0
    for stretch in stretches:
        begins.append(stretch.span.start + overhead)
        overhead += stretch.overhead
        ends.append(stretch.span.end + overhead)
    return begins, ends


def _ranges(starts: list[int], count: int) -> list[range]:
    return [range(a, b) for a, b in zip(starts, [*starts[1:], count], strict=True)]
