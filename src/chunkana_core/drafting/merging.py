"""Small drafts are merged with a neighbour under the same parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain

from chunkana_core.config import ChunkConfig
from chunkana_core.context.context import ContextWriter
from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.location import section_path
from chunkana_core.document.outline import ROOT
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft

_Siblings = list[Draft | None]  # drafts under one section; None stands for what cannot be merged


class MergeObstacle(Enum):
    """Why two neighbouring drafts are not merged."""

    HEADING = "that heading is at or above merge_boundary_level"
    PREAMBLE = "front matter and text before the first heading stay by themselves"
    BARE = "what follows is headings without text"
    LARGE = "neither is small"
    LIMIT = "together they are over the limit"


@dataclass(frozen=True, slots=True)
class Merger:
    """Merges drafts left to right and bottom-up: children of one section, deepest ones first.

    Two neighbours merge if either is under the minimum, both together fit, and the right one does
    not start with a heading at or above the merge boundary. A section that became one draft is
    merged as a whole.

    Attributes:
        sizes: of stretches of the document.
        contexts: how much room contexts leave.
        config: the merge boundary.
        minimum: the size under which a draft is merged.
    """

    sizes: DocumentSizes
    contexts: ContextWriter
    config: ChunkConfig
    minimum: int

    def merge(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return the drafts of a document, small ones merged."""
        document = self.sizes.document
        own: list[_Siblings] = [[] for _ in document.sections]
        for draft in drafts:
            own[document.section_at(draft.first).index].append(draft)
        subsections: list[list[_Siblings]] = [[] for _ in document.sections]  # the last one first
        merged: list[Draft] = []
        for section in reversed(document.sections):
            row = [*own[section.index], *chain.from_iterable(reversed(subsections[section.index]))]
            is_one = not section.has_subsections
            if section.has_subsections:
                row = self._merge_siblings(row)
                is_one = row == [Draft(section.first, section.stop)]
            if section.index == ROOT or not is_one:
                merged.extend(draft for draft in row if draft is not None)
                row = [None]
            if section.index != ROOT:
                subsections[section.parent].append(row)
        return sorted(merged, key=lambda draft: draft.first)

    def _merge_siblings(self, row: _Siblings) -> _Siblings:
        """Merge bare headings with what follows them, then small drafts from left to right."""
        headed: _Siblings = []  # the last one first
        for draft in reversed(row):
            following = headed[-1] if headed else None
            is_bare = draft is not None and draft.is_bare(self.sizes.document)
            if draft and following and is_bare and not self.obstacle(draft, following):
                headed[-1] = Draft(draft.first, following.stop)
            else:
                headed.append(draft)
        merged: _Siblings = []
        for draft in reversed(headed):
            before = merged[-1] if merged else None
            if draft and before and not self.obstacle(before, draft):
                merged[-1] = Draft(before.first, draft.stop)
            else:
                merged.append(draft)
        return merged

    def obstacle(self, left: Draft, right: Draft) -> MergeObstacle | None:
        """Return why two drafts of one parent are not merged, None if they are."""
        document = self.sizes.document
        first, opening = document.top[left.first], document.top[right.first]
        if 0 < opening.level <= self.config.merge_boundary_level:
            return MergeObstacle.HEADING
        is_mixed = left.is_in_section(document) != right.is_in_section(document)
        if left.stop != right.first or first.kind is BlockKind.FRONT_MATTER or is_mixed:
            return MergeObstacle.PREAMBLE
        if right.is_bare(document):
            return MergeObstacle.BARE
        if not (self._is_small(left) or self._is_small(right)):
            return MergeObstacle.LARGE
        return None if self._fits(left.first, right.stop) else MergeObstacle.LIMIT

    def _is_small(self, draft: Draft) -> bool:
        return self.sizes.of_blocks(draft.first, draft.stop) < self.minimum

    def _fits(self, first: int, stop: int) -> bool:
        size = self.sizes.of_blocks(first, stop)
        if size > self.contexts.full_room:
            return False
        return size <= self.contexts.room(section_path(self.sizes.document, first, stop).path)
