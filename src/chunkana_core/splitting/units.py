"""Divide blocks into units, which are never cut further."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, structs

from chunkana_core.document.blocks import TRAITS, Block, BlockKind, Division
from chunkana_core.document.sizes import DocumentSizes
from chunkana_core.drafting.costs import CONTAINER_EDGE, block_cost, piece_cost
from chunkana_core.splitting.repeats import (
    NO_REPEATS,
    InnerRepeats,
    Repeats,
    container_repeats,
    divide_atom,
    largest_repeats,
    line_prefix,
)
from chunkana_core.text.cutting import Cutter, Piece
from chunkana_core.text.source import Span

_PREFIX_DIVISOR = 8  # a repeated line prefix takes at most this fraction of the limit
_DIVIDERS = {Division.LINES: Cutter.lines, Division.CODE_LINES: Cutter.code_sentences}


class Unit(Struct, frozen=True, gc=False):
    """A piece of text that is contained whole in one part.

    Attributes:
        span: its span, without surrounding white space.
        first: the position of the top-level block that it starts in.
        stop: the position after the top-level block that it ends in.
        cost: the cost of a cut before it.
        starts: the kind of the outermost block that starts with it, None inside a block.
        kind: the kind of the block that it is, or is a piece of.
        oversize_reason: the reason if it is an atom that does not fit.
        repeats: the text repeated before and after it where a part starts or ends with it.
        is_edge: whether it is after the opening line of a container, or is the closing line.
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
        """Whether the unit is an opening or closing line of a container, or HTML."""
        return self.kind in (BlockKind.MARKER, BlockKind.HTML)

    def joined_to(self, before: Unit) -> Unit:
        """Return the unit joined with the unit before it."""
        return structs.replace(
            self,
            span=Span(before.span.start, self.span.end),
            first=before.first,
            cost=before.cost,
            starts=before.starts,
            repeats=before.repeats.joined(self.repeats),
        )

    def with_edge(self, after: Unit) -> Unit:
        """Return the unit joined with the next one; one of them is an edge line of a container."""
        joined = after.joined_to(self)
        reason = self.oversize_reason or after.oversize_reason
        keeps_kind = after.is_marker and self.kind is not BlockKind.MARKER
        return structs.replace(
            joined,
            kind=self.kind if keeps_kind else after.kind,
            oversize_reason=reason,
            repeats=NO_REPEATS if reason else joined.repeats,
            is_edge=self.is_edge,
        )


