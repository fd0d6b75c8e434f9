"""Explain the chunks of a document by running the stages again and comparing their results."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from chunkana_core.formats.registry import JSON, MARKDOWN, TEXT, Format, parse_document
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.plans import PackedUnits, Plan
from chunkana_core.splitting.splitter import Part, Splitter
from chunkana_core.splitting.units import Unit
from chunkana_core.text.file_names import AnyPath
from chunkana_explain.explanation import Alternative, Cut, Explanation, Stage, Step

_MAX_ALTERNATIVES = 5
_MAX_EXCERPT = 40  # code points of the text shown after a cut
_DIFFERENT_SECTIONS = "they are not under one section"


def explain(  # noqa: PLR0913 -- the same arguments as chunking
    text: str,
    config: ChunkConfig | None = None,
    *,
    context: Context | None = None,
    strategies: Iterable[BaseStrategy] = (),
    format: str = MARKDOWN.name,  # noqa: A002 -- the same name as in every other function
    path: AnyPath | None = None,
    formats: Iterable[Format] = (),
    plugins: Iterable[BlockRule] = (),
    fallback: str = TEXT.name,
) -> Explanation:
    r"""Explain the cuts of a document; the arguments are those of chunking.

    The format is Markdown by default; with "auto", it is that of the path.

    >>> text = "# Tea\n\nBoil the water first.\n\nThen wait.\n\n# Cups\n\nWarm them.\n"
    >>> print(explain(text, ChunkConfig(max_chunk_size=32)))
    Strategy fallback, limit 32.
    lines 1-5: size: 40 is over the limit: 2 parts
    line 5, 'Then wait.': cut before a paragraph: the draft is over the limit, cost 1
    line 7, '# Cups': cut before a heading: that heading is at or above merge_boundary_level

    Raises:
        ConfigurationError: if `text` is not a str or the configured strategy is not registered.
    """
    config = config or ChunkConfig()
    document = parse_document(
        text, format, path, formats=formats, plugins=plugins, fallback=fallback
    )
    strategy = StrategySelector(tuple(strategies)).select(document.analysis, config)
    sizer = Sizer.of(config)
    sizes = DocumentSizes(document, sizer)
    contexts = ContextWriter(document, sizer, context and context.with_path(path))
    strategy_drafts = make_drafts(document, strategy, config)
    merger = RecordingMerger(sizes, contexts, config, strategy.merges_below(config))
    merged_drafts = merger.merge(strategy_drafts)
    final_drafts = prevent_dangling(merged_drafts, sizes)
    splitter = Splitter(sizes, contexts, config, strategy)
    parts = [splitter.split(draft) for draft in final_drafts]
    names = _PlaceNames.of(document)
    explainer = _Explainer(
        splitter, strategy_drafts, merged_drafts, final_drafts, parts, merger.obstacles, names
    )
    return Explanation(strategy.name, sizer.max_size, explainer.steps(), explainer.cuts())


@dataclass(frozen=True, slots=True)
class RecordingMerger(Merger):
    """A merger that records why drafts are not merged with the draft before them.

    Attributes:
        obstacles: the obstacle by the first position of each draft, None if the draft was merged.
    """

    obstacles: dict[int, MergeObstacle | None] = field(default_factory=dict)

    def obstacle(self, left: Draft, right: Draft) -> MergeObstacle | None:
        """Return and record why two drafts of one parent are not merged, None if they are."""
        found = Merger.obstacle(self, left, right)
        self.obstacles[right.first] = found
        return found


@dataclass(frozen=True, slots=True)
class _PlaceNames:
    """Names of the places of cuts, in the words of the document's format.

    Attributes:
        definitions: the kind of each definition, such as "class", by the offset where it starts.
        blocks: the names of kinds of blocks that have another name in the format.
    """

    definitions: Mapping[int, str]
    blocks: Mapping[BlockKind, str]

    @classmethod
    def of(cls, document: Document) -> _PlaceNames:
        """Return the names for a document."""
        sections = [section for section in document.sections[1:] if section.kind]
        starts = {document.top[s.first].start: s.kind for s in reversed(sections)}
        code, heading = "statement", "definition"
        if document.traits.name == JSON.name:
            code = heading = "value"
        names = {BlockKind.CODE: code, BlockKind.BRACKET: code}  # a bracket ends what is above it
        is_titled = document.traits.has_headings
        return cls(starts, names if is_titled else {**names, BlockKind.HEADING: heading})

    def before(self, start: int, kind: BlockKind) -> str:
        """Return the name of the place before a block or a definition that starts there."""
        return f"before {self.named(start, kind)}"

    def named(self, start: int, kind: BlockKind) -> str:
        """Return the kind of the definition that starts at an offset, otherwise of the block."""
        name = self.definitions.get(start) or self._block_name(kind)
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

    def of_unit(self, unit: Unit) -> str:
        """Return the name of the place where a unit starts."""
        if unit.starts is None:
            return f"inside {self.named(-1, unit.kind)}"
        return self.before(unit.span.start, unit.starts)

    def _block_name(self, kind: BlockKind) -> str:
        return self.blocks.get(kind, kind.value.replace("_", " "))


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Explains the chunks of a document from the results of the stages.

    Attributes:
        splitter: the splitter, with the document.
        strategy_drafts: the drafts of the strategy.
        merged_drafts: the drafts after merging small ones.
        final_drafts: the drafts after headings are moved to the text below them.
        parts: the parts of each final draft.
        obstacles: why a draft was not merged with the draft before, by its first position.
        names: the names of places.
    """

    splitter: Splitter
    strategy_drafts: Sequence[Draft]
    merged_drafts: Sequence[Draft]
    final_drafts: Sequence[Draft]
    parts: Sequence[Sequence[Part]]
    obstacles: dict[int, MergeObstacle | None]
    names: _PlaceNames

    def steps(self) -> tuple[Step, ...]:
        """Return the steps of all stages."""
        return (*self._merges(), *self._carries(), *self._sizes())

    def cuts(self) -> tuple[Cut, ...]:
        """Return all cuts, in document order."""
        return tuple(self._cuts())

    @property
    def _document(self) -> Document:
        return self.splitter.sizes.document

    def _merges(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.strategy_drafts]
        for draft in self.merged_drafts:
            joined = self.strategy_drafts[
                bisect_left(firsts, draft.first) : bisect_left(firsts, draft.stop)
            ]
            if len(joined) > 1:
                sizes = " + ".join(str(self._size(part)) for part in joined)
                yield self._step("merging", draft, f"{len(joined)} neighbours, {sizes}")

    def _carries(self) -> Iterator[Step]:
        firsts = [draft.first for draft in self.merged_drafts]
        for draft in self.final_drafts:
            inside = bisect_left(firsts, draft.stop) - bisect_left(firsts, draft.first)
            is_unchanged = inside == 1 and firsts[bisect_left(firsts, draft.first)] == draft.first
            if draft.is_bare(self._document):
                yield self._step("headings", draft, "no text below them that they could be with")
            elif not is_unchanged:
                yield self._step("headings", draft, "went to the text below them")

    def _sizes(self) -> Iterator[Step]:
        for draft, parts in zip(self.final_drafts, self.parts, strict=True):
            reasons = sorted({part.oversize_reason for part in parts if part.oversize_reason})
            own = self._size(draft)
            fits = own <= self.splitter.config.max_chunk_size  # without its context
            size = f"{own}{' with its context' if fits else ''} is over the limit"
            if len(parts) > 1:
                whole = f", some of them over it: {', '.join(reasons)}" if reasons else ""
                yield self._step("size", draft, f"{size}: {len(parts)} parts{whole}")
            elif reasons:
                yield self._step("size", draft, f"{size} and stays whole: {reasons[0]}")

    def _cuts(self) -> Iterator[Cut]:
        merged = {draft.first for draft in self.merged_drafts}
        for number, (draft, parts) in enumerate(zip(self.final_drafts, self.parts, strict=True)):
            if number:
                left = self.final_drafts[number - 1]
                yield self._between_drafts(left, draft, is_unchanged=draft.first in merged)
            if len(parts) > 1:
                yield from self._inside_draft(draft)

    def _between_drafts(self, left: Draft, right: Draft, *, is_unchanged: bool) -> Cut:
        """Explain the cut between two drafts."""
        place = self._locate(right.span(self._document).start)
        first = self._document.top[right.first]
        where = self.names.before(first.start, first.kind)
        if not is_unchanged:
            why = f"{self.names.named(first.start, first.kind)} goes with the text below it"
            return Cut(*place, "headings", where, why)
        reason = self.obstacles.get(right.first)
        body_start = max(self._document.preamble_stop, self._document.front_matter_stop)
        if reason is None and left.first < body_start:
            reason = MergeObstacle.PREAMBLE
        return Cut(*place, "sections", where, reason.value if reason else _DIFFERENT_SECTIONS)

    def _inside_draft(self, draft: Draft) -> Iterator[Cut]:
        """Explain the cuts in a draft that is over the limit."""
        _, plan = self.splitter.plan_parts(draft)
        for number, row in enumerate(plan.rows()):
            if number:
                first = row.units[0]
                place = self._locate(first.span.start)
                yield Cut(
                    *place,
                    "size",
                    self.names.of_unit(first),
                    "what does not fit is a part by itself",
                )
            yield from self._inside_row(plan, row)

    def _inside_row(self, plan: Plan, row: PackedUnits) -> Iterator[Cut]:
        minimum = self.splitter.config.min_content
        for left, right in pairwise(row.parts):
            found = {o.unit: o for o in _options(row, minimum, left, right)}
            chosen = found.pop(right[0])
            best = sorted(found.values(), key=lambda o: (o.over > 0, o.small_parts, o.cost))
            others = self._alternatives(plan, row, range(left[0], right[-1] + 1), best)
            unit = row.units[chosen.unit]
            why, weight = "the draft is over the limit", (chosen.cost, chosen.small_parts)
            place = self._locate(unit.span.start)
            yield Cut(*place, "size", self.names.of_unit(unit), why, *weight, tuple(others))

    def _alternatives(
        self, plan: Plan, row: PackedUnits, parts: range, best: Sequence[_Option]
    ) -> Iterator[Alternative]:
        """Yield the best other cuts between two parts, with their real excess over the limit.

        Plans overestimate the size of repeated lines. A cut that really fits, but exceeds the limit
        in the plan, was not available and is not an alternative.
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
                place = self._locate(unit.span.start)
                yield Alternative(
                    *place, self.names.of_unit(unit), option.cost, option.small_parts, over
                )
            if count == _MAX_ALTERNATIVES:
                break

    def _excess(self, plan: Plan, first: Unit, last: Unit) -> int:
        """Return by how much a part of these units exceeds the limit, 0 if it fits."""
        part, _ = self.splitter.part(plan.draft_units.contents, first, last)
        room = self.splitter.room(plan.draft_units.draft)
        return max(0, self.splitter.sizes.sizer.length(part.content.text) - room)

    def _locate(self, start: int) -> tuple[int, int, str]:
        """Return an offset, its line, and the first characters after it."""
        source = self._document.source
        first_line, *_ = source.text[start : start + _MAX_EXCERPT].splitlines() or [""]
        return start, source.line_at(start), first_line.rstrip()

    def _step(self, stage: Stage, draft: Draft, what: str) -> Step:
        span, line_at = draft.span(self._document), self._document.source.line_at
        last = line_at(max(span.start, span.end - 1))
        return Step(stage, span.start, span.end, line_at(span.start), last, what)

    def _size(self, draft: Draft) -> int:
        return self.splitter.sizes.of_blocks(draft.first, draft.stop)


class _Option(NamedTuple):
    """A possible cut between two neighbouring parts.

    Attributes:
        unit: the index of the first unit after the cut.
        cost: the cost of the cut.
        small_parts: how many of the two parts are smaller than the minimum.
        over: by how much the larger part exceeds the limit according to the plan.
    """

    unit: int
    cost: int
    small_parts: int
    over: int


def _options(packed: PackedUnits, minimum: int, left: range, right: range) -> Iterator[_Option]:
    """Yield the possible cuts between two neighbouring parts, with all other cuts unchanged."""
    row, first, last = packed.row, left[0], right[-1]
    for unit in range(first + 1, last + 1):
        own_sizes = row.own_size(first, unit - 1), row.own_size(unit, last)
        larger = max(row.size(first, unit - 1), row.size(unit, last))
        small_parts = sum(size < minimum for size in own_sizes)
        yield _Option(unit, row.costs[unit], small_parts, max(0, larger - packed.limit))
