"""The merge tree: leaves, and the parents that retrieval may replace them with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.outline import Section
from chunkana_core.document.paths import SectionPath, find_common_prefix
from chunkana_core.errors import require_number
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import IdRegister
from chunkana_core.tree.run_sizes import RunSizes

_MIN_CHILDREN = 2


class MergeNode(Struct, frozen=True, gc=False):
    """A leaf, or a parent that may replace its children in a retrieval result.

    A parent is a section, or a group of neighbouring leaves or sections.

    Attributes:
        source: the document's source.
        node_id: the id of the chunk; for a group, an id derived from its children's ids.
        span: the exact range of the text; a parent's span contains the spans of its children.
        section_id: the id of the node's section; for a group, of the section that it is a part of.
        parent_section_id: the id of the section around that section, None for the document.
        section: the level and path of that section; for the document and for a group of several
            sections, of the innermost section around all children.
        chunk: the leaf or section node; None for a group.
        parent_id: the id of the parent, None for a root.
        children_ids: the ids of the children in document order, at least two; () for a leaf.
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

    @classmethod
    def of(cls, chunk: Chunk, section: SectionPath | None = None, children: _Nodes = ()) -> Self:
        """Return the node of a leaf, or of a section with children.

        Args:
            chunk: the leaf or section node.
            section: the level and path of the node, by default those of the chunk.
            children: the children of the node.
        """
        ids = (chunk.section_id, chunk.parent_section_id)
        children_ids = tuple([child.node_id for child in children])
        path = section or chunk.section
        return cls(chunk.source, chunk.chunk_id, chunk.span, *ids, path, chunk, None, children_ids)

    @property
    def text(self) -> str:
        """The exact slice of the source."""
        return self.source.text[self.span.start : self.span.end]

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf, a chunk to index."""
        return not self.children_ids


@dataclass(frozen=True, slots=True)
class MergeTree:
    """Leaves to index and the parents that retrieval may merge them into.

    A parent has from two to `max_children` children and is not larger than `max_parent_size`. The
    parts of a split section, and runs of children of a section that is too large, are grouped under
    parents of balanced size. A node that is in no parent within these limits is a root.

    With a length function other than `len`, the size of a parent is the sum of the sizes of its
    leaves' texts and of the white space between them. If that is within one unit per leaf of
    `max_parent_size`, the parent is measured, so that it is over that size only if the sum falls
    short by more than one unit per leaf.

    Attributes:
        nodes: all nodes, each parent before its children.
        root_ids: the ids of the nodes without a parent, in document order.
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
    sizer: Sizer,
    max_parent_size: int,
    max_children: int,
) -> MergeTree:
    """Build the merge tree of a document's chunks, which are in pre-order."""
    require_number("max_parent_size", max_parent_size, 1)
    require_number("max_children", max_children, _MIN_CHILDREN)
    if not chunks:
        return MergeTree((), (), {})
    ids = IdRegister({chunk.chunk_id for chunk in chunks})
    levels = {section.path: section.level for section in reversed(sections)}
    source, leaves = chunks[0].source, [chunk for chunk in chunks if chunk.is_leaf]
    sizes = RunSizes.of(source.text, leaves, sizer)
    builder = _ParentBuilder(source, sizes, max_parent_size, max_children, levels, ids)
    nodes_by_chunk: dict[str, _Nodes] = {}  # the top nodes of a chunk's text, by chunk id
    for chunk in reversed(chunks):
        if chunk.is_leaf:
            nodes_by_chunk[chunk.chunk_id] = [builder.chunk_node(chunk)] if chunk.indexable else []
        else:
            child_nodes = [nodes_by_chunk.pop(child) for child in chunk.links.children_ids]
            nodes_by_chunk[chunk.chunk_id] = builder.section_nodes(chunk, child_nodes)
    roots = nodes_by_chunk[chunks[0].chunk_id]
    nodes = {node.node_id: node for node in _pre_order(roots, builder.children)}
    return MergeTree(tuple(nodes.values()), tuple(root.node_id for root in roots), nodes)


def _pre_order(roots: _Nodes, children: Mapping[str, _Nodes]) -> Iterator[MergeNode]:
    """Yield each node before its children, with `parent_id` set."""
    waiting: list[tuple[MergeNode, str | None]] = [(root, None) for root in reversed(roots)]
    while waiting:
        node, parent_id = waiting.pop()
        yield replace(node, parent_id=parent_id)
        waiting += ((child, node.node_id) for child in reversed(children[node.node_id]))


