"""Faster versions of block rules of markdown-it-py and its plugins, with the same results.

Each rule is a `RuleFunction`, and is called only for the lines that its row in the table selects.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import table as stock_table
from markdown_it.rules_block.table import MAX_AUTOCOMPLETED_CELLS

from chunkana_core.document.blocks import BlockKind
from chunkana_core.formats.markdown.state import MAX_INDENT, TAB_STOP, RuleFunction, State

# In Python 3.11, an enum member lookup takes a third of the time of making a block.
_PARAGRAPH, _LIST, _LIST_ITEM = BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.LIST_ITEM
# The limit of lines checked for being lazy continuation lines: a number per heading, plus a number
# for each line since the heading.
_LAZY_LINES, _LAZY_LINES_PER_LINE = 1000, 16
_DELIMITER_ROW = re.compile(
    r"(?!-[ \t]|.$)\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+$",
    re.MULTILINE,
)
# White space that is stripped from a table's header.
_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_DASHES = re.compile(r"-+")
_PIPE = re.compile(r"(?<!\\)\|")
_ATX_OPENING = re.compile(r"#{1,6}(?=[ \t\n])")
_SETEXT_UNDERLINE = re.compile(r"(?:=++|-++)[ \t]*+$", re.MULTILINE)
_THEMATIC_BREAK = re.compile(r"([*_-])(?:[ \t]*+\1){2,}+[ \t]*+$", re.MULTILINE)
_FENCE = re.compile(r"(`{3,}+(?=[^`\n]*+$)|~{3,}+)(.*)", re.MULTILINE)
# An ordered list item's number, the marker's last character, and the spaces after it.
_LIST_MARKER = re.compile(r"(?:([0-9]{1,9})(?=[.)])|(?=[*+-]))(.)(?![^ \t\n])([ \t]*+)")


def atx_heading(state: State, start: int, end: int, silent: bool) -> bool:
    """Add an ATX heading."""
    opening = _ATX_OPENING.match(state.src, state.bMarks[start] + state.tShift[start])
    if opening is None or silent:
        return opening is not None
    text = state.src[opening.end() : state.eMarks[start]].rstrip(" \t")
    unclosed = text.rstrip("#")
    has_closing = unclosed.endswith((" ", "\t"))
    state.line = start + 1
    state.add_heading(start, len(opening[0]), (unclosed if has_closing else text).strip())
    return True


def setext_underline(state: State, start: int, end: int, silent: bool) -> bool:
    """Return whether a line is a setext underline; `paragraph` adds the heading."""
    if not silent or state.sCount[start] < state.blkIndent:
        return False
    begin = state.bMarks[start] + state.tShift[start]
    return _SETEXT_UNDERLINE.match(state.src, begin) is not None


def thematic_break(state: State, start: int, end: int, silent: bool) -> bool:
    """Add a thematic break."""
    if not _THEMATIC_BREAK.match(state.src, state.bMarks[start] + state.tShift[start]):
        return False
    if not silent:
        state.line = start + 1
        state.add_leaf(BlockKind.THEMATIC_BREAK, start)
    return True


def fence(state: State, start: int, end: int, silent: bool) -> bool:
    """Add fenced code."""
    opening = _FENCE.match(state.src, state.bMarks[start] + state.tShift[start])
    if opening is None or silent:
        return opening is not None
    line, is_closed = _fence_end(state, start + 1, end, opening[1])
    state.line = line + is_closed
    state.add_leaf(BlockKind.FENCED_CODE, start, 0, opening[2].strip(), not is_closed)
    return True


def _fence_end(state: State, start: int, end: int, opening: str) -> tuple[int, bool]:
    """Return the line of the closing fence and True, or the line after unclosed code and False."""
    src, begins, shifts, indents = state.src, state.bMarks, state.tShift, state.sCount
    min_indent, max_indent = state.blkIndent, state.blkIndent + MAX_INDENT
    if begins[end - 1] + shifts[end - 1] == begins[-1]:
        end = max(start, end - 1)  # as stock does if a container ends at the end of the text
    for line in range(start, end):
        begin = begins[line] + shifts[line]
        if indents[line] < min_indent and src[begin] != "\n":
            return line, False
        if indents[line] <= max_indent and src.startswith(opening, begin):
            text = src[begin : state.eMarks[line]].rstrip(" \t")
            if not text.strip(opening[0]):
                return line, True
    return end, False


def paragraph(state: State, start: int, end: int, silent: bool) -> bool:
    """Add a paragraph, or a setext heading if an underline ends it."""
    src, begins, shifts, indents = state.src, state.bMarks, state.tShift, state.sCount
    line, stop = start + 1, state.lineMax
    first = src[begins[line] + shifts[line]]
    if first == "\n":
        state.line = line
        state.add_leaf(_PARAGRAPH, start)
        return True
    chain, max_indent = state.chains["paragraph"], state.blkIndent + MAX_INDENT
    firsts, nexts, is_interrupted = chain.first_characters, chain.by_next_character, False
    parent, state.parentType = state.parentType, "paragraph"
    while line < stop and first != "\n":
        following = src[begins[line + 1] + shifts[line + 1]]
        if (first in firsts or following in nexts) and 0 <= indents[line] <= max_indent:
            is_interrupted = chain.ask(state, line, stop, True)
            if is_interrupted:
                break
        line, first = line + 1, following
    state.line = line
    if is_interrupted and setext_underline(state, line, stop, True):
        state.line += 1
        content = state.text_between(start, line).strip()
        state.add_heading(start, 1 if first == "=" else 2, content)
    else:
        state.add_leaf(_PARAGRAPH, start)
    state.parentType = parent
    return True


def list_block(state: State, start: int, end: int, silent: bool) -> bool:
    """Add a list and its items, without determining whether the list is tight."""
    indents, indent = state.sCount, state.blkIndent
    if 0 <= state.listIndent < indents[start] - MAX_INDENT and indents[start] < indent:
        return False  # the line continues a paragraph in an item of the outer list
    marker = _LIST_MARKER.match(state.src, state.bMarks[start] + state.tShift[start])
    if marker is None:
        return False
    if silent:
        return _may_interrupt(state, start, marker)
    index, line, delimiter = state.open_container(), start, marker[2]
    parent, state.parentType = state.parentType, "list"
    state.level += 1
    while marker is not None and marker[2] == delimiter:
        _add_list_item(state, line, end, marker)
        line = state.line
        marker = _next_list_marker(state, line, end)
    state.level -= 1
    state.parentType = parent
    state.close_container(_LIST, start, index)
    return True


def _may_interrupt(state: State, line: int, marker: re.Match[str]) -> bool:
    """Return whether a list may start: in a paragraph, only with text and the number 1 or none."""
    if state.parentType != "paragraph" or state.sCount[line] < state.blkIndent:
        return True
    return int(marker[1] or 1) == 1 and state.src[marker.end()] != "\n"


def _next_list_marker(state: State, line: int, end: int) -> re.Match[str] | None:
    """Return the marker of a list's next item at a line, None if there is none."""
    if line >= end or not 0 <= state.sCount[line] - state.blkIndent <= MAX_INDENT:
        return None
    if state.chains["list"].ask(state, line, end, True):
        return None
    return _LIST_MARKER.match(state.src, state.bMarks[line] + state.tShift[line])


