"""Make leaf chunks with their metadata from parts."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import attrgetter

from msgspec import Struct, field, structs

from chunkana_core.config import ChunkConfig
from chunkana_core.document.blocks import TRAITS, Block
from chunkana_core.document.document import Document
from chunkana_core.document.location import Location, container_names, sections_starting_in
from chunkana_core.document.outline import ROOT
from chunkana_core.document.paths import Path, format_header_path
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.splitter import Part
from chunkana_core.text.source import Span
from chunkana_core.tree.chunks import Chunk
from chunkana_core.tree.ids import IdRegister, SectionIds

_START, _END = attrgetter("start"), attrgetter("end")
_LANGUAGE = re.compile(r"[\w+#.\-]+")


class LeafMaker(Struct, frozen=True):
    """Makes leaf chunks, without links.

    Attributes:
        document: the document.
        config: the options of chunking.
        strategy: the name of the strategy used.
        sections: returns the ids of sections.
        ids: returns new ids of leaves.
    """

    document: Document
    config: ChunkConfig
    strategy: str
    sections: SectionIds
    ids: IdRegister
    _header_paths: dict[Path, str] = field(default_factory=dict)

    def leaves(self, parts: Sequence[Part], sizer: Sizer) -> list[Chunk]:
        """Return the leaves of a document, one for each part, in order."""
        spans, locations = [part.span for part in parts], [part.location for part in parts]
        containers = container_names(self.document, spans, locations)
        leaves = [
            self._leaf(number, part, container)
            for number, (part, container) in enumerate(zip(parts, containers, strict=True))
        ]
        if self.document.cells.cells:
            leaves = [*map(self._with_cells, leaves)]
        size = self.config.overlap_size
        return _with_overlap(leaves, parts, sizer, size) if size else leaves

    def _with_cells(self, leaf: Chunk) -> Chunk:
        """Return a leaf of a notebook with its cell numbers and the lines in the cells."""
        cells = self.document.cells.lines(self.document.source, leaf.span)
        return structs.replace(leaf, **structs.asdict(cells))

    def _leaf(self, number: int, part: Part, container: str) -> Chunk:
        document, location, span, content = self.document, part.location, part.span, part.content
        line_at = document.source.line_at
        start_line, end_line = line_at(span.start), line_at(span.end - 1)
        section_id = self.sections.up_to(location.stop)[location.common_section]
        starting = sections_starting_in(document, span, location)
        own_section = starting[0] if starting else document.section_at(location.first)
        code = code_blocks(document, span)
        return Chunk(
            source=document.source,
            span=span,
            content=content.text,
            context=part.context.text,
            start_line=line_at(content.start) if content.start < span.start else start_line,
            end_line=line_at(content.end - 1) if content.end > span.end else end_line,
            text_start_line=start_line,
            text_end_line=end_line,
            text_offset=content.text_offset,
            chunk_id=self.ids.new("chunk", section_id, document.text[span.start : span.end]),
            section_id=section_id,
            section=location.section_path,
            indexable=is_indexable(document, location),
            chunk_index=number,
            strategy=self.strategy,
            format=document.traits.name,
            content_type=content_type(document, location),
            container=container,
            kind=own_section.kind,
            title=own_section.title,
            section_tags=tuple([section.title for section in starting[1:]]),
            anchor=own_section.anchor,
            header_path=self._header_path(location),
            size=part.context.size,
            has_code=bool(code),
            code_languages=languages(code),
            merge_reason=_merge_reason(location),
            split_index=part.split_index,
            original_section_size=part.original_size,
            oversize_reason=part.oversize_reason,
        )

    def _header_path(self, location: Location) -> str:
        """Return the header path as a string, the same object for all chunks of one path."""
        if (
            self.document.preamble_stop
            and location.common_section == ROOT
            and not location.has_several_bodies
        ):
            return "/__preamble__"
        path = location.section_path.path
        if path not in self._header_paths:
            self._header_paths[path] = format_header_path(path)
        return self._header_paths[path]


def content_type(document: Document, location: Location) -> str:
    """Return the `content_type` of a chunk: that of its blocks, else "mixed" or "preamble"."""
    blocks = document.top[location.first : location.stop]
    types = {traits.content_type for block in blocks if (traits := TRAITS[block.kind]).is_content}
    if not types:
        return "heading" if is_indexable(document, location) else "definitions"
    if location.first < document.preamble_stop:
        return "front_matter" if types == {"front_matter"} else "preamble"
    return types.pop() if len(types) == 1 else "mixed"


def is_indexable(document: Document, location: Location) -> bool:
    """Return whether any block of a chunk has visible text, so that it is worth embedding."""
    return any(map(document.is_readable, range(location.first, location.stop)))


def code_blocks(document: Document, span: Span) -> Sequence[Block]:
    """Return the code blocks, nested or not, that overlap a span."""
    first = bisect_right(document.code, span.start, key=_END)
    return document.code[first : bisect_left(document.code, span.end, first, key=_START)]


def languages(blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return the first words of the info strings of code blocks, each once."""
    matches = [_LANGUAGE.match(block.info) for block in blocks]
    return tuple(dict.fromkeys([match[0].lower() for match in matches if match]))


def _merge_reason(location: Location) -> str | None:
    if location.moved_section is not None:
        return "dangling_header_prevention"
    return "small_chunk" if location.has_several_bodies else None


def _with_overlap(
    leaves: Sequence[Chunk], parts: Sequence[Part], sizer: Sizer, size: int
) -> list[Chunk]:
    """Return the leaves of parts; neighbours under the same parent overlap."""
    overlapping = [*leaves]
    for number, (before, after) in enumerate(pairwise(parts)):
        if before.location.parent_section == after.location.parent_section:
            pair = overlap(overlapping[number], overlapping[number + 1], sizer, size)
            overlapping[number : number + 2] = pair
    return overlapping


def overlap(left: Chunk, right: Chunk, sizer: Sizer, size: int) -> tuple[Chunk, Chunk]:
    """Return two neighbouring leaves with the overlap, which is only in their metadata."""
    last, first = _last_words(left.text, sizer, size), _first_words(right.text, sizer, size)
    return structs.replace(left, next_content=first), structs.replace(right, previous_content=last)


def _last_words(text: str, sizer: Sizer, size: int) -> str:
    """Return the last words of a text that fit into a size."""
    start = sizer.longest_end(text, 0, len(text), size)
    while 0 < start < len(text) and not text[start - 1].isspace():
        start += 1
    return text[start:].lstrip()


def _first_words(text: str, sizer: Sizer, size: int) -> str:
    """Return the first words of a text that fit into a size."""
    end = sizer.longest(text, 0, len(text), size)
    while 0 < end < len(text) and not text[end].isspace():
        end -= 1
    return text[:end].rstrip()
