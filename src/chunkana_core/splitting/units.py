"""Blocks to units, which go into a part as a whole; blocks that do not fit are divided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct, structs

from chunkana_core.document.blocks import TRAITS, Block, BlockKind, Division
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.costs import block_cost, piece_cost
from chunkana_core.splitting.repeats import NO_REPEATS, Repeats, divide_atom
from chunkana_core.text.cutting import Cutter, Piece
from chunkana_core.text.source import Span


class Unit(Struct, frozen=True, gc=False):
    """A stretch of text that goes into a part as a whole.

    Attributes:
        span: where it is, white space around it left out.
        first: the position of the document's block that it starts in.
        stop: the position after the block that it ends in.
        cost: what a cut before it costs.
        starts: the kind of the outermost block that starts with it, None inside a block.
        kind: the kind of the block that it is or lies in.
        oversize_reason: set for an atom that does not fit.
        repeats: what goes before and after it where a part starts or ends with it.
    """

    span: Span
    first: int
    stop: int
    cost: int
    starts: BlockKind | None
    kind: BlockKind
    oversize_reason: str | None = None
    repeats: Repeats = NO_REPEATS

    def joined(self, start: int, first: int, cost: int, starts: BlockKind | None) -> Unit:
        """Return the unit together with what stands before it, from an offset on."""
        tail = self.repeats.tail
        return structs.replace(
            self,
            span=Span(start, self.span.end),
            first=first,
            cost=cost,
            starts=starts,
            repeats=Repeats(tail=tail) if tail else NO_REPEATS,
        )


class _Undivided(Struct, frozen=True, gc=False):
    """A block that may have to be divided; its tile runs to where the next block starts."""

    block: Block
    start: int
    end: int
    cost: int
    starts: BlockKind
    has_marker: bool = False  # whether it starts on its list item's marker line


@dataclass(frozen=True, slots=True)
class UnitMaker:
    """Divides blocks into units.

    Attributes:
        sizes: of stretches of the document.
        keep_atoms: whether atoms stay whole at any size.
        atom_allowance: how much larger than other units an atom may be: as much as the context,
            which is left out before an atom is parted.
    """

    sizes: DocumentSizes
    keep_atoms: bool
    atom_allowance: int = 0

    def units(self, position: int, limit: int) -> list[Unit]:
        """Return the units, up to a limit, of the document's block at a position."""
        document = self.sizes.document
        block = document.top[position]
        start, end = document.start_of(position), document.start_of(position + 1)
        waiting = [_Undivided(block, start, end, block_cost(0), block.kind)]
        units: list[Unit] = []
        while waiting:
            undivided = waiting.pop()
            trimmed = document.source.trim(undivided.start, undivided.end)
            span = trimmed or Span(undivided.start, undivided.start)
            kind = undivided.block.kind
            if undivided.block.depth and kind is BlockKind.HEADING:
                kind = BlockKind.PARAGRAPH  # a heading in a container is text
            whole = Unit(span, position, position + 1, undivided.cost, undivided.starts, kind)
            size = self.sizes.of_span(span.start, span.end)
            if size <= limit or size <= self.limit_of(kind, limit):
                units.append(whole)
            elif children := self._children(undivided):
                waiting.extend(reversed(children))
            else:
                units.extend(self._divided(undivided, whole, limit))
        return units

    def limit_of(self, kind: BlockKind, limit: int) -> int:
        """Return the size up to which a block of a kind is not divided."""
        return limit + self.atom_allowance if TRAITS[kind].oversize_reason else limit

    def _children(self, parent: _Undivided) -> list[_Undivided]:
        """Return the blocks inside a container; its markers go with the first one."""
        blocks = list(self.sizes.document.children(parent.block))
        ends = [*(child.start for child in blocks[1:]), parent.end]
        in_item = parent.has_marker or parent.block.kind is BlockKind.LIST_ITEM
        children = []
        for child, end in zip(blocks, ends, strict=False):
            has_marker = in_item and child.start == parent.block.start
            cost = block_cost(child.depth)
            children.append(_Undivided(child, child.start, end, cost, child.kind, has_marker))
        if children:
            children[0] = structs.replace(
                children[0], start=parent.start, cost=parent.cost, starts=parent.starts
            )
        return children

    def _divided(self, undivided: _Undivided, whole: Unit, limit: int) -> Iterator[Unit]:
        """Divide a block that holds no others and does not fit, but for atoms that stay whole."""
        reason = TRAITS[whole.kind].oversize_reason
        is_kept = reason is not None and self.keep_atoms
        # A fence that leaves no room beside a context may leave some without one.
        limits = () if is_kept else (limit, limit + self.atom_allowance)
        divided = (self._pieces(undivided.block, whole.span, limit) for limit in limits)
        pieces = next(filter(None, divided), [])
        if not pieces:
            reason = "list_item_integrity" if undivided.has_marker else reason
            yield structs.replace(whole, oversize_reason=reason)
        for number, (piece, repeats) in enumerate(pieces):
            cost, starts = (piece_cost(piece), None) if number else (whole.cost, whole.starts)
            yield Unit(piece.span, whole.first, whole.stop, cost, starts, whole.kind, None, repeats)

    def _pieces(self, block: Block, span: Span, limit: int) -> list[tuple[Piece, Repeats]]:
        sizes = self.sizes
        cutter = Cutter.of(sizes.document.source, span, sizes.sizer, limit, sizes.of_span)
        division = block.traits.division
        if division in (Division.CODE_LINES, Division.ROWS):
            return divide_atom(cutter, block)
        pieces = cutter.lines() if division is Division.LINES else cutter.sentences()
        return [(piece, NO_REPEATS) for piece in pieces]
