"""Overlap: prose from the end of the previous chunk, repeated before a chunk's content."""

from __future__ import annotations

import re

from chunkana_core import Chunk
from chunkana_core.extending import PROSE_FORMATS

# A line that may be part of a heading, code, math, a table or HTML.
_NO_PROSE = re.compile(
    r"(?:\A|(?<=[\r\n]))"
    r"(?:[ ]{4}|[ ]*\t|[ \t>]*[#|<]|[^\r\n]*(?:`{3}|~{3}|\$\$|[ \t]\|[ \t]))[^\r\n]*"
)
_FIRST_SENTENCE = re.compile(r"\A.*?(?:\n[ \t]*\n\s*|[.!?…][\"')\]*_]*\s+|[。！？])", re.DOTALL)
_BLANK_LINE = "\n\n"
_BLANK_LINES = ("\n\n", "\r\n\r\n", "\r\r")  # the end of repeated headings
_NO_PROSE_TYPES = frozenset({"code", "math", "table", "html"})


def front_with_overlap(previous: Chunk, chunk: Chunk, breadcrumb: str) -> str:
    """Return the context and the overlap of a chunk, "" if there is no overlap.

    An introduction that the overlap contains is omitted.

    Args:
        previous: the chunk before it.
        chunk: the chunk.
        breadcrumb: the whole breadcrumb of the chunk, "" for none.
    """
    overlap = _overlap_between(previous, chunk)
    if not overlap:
        return ""
    before, _, last = chunk.context.rpartition(_BLANK_LINE)
    # The last paragraph is either an introduction or a breadcrumb, which may be shortened to the
    # end of the whole breadcrumb.
    is_repeated = not breadcrumb.endswith(last) and last in " ".join(overlap.split())
    return paragraphs(before if is_repeated else chunk.context, overlap)


def paragraphs(*texts: str) -> str:
    """Return the texts that are not empty, each followed by a blank line."""
    return "".join([text + _BLANK_LINE for text in texts if text])


def _overlap_between(previous: Chunk, chunk: Chunk) -> str:
    """Return the last whole sentences of prose in the previous chunk, "" for none.

    There is no overlap in source code and JSON, and none if the previous chunk ends with code,
    math, a table or HTML or if the cut is inside of one.
    """
    repeated = chunk.content[: chunk.text_offset]
    if chunk.format not in PROSE_FORMATS:
        return ""
    is_cut_before = bool(repeated) and not repeated.endswith(_BLANK_LINES)
    is_cut_after = len(previous.content) > previous.text_offset + len(previous.text)
    if is_cut_before or is_cut_after or previous.content_type in _NO_PROSE_TYPES:
        return ""
    text = chunk.previous_content
    if other_lines := list(_NO_PROSE.finditer(text)):
        return text[other_lines[-1].end() :].strip()
    if text == previous.text:
        return text.strip()
    first = _FIRST_SENTENCE.match(text)  # this sentence may be cut off at its start
    return text[first.end() :].strip() if first else ""
