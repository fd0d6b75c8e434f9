"""The tree that retrieval may merge over: parents whose text holds all their children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.config import LengthFunction
from chunkana_core.document.outline import Section
from chunkana_core.document.paths import SectionPath, find_common_prefix
from chunkana_core.errors import require_number
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import IdRegister

_MIN_CHILDREN = 2  # of a parent


class MergeNode(Struct, frozen=True, gc=False):
    """A leaf, or a parent that may replace its children in what is read.

    Attributes:
        node_id: the chunk's id, or for a group one derived from its children's.
        span: the exact range of the text; a parent's holds those of all its children.
        section_id: of the section whose text it is, or for a group a part of it.
        parent_section_id: the `section_id` of the section around that, None for the document.
        section: level and path of that section; for the document and for groups of what is under
            several sections, of the innermost one that all of it has in common.
        chunk: the leaf or section node; None for a group of leaves or sections.
        children_ids: two or more for a parent, in document order; () for a leaf.
    """

    source: Source
    node_id: str
    span: Span
    section_id: str
    parent_section_id: str | None
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


_Nodes = Sequence[MergeNode]


def build_merge_tree(
    chunks: Sequence[Chunk],
    sections: Sequence[Section],
    length: LengthFunction,
    max_parent_size: int,
    max_children: int,
) -> MergeTree:
    """Build the merge tree of a document's chunks in pre-order, the root first."""
    require_number("max_parent_size", max_parent_size, 1)
    require_number("max_children", max_children, _MIN_CHILDREN)
    if not chunks:
        return MergeTree((), (), {})
    ids = IdRegister({chunk.chunk_id for chunk in chunks})
    levels = {section.path: section.level for section in reversed(sections)}
    maker = _ParentMaker(chunks[0].source, length, max_parent_size, max_children, levels, ids)
    tops: dict[str, _Nodes] = {}  # by chunk, the nodes that hold its text, next to each other
    for chunk in reversed(chunks):
        if chunk.is_leaf:
            tops[chunk.chunk_id] = [maker.chunk_node(chunk)] if chunk.indexable else []
        else:
            below = [tops.pop(child) for child in chunk.links.children_ids]
            tops[chunk.chunk_id] = maker.section_nodes(chunk, below)
    roots = tops[chunks[0].chunk_id]
    nodes = {node.node_id: node for node in _pre_order(roots, maker.children)}
    return MergeTree(tuple(nodes.values()), tuple(root.node_id for root in roots), nodes)


