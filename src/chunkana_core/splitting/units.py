"""Blocks to units, which go into a part as a whole; blocks that do not fit are divided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from chunkana_core.document.blocks import TRAITS, Block, BlockKind, Division
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.costs import CONTAINER_EDGE, block_cost, piece_cost
from chunkana_core.splitting.repeats import (
    NO_REPEATS,
    Repeats,
    container_repeats,
    divide_atom,
    line_prefix,
)
from chunkana_core.text.cutting import Cutter, Piece
from chunkana_core.text.source import Span

_PREFIX_PART = 8  # of the limit: the most that the start of a line takes where it is repeated


_DIVIDERS = {Division.LINES: Cutter.lines, Division.CODE_LINES: Cutter.code_lines}


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
        is_edge: whether before it is the opening line of a container, or it is the closing one.
    """

    span: Span
    first: int
    stop: int
    cost: int
    starts: BlockKind | None
    kind: BlockKind
    oversize_reason: str | None = None
    repeats: Repeats = NO_REPEATS
    is_edge: bool = False

    @property
    def is_marker(self) -> bool:
        """Whether it is a line that opens or closes a container, or an end of an element."""
        return self.kind in (BlockKind.MARKER, BlockKind.HTML)

    def joined(
        self,
        start: int,
        first: int,
        cost: int,
        starts: BlockKind | None,
        before: Repeats = NO_REPEATS,
    ) -> Unit:
        """Return the unit together with what stands before it, from an offset on."""
        return structs.replace(
            self,
            span=Span(start, self.span.end),
            first=first,
            cost=cost,
            starts=starts,
            repeats=before.joined(self.repeats),
        )

    def with_edge(self, after: Unit) -> Unit:
        """Return the unit together with the one after it, an edge of their container between."""
        joined = after.joined(self.span.start, self.first, self.cost, self.starts, self.repeats)
        reason = self.oversize_reason or after.oversize_reason
        is_own = after.is_marker and self.kind is not BlockKind.MARKER
        return structs.replace(
            joined,
            kind=self.kind if is_own else after.kind,
            oversize_reason=reason,
            repeats=NO_REPEATS if reason else joined.repeats,
            is_edge=self.is_edge,
        )


class _Undivided(Struct, frozen=True, gc=False):
    """A block that may have to be divided; its tile runs to where the next block starts.

    Attributes:
        has_marker: whether it starts on its list item's marker line.
        outside: what is repeated where a part starts or ends with the block.
        inside: what is repeated where a part starts or ends inside the block.
        is_edge: see `Unit`.
    """

    block: Block
    start: int
    end: int
    cost: int
    starts: BlockKind
    has_marker: bool = False
    outside: Repeats = NO_REPEATS
    inside: Repeats = NO_REPEATS
    is_edge: bool = False


class _Inside(Struct, frozen=True, gc=False):
    """What is repeated inside a block: around its lines, and around the rest of a line."""

    lines: Repeats = NO_REPEATS
    rest: Repeats = NO_REPEATS


