"""Plugins as users bring them, and Markdown with their syntax.

A box is a container: `%%% box`, blocks, `%%%`; a diagram is kept whole: `@@@`, lines, `@@@`. Both
end with their container or the text where no line closes them. An aside contains blocks from its
first line on: `& blocks`, with the following lines indented. This syntax is made up, so that no
built-in kind of blocks will ever have it.
"""

from __future__ import annotations

from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.container import container_plugin

from chunkana_core.extending import BlockKind, BlockRule
from tests.core.stock import StockPlugin
from tests.strategies import any_markdown, markdown_documents

_INTERRUPTED = ["paragraph", "reference", "blockquote", "list"]


def diagram(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Find a diagram."""
    if state.is_code_block(start) or not _line(state, start).startswith("@@@"):
        return False
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
        if _line(state, line - 1).rstrip() == "@@@":
            break
    if not silent:
        state.line = line
        token = state.push("diagram", "", 0)
        token.map = [start, line]
        token.content = state.getLines(start + 1, line, state.blkIndent, keepLastLF=True)
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def diagram_plugin(md: MarkdownIt) -> None:
    """Register diagrams."""
    md.block.ruler.before("fence", "diagram", diagram, {"alt": _INTERRUPTED})


def aside(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Find consecutive asides, each two levels below the block that contains all of them."""
    if state.is_code_block(start) or not _line(state, start).startswith("& "):
        return False
    if silent:
        return True
    outer, line = state.push("asides_open", "div", 1), start
    while line < end and _line(state, line).startswith("& "):
        inner = state.push("aside_open", "div", 1)
        before = state.blkIndent, state.tShift[line], state.sCount[line]
        state.blkIndent = state.sCount[line] + 2
        state.tShift[line] += 2
        state.sCount[line] += 2
        state.md.block.tokenize(state, line, end)
        state.blkIndent, state.tShift[line], state.sCount[line] = before
        state.push("aside_close", "div", -1)
        inner.map = [line, state.line]
        line = state.line
    state.push("asides_close", "div", -1)
    outer.map = [start, line]
    return True


def aside_plugin(md: MarkdownIt) -> None:
    """Register asides."""
    md.block.ruler.before("paragraph", "asides", aside, {"alt": _INTERRUPTED})


def box_plugin(md: MarkdownIt) -> None:
    """Register boxes."""
    container_plugin(md, "box", marker="%")


def second_word(line: str) -> str:
    """Return the name of a box."""
    return line.split()[1]


BOX = BlockRule(
    "container_box",
    BlockKind.CONTAINER,
    "%",
    plugin=box_plugin,
    name_in=second_word,
)
DIAGRAM = BlockRule("diagram", BlockKind.FENCED_CODE, "@", plugin=diagram_plugin)
ASIDE = BlockRule("asides", BlockKind.BLOCK_QUOTE, "&", plugin=aside_plugin)
PLUGINS = (BOX, DIAGRAM)
STOCK_PLUGINS = (StockPlugin(BOX, "container_box_open"), StockPlugin(DIAGRAM, "diagram"))

_WRAPS = (
    ("%%% box\n", "\n%%%"),
    ("%%% box\n\n", "\n\n%%%"),
    ("%%%% box\n", "\n%%%%"),
    ("%%% box\n", ""),
    ("@@@ flow\n", "\n@@@"),
    ("@@@\n", ""),
    ("%%% box\n@@@\n", "\n@@@\n%%%"),
    ("%%% bix\n", "\n%%%"),
    ("@@@\n# no heading\n```\n", "\n@@@"),
)
_MARKS = (("", ""), ("", ""), ("> ", "> "), ("- ", "  "), ("1. ", "   "), ("> ", ""))
_GAPS = ("\n\n", "\n")


@st.composite
def plugin_markdown(draw: st.DrawFn) -> str:
    """Make Markdown with boxes and diagrams around stretches of it, in lists and quotes."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        inside = draw(markdown_documents() | any_markdown() | st.sampled_from(("", "# A\n\nb")))
        opening, closing = draw(st.sampled_from(_WRAPS))
        first, rest = draw(st.sampled_from(_MARKS))
        lines = f"{opening}{inside}{closing}".split("\n")
        parts.append(first + f"\n{rest}".join(lines))
    return draw(st.sampled_from(_GAPS)).join(parts)
