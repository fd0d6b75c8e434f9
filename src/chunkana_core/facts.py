"""What is in a stretch of text: kinds of blocks, headings, code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from operator import attrgetter

from chunkana_core.blocks import TRAITS, Block, BlockKind
from chunkana_core.document import Document
from chunkana_core.outline import ROOT
from chunkana_core.placing import Place
from chunkana_core.source import Span

_START = attrgetter("start")
_LANGUAGE = re.compile(r"[\w+#.\-]+")
_NOT_TO_BE_FOUND = frozenset({"front_matter", "heading", "definitions"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What a chunk's metadata says of its text; see `Chunk` for the meaning of each."""

    content_type: str
    indexable: bool
    title: str
    section_tags: tuple[str, ...]
    anchor: str
    header_path: str
    has_code: bool
    code_languages: tuple[str, ...]


def find_facts(document: Document, span: Span, place: Place) -> Facts:
    """Look at the blocks of a span."""
    positions = document.positions(span)
    content_type = _content_type(document, positions)
    headings = [
        document.section_at(p)
        for p in positions
        if document.top[p].kind is BlockKind.HEADING and document.top[p].start >= span.start
    ]
    own = headings[0] if headings else document.sections[place.home]
    code = _code_blocks(document, span) if document.analysis.code_block_count else []
    languages = (_LANGUAGE.match(b.info) for b in code if b.kind is BlockKind.FENCED_CODE)
    return Facts(
        content_type=content_type,
        indexable=content_type not in _NOT_TO_BE_FOUND or document.is_only_headings,
        title=own.title,
        section_tags=tuple(section.title for section in headings[1:]),
        anchor=own.anchor,
        header_path=_header_path(document, place),
        has_code=bool(code),
        code_languages=tuple(dict.fromkeys(m[0].lower() for m in languages if m)),
    )


def display_path(titles: tuple[str, ...]) -> str:
    r"""Write a path for display: "/A/B", a "/" inside a title as "\/"."""
    return "/" + "/".join(title.replace("/", r"\/") for title in titles)


def _header_path(document: Document, place: Place) -> str:
    section = document.sections[place.common]
    if section.index == ROOT and len(document.sections) > 1 and not place.is_several:
        return "/__preamble__"
    return display_path(section.path)


def _content_type(document: Document, positions: range) -> str:
    blocks = document.top[positions.start : positions.stop]
    types = {TRAITS[block.kind].content_type for block in blocks if block.is_content}
    if not types:
        has_heading = any(block.kind is BlockKind.HEADING for block in blocks)
        return "heading" if has_heading else "definitions"
    if len(document.sections) > 1 and positions.start < document.sections[ROOT].own_end:
        return "front_matter" if types == {"front_matter"} else "preamble"
    return types.pop() if len(types) == 1 else "mixed"


def _code_blocks(document: Document, span: Span) -> list[Block]:
    """Return the code blocks that a span touches, in containers too."""
    first = max(0, bisect_right(document.blocks, span.start, key=_START) - 1)
    last = bisect_left(document.blocks, span.end, key=_START)
    found = document.blocks[first:last]
    return [b for b in found if TRAITS[b.kind].is_code and b.end > span.start]
