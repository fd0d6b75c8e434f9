"""Rules that find the same blocks as those of markdown-it-py and its plugins, in less time.

A rule is asked with a line that starts as it has to, see `asking`, and is not indented code. One
that is asked silently says whether a block starts there; else it adds the block, and the current
line is the one after it. A line's end is part of `State.src`, so that regexes need no other bound.
"""

from __future__ import annotations

import re

from markdown_it.rules_block.table import MAX_AUTOCOMPLETED_CELLS

from chunkana_core.blocks import BlockKind
from chunkana_core.parsing.state import Rule, State

# Looking up a member of an enum takes Python 3.11 a third as long as making a block.
_PARAGRAPH, _LIST, _LIST_ITEM = BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.LIST_ITEM
WIDEST_INDENT = 3  # of what is not indented code
_LOOKED_AT = 1000, 16  # lines, and times each, that are looked at for the ends of quotations
MARKS = frozenset("#>`~[<$*+-_=0123456789")  # how a line starts that ends a paragraph
DELIMITS = frozenset("|:-")  # how the second line of a table starts
_DELIMITERS = re.compile(
    r"(?!-[ \t]|.$)\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+$",
    re.MULTILINE,
)
# What is trimmed from a table's header.
_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_DASHES = re.compile(r"-+")
_PIPE = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"#{1,6}(?=[ \t\n])")
_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+$", re.MULTILINE)
_BREAK = re.compile(r"([*_-])(?:[ \t]*+\1){2,}+[ \t]*+$", re.MULTILINE)
_FENCE = re.compile(r"(`{3,}+(?=[^`\n]*+$)|~{3,}+)(.*)", re.MULTILINE)
_NO_REFERENCE = re.compile(r"\[(?:[^\[\]\\\n]|\\.)*+(?:\[|\](?!:))")
_ITEM = re.compile(r"(?:([0-9]{1,9})[.)]|[*+-])(?![^ \t\n])([ \t]*+)")


def heading(state: State, start: int, end: int, silent: bool) -> bool:
    """Take an ATX heading."""
    marks = _HEADING.match(state.src, state.bMarks[start] + state.tShift[start])
    if marks is None or silent:
        return marks is not None
    text = state.src[marks.end() : state.eMarks[start]].rstrip(" \t")
    unmarked = text.rstrip("#")
    state.line = start + 1
    is_marked = unmarked.endswith((" ", "\t"))
    state.add_heading(start, len(marks[0]), (unmarked if is_marked else text).strip())
    return True


def thematic_break(state: State, start: int, end: int, silent: bool) -> bool:
    """Take a line of three marks or more."""
    if not _BREAK.match(state.src, state.bMarks[start] + state.tShift[start]):
        return False
    if not silent:
        state.line = start + 1
        state.add(BlockKind.THEMATIC_BREAK, start)
    return True


def fence(state: State, start: int, end: int, silent: bool) -> bool:
    """Take fenced code."""
    opening = _FENCE.match(state.src, state.bMarks[start] + state.tShift[start])
    if opening is None or silent:
        return opening is not None
    line, is_closed = _fence_end(state, start + 1, end, opening[1])
    state.line = line + is_closed
    state.add(BlockKind.FENCED_CODE, start, 0, opening[2].strip(), not is_closed)
    return True


def _fence_end(state: State, start: int, end: int, marks: str) -> tuple[int, bool]:
    """Return the line that closes a fence, or the one before which it ends without."""
    src, begins, shifts, counts = state.src, state.bMarks, state.tShift, state.sCount
    least, most = state.blkIndent, state.blkIndent + WIDEST_INDENT
    if begins[end - 1] + shifts[end - 1] == begins[-1]:
        end = max(start, end - 1)  # as stock does where a container's last line is the text's end
    for line in range(start, end):
        begin = begins[line] + shifts[line]
        if counts[line] < least and src[begin] != "\n":
            return line, False
        if counts[line] <= most and src.startswith(marks, begin):
            text = src[begin : state.eMarks[line]].rstrip(" \t")
            if not text.strip(marks[0]):
                return line, True
    return end, False


