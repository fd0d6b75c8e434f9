"""The tree that retrieval may merge over: parents whose text holds all their children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import chain, groupby

from chunkana_core.chunks import Chunk
from chunkana_core.config import LengthFunction
from chunkana_core.errors import require_number
from chunkana_core.ids import IdRegister
from chunkana_core.outline import Section, SectionPath, find_common_prefix
from chunkana_core.source import Source, Span

_FEWEST = 2  # children of a parent


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A leaf, or a parent that may replace its children in what is read.

    Attributes:
        node_id: the chunk's id, or for a group one derived from its children's.
        span: the exact range of the text; a parent's holds those of all its children.
        section_id: of the section whose text it is, or for a group a part of it.
        section: level and path of that section; for the document and for groups of what is under
            several sections, of the innermost one that all of it has in common.
        chunk: the leaf or section node; None for a group of leaves or sections.
        children_ids: two or more for a parent, in document order; () for a leaf.
    """

    source: Source = field(repr=False)
    node_id: str
    span: Span
    section_id: str
    section: SectionPath
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


_Row = Sequence[MergeNode]


def build_merge_tree(
    chunks: Sequence[Chunk],
    sections: Sequence[Section],
    length: LengthFunction,
    max_parent_size: int,
    max_children: int,
) -> MergeTree:
    """Build the merge tree of a document's chunks in pre-order, the root first."""
    require_number("max_parent_size", max_parent_size, 1)
    require_number("max_children", max_children, _FEWEST)
    if not chunks:
        return MergeTree((), (), {})
    ids = IdRegister({chunk.chunk_id for chunk in chunks})
    levels = {section.path: section.level for section in reversed(sections)}
    grouper = _Grouper(chunks[0].source, length, max_parent_size, max_children, levels, ids, {})
    made: dict[str, _Row] = {}
    for chunk in reversed(chunks):
        if chunk.is_leaf:
            made[chunk.chunk_id] = [grouper.node([], chunk)] if chunk.indexable else []
        else:
            under = [made.pop(child) for child in chunk.links.children_ids]
            made[chunk.chunk_id] = grouper.nodes_of(chunk, under)
    roots = made[chunks[0].chunk_id]
    nodes = {node.node_id: node for node in _in_order(roots, grouper.under)}
    return MergeTree(tuple(nodes.values()), tuple(root.node_id for root in roots), nodes)


def _in_order(roots: _Row, under: Mapping[str, _Row]) -> Iterator[MergeNode]:
    """Yield each node before what is under it, with the id of its parent."""
    waiting: list[tuple[MergeNode, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        node, parent_id = waiting.pop()
        yield replace(node, parent_id=parent_id)
        waiting += ((child, node.node_id) for child in reversed(under[node.node_id]))


@dataclass(frozen=True, slots=True)
class _Grouper:
    """Makes parents of at most so many children, within the cap."""

    source: Source
    length: LengthFunction
    cap: int
    most: int
    levels: Mapping[tuple[str, ...], int]
    ids: IdRegister
    under: dict[str, _Row]

    def node(self, under: _Row, chunk: Chunk) -> MergeNode:
        """Return a leaf or a section node."""
        self.under[chunk.chunk_id] = under
        ids = tuple(child.node_id for child in under)
        section = self._common(under) if chunk.is_root and under else chunk.section
        where = (chunk.span, chunk.section_id, section)
        return MergeNode(self.source, chunk.chunk_id, *where, chunk, None, ids)

    def group(self, under: _Row, section: Chunk) -> MergeNode:
        """Return a parent of some nodes that are under a section, or are parts of one of those."""
        node_id = self.ids.new("group", under[0].node_id, under[-1].node_id)
        self.under[node_id] = under
        ids, sections = zip(*((child.node_id, child.section_id) for child in under), strict=True)
        section_id = sections[0] if len(set(sections)) == 1 else section.section_id
        where = (_hull(under), section_id, self._common(under))
        return MergeNode(self.source, node_id, *where, None, None, ids)

    def nodes_of(self, section: Chunk, under: Iterable[_Row]) -> _Row:
        """Return the one node of a section if it can be one, else what its children become."""
        rows = list(self._with_parts_grouped(under, section))
        if self._size(section.span) > self.cap:
            return list(self._with_runs_grouped(rows, section))
        nodes: _Row = list(chain.from_iterable(rows))
        if len(nodes) == 1 and nodes[0].chunk is None:
            nodes = self.under[nodes[0].node_id]  # the section itself can be that group
        if len(nodes) < _FEWEST:
            return nodes
        while len(nodes) > self.most:
            count = -(-len(nodes) // self.most)
            step = -(-len(nodes) // count)
            steps = range(0, len(nodes), step)
            nodes = self._grouped((nodes[i : i + step] for i in steps), section)
        return [self.node(nodes, section)]

    def _with_parts_grouped(self, rows: Iterable[_Row], section: Chunk) -> Iterator[_Row]:
        """Yield what children became, that of all parts of one split section together."""
        for section_id, run in groupby(filter(None, rows), key=_split_section):
            if section_id is None:
                yield from run
            else:
                yield self._balanced(list(chain.from_iterable(run)), section)

    def _with_runs_grouped(self, rows: Iterable[_Row], section: Chunk) -> Iterator[MergeNode]:
        """Yield parents for runs of children that became one node each, and the other nodes."""
        for is_one, run in groupby(rows, key=lambda row: len(row) == 1):
            nodes = list(chain.from_iterable(run))
            yield from self._balanced(nodes, section) if is_one else nodes

    def _balanced(self, nodes: _Row, section: Chunk) -> list[MergeNode]:
        """Return parents of about one size for a row of nodes."""
        total = self._size(_hull(nodes))
        target = total / max(-(-total // self.cap), -(-len(nodes) // self.most))
        rows: list[list[MergeNode]] = [[]]
        size = 0
        for node in nodes:
            wider = self._size(_hull([*rows[-1][:1], node]))
            is_full = len(rows[-1]) == self.most or wider > self.cap
            if rows[-1] and (is_full or (size + wider) / 2 > target):
                rows.append([])
                wider = self._size(node.span)
            rows[-1].append(node)
            size = wider
        return self._grouped(rows, section)

    def _grouped(self, rows: Iterable[_Row], section: Chunk) -> list[MergeNode]:
        return [row[0] if len(row) == 1 else self.group(row, section) for row in rows]

    def _common(self, under: _Row) -> SectionPath:
        """Return level and path of the innermost section around all of some nodes."""
        path = reduce(find_common_prefix, (node.section.path for node in under))
        return SectionPath(self.levels[path], path)

    def _size(self, span: Span) -> int:
        if self.length is len:
            return len(span)
        return self.length(self.source.text[span.start : span.end])


def _split_section(row: _Row) -> str | None:
    """Return the id of the section that a child is a part of, None if it is no part."""
    chunk = row[0].chunk if len(row) == 1 else None
    return None if chunk is None or chunk.split_index is None else chunk.section_id


def _hull(nodes: _Row) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)
