"""The tree that retrieval may merge over: parents whose text holds all their children."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from chunkana_core.chunks import Chunk
from chunkana_core.config import LengthFunction
from chunkana_core.errors import ConfigurationError
from chunkana_core.ids import IdRegister
from chunkana_core.source import Source, Span


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A leaf, or a parent that may replace its children in what is read.

    Attributes:
        source: the document.
        node_id: the chunk's id, or for a group one derived from its children's.
        span: the exact range of the text; a parent's holds those of all its children.
        section_id: of the section whose text it is.
        chunk: the leaf or section node; None for a group of leaves or sections.
        parent_id: of the parent, None for a root.
        children_ids: two or more for a parent, in document order; () for a leaf.
    """

    source: Source = field(repr=False)
    node_id: str
    span: Span
    section_id: str
    chunk: Chunk | None
    parent_id: str | None = None
    children_ids: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The exact slice of the source."""
        return self.source.text[self.span.start : self.span.end]

    @property
    def is_leaf(self) -> bool:
        """Whether it is a chunk to index."""
        return not self.children_ids


@dataclass(frozen=True, slots=True)
class MergeTree:
    """Leaves to index and the parents that retrieval may merge them into.

    No parent has fewer than two children or more than `max_children`, none is larger than the
    cap. The parts of a split section, and runs of children of a section that is too large, have
    parents of balanced size. What no parent within the cap can hold is a root.

    Attributes:
        nodes: all nodes, each parent before its children.
        root_ids: the ids of those without a parent, in document order.
    """

    nodes: tuple[MergeNode, ...]
    root_ids: tuple[str, ...]
    _by_id: dict[str, MergeNode] = field(repr=False, compare=False)

    @property
    def leaves(self) -> list[MergeNode]:
        """The leaves, in document order."""
        return [node for node in self.nodes if node.is_leaf]

    def get(self, node_id: str) -> MergeNode | None:
        """Return the node with an id, None if there is none."""
        return self._by_id.get(node_id)


@dataclass(frozen=True, slots=True)
class _Item:
    """A node and what is under it, before ids of parents are known."""

    span: Span
    section_id: str
    chunk: Chunk | None
    under: tuple[_Item, ...] = ()


def build_merge_tree(
    chunks: Sequence[Chunk], length: LengthFunction, max_parent_size: int, max_children: int
) -> MergeTree:
    """Build the merge tree of chunks in pre-order, the root first."""
    for name, value, least in (
        ("max_parent_size", max_parent_size, 1),
        ("max_children", max_children, 2),
    ):
        if not isinstance(value, int) or value < least:
            raise ConfigurationError(name, value, f"a whole number of at least {least}")
    if not chunks:
        return MergeTree((), (), {})
    grouper = _Grouper(chunks[0].source, length, max_parent_size, max_children)
    items: dict[str, list[_Item]] = {}
    for chunk in reversed(chunks):
        if chunk.is_leaf:
            leaf = _Item(chunk.span, chunk.section_id, chunk)
            items[chunk.chunk_id] = [leaf] if chunk.indexable else []
        else:
            under = [items.pop(child) for child in chunk.links.children_ids]
            items[chunk.chunk_id] = grouper.parent_of(chunk, under)
    taken = {chunk.chunk_id for chunk in chunks}
    return _number(chunks[0].source, items[chunks[0].chunk_id], taken)


@dataclass(frozen=True, slots=True)
class _Grouper:
    source: Source
    length: LengthFunction
    cap: int
    most: int

    def parent_of(self, node: Chunk, under: list[list[_Item]]) -> list[_Item]:
        """Return a section as one item if it can be one, else what its children become."""
        flat = [item for items in under for item in items]
        if len(flat) < 2:
            return flat
        if self._size(node.span) <= self.cap:
            grouped = [item for run in _split_runs(flat) for item in self._balanced(run)]
            items = grouped if len(grouped) > 1 else flat
            while len(items) > self.most:
                items = self._by_number(items)
            return [_Item(node.span, node.section_id, node, tuple(items))]
        return [item for run in self._runs(under) for item in self._balanced(run)]

    def _runs(self, under: list[list[_Item]]) -> Iterator[list[_Item]]:
        """Yield runs of children that may share a parent: those that are one item each."""
        single: list[_Item] = []
        for items in under:
            if len(items) > 1:
                yield single
                yield from ([item] for item in items)
                single = []
            else:
                single += items
        yield single

    def _balanced(self, items: Sequence[_Item]) -> list[_Item]:
        """Return parents of about one size for a row of items."""
        if len(items) < 2:
            return list(items)
        total = self._size(_hull(items))
        target = total / max(-(-total // self.cap), -(-len(items) // self.most))
        rows: list[list[_Item]] = [[items[0]]]
        size = self._size(items[0].span)
        for item in items[1:]:
            wider = self._size(_hull([*rows[-1][:1], item]))
            is_full = len(rows[-1]) == self.most or wider > self.cap
            if is_full or (size + wider) / 2 > target:
                rows.append([item])
                size = self._size(item.span)
            else:
                rows[-1].append(item)
                size = wider
        return [_group(row) for row in rows]

    def _by_number(self, items: Sequence[_Item]) -> list[_Item]:
        rows = -(-len(items) // self.most)
        step = -(-len(items) // rows)
        return [_group(items[i : i + step]) for i in range(0, len(items), step)]

    def _size(self, span: Span) -> int:
        if self.length is len:
            return len(span)
        return self.length(self.source.text[span.start : span.end])


def _split_runs(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Yield rows of items: the parts of one split section together, others alone."""

    def key(item: tuple[int, _Item]) -> tuple[str, int]:
        number, found = item
        is_part = found.chunk is not None and found.chunk.split_index is not None
        return found.section_id, -1 if is_part else number

    for _, run in groupby(enumerate(items), key=key):
        yield [item for _, item in run]


def _hull(items: Sequence[_Item]) -> Span:
    return Span(items[0].span.start, items[-1].span.end)


def _group(items: Sequence[_Item]) -> _Item:
    if len(items) == 1:
        return items[0]
    return _Item(_hull(items), items[0].section_id, None, tuple(items))


def _number(source: Source, roots: list[_Item], taken: set[str]) -> MergeTree:
    """Give out ids and links, each parent before its children."""
    register = IdRegister(taken)
    nodes: list[MergeNode] = []
    waiting: list[tuple[_Item, str, str | None]] = []

    def wait(items: Sequence[_Item], parent: str | None) -> tuple[str, ...]:
        ids = [_item_id(item, register) for item in items]
        waiting.extend(
            (item, i, parent) for item, i in reversed(list(zip(items, ids, strict=True)))
        )
        return tuple(ids)

    root_ids = wait(roots, None)
    while waiting:
        item, node_id, parent = waiting.pop()
        children = wait(item.under, node_id)
        chunk, section_id = item.chunk, item.section_id
        nodes.append(MergeNode(source, node_id, item.span, section_id, chunk, parent, children))
    return MergeTree(tuple(nodes), root_ids, {node.node_id: node for node in nodes})


def _item_id(item: _Item, register: IdRegister) -> str:
    if item.chunk is not None:
        return item.chunk.chunk_id
    first, last = item.under[0], item.under[-1]
    return register.new(
        "group", first.section_id, last.section_id, f"{item.span.end - first.span.start}"
    )
