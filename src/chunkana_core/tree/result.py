"""The result of hierarchical chunking: chunks, their tree, table of contents and merge tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from chunkana_core.arguments import require_type
from chunkana_core.config import LengthFunction
from chunkana_core.document.document import Document
from chunkana_core.document.location import TocEntry
from chunkana_core.document.outline import Section
from chunkana_core.formats.markdown.front_matter import front_matter_data
from chunkana_core.sizing import Sizer
from chunkana_core.text.source import Source
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.dicts import (
    PAGE_SIZE,
    VERSION,
    children_dict,
    hierarchy_dict,
    leaf_dict,
    read_schema,
    tree_dict,
)
from chunkana_core.tree.merge_tree import MergeTree, build_merge_tree
from chunkana_core.violations import ValidationResult

_PARENT_FACTOR = 4  # the largest merge tree parent, in multiples of the limit


@dataclass(frozen=True, slots=True)
class _Outline:
    """The properties of the document that a result needs.

    Attributes:
        title: the document's title, or a replacement.
        is_titled: whether the title is from the document.
        front_matter: the block of front matter, "" if there is none.
        sections: the document's sections, the first of which is the document itself.
        format: the name of the format.
        line_count: how many lines it has.
        source: the document's.
        section_ids: the ids of the sections.
        spans: by heading, its own offset, the one where its block starts, and the end of its
            section.
    """

    title: str
    is_titled: bool
    front_matter: str
    sections: tuple[Section, ...]
    section_ids: Sequence[str]
    source: Source
    spans: tuple[tuple[int, int, int], ...]
    format: str
    line_count: int

    @classmethod
    def of(cls, document: Document, section_ids: Sequence[str]) -> _Outline:
        """Return the outline of a document, with the ids of its sections."""
        top, sections = document.top, document.sections
        ends = [(top[section.first], top[section.stop - 1].end) for section in sections[1:]]
        spans = tuple([(first.start + first.lead, first.start, end) for first, end in ends])
        front = document.text[: top[0].end] if document.front_matter_stop else ""
        about = (document.traits.name, document.analysis.total_lines)
        outline = (sections, section_ids, document.source, spans)
        return cls(document.title, document.is_titled, front, *outline, *about)

    def toc(self) -> list[TocEntry]:
        """Return the document's sections in order, independent of the chunks."""
        sections = zip(self.sections[1:], self.section_ids[1:], self.spans, strict=True)
        return [
            TocEntry.of(section, section_id, self.source, offsets)
            for section, section_id, offsets in sections
        ]


