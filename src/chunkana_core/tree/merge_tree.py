"""The merge tree: leaves, and the parents that retrieval may replace them with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, pairwise

from msgspec import Struct, structs

from chunkana_core.arguments import require_number
from chunkana_core.document.outline import Section
from chunkana_core.document.paths import SectionPath, find_common_prefix
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Source, Span
from chunkana_core.tree.chunks import Chunk, Links
from chunkana_core.tree.ids import IdRegister
from chunkana_core.tree.run_sizes import RunSizes

_MIN_CHILDREN = 2


class MergeNode(Struct, frozen=True, gc=False):
    """A leaf, or a parent that may replace its children in a retrieval result.

    A parent is a section, or a group of neighbouring leaves or sections.

    Attributes:
        chunk: the leaf. For a parent, a chunk without content with the span, the lines, the ids and
            the section of the parent: of a group of parts of one section, those of that section; of
            the document and of a group of several sections, the innermost section around them. The
            anchor is that of its heading, otherwise of its first child.
        is_group: whether it is a group, for which the chunk tree has no node.
        parent_id: the id of the parent, None for a root.
        children_ids: the ids of the children in document order, at least two; () for a leaf.
    """

    chunk: Chunk
    is_group: bool = False
    parent_id: str | None = None
    children_ids: tuple[str, ...] = ()

    @property
    def node_id(self) -> str:
        """The id of the chunk; for a group, an id derived from its children's ids."""
        return self.chunk.chunk_id

    @property
    def span(self) -> Span:
        """The exact range of the text; a parent's span contains the spans of its children."""
        return self.chunk.span

    @property
    def text(self) -> str:
        """The exact slice of the source."""
        return self.chunk.text

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
    require_number("max_parent_size", max_parent_size, 1, kind=int)
    require_number("max_children", max_children, _MIN_CHILDREN, kind=int)
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
        yield structs.replace(node, parent_id=parent_id)
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
        if children:
            section = self._common_section(children) if chunk.is_root else chunk.section
            return self._parent(structs.replace(chunk, section=section), children)
        self.children[chunk.chunk_id] = ()
        return MergeNode(chunk)

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
        if len(nodes) == 1 and nodes[0].is_group:
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
        is_part = len({child.chunk.section_id for child in children}) == 1
        whole = children[0].chunk if is_part else section
        common, span = self._common_section(children), _covering_span(children)
        chunks = (section, *(child.chunk for child in children))
        named = next((chunk for chunk in chunks if chunk.title in common.path[-1:]), None)
        start_line, end_line = self.source.line_at(span.start), self.source.line_at(span.end - 1)
        group = structs.replace(
            section,
            span=span,
            start_line=start_line,
            end_line=end_line,
            text_start_line=start_line,
            text_end_line=end_line,
            chunk_id=node_id,
            section_id=whole.section_id,
            parent_section_id=whole.parent_section_id,
            section=common,
            links=Links(),
            kind=named.kind if named else "",
            title=named.title if named else "",
            anchor="",
            header_path=common.header_path,
        )
        return self._parent(group, children, is_group=True)

    def _parent(self, chunk: Chunk, children: _Nodes, *, is_group: bool = False) -> MergeNode:
        """Return the parent of nodes, given a chunk with its span, ids and section."""
        self.children[chunk.chunk_id] = children
        own = structs.replace(
            chunk,
            content="",
            content_type="section",
            cell=None,
            cell_start_line=None,
            cell_end=None,
            cell_end_line=None,
            anchor=chunk.anchor or children[0].chunk.anchor,
            size=self.sizes.of_span(chunk.span).units,
        )
        return MergeNode(own, is_group, None, tuple(child.node_id for child in children))

    def _common_section(self, nodes: _Nodes) -> SectionPath:
        """Return the level and path of the innermost section around all nodes."""
        paths = [node.chunk.section.path for node in nodes]
        path = find_common_prefix(min(paths), max(paths))  # that of these two is the shortest
        return SectionPath(self.levels[path], path)


def _split_section(nodes: _Nodes) -> str | None:
    """Return the section id of a part of a split section, None for other children."""
    chunk = nodes[0].chunk if len(nodes) == 1 else None
    return chunk.section_id if chunk and chunk.split_index is not None else None


def _covering_span(nodes: _Nodes) -> Span:
    return Span(nodes[0].span.start, nodes[-1].span.end)
