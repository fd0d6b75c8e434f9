"""Blocks to units: what may not be cut further, each opened only where it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from chunkana_core.blocks import TRAITS, Block, BlockKind, Opening
from chunkana_core.cutting import Cutter, Piece
from chunkana_core.document import Document
from chunkana_core.fast_init import fast_init, maker
from chunkana_core.repeating import NO_REPEATS, Repeats, repeated_lines
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span

_CUT_BY_DEPTH = (1, 3, 6)  # between blocks, between items, deeper


@fast_init
@dataclass(frozen=True, slots=True)
class Unit:
    """A stretch of text that goes into a part as a whole.

    Attributes:
        span: where it is, white space around it left out.
        cost: what a cut before it costs.
        opens: the kind of the outermost block that starts with it, None inside a block.
        holds: the kind of the block that it is or lies in.
        oversize_reason: set for an atom that does not fit.
        repeats: what goes before and after it where a part starts or ends with it.
    """

    span: Span
    cost: int
    opens: BlockKind | None
    holds: BlockKind
    oversize_reason: str | None = None
    repeats: Repeats = NO_REPEATS

    def reaching(self, start: int, cost: int, opens: BlockKind | None) -> Unit:
        """Return the unit with what stands before it from an offset on."""
        tail = self.repeats.tail
        span, repeats = Span(start, self.span.end), Repeats(tail=tail) if tail else NO_REPEATS
        return Unit(span, cost, opens, self.holds, self.oversize_reason, repeats)


_new = maker(Unit)


@fast_init
@dataclass(frozen=True, slots=True)
class _Closed:
    """A block not looked into yet; its tile runs to where the next one starts."""

    block: Block
    start: int
    end: int
    cost: int
    opens: BlockKind
    in_marker_line: bool = False


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens blocks into units.

    Attributes:
        document: the document.
        sizer: measures them.
        keep_atoms: whether atoms stay whole at any size.
    """

    document: Document
    sizer: Sizer
    keep_atoms: bool

    def units(self, position: int, limit: int) -> list[Unit]:
        """Return the units, up to a limit, of the document's block at a position."""
        block, cost = self.document.top[position], _CUT_BY_DEPTH[0]
        start, end = self.document.start_of(position), self.document.start_of(position + 1)
        whole = self.document.source.trim(start, end)
        if whole is not None and self._fits(whole, limit):
            return [_new(whole, cost, block.kind, block.kind)]
        waiting = [_Closed(block, start, end, cost, block.kind)]
        units: list[Unit] = []
        while waiting:
            closed = waiting.pop()
            trimmed = self.document.source.trim(closed.start, closed.end)
            span = Span(closed.start, closed.start) if trimmed is None else trimmed
            kind = closed.block.kind
            if closed.block.depth and kind is BlockKind.HEADING:
                kind = BlockKind.PARAGRAPH  # a heading in a container is text
            if self._fits(span, limit):
                units.append(_new(span, closed.cost, closed.opens, kind))
            elif children := self._children(closed):
                waiting.extend(reversed(children))
            else:
                units.extend(self._opened(closed, kind, span, limit))
        return units

    def _fits(self, span: Span, limit: int) -> bool:
        return self.sizer.length(self.document.text[span.start : span.end]) <= limit

    def _children(self, closed: _Closed) -> list[_Closed]:
        """Return the blocks inside a container."""
        block = closed.block
        blocks = list(self.document.children(block))
        ends = [*(child.start for child in blocks[1:]), closed.end]
        children = []
        for child, end in zip(blocks, ends, strict=False):
            cost = _CUT_BY_DEPTH[min(child.depth, len(_CUT_BY_DEPTH) - 1)]
            marked = closed.in_marker_line or block.kind is BlockKind.LIST_ITEM
            marked = marked and child.start == block.start
            children.append(_Closed(child, child.start, end, cost, child.kind, marked))
        if children:
            first = children[0]
            children[0] = replace(first, start=closed.start, cost=closed.cost, opens=closed.opens)
        return children

    def _opened(self, closed: _Closed, kind: BlockKind, span: Span, limit: int) -> Iterator[Unit]:
        """Cut a block that holds no others and does not fit, but for atoms that stay whole."""
        reason = TRAITS[kind].oversize_reason
        pieces = [] if reason and self.keep_atoms else self._pieces(closed.block, span, limit)
        if not pieces:
            reason = "list_item_integrity" if closed.in_marker_line else reason
            yield Unit(span, closed.cost, closed.opens, kind, reason)
        for number, (piece, repeats) in enumerate(pieces):
            cost, opens = (piece.cost, None) if number else (closed.cost, closed.opens)
            yield _new(piece.span, cost, opens, kind, None, repeats)

    def _pieces(self, block: Block, span: Span, limit: int) -> Sequence[tuple[Piece, Repeats]]:
        cutter = Cutter.of(self.document.source, span, self.sizer, limit)
        opening = block.traits.opening
        if opening in (Opening.CODE_LINES, Opening.ROWS):
            return repeated_lines(cutter, block)
        pieces = cutter.lines() if opening is Opening.LINES else cutter.sentences()
        return [(piece, NO_REPEATS) for piece in pieces]
