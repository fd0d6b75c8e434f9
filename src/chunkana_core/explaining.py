"""Why a document is chunked as it is: the stages are run again, and looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chunkana_core.blocks import BlockKind
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.explanation import Alternative, Cut, Explanation, Stage, Step
from chunkana_core.headings import prevent_dangling
from chunkana_core.merging import Apart, Merger
from chunkana_core.opening import Unit
from chunkana_core.packing import Option, options
from chunkana_core.splitting import PackedRow, Part, Plan, Splitter

_MOST_ALTERNATIVES = 5
_SHOWN = 40  # code points of the text after a cut
_NOT_ASKED = "they are not under one section"


def explain(splitter: Splitter, drafted: Sequence[Draft]) -> Explanation:
    """Return what there is to say of a document and the drafts of its strategy."""
    merger = _Recorder(splitter.document, splitter.sizer, splitter.config)
    merged = merger.merged(drafted)
    carried = prevent_dangling(splitter.document, merged, splitter.sizer)
    parts = [splitter.split(draft) for draft in carried]
    explainer = _Explainer(splitter, drafted, merged, carried, parts, merger.reasons)
    return Explanation(
        splitter.strategy.name, splitter.sizer.max_size, explainer.steps(), explainer.cuts()
    )


@dataclass(frozen=True, slots=True)
class _Recorder(Merger):
    """Merges, and remembers why not: by the position that a draft starts at."""

    reasons: dict[int, Apart | None] = field(default_factory=dict)

    def apart(self, left: Draft, right: Draft) -> Apart | None:
        reason = Merger.apart(self, left, right)
        self.reasons[right.first] = reason
        return reason


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Explains the chunks of a document.

    Attributes:
        splitter: the document, and how to split it.
        drafted: the drafts of the strategy.
        merged: those, small ones merged.
        carried: those, headings carried: what was split.
        parts: what each of them became.
        reasons: why drafts were not merged with the one before, by their first position.
    """

    splitter: Splitter
    drafted: Sequence[Draft]
    merged: Sequence[Draft]
    carried: Sequence[Draft]
    parts: Sequence[Sequence[Part]]
    reasons: dict[int, Apart | None]

    def steps(self) -> tuple[Step, ...]:
        """Return what the stages did."""
        return (*self._merges(), *self._carries(), *self._sizes())

    def cuts(self) -> tuple[Cut, ...]:
        """Return all cuts, in document order."""
        return tuple(self._cuts())

    @property
    def _document(self) -> Document:
        return self.splitter.document

    def _merges(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.drafted]
        for draft in self.merged:
            joined = self.drafted[bisect_left(firsts, draft.first) : bisect_left(firsts, draft.end)]
            if len(joined) > 1:
                sizes = " + ".join(str(self._size(part)) for part in joined)
                yield self._step("merging", draft, f"{len(joined)} neighbours, {sizes}")

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
        for draft, parts in zip(self.carried, self.parts, strict=True):
            reasons = sorted({part.oversize_reason for part in parts if part.oversize_reason})
            size = f"{self._size(draft)} is over the limit"
            if len(parts) > 1:
                whole = f", some of them over it: {', '.join(reasons)}" if reasons else ""
                yield self._step("size", draft, f"{size}: {len(parts)} parts{whole}")
            elif reasons:
                yield self._step("size", draft, f"{size} and stays whole: {reasons[0]}")

    def _cuts(self) -> Iterator[Cut]:
        merged = {draft.first for draft in self.merged}
        for number, (draft, parts) in enumerate(zip(self.carried, self.parts, strict=True)):
            if number:
                yield self._between(self.carried[number - 1], draft, is_old=draft.first in merged)
            if len(parts) > 1:
                yield from self._inside(draft)

    def _between(self, left: Draft, right: Draft, *, is_old: bool) -> Cut:
        """Explain why two drafts are apart."""
        place = self._place(right.span(self._document).start)
        where = f"before a {_named(self._document.top[right.first].kind)}"
        if not is_old:
            return Cut(*place, "headings", where, "a heading goes with the text below it")
        reason = self.reasons.get(right.first)
        if reason is None and not left.is_section(self._document):
            reason = Apart.PREAMBLE
        return Cut(*place, "sections", where, reason.value if reason else _NOT_ASKED)

    def _inside(self, draft: Draft) -> Iterator[Cut]:
        """Explain the cuts in a draft that is over the limit."""
        plan = self.splitter.plan(draft)
        for number, row in enumerate(plan.rows()):
            if number:
                first = row.units[0]
                place = self._place(first.span.start)
                yield Cut(*place, "size", _where(first), "what does not fit is a part by itself")
            yield from self._in_row(plan, row)

    def _in_row(self, plan: Plan, row: PackedRow) -> Iterator[Cut]:
        minimum = self.splitter.config.min_content
        for left, right in pairwise(row.parts):
            found = {o.unit: o for o in options(row.row, row.limit, minimum, left, right)}
            chosen = found.pop(right[0])
            best = sorted(found.values(), key=lambda o: (o.over > 0, o.small_parts, o.cost))
            others = self._alternatives(plan, row, range(left[0], right[-1] + 1), best)
            unit = row.units[chosen.unit]
            why, weight = "the draft is over the limit", (chosen.cost, chosen.small_parts)
            place = self._place(unit.span.start)
            yield Cut(*place, "size", _where(unit), why, *weight, tuple(others))

    def _alternatives(
        self, plan: Plan, row: PackedRow, parts: range, best: Sequence[Option]
    ) -> Iterator[Alternative]:
        """Yield the best other cuts between two parts, as they would really come out.

        Plans overestimate what is repeated: a cut that fits, but not by the plan, was not among
        those to choose from.
        """
        count = 0
        for option in best:
            before, unit = row.units[option.unit - 1], row.units[option.unit]
            first, last = row.units[parts[0]], row.units[parts[-1]]
            over = max(plan.excess(first, before), plan.excess(unit, last)) if option.over else 0
            if over or not option.over:
                count += 1
                place = self._place(unit.span.start)
                yield Alternative(*place, _where(unit), option.cost, option.small_parts, over)
            if count == _MOST_ALTERNATIVES:
                break

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
