"""Chunks, their levels and links; metadata is computed from the fields of a chunk."""

from __future__ import annotations

from enum import IntEnum

from msgspec import Struct

from chunkana_core.context.context import embedded
from chunkana_core.document.paths import SectionPath
from chunkana_core.fields import FieldReader
from chunkana_core.text.source import Source, Span
from chunkana_core.violations import ValidationResult


class ChunkLevel(IntEnum):
    """The level of a chunk in the hierarchy."""

    DOCUMENT = 0
    SECTION = 1  # under an H1
    SUBSECTION = 2  # under an H2
    PARAGRAPH = 3  # under an H3 or deeper, or text without a heading of its own

    @classmethod
    def of_heading(cls, level: int) -> ChunkLevel:
        """Return the level of chunks under a heading of a level, 0 for no heading."""
        return _LEVELS.get(level, _PARAGRAPH)


_LEVELS = {1: ChunkLevel.SECTION, 2: ChunkLevel.SUBSECTION}
_PARAGRAPH = ChunkLevel.PARAGRAPH


class Links(Struct, frozen=True, gc=False):
    """The level of a chunk and the ids of its parent, children and siblings, None if missing."""

    hierarchy_level: ChunkLevel = ChunkLevel.PARAGRAPH
    parent_id: str | None = None
    children_ids: tuple[str, ...] = ()
    prev_sibling_id: str | None = None
    next_sibling_id: str | None = None


class Chunk(Struct, frozen=True, gc=False, kw_only=True):
    """A leaf or a node of the tree over a document; an immutable `msgspec.Struct`.

    Lines are numbered from 1, and ranges include the last line. `start_line` and `end_line` are the
    first and last source line in the content, including repeated headings and closing lines, so
    that the lines of chunks may overlap; `text_start_line` and `text_end_line` are those of the
    text alone, for citations. A chunk is identified by `chunk_id`, never by its lines.

    Attributes:
        span: the exact range of the text in the source.
        content: the text to read: below repeated headings if the chunk continues a section; for a
            node, a title and summary.
        context: the text to embed before the content, "" without a `Context` and for nodes.
        text_offset: the offset in the content where the text starts, in code points.
        chunk_id: 8 hex digits, unique in the document and stable while section and text are.
        section_id: the id of its section, the same for all chunks of one section.
        parent_section_id: the `section_id` of the enclosing section, None for the document.
        section: the level and path of its section.
        is_leaf: whether it is a leaf; the texts of the leaves together are the whole document.
        indexable: whether it is worth embedding.
        chunk_index: its number among the leaves, None for a node.
        format: the name of the document's format.
        content_type: the kind of its content; see the metadata keys in the documentation.
        cell: in a notebook, the number of its first cell, from 1; None in other documents, like the
            next three attributes.
        cell_start_line: its first line, from 1 in the first cell.
        cell_end: the number of its last cell.
        cell_end_line: its last line, from 1 in the last cell.
        container: the name of the innermost container of all its text except its headings, such as
            "note" or "Tabs"; "" if there is none.
        kind: the format's term for its own (first) section, such as "class"; "" for none.
        title: the plain text of its own (first) heading, or of the section it continues.
        section_tags: the titles of the further headings in its span.
        anchor: the id that the source gives to that heading, else a GitHub-style slug of it.
        header_path: the path for display, such as "/Guide/Install".
        size: the size of the text to embed, in units of `length_function`.
        code_languages: the first words of the info strings of its code blocks.
        header_moved_from_id: the id of the section whose heading was moved into it, or None.
        merge_reason: "dangling_header_prevention", "small_chunk" or None.
        split_index: its number among the parts of its section's text, None if not split.
        original_section_size: the size of the whole text before the split, None if not split.
        oversize_reason: the reason why it may be over the limit, None if it is not.
        previous_content: the end of the previous leaf under the same parent.
        next_content: the start of the next leaf under the same parent.
    """

    source: Source
    span: Span
    content: str
    context: str = ""
    start_line: int
    end_line: int
    text_start_line: int
    text_end_line: int
    text_offset: int = 0
    chunk_id: str
    section_id: str
    parent_section_id: str | None = None
    section: SectionPath
    links: Links = Links()
    is_leaf: bool = True
    indexable: bool = True
    chunk_index: int | None = None
    strategy: str
    format: str = "markdown"
    content_type: str
    cell: int | None = None
    cell_start_line: int | None = None
    cell_end: int | None = None
    cell_end_line: int | None = None
    container: str = ""
    kind: str = ""
    title: str = ""
    section_tags: tuple[str, ...] = ()
    anchor: str = ""
    header_path: str = "/"
    size: int
    has_code: bool = False
    code_languages: tuple[str, ...] = ()
    header_moved_from_id: str | None = None
    merge_reason: str | None = None
    split_index: int | None = None
    original_section_size: int | None = None
    oversize_reason: str | None = None
    previous_content: str = ""
    next_content: str = ""
    validation: ValidationResult | None = None

    @property
    def text(self) -> str:
        """The exact slice of the source; for a node, the text of all its leaves."""
        return self.source.slice(self.span)

    @property
    def embedded(self) -> str:
        """The text to embed: the context, a blank line, the content."""
        return embedded(self.context, self.content)

    @property
    def is_root(self) -> bool:
        """Whether the chunk is the document's node."""
        return self.links.hierarchy_level is ChunkLevel.DOCUMENT

    @property
    def name(self) -> str:
        """The name of its definition in source code, "" for none."""
        return self.title if self.kind else ""

    @property
    def continued_from_header(self) -> bool:
        """Whether it is a part of a split section, and not the first one."""
        return bool(self.split_index)

    @property
    def allow_oversize(self) -> bool:
        """Whether it may be over the limit."""
        return self.oversize_reason is not None

    @property
    def dangling_header_fixed(self) -> bool:
        """Whether the heading of a section without text was moved into it."""
        return self.header_moved_from_id is not None

    @property
    def metadata(self) -> dict[str, object]:
        """A new JSON-able dict of the fields, with the same keys for every chunk."""
        metadata = _METADATA.values(self)
        if self.validation is not None:
            metadata["validation"] = self.validation.to_dict()
        return metadata


_METADATA = FieldReader.of("metadata")
