"""The state carried from one window of a stream to the next."""

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
_LONGEST_HEADING = 1000  # characters; a longer heading is not repeated after a cut in its section


class OpenSection(Struct, frozen=True, gc=False):
    """A section that continues after a window.

    Attributes:
        level: the heading level, from 1.
        title: the title in header paths.
        anchor: the anchor of the heading.
        section_id: the id of the section.
        heading: the source text of the heading.
        line: the line of the heading.
        sentence: the first sentence of the section's own text.
    """

    level: int
    title: str
    anchor: str
    section_id: str
    heading: str
    line: int
    sentence: FirstSentence


@dataclass(frozen=True, slots=True)
class StreamState:
    """The state carried from one window of a stream to the next.

    Attributes:
        offset: the offset in the stream at which the next window starts.
        line_count: the number of lines that end before the next window.
        leaf_count: the number of leaves before the next window.
        sections: the sections that are open at the start of the next window, outermost first.
        opening: the lines that reopen the block that was cut, "" if none was.
        opening_line: the line at which that block starts.
        part_count: the number of parts already made of the text that continues; 0 for none.
        root_id: the id of the document node, "" before the first window.
        first_sentence: the first sentence before any heading.
        last_children: the id of the last child of each open node, by the id of the node.
        has_content: whether there is content before the next window.
        last_leaf: the last leaf before the next window.
    """

    offset: int = 0
    line_count: int = 0
    leaf_count: int = 0
    sections: tuple[OpenSection, ...] = ()
    opening: str = ""
    opening_line: int = 0
    part_count: int = 0
    root_id: str = ""
    first_sentence: FirstSentence = NO_SENTENCE
    last_children: Mapping[str, str] = field(default_factory=dict)
    has_content: bool = False
    last_leaf: Chunk | None = None

    def skip_text(self, text: str) -> StreamState:
        """Return the state after a text of white space is skipped."""
        lines = self.line_count + len(Source.of(text).line_starts) - 1
        return replace_fields(self, offset=self.offset + len(text), line_count=lines)

    def prefix(self, traits: FormatTraits) -> tuple[str, list[int]]:
        """Return the text to insert before the next window, and the line of each of its lines.

        The text has a heading for each open section, so that the parser sees the same header
        stack, and the lines that reopen a cut block. Headings are empty, except the innermost if
        the window starts inside its section: then it is the original one, because the parts of a
        split section repeat their heading.
        """
        texts = [(self.opening, self.opening_line)]
        if traits.has_headings and self.offset:
            marks = ["#" * section.level + "\n\n" for section in self.sections]
            if self.part_count and marks and _can_repeat_heading(self.sections[-1]):
                marks[-1] = self.sections[-1].heading
            lines = [section.line for section in self.sections]
            texts = [("\n", 0), *zip(marks, lines, strict=True), *texts]
        counts = [len(Source.of(text).line_starts) - 1 for text, _ in texts]
        numbers = [range(n, n + count) for (_, n), count in zip(texts, counts, strict=True)]
        return "".join(text for text, _ in texts), [*chain(*numbers)]


def _can_repeat_heading(section: OpenSection) -> bool:
    """Return whether the text of a section's heading is short, and parses as that heading alone."""
    blocks = parse_blocks(section.heading) if len(section.heading) <= _LONGEST_HEADING else ()
    return [block.level for block in blocks] == [section.level]
