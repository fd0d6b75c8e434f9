"""Parts to leaf chunks: where each belongs, what it is called, what its metadata says."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

from chunkana_core import facts
from chunkana_core.chunks import Chunk, Links, new_chunk
from chunkana_core.config import ChunkConfig
from chunkana_core.document import Document
from chunkana_core.hierarchy import Leaf, new_leaf
from chunkana_core.ids import IdRegister
from chunkana_core.overlap import Overlap
from chunkana_core.placing import Place, place
from chunkana_core.splitting import Part


def find_leaves(
    document: Document, parts: Sequence[Part], section_ids: Sequence[str], register: IdRegister
) -> list[Leaf]:
    """Find where parts belong and give them ids."""
    leaves = []
    for part in parts:
        spot = place(document, part.span)
        text = document.text[part.span.start : part.span.end]
        chunk_id = register.new("chunk", section_ids[spot.common], text)
        leaves.append(new_leaf(chunk_id, part.span, spot))
    return leaves


@dataclass(frozen=True, slots=True)
class LeafMaker:
    """Makes leaf chunks.

    Attributes:
        document: the document.
        config: how it is chunked.
        strategy: the name of the strategy that did.
        parts: the leaves' texts, in document order.
        leaves: where they belong.
        section_ids: by section, its id.
        nodes: the sections that have a node.
        overlap: the texts of their neighbours.
    """

    document: Document
    config: ChunkConfig
    strategy: str
    parts: Sequence[Part]
    leaves: Sequence[Leaf]
    section_ids: Sequence[str]
    nodes: Container[int]
    overlap: Overlap
    _header_paths: dict[tuple[int, bool], str] = field(default_factory=dict)

    def make(self, index: int, links: Links) -> Chunk:
        """Make the leaf with a number."""
        part, leaf, document = self.parts[index], self.leaves[index], self.document
        spot, span, shown, line_at = leaf.place, leaf.span, part.shown, document.source.line_at
        begun = facts.sections_begun(document, span, spot.positions)
        own = begun[0] if begun else document.sections[spot.home]
        content_type = facts.content_type(document, spot.positions)
        code = facts.code_blocks(document, span)
        previous_content, next_content = self.overlap.around(index)
        return new_chunk(
            source=document.source,
            span=span,
            content=shown.content,
            start_line=line_at(min(shown.start, span.start)),
            end_line=(end_line := line_at(span.end - 1)),
            text_start_line=line_at(span.start),
            text_end_line=end_line,
            text_offset=shown.text_offset,
            chunk_id=leaf.chunk_id,
            section_id=self.section_ids[spot.common],
            section=spot.section(document),
            links=links,
            indexable=facts.is_indexable(document, content_type),
            chunk_index=index,
            strategy=self.strategy,
            content_type=content_type,
            title=own.title,
            section_tags=tuple([section.title for section in begun[1:]]),
            anchor=own.anchor,
            header_path=self._header_path(spot),
            size=self.config.length_function(shown.content),
            has_code=bool(code),
            code_languages=facts.languages(code) if code else (),
            header_moved_from_id=self._moved_from(spot),
            merge_reason=_merge_reason(spot),
            split_index=part.split_index,
            original_section_size=part.original_size,
            oversize_reason=part.oversize_reason,
            previous_content=previous_content,
            next_content=next_content,
        )

    def _header_path(self, spot: Place) -> str:
        """Return the path for display; chunks of one section share one string."""
        key = (spot.common, spot.is_several)
        if key not in self._header_paths:
            self._header_paths[key] = facts.header_path(self.document, spot)
        return self._header_paths[key]

    def _moved_from(self, spot: Place) -> str | None:
        """Return the id of the innermost node that a moved heading's section is in."""
        if spot.moved is None:
            return None
        section = spot.moved
        while section not in self.nodes:
            section = self.document.node_above(section)
        return self.section_ids[section]


def _merge_reason(spot: Place) -> str | None:
    if spot.moved is not None:
        return "dangling_header_prevention"
    return "small_chunk" if spot.is_several else None
