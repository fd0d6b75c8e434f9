"""Text repeated in the parts of an atom or a container: fences, header rows, edge lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.traits import FormatTraits
from chunkana_core.sizing import Sizer
from chunkana_core.splitting.syntax import statement_boundaries
from chunkana_core.text.cutting import Boundary, Cutter, Piece, line_spans
from chunkana_core.text.source import BOM, Source, Span

_FENCE = re.compile(r"(`{3,}|~{3,})")
_MATH_FENCE = re.compile(r"(\$\$)")
_NOT_PREFIX = re.compile(r"[^>\s]")
_MARKERS = re.compile(r"(?:[ \t]*(?:>|(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t])|\[\^[^\]]+\]:))*[ \t]*")
_INDENT = re.compile(r"[ \t>]*")
_SPACES = re.compile(r"[ \t]*")
_FOOTNOTE = re.compile(r"\[\^(?:(?!\[\^)[^\]])++\]:[ \t]*+")
_FOOTNOTE_INDENT = 4
_CARRIAGE_RETURN = re.compile(r"\r\n?")
_HEADER_LINES = 2  # of a table
_LINE_BOUNDARIES = (Boundary.BLANK_LINE, Boundary.ATOM_LINE)


class Repeats(Struct, frozen=True, gc=False):
    """Text repeated around a part that starts or ends inside an atom or a container.

    Attributes:
        lead: the text before a part that starts with the unit.
        tail: the text after a part that ends with the unit.
        start: the offset in the source of the text that the lead repeats, None if there is none.
        end: the offset in the source after the text that the tail repeats, None if there is none.
    """

    lead: str = ""
    tail: str = ""
    start: int | None = None
    end: int | None = None

    def enclosing(self, inner: Repeats) -> Repeats:
        """Return these repeats around those of an inner block."""
        start = inner.start if self.start is None else self.start
        end = inner.end if self.end is None else self.end
        return Repeats(self.lead + inner.lead, inner.tail + self.tail, start, end)

    def joined(self, after: Repeats) -> Repeats:
        """Return the repeats of two joined units: the lead of the first, the tail of the second."""
        return Repeats(self.lead, after.tail, self.start, after.end)


NO_REPEATS = Repeats()


def largest_repeats(sizer: Sizer, limit: int) -> int:
    """Return the largest size of text repeated around parts within a limit."""
    return min(sizer.max_size // 2, limit * 3 // 4)


class InnerRepeats(Struct, frozen=True, gc=False):
    """The text repeated at cuts inside a block: between its lines, and within a line."""

    at_lines: Repeats = NO_REPEATS
    within_line: Repeats = NO_REPEATS


def container_repeats(source: Source, block: Block, children: Sequence[Block]) -> Repeats:
    """Return the opening and closing lines of a container, or the first line of an alert.

    The blank lines between these lines and the content of the container are included.
    """
    text, start = source.text, block.start
    if block.kind is BlockKind.CONTAINER and len(children) > 1:  # else its body is blank
        opening = text[start : children[1].start]
    elif block.kind is BlockKind.BLOCK_QUOTE and block.info:
        first = next(line_spans(source, Span(start, block.end)))
        opening = text[start : first.end] + "\n"
    else:
        return NO_REPEATS
    opening = _CARRIAGE_RETURN.sub("\n", opening).removeprefix(BOM)
    tail, end = "", None
    if block.kind is BlockKind.CONTAINER and not block.is_open:
        before, closing = children[-2:]
        end = closing.end
        inside = source.trim(before.start, closing.start) or Span(before.start, closing.start)
        tail = _CARRIAGE_RETURN.sub("\n", text[inside.end : closing.end]).rstrip()
    return Repeats(_with_continued_markers(opening), tail.lstrip(" \t"), start, end)


def line_prefix(line: str) -> str:
    """Return the container prefix of the lines that follow a line, such as "> " or spaces."""
    markers = _MARKERS.match(line)
    return _prefix(markers[0]) if markers else ""


class _Wrapper(Struct, frozen=True, gc=False):
    """The text repeated around the parts of an atom.

    Attributes:
        lead: the text before a part: the opening fence, or the header rows of a table.
        tail: the text after a part: the closing fence.
        line_start: the container prefix before the rest of a line that is cut.
    """

    lead: str = ""
    tail: str = ""
    line_start: str = ""


def divide_atom(
    cutter: Cutter, block: Block, *, by_syntax: bool = False
) -> list[tuple[Piece, Repeats]]:
    """Divide code, math or a table into lines, and lines over the limit into words.

    Container markers in lines above the atom are pieces of their own. Returns [] if the fence alone
    leaves no room for the lines between.

    Args:
        cutter: the cutter of the block's span, with the limit.
        block: the block to divide.
        by_syntax: whether fenced code in a known language is preferably cut between statements.
    """
    first_line = max(cutter.span.start, block.start)
    markers = list(cutter.words(Span(cutter.span.start, first_line)))
    atom = replace(cutter, span=Span(first_line, cutter.span.end))
    wrapper = _wrapper(atom, block)
    length = atom.sizer.length
    wrapped = length(wrapper.lead + wrapper.line_start + wrapper.tail)
    if wrapped and not _leaves_room(atom, wrapper):
        return []  # a cut inside the fence line would not leave a fence
    is_table = block.kind is BlockKind.TABLE
    pieces = _lines(replace(atom, limit=max(1, atom.limit - wrapped)), is_table=is_table)
    if by_syntax and block.kind is BlockKind.FENCED_CODE:
        pieces = _with_statements(atom, pieces, block.info, wrapper.line_start)
    opening_pieces = _HEADER_LINES if is_table else 1
    divided = [(piece, NO_REPEATS) for piece in markers]
    for number, piece in enumerate(pieces, 1):
        lead = wrapper.lead if number > opening_pieces else ""
        if atom.source.line_start(piece.span.start) < piece.span.start:  # the rest of a line
            lead = "" if is_table else lead + wrapper.line_start
        tail = wrapper.tail if number < len(pieces) else ""
        start, end = first_line if lead else None, block.end if tail and not block.is_open else None
        divided.append((piece, Repeats(lead, tail, start, end)))
    return divided


def _wrapper(atom: Cutter, block: Block) -> _Wrapper:
    """Return the text repeated around the parts of an atom, as far as it leaves room."""
    largest = largest_repeats(atom.sizer, atom.limit)
    lines = [atom.source.text[s.start : s.end] for s in line_spans(atom.source, atom.span)]
    if block.kind is BlockKind.TABLE:
        return _table_wrapper(atom, lines, largest, in_container=block.depth > 0)
    if block.kind is BlockKind.INDENTED_CODE:
        indent = (_INDENT if block.depth else _SPACES).match(lines[0])
        line_start = indent[0] if indent else ""
        return _Wrapper(line_start=line_start if atom.sizer.length(line_start) <= largest else "")
    is_math = block.kind is BlockKind.MATH
    before, fence, info = _split_opening(lines, is_math=is_math)
    prefix = _prefix(before)
    if not fence:
        return _Wrapper(line_start=prefix if atom.sizer.length(prefix) <= largest else "")
    lead, tail = f"{prefix}{fence}{info}\n", f"\n{prefix}{fence}"
    whole = _Wrapper(lead, tail, prefix)
    if is_math or atom.sizer.length(lead + tail) > largest or not _leaves_room(atom, whole):
        return _Wrapper(f"{prefix}{fence}\n", tail, prefix)
    return whole


def _split_opening(lines: Sequence[str], *, is_math: bool) -> tuple[str, str, str]:
    """Return the text before the opening fence of an atom, the fence, and the text after it.

    For the block of a user's rule, the fence is the closing line if the opening line starts with
    it, else "".
    """
    line, closing = lines[0].removeprefix(BOM), lines[-1].lstrip("> \t").rstrip()
    markers = _MARKERS.match(line)
    start = markers.end() if markers else 0
    stock = (_MATH_FENCE if is_math else _FENCE).match(line, start)
    if stock:
        return line[:start], stock[1], line[stock.end() :]
    found = line.find(closing, start)
    if found < 0 or any(map(str.isalnum, line[start:found] + closing)):
        return line[:start], "", line[start:]
    return line[:found], closing, line[found + len(closing) :]


def _leaves_room(atom: Cutter, wrapper: _Wrapper) -> bool:
    """Return whether repeated fences leave at least as much room as the closing fence takes."""
    length = atom.sizer.length
    wrapped = length(wrapper.lead + wrapper.line_start + wrapper.tail)
    return atom.limit - wrapped >= length(wrapper.tail[1:])


def _table_wrapper(
    atom: Cutter, lines: Sequence[str], largest: int, *, in_container: bool
) -> _Wrapper:
    """Return the header rows of a table as lead, unless a row would be cut because of them."""
    length = atom.sizer.length
    header, delimiters, *rows = lines if len(lines) > 1 else (*lines, "")
    lead = f"{_with_continued_markers(header) if in_container else header}\n{delimiters}\n"
    size = length(lead)
    if size > largest or any(atom.limit - size < length(row) <= atom.limit for row in rows):
        return _Wrapper()
    return _Wrapper(lead)


def _lines(atom: Cutter, *, is_table: bool) -> list[Piece]:
    """Return the lines of an atom; those over the limit are divided into runs of words.

    Cuts before and after the first line are expensive, and so are cuts before the last line of code
    and before the first row of a table.
    """
    pieces = list(atom.code_lines())
    lines = [number for number, piece in enumerate(pieces) if piece.boundary in _LINE_BOUNDARIES]
    boundaries = dict.fromkeys(
        (0, 1, _HEADER_LINES if is_table else len(lines) - 1), Boundary.FENCE
    )
    if is_table:
        boundaries[1] = Boundary.TABLE_HEADER
    for number, boundary in boundaries.items():
        if number < len(lines):
            pieces[lines[number]] = Piece(pieces[lines[number]].span, boundary)
    return pieces


def _with_statements(
    atom: Cutter, pieces: Sequence[Piece], info: str, line_start: str
) -> list[Piece]:
    """Return the pieces of fenced code with the syntactic boundary before each line."""
    text, spans = atom.source.text, [*line_spans(atom.source, atom.span)][1:-1]
    prefixed, blank = (text[span.start : span.end] for span in spans), line_start.rstrip()
    lines = ["" if line == blank else line.removeprefix(line_start) for line in prefixed]
    boundaries = statement_boundaries(lines, info)
    by_start = {span.start: boundary for span, boundary in zip(spans, boundaries, strict=False)}
    return [
        Piece(piece.span, by_start.get(piece.span.start, piece.boundary))
        if piece.boundary in _LINE_BOUNDARIES
        else piece
        for piece in pieces
    ]


def has_fence(text: str, start: int = 0, end: int | None = None) -> bool:
    """Return whether a range of text may contain a fence."""
    return text.find("```", start, end) >= 0 or text.find("~~~", start, end) >= 0


def first_fence(text: str) -> str:
    """Return the first fence of code in a text, such as "```", "" for none."""
    found = _FENCE.search(text)
    return found[0] if found else ""


def missing_fence(content: str, traits: FormatTraits) -> str:
    """Return the line that closes the fence left open by a content, "" if there is none."""
    fence = _open_fence(content, traits)
    if fence is None:
        return ""
    opening = content[fence.start : fence.end]
    before, marker, _ = opening.partition(first_fence(opening))
    lines = (f"\n{start}{marker}" for start in ("", _prefix(before), f"{_prefix(before)} "))
    return next((line for line in lines if not leaves_fence_open(content + line, traits)), "")


def leaves_fence_open(text: str, traits: FormatTraits) -> bool:
    """Return whether a text ends inside a fenced code block."""
    return _open_fence(text, traits) is not None


def _open_fence(text: str, traits: FormatTraits) -> Block | None:
    blocks = traits.parse_markup(text) if traits.parse_markup and has_fence(text) else ()
    return blocks[-1] if blocks and blocks[-1].is_open else None


def _with_continued_markers(line: str) -> str:
    """Return a line with its container markers in the form that they have in following lines."""
    markers = _MARKERS.match(line)
    end = markers.end() if markers else 0
    return _prefix(line[:end]) + line[end:]


def _prefix(before: str) -> str:
    """Return the text before a fence or row with item and footnote markers as spaces."""
    indented = _FOOTNOTE.sub(" " * _FOOTNOTE_INDENT, before.removeprefix(BOM))
    return _NOT_PREFIX.sub(" ", indented)
