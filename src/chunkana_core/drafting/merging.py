"""Merge small drafts with a neighbour under the same parent section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby, pairwise
from operator import attrgetter

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import ContextWriter
from chunkana_core.document.location import summarize_paths
from chunkana_core.document.outline import ROOT, Section
from chunkana_core.document.paths import PathSummary
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.document.traits import MergeRule
from chunkana_core.drafting.drafts import Draft
from chunkana_core.drafting.headings import stack_before

_FIRST = attrgetter("first")


class MergeObstacle(Enum):
    """The reasons why two neighbouring drafts are not merged."""

    HEADING = "that heading is at or above merge_boundary_level"
    PREAMBLE = "front matter and text before the first heading stay by themselves"
    BARE = "what follows is headings without text"
    LARGE = "neither is small"
    LIMIT = "together they are over the limit"


@dataclass(frozen=True, slots=True)
class Merger:
    """Merges the drafts of each section from left to right, the deepest sections first.

    Two neighbours are merged if either is under the minimum, both fit together, and the right one
    does not start with a heading at or above the merge boundary. A section that has become one
    draft is then merged with its siblings. Formats may merge more; see `MergeRule`.

    Attributes:
        sizes: the sizes of ranges of the document.
        contexts: returns the limit that a context leaves for a content.
        config: gives the merge boundary.
        minimum: the size under which a draft is small.
        obstacles: why a draft is not merged with the one before it, by its first position, None if
            it is; filled by `merge`, and empty for drafts that are not under one section.
    """

    sizes: DocumentSizes
    contexts: ContextWriter
    config: ChunkConfig
    minimum: int
    obstacles: dict[int, MergeObstacle | None] = field(
        default_factory=dict, repr=False, compare=False
    )
    _summaries: dict[Draft, PathSummary] = field(default_factory=dict, repr=False, compare=False)

    def merge(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return the drafts of a document after merging."""
        document = self.sizes.document
        rows: list[list[Draft]] = [
            [] for _ in document.sections
        ]  # by section, with merged subsections
        for draft in drafts:
            rows[document.section_at(draft.first).index].append(draft)
        merged: list[Draft] = []
        for section in reversed(document.sections):
            row, is_one = rows[section.index], not section.has_subsections
            if row and section.has_subsections:
                row = self._merge_siblings(self._merge_cells(sorted(row, key=_FIRST)))
                if self._is_one_draft(section, row):
                    row = [Draft(section.first, row[-1].stop)]
                is_one = len(row) == 1 and _covers(row[0], section)
            (rows[section.parent] if section.index != ROOT and is_one else merged).extend(row)
        return sorted(merged, key=_FIRST)

    def _merge_siblings(self, row: Sequence[Draft]) -> list[Draft]:
        """Merge bare drafts with the draft after them, then small drafts from left to right."""
        headed: list[Draft] = []  # in reverse order
        for draft in reversed(row):
            is_bare = draft.is_bare(self.sizes.document)
            if is_bare and headed and self._may_merge(draft, headed[-1]):
                headed[-1] = Draft(draft.first, headed[-1].stop)
            else:
                headed.append(draft)
        merged: list[Draft] = []
        for draft in reversed(headed):
            if merged and self._may_merge(merged[-1], draft):
                merged[-1] = Draft(merged[-1].first, draft.stop)
            else:
                merged.append(draft)
        return merged

    def _merge_cells(self, row: Sequence[Draft]) -> list[Draft]:
        """Merge the drafts of each notebook cell with definitions if the whole cell fits."""
        cells, merged = self.sizes.document.cells, list[Draft]()
        if not cells.cells:
            return [*row]
        for cell, group in groupby(row, lambda draft: cells.cell_with_definitions(draft.first)):
            drafts = list(group)
            whole = Draft(drafts[0].first, drafts[-1].stop)
            is_all = cell and (whole.first, whole.stop) == (cell.first, cell.stop)
            if is_all and _are_neighbours(drafts) and self._fits(whole.first, whole.stop):
                merged.append(whole)
            else:
                merged += drafts
        return merged

    def _is_one_draft(self, section: Section, row: Sequence[Draft]) -> bool:
        """Return whether all drafts of a section are merged because the whole section fits."""
        rule = self.sizes.document.traits.merging
        is_mergeable = rule is MergeRule.SECTIONS or (rule is MergeRule.CELLS and section.kind)
        if not is_mergeable or section.index == ROOT:
            return False
        whole = Draft(row[0].first, row[-1].stop)
        return (
            _are_neighbours(row) and _covers(whole, section) and self._fits(whole.first, whole.stop)
        )

    def _may_merge(self, left: Draft, right: Draft) -> bool:
        """Return whether two drafts of one parent are neighbours that can be merged."""
        if left.stop != right.first:
            return False
        obstacle = self.obstacles[right.first] = self._obstacle(left, right)
        return obstacle is None

    def _obstacle(self, left: Draft, right: Draft) -> MergeObstacle | None:
        """Return the reason why two neighbouring drafts are not merged, None if they are."""
        document, rule = self.sizes.document, self.sizes.document.traits.merging
        opening = document.top[right.first]
        is_heading = bool(opening.level) and document.is_heading(right.first)
        if is_heading and opening.level <= self.config.merge_boundary_level:
            return MergeObstacle.HEADING
        front_stop, preamble_stop = document.front_matter_stop, document.preamble_stop
        if left.first < front_stop or left.first < preamble_stop <= right.first:
            return MergeObstacle.PREAMBLE
        if right.is_bare(document):
            return MergeObstacle.BARE
        merges_any = rule is MergeRule.FITTING or (rule is MergeRule.CELLS and not is_heading)
        if not (merges_any or self._is_small(left) or self._is_small(right)):
            return MergeObstacle.LARGE
        return None if self._fit_together(left, right) else MergeObstacle.LIMIT

    def _is_small(self, draft: Draft) -> bool:
        return self.sizes.of_blocks(draft.first, draft.stop) < self.minimum

    def _fit_together(self, left: Draft, right: Draft) -> bool:
        """Return whether two neighbours fit into one chunk; the summaries of paths are cached."""
        document, size = self.sizes.document, self._size(Draft(left.first, right.stop))
        if size > self.contexts.content_limit:
            return False
        if not all(document.has_content(draft.first, draft.stop) for draft in (left, right)):
            return self._fits(left.first, right.stop)
        joined = self._summary(left).joined(self._summary(right))
        self._summaries[Draft(left.first, right.stop)] = joined
        return size <= self.contexts.content_limit_in(joined.merged.path)

    def _summary(self, draft: Draft) -> PathSummary:
        if draft not in self._summaries:
            document = self.sizes.document
            self._summaries[draft] = summarize_paths(document, draft.first, draft.stop)
        return self._summaries[draft]

    def _size(self, draft: Draft) -> int:
        """Return the size of a draft with the headings that it repeats."""
        size, stack = self.sizes.of_blocks(draft.first, draft.stop), stack_before(self.sizes, draft)
        return size + self.sizes.sizer.added_size(stack.text) if stack else size

    def _fits(self, first: int, stop: int) -> bool:
        size = self._size(Draft(first, stop))
        if size > self.contexts.content_limit:
            return False
        return size <= self.contexts.content_limit_of(first, stop)


def _are_neighbours(row: Sequence[Draft]) -> bool:
    """Return whether each draft ends where the next one starts."""
    return all(left.stop == right.first for left, right in pairwise(row))


def _covers(draft: Draft, section: Section) -> bool:
    """Return whether a draft starts where a section starts and contains the whole section."""
    return draft.first == section.first and draft.stop >= section.stop
