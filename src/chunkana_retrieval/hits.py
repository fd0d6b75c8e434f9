"""A node that a search found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chunkana_core import Chunk, Span

NO_SPAN = Span(0, 0)
Cells = tuple[int, int]
_HEADING = re.compile(
    r"""(?:\A\ufeff)?+\s*+(?:[#]{1,6}[ \t]+(?P<marked>[^\r\n]*+)
    |(?P<underlined>[^\r\n]++)(?:\r\n?|\n)[ ]{0,3}(?:=++|-++)[ \t]*+(?=[\r\n]|\Z))""",
    re.VERBOSE,
)
_CONTINUED = "continued_from_header"
_NO_LETTER = re.compile(r"[\W_]+")
_MARKUP = frozenset({"markdown", "notebook"})  # formats with fences and headings
_PROSE = _MARKUP | {"text"}


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
        format: the name of the document's format.
        signature: that of the definition that a text from inside it is read below.
        opened: how many titles at the path's end the text, or its signature, says itself, besides
            those that it begins with as headings of Markdown.
        cells: of a notebook, the numbers, from 1, of the first and the last cell of the text; None
            of other documents.
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
    format: str = "markdown"
    signature: str = ""
    opened: int = 0
    cells: Cells | None = None

    @property
    def has_fences(self) -> bool:
        """Whether its text may have fences, which are closed where it is cut."""
        return self.format in _MARKUP

    @property
    def is_prose(self) -> bool:
        """Whether its text is cut after sentences, rather than after lines."""
        return self.format in _PROSE

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
        prefix, is_continued = chunk.content[: chunk.text_offset], bool(chunk.split_index)
        signature = repeated_signature(prefix, chunk.kind)
        name = chunk.title if chunk.kind else ""
        return cls(
            chunk.chunk_id,
            score,
            document_id=document_id,
            section_id=chunk.section_id,
            span=chunk.span,
            path=(*above, *path),
            text=chunk.text,
            start_line=chunk.text_start_line,
            repeated=repeated_rows(prefix),
            format=chunk.format,
            signature=signature,
            opened=opened_titles(path, name, signature, is_continued=is_continued),
            cells=cells_of(chunk),
        )

    def with_metadata(self, metadata: Mapping[str, object], before: str) -> Hit:
        """Return the hit with what an adapter says of a chunk; what is missing is not known.

        Args:
            metadata: of the chunk.
            before: what stands before the text in the chunk's content.
        """
        kind, name = str(metadata.get("kind", "")), str(metadata.get("name", ""))
        signature, is_continued = repeated_signature(before, kind), bool(metadata.get(_CONTINUED))
        first, last = _number(metadata.get("cell")), _number(metadata.get("cell_end"))
        return replace(
            self,
            node_id=str(metadata.get("chunk_id", self.node_id)),
            start_line=_number(metadata.get("start_line")),
            repeated=repeated_rows(before),
            format=str(metadata.get("format", self.format)),
            signature=signature,
            opened=opened_titles(self.path, name, signature, is_continued=is_continued),
            cells=(first, last) if first and last else None,
        )


def _number(value: object) -> int | None:
    """Return a number from 1, None for none."""
    return value if isinstance(value, int) and value > 0 else None


def cells_of(chunk: Chunk) -> Cells | None:
    """Return the numbers of the first and the last cell of a leaf, None outside of notebooks."""
    return None if chunk.cell is None or chunk.cell_end is None else (chunk.cell, chunk.cell_end)


def repeated_rows(prefix: str) -> str:
    r"""Return the header rows or opening fence at the end of what stands before a chunk's text.

    Headings and contexts before them end with a blank line, and are left out.

    >>> repeated_rows("# Sizes\n\n| a | b |\n|---|---|\n"), repeated_rows("# Sizes\n\n")
    ('| a | b |\n|---|---|\n', '')
    """
    return prefix.rpartition("\n\n")[2]


def repeated_signature(prefix: str, kind: str) -> str:
    r"""Return the signature that is repeated before a text from inside a definition, "" for none.

    Args:
        prefix: what stands before the text in its chunk's content.
        kind: of the chunk, "" for what is no definition.

    >>> repeated_signature("def brew(water):\n\n", "function")
    'def brew(water):'
    """
    return prefix.strip("\r\n") if kind else ""


def opened_titles(path: Sequence[str], name: str, signature: str, *, is_continued: bool) -> int:
    """Return how many titles at the end of a path a chunk of source code says itself.

    Args:
        path: of the chunk.
        name: of its first definition, "" for none.
        signature: what `repeated_signature` returns.
        is_continued: whether it begins inside of that definition.

    >>> opened_titles(("Tea", "brew"), "brew", "", is_continued=False)
    1
    """
    if not name or name not in path or (is_continued and not signature):
        return 0
    return [*reversed(path)].index(name) + 1


def titles_above(path: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return a path without the titles at its end that a text starts with as headings."""
    headings: list[str] = []
    match = _HEADING.match(text) if path else None
    while match is not None and len(headings) < len(path):
        headings.append(match["marked"] or match["underlined"] or "")
        match = _HEADING.match(text, match.end())
    for above in range(len(path) - len(headings), len(path)):
        if all(map(_says, headings, path[above:])):
            return path[:above]
    return path


def _says(heading: str, title: str) -> bool:
    """Tell whether a heading's Markdown starts with a title."""
    said = _NO_LETTER.sub("", title)
    return _NO_LETTER.sub("", heading).startswith(said) if said else title in heading
