"""Hits: chunks or other nodes of the merge tree that a search found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chunkana_core import Chunk, Span
from chunkana_core.extending import HEADED_FORMATS, PROSE_FORMATS

NO_SPAN = Span(0, 0)
Cells = tuple[int, int]
Path = tuple[str, ...]
_HEADING = re.compile(
    r"""(?:\A\ufeff)?+\s*+(?:[#]{1,6}[ \t]+(?P<marked>[^\r\n]*+)
    |(?P<underlined>[^\r\n]++)(?:\r\n?|\n)[ ]{0,3}(?:=++|-++)[ \t]*+(?=[\r\n]|\Z))""",
    re.VERBOSE,
)
_CONTINUED = "continued_from_header"
_NON_ALPHANUMERIC = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A node of the merge tree that a search found, usually a leaf.

    Merging uses the ids and the score; assembly uses all fields except `parent_id` and
    `section_id`.

    Attributes:
        node_id: the node's id, unique among all nodes; for assembly alone, a chunk's id suffices.
        score: the score of the search; a higher score is better, scores may be negative, and NaN is
            ranked lowest.
        parent_id: the id of the node's parent in the merge tree; None for a root.
        document_id: the id of the node's document.
        section_id: the id of the node's section, unique in the document.
        span: the range of the text in the document; empty if it is not known.
        path: the header path of the text, outermost title first, its own heading included.
        text: the exact slice of the document.
        start_line: the line of the document, from 1, where the text starts; None if not known.
        repeated: the table header rows or the opening fence to repeat before a text from inside a
            table or a code block.
        format: the name of the document's format.
        signature: the signature to repeat before a text from inside a definition.
        contained_titles: the number of titles at the end of the path that the text or its signature
            contains, not counting Markdown headings at the start of the text.
        cells: the numbers, from 1, of the first and the last notebook cell of the text; None for
            other formats.
        similarity: the cosine similarity to the question, or the score of a user's vector store;
            None if it is not known.
        bm25: the BM25 score of the question's words, with those of the section and the document;
            None if it is not known.
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
    contained_titles: int = 0
    cells: Cells | None = None
    similarity: float | None = None
    bm25: float | None = None

    @property
    def has_fences(self) -> bool:
        """Whether the text may have fences; an open fence is closed where the text is cut."""
        return self.format in HEADED_FORMATS

    @property
    def is_prose(self) -> bool:
        """Whether the text is cut after sentences instead of after lines."""
        return self.format in PROSE_FORMATS

    @classmethod
    def of_chunk(cls, chunk: Chunk, score: float, document_id: str = "", title: str = "") -> Hit:
        """Return a leaf as a hit.

        Args:
            chunk: the leaf.
            score: the score of the search.
            document_id: the id of the chunk's document.
            title: the title of the document, prepended to a path that does not start with it.
        """
        path, prefix = chunk.section.path, chunk.content[: chunk.text_offset]
        name, is_continued = chunk.title if chunk.kind else "", bool(chunk.split_index)
        signature = repeated_signature(prefix, chunk.kind)
        return cls(
            chunk.chunk_id,
            score,
            document_id=document_id,
            section_id=chunk.section_id,
            span=chunk.span,
            path=path if title in {"", *path[:1]} else (title, *path),
            text=chunk.text,
            start_line=chunk.text_start_line,
            repeated=repeated_lines(prefix),
            format=chunk.format,
            signature=signature,
            contained_titles=count_contained_titles(
                path, name, signature, is_continued=is_continued
            ),
            cells=_known_cells(chunk.cell, chunk.cell_end),
        )

    def with_metadata(self, metadata: Mapping[str, object], before: str) -> Hit:
        """Return the hit with the fields that an adapter's chunk metadata contain.

        Fields without metadata are set to their value for "not known".

        Args:
            metadata: the metadata of the chunk.
            before: the part of the chunk's content before the text.
        """
        kind, name = str(metadata.get("kind", "")), str(metadata.get("name", ""))
        signature, is_continued = repeated_signature(before, kind), bool(metadata.get(_CONTINUED))
        return replace(
            self,
            node_id=str(metadata.get("chunk_id", self.node_id)),
            start_line=_number(metadata.get("start_line")),
            repeated=repeated_lines(before),
            format=str(metadata.get("format", self.format)),
            signature=signature,
            contained_titles=count_contained_titles(
                self.path, name, signature, is_continued=is_continued
            ),
            cells=_known_cells(metadata.get("cell"), metadata.get("cell_end")),
        )


def _known_cells(first: object, last: object) -> Cells | None:
    """Return the numbers of two cells, None if one is not known."""
    start, end = _number(first), _number(last)
    return (start, end) if start and end else None


def _number(value: object) -> int | None:
    """Return a value if it is a whole number of at least 1, else None."""
    return value if isinstance(value, int) and value > 0 else None


def repeated_lines(prefix: str) -> str:
    r"""Return the table header rows or opening fence that a chunk repeats before its text.

    Headings and contexts before them end with a blank line and are omitted.

    Args:
        prefix: the part of the chunk's content before the text.

    >>> repeated_lines("# Sizes\n\n| a | b |\n|---|---|\n"), repeated_lines("# Sizes\n\n")
    ('| a | b |\n|---|---|\n', '')
    """
    return prefix.rpartition("\n\n")[2]


def repeated_signature(prefix: str, kind: str) -> str:
    r"""Return the signature that a chunk from inside a definition repeats, "" for none.

    Args:
        prefix: the part of the chunk's content before the text.
        kind: the kind of the chunk's definition, "" for none.

    >>> repeated_signature("def brew(water):\n\n", "function")
    'def brew(water):'
    """
    return prefix.strip("\r\n") if kind else ""


def count_contained_titles(
    path: Sequence[str], name: str, signature: str, *, is_continued: bool
) -> int:
    """Return the number of titles at the end of a path that a source code chunk contains itself.

    If several titles have the name, the last one counts: a definition in another of its name, such
    as a constructor, does not contain the outer one, and no title is lost.

    Args:
        path: the header path of the chunk.
        name: the name of the chunk's first definition, "" for none.
        signature: the signature that the chunk repeats, as `repeated_signature` returns it.
        is_continued: whether the chunk begins inside of that definition.

    >>> count_contained_titles(("Tea", "brew"), "brew", "", is_continued=False)
    1
    """
    if not name or name not in path or (is_continued and not signature):
        return 0
    return [*reversed(path)].index(name) + 1


def titles_above(path: tuple[str, ...], text: str) -> tuple[str, ...]:
    r"""Return the titles of a path that are above the headings at the start of the text.

    >>> titles_above(("Guide", "Install", "Linux"), "## Install\n\nText.\n\n### Linux\n\nMore.\n")
    ('Guide',)
    """
    headings: list[str] = []
    match = _HEADING.match(text) if path else None
    while match is not None and len(headings) < len(path):
        headings.append(match["marked"] or match["underlined"] or "")
        match = _HEADING.match(text, match.end())
    deepest = len(path) - len(headings)
    for above in (*range(deepest, len(path)), *range(deepest - 1, -1, -1)):
        if headings and all(map(_starts_with_title, headings, path[above:])):
            return path[:above]
    return path


def join_paths(outer: tuple[str, ...], inner: tuple[str, ...]) -> tuple[str, ...]:
    """Return the titles of two paths, without repeating those that end one and start the other.

    >>> join_paths(("Guide", "Install"), ("Install", "Linux"))
    ('Guide', 'Install', 'Linux')
    """
    lengths = range(len(inner), 0, -1)
    overlap = next((length for length in lengths if outer[-length:] == inner[:length]), 0)
    return outer + inner[overlap:]


def _starts_with_title(heading: str, title: str) -> bool:
    """Return whether a heading's Markdown starts with a title, compared by letters and digits."""
    letters = _NON_ALPHANUMERIC.sub("", title)
    if not letters:
        return title in heading
    return _NON_ALPHANUMERIC.sub("", heading).startswith(letters)
