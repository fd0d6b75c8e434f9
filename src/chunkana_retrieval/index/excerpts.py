"""Excerpts: the exact text of a section or of lines of a document in an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunkana_core import ConfigurationError, Source, TocEntry
from chunkana_core.extending import format_header_path
from chunkana_retrieval.errors import UnknownNameError
from chunkana_retrieval.index.names import similar_names
from chunkana_retrieval.index.records import DocumentRecord

_LINES = re.compile("[0-9]{1,9}(-[0-9]{1,9})?")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Consecutive lines of a document.

    Attributes:
        text: the exact text.
        start_line: the first line, from 1.
        end_line: the last line; 0 for an empty document.
    """

    text: str
    start_line: int
    end_line: int


# What may be given as the name of a section, in the order in which it is looked for.
_SECTION_NAMES: tuple[Callable[[TocEntry], str], ...] = (
    lambda entry: entry.section_id,
    lambda entry: entry.anchor,
    lambda entry: format_header_path(entry.path),
    lambda entry: " > ".join(entry.path),
    lambda entry: ".".join(entry.path),
    lambda entry: entry.title,
)


def section_names(outline: Sequence[TocEntry]) -> list[str]:
    """Return a name of each section of a document, by which it is read.

    It is the anchor of a heading, and in other formats the path. Of sections with the same one,
    such as the getter and the setter of a property, the first has it, and others have their ids.
    """
    names, taken = list[str](), {""}
    for entry in outline:
        name = entry.anchor or ".".join(entry.path)
        names.append(entry.section_id if name in taken else name)
        taken.add(name)
    return names


def find_section(record: DocumentRecord, name: str) -> TocEntry:
    """Return the section of a document with an id, anchor, path or title; case may differ.

    Raises:
        UnknownNameError: with similar names if the document has no such section.
    """
    for fold in (str, str.casefold):
        for name_of in _SECTION_NAMES:
            for entry in record.outline:
                if fold(name_of(entry)) == fold(name):
                    return entry
    named = [*zip(record.outline, section_names(record.outline), strict=True)]
    by_name = {name_of(entry): shown for name_of in _SECTION_NAMES for entry, shown in named}
    similar = [by_name[one] for one in similar_names(name, by_name)]
    raise UnknownNameError("section", name, [*dict.fromkeys(similar)])


def parse_lines(text: str) -> tuple[int, int] | None:
    """Return the first and the last of lines such as "12-30" or "12", None for no text.

    Raises:
        ConfigurationError: for anything else.
    """
    if not text:
        return None
    if not _LINES.fullmatch(text):
        raise ConfigurationError("lines", text, "the first and the last line, such as 12-30")
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def read_excerpt(record: DocumentRecord, section: str, lines: tuple[int, int] | None) -> Excerpt:
    """Return a section with its subsections, or lines, or the whole document.

    Args:
        record: the record of the document.
        section: the id, anchor, path or title of a section, "" for none.
        lines: the first and the last line, from 1; lines after the end are left out.

    Raises:
        ConfigurationError: for lines that are not in order, or that are all after the end.
        UnknownNameError: if the document has no such section.
    """
    starts = [*Source.of(record.text).line_starts, len(record.text)]
    if starts[-1] == starts[-2]:  # the last line is empty
        del starts[-1]
    count = len(starts) - 1
    if section and lines:
        raise ConfigurationError("lines", lines, "None with a section")
    if section:
        entry = find_section(record, section)
        lines = entry.start_line, entry.end_line
    first, last = lines or (min(1, count), count)
    last = min(last, count)
    if lines and not 1 <= first <= last:
        allowed = f"the first and the last line, from 1; the document has {count}"
        raise ConfigurationError("lines", lines, allowed)
    return Excerpt(record.text[starts[first - 1] : starts[last]] if count else "", first, last)
