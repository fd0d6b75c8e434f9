"""Explain the chunks of a document from the results of the stages of chunking."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from os import PathLike

from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_core.extending import (
    BaseStrategy,
    BlockKind,
    BlockRule,
    CutPlanner,
    Draft,
    Format,
    MergeObstacle,
    PackedUnits,
    Part,
    StageResults,
    Unit,
)
from chunkana_explain.explanation import Alternative, Cut, Explanation, Stage, Step

_MAX_ALTERNATIVES = 5
_MAX_EXCERPT = 40  # code points of the text shown after a cut
_CODE_NAMES = {BlockKind.CODE: "statement", BlockKind.BRACKET: "statement"}  # which ends one
_DEFINITION_NAMES = {**_CODE_NAMES, BlockKind.HEADING: "definition"}
_JSON_NAMES = dict.fromkeys(_DEFINITION_NAMES, "value")


def explain(  # noqa: PLR0913 -- the same arguments as chunking
    text: str,
    config: ChunkConfig | None = None,
    *,
    context: Context | None = None,
    strategies: Iterable[BaseStrategy] = (),
    format: str = "markdown",  # noqa: A002 -- the same name as in every other function
    path: str | PathLike[str] | None = None,
    formats: Iterable[Format] = (),
    plugins: Iterable[BlockRule] = (),
    fallback: str = "text",
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
    chunker = Chunker(
        config or ChunkConfig(),
        context,
        strategies=strategies,
        plugins=plugins,
        formats=formats,
        fallback=fallback,
    )
    stages = chunker.stages(text, format, path)
    explainer = _Explainer.of(stages)
    limit = stages.splitter.config.max_chunk_size
    steps, cuts = tuple(explainer.steps()), tuple(explainer.cuts())
    return Explanation(stages.splitter.strategy.name, limit, steps, cuts)


@dataclass(frozen=True, slots=True)
class _Explainer:
    """Explains the chunks of a document from the results of the stages.

    Attributes:
        stages: the results of the stages.
        definitions: the kind of each definition, such as "class", by the offset where it starts.
        blocks: the names of kinds of blocks that have another name in the format.
    """

    stages: StageResults
    definitions: Mapping[int, str]
    blocks: Mapping[BlockKind, str]

    @classmethod
    def of(cls, stages: StageResults) -> _Explainer:
        """Return the explainer of the results of the stages."""
        document = stages.document
        sections = [section for section in reversed(document.sections[1:]) if section.kind]
        definitions = {document.top[section.first].start: section.kind for section in sections}
        if document.traits.has_headings:
            return cls(stages, definitions, _CODE_NAMES)
        is_json = document.traits.name == "json"
        return cls(stages, definitions, _JSON_NAMES if is_json else _DEFINITION_NAMES)

    def steps(self) -> Iterator[Step]:
        """Yield the steps of all stages."""
        stages = self.stages
        for draft, joined in _drafts_inside(stages.merged_drafts, stages.strategy_drafts):
            if len(joined) > 1:
                sizes = " + ".join(str(self._size(part)) for part in joined)
                yield self._step("merging", draft, f"{len(joined)} neighbours, {sizes}")
        for draft, joined in _drafts_inside(stages.drafts, stages.merged_drafts):
            if draft.is_bare(stages.document):
                yield self._step("headings", draft, "no text below them that they could be with")
            elif [before.first for before in joined] != [draft.first]:
                yield self._step("headings", draft, "went to the text below them")
        for draft, parts in zip(stages.drafts, stages.parts, strict=True):
            if what := self._excess_of(draft, parts):
                yield self._step("size", draft, what)

    def _excess_of(self, draft: Draft, parts: Sequence[Part]) -> str:
        """Return what was done with a draft that is over the limit, "" for one that is not."""
        reasons = ", ".join(sorted({p.oversize_reason for p in parts if p.oversize_reason}))
        size, limit = self._size(draft), self.stages.splitter.config.max_chunk_size
        over = f"{size}{' with its context' if size <= limit else ''} is over the limit"
        if len(parts) > 1:
            return f"{over}: {len(parts)} parts{reasons and f', some of them over it: {reasons}'}"
        return reasons and f"{over} and stays whole: {reasons}"

    def cuts(self) -> Iterator[Cut]:
        """Yield all cuts, in document order."""
        stages, left = self.stages, None
        merged = {draft.first for draft in stages.merged_drafts}
        for right, planner in zip(stages.drafts, stages.planners, strict=True):
            if left is not None:
                yield self._between_drafts(left, right, is_moved=right.first not in merged)
            if planner is not None:
                yield from self._inside_draft(planner)
            left = right

    def _between_drafts(self, left: Draft, right: Draft, *, is_moved: bool) -> Cut:
        """Explain the cut between two drafts; headings may be moved from the left to the right."""
        document, first = self.stages.document, self.stages.document.top[right.first]
        name, place = self._name(first.start, first.kind), self._place(right.span(document).start)
        if is_moved:
            why = f"{name} goes with the text below it"
            return Cut(*place, "headings", f"before {name}", why)
        obstacle = self.stages.obstacles.get(right.first)
        body_start = max(document.preamble_stop, document.front_matter_stop)
        if obstacle is None and left.first < body_start:
            obstacle = MergeObstacle.PREAMBLE
        why = obstacle.value if obstacle else "they are not under one section"
        return Cut(*place, "sections", f"before {name}", why)

    def _inside_draft(self, planner: CutPlanner) -> Iterator[Cut]:
        """Explain the cuts in a draft that is over the limit."""
        for number, row in enumerate(planner.rows()):
            if number:
                where, why = self._where(row.units[0]), "what does not fit is a part by itself"
                yield Cut(*self._place(row.units[0].span.start), "size", where, why)
            for left, right in pairwise(row.parts):
                yield self._inside_row(planner, row, range(left[0], right[-1] + 1), right[0])

    def _inside_row(self, planner: CutPlanner, row: PackedUnits, units: range, chosen: int) -> Cut:
        """Explain the cut before a unit, between two neighbouring parts of these units."""
        cuts = {unit: self._alternative(row, units, unit) for unit in units[1:]}
        cut, why = cuts.pop(chosen), "the draft is over the limit"
        others = tuple(islice(self._available(planner, row, units, cuts), _MAX_ALTERNATIVES))
        place = cut.start, cut.line, cut.begins
        return Cut(*place, "size", cut.where, why, cut.cost, cut.small_parts, others)

    def _alternative(self, row: PackedUnits, units: range, unit: int) -> Alternative:
        """Return the cut before a unit, with the excess that the planner estimates."""
        minimum, sizes = self.stages.splitter.config.min_content, row.row
        parts = (units[0], unit - 1), (unit, units[-1])
        small_parts = sum(sizes.own_size(*part) < minimum for part in parts)
        over = max(0, *(sizes.size(*part) - row.limit for part in parts))
        place, where = self._place(row.units[unit].span.start), self._where(row.units[unit])
        return Alternative(*place, where, sizes.costs[unit], small_parts, over)

    def _available(
        self, planner: CutPlanner, row: PackedUnits, units: range, cuts: Mapping[int, Alternative]
    ) -> Iterator[Alternative]:
        """Yield the cuts that were available, the best first, with their real excess.

        Plans overestimate the size of repeated lines. A cut that really fits, but exceeds the limit
        in the plan, was not available.
        """
        for unit in sorted(cuts, key=lambda u: _weight(cuts[u])):
            if not cuts[unit].over:
                yield cuts[unit]
            elif over := max(
                self._excess(planner, row.units[units[0]], row.units[unit - 1]),
                self._excess(planner, row.units[unit], row.units[units[-1]]),
            ):
                yield replace(cuts[unit], over=over)

    def _excess(self, planner: CutPlanner, first: Unit, last: Unit) -> int:
        """Return by how much a part of these units exceeds the limit, 0 if it fits."""
        splitter, draft_units = self.stages.splitter, planner.draft_units
        part, _ = splitter.part(draft_units.contents, first, last)
        return max(0, splitter.sizes.sizer.length(part.content.text) - draft_units.content_limit)

    def _where(self, unit: Unit) -> str:
        """Return the name of the place where a unit starts."""
        if unit.starts is None:
            return f"inside {self._name(-1, unit.kind)}"
        return f"before {self._name(unit.span.start, unit.starts)}"

    def _name(self, start: int, kind: BlockKind) -> str:
        """Return the kind of the definition that starts at an offset, otherwise of the block."""
        block_name = self.blocks.get(kind, kind.value.replace("_", " "))
        name = self.definitions.get(start, block_name)
        return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"

    def _place(self, start: int) -> tuple[int, int, str]:
        """Return an offset, its line, and the first characters after it."""
        source = self.stages.document.source
        first_line, *_ = source.text[start : start + _MAX_EXCERPT].splitlines() or [""]
        return start, source.line_at(start), first_line.rstrip()

    def _step(self, stage: Stage, draft: Draft, what: str) -> Step:
        span, line_at = draft.span(self.stages.document), self.stages.document.source.line_at
        last = line_at(max(span.start, span.end - 1))
        return Step(stage, span.start, span.end, line_at(span.start), last, what)

    def _size(self, draft: Draft) -> int:
        return self.stages.splitter.sizes.of_blocks(draft.first, draft.stop)


def _weight(cut: Alternative) -> tuple[bool, int, int]:
    """Return the key by which the best cut comes first."""
    return cut.over > 0, cut.small_parts, cut.cost


def _drafts_inside(
    drafts: Sequence[Draft], before: Sequence[Draft]
) -> Iterator[tuple[Draft, Sequence[Draft]]]:
    """Yield each draft of a stage, with the drafts of the stage before that start inside it."""
    firsts = [draft.first for draft in before]
    for draft in drafts:
        yield draft, before[bisect_left(firsts, draft.first) : bisect_left(firsts, draft.stop)]