def _pre_order(roots: _Nodes, children: Mapping[str, _Nodes]) -> Iterator[MergeNode]:
    """Yield each node before its children, with the id of its parent."""
    waiting: list[tuple[MergeNode, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        node, parent_id = waiting.pop()
        yield replace(node, parent_id=parent_id)
        waiting += ((child, node.node_id) for child in reversed(children[node.node_id]))


@dataclass(frozen=True, slots=True)
class _ParentMaker:
    """Makes parents within the cap, of at most so many children.

    Attributes:
        source: the document.
        length: measures a parent's text.
        cap: the size of the largest parent.
        max_children: the most children of a parent.
        levels: the level of the section with a path.
        ids: gives out the ids of groups.
        children: by id, the children of each node made.
    """

    source: Source
    length: LengthFunction
    cap: int
    max_children: int
    levels: Mapping[tuple[str, ...], int]
    ids: IdRegister
    children: dict[str, _Nodes] = field(default_factory=dict)

    def chunk_node(self, chunk: Chunk, children: _Nodes = ()) -> MergeNode:
        """Return the node of a leaf, or of a section that is a parent."""
        self.children[chunk.chunk_id] = children
        section = self._common_section(children) if chunk.is_root and children else chunk.section
        ids = tuple(child.node_id for child in children)
        where = (chunk.span, chunk.section_id, chunk.parent_section_id, section)
        return MergeNode(self.source, chunk.chunk_id, *where, chunk, None, ids)

    def section_nodes(self, section: Chunk, below: Sequence[_Nodes]) -> _Nodes:
        """Return the node of a section, or what stands in its place where it can be no parent.

        Args:
            section: the node of the tree.
            below: for each of its children, the nodes that hold the child's text.
        """
        children = self._with_parts_grouped(section, below)
        if self._size(section.span) > self.cap:
            return self._with_runs_grouped(section, children)
        nodes: _Nodes = list(chain.from_iterable(children))
        if len(nodes) == 1 and nodes[0].chunk is None:
            nodes = self.children[nodes[0].node_id]  # the section itself can be that group
        if len(nodes) < _MIN_CHILDREN:
            return nodes
        while len(nodes) > self.max_children:
            groups = -(-len(nodes) // self.max_children)
            step = -(-len(nodes) // groups)
            runs = (nodes[i : i + step] for i in range(0, len(nodes), step))
            nodes = self._grouped(section, runs)
        return [self.chunk_node(section, nodes)]

    def _with_parts_grouped(self, section: Chunk, below: Sequence[_Nodes]) -> list[_Nodes]:
        """Put the parts of a split section together, in groups of balanced size."""
        children: list[_Nodes] = []
        for section_id, run in groupby(filter(None, below), key=_split_section):
            if section_id is None:
                children.extend(run)
            else:
                children.append(self._balanced(section, list(chain.from_iterable(run))))
        return children

    def _with_runs_grouped(self, section: Chunk, children: Sequence[_Nodes]) -> _Nodes:
        """Put runs of children that are one node each together, in groups of balanced size."""
        nodes: list[MergeNode] = []
        for is_one, run in groupby(children, key=lambda child: len(child) == 1):
            found = list(chain.from_iterable(run))
            nodes += self._balanced(section, found) if is_one else found
        return nodes

    def _balanced(self, section: Chunk, nodes: _Nodes) -> _Nodes:
        """Return groups of a row of nodes: as few as the cap allows, of about one size."""
        total = self._size(_hull(nodes))
        target = total / max(-(-total // self.cap), -(-len(nodes) // self.max_children))
        runs: list[list[MergeNode]] = [[nodes[0]]]
        size = self._size(nodes[0].span)
        for node in nodes[1:]:
            longer = self._size(_hull([runs[-1][0], node]))
            is_full = len(runs[-1]) == self.max_children or longer > self.cap
            if is_full or (size + longer) / 2 > target:
                runs.append([])
                longer = self._size(node.span)
            runs[-1].append(node)
            size = longer
        return self._grouped(section, runs)

    def _grouped(self, section: Chunk, runs: Iterable[_Nodes]) -> _Nodes:
        """Return a group for each run of nodes, or its only node."""
        return [run[0] if len(run) == 1 else self._group(section, run) for run in runs]

    def _group(self, section: Chunk, children: _Nodes) -> MergeNode:
        """Return a parent of some nodes that are under a section, or are parts of one."""
        node_id = self.ids.new("group", children[0].node_id, children[-1].node_id)
        self.children[node_id] = children
        ids = tuple(child.node_id for child in children)
        is_part = len({child.section_id for child in children}) == 1
        whole = children[0] if is_part else section
        section_ids = (whole.section_id, whole.parent_section_id)
        where = (_hull(children), *section_ids, self._common_section(children))
        return MergeNode(self.source, node_id, *where, None, None, ids)

    def _common_section(self, nodes: _Nodes) -> SectionPath:
        """Return level and path of the innermost section around all of some nodes."""
        paths = [node.section.path for node in nodes]
        path = find_common_prefix(min(paths), max(paths))  # all others are between these two
        return SectionPath(self.levels[path], path)

    def _size(self, span: Span) -> int:
        if self.length is len:
            return len(span)
        return self.length(self.source.text[span.start : span.end])


def _split_section(nodes: _Nodes) -> str | None:
    """Return the id of the section that a child is a part of, None if it is no part."""
    chunk = nodes[0].chunk if len(nodes) == 1 else None
    return None if chunk is None or chunk.split_index is None else chunk.section_id


def _hull(nodes: _Nodes) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)
