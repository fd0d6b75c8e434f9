"""Why a document is chunked as it is: the stages are run again, and looked at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import Context, ContextWriter
from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import prevent_dangling
from chunkana_core.drafting.merging import MergeObstacle, Merger
from chunkana_core.drafting.strategies import BaseStrategy, StrategySelector, make_drafts
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.table import MARKDOWN, AnyPath, Format, parse_document
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.plans import PackedRow, Plan
from chunkana_core.splitting.splitter import Part, Splitter
from chunkana_core.splitting.units import Unit
from chunkana_explain.explanation import Alternative, Cut, Explanation, Stage, Step

_MOST_ALTERNATIVES = 5
_SHOWN = 40  # code points of the text after a cut
_NOT_ASKED = "they are not under one section"


def explain(  # noqa: PLR0913 -- those of chunking
    text: str,
    config: ChunkConfig | None = None,
    *,
    context: Context | None = None,
    strategies: Iterable[BaseStrategy] = (),
    format: str = MARKDOWN.name,  # noqa: A002 -- what it is called everywhere
    path: AnyPath | None = None,
    formats: Iterable[Format] = (),
    plugins: Iterable[BlockRule] = (),
) -> Explanation:
    r"""Return why a document is cut where it is; the arguments are those of chunking.

    It is taken for Markdown, unless another format is named, or "auto", which goes by the path.

    >>> text = "# Tea\n\nBoil the water first.\n\nThen wait.\n\n# Cups\n\nWarm them.\n"
    >>> print(explain(text, ChunkConfig(max_chunk_size=32)))
    Strategy fallback, limit 32.
    lines 1-5: size: 40 is over the limit: 2 parts
    line 5, 'Then wait.': cut before a paragraph: the draft is over the limit, cost 1
    line 7, '# Cups': cut before a heading: that heading is at or above merge_boundary_level

    Raises:
        ConfigurationError: if `text` is no str or the configured strategy is not registered.
    """
    config = config or ChunkConfig()
    document = parse_document(text, format, path, formats, plugins)
    strategy = StrategySelector(tuple(strategies)).select(document.analysis, config)
    sizer = Sizer.of(config)
    sizes, contexts = DocumentSizes(document, sizer), ContextWriter(document, sizer, context)
    drafted = make_drafts(document, strategy, config)
    merger = RecordingMerger(sizes, contexts, config, strategy.merges_below(config))
    merged = merger.merge(drafted)
    carried = prevent_dangling(merged, sizes)
    splitter = Splitter(sizes, contexts, config, strategy)
    parts = [splitter.split(draft) for draft in carried]
    explainer = _Explainer(splitter, drafted, merged, carried, parts, merger.obstacles)
    return Explanation(strategy.name, sizer.max_size, explainer.steps(), explainer.cuts())


@dataclass(frozen=True, slots=True)
class RecordingMerger(Merger):
    """Merges, and records why drafts were not merged with the one before.

    Attributes:
        obstacles: by the first position of a draft, what was in the way; None where it was merged.
    """

    obstacles: dict[int, MergeObstacle | None] = field(default_factory=dict)

    def obstacle(self, left: Draft, right: Draft) -> MergeObstacle | None:
        """Record why two drafts of one parent are not merged."""
        found = Merger.obstacle(self, left, right)
        self.obstacles[right.first] = found
        return found


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Explains the chunks of a document.

    Attributes:
        splitter: the document, and how to split it.
        drafted: the drafts of the strategy.
        merged: those, small ones merged.
        carried: those, headings carried: what was split.
        parts: what each of them became.
        obstacles: why drafts were not merged with the one before, by their first position.
    """

    splitter: Splitter
    drafted: Sequence[Draft]
    merged: Sequence[Draft]
    carried: Sequence[Draft]
    parts: Sequence[Sequence[Part]]
    obstacles: dict[int, MergeObstacle | None]

    def steps(self) -> tuple[Step, ...]:
        """Return what the stages did."""
        return (*self._merges(), *self._carries(), *self._sizes())

    def cuts(self) -> tuple[Cut, ...]:
        """Return all cuts, in document order."""
        return tuple(self._cuts())

    @property
    def _document(self) -> Document:
        return self.splitter.sizes.document

    def _merges(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.drafted]
        for draft in self.merged:
            joined = self.drafted[
                bisect_left(firsts, draft.first) : bisect_left(firsts, draft.stop)
            ]
            if len(joined) > 1:
                sizes = " + ".join(str(self._size(part)) for part in joined)
                yield self._step("merging", draft, f"{len(joined)} neighbours, {sizes}")

    def _carries(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.merged]
        for draft in self.carried:
            inside = bisect_left(firsts, draft.stop) - bisect_left(firsts, draft.first)
            is_old = inside == 1 and firsts[bisect_left(firsts, draft.first)] == draft.first
            if draft.is_bare(self._document):
                yield self._step("headings", draft, "no text below them that they could be with")
            elif not is_old:
                yield self._step("headings", draft, "went to the text below them")

    def _sizes(self) -> Iterator[Step]:
        for draft, parts in zip(self.carried, self.parts, strict=True):
            reasons = sorted({part.oversize_reason for part in parts if part.oversize_reason})
            own = self._size(draft)
            fits = own <= self.splitter.config.max_chunk_size  # but for what is embedded before it
            size = f"{own}{' with its context' if fits else ''} is over the limit"
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
        place = self._where_is(right.span(self._document).start)
        where = f"before a {_named(self._document.top[right.first].kind)}"
        if not is_old:
            return Cut(*place, "headings", where, "a heading goes with the text below it")
        reason = self.obstacles.get(right.first)
        body_start = max(self._document.preamble_stop, self._document.front_matter_stop)
        if reason is None and left.first < body_start:
            reason = MergeObstacle.PREAMBLE
        return Cut(*place, "sections", where, reason.value if reason else _NOT_ASKED)

    def _inside(self, draft: Draft) -> Iterator[Cut]:
        """Explain the cuts in a draft that is over the limit."""
        _, plan = self.splitter.planned(draft)
        for number, row in enumerate(plan.rows()):
            if number:
                first = row.units[0]
                place = self._where_is(first.span.start)
                yield Cut(*place, "size", _where(first), "what does not fit is a part by itself")
            yield from self._in_row(plan, row)

    def _in_row(self, plan: Plan, row: PackedRow) -> Iterator[Cut]:
        minimum = self.splitter.config.min_content
        for left, right in pairwise(row.parts):
            found = {o.unit: o for o in _options(row, minimum, left, right)}
            chosen = found.pop(right[0])
            best = sorted(found.values(), key=lambda o: (o.over > 0, o.small_parts, o.cost))
            others = self._alternatives(plan, row, range(left[0], right[-1] + 1), best)
            unit = row.units[chosen.unit]
            why, weight = "the draft is over the limit", (chosen.cost, chosen.small_parts)
            place = self._where_is(unit.span.start)
            yield Cut(*place, "size", _where(unit), why, *weight, tuple(others))

    def _alternatives(
        self, plan: Plan, row: PackedRow, parts: range, best: Sequence[_Option]
    ) -> Iterator[Alternative]:
        """Yield the best other cuts between two parts, as they would really come out.

        Plans overestimate what is repeated: a cut that fits, but not by the plan, was not among
        those to choose from.
        """
        count = 0
        for option in best:
            before, unit = row.units[option.unit - 1], row.units[option.unit]
            first, last = row.units[parts[0]], row.units[parts[-1]]
            over = (
                max(self._excess(plan, first, before), self._excess(plan, unit, last))
                if option.over
                else 0
            )
            if over or not option.over:
                count += 1
                place = self._where_is(unit.span.start)
                yield Alternative(*place, _where(unit), option.cost, option.small_parts, over)
            if count == _MOST_ALTERNATIVES:
                break

    def _excess(self, plan: Plan, first: Unit, last: Unit) -> int:
        """Return by how much a part with these units would be over the limit."""
        part, _ = self.splitter.part(plan.draft_units.contents, first, last)
        room = self.splitter.room(plan.draft_units.draft)
        return max(0, self.splitter.sizes.sizer.length(part.content.text) - room)

    def _where_is(self, start: int) -> tuple[int, int, str]:
        """Return an offset, its line, and the first characters there."""
        source = self._document.source
        first_line, *_ = source.text[start : start + _SHOWN].splitlines() or [""]
        return start, source.line_at(start), first_line.rstrip()

    def _step(self, stage: Stage, draft: Draft, what: str) -> Step:
        span, line_at = draft.span(self._document), self._document.source.line_at
        last = line_at(max(span.start, span.end - 1))
        return Step(stage, span.start, span.end, line_at(span.start), last, what)

    def _size(self, draft: Draft) -> int:
        return self.splitter.sizes.of_blocks(draft.first, draft.stop)


class _Option(NamedTuple):
    """A cut that two neighbouring parts could have between them.

    Attributes:
        unit: the number of the first unit after it.
        cost: of the cut.
        small_parts: how many of the two parts are smaller than the minimum.
        over: by how much the larger one is over the limit by the plan's sums.
    """

    unit: int
    cost: int
    small_parts: int
    over: int


def _options(packed: PackedRow, minimum: int, left: range, right: range) -> Iterator[_Option]:
    """Yield the cuts that two neighbouring parts could have between them, all others unchanged."""
    row, first, last = packed.row, left[0], right[-1]
    for unit in range(first + 1, last + 1):
        own_sizes = row.own_size(first, unit - 1), row.own_size(unit, last)
        larger = max(row.size(first, unit - 1), row.size(unit, last))
        small_parts = sum(size < minimum for size in own_sizes)
        yield _Option(unit, row.costs[unit], small_parts, max(0, larger - packed.limit))


def _where(unit: Unit) -> str:
    if unit.starts is None:
        return f"inside a {_named(unit.kind)}"
    return f"before a {_named(unit.starts)}"


def _named(kind: BlockKind) -> str:
    return kind.value.replace("_", " ")
