"""Which rules are asked of which line, and the block parser made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.blocks import BlockKind
from chunkana_core.parsing import rules
from chunkana_core.parsing.links import Markdown
from chunkana_core.parsing.state import Rule, State

MAX_NESTING = 100  # levels of containers; a list and its item are two
_FIRSTS = {  # with what a line starts for a rule to be asked; with anything where it is not here
    "blockquote": ">",
    "fence": "`~",
    "footnote_def": "[",
    "heading": "#",
    "hr": "*-_",
    "html_block": "<",
    "list": "*+-0123456789",
    "math_block": "$",
    "reference": "[",
    "code": "",  # asked by indentation,
    "table": "",  # by the line below,
    "front_matter": "",  # by place,
    "lheading": "",  # and by the rule for paragraphs
}
_CHAINS = ("paragraph", "reference", "blockquote", "list")


class _Blocks(ParserBlock):
    """Goes through lines.

    Attributes:
        dispatch: asks the rules that a line admits, until one takes it.
    """

    dispatch: Rule

    def tokenize(self, state: State, startLine: int, endLine: int) -> None:  # type: ignore[override]  # noqa: N803
        """Add the blocks between two lines, as far as they are inside their container."""
        src, begins, shifts, counts = state.src, state.bMarks, state.tShift, state.sCount
        line = startLine
        while line < endLine:
            while src[begins[line] + shifts[line]] == "\n" and line < state.lineMax:
                line += 1
            state.line = line
            if line >= endLine or counts[line] < state.blkIndent:
                break
            if state.level < MAX_NESTING:
                self.dispatch(state, line, endLine, False)
            else:
                rules.take_opaque(state, line, endLine)
            line = state.line
            if line < endLine and src[begins[line] + shifts[line]] == "\n":
                state.line = line = line + 1


def _dispatcher(chain: Mapping[str, Rule]) -> Rule:
    """Return a rule that asks only those that a line's indentation and first character admit."""
    by_first = {
        first: [rule for name, rule in chain.items() if first in _FIRSTS.get(name, first)]
        for first in rules.MARKS
    }
    others = [rule for name, rule in chain.items() if name not in _FIRSTS]
    code, table = chain.get("code", _never), chain.get("table", _never)

    def dispatch(state: State, start: int, end: int, silent: bool) -> bool:
        if state.sCount[start] - state.blkIndent > rules.WIDEST_INDENT:
            return code(state, start, end, silent)
        src, begins, shifts = state.src, state.bMarks, state.tShift
        following = src[begins[start + 1] + shifts[start + 1]]
        if following in rules.DELIMITS and table(state, start, end, silent):
            return True
        for rule in by_first.get(src[begins[start] + shifts[start]], others):
            if rule(state, start, end, silent):
                return True
        return False

    return dispatch


def _never(state: State, start: int, end: int, silent: bool) -> bool:
    return False


def _parser() -> tuple[MarkdownIt, dict[str, Rule], Rule]:
    """Return the parser, what stops what, and the rule for front matter, which applies but once."""
    md = Markdown("commonmark", {"maxNesting": 1 << 30, "inline_definitions": True})
    md.enable("table").use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    md.use(dollarmath_plugin, allow_blank_lines=False)
    stock = md.block.ruler
    names = dict(zip(stock.getRules(""), stock.get_active_rules(), strict=True))
    found = _rules({name: cast("Rule", rule) for rule, name in names.items()})
    chains = {
        chain: {names[r]: found[names[r]] for r in stock.getRules(chain)} for chain in _CHAINS
    }
    stops = {chain: _dispatcher(asked) for chain, asked in chains.items()}
    stops["blockquote"] = partial(rules.ends_quote, stops["blockquote"])
    md.block = blocks = _Blocks()
    blocks.dispatch = _dispatcher(found)
    blocks.ruler = Ruler()
    for chain, rule in [("code", found["code"]), *stops.items()]:  # "code", so that there is any
        blocks.ruler.push(chain, cast("_StockRule", rule), {"alt": [chain]})
    blocks.ruler.getRules("")  # compiled here, for threads could find it half compiled
    return md, stops, found["front_matter"]


def _rules(stock: Mapping[str, Rule]) -> dict[str, Rule]:
    """Return the rules, those that are not ours with the kind of block that they add."""
    one, around = rules.of_one_block, rules.of_container
    return {
        **stock,
        "blockquote": around(BlockKind.BLOCK_QUOTE, stock["blockquote"]),
        "code": one(BlockKind.INDENTED_CODE, stock["code"]),
        "fence": rules.fence,
        "footnote_def": around(BlockKind.FOOTNOTE, partial(rules.footnote, stock["footnote_def"])),
        "front_matter": one(BlockKind.FRONT_MATTER, stock["front_matter"]),
        "heading": rules.heading,
        "hr": rules.thematic_break,
        "html_block": one(BlockKind.HTML, stock["html_block"]),
        "list": rules.list_block,
        "math_block": one(BlockKind.MATH, partial(rules.math, stock["math_block"])),
        "paragraph": rules.paragraph,
        "reference": one(BlockKind.LINK_DEFINITION, partial(rules.reference, stock["reference"])),
        "table": partial(rules.table, stock["table"]),
    }


_StockRule = Callable[[StateBlock, int, int, bool], bool]
MARKDOWN, STOPS, FRONT_MATTER = _parser()