@dataclass(frozen=True, slots=True)
class _ParentBuilder:
    """Builds merge nodes, with limits on the size and the number of children of parents.

    The top nodes of a chunk are the merge nodes of its text that have no parent yet.

    Attributes:
        source: the document's source.
        sizes: the sizes of runs of leaves.
        max_size: the largest size of a parent.
        max_children: the largest number of children of a parent.
        levels: the levels of sections, by path.
        ids: the register that creates the ids of groups.
        children: the children of each node built so far, by id.
    """

    source: Source
    sizes: RunSizes
    max_size: int
    max_children: int
    levels: Mapping[tuple[str, ...], int]
    ids: IdRegister
    children: dict[str, _Nodes] = field(default_factory=dict)

    def chunk_node(self, chunk: Chunk, children: _Nodes = ()) -> MergeNode:
        """Return the node of a leaf, or of a section with children."""
        self.children[chunk.chunk_id] = children
        section = self._common_section(children) if chunk.is_root and children else None
        return MergeNode.of(chunk, section, children)

    def section_nodes(self, section: Chunk, child_nodes: Sequence[_Nodes]) -> _Nodes:
        """Return the node of a section, or its top nodes if the section cannot be a parent.

        Args:
            section: the section's node in the chunk tree.
            child_nodes: for each of its children, the top nodes of the child's text.
        """
        children = self._group_parts(section, child_nodes)
        size = self.sizes.of_span(section.span)
        size = self.sizes.measured_near(self.max_size, size, section.span)
        if size.units > self.max_size:
            return self._group_runs(section, children)
        nodes: _Nodes = list(chain.from_iterable(children))
        if len(nodes) == 1 and nodes[0].chunk is None:
            nodes = self.children[nodes[0].node_id]  # the section replaces a group of all its parts
        if len(nodes) < _MIN_CHILDREN:
            return nodes
        while len(nodes) > self.max_children:
            groups = -(-len(nodes) // self.max_children)
            step = -(-len(nodes) // groups)
            runs = (nodes[i : i + step] for i in range(0, len(nodes), step))
            nodes = self._group_each(section, runs)
        return [self.chunk_node(section, nodes)]

    def _group_parts(self, section: Chunk, child_nodes: Sequence[_Nodes]) -> list[_Nodes]:
        """Return the top nodes of each child, with the parts of split sections grouped."""
        children: list[_Nodes] = []
        for section_id, run in groupby(filter(None, child_nodes), key=_split_section):
            if section_id is None:
                children.extend(run)
            else:
                children.append(self._group_balanced(section, list(chain.from_iterable(run))))
        return children

    def _group_runs(self, section: Chunk, children: Sequence[_Nodes]) -> _Nodes:
        """Return all top nodes, with runs of children that have one top node each grouped."""
        nodes: list[MergeNode] = []
        for is_one, run in groupby(children, key=lambda child: len(child) == 1):
            run_nodes = list(chain.from_iterable(run))
            nodes += self._group_balanced(section, run_nodes) if is_one else run_nodes
        return nodes

    def _group_balanced(self, section: Chunk, nodes: _Nodes) -> _Nodes:
        """Return neighbouring nodes in as few groups as the limits allow, of about equal size."""
        total = self.sizes.of_span(_covering_span(nodes)).units
        target = total / max(-(-total // self.max_size), -(-len(nodes) // self.max_children))
        runs: list[list[MergeNode]] = [[nodes[0]]]
        size = self.sizes.of_span(nodes[0].span)
        for before, node in pairwise(nodes):
            longer = size.longer(self.sizes.between(before.span.end, node.span.end))
            may_grow = len(runs[-1]) < self.max_children
            may_grow &= (size.units + longer.units) / 2 <= target
            if may_grow:
                span = _covering_span([runs[-1][0], node])
                longer = self.sizes.measured_near(self.max_size, longer, span)
            if may_grow and longer.units <= self.max_size:
                runs[-1].append(node)
                size = longer
            else:
                runs.append([node])
                size = self.sizes.of_span(node.span)
        return self._group_each(section, runs)

    def _group_each(self, section: Chunk, runs: Iterable[_Nodes]) -> _Nodes:
        """Return a group for each run of nodes; a run of one node is the node itself."""
        return [run[0] if len(run) == 1 else self._group(section, run) for run in runs]

    def _group(self, section: Chunk, children: _Nodes) -> MergeNode:
        """Return a parent of neighbouring nodes in a section, or of parts of one split section."""
        node_id = self.ids.new("group", children[0].node_id, children[-1].node_id)
        self.children[node_id] = children
        ids = tuple(child.node_id for child in children)
        is_part = len({child.section_id for child in children}) == 1
        whole = children[0] if is_part else section
        section_ids = (whole.section_id, whole.parent_section_id)
        where = (_covering_span(children), *section_ids, self._common_section(children))
        return MergeNode(self.source, node_id, *where, None, None, ids)

    def _common_section(self, nodes: _Nodes) -> SectionPath:
        """Return the level and path of the innermost section around all nodes."""
        paths = [node.section.path for node in nodes]
        path = find_common_prefix(min(paths), max(paths))  # that of these two is the shortest
        return SectionPath(self.levels[path], path)


def _split_section(nodes: _Nodes) -> str | None:
    """Return the section id of a part of a split section, None for other children."""
    chunk = nodes[0].chunk if len(nodes) == 1 else None
    return None if chunk is None or chunk.split_index is None else chunk.section_id


def _covering_span(nodes: _Nodes) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)
