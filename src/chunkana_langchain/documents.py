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
    Span,
)
from chunkana_core.extending import PROSE_FORMATS, FieldReader, derive_uuid
from chunkana_langchain import keys
from chunkana_langchain.keys import ChunkContext, copied
from chunkana_langchain.origin import MARKDOWN, Origin, Path
from chunkana_langchain.overlap import front_with_overlap, paragraphs

# The readers of the metadata, by whether they have all keys, and whether the format is notebooks.
_READERS = {
    (False, False): FieldReader.of("document"),
    (False, True): FieldReader.of("document", "notebook"),
    (True, False): FieldReader.of("document", "document_full"),
    (True, True): FieldReader.of("document", "document_full", "notebook"),
}


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
    _levels: Mapping[Path, int]  # of headings, by path; only for "Header 1" to "Header 6"

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
        front = paragraphs(self._breadcrumb(node.chunk.section.path))
        return self._document(node, node.chunk, front, node.text)

    def _front(self, chunk: Chunk, content: str) -> str:
        previous = self.result.get_chunk(chunk.links.prev_sibling_id or "")
        front = ""
        if self.options.has_overlap and previous and chunk.previous_content:
            front = front_with_overlap(previous, chunk, self._breadcrumb(chunk.section.path))
        if front and self.options.length(front + content) <= self.options.chunk_size:
            return front
        return paragraphs(chunk.context)

    def _breadcrumb(self, path: Path) -> str:
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

    def _headers(self, path: Path) -> dict[str, str]:
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


def _is_code(chunk: Chunk) -> bool:
    """Return whether white space at a chunk's start may be part of code."""
    is_code = chunk.content_type == "code" or chunk.format not in PROSE_FORMATS
    return is_code or chunk.content.startswith(("    ", "\t"))