def _add_list_item(state: State, start: int, end: int, marker: re.Match[str]) -> None:
    """Add a list item and its blocks; their first line starts after the marker (§5.2)."""
    shifts, indents = state.tShift, state.sCount
    saved = shifts[start], indents[start], state.listIndent, state.blkIndent
    column = indents[start] + marker.end(2) - marker.start()  # after the marker
    spaces = _columns(marker[3], column + state.bsCount[start])
    is_blank = state.src[marker.end()] == "\n"
    is_indented_code = spaces > MAX_INDENT + 1  # one column of white space belongs to the marker
    shifts[start], indents[start] = marker.end() - state.bMarks[start], column + spaces
    state.listIndent = state.blkIndent
    state.blkIndent = column + (1 if is_blank or is_indented_code else spaces)
    index = state.open_container()
    state.level += 1
    if is_blank and state.first_character(start + 1) == "\n":
        state.line = min(start + 2, end)  # at most one blank line may start an item
    else:
        state.md.block.tokenize(state, start, end)
    state.level -= 1
    shifts[start], indents[start], state.listIndent, state.blkIndent = saved
    state.close_container(_LIST_ITEM, start, index)


def _columns(spaces: str, column: int) -> int:
    """Return the width in columns of spaces and tabs that start at a column."""
    if "\t" not in spaces:
        return len(spaces)
    before = " " * (column % TAB_STOP)
    return len((before + spaces).expandtabs(TAB_STOP)) - len(before)


