"""The costs of all cuts.

A cut between blocks costs least, a cut inside a word more than any other cut inside text.
"""

from __future__ import annotations

from chunkana_core.text.cutting import Boundary, Piece

BEFORE_HEADING = 0  # also before a thematic break
BETWEEN_BLOCKS = (1, 3, 6)  # by the depth of the block after the cut: 0, 1, deeper
CUT_COSTS: dict[Boundary, int] = {
    Boundary.BLANK_LINE: 8,  # in code
    Boundary.LINE: 10,  # of HTML, front matter and plain text
    Boundary.ATOM_LINE: 12,  # of code, math or a table
    Boundary.STATEMENT: 7,  # of code that is cut by its syntax
    Boundary.INNER_STATEMENT: 13,
    Boundary.DEEP_STATEMENT: 17,
    Boundary.INSIDE_STATEMENT: 30,
    Boundary.INNER_LINE: 15,  # inside an HTML element, or indented
    Boundary.SENTENCE: 20,
    Boundary.SENTENCE_LINE: 40,  # inside a sentence that does not fit
    Boundary.WORD: 60,
    Boundary.CODE_POINT: 200,
    Boundary.FENCE: 400,  # between a fence, header rows or a first line and the line next to it
    Boundary.TABLE_HEADER: 800,  # between the header row and the delimiter row of a table
}
CONTAINER_EDGE = 400  # between the opening or closing line of a container and its content
MISREAD = 1000  # added if the rest would be parsed as another kind of block
LEAD_IN = 8  # added between a lead-in and the list, table, code or math after it
EXPLAINED_ATOM = 4  # added by `code_aware` between an atom and the paragraph that explains it


def block_cost(depth: int) -> int:
    """Return the cost of a cut before a block at a depth, 0 for top-level blocks."""
    return BETWEEN_BLOCKS[min(depth, len(BETWEEN_BLOCKS) - 1)]


def piece_cost(piece: Piece) -> int:
    """Return the cost of a cut before a piece of a block."""
    return CUT_COSTS[piece.boundary] + (MISREAD if piece.is_misread else 0)
