"""Chunks to LangChain documents: a pure function of a result and of where its text comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

from langchain_core.documents import Document

from chunkana_core import (
    Chunk,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
    SectionPath,
    find_common_prefix,
)
from chunkana_langchain import keys
from chunkana_langchain.context import Headings
from chunkana_langchain.identity import document_id
from chunkana_langchain.origin import Origin

_AFTER_OVERLAP = "\n\n"
_NO_INDEX = -1  # of a parent, which is no chunk
_TO_LAST_FENCE = re.compile(
    r"\A.*^[ \t>]*(?:`{3}|~{3}|\$\$)[^\n]*\n?",
    re.DOTALL | re.MULTILINE,
)
_FIRST_SENTENCE = re.compile(r"\A.*?(?:\n[ \t]*\n\s*|[.!?…][\"')\]*_]*\s+|[。！？])", re.DOTALL)


class HierarchicalDocuments(NamedTuple):
    """Leaves to index and what retrieval may read in their place.

    `parents` is for a `BaseStore`: `store.mset(parents)`. Each leaf's `chunkana_parent_id` is in
    it; that of a leaf without a parent is its own id.
    """

    leaves: list[Document]
    parents: list[tuple[str, Document]]


def to_documents(
    result: HierarchicalChunkingResult, metadata: Mapping[str, Any] | None = None
) -> list[Document]:
    r"""Return the chunks of a result that are worth indexing, as the core made them.

    Args:
        result: what the core makes of a document.
        metadata: of that document; each chunk's has a copy of it.

    >>> from chunkana_core import chunk_hierarchical
    >>> [d.page_content for d in to_documents(chunk_hierarchical("# A\n\nText.\n"))]
    ['# A\n\nText.']
    """
    whole = Document(page_content=result.source, metadata=dict(metadata or {}))
    origin = Origin.of(whole, str(whole.metadata.get("source", "")))
    return list(Mapper(result, origin, Headings("none", "", origin, {})).leaves())


class _Page(NamedTuple):
    """A page content: what goes in front, the text, and where that starts in what was split."""

    lead: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Mapper:
    """Maps the chunks of one document.

    Attributes:
        result: its chunks and tree.
        origin: where its text comes from.
        headings: writes the headings above a chunk.
        with_index: whether `start_index` is among the metadata.
        with_headers: whether `Header 1` to `Header 6` are.
        strip: whether white space at the start of what is no code goes.
        chunk_size: what a chunk must not exceed with overlap, in units of `length`.
        length: measures a text.
        max_parent_size: of the merge tree, None for the core's default.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    headings: Headings
    with_index: bool = False
    with_headers: bool = False
    strip: bool = False
    chunk_size: int = 0
    length: Callable[[str], int] = len
    max_parent_size: int | None = None
    _tree: MergeTree = field(init=False)
    _starts: dict[int, tuple[str, tuple[str, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        """Build the merge tree, and keep anchors and paths of headings by their lines."""
        starts = {entry.line: (entry.anchor, entry.path) for entry in self.result.toc()}
        object.__setattr__(self, "_tree", self.result.merge_tree(self.max_parent_size))
        object.__setattr__(self, "_starts", starts)

    def leaves(self) -> Iterator[Document]:
        """Yield a document for each chunk that is worth indexing, in order."""
        for node in self._tree.leaves:
            if node.chunk is not None:
                yield self._leaf(node, node.chunk)

    def parents(self) -> Iterator[tuple[str, Document]]:
        """Yield what retrieval may read, with its id: parents, and leaves without one."""
        for node in self._tree.nodes:
            if not node.is_leaf:
                yield self._id(node.node_id), self._parent(node)
            elif node.parent_id is None and node.chunk is not None:
                yield self._id(node.node_id), self._leaf(node, node.chunk)

    def _leaf(self, node: MergeNode, chunk: Chunk) -> Document:
        before, text, after = _parts(chunk)
        indent = len(text) - len(text.lstrip()) if self.strip and not _is_code(chunk) else 0
        above = self._above(self.result.prefix_of(chunk.section), chunk.section, chunk.start_line)
        overlap = self._overlap(chunk, above)
        is_stack = before.endswith(_AFTER_OVERLAP)  # headings, below which overlap reads best
        lead = above + (before + overlap if is_stack else overlap + before)
        own = {
            keys.CONTENT_TYPE: chunk.content_type,
            keys.CHUNK_INDEX: chunk.chunk_index,
            keys.ANCHOR: chunk.anchor,
            keys.ALLOW_OVERSIZE: chunk.oversize_reason is not None,
            keys.OVERSIZE_REASON: chunk.oversize_reason or "",
            keys.CONTINUED: bool(chunk.split_index),
        }
        page = _Page(lead, text[indent:] + after, node.span.start + indent)
        return self._document(node, chunk.section, page, own)

    def _parent(self, node: MergeNode) -> Document:
        section, line = self._section(node), node.source.line_at(node.span.start)
        above = self._above(self.headings.prefix(section), section, line)
        own = {
            keys.CONTENT_TYPE: "section",
            keys.CHUNK_INDEX: _NO_INDEX,
            keys.ANCHOR: self._starts.get(line, ("", ()))[0],
            keys.ALLOW_OVERSIZE: False,
            keys.OVERSIZE_REASON: "",
            keys.CONTINUED: line not in self._starts,
        }
        page = _Page(above, node.text, node.span.start)
        return self._document(node, section, page, own)

    def _document(
        self,
        node: MergeNode,
        section: SectionPath,
        page: _Page,
        own: dict[str, Any],
    ) -> Document:
        """Return a document with the caller's metadata and ours; of both, the caller's stays."""
        origin, path = self.origin, self.origin.below(section.path)
        start, end, line_at = page.start, node.span.end, node.source.line_at
        own |= {
            keys.CHUNK_ID: node.node_id,
            keys.SECTION_ID: node.section_id,
            keys.HEADER_PATH: origin.header_path(section.path),
            keys.HEADER_LEVEL: section.level,
            keys.START_CHAR: origin.start + start,
            keys.END_CHAR: origin.start + end,
            keys.PREFIX_CHARS: len(page.lead),
            keys.START_LINE: origin.line - 1 + line_at(start),
            keys.END_LINE: origin.line - 1 + line_at(end - 1),
            keys.PARENT_ID: self._id(node.parent_id or node.node_id),
            keys.CHILD_COUNT: len(node.children_ids),
        }
        if self.with_index:
            own[keys.START_INDEX] = origin.shift + start
        if self.with_headers:
            titles = self.headings.by_level(path)
            own |= {name: titles.get(level, "") for level, name in enumerate(keys.HEADERS, 1)}
        metadata = deepcopy(origin.metadata)
        metadata |= {name: value for name, value in own.items() if name not in origin.kept}
        content = page.lead + page.text
        return Document(page_content=content, metadata=metadata, id=self._id(node.node_id))

    def _above(self, counted: str, section: SectionPath, line: int) -> str:
        path = self._starts[line][1] if line in self._starts else None
        return self.headings.above(counted, section, path)

    def _overlap(self, chunk: Chunk, above: str) -> str:
        """Return the end of the chunk before, from a block or sentence on, where it fits too."""
        overlap = chunk.previous_content
        before = self.result.get_chunk(chunk.links.prev_sibling_id or "")
        is_text = before is not None and before.start_line not in self._starts
        if not (before and is_text and overlap == before.text == before.content):
            overlap = _TO_LAST_FENCE.sub("", overlap)  # what closes a fence would open one here
            overlap = _FIRST_SENTENCE.sub("", overlap) or overlap
        if not overlap.strip():
            return ""
        overlap += _AFTER_OVERLAP
        fits = self.length(above + overlap + chunk.content) <= self.chunk_size
        return overlap if fits else ""

    def _section(self, node: MergeNode) -> SectionPath:
        """Return level and path of the section that a parent is, else what its chunks share."""
        if node.chunk is not None and not node.chunk.is_root:
            return node.chunk.section
        path = reduce(find_common_prefix, self._paths_in(node))
        return SectionPath(max(self.headings.by_level(path), default=0), path)

    def _paths_in(self, node: MergeNode) -> Iterator[tuple[str, ...]]:
        """Yield the paths of the chunks under a node."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if part.is_leaf and part.chunk is not None:
                yield part.chunk.section.path
            waiting += (child for i in part.children_ids if (child := self._tree.get(i)))

    def _id(self, node_id: str) -> str:
        return document_id(self.origin.key, node_id)


def _parts(chunk: Chunk) -> tuple[str, str, str]:
    """Take a content apart: what is repeated before the chunk's text, the text, what is after."""
    if chunk.content.endswith(chunk.text):
        return chunk.content.removesuffix(chunk.text), chunk.text, ""
    return chunk.content.partition(chunk.text)


def _is_code(chunk: Chunk) -> bool:
    """Tell whether white space at a chunk's start may be part of code."""
    return chunk.content_type == "code" or chunk.text.startswith(("    ", "\t"))