def table(state: State, start: int, end: int, silent: bool) -> bool:
    """Add a table; cells are parsed, by the stock rule, only if the table's end depends on them."""
    if not _is_table_header(state, start, end):
        return False
    if silent:
        return True
    columns = 1 + state.src.count("|", state.bMarks[start], state.eMarks[start])
    interrupting = state.chains["blockquote"]  # stock uses these rules for tables, too
    line = start + 2
    while line < end and state.sCount[line] >= state.blkIndent and not state.is_code_block(line):
        first = state.first_character(line)
        if first == "\n" or interrupting.ask(state, line, end, True):
            break
        if first.isspace() or columns * (line - start) > MAX_AUTOCOMPLETED_CELLS:
            stock_table(state, start, end, False)
            line = state.line
            break
        line += 1
    state.line = line
    state.add_leaf(BlockKind.TABLE, start)
    return True


def _is_table_header(state: State, start: int, end: int) -> bool:
    """Return whether the next line is a delimiter row with as many columns as this line."""
    line = start + 1
    row = _DELIMITER_ROW.match(state.src, state.bMarks[line] + state.tShift[line])
    if row is None or start + 2 > end or state.sCount[line] < state.blkIndent:
        return False
    if state.is_code_block(line):
        return False
    header = state.line_text(start).strip(_SPACE)
    pipes = len(_PIPE.findall(header))
    outer = header.startswith("|") + (header.endswith("|") and not header.endswith("\\|"))
    return "|" in header and pipes + 1 - outer == len(_DASHES.findall(row[0]))


def prefilter_math(stock: RuleFunction, state: State, start: int, end: int, silent: bool) -> bool:
    """Call the stock rule of `$$` blocks, unless the lines below are known not to close one."""
    text, after = state.line_text(start), state.unclosed_math.stop
    is_open = text.startswith("$$") and "$$" not in text[2:]
    if (
        is_open
        and start in state.unclosed_math
        and (after >= end or not state.line_text(after).strip())
    ):
        return False
    if stock(state, start, end, silent):
        return True
    if is_open:
        line = start + 1
        while line < end and state.line_text(line).strip():
            line += 1
        state.unclosed_math = range(start, line)
    return False


def exceeds_lazy_limit(state: State, start: int, end: int, silent: bool) -> bool:
    """Return whether too many lines were checked for being lazy continuation lines.

    Stock checks all lines after a block quote, again from each further `>`, even if no paragraph is
    open that they could continue, which takes quadratic time. Beyond the limit, a line without `>`
    ends the block quote.
    """
    if state.parentType != "blockquote":
        return False  # stock calls the same rules for the rows of tables
    state.lazy_lines += max(1, start - state.last_lazy_line)
    state.last_lazy_line = start
    count = start - state.lazy_start
    return state.lazy_lines > _LAZY_LINES + _LAZY_LINES_PER_LINE * count
