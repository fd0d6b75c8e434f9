"""Conversion of the core's chunks and merge tree to LangChain documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.documents import Document

from chunkana_core import (
    Chunk,
    Context,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
    Source,
    Span,
)
from chunkana_core.extending import format_header_path
from chunkana_langchain import keys
from chunkana_langchain.identity import document_id
from chunkana_langchain.splitting.options import MappingOptions
from chunkana_langchain.splitting.origin import ChunkContext, Heading, Origin
from chunkana_langchain.splitting.outline import MARKDOWN, PROSE, TextOutline
from chunkana_langchain.splitting.overlap import overlap_between

_BLANK_LINE = "\n\n"
_NO_INDEX = -1  # the chunk index of a parent, which is not a chunk
_RESERVED = keys.OWN.union(keys.HEADERS)
_IMMUTABLE = (str, int, float, bool, type(None))
_Path = tuple[str, ...]


class _Page(NamedTuple):
    """The parts of a page content.

    Attributes:
        front: the context and the overlap, each followed by a blank line.
        content: the content of a chunk, or the text of a parent.
        offset: the offset in the content where the slice of the source starts.
        span: the range of that slice in the text that is split.
    """

    front: str
    content: str
    offset: int
    span: Span


@dataclass(frozen=True, slots=True)
class DocumentMapper:
    """The conversion of one text's chunks and merge tree to documents.

    Attributes:
        result: the chunks of the text.
        origin: the text, its metadata and its position in the source.
        options: the options of the conversion.
        context: the options of the chunks' contexts; None without contexts.
        label: the title of source code, JSON and plain text, "" for none.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    options: MappingOptions
    context: Context | None
    label: str
    _tree: MergeTree
    _title: str  # the title of the source, or its label
    _outline: TextOutline
    _caller_keys: tuple[str, ...]  # Chunkana's metadata keys whose values are the caller's
    _section_cache: dict[_Path, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        result: HierarchicalChunkingResult,
        origin: Origin,
        options: MappingOptions,
        context: Context | None = None,
        label: str = "",
    ) -> DocumentMapper:
        """Build the merge tree and the outline of a result."""
        return cls(
            result,
            origin,
            options,
            context,
            label,
            result.merge_tree(options.max_parent_size),
            origin.title or result.title or label,
            TextOutline.of(result, origin.format),
            tuple(sorted(_RESERVED & origin.caller_keys)),
        )

    def leaves(self) -> Iterator[Document]:
        """Yield a document for each chunk to index, in document order."""
        yield from filter(None, map(self._leaf, self._tree.leaves))

    def parents(self) -> Iterator[tuple[str, Document]]:
        """Yield the ids and documents of all parents, and of leaves without a parent."""
        for node in self._tree.nodes:
            if node.is_leaf and node.parent_id is not None:
                continue
            document = self._leaf(node) if node.is_leaf else self._parent(node)
            if document is not None:
                yield self._id(node.node_id), document

    def _leaf(self, node: MergeNode) -> Document | None:
        chunk, span = node.chunk, self.origin.clip(node.span)
        if span is None:
            return None
        is_oversize = chunk.oversize_reason is not None and chunk.size > self.options.chunk_size
        own = {
            keys.CONTENT_TYPE: chunk.content_type,
            keys.CONTAINER: chunk.container,
            keys.CHUNK_INDEX: chunk.chunk_index,
            keys.ANCHOR: chunk.anchor,
            keys.ALLOW_OVERSIZE: is_oversize,
            keys.OVERSIZE_REASON: chunk.oversize_reason if is_oversize else "",
            keys.CONTINUED: bool(chunk.split_index),
        }
        above = self._outline.above_chunk(chunk)
        if chunk.cell is not None:
            own |= {key: getattr(chunk, key) for key in keys.CELLS}
        return self._document(node, self._page(chunk, span), above, own)

    def _parent(self, node: MergeNode) -> Document | None:
        span = self.origin.clip(node.span)
        if span is None:
            return None
        heading = self._outline.heading_of(node)
        own = {
            keys.CONTENT_TYPE: "section",
            keys.CONTAINER: "",
            keys.CHUNK_INDEX: _NO_INDEX,
            keys.ANCHOR: heading.anchor if heading else "",
            keys.ALLOW_OVERSIZE: False,
            keys.OVERSIZE_REASON: "",
            keys.CONTINUED: heading is None,
        }
        front = _paragraphs(self._breadcrumb(node.chunk.section.path))
        page = _Page(front, self.origin.text[span.start : span.end], 0, span)
        return self._document(node, page, self._outline.above_parent(node), own)

    def _page(self, chunk: Chunk, span: Span) -> _Page:
        """Return the page content of a chunk in parts, given the part of its span in the source."""
        content, offset = chunk.content, chunk.text_offset + span.start - chunk.span.start
        if self.options.strips_whitespace and not offset and not _is_code(chunk):
            content = content.lstrip()
            span = Span(span.start + len(chunk.content) - len(content), span.end)
        return _Page(self._front(chunk, content), content, offset, span)

    def front(self, chunk: Chunk) -> str:
        """Return the text to embed before a chunk's content: context and overlap."""
        return self._front(chunk, chunk.content)

    def _front(self, chunk: Chunk, content: str) -> str:
        front = self._front_with_overlap(chunk) if self.options.has_overlap else ""
        if front and self.options.length(front + content) <= self.options.chunk_size:
            return front
        return _paragraphs(chunk.context)

    def _front_with_overlap(self, chunk: Chunk) -> str:
        """Return a chunk's context and overlap, "" if there is no overlap.

        An introduction that the overlap contains is omitted.
        """
        previous = self.result.get_chunk(chunk.links.prev_sibling_id or "")
        overlap = overlap_between(previous, chunk) if previous and chunk.previous_content else ""
        if not overlap:
            return ""
        before, _, last = chunk.context.rpartition(_BLANK_LINE)
        # The last paragraph is either an introduction or a breadcrumb, which may be shortened to
        # the end of the whole breadcrumb.
        is_introduction = not self._breadcrumb(chunk.section.path).endswith(last)
        is_repeated = is_introduction and last in " ".join(overlap.split())
        return _paragraphs(before if is_repeated else chunk.context, overlap)

    def _breadcrumb(self, path: _Path) -> str:
        return self.context.format_breadcrumb(self.result.title, path) if self.context else ""

    def _document(
        self, node: MergeNode, page: _Page, above: tuple[Heading, ...], own: dict[str, Any]
    ) -> Document:
        """Return a document with the metadata of the caller and of Chunkana.

        If both have the same key, the caller's value is kept.

        Args:
            node: the chunk or parent.
            page: the parts of the page content.
            above: the headings above the heading that the content starts with.
            own: the metadata that are determined differently for leaves and parents.
        """
        origin, path = self.origin, node.chunk.section.path
        headings = origin.above + self._outline.headings(path)
        kind, name = self._kind_and_name(node)
        own |= self._section_metadata(path, headings) | self._location_metadata(
            node.chunk.source, page
        )
        own |= {
            keys.FORMAT: self._outline.format,
            keys.KIND: kind,
            keys.NAME: name,
            keys.CHUNK_ID: node.node_id,
            keys.SECTION_ID: node.chunk.section_id,
            keys.PARENT_SECTION_ID: node.chunk.parent_section_id or "",
            keys.DOCUMENT_ID: origin.document_id,
            keys.PARENT_ID: self._id(node.parent_id or node.node_id),
            keys.CHILD_COUNT: len(node.children_ids),
            keys.CONTEXT: ChunkContext(
                len(page.front),
                tuple([heading.title for heading in headings]),
                self._title,
                origin.above + above,
                self._caller_keys,
                self._outline.format,
                is_continued=own[keys.CONTINUED],
            ).to_json(),
        }
        omitted = origin.caller_keys
        if not self.options.has_all_keys:
            omitted |= keys.FULL
        own = {key: value for key, value in own.items() if key not in omitted}
        metadata = copied(origin.metadata) | own
        content = page.front + page.content
        return Document(page_content=content, metadata=metadata, id=self._id(node.node_id))

    def _location_metadata(self, source: Source, page: _Page) -> dict[str, Any]:
        """Return the metadata of a page's position in the source: offsets and lines."""
        origin, (start, end) = self.origin, (page.span.start, page.span.end)
        metadata = {
            keys.START_CHAR: origin.source_offset + start,
            keys.END_CHAR: origin.source_offset + end,
            keys.PREFIX_CHARS: len(page.front) + page.offset,
            keys.START_LINE: origin.lines_above + source.line_at(start),
            keys.END_LINE: origin.lines_above + source.line_at(end - 1),
        }
        if self.options.has_start_index:
            metadata[keys.START_INDEX] = origin.page_offset + start
        return metadata

    def _kind_and_name(self, node: MergeNode) -> tuple[str, str]:
        """Return the kind and name of a node's definition, ("", "") for none."""
        return node.chunk.kind, node.chunk.name

    def _section_metadata(self, path: _Path, headings: tuple[Heading, ...]) -> dict[str, Any]:
        """Return the metadata that all chunks with a header path share; they are cached."""
        if path not in self._section_cache:
            titles = [heading.title for heading in headings]
            metadata: dict[str, Any] = {
                keys.PATH: json.dumps(titles, ensure_ascii=False),
                keys.HEADER_PATH: format_header_path(titles),
                keys.HEADER_LEVEL: headings[-1].level if headings else 0,
            }
            if self.options.has_header_keys:
                is_markdown = self._outline.format == MARKDOWN
                by_level = {one.level: one.title for one in headings if is_markdown}
                metadata |= {name: by_level.get(n, "") for n, name in enumerate(keys.HEADERS, 1)}
            self._section_cache[path] = metadata
        return self._section_cache[path]

    def _id(self, node_id: str) -> str:
        return document_id(self.origin.key, node_id)


def copied(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep copy of metadata; values of immutable types are not copied."""
    return {
        name: value if isinstance(value, _IMMUTABLE) else deepcopy(value)
        for name, value in metadata.items()
    }


def _paragraphs(*texts: str) -> str:
    """Return the texts that are not empty, each followed by a blank line."""
    return "".join([text + _BLANK_LINE for text in texts if text])


def _is_code(chunk: Chunk) -> bool:
    """Return whether white space at a chunk's start may be part of code."""
    is_code = chunk.content_type == "code" or chunk.format not in PROSE
    return is_code or chunk.content.startswith(("    ", "\t"))
