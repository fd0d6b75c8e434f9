"""What belongs together when a section is cut: headings and lead-ins with what follows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunkana_core.blocks import TRAITS, BlockKind
from chunkana_core.document import Document
from chunkana_core.opening import Unit
from chunkana_core.repeating import Repeats
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span
from chunkana_core.strategies.base import BaseStrategy

_PARTED_LEAD_IN = 8
_LEAD_IN_ENDS = (":", "：")
_LED_IN = frozenset({"list", "table", "code", "math"})  # content types


def glue(
    document: Document, units: Sequence[Unit], sizer: Sizer, limit: int, room: int
) -> list[Unit]:
    """Join headings, and lead-ins, with the first unit after them where both fit together.

    Args:
        document: the document.
        units: in order.
        sizer: the measure.
        limit: what fits together at the start of a draft or of a section, where no stack is
            repeated.
        room: what fits together elsewhere.

    An oversize atom takes the headings before it at any size, and no lead-in.
    """
    glued: list[Unit] = []
    for unit in units:
        joined = unit
        while glued and _belongs(document, glued[-1], joined):
            both = Span(glued[-1].span.start, joined.span.end)
            takes_stack = len(glued) > 1 and glued[-1].opens is not BlockKind.HEADING
            content = glued[-1].repeats.lead + document.text[both.start : both.end]
            size = sizer.length(content + joined.repeats.tail)
            if not joined.oversize_reason and size > (room if takes_stack else limit):
                break
            joined = _join(glued.pop(), joined, both)
        glued.append(joined)
    return glued


def parting_cost(document: Document, left: Unit, right: Unit, strategy: BaseStrategy) -> int:
    """Return what a cut between two neighbouring units costs."""
    if right.opens is None:
        return right.cost
    if right.opens is BlockKind.HEADING:
        return 0
    lead_in = _PARTED_LEAD_IN if _leads_in(document, left, right) else 0
    return right.cost + lead_in + strategy.binding(left.holds, right.opens)


def _belongs(document: Document, left: Unit, right: Unit) -> bool:
    if left.holds is BlockKind.HEADING:
        return right.opens is not None and right.holds is not BlockKind.HEADING
    return not right.oversize_reason and _leads_in(document, left, right)


def _leads_in(document: Document, left: Unit, right: Unit) -> bool:
    if left.holds is not BlockKind.PARAGRAPH or right.opens is None:
        return False
    is_led_in = TRAITS[right.opens].content_type in _LED_IN
    return is_led_in and document.text.endswith(_LEAD_IN_ENDS, left.span.start, left.span.end)


def _join(left: Unit, right: Unit, both: Span) -> Unit:
    repeats = Repeats(left.repeats.lead, right.repeats.tail)
    return replace(right, span=both, cost=left.cost, opens=left.opens, repeats=repeats)
