"""Windows of a document as they are parsed, and the state between two of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.context.introductions import FirstSentence
from chunkana_core.document.blocks import Block
from chunkana_core.formats.markdown.parser import ParsedWindow
from chunkana_core.text.source import Source
from chunkana_core.tree.chunks import Chunk


class OpenSection(Struct, frozen=True, gc=False):
    """A section that continues after a window; the section of level 0 is the document.

    Attributes:
        level: the heading level.
        title: the title in header paths.
        anchor: the anchor of the heading.
        section_id: the id of the section, "" before the first window.
        heading: the source text of the heading with a blank line; "" if it is too long to repeat,
            or does not parse as that heading alone.
        line: the line of the heading.
        sentence: the first sentence of the section's own text.
        last_child: the id of the last child so far of the section's node, None for none.
    """

    level: int = 0
    title: str = ""
    anchor: str = ""
    section_id: str = ""
    heading: str = ""
    line: int = 0
    sentence: FirstSentence = FirstSentence()
    last_child: str | None = None


class WindowState(Struct, frozen=True):
    """The state between two windows of a document; the default is that before the first window.

    Attributes:
        offset: the offset at which the next window starts, in code points.
        line_count: the number of lines that end before the next window.
        sections: the document and the sections that are open there, outermost first.
        is_inside_section: whether the next window starts inside the text of the innermost section.
        opening: the lines that reopen the block that was cut, "" if none was.
        opening_line: the line at which that block starts.
        has_content: whether there is content before the next window, not only headings.
        last_leaf: the last leaf before the next window, which is not yet complete.
    """

    offset: int = 0
    line_count: int = 0
    sections: tuple[OpenSection, ...] = (OpenSection(),)
    is_inside_section: bool = False
    opening: str = ""
    opening_line: int = 0
    has_content: bool = False
    last_leaf: Chunk | None = None

    @property
    def part_count(self) -> int:
        """The number of parts already made of the text that the next window continues."""
        leaf = self.last_leaf if self.is_inside_section else None
        return 1 + (leaf.split_index or 0) if leaf else 0

    def after_space(self, text: str) -> WindowState:
        """Return the state after a text of white space is skipped."""
        lines = self.line_count + _count_lines(text)
        return replace(self, offset=self.offset + len(text), line_count=lines)

    def prefix(self) -> tuple[str, list[int]]:
        """Return the text to insert before the next window, and the line of each of its lines.

        The text has a heading for each open section, so that the parser sees the same header
        stack, and the lines that reopen a cut block. Headings are empty, except the innermost if
        the window starts inside its section: then it is the original one, because the parts of a
        split section repeat their heading.
        """
        if not self.offset:
            return "", []
        texts = [("\n", 0)]
        for section in self.sections[1:]:
            is_continued = self.part_count and section is self.sections[-1]
            repeated = section.heading if is_continued else ""
            texts.append((repeated or "#" * section.level + "\n\n", section.line))
        texts.append((self.opening, self.opening_line))
        numbers = [range(line, line + _count_lines(text)) for text, line in texts]
        return "".join([text for text, _ in texts]), [*chain(*numbers)]


class Window(Struct, frozen=True):
    """The parsed text of a window, below a prefix: see `WindowState.prefix`.

    Attributes:
        state: the state before the window.
        source: the prefix and the text of the window.
        start: the offset after the prefix.
        prefix_lines: the line in the document of each line of the prefix.
        parsed: the blocks of the prefix and the window, and what may be open at its headings.
    """

    state: WindowState
    source: Source
    start: int
    prefix_lines: Sequence[int]
    parsed: ParsedWindow

    @property
    def top(self) -> list[Block]:
        """The top-level blocks."""
        return [block for block in self.parsed.blocks if not block.depth]

    def headings(self, stop: int) -> list[Block]:
        """Return the top-level headings after the prefix that start before an offset."""
        return [block for block in self.top if block.level and self.start <= block.start < stop]

    def line_at(self, offset: int) -> int:
        """Return the line in the document of an offset in the window, counted from 1."""
        return self.document_line(self.source.line_at(offset))

    def document_line(self, number: int) -> int:
        """Return the line in the document of a line of the window, both counted from 1."""
        count = len(self.prefix_lines)
        return self.prefix_lines[number - 1] if number <= count else number + self.line_shift

    @property
    def line_shift(self) -> int:
        """The difference between a line number in the document and in the window."""
        return self.state.line_count - len(self.prefix_lines)

    def line_end(self, offset: int) -> str:
        """Return the line ending after an offset, but LF for CR: CR and a later LF would be one."""
        ending = self.source.line_ending(offset)
        return "\n" if ending == "\r" else ending

    def ends_before_heading(self, end: WindowEnd) -> bool:
        """Return whether the last top-level block is a heading before which the window ends."""
        last = self.top[-1]
        return last.level > 0 and last.start == end.offset

    def up_to(self, heading: Block) -> Window:
        """Return the window that ends with a heading before which the blocks are final."""
        blocks = self.parsed.blocks[: heading.index + 1]
        source = Source.of(self.source.text[: heading.end])
        return replace(self, source=source, parsed=self.parsed._replace(blocks=blocks))


class WindowEnd(Struct, frozen=True, gc=False):
    """The end of a window, before a heading or inside the text of a section.

    If it is before a heading, this heading is the last block of the window.

    Attributes:
        offset: the offset in the window, in code points.
        opening: the lines that reopen a block that is cut in the next window, "" for none.
        opening_start: the offset at which this block starts.
    """

    offset: int
    opening: str = ""
    opening_start: int = 0


def _count_lines(text: str) -> int:
    """Return the number of line endings in a text."""
    return len(Source.of(text).line_starts) - 1