class _PendingBlock(Struct, frozen=True, gc=False):
    """A block that has not been turned into units yet; `cost`, `starts`, `is_edge`: see `Unit`.

    Attributes:
        start: the offset where its tile starts.
        end: the offset where its tile ends, which is the start of the next block.
        has_marker: whether it starts on the marker line of its list item.
        outside: the text repeated where a part starts or ends with the block.
        inside: the text repeated where a part starts or ends inside the block.
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


class UnitMaker(Struct, frozen=True):
    """Divides blocks into units.

    Attributes:
        sizes: the sizes of ranges of the document.
        keep_atoms: whether atoms of any size stay whole.
        atom_allowance: how much larger than other units an atom may be: the size of the context,
            which is left out before an atom is cut.
        by_syntax: whether fenced code is cut between statements rather than at blank lines.
    """

    sizes: DocumentSizes
    keep_atoms: bool
    atom_allowance: int = 0
    by_syntax: bool = False

    def units(self, position: int, limit: int) -> list[Unit]:
        """Return the units of the top-level block at a position, within a limit if possible."""
        document = self.sizes.document
        block, span = document.top[position], document.trimmed_run(position, position + 1)
        whole = Unit(span, position, position + 1, block_cost(0), block.kind, block.kind)
        if (fitting := self._fitting(whole, limit)) is not None:
            return [fitting]
        start, end = document.start_of(position), document.start_of(position + 1)
        stack = [_PendingBlock(block, start, end, whole.cost, block.kind)]
        units: list[Unit] = []
        while stack:
            pending = stack.pop()
            whole = self._whole_unit(pending, position)
            if (fitting := self._fitting(whole, limit)) is not None:
                units.append(fitting)
            elif children := self._children(pending, limit):
                stack.extend(reversed(children))
            else:
                units.extend(self._divide(pending, whole, limit))
        return self._with_edges(units, limit)

    def _whole_unit(self, pending: _PendingBlock, position: int) -> Unit:
        """Return a block as one unit."""
        trimmed = self.sizes.document.source.trim(pending.start, pending.end)
        kind = pending.block.kind
        if pending.block.depth and kind is BlockKind.HEADING:
            kind = BlockKind.PARAGRAPH  # a heading in a container is text
        span = trimmed or Span(pending.start, pending.start)
        cost, starts, outside = pending.cost, pending.starts, pending.outside
        edge = pending.is_edge
        return Unit(span, position, position + 1, cost, starts, kind, None, outside, edge)

    def _fitting(self, unit: Unit, limit: int) -> Unit | None:
        """Return a unit if it fits, else an atom without repeated text if it fits, else None."""
        size = self.sizes.of_span(unit.span.start, unit.span.end)
        if size + self._repeated_size(unit.repeats) <= limit:
            return unit
        is_atom = TRAITS[unit.kind].oversize_reason is not None
        if is_atom and size <= self.limit_of(unit.kind, limit):
            return structs.replace(unit, repeats=NO_REPEATS)
        return None

    def _with_edges(self, units: list[Unit], limit: int) -> list[Unit]:
        """Join the opening and closing lines of containers to the units inside, if both fit."""
        joined: list[Unit] = []
        for unit in units:
            if joined and unit.is_edge and self._fits_with(joined[-1], unit, limit):
                joined[-1] = joined[-1].with_edge(unit)
            else:
                joined.append(unit)
        return joined

    def _fits_with(self, left: Unit, right: Unit, limit: int) -> bool:
        """Return whether two units fit together; an oversize atom may be joined with a marker."""
        if left.oversize_reason or right.oversize_reason:
            return BlockKind.MARKER in (left.kind, right.kind)
        size = self.sizes.of_span(left.span.start, right.span.end)
        return size + self._repeated_size(left.repeats.joined(right.repeats)) <= limit

    def _repeated_size(self, repeats: Repeats) -> int:
        """Return the size of repeated text, less the overhead of the length function per text."""
        return self.sizes.sizer.added_size(repeats.lead + repeats.tail)

    def limit_of(self, kind: BlockKind, limit: int) -> int:
        """Return the size up to which a block of a kind is left whole."""
        return limit + self.atom_allowance if TRAITS[kind].oversize_reason else limit

    def _children(self, parent: _PendingBlock, limit: int) -> list[_PendingBlock]:
        """Return the blocks directly inside a container.

        The first one starts where the container does, at its marker.
        """
        blocks = list(self.sizes.document.children(parent.block))
        if not blocks:
            return []
        inside = self._inner_repeats(parent, blocks, limit)
        in_item = parent.has_marker or parent.block.kind is BlockKind.LIST_ITEM
        edges = _edge_numbers(parent.block, len(blocks))
        children = []
        ends = [*(block.start for block in blocks[1:]), parent.end]
        for number, (child, end) in enumerate(zip(blocks, ends, strict=True)):
            is_edge = number in edges
            cost = CONTAINER_EDGE if is_edge else block_cost(child.depth)
            has_marker = in_item and child.start == parent.block.start
            own = (child, child.start, end, cost, child.kind, has_marker)
            children.append(_PendingBlock(*own, inside, inside, is_edge))
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

    def _inner_repeats(
        self, parent: _PendingBlock, children: Sequence[Block], limit: int
    ) -> Repeats:
        """Return the text repeated inside a container, with its own lines if they leave room."""
        own = container_repeats(self.sizes.document.source, parent.block, children)
        if own is NO_REPEATS:
            return parent.inside
        inside = parent.inside.enclosing(own)
        largest = largest_repeats(self.sizes.sizer, limit)
        return inside if self._repeated_size(inside) <= largest else parent.inside

    def _divide(self, pending: _PendingBlock, whole: Unit, limit: int) -> Iterator[Unit]:
        """Divide a leaf block that does not fit; yield an atom that must stay whole unchanged."""
        reason = TRAITS[whole.kind].oversize_reason
        is_kept = reason is not None and self.keep_atoms
        options = () if is_kept else self._division_options(pending, whole, limit)
        for piece_limit, unit, inside in options:
            if pieces := self._pieces(pending.block, whole, piece_limit):
                yield from self._piece_units(pieces, unit, inside)
                return
        reason = "list_item_integrity" if pending.has_marker else reason
        yield structs.replace(whole, oversize_reason=reason, repeats=NO_REPEATS)

    def _division_options(
        self, pending: _PendingBlock, whole: Unit, limit: int
    ) -> Iterator[tuple[int, Unit, InnerRepeats]]:
        """Yield the limits for the pieces of a block, each with the block and its repeated text.

        The second option is without the container's repeated text and the context, for blocks whose
        fence leaves no room otherwise.
        """
        inside, rest = pending.inside, pending.inside
        if inside.lead:
            prefix = line_prefix(self.sizes.document.text[pending.block.start : whole.span.end])
            if self._repeated_size(Repeats(prefix)) <= limit // _PREFIX_DIVISOR:
                rest = structs.replace(inside, lead=inside.lead + prefix)
        yield limit - self._repeated_size(rest), whole, InnerRepeats(inside, rest)
        unrepeated = structs.replace(whole, repeats=NO_REPEATS)
        yield limit + self.atom_allowance, unrepeated, InnerRepeats()

    def _piece_units(
        self, pieces: Sequence[tuple[Piece, Repeats]], whole: Unit, inside: InnerRepeats
    ) -> Iterator[Unit]:
        """Yield the units of a block's pieces."""
        line_start = self.sizes.document.source.line_start
        for number, (piece, repeats) in enumerate(pieces, 1):
            cost, starts, outer = piece_cost(piece), None, inside.at_lines
            if number == 1:
                cost, starts, outer = whole.cost, whole.starts, whole.repeats.joined(outer)
            elif not repeats.lead and line_start(piece.span.start) < piece.span.start:
                outer = inside.within_line
            if number == len(pieces):
                outer = outer.joined(whole.repeats)
            yield Unit(
                piece.span,
                whole.first,
                whole.stop,
                cost,
                starts,
                whole.kind,
                repeats=outer.enclosing(repeats),
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


def _edge_numbers(container: Block, count: int) -> Collection[int]:
    """Return which blocks in a container are after its opening line, or its closing line."""
    if container.kind is not BlockKind.CONTAINER:
        return ()
    return (1,) if container.is_open else (1, count - 1)