class UnitMaker(Struct, frozen=True):
    """Divides blocks into units.

    Attributes:
        sizes: of stretches of the document.
        keep_atoms: whether atoms stay whole at any size.
        atom_allowance: how much larger than other units an atom may be: as much as the context,
            which is left out before an atom is parted.
        by_syntax: whether fenced code is rather cut between statements than at blank lines.
    """

    sizes: DocumentSizes
    keep_atoms: bool
    atom_allowance: int = 0
    by_syntax: bool = False

    def units(self, position: int, limit: int) -> list[Unit]:
        """Return the units, up to a limit, of the document's block at a position."""
        document = self.sizes.document
        block, span = document.top[position], document.trimmed_run(position, position + 1)
        whole = Unit(span, position, position + 1, block_cost(0), block.kind, block.kind)
        if (fitting := self._fitting(whole, limit)) is not None:
            return [fitting]
        start, end = document.start_of(position), document.start_of(position + 1)
        waiting = [_Undivided(block, start, end, whole.cost, block.kind)]
        units: list[Unit] = []
        while waiting:
            undivided = waiting.pop()
            whole = self._whole(undivided, position)
            if (fitting := self._fitting(whole, limit)) is not None:
                units.append(fitting)
            elif children := self._children(undivided, limit):
                waiting.extend(reversed(children))
            else:
                units.extend(self._divided(undivided, whole, limit))
        return self._with_edges(units, limit)

    def _whole(self, undivided: _Undivided, position: int) -> Unit:
        """Return a block as one unit."""
        trimmed = self.sizes.document.source.trim(undivided.start, undivided.end)
        kind = undivided.block.kind
        if undivided.block.depth and kind is BlockKind.HEADING:
            kind = BlockKind.PARAGRAPH  # a heading in a container is text
        span = trimmed or Span(undivided.start, undivided.start)
        cost, starts, outside = undivided.cost, undivided.starts, undivided.outside
        edge = undivided.is_edge
        return Unit(span, position, position + 1, cost, starts, kind, None, outside, edge)

    def _fitting(self, unit: Unit, limit: int) -> Unit | None:
        """Return a unit if it fits, an atom also without what is repeated around it."""
        size = self.sizes.of_span(unit.span.start, unit.span.end)
        if size + self._repeated_size(unit.repeats) <= limit:
            return unit
        is_atom = TRAITS[unit.kind].oversize_reason is not None
        if is_atom and size <= self.limit_of(unit.kind, limit):
            return structs.replace(unit, repeats=NO_REPEATS)
        return None

    def _with_edges(self, units: list[Unit], limit: int) -> list[Unit]:
        """Join the opening and closing lines of containers to what is in them, where both fit."""
        joined: list[Unit] = []
        for unit in units:
            if joined and unit.is_edge and self._fits_with(joined[-1], unit, limit):
                joined[-1] = joined[-1].with_edge(unit)
            else:
                joined.append(unit)
        return joined

    def _fits_with(self, left: Unit, right: Unit, limit: int) -> bool:
        """Tell whether two units fit together; an oversize atom has a line of its container."""
        if left.oversize_reason or right.oversize_reason:
            return BlockKind.MARKER in (left.kind, right.kind)
        size = self.sizes.of_span(left.span.start, right.span.end)
        return size + self._repeated_size(left.repeats.joined(right.repeats)) <= limit

    def _repeated_size(self, repeats: Repeats) -> int:
        """Return the size of what is repeated, without what the measure adds to every text."""
        if not (repeats.lead or repeats.tail):
            return 0
        sizes = self.sizes
        return sizes.of_repeated(repeats.lead + repeats.tail) - sizes.sizer.overhead

    def limit_of(self, kind: BlockKind, limit: int) -> int:
        """Return the size up to which a block of a kind is not divided."""
        return limit + self.atom_allowance if TRAITS[kind].oversize_reason else limit

    def _children(self, parent: _Undivided, limit: int) -> list[_Undivided]:
        """Return the blocks inside a container; its markers go with the first one."""
        blocks = list(self.sizes.document.children(parent.block))
        if not blocks:
            return []
        inside = self._inside(parent, blocks, limit)
        ends = [*(child.start for child in blocks[1:]), parent.end]
        in_item = parent.has_marker or parent.block.kind is BlockKind.LIST_ITEM
        children = []
        for child, end in zip(blocks, ends, strict=True):
            has_marker = in_item and child.start == parent.block.start
            cost = block_cost(child.depth)
            children.append(
                _Undivided(child, child.start, end, cost, child.kind, has_marker, inside, inside)
            )
        if parent.block.kind is BlockKind.CONTAINER:
            for number in {1, 1 if parent.block.is_open else len(blocks) - 1} - {len(blocks)}:
                children[number] = structs.replace(
                    children[number], cost=CONTAINER_EDGE, is_edge=True
                )
        children[0] = structs.replace(
            children[0],
            start=parent.start,
            cost=parent.cost,
            starts=parent.starts,
            outside=parent.outside.joined(inside),
            is_edge=parent.is_edge,
        )
        outside = children[-1].outside.joined(parent.outside)
        children[-1] = structs.replace(children[-1], outside=outside)
        return children

    def _inside(self, parent: _Undivided, children: Sequence[Block], limit: int) -> Repeats:
        """Return what is repeated inside a container, its own lines as far as they leave room."""
        own = container_repeats(self.sizes.document.source, parent.block, children)
        if own is NO_REPEATS:
            return parent.inside
        inside = parent.inside.around(own)
        most = min(self.sizes.sizer.max_size // 2, limit * 3 // 4)
        return inside if self._repeated_size(inside) <= most else parent.inside

    def _divided(self, undivided: _Undivided, whole: Unit, limit: int) -> Iterator[Unit]:
        """Divide a block that holds no others and does not fit, but for atoms that stay whole."""
        reason = TRAITS[whole.kind].oversize_reason
        is_kept = reason is not None and self.keep_atoms
        for room, unit, inside in () if is_kept else self._rooms(undivided, whole, limit):
            if pieces := self._pieces(undivided.block, whole, room):
                yield from self._piece_units(pieces, unit, inside)
                return
        reason = "list_item_integrity" if undivided.has_marker else reason
        yield structs.replace(whole, oversize_reason=reason, repeats=NO_REPEATS)

    def _rooms(
        self, undivided: _Undivided, whole: Unit, limit: int
    ) -> Iterator[tuple[int, Unit, _Inside]]:
        """Yield the sizes that pieces of a block may have, the block, and what is repeated in it.

        A fence that leaves no room in a container, or beside a context, may leave some without.
        """
        inside, rest = undivided.inside, undivided.inside
        if inside.lead:
            prefix = line_prefix(self.sizes.document.text[undivided.block.start : whole.span.end])
            if self._repeated_size(Repeats(prefix)) <= limit // _PREFIX_PART:
                rest = Repeats(inside.lead + prefix, inside.tail, inside.start)
        yield limit - self._repeated_size(rest), whole, _Inside(inside, rest)
        bare = structs.replace(whole, repeats=NO_REPEATS)
        yield limit + self.atom_allowance, bare, _Inside()

    def _piece_units(
        self, pieces: Sequence[tuple[Piece, Repeats]], whole: Unit, inside: _Inside
    ) -> Iterator[Unit]:
        """Yield the units of a block's pieces."""
        line_start = self.sizes.document.source.line_start
        for number, (piece, repeats) in enumerate(pieces, 1):
            cost, starts, around = piece_cost(piece), None, inside.lines
            if number == 1:
                cost, starts, around = whole.cost, whole.starts, whole.repeats.joined(around)
            elif not repeats.lead and line_start(piece.span.start) < piece.span.start:
                around = inside.rest
            if number == len(pieces):
                around = around.joined(whole.repeats)
            yield Unit(
                piece.span,
                whole.first,
                whole.stop,
                cost,
                starts,
                whole.kind,
                repeats=around.around(repeats),
                is_edge=number == 1 and whole.is_edge,
            )

    def _pieces(self, block: Block, whole: Unit, limit: int) -> list[tuple[Piece, Repeats]]:
        sizes = self.sizes
        document, division = sizes.document, block.traits.division
        cutter = Cutter.of(document.source, whole.span, sizes.sizer, limit, sizes.of_span)
        cutter = structs.replace(cutter, is_markup=document.is_markup(whole.first))
        if division in (Division.FENCED_LINES, Division.ROWS):
            return divide_atom(cutter, block, by_syntax=self.by_syntax)
        divide = _DIVIDERS.get(division, Cutter.sentences)
        return [(piece, NO_REPEATS) for piece in divide(cutter)]
