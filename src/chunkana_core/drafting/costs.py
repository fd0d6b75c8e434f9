"""What a cut costs: every cost of a cut stands here.

A cut between blocks costs least, one inside a word most.
"""

from __future__ import annotations

from chunkana_core.text.cutting import Boundary, Piece

BEFORE_HEADING = 0  # and before a thematic break
BETWEEN_BLOCKS = (1, 3, 6)  # by the depth of the block after the cut: blocks, items, deeper
CUT_COSTS: dict[Boundary, int] = {
    Boundary.BLANK_LINE: 8,  # in code
    Boundary.LINE: 10,  # of HTML and front matter
    Boundary.ATOM_LINE: 12,  # of code, math or a table
    Boundary.STATEMENT: 7,  # where code is cut by its syntax
    Boundary.INNER_STATEMENT: 13,
    Boundary.DEEP_STATEMENT: 17,
    Boundary.INSIDE_STATEMENT: 30,
    Boundary.INNER_LINE: 15,  # inside an element of HTML
    Boundary.SENTENCE: 20,
    Boundary.SENTENCE_LINE: 40,  # of a sentence that does not fit
    Boundary.WORD: 60,
    Boundary.CODE_POINT: 200,
    Boundary.FENCE: 400,  # between a fence or the header rows and the first or last line
    Boundary.TABLE_HEADER: 800,  # between the row of a table's header and the delimiter row
}
CONTAINER_EDGE = 400  # between the opening or closing line of a container and what is in it
# What is minimised is one number, in which each kind outweighs any sum of those above it.
PART = 1 << 44
SMALL_PART = 1 << 84
MISREAD = 1000  # added where the rest would be read as another block
LEAD_IN = 8  # added between a lead-in and the list, table or code that it announces
EXPLAINED_ATOM = 4  # added by `code_aware` between an atom and the paragraph that explains it


def block_cost(depth: int) -> int:
    """Return what a cut before a block of a depth costs, 0 for a block in no container."""
    return BETWEEN_BLOCKS[min(depth, len(BETWEEN_BLOCKS) - 1)]


def piece_cost(piece: Piece) -> int:
    """Return what a cut before a piece of a block costs."""
    return CUT_COSTS[piece.boundary] + (MISREAD if piece.is_misread else 0)
