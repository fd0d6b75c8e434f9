"""Chunks to LangChain documents: a pure function of a result and of where its text comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_core.documents import Document

from chunkana_core import (
    Chunk,
    HierarchicalChunkingResult,
    MergeNode,
    MergeTree,
    SectionPath,
    Span,
)
from chunkana_core import Document as MarkdownDocument
from chunkana_langchain import keys
from chunkana_langchain.context import Headings
from chunkana_langchain.identity import document_id, source_keys
from chunkana_langchain.origin import Context, Heading, Origin

_AFTER_OVERLAP = "\n\n"
_NO_INDEX = -1  # of a parent, which is no chunk
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|$)")
# What is, or may be, part of a heading, code, math, a table or HTML.
_NO_PROSE = re.compile(r"[ ]{4}|[ ]*\t|[ \t>]*[#|<]|.*(?:`{3}|~{3}|\$\$|[ \t]\|[ \t])")
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
    origin = Origin.of(whole, *source_keys([whole]))
    parsed = MarkdownDocument.parse(result.source)
    return list(Mapper(result, origin, Headings.of("none", parsed, origin, len, 0)).leaves())


class _Page(NamedTuple):
    """A page content, and where in the text that was split its own text is."""

    above: str
    lead: str
    text: str
    tail: str
    span: Span
    overlap: str = ""

    @property
    def prefix(self) -> str:
        """What stands before the text."""
        return self.above + self.overlap + self.lead

    @property
    def content(self) -> str:
        """All of it."""
        return self.prefix + self.text + self.tail


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
        chunk_size: the largest page content, in units of `length`; None for the core's limit.
        length: measures a text.
        max_parent_size: of the merge tree, None for the core's default.
    """

    result: HierarchicalChunkingResult
    origin: Origin
    headings: Headings
    with_index: bool = False
    with_headers: bool = False
    strip: bool = False
    chunk_size: int | None = None
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
            if (leaf := self._leaf(node)) is not None:
                yield leaf

    def parents(self) -> Iterator[tuple[str, Document]]:
        """Yield what retrieval may read, with its id: parents, and leaves without one."""
        for node in self._tree.nodes:
            is_leaf = node.is_leaf and node.parent_id is None
            made = self._leaf(node) if is_leaf else None if node.is_leaf else self._parent(node)
            if made is not None:
                yield self._id(node.node_id), made

    def _leaf(self, node: MergeNode) -> Document | None:
        chunk = node.chunk
        span = self.origin.within(node.span)
        if chunk is None or span is None:
            return None
        around = self._around(chunk.section, chunk.start_line if _starts_a_line(chunk) else 0)
        lead, tail = self._around_text(chunk, span)
        if self.strip and not lead and not _is_code(chunk):
            text = self.origin.text[span.start : span.end]
            span = Span(span.end - len(text.lstrip()), span.end)
        page = self._page(
            chunk, around, _Page("", lead, self.origin.text[span.start : span.end], tail, span)
        )
        is_over = bool(chunk.oversize_reason) and not self._fits(page)
        own = {
            keys.CONTENT_TYPE: chunk.content_type,
            keys.CHUNK_INDEX: chunk.chunk_index,
            keys.ANCHOR: chunk.anchor,
            keys.ALLOW_OVERSIZE: is_over,
            keys.OVERSIZE_REASON: (chunk.oversize_reason or "") if is_over else "",
            keys.CONTINUED: bool(chunk.split_index),
        }
        path = self.headings.path(chunk.section.path)
        return self._document(node, page, path, around, own)

    def _page(self, chunk: Chunk, around: tuple[Heading, ...], page: _Page) -> _Page:
        """Return a page with what goes in front of it, as far as that fits."""
        counted = self.result.prefix_of(chunk.section)
        page = page._replace(above=self.headings.before(counted, chunk.section, around))
        page = page._replace(overlap=self._overlap(chunk, page))
        said = self.headings.introduction(chunk.span)
        introduced = page._replace(above=page.above + said)
        is_new = said.strip() not in " ".join(page.overlap.split())
        return introduced if is_new and self._fits(introduced) else page

    def _fits(self, page: _Page) -> bool:
        return self.chunk_size is not None and self.length(page.content) <= self.chunk_size

    def _parent(self, node: MergeNode) -> Document | None:
        span = self.origin.within(node.span)
        if span is None:
            return None
        section, line = node.section, node.source.line_at(node.span.start)
        around = self._around(section, line)
        above = self.headings.before(self.headings.prefix(section), section, around)
        own = {
            keys.CONTENT_TYPE: "section",
            keys.CHUNK_INDEX: _NO_INDEX,
            keys.ANCHOR: self._starts.get(line, ("", ()))[0],
            keys.ALLOW_OVERSIZE: False,
            keys.OVERSIZE_REASON: "",
            keys.CONTINUED: line not in self._starts,
        }
        page = _Page(above, "", self.origin.text[span.start : span.end], "", span)
        path = self.headings.path(section.path)
        return self._document(node, page, path, around, own)

    def _document(
        self,
        node: MergeNode,
        page: _Page,
        path: tuple[Heading, ...],
        around: tuple[Heading, ...],
        own: dict[str, Any],
    ) -> Document:
        """Return a document with the caller's metadata and ours; of both, the caller's stays."""
        origin, span = self.origin, page.span
        overlap = (len(page.above), len(page.above) + len(page.overlap))
        kept = tuple(sorted(keys.OWN & origin.kept))
        context = Context(self.headings.title, around, len(page.above), overlap, kept)
        line_at, above = node.source.line_at, origin.line - node.source.line_at(origin.own.start)
        own |= {
            keys.CHUNK_ID: node.node_id,
            keys.SECTION_ID: node.section_id,
            keys.HEADER_PATH: "/" + "/".join(h.title.replace("/", r"\/") for h in path),
            keys.HEADER_LEVEL: path[-1].level if path else 0,
            keys.START_CHAR: origin.in_source(span.start),
            keys.END_CHAR: origin.in_source(span.end),
            keys.PREFIX_CHARS: len(page.prefix),
            keys.START_LINE: above + line_at(span.start),
            keys.END_LINE: above + line_at(span.end - 1),
            keys.DOCUMENT_ID: origin.document_id,
            keys.PARENT_ID: self._id(node.parent_id or node.node_id),
            keys.CHILD_COUNT: len(node.children_ids),
            keys.CONTEXT: context.dumps(),
        }
        if self.with_index:
            own[keys.START_INDEX] = origin.in_page(span.start)
        if self.with_headers:
            titles = {heading.level: heading.title for heading in path}
            own |= {name: titles.get(level, "") for level, name in enumerate(keys.HEADERS, 1)}
        metadata = deepcopy(origin.metadata)
        metadata |= {name: value for name, value in own.items() if name not in origin.kept}
        return Document(page_content=page.content, metadata=metadata, id=self._id(node.node_id))

    def _around_text(self, chunk: Chunk, span: Span) -> tuple[str, str]:
        """Return what a chunk's content has before and after the part that is the source's own."""
        end = chunk.text_offset + len(chunk.text)
        before = chunk.text_offset + span.start - chunk.span.start
        after = chunk.content[end - (chunk.span.end - span.end) :]
        return chunk.content[:before], after.rstrip() and after

    def _around(self, section: SectionPath, line: int) -> tuple[Heading, ...]:
        """Return the headings around the one at a line, else all around a section."""
        if line not in self._starts:
            return self.headings.path(section.path)
        return self.headings.path(self._starts[line][1])[:-1]

    def _overlap(self, chunk: Chunk, page: _Page) -> str:
        """Return the prose that the chunk before ends with, from a sentence on, where it fits."""
        before = self.result.get_chunk(chunk.links.prev_sibling_id or "")
        is_inside = page.lead and not page.lead.endswith(_AFTER_OVERLAP)  # an atom that was cut
        if before is None or self.chunk_size is None or is_inside or _ends_inside(before):
            return ""
        overlap = _prose(chunk.previous_content, is_whole=chunk.previous_content == before.text)
        if not overlap.strip():
            return ""
        overlap += _AFTER_OVERLAP
        return overlap if self._fits(page._replace(overlap=overlap)) else ""

    def _id(self, node_id: str) -> str:
        return document_id(self.origin.key, node_id)


def _prose(text: str, *, is_whole: bool) -> str:
    """Return the prose that a text ends with; unless it is whole, from a sentence on."""
    kept: list[str] = []
    lines = [match[0] for match in _LINE.finditer(text) if match[0]]
    for line in reversed(lines):
        if _NO_PROSE.match(line):
            return "".join(reversed(kept)).strip()
        kept.append(line)
    if is_whole:
        return text.strip()
    found = _FIRST_SENTENCE.match(text)
    return text[found.end() :].strip() if found else ""


def _ends_inside(chunk: Chunk) -> bool:
    """Tell whether a chunk ends where code, math or a table was cut."""
    is_cut = len(chunk.content) > chunk.text_offset + len(chunk.text)
    return is_cut or chunk.content_type in {"code", "math", "table", "html"}


def _starts_a_line(chunk: Chunk) -> bool:
    """Tell whether a chunk's content starts a line, rather than inside a heading that was cut."""
    start = chunk.span.start
    return chunk.text_offset > 0 or start == 0 or chunk.source.text[start - 1] in "\r\n"


def _is_code(chunk: Chunk) -> bool:
    """Tell whether white space at a chunk's start may be part of code."""
    return chunk.content_type == "code" or chunk.text.startswith(("    ", "\t"))
