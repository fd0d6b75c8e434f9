"""Conversion of the core's chunks and merge tree to LangChain documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Self

from langchain_core.documents import Document
from msgspec import structs

from chunkana_core import (
    Chunk,
    Context,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
    SectionPath,
    Span,
)
from chunkana_core.extending import HEADED_FORMATS, PROSE_FORMATS, FieldReader, derive_uuid
from chunkana_langchain import keys
from chunkana_langchain.identity import source_id
from chunkana_langchain.keys import ChunkContext, copied
from chunkana_langchain.overlap import overlap_between
from chunkana_retrieval.hits import join_paths, repeated_rows, titles_above

MARKDOWN = "markdown"
_BLANK_LINE = "\n\n"
_FORMATS_OF_PARTS = {"notebook": MARKDOWN, "json": "text"}  # a part of such a file is none itself
_LOCATION_KEYS = frozenset({keys.START_CHAR, keys.END_CHAR, keys.PREFIX_CHARS, keys.START_LINE})
# The readers of the metadata, by whether they have all keys, and whether the format is notebooks.
_READERS = {
    (False, False): FieldReader.of("document"),
    (False, True): FieldReader.of("document", "notebook"),
    (True, False): FieldReader.of("document", "document_full"),
    (True, True): FieldReader.of("document", "document_full", "notebook"),
}
_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MappingOptions:
    """Options of the conversion of chunks to documents.

    Attributes:
        chunk_size: the largest size of a page content, in units of `length`.
        length: returns the size of a text.
        max_parent_size: the largest size of a parent's text; None for the core's default.
        has_overlap: whether page contents contain overlap before the content.
        has_start_index: whether the metadata contain `start_index`.
        has_header_keys: whether the metadata contain "Header 1" to "Header 6".
        has_all_keys: whether the metadata contain all of Chunkana's keys, not only those that
            retrieval uses.
        strips_whitespace: whether white space at the start of a content is removed, except in code.
    """

    chunk_size: int
    length: Callable[[str], int] = len
    max_parent_size: int | None = None
    has_overlap: bool = False
    has_start_index: bool = False
    has_header_keys: bool = False
    has_all_keys: bool = False
    strips_whitespace: bool = False

    def metadata_names(self) -> frozenset[str]:
        """Return the metadata keys that these options add to documents of any format."""
        headers = keys.HEADERS if self.has_header_keys else ()
        fields = _READERS[self.has_all_keys, True].names
        return frozenset([*fields, *keys.CHUNKANA, *headers])


@dataclass(frozen=True, slots=True)
class Origin:
    """A text to split: a whole document, or the exact slice of the source in a chunk.

    Attributes:
        text: the text.
        key: the key from which the ids of the chunks are computed.
        document_id: the id of the source, the same for all its chunks and their chunks.
        metadata: the metadata of the document without those that Chunkana added.
        callers_keys: the metadata keys of Chunkana whose values are the caller's.
        chunk_format: the name of the format to split a chunk in, "" for a whole document.
        start: the offset of the text in the source.
        lines_above: the number of lines of the source above the text.
        page_start: the offset of the text in the page content.
        title: the title of the source of a chunk.
        above: the titles above a chunk that its text does not start with, outermost first.
        level: the level of the section of a chunk.
        is_continued: whether a chunk starts after the start of its section.
    """

    text: str
    key: str
    document_id: str
    metadata: dict[str, Any]
    callers_keys: frozenset[str]
    chunk_format: str = ""
    start: int = 0
    lines_above: int = 0
    page_start: int = 0
    title: str = ""
    above: _Path = ()
    level: int = 0
    is_continued: bool = False

    @classmethod
    def of(cls, document: Document, key: str) -> Self:
        """Return the text of a whole document or chunk, and its place in the source."""
        metadata, page = document.metadata, document.page_content
        try:
            context = ChunkContext.of(metadata)
            start, end = int(metadata[keys.START_CHAR]), int(metadata[keys.END_CHAR])
            prefix, line = int(metadata[keys.PREFIX_CHARS]), int(metadata[keys.START_LINE])
        except keys.NO_CHUNK:  # a whole document, or a chunk with changed metadata
            names = frozenset(metadata) - {keys.START_INDEX}
            return cls(page, key, source_id(key), metadata, names)
        kept, text = context.callers_keys, page[prefix : prefix + end - start]
        if not _LOCATION_KEYS.isdisjoint(kept):
            return cls(page, key, source_id(key), metadata, frozenset(metadata))
        # A blank line before the text prevents a line of dashes from starting front matter.
        lead = "\n" if start else ""
        form = _FORMATS_OF_PARTS.get(context.format, context.format)
        # Without its fence or the rows above it, code or a table would be read as Markdown.
        is_inside = bool(repeated_rows(page[context.content_start : prefix]))
        return cls(
            lead + text,
            key,
            str(metadata.get(keys.DOCUMENT_ID) or source_id(key)),
            {name: value for name, value in metadata.items() if name not in keys.OWN - kept},
            kept,
            chunk_format="text" if is_inside else form,
            start=start - len(lead),
            lines_above=line - 1 - len(lead),
            page_start=prefix - len(lead),
            title=context.title,
            above=_titles_above(context, metadata, text),
            level=context.level,
            is_continued=context.is_continued,
        )

    def chunk_in_source(self, chunk: Chunk, prefix: int) -> Chunk:
        """Return a chunk of the text with its place in the source.

        Args:
            chunk: the chunk.
            prefix: the number of characters before its text in the page content.
        """
        span, path = chunk.span, join_paths(self.above, chunk.section.path)
        return structs.replace(
            chunk,
            section=SectionPath(chunk.section.level or self.level, path),
            span=Span(self.start + span.start, self.start + span.end),
            text_start_line=self.lines_above + chunk.text_start_line,
            text_end_line=self.lines_above + chunk.text_end_line,
            text_offset=prefix,
        )


def _titles_above(context: ChunkContext, metadata: Mapping[str, Any], text: str) -> _Path:
    """Return the path of a chunk without the titles that its text starts with."""
    path: _Path = context.path
    if context.format in HEADED_FORMATS:
        return titles_above(path, text)
    name = metadata.get("name")
    return path[: path.index(name)] if name in path and not context.is_continued else path


@dataclass(frozen=True, slots=True)
class DocumentMapper:
    """The conversion of one text's chunks and merge tree to documents.

    Attributes:
        result: the chunks of the text.
        origin: the text, its metadata and its place in the source.
        options: the options of the conversion.
        context: the options of the chunks' contexts; None without contexts.
        label: the title of source code, JSON and plain text, "" for none.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    options: MappingOptions
    context: Context | None
    label: str
    _tree: Callable[[], MergeTree]
    _title: str  # the title of the source, or its label
    _reader: FieldReader
    _levels: Mapping[_Path, int]  # of headings, by path; only for "Header 1" to "Header 6"

    @classmethod
    def of(
        cls,
        result: HierarchicalChunkingResult,
        origin: Origin,
        options: MappingOptions,
        context: Context | None = None,
        label: str = "",
    ) -> Self:
        """Return the mapper of a result, whose merge tree is built when it is needed."""
        title = origin.title or result.title or label
        toc = result.toc() if options.has_header_keys and result.format == MARKDOWN else []
        levels = {entry.path: entry.level for entry in reversed(toc)}
        tree = cache(partial(result.merge_tree, options.max_parent_size))
        reader = _READERS[options.has_all_keys, result.format == "notebook"]
        return cls(result, origin, options, context, label, tree, title, reader, levels)

    def leaves(self) -> Iterator[Document]:
        """Yield a document for each chunk to index, in document order."""
        return map(self._leaf, self._tree().leaves)

    def parents(self) -> Iterator[tuple[str, Document]]:
        """Yield the ids and documents of all parents, and of leaves without a parent."""
        for node in self._tree().nodes:
            if not node.is_leaf or node.parent_id is None:
                document = self._leaf(node) if node.is_leaf else self._parent(node)
                yield self._id(node.node_id), document

    def front(self, chunk: Chunk) -> str:
        """Return the text to embed before a chunk's content: context and overlap."""
        return self._front(chunk, chunk.content)

    def _leaf(self, node: MergeNode) -> Document:
        chunk, content = node.chunk, node.chunk.content
        if self.options.strips_whitespace and not chunk.text_offset and not _is_code(chunk):
            content = content.lstrip()
            start = chunk.span.start + len(chunk.content) - len(content)
            chunk = structs.replace(chunk, span=Span(start, chunk.span.end))
        if chunk.oversize_reason and chunk.size <= self.options.chunk_size:
            chunk = structs.replace(chunk, oversize_reason=None)
        return self._document(node, chunk, self._front(chunk, content), content)

    def _parent(self, node: MergeNode) -> Document:
        front = _paragraphs(self._breadcrumb(node.chunk.section.path))
        return self._document(node, node.chunk, front, node.text)

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

    def _document(self, node: MergeNode, chunk: Chunk, front: str, content: str) -> Document:
        """Return a document with the metadata of the caller and of Chunkana.

        If both have the same key, the caller's value is kept.

        Args:
            node: the leaf or parent.
            chunk: its chunk.
            front: the text of the page before the content.
            content: the content of the chunk, or the text of the parent.
        """
        origin, prefix = self.origin, len(front) + chunk.text_offset
        placed = origin.chunk_in_source(chunk, prefix)
        context = ChunkContext(
            len(front),
            placed.section.path,
            placed.section.level,
            self._title,
            origin.callers_keys & keys.OWN.union(keys.HEADERS),
            chunk.format,
            chunk.continued_from_header,
        )
        own: dict[str, Any] = {
            **self._reader.flat_values(placed),
            keys.DOCUMENT_ID: origin.document_id,
            keys.PARENT_ID: self._id(node.parent_id or node.node_id),
            keys.CHILD_COUNT: len(node.children_ids),
            keys.CONTEXT: context.to_json(),
        }
        if self.options.has_start_index:
            own[keys.START_INDEX] = origin.page_start + chunk.span.start
        if self.options.has_header_keys:
            own |= self._headers(chunk.section.path)
        own = {key: value for key, value in own.items() if key not in origin.callers_keys}
        return Document(
            page_content=front + content,
            metadata=copied(origin.metadata) | own,
            id=self._id(node.node_id),
        )

    def _headers(self, path: _Path) -> dict[str, str]:
        """Return the titles of a path by "Header 1" to "Header 6", "" for missing levels."""
        paths = (path[:stop] for stop in range(1, len(path) + 1))
        by_level = {self._levels.get(part): part[-1] for part in paths}
        above = self.origin.metadata
        return {
            name: by_level.get(level) or str(above.get(name, ""))
            for level, name in enumerate(keys.HEADERS, 1)
        }

    def _id(self, node_id: str) -> str:
        return derive_uuid(self.origin.key, node_id)


def _paragraphs(*texts: str) -> str:
    """Return the texts that are not empty, each followed by a blank line."""
    return "".join([text + _BLANK_LINE for text in texts if text])


def _is_code(chunk: Chunk) -> bool:
    """Return whether white space at a chunk's start may be part of code."""
    is_code = chunk.content_type == "code" or chunk.format not in PROSE_FORMATS
    return is_code or chunk.content.startswith(("    ", "\t"))