@dataclass(frozen=True, slots=True)
class HierarchicalChunkingResult:
    """The chunks of a document and their tree, returned by `Chunker` and `MarkdownChunker`.

    Attributes:
        chunks: all chunks in pre-order; the first one is the root.
        root_id: the id of the root, "" for a blank document.
        strategy_used: the name of the strategy that was applied.
        text: the unmodified text.
        validation: the outcome of validation, None if validation is off.
    """

    chunks: tuple[Chunk, ...]
    root_id: str
    strategy_used: str
    text: str = field(repr=False)
    validation: ValidationResult | None
    _outline: _Outline = field(repr=False, compare=False)
    _sizer: Sizer = field(repr=False, compare=False)
    _by_id: dict[str, Chunk] = field(repr=False, compare=False)
    _sections: dict[str, list[Chunk]] = field(repr=False, compare=False)

    @classmethod
    def of(
        cls,
        document: Document,
        chunks: tuple[Chunk, ...],
        section_ids: Sequence[str],
        strategy: str,
        sizer: Sizer,
    ) -> HierarchicalChunkingResult:
        """Return the result with the chunks of a document, indexed by id and by section.

        Args:
            document: the document.
            chunks: its chunks in pre-order.
            section_ids: the ids of its sections.
            strategy: the name of the strategy that was applied.
            sizer: the unit of sizes.
        """
        root_id = chunks[0].chunk_id if chunks else ""
        outline, indexed = _Outline.of(document, section_ids), _indexed(chunks)
        return cls(chunks, root_id, strategy, document.text, None, outline, sizer, *indexed)

    def validated(self, outcome: ValidationResult, *, debug: bool) -> HierarchicalChunkingResult:
        """Return the same result with a validation outcome, which `debug` adds to all chunks."""
        shown = outcome if debug else None
        chunks = tuple(structs.replace(chunk, validation=shown) for chunk in self.chunks)
        by_id, sections = _indexed(chunks)
        return replace(self, chunks=chunks, validation=outcome, _by_id=by_id, _sections=sections)

    @property
    def title(self) -> str:
        """The document's title, "" if it has none."""
        return self._outline.title if self._outline.is_titled else ""

    @property
    def format(self) -> str:
        """The name of the document's format."""
        return self._outline.format

    @property
    def front_matter(self) -> dict[str, object]:
        """The front matter as a new JSON-able dict, {} if there is none; parsed at each access.

        Keys are strings; numbers and booleans keep their types, dates are ISO strings.
        """
        return front_matter_data(self._outline.front_matter)

    @property
    def max_chunk_size(self) -> int:
        """The configured limit, in units of `length_function`."""
        return self._sizer.max_size

    @property
    def length_function(self) -> LengthFunction:
        """The function that measured the sizes; `len` if sizes are in code points."""
        return self._sizer.length

    def get_chunk(self, chunk_id: str) -> Chunk | None:
        """Return the chunk with an id, None if there is none."""
        return self._by_id.get(chunk_id)

    def get_children(self, chunk_id: str) -> list[Chunk]:
        """Return the children of a chunk, in document order."""
        chunk = self.get_chunk(chunk_id)
        return [self._by_id[i] for i in chunk.links.children_ids] if chunk else []

    def get_parent(self, chunk_id: str) -> Chunk | None:
        """Return the parent of a chunk, None for the root."""
        chunk = self.get_chunk(chunk_id)
        parent_id = chunk.links.parent_id if chunk else None
        return None if parent_id is None else self._by_id[parent_id]

    def get_ancestors(self, chunk_id: str) -> list[Chunk]:
        """Return the ancestors of a chunk, the parent first and the root last."""
        ancestors: list[Chunk] = []
        while parent := self.get_parent(chunk_id):
            ancestors.append(parent)
            chunk_id = parent.chunk_id
        return ancestors

    def get_siblings(self, chunk_id: str) -> list[Chunk]:
        """Return the chunks with the same parent, the chunk itself included, in document order."""
        if parent := self.get_parent(chunk_id):
            return self.get_children(parent.chunk_id)
        chunk = self.get_chunk(chunk_id)
        return [chunk] if chunk else []

    def get_section(self, section_id: str) -> list[Chunk]:
        """Return all chunks of a section: its node first, then the parts of a split section."""
        return list(self._sections.get(section_id, ()))

    def get_flat_chunks(self) -> list[Chunk]:
        """Return the leaves to index: those that are worth embedding."""
        return [chunk for chunk in self.chunks if chunk.indexable]

    def get_leaves(self) -> list[Chunk]:
        """Return all leaves, which together are the whole document."""
        return [chunk for chunk in self.chunks if chunk.is_leaf]

    def get_by_level(self, level: int) -> list[Chunk]:
        """Return the chunks of a `ChunkLevel`, in document order."""
        return [chunk for chunk in self.chunks if chunk.links.hierarchy_level == level]

    def walk(self) -> Iterator[Chunk]:
        """Yield all chunks in pre-order: each node before its children."""
        yield from self.chunks

    def to_tree_dict(self) -> dict[str, object]:
        """Return the tree as nested JSON-able dicts.

        Keys: id, content_preview (ends in "…" if it is cut), header_path, level (a `ChunkLevel`),
        children. The dict is empty for a blank document.
        """
        return tree_dict(self.chunks)

    def to_dict(
        self, *, hierarchy: bool = True, page_size: int | None = PAGE_SIZE
    ) -> dict[str, object]:
        """Return document, leaves and hierarchy as one JSON-able dict; see `json_schema`.

        Args:
            hierarchy: whether to include the nodes; else `"hierarchy"` is None.
            page_size: the number of children's ids per node, None for all; for further ids see
                `children_page`.

        Raises:
            ConfigurationError: if `page_size` is less than 1.
        """
        require_type("hierarchy", hierarchy, bool)
        nodes = hierarchy_dict(self.chunks, page_size)
        return {
            "version": VERSION,
            "document": self._document_dict(),
            "chunks": [leaf_dict(chunk) for chunk in self.chunks if chunk.is_leaf],
            "hierarchy": nodes if hierarchy else None,
        }

    def _document_dict(self) -> dict[str, object]:
        return {
            "title": self.title,
            "format": self.format,
            "strategy": self.strategy_used,
            "max_chunk_size": self.max_chunk_size,
            "characters": len(self.text),
            "lines": self._outline.line_count,
            "front_matter": self.front_matter,
            "validation": None if self.validation is None else self.validation.to_dict(),
        }

    def children_page(
        self, chunk_id: str, page: int = 1, page_size: int | None = PAGE_SIZE
    ) -> dict[str, object]:
        """Return a page of the children of a node; `to_dict` contains the first page.

        Keys: total, ids, next (the number of the next page, None on the last one). For an unknown
        id and for the id of a leaf, the page is empty.

        Args:
            chunk_id: the id of the node.
            page: the number of the page, from 1; a page after the last one is empty.
            page_size: the number of children per page, None for all on one page.

        Raises:
            ConfigurationError: if `page` or `page_size` is less than 1.
        """
        chunk = self.get_chunk(chunk_id)
        return children_dict(chunk.links.children_ids if chunk else (), page, page_size)

    @staticmethod
    def json_schema() -> dict[str, object]:
        """Return the JSON Schema (draft 2020-12) of `to_dict`, a new dict each time."""
        return read_schema()

    def toc(self) -> list[TocEntry]:
        """Return the document's sections in order, independent of the chunks."""
        return self._outline.toc()

    def merge_tree(self, max_parent_size: int | None = None, max_children: int = 64) -> MergeTree:
        """Return the merge tree for auto-merging retrieval; see `MergeTree`.

        Args:
            max_parent_size: the largest size of a parent, in units of `length_function`; by
                default four times `max_chunk_size`.
            max_children: the largest number of children of a parent, at least 2.
        """
        default = _PARENT_FACTOR * self._sizer.max_size
        parent_size = default if max_parent_size is None else max_parent_size
        sections, sizer = self._outline.sections, self._sizer
        return build_merge_tree(self.chunks, sections, sizer, parent_size, max_children)


def _indexed(chunks: Sequence[Chunk]) -> tuple[dict[str, Chunk], dict[str, list[Chunk]]]:
    """Return the chunks by id, and lists of chunks by section id."""
    sections: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        sections.setdefault(chunk.section_id, []).append(chunk)
    return {chunk.chunk_id: chunk for chunk in chunks}, sections
