"""Merge small drafts with a neighbour under the same parent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from chunkana_core.blocks import BlockKind
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.outline import ROOT
from chunkana_core.placing import section_of
from chunkana_core.sizing import Sizer

_Row = list[Draft | None]  # None parts what is not to be merged


def merge_small(
    document: Document, drafts: Sequence[Draft], sizer: Sizer, config: ChunkConfig
) -> list[Draft]:
    """Merge small drafts with a neighbour; see `Merger`."""
    return Merger(document, sizer, config).merged(drafts)


def _by_section(document: Document, drafts: Iterable[Draft]) -> list[_Row]:
    own: list[_Row] = [[] for _ in document.sections]
    for draft in drafts:
        own[document.section_at(draft.first).index].append(draft)
    return own


class Apart(Enum):
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
    """

    document: Document
    sizer: Sizer
    config: ChunkConfig

    def merged(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Return the drafts of a document, small ones merged."""
        sections = self.document.sections
        own = _by_section(self.document, drafts)
        children: list[list[_Row]] = [[] for _ in sections]  # by section, the last one first
        merged: list[Draft] = []
        for section in reversed(sections):
            row, is_one = own[section.index], not section.has_subsections
            if section.has_subsections:
                rows = [row, *reversed(children[section.index])]
                row = self._merge([draft for part in rows for draft in part])
                is_one = row == [Draft(section.first, section.end)]
            if section.index != ROOT and is_one:
                children[section.parent].append(row)
            else:
                merged.extend(draft for draft in row if draft is not None)
                if section.index != ROOT:
                    children[section.parent].append([None])
        return sorted(merged, key=lambda draft: draft.first)

    def _merge(self, row: _Row) -> _Row:
        """Merge the drafts of one parent: headings without a body to what follows them, first."""
        attached: _Row = []  # the last one first
        for draft in reversed(row):
            following = attached[-1] if attached else None
            is_bare = draft is not None and draft.is_bare(self.document)
            if draft and following and is_bare and not self.apart(draft, following):
                attached[-1] = Draft(draft.first, following.end)
            else:
                attached.append(draft)
        merged: _Row = []
        for draft in reversed(attached):
            before = merged[-1] if merged else None
            if draft and before and not self.apart(before, draft):
                merged[-1] = Draft(before.first, draft.end)
            else:
                merged.append(draft)
        return merged

    def apart(self, left: Draft, right: Draft) -> Apart | None:
        """Return why two drafts of one parent are not merged, None if they are."""
        first, opening = self.document.top[left.first], self.document.top[right.first]
        if 0 < opening.level <= self.config.merge_boundary_level:
            return Apart.HEADING
        is_mixed = left.is_section(self.document) != right.is_section(self.document)
        if left.end != right.first or first.kind is BlockKind.FRONT_MATTER or is_mixed:
            return Apart.PREAMBLE
        if right.is_bare(self.document):
            return Apart.BARE
        if not (self._is_small(left) or self._is_small(right)):
            return Apart.LARGE
        return None if self._fits(left, right) else Apart.LIMIT

    def _is_small(self, draft: Draft) -> bool:
        return self.sizer.length(draft.text(self.document)) < self.config.min_chunk

    def _fits(self, left: Draft, right: Draft) -> bool:
        span = Draft(left.first, right.end).span(self.document)
        text = self.document.text[span.start : span.end]
        return not self.sizer.excess(text, lambda: section_of(self.document, span))