def paragraph(state: State, start: int, end: int, silent: bool) -> bool:
    """Take a paragraph or setext heading in one pass, where stock rules make one for each."""
    src, begins, shifts, counts = state.src, state.bMarks, state.tShift, state.sCount
    line, level, stop = start + 1, 0, state.lineMax
    first = src[begins[line] + shifts[line]]
    if first == "\n":
        state.line = line
        state.add(_PARAGRAPH, start)
        return True
    interrupts, most = state.stops["paragraph"], state.blkIndent + WIDEST_INDENT
    parent, state.parentType = state.parentType, "paragraph"
    while line < stop and first != "\n":
        following = src[begins[line + 1] + shifts[line + 1]]
        if (first in MARKS or following in DELIMITS) and 0 <= counts[line] <= most:
            is_inside = counts[line] >= state.blkIndent
            if is_inside and first in "=-" and _UNDERLINE.match(src, begins[line] + shifts[line]):
                level = 1 if first == "=" else 2
                break
            if interrupts(state, line, stop, True):
                break
        line, first = line + 1, following
    state.parentType = parent
    state.line = line + bool(level)
    if level:
        state.add_heading(start, level, state.text_between(start, line).strip())
    else:
        state.add(_PARAGRAPH, start)
    return True


def list_block(state: State, start: int, end: int, silent: bool) -> bool:
    """Take a list, without finding out whether it is tight."""
    src, counts, indent = state.src, state.sCount, state.blkIndent
    if 0 <= state.listIndent < counts[start] - WIDEST_INDENT and counts[start] < indent:
        return False
    item = _ITEM.match(src, state.bMarks[start] + state.tShift[start])
    if item is None:
        return False
    if silent:
        interrupts = state.parentType == "paragraph" and counts[start] >= indent
        return not interrupts or (int(item[1] or 1) == 1 and src[item.end()] != "\n")
    place, line, sign = state.open(), start, src[item.start(2) - 1]
    parent, state.parentType = state.parentType, "list"
    state.level += 1
    while item is not None and src[item.start(2) - 1] == sign:
        _item(state, line, end, item)
        line = state.line
        if line >= end or not 0 <= counts[line] - indent <= WIDEST_INDENT:
            break
        if state.stops["list"](state, line, end, True):
            break
        item = _ITEM.match(src, state.bMarks[line] + state.tShift[line])
    state.level -= 1
    state.parentType = parent
    state.close(_LIST, start, place)
    return True


def _item(state: State, start: int, end: int, item: re.Match[str]) -> None:
    """Take an item of a list."""
    shifts, counts = state.tShift, state.sCount
    after, begin = item.span(2)
    column = counts[start] + after - item.start()
    width = _width(item[2], column + state.bsCount[start])
    is_empty = state.src[begin] == "\n"
    before = shifts[start], counts[start], state.listIndent, state.blkIndent
    shifts[start], counts[start] = begin - state.bMarks[start], column + width
    state.listIndent = state.blkIndent
    state.blkIndent = column + (1 if is_empty or width > WIDEST_INDENT + 1 else width)
    place = state.open()
    state.level += 1
    if is_empty and state.first_of(start + 1) == "\n":
        state.line = min(start + 2, end)
    else:
        state.md.block.tokenize(state, start, end)
    state.level -= 1
    shifts[start], counts[start], state.listIndent, state.blkIndent = before
    state.close(_LIST_ITEM, start, place)


def _width(spaces: str, column: int) -> int:
    """Return how many columns white space takes that starts in one."""
    if "\t" not in spaces:
        return len(spaces)
    before = " " * (column % 4)
    return len((before + spaces).expandtabs(4)) - len(before)


