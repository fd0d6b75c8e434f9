"""A node that a search found."""

from __future__ import annotations

from dataclasses import dataclass

from chunkana_core import Chunk, Span

NO_SPAN = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Hit:
    """A node of the merge tree that a search found, usually a leaf.

    Merging reads the ids and the score, assembly all but `parent_id` and `section_id`.

    Attributes:
        node_id: unique among all nodes; for assembly alone, a chunk's id will do.
        score: of the search; a higher one is better, any may be negative, a NaN is the lowest.
        parent_id: the node's parent in the merge tree; None for a root.
        document_id: of the node's document.
        section_id: of the node's section, unique in its document.
        span: the range of the text in the document; an empty one if it is not known.
        path: the titles above the text, outermost first, its own heading included.
        text: the exact slice of the document.
        start_line: the line of the document, from 1, where the text starts; None if not known.
        repeated: the header rows or the opening fence that a text from inside a table or code has
            to be read below.
    """

    node_id: str
    score: float
    parent_id: str | None = None
    document_id: str = ""
    section_id: str | None = None
    span: Span = NO_SPAN
    path: tuple[str, ...] = ()
    text: str = ""
    start_line: int | None = None
    repeated: str = ""

    @classmethod
    def of_chunk(cls, chunk: Chunk, score: float, document_id: str = "", title: str = "") -> Hit:
        """Return a leaf as a hit.

        Args:
            chunk: the leaf.
            score: of the search.
            document_id: of the document that the chunk is from.
            title: of the document, put before paths that do not start with it.
        """
        path = chunk.section.path
        above = () if title in {"", *path[:1]} else (title,)
        return cls(
            chunk.chunk_id,
            score,
            document_id=document_id,
            section_id=chunk.section_id,
            span=chunk.span,
            path=(*above, *path),
            text=chunk.text,
            start_line=chunk.text_start_line,
            repeated=repeated_rows(chunk.content[: chunk.text_offset]),
        )


def repeated_rows(prefix: str) -> str:
    r"""Return the header rows or opening fence at the end of what stands before a chunk's text.

    Headings and contexts before them end with a blank line, and are left out.

    >>> repeated_rows("# Sizes\n\n| a | b |\n|---|---|\n"), repeated_rows("# Sizes\n\n")
    ('| a | b |\n|---|---|\n', '')
    """
    return prefix.rpartition("\n\n")[2]
