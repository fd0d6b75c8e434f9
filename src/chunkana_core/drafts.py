"""Drafts: contiguous runs of a document's blocks that tile it; text is sliced from them once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunkana_core.blocks import Block
from chunkana_core.document import Document
from chunkana_core.errors import StrategyError
from chunkana_core.fast_init import fast_init, maker
from chunkana_core.outline import ROOT
from chunkana_core.source import Span


@fast_init
@dataclass(frozen=True, slots=True)
class Draft:
    """A run of the document's own blocks, by position.

    Attributes:
        first: position of its first block.
        end: position after its last one.
    """

    first: int
    end: int

    def blocks(self, document: Document) -> tuple[Block, ...]:
        """Return its blocks."""
        return document.top[self.first : self.end]

    def span(self, document: Document) -> Span:
        """Return its span, without white space around it."""
        start, end = document.start_of(self.first), document.start_of(self.end)
        span = document.source.trim(start, end)
        return Span(start, start) if span is None else span

    def text(self, document: Document) -> str:
        """Return its text, without white space around it."""
        span = self.span(document)
        return document.text[span.start : span.end]

    def is_bare(self, document: Document) -> bool:
        """Tell whether it is headings with no body."""
        is_headed = bool(document.top[self.first].level)
        return is_headed and not document.has_content(self.first, self.end)

    def is_section(self, document: Document) -> bool:
        """Tell whether it belongs to a section, rather than stand before the first heading."""
        return self.first >= document.sections[ROOT].own_end


new_draft = maker(Draft)


def section_drafts(document: Document) -> list[Draft]:
    """Return a draft for the front matter, the preamble, and each section's own text."""
    front_matter = Draft(0, document.front_matter_end)
    preamble = Draft(front_matter.end, document.sections[ROOT].own_end)
    own = (new_draft(section.first, section.own_end) for section in document.sections[1:])
    return [draft for draft in (front_matter, preamble, *own) if draft.first < draft.end]


def require_tiling(drafts: Sequence[Draft], document: Document, strategy: str) -> None:
    """Raise a StrategyError unless these are drafts, and every block is in one, in order."""
    given: object = drafts  # by a strategy of the user's own
    if not (isinstance(given, Sequence) and all(isinstance(d, Draft) for d in given)):
        raise StrategyError(f"strategy {strategy!r}: {given!r} is no list of drafts")
    end = 0
    for draft in drafts:
        if draft.first != end or draft.end <= draft.first:
            raise StrategyError(f"strategy {strategy!r}: {draft} does not start at block {end}")
        end = draft.end
    if end != len(document.top):
        raise StrategyError(f"strategy {strategy!r}: blocks from {end} on are in no draft")
