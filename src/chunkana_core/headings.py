"""Nothing dangles: headings without a body go to the next text of their parent section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunkana_core.blocks import BlockKind
from chunkana_core.document import Document
from chunkana_core.drafts import Draft
from chunkana_core.outline import Section
from chunkana_core.sizing import Sizer

LARGEST_SHARE = 3  # headings that are carried or repeated take a third of the limit at most


def prevent_dangling(document: Document, drafts: Sequence[Draft], sizer: Sizer) -> list[Draft]:
    """Give headings that end a draft to the next one with a body under the same parent.

    Where none follows, its headings are a draft of their own, as is the outermost excess of a run
    longer than a third of the limit. A document of nothing but headings is one draft.
    """
    if document.is_only_headings:
        front = document.front_matter_end
        return [*(d for d in drafts if d.end <= front), Draft(front, len(document.top))]
    carrier = _Carrier(document, sizer.max_size // LARGEST_SHARE, sizer)
    result: list[Draft] = []
    pending: list[Draft] = []
    for draft in _without_last_headings(document, drafts):
        if draft.is_bare(document):
            pending.append(draft)
            continue
        kept, carried = carrier.divide(pending, draft) if pending else ([], [])
        result += carrier.pack(kept)
        result.append(Draft(carried[0].first, draft.end) if carried else draft)
        pending = []
    return result + carrier.pack(pending)


def _without_last_headings(document: Document, drafts: Iterable[Draft]) -> Iterator[Draft]:
    """Yield drafts with each of the headings that they end with as a draft of its own."""
    for draft in drafts:
        if document.top[draft.end - 1].is_content:
            yield draft
            continue
        body_end = draft.end - 1
        while body_end > draft.first and not document.top[body_end - 1].is_content:
            body_end -= 1
        bare = range(body_end, draft.end)
        headings = [p for p in bare if document.top[p].kind is BlockKind.HEADING]
        bounds = [*headings, draft.end]
        if draft.first < bounds[0]:
            yield Draft(draft.first, bounds[0])
        yield from (Draft(first, end) for first, end in pairwise(bounds))


@dataclass(frozen=True, slots=True)
class _Carrier:
    document: Document
    limit: int
    sizer: Sizer

    def divide(self, pending: list[Draft], receiver: Draft) -> tuple[list[Draft], list[Draft]]:
        """Divide bare drafts into those that stay and those that the receiver carries."""
        section = self._section(receiver)
        held = (n for n, draft in enumerate(pending) if self._may_give(draft, section))
        first = next(held, len(pending))
        start = len(pending)
        while start > first and self._may_carry(pending[start - 1 :]):
            start -= 1
        return pending[:start], pending[start:]

    def pack(self, bare: list[Draft]) -> list[Draft]:
        """Join neighbouring bare drafts as far as they fit."""
        packed: list[Draft] = []
        for draft in bare:
            joined = Draft(packed[-1].first if packed else draft.first, draft.end)
            if packed and self._size(joined) <= self.sizer.max_size:
                packed[-1] = joined
            else:
                packed.append(draft)
        return packed

    def _may_give(self, draft: Draft, receiver: Section) -> bool:
        parent = self.document.sections[self._section(draft).parent]
        return parent.first <= receiver.first < parent.end

    def _may_carry(self, run: list[Draft]) -> bool:
        if self._size(Draft(run[0].first, run[-1].end)) <= self.limit:
            return True
        # The innermost heading stays attached, unless link definitions part it from the text.
        return len(run) == 1 and run[0].end - run[0].first == 1

    def _size(self, draft: Draft) -> int:
        return self.sizer.length(draft.text(self.document))

    def _section(self, draft: Draft) -> Section:
        return self.document.section_at(draft.first)
