"""What a window of a stream has to know of all that is before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from itertools import chain

from msgspec import Struct

from chunkana_core.context.introductions import FirstSentence
from chunkana_core.document.traits import FormatTraits
from chunkana_core.formats.markdown.parser import parse_blocks
from chunkana_core.text.source import Source
from chunkana_core.tree.chunks import Chunk

NO_SENTENCE = FirstSentence()
_LONGEST_HEADING = 1000  # characters of one that is shown again after a cut inside its section


class OpenSection(Struct, frozen=True, gc=False):
    """A section that goes on after a window.

    Attributes:
        level: from 1.
        title: what paths call it.
        anchor: of its heading.
        section_id: its id.
        heading: the text of its heading.
        line: of its heading.
        sentence: the first one of its own text.
    """

    level: int
    title: str
    anchor: str
    section_id: str
    heading: str
    line: int
    sentence: FirstSentence


@dataclass(frozen=True, slots=True)
class Before:
    """What a window has to know of all that is before it.

    Attributes:
        offset: where its text starts in the document.
        lines: how many lines end before it.
        leaves: how many leaves are before it.
        sections: those that it starts in, the outermost first.
        opening: the lines that open the block again in which it starts.
        opening_line: that of the block.
        part_count: how many parts the text has that goes on in it; 0 where it starts a section.
        root_id: the id of the document, "" for the first window.
        sentence: the first one before any heading.
        last_children: by the id of a node that it is under, that of the last chunk there.
        has_content: whether there is content before it.
        leaf: the last one before it.
    """

    offset: int = 0
    lines: int = 0
    leaves: int = 0
    sections: tuple[OpenSection, ...] = ()
    opening: str = ""
    opening_line: int = 0
    part_count: int = 0
    root_id: str = ""
    sentence: FirstSentence = NO_SENTENCE
    last_children: Mapping[str, str] = field(default_factory=dict)
    has_content: bool = False
    leaf: Chunk | None = None

    def skipped(self, text: str) -> Before:
        """Return the same after a text of white space."""
        lines = self.lines + len(Source.of(text).line_starts) - 1
        return replace_fields(self, offset=self.offset + len(text), lines=lines)

    def prefix(self, traits: FormatTraits) -> tuple[str, list[int]]:
        """Return what the window's text is below, with the lines of that in the document.

        These are the headings of the sections that it starts in. The innermost one is as it stands
        in the document where a part of its section's text comes first, for it is shown there.
        """
        texts = [(self.opening, self.opening_line)]
        if traits.has_headings and self.offset:
            marks = ["#" * section.level + "\n\n" for section in self.sections]
            if self.part_count and marks and _is_heading(self.sections[-1]):
                marks[-1] = self.sections[-1].heading
            lines = [section.line for section in self.sections]
            texts = [("\n", 0), *zip(marks, lines, strict=True), *texts]
        counts = [len(Source.of(text).line_starts) - 1 for text, _ in texts]
        numbers = [range(n, n + count) for (_, n), count in zip(texts, counts, strict=True)]
        return "".join(text for text, _ in texts), [*chain(*numbers)]


def _is_heading(section: OpenSection) -> bool:
    """Tell whether the text of a heading is short, and one by itself."""
    blocks = parse_blocks(section.heading) if len(section.heading) <= _LONGEST_HEADING else ()
    return [block.level for block in blocks] == [section.level]
