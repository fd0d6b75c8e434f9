"""What belongs together when a section is cut: lead-ins and explanations with what they explain."""

from __future__ import annotations

from chunkana_core.blocks import TRAITS, BlockKind
from chunkana_core.document import Document
from chunkana_core.opening import Unit
from chunkana_core.strategies.base import BaseStrategy

_PARTED_LEAD_IN = 8
_LEAD_IN_ENDS = (":", "：")
_LED_IN = frozenset({"list", "table", "code", "math"})  # content types


def leads_in(document: Document, left: Unit, right: Unit) -> bool:
    """Tell whether a unit is, or ends with, a paragraph that announces the next one."""
    if left.holds is not BlockKind.PARAGRAPH or right.opens is None:
        return False
    is_led_in = TRAITS[right.opens].content_type in _LED_IN
    return is_led_in and document.text.endswith(_LEAD_IN_ENDS, left.span.start, left.span.end)


def parting_cost(document: Document, left: Unit, right: Unit, strategy: BaseStrategy) -> int:
    """Return what a cut between two neighbouring units costs."""
    if right.opens is None:
        return right.cost
    if right.opens in (BlockKind.HEADING, BlockKind.THEMATIC_BREAK):
        return 0
    lead_in = _PARTED_LEAD_IN if leads_in(document, left, right) else 0
    return right.cost + lead_in + strategy.binding(left.holds, right.opens)
