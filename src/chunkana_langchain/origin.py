"""Where a text to be split comes from, also where it is itself a chunk of Chunkana's."""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, NamedTuple

from langchain_core.documents import Document

from chunkana_core import Span
from chunkana_langchain import keys
from chunkana_langchain.identity import source_id


class Heading(NamedTuple):
    """A heading around a text: its level, 1 to 6, and its title."""

    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a text before it is chunked.

    Attributes:
        text: the Markdown; of a chunk of ours its content, repeated headings and rows included.
        key: what ids of its parts are made from.
        document_id: the same for all parts of a document, and for parts of those.
        metadata: the caller's; parts have a copy each.
        own: the range of the text that is not repeated: the slice of the source.
        start: the offset of that slice in the source, in code points.
        line: the number, from 1, of its first line there.
        page_start: its offset in the page content.
        title: of the document that it is a chunk of, "" for none; None where it is no chunk.
        above: the headings around the first one in the text, outermost first.
        kept: the keys of the caller's metadata that stay as they are.
    """

    text: str
    key: str
    document_id: str
    metadata: dict[str, Any]
    own: Span
    start: int = 0
    line: int = 1
    page_start: int = 0
    title: str | None = None
    above: tuple[Heading, ...] = ()
    kept: AbstractSet[str] = frozenset()

    @classmethod
    def of(cls, document: Document, key: str) -> Origin:
        """Look at a document; of a chunk of ours, context and overlap in front of it go."""
        metadata = document.metadata
        try:
            return cls._of_chunk(document, key, Context.loads(metadata[keys.CONTEXT]))
        except (KeyError, TypeError, ValueError):  # it is none, or none any longer
            text, kept = document.page_content, metadata.keys() - {keys.START_INDEX}
            return cls(text, key, source_id(key), metadata, Span(0, len(text)), kept=kept)

    @classmethod
    def _of_chunk(cls, document: Document, key: str, context: Context) -> Origin:
        page, metadata = document.page_content, document.metadata
        first, start = int(metadata[keys.PREFIX_CHARS]), int(metadata[keys.START_CHAR])
        size = int(metadata[keys.END_CHAR]) - start
        before, overlap_start, overlap_end = context.content, *context.overlap
        # A line in front, lest a line of dashes pass for the start of front matter.
        lead = "\n" * bool(start) + page[before:overlap_start] + page[overlap_end:first]
        return cls(
            text=lead + page[first:],
            key=key,
            document_id=str(metadata.get(keys.DOCUMENT_ID) or source_id(key)),
            metadata=metadata,
            own=Span(len(lead), len(lead) + size),
            start=start,
            line=int(metadata[keys.START_LINE]),
            page_start=first,
            title=context.title,
            above=tuple(Heading(*pair) for pair in context.above),
            kept=frozenset(context.kept),
        )

    @property
    def is_continued(self) -> bool:
        """Whether it is a chunk that does not begin as its section does."""
        return self.title is not None and bool(self.metadata[keys.CONTINUED])

    def within(self, span: Span) -> Span | None:
        """Return the part of a span of the text that is the source's own, None for nothing."""
        start, end = max(span.start, self.own.start), min(span.end, self.own.end)
        piece = self.text[start:end]
        if not piece.strip():
            return None
        return Span(start, start + len(piece.rstrip()))

    def in_source(self, offset: int) -> int:
        """Return an offset in the source for one in the text."""
        return self.start + offset - self.own.start

    def in_page(self, offset: int) -> int:
        """Return an offset in the page content for one in the text."""
        return self.page_start + offset - self.own.start


class Context(NamedTuple):
    """What a chunk's metadata keep, as JSON, for those who split it further.

    Attributes:
        title: the document's, "" for none.
        above: level and title of the headings around the first one in the content.
        content: where in the page content the core's content starts.
        overlap: where in the page content overlap is.
        kept: the keys that are the caller's.
    """

    title: str
    above: tuple[Heading, ...]
    content: int
    overlap: tuple[int, int]
    kept: tuple[str, ...]

    def dumps(self) -> str:
        """Write it as JSON."""
        return json.dumps(self, ensure_ascii=False)

    @classmethod
    def loads(cls, text: str) -> Context:
        """Read what `dumps` wrote."""
        return cls(*json.loads(text))
