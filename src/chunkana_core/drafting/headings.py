"""Headings of drafts: those that parts repeat, and those that are moved to text below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import ROOT, Section
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft
from chunkana_core.text.source import Span

_LINK_DEFINITION = BlockKind.LINK_DEFINITION
_OPENING_BRACKETS = "{[( \t\r\n"  # repeated alone, they say nothing


def largest_stack(max_size: int) -> int:
    """Return the largest size of moved or repeated headings: a third of the limit."""
    return max_size // 3


class HeaderStack(Struct, frozen=True, gc=False):
    """Repeated headings with the blank line after them, and the offset of the first heading."""

    text: str
    start: int


def repeated_headings(document: Document, draft: Draft, section: Section) -> list[Span]:
    """Return the headings that parts of a draft repeat if they continue a section of the draft.

    These are the heading of the section and the headings directly before it in the draft, outermost
    first. For a section without a heading, they are those of the section around it.
    """
    top, first = document.top, section.first
    stop = first + (document.section_at(first) is section)
    while first > draft.first and (top[first - 1].level or top[first - 1].kind is _LINK_DEFINITION):
        first -= 1
    headings = [document.heading_span(p) for p in range(first, stop) if top[p].level]
    if headings or section.parent <= ROOT:
        return headings
    return repeated_headings(document, draft, document.sections[section.parent])


def header_stacks(sizes: DocumentSizes, headings: Sequence[Span]) -> list[HeaderStack]:
    """Return the innermost headings within a third of the limit, then ever fewer of them."""
    document, stacks = sizes.document, list[HeaderStack]()
    limit = largest_stack(sizes.sizer.max_size)
    blank_line = 2 * document.source.line_ending(headings[-1].end) if headings else ""
    for first in reversed(range(len(headings))):
        heading = headings[first]
        if sizes.of_span(heading.start, heading.end) > limit:  # a long text is not copied
            break
        text = _stack_text(document, headings[first:])
        if sizes.sizer.added_size(text) > limit:
            break
        if text.strip(_OPENING_BRACKETS):
            stacks.append(HeaderStack(text + blank_line, heading.start))
    return stacks[::-1]


def _stack_text(document: Document, stack: Sequence[Span]) -> str:
    """Return repeated headings as in the source, without anchors and comments before them."""
    text = document.text[stack[0].start : stack[0].end]
    for before, heading in pairwise(stack):
        gap = document.text[before.end : heading.start]
        text += 2 * document.source.line_ending(before.end) if gap.strip() else gap
        text += document.text[heading.start : heading.end]
    return text


def stack_before(sizes: DocumentSizes, draft: Draft) -> HeaderStack | None:
    """Return the header stack before a draft that continues a section; None for other drafts.

    Own text of a section after a subsection continues the section.
    """
    document, section = sizes.document, sizes.document.section_at(draft.first)
    if section.first == draft.first or document.top[draft.first].level:
        return None
    return next(iter(header_stacks(sizes, repeated_headings(document, draft, section))), None)


def prevent_dangling(drafts: Sequence[Draft], sizes: DocumentSizes) -> list[Draft]:
    """Move headings at the end of a draft to the next draft with a body under the same parent.

    If there is no such draft, the headings are a draft of their own. So are the outermost headings
    of a run that is longer than a third of the limit. A document of only headings is one draft.
    """
    document = sizes.document
    if document.is_only_headings:
        front = document.front_matter_stop
        return [*(d for d in drafts if d.stop <= front), Draft(front, len(document.top))]
    result: list[Draft] = []
    bare: list[Draft] = []
    for draft in _with_separate_headings(document, drafts):
        if draft.is_bare(document):
            bare.append(draft)
            continue
        count = _count_moved(bare, draft, sizes) if bare else 0
        result += _join_bare(bare[: len(bare) - count], sizes)
        result.append(Draft(bare[-count].first, draft.stop) if count else draft)
        bare = []
    return result + _join_bare(bare, sizes)


def _with_separate_headings(document: Document, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield the drafts, with each heading at the end of a draft as a draft of its own."""
    for draft in drafts:
        last = document.top[draft.stop - 1]
        if last.is_content or last.kind is BlockKind.BRACKET:
            yield draft
            continue
        body_stop = draft.stop - 1
        while body_stop > draft.first and not document.top[body_stop - 1].is_content:
            body_stop -= 1
        bare = range(body_stop, draft.stop)
        headings = [p for p in bare if document.top[p].kind is BlockKind.HEADING]
        bounds = [*headings, draft.stop]
        if draft.first < bounds[0]:
            yield Draft(draft.first, bounds[0])
        yield from (Draft(first, stop) for first, stop in pairwise(bounds))


def _count_moved(bare: Sequence[Draft], receiver: Draft, sizes: DocumentSizes) -> int:
    """Return how many of the last bare drafts are moved to the draft after them.

    The parents of their sections contain the receiver, and their total size is at most that of the
    largest stack. The innermost heading is moved at any size, unless link definitions follow it.
    """
    document, limit = sizes.document, largest_stack(sizes.sizer.max_size)
    section = document.section_at(receiver.first)
    count = 0
    for number, draft in enumerate(reversed(bare), 1):
        is_short = sizes.of_blocks(draft.first, bare[-1].stop) <= limit
        if not is_short and (number > 1 or draft.stop - draft.first > 1):
            break
        count = number
    candidates = [n for n, d in enumerate(bare) if _parent_contains(document, d, section.first)]
    return min(count, len(bare) - candidates[0]) if candidates else 0


def _parent_contains(document: Document, bare: Draft, position: int) -> bool:
    """Return whether the parent of a bare draft's section contains a block."""
    parent = document.sections[document.section_at(bare.first).parent]
    return parent.first <= position < parent.stop


def _join_bare(bare: Sequence[Draft], sizes: DocumentSizes) -> list[Draft]:
    """Join neighbouring bare drafts that fit together."""
    joined: list[Draft] = []
    for draft in bare:
        first = joined[-1].first if joined else draft.first
        if joined and sizes.of_blocks(first, draft.stop) <= sizes.sizer.max_size:
            joined[-1] = Draft(first, draft.stop)
        else:
            joined.append(draft)
    return joined
