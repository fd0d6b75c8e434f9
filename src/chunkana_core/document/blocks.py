"""The blocks of a document, in CommonMark's words, and what is particular to each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from itertools import accumulate

from msgspec import Struct


class BlockKind(StrEnum):
    """The kinds of blocks that the parser tells apart."""

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
    CONTAINER = auto()  # an admonition, directive, element or shortcode with blocks in it
    MARKER = auto()  # a line that opens or closes a container
    FRONT_MATTER = auto()
    OPAQUE = auto()  # what lies deeper than the parser follows
    CODE = auto()  # a statement of source code, or a value of JSON, with those that it holds
    BRACKET = auto()  # the lines that close an opened section, such as "}"


class Division(Enum):
    """Into what a block is divided that does not fit into a chunk."""

    CHILDREN = auto()
    SENTENCES = auto()
    LINES = auto()
    CODE_LINES = auto()  # of which blank ones are the best places for a cut
    FENCED_LINES = auto()  # such lines between fences that are repeated
    ROWS = auto()  # under a header that is repeated


@dataclass(frozen=True, slots=True)
class Traits:
    """What the pipeline needs to know of a block kind; adding a kind adds a row of these."""

    content_type: str  # of a chunk that holds nothing else
    division: Division = Division.SENTENCES
    oversize_reason: str | None = None  # set for atoms, which `atomic_blocks="keep"` leaves whole
    is_code: bool = False
    is_content: bool = True  # False for what gives a section no body of its own


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
    """A block of the document; blocks are kept flat, each before what it contains.

    Attributes:
        kind: its kind.
        depth: 0 for a block of the document itself, more inside containers.
        start: offset of its first line, which may start with its container's marker.
        end: offset of the line after its last one, or of the end of the text.
        index: its place among the document's blocks.
        after: the place of the first later block that it does not contain.
        level: from 1 for a heading, else 0.
        info: the plain text of a heading or the title of the section that it opens, the info string
            of a fence, the language of code, the name of a container or of a block quote that is an
            alert, the line of a marker of a directive or shortcode, else "".
        is_open: whether it is a fence that no fence line closes, or a container that needs none.
        anchor: the id that the source gives a heading, "" for none.
        lead: the length of the anchors, comments, decorators before a heading that belong to it.
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
        """What is particular to its kind."""
        return TRAITS[self.kind]

    @property
    def is_content(self) -> bool:
        """Whether it gives its section a body: headings, brackets and link definitions do not."""
        return TRAITS[self.kind].is_content


def content_counts(blocks: Sequence[Block]) -> list[int]:
    """Return, for each position and the one after all, how many blocks before it are content."""
    return [*accumulate([TRAITS[block.kind].is_content for block in blocks], initial=0)]
