"""The blocks of a document, named as in CommonMark, and the traits of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from itertools import accumulate

from msgspec import Struct


class BlockKind(StrEnum):
    """The kinds of blocks."""

    HEADING = auto()
    PARAGRAPH = auto()
    LIST = auto()
    LIST_ITEM = auto()
    BLOCK_QUOTE = auto()
    FENCED_CODE = auto()
    INDENTED_CODE = auto()
    TABLE = auto()
    MATH = auto()
    HTML = auto()
    THEMATIC_BREAK = auto()
    LINK_DEFINITION = auto()
    FOOTNOTE = auto()
    CONTAINER = auto()  # an admonition, directive, HTML element or shortcode that contains blocks
    MARKER = auto()  # a line that opens or closes a container
    FRONT_MATTER = auto()
    OPAQUE = auto()  # lines that are not parsed: nested too deep, or not prose in plain text
    CODE = auto()  # a statement of source code or a value of JSON, including nested ones
    BRACKET = auto()  # the lines that close a section of code, such as "}"


class Division(Enum):
    """How a block that does not fit into a chunk is divided."""

    CHILDREN = auto()
    SENTENCES = auto()
    LINES = auto()
    CODE_LINES = auto()  # lines that are preferably cut at blank lines
    FENCED_LINES = auto()  # lines of code between fences, which each part repeats
    ROWS = auto()  # rows of a table below its header, which each part repeats


@dataclass(frozen=True, slots=True)
class Traits:
    """The properties of a block kind; a new kind needs an entry in `TRAITS`."""

    content_type: str  # of a chunk that contains only blocks of this kind
    division: Division = Division.SENTENCES
    oversize_reason: str | None = None  # set for atoms, which `atomic_blocks="keep"` never cuts
    is_code: bool = False
    is_content: bool = True  # whether a block of this kind gives its section a body


_CODE = "code_block_integrity"

TRAITS: dict[BlockKind, Traits] = {
    BlockKind.HEADING: Traits("heading", is_content=False),
    BlockKind.PARAGRAPH: Traits("text"),
    BlockKind.LIST: Traits("list", Division.CHILDREN),
    BlockKind.LIST_ITEM: Traits("list", Division.CHILDREN),
    BlockKind.BLOCK_QUOTE: Traits("text", Division.CHILDREN),
    BlockKind.FENCED_CODE: Traits("code", Division.FENCED_LINES, _CODE, is_code=True),
    BlockKind.INDENTED_CODE: Traits("code", Division.FENCED_LINES, _CODE, is_code=True),
    BlockKind.TABLE: Traits("table", Division.ROWS, "table_integrity"),
    BlockKind.MATH: Traits("math", Division.FENCED_LINES, _CODE),
    BlockKind.HTML: Traits("html", Division.LINES),
    BlockKind.THEMATIC_BREAK: Traits("text"),
    BlockKind.LINK_DEFINITION: Traits("definitions", is_content=False),
    BlockKind.FOOTNOTE: Traits("text", Division.CHILDREN),
    BlockKind.CONTAINER: Traits("text", Division.CHILDREN),
    BlockKind.MARKER: Traits("text", Division.LINES),
    BlockKind.FRONT_MATTER: Traits("front_matter", Division.LINES),
    BlockKind.OPAQUE: Traits("text", Division.LINES),
    BlockKind.CODE: Traits("code", Division.CODE_LINES, is_code=True),
    BlockKind.BRACKET: Traits("code", Division.CODE_LINES, is_content=False),
}


class Block(Struct, frozen=True, gc=False):
    """A block of the document; blocks are in a flat list in pre-order.

    Attributes:
        kind: the block kind.
        depth: the number of containers around the block, 0 at the top level.
        start: the offset of its first line, which may start with a container's marker.
        end: the offset of the line after its last line, or of the end of the text.
        index: its index in the document's blocks.
        after: the index of the first later block that it does not contain.
        level: the level of a heading, from 1; 0 for other blocks and headings without a section.
        info: the plain text of a heading, or the title of the section that it starts; the info
            string of a fence; the language of code; the name of a container or alert; the line of a
            marker of a directive or shortcode; else "".
        is_open: whether it is a fence or container without a closing line.
        anchor: the id that the source gives to a heading, "" for none.
        lead: the length of the anchors, comments or decorators at the start of a heading block.
    """

    kind: BlockKind
    depth: int
    start: int
    end: int
    index: int
    after: int
    level: int = 0
    info: str = ""
    is_open: bool = False
    anchor: str = ""
    lead: int = 0

    @property
    def traits(self) -> Traits:
        """The traits of the block kind."""
        return TRAITS[self.kind]

    @property
    def is_content(self) -> bool:
        """Whether the block gives its section a body; not headings, brackets, link definitions."""
        return TRAITS[self.kind].is_content


def content_counts(blocks: Sequence[Block]) -> list[int]:
    """Return, for each position and the end, how many of the blocks before it are content."""
    return [*accumulate([TRAITS[block.kind].is_content for block in blocks], initial=0)]