def table(rule: Rule, state: State, start: int, end: int, silent: bool) -> bool:
    """Take a table without making its cells, unless its end depends on them."""
    if not _is_header(state, start, end):
        return False
    if silent:
        return True
    columns = 1 + state.src.count("|", state.bMarks[start], state.eMarks[start])
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.is_code_block(line):
        first = state.first_of(line)
        if first == "\n" or state.stops["blockquote"](state, line, end, True):
            break
        if first.isspace() or columns * (line - start) > MAX_AUTOCOMPLETED_CELLS:
            rule(state, start, end, False)
            line = state.line
            break
        line += 1
    state.line = line
    state.add(BlockKind.TABLE, start)
    return True


def _is_header(state: State, start: int, end: int) -> bool:
    """Tell whether a line has as many cells as the next one has columns."""
    line = start + 1
    delimiters = _DELIMITERS.match(state.src, state.bMarks[line] + state.tShift[line])
    if delimiters is None or start + 2 > end or state.sCount[line] < state.blkIndent:
        return False
    if state.is_code_block(line):
        return False
    header = state.text_of(start).strip(_SPACE)
    pipes = len(_PIPE.findall(header))
    outer = header.startswith("|") + (header.endswith("|") and not header.endswith("\\|"))
    return "|" in header and pipes + 1 - outer == len(_DASHES.findall(delimiters[0]))


def math(rule: Rule, state: State, start: int, end: int, silent: bool) -> bool:
    """Take a `$$` block, looking through lines that close none only once."""
    text, after = state.text_of(start), state.no_math.stop
    is_open = text.startswith("$$") and "$$" not in text[2:]
    if is_open and start in state.no_math and (after >= end or not state.text_of(after).strip()):
        return False
    if rule(state, start, end, silent):
        return True
    if is_open:
        line = start + 1
        while line < end and state.text_of(line).strip():
            line += 1
        state.no_math = range(start, line)
    return False


def reference(rule: Rule, state: State, start: int, end: int, silent: bool) -> bool:
    """Take a link definition; most lines with a bracket first show at once that they are none."""
    if _NO_REFERENCE.match(state.src, state.bMarks[start] + state.tShift[start]):
        return False
    return rule(state, start, end, silent)


def footnote(rule: Rule, state: State, start: int, end: int, silent: bool) -> bool:
    """Take a footnote; what is a bracket and no caret is none."""
    is_marked = state.src[state.bMarks[start] + state.tShift[start] + 1] == "^"
    return is_marked and rule(state, start, end, silent)


def ends_quote(rule: Rule, state: State, start: int, end: int, silent: bool) -> bool:
    """Tell whether a line without a mark ends a quotation.

    All that may go on with a paragraph is looked at, and in vain where no paragraph is open: again
    from each next mark. Where that was done too often, a line without a mark ends a quotation.
    """
    if state.parentType == "blockquote":
        state.looked_at += max(1, start - state.last_looked_at)
        state.last_looked_at = start
        least, times = _LOOKED_AT
        if state.looked_at > least + times * len(state.eMarks):
            return True
    return rule(state, start, end, silent)


def take_opaque(state: State, start: int, end: int) -> None:
    """Take all that is left of a container that lies too deep."""
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    while state.isEmpty(line - 1):
        line -= 1
    state.line = line
    state.add(BlockKind.OPAQUE, start)


def of_one_block(kind: BlockKind, rule: Rule) -> Rule:
    """Return a stock rule that adds what it takes as a block without others."""

    def taking(state: State, start: int, end: int, silent: bool) -> bool:
        if not rule(state, start, end, silent):
            return False
        if not silent:
            state.add(kind, start)
        return True

    return taking


def of_container(kind: BlockKind, rule: Rule) -> Rule:
    """Return a stock rule that adds what it takes as a block around others."""

    def taking(state: State, start: int, end: int, silent: bool) -> bool:
        if silent:
            return rule(state, start, end, True)
        place = state.open()
        if rule(state, start, end, False):
            state.close(kind, start, place)
            return True
        state.blocks.pop()
        return False

    return taking
