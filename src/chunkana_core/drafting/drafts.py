"""Drafts: runs of top-level blocks that tile a document, before they are split into parts."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.errors import ExtensionError
from chunkana_core.text.source import Span

_BRACKET = BlockKind.BRACKET


class Draft(Struct, frozen=True, gc=False):
    """A run of top-level blocks, by position.

    Attributes:
        first: the position of its first block.
        stop: the position after its last block.
    """

    first: int
    stop: int

    def span(self, document: Document) -> Span:
        """Return the span of the draft, without surrounding white space."""
        return document.trimmed_run(self.first, self.stop)

    def is_bare(self, document: Document) -> bool:
        """Return whether the draft is bare: it starts with a heading and has no body."""
        starts_with_heading = bool(document.top[self.first].level)
        return starts_with_heading and not document.has_content(self.first, self.stop)


def section_drafts(document: Document) -> list[Draft]:
    """Return a draft for the front matter, and for each run of a section's own blocks.

    The preamble is a run of the document's own blocks. Brackets at the start of a run belong to the
    draft before it. Runs are divided where a cell with definitions starts or ends.
    """
    start, stop = document.front_matter_stop, len(document.top)
    drafts = [Draft(0, start)] if start else []
    for run in document.runs(start, stop):
        first = max(run.first, start)
        while drafts and first < run.stop and document.top[first].kind is _BRACKET:
            first += 1
            drafts[-1] = Draft(drafts[-1].first, first)
        for edge in (*document.cells.edges(first, run.stop), run.stop):
            if first < edge:
                drafts.append(Draft(first, edge))
                first = edge
    return drafts


def require_tiling(drafts: Sequence[Draft], document: Document, strategy: str) -> None:
    """Raise an ExtensionError unless these are drafts that contain every block, in order."""
    given: object = drafts  # may be of any type, from a user's strategy
    if not (isinstance(given, Sequence) and all(isinstance(d, Draft) for d in given)):
        raise ExtensionError(f"strategy {strategy!r}: {given!r} is no list of drafts")
    stop = 0
    for draft in drafts:
        if draft.first != stop or draft.stop <= draft.first:
            raise ExtensionError(f"strategy {strategy!r}: {draft} does not start at block {stop}")
        stop = draft.stop
    if stop != len(document.top):
        raise ExtensionError(f"strategy {strategy!r}: blocks from {stop} on are in no draft")
