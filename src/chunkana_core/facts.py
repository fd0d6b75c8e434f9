"""What is in a stretch of text: kinds of blocks, headings, code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter

from chunkana_core.blocks import TRAITS, Block, BlockKind
from chunkana_core.document import Document
from chunkana_core.outline import ROOT, Section
from chunkana_core.placing import Place
from chunkana_core.source import Span

_START, _END = attrgetter("start"), attrgetter("end")
_LANGUAGE = re.compile(r"[\w+#.\-]+")
_NOT_TO_BE_FOUND = frozenset({"front_matter", "heading", "definitions"})


def display_path(titles: Iterable[str]) -> str:
    r"""Write a path for display: "/A/B", a "/" inside a title as "\/"."""
    return "/" + "/".join(title.replace("/", r"\/") for title in titles)


def header_path(document: Document, place: Place) -> str:
    """Return the path for display of what stands at a place."""
    section = document.sections[place.common]
    if section.index == ROOT and len(document.sections) > 1 and not place.is_several:
        return "/__preamble__"
    return display_path(section.path)


def sections_begun(document: Document, span: Span, positions: range) -> Sequence[Section]:
    """Return the sections whose headings start in a span."""
    first = document.section_at(positions.start)
    last = document.section_at(positions.stop - 1)
    is_begun = first.first >= positions.start and first.index != ROOT
    is_begun = is_begun and document.top[first.first].start >= span.start
    return document.sections[first.index + (not is_begun) : last.index + 1]


def content_type(document: Document, positions: range) -> str:
    """Return what to call a chunk of some blocks."""
    blocks = document.top[positions.start : positions.stop]
    kinds = {block.kind for block in blocks}
    types = {TRAITS[kind].content_type for kind in kinds if TRAITS[kind].is_content}
    if not types:
        return "heading" if BlockKind.HEADING in kinds else "definitions"
    if len(document.sections) > 1 and positions.start < document.sections[ROOT].own_end:
        return "front_matter" if types == {"front_matter"} else "preamble"
    return types.pop() if len(types) == 1 else "mixed"


def is_indexable(document: Document, kind: str) -> bool:
    """Tell whether chunks of a content type are worth embedding."""
    is_all_there_is = kind == "heading" and document.is_only_headings
    return is_all_there_is or kind not in _NOT_TO_BE_FOUND


def code_blocks(document: Document, span: Span) -> Sequence[Block]:
    """Return the code blocks that a span touches, in containers too."""
    first = bisect_right(document.code, span.start, key=_END)
    return document.code[first : bisect_left(document.code, span.end, first, key=_START)]


def languages(blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return the first words of info strings, each once."""
    matches = [_LANGUAGE.match(block.info) for block in blocks]
    return tuple(dict.fromkeys([match[0].lower() for match in matches if match]))
