"""Blocks to units: what may not be cut further, each opened only where it does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from chunkana_core.blocks import TRAITS, Block, BlockKind, Opening
from chunkana_core.cutting import Cutter, Piece
from chunkana_core.document import Document
from chunkana_core.repeating import Repeats, repeated_pieces
from chunkana_core.sizing import Sizer
from chunkana_core.source import Span

_CUT_BY_DEPTH = (1, 3)  # between blocks, between items; deeper:
_CUT_DEEPER = 6


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
    repeats: Repeats = Repeats()


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
        limit: the size of the largest unit.
        keep_atoms: whether atoms stay whole at any size.
    """

    document: Document
    sizer: Sizer
    limit: int
    keep_atoms: bool

    def units(self, positions: range, start: int) -> Iterator[Unit]:
        """Yield the units of the document's blocks at some positions, the first from a start."""
        for position in positions:
            block = self.document.top[position]
            begin = start if position == positions.start else self.document.start_of(position)
            end = self.document.start_of(position + 1)
            yield from self._opened(_Closed(block, begin, end, _CUT_BY_DEPTH[0], block.kind))

    def _opened(self, outermost: _Closed) -> Iterator[Unit]:
        waiting = [outermost]
        while waiting:
            closed = waiting.pop()
            span = self.document.source.trim(closed.start, closed.end)
            if span is None:
                continue
            children = self._children(closed, span)
            if children:
                waiting.extend(reversed(children))
            else:
                yield from self._leaf(closed, span)

    def _children(self, closed: _Closed, span: Span) -> list[_Closed]:
        """Return the blocks inside a container that does not fit."""
        block = closed.block
        if block.traits.opening is not Opening.CHILDREN or self._fits(span):
            return []
        blocks = list(self.document.children(block))
        ends = [*(child.start for child in blocks[1:]), closed.end]
        children = []
        for child, end in zip(blocks, ends, strict=True) if blocks else ():
            cost = _CUT_BY_DEPTH[child.depth] if child.depth < 2 else _CUT_DEEPER
            marked = block.kind is BlockKind.LIST_ITEM and child.start == block.start
            children.append(_Closed(child, child.start, end, cost, child.kind, marked))
        if children:
            first = children[0]
            children[0] = replace(first, start=closed.start, cost=closed.cost, opens=closed.opens)
        return children

    def _leaf(self, closed: _Closed, span: Span) -> Iterator[Unit]:
        kind = closed.block.kind
        if closed.block.depth and kind is BlockKind.HEADING:
            kind = BlockKind.PARAGRAPH  # a heading in a container is text
        if self._fits(span):
            yield Unit(span, closed.cost, closed.opens, kind)
            return
        reason = TRAITS[kind].oversize_reason
        pieces = None if reason and self.keep_atoms else self._pieces(closed.block, span)
        if pieces is None:
            reason = "list_item_integrity" if closed.in_marker_line else reason
            yield Unit(span, closed.cost, closed.opens, kind, reason)
            return
        for number, (piece, repeats) in enumerate(pieces):
            cost, opens = (piece.cost, None) if number else (closed.cost, closed.opens)
            yield Unit(piece.span, cost, opens, kind, None, repeats)

    def _pieces(self, block: Block, span: Span) -> Iterable[tuple[Piece, Repeats]] | None:
        """Cut a block that holds no others; None if it cannot be."""
        cutter = Cutter.of(self.document.source, span, self.sizer, self.limit)
        opening = block.traits.opening
        if opening in (Opening.CODE_LINES, Opening.ROWS):
            return repeated_pieces(cutter, block)
        pieces = cutter.lines() if opening is Opening.LINES else cutter.sentences()
        return ((piece, Repeats()) for piece in pieces)

    def _fits(self, span: Span) -> bool:
        if self.sizer.is_exact:
            return span.end - span.start <= self.limit
        return self.sizer.length(self.document.text[span.start : span.end]) <= self.limit
