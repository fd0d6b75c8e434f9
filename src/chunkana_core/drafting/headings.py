"""Headings without a body go to the next text of their parent section, so that none dangles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from chunkana_core.document.blocks import BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.drafts import Draft


def largest_stack(max_size: int) -> int:
    """Return the most of the limit that headings take which are carried or repeated."""
    return max_size // 3


def prevent_dangling(drafts: Sequence[Draft], sizes: DocumentSizes) -> list[Draft]:
    """Give headings that end a draft to the next one with a body under the same parent.

    Where none follows, its headings are a draft of their own, as is the outermost excess of a run
    longer than a third of the limit. A document of nothing but headings is one draft.
    """
    document = sizes.document
    if document.is_only_headings:
        front = document.front_matter_stop
        return [*(d for d in drafts if d.stop <= front), Draft(front, len(document.top))]
    result: list[Draft] = []
    bare: list[Draft] = []
    for draft in _without_last_headings(document, drafts):
        if draft.is_bare(document):
            bare.append(draft)
            continue
        count = _count_carried(bare, draft, sizes) if bare else 0
        result += _packed(bare[: len(bare) - count], sizes)
        result.append(Draft(bare[-count].first, draft.stop) if count else draft)
        bare = []
    return result + _packed(bare, sizes)


def _without_last_headings(document: Document, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield drafts with each of the headings that they end with as a draft of its own."""
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


def _count_carried(bare: Sequence[Draft], receiver: Draft, sizes: DocumentSizes) -> int:
    """Return how many of the last bare drafts are carried by the draft after them.

    Their parents hold the receiver's section, and together they are no longer than a stack may be.
    The innermost heading is carried at any length, unless link definitions part it from the text.
    """
    document, limit = sizes.document, largest_stack(sizes.sizer.max_size)
    section = document.section_at(receiver.first)
    count = 0
    for number, draft in enumerate(reversed(bare), 1):
        is_short = sizes.of_blocks(draft.first, bare[-1].stop) <= limit
        if not is_short and (number > 1 or draft.stop - draft.first > 1):
            break
        count = number
    may_give = [n for n, d in enumerate(bare) if _parent_holds(document, d, section.first)]
    return min(count, len(bare) - may_give[0]) if may_give else 0


def _parent_holds(document: Document, bare: Draft, position: int) -> bool:
    """Tell whether the section around a bare draft's own holds a block."""
    parent = document.sections[document.section_at(bare.first).parent]
    return parent.first <= position < parent.stop


def _packed(bare: Sequence[Draft], sizes: DocumentSizes) -> list[Draft]:
    """Join neighbouring bare drafts as far as they fit."""
    packed: list[Draft] = []
    for draft in bare:
        first = packed[-1].first if packed else draft.first
        if packed and sizes.of_blocks(first, draft.stop) <= sizes.sizer.max_size:
            packed[-1] = Draft(first, draft.stop)
        else:
            packed.append(draft)
    return packed
