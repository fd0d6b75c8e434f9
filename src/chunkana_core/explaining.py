"""Why a document is chunked as it is: the stages are run again, and looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkana_core.blocks import BlockKind
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.explanation import Alternative, Cut, Explanation, Stage, Step
from chunkana_core.merging import Apart, Merger
from chunkana_core.opening import Unit
from chunkana_core.packing import Option, options
from chunkana_core.splitting import PackedRow, Splitter

_MOST_ALTERNATIVES = 5
_SHOWN = 40  # code points of the text after a cut


@dataclass(frozen=True, slots=True)
class Explainer:
    """Explains the chunks of a document.

    Attributes:
        splitter: the document, and how to split it.
        drafted: the drafts of the strategy.
        merged: those, small ones merged.
        carried: those, headings carried: what was split.
    """

    splitter: Splitter
    drafted: Sequence[Draft]
    merged: Sequence[Draft]
    carried: Sequence[Draft]

    def explain(self) -> Explanation:
        """Return what there is to say."""
        return Explanation(
            self.splitter.strategy.name,
            self.splitter.sizer.max_size,
            (*self._merges(), *self._carries(), *self._sizes()),
            tuple(self._cuts()),
        )

    @property
    def _document(self) -> Document:
        return self.splitter.document

    def _merges(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.drafted]
        for draft in self.merged:
            joined = self.drafted[bisect_left(firsts, draft.first) : bisect_left(firsts, draft.end)]
            if len(joined) > 1:
                sizes = " + ".join(str(self._size(part)) for part in joined)
                yield self._step("merging", draft, f"{len(joined)} small neighbours, {sizes}")

    def _carries(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.merged]
        for draft in self.carried:
            inside = bisect_left(firsts, draft.end) - bisect_left(firsts, draft.first)
            is_old = inside == 1 and firsts[bisect_left(firsts, draft.first)] == draft.first
            if draft.is_bare(self._document):
                yield self._step("headings", draft, "no text below them that they could be with")
            elif not is_old:
                yield self._step("headings", draft, "went to the text below them")

    def _sizes(self) -> Iterator[Step]:
        for draft in self.carried:
            parts = self.splitter.split(draft)
            reasons = sorted({part.oversize_reason for part in parts if part.oversize_reason})
            size = f"{self._size(draft)} is over the limit"
            if len(parts) > 1:
                whole = f", some of them over it: {', '.join(reasons)}" if reasons else ""
                yield self._step("size", draft, f"{size}: {len(parts)} parts{whole}")
            elif reasons:
                yield self._step("size", draft, f"{size} and stays whole: {reasons[0]}")

    def _cuts(self) -> Iterator[Cut]:
        merged = {draft.first for draft in self.merged}
        before: Draft | None = None
        for draft in self.carried:
            if before is not None:
                yield self._between(before, draft, is_carried=draft.first not in merged)
            if len(self.splitter.split(draft)) > 1:
                yield from self._inside(draft)
            before = draft

    def _between(self, left: Draft, right: Draft, *, is_carried: bool) -> Cut:
        """Explain why two drafts are apart."""
        place = self._place(right.span(self._document).start)
        where = f"before a {_named(self._document.top[right.first].kind)}"
        if is_carried:
            return Cut(*place, "headings", where, "a heading goes with the text below it")
        merger = Merger(self._document, self.splitter.sizer, self.splitter.config)
        why = merger.apart(left, right) or Apart.PLACE
        return Cut(*place, "sections", where, why.value)

    def _inside(self, draft: Draft) -> Iterator[Cut]:
        """Explain the cuts in a draft that is over the limit."""
        for number, row in enumerate(self.splitter.rows(draft)):
            if number:
                first = row.units[0]
                place = self._place(first.span.start)
                yield Cut(*place, "size", _where(first), "what does not fit is a part by itself")
            yield from self._in_row(row)

    def _in_row(self, row: PackedRow) -> Iterator[Cut]:
        minimum = self.splitter.config.min_content
        for left, right in pairwise(row.parts):
            found = {o.unit: o for o in options(row.row, row.limit, minimum, left, right)}
            chosen = found.pop(right[0])
            best = sorted(found.values(), key=lambda o: (o.over > 0, o.small_parts, o.cost))
            others = tuple(self._alternative(row, o) for o in best[:_MOST_ALTERNATIVES])
            unit = row.units[chosen.unit]
            why, weight = "the draft is over the limit", (chosen.cost, chosen.small_parts)
            place = self._place(unit.span.start)
            yield Cut(*place, "size", _where(unit), why, *weight, others)

    def _alternative(self, row: PackedRow, option: Option) -> Alternative:
        unit = row.units[option.unit]
        weight = (option.cost, option.small_parts, option.over)
        return Alternative(*self._place(unit.span.start), _where(unit), *weight)

    def _place(self, start: int) -> tuple[int, int, str]:
        """Return an offset, its line, and the first characters there."""
        source = self._document.source
        first_line, *_ = source.text[start : start + _SHOWN].splitlines() or [""]
        return start, source.line_at(start), first_line.rstrip()

    def _step(self, stage: Stage, draft: Draft, what: str) -> Step:
        span, line_at = draft.span(self._document), self._document.source.line_at
        last = line_at(max(span.start, span.end - 1))
        return Step(stage, span.start, span.end, line_at(span.start), last, what)

    def _size(self, draft: Draft) -> int:
        return self.splitter.sizer.length(draft.text(self._document))


def _where(unit: Unit) -> str:
    if unit.opens is None:
        return f"inside a {_named(unit.holds)}"
    return f"before a {_named(unit.opens)}"


def _named(kind: BlockKind) -> str:
    return kind.value.replace("_", " ")
