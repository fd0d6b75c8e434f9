"""The block parser that is computed from the table of its rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.ruler import Ruler

from chunkana_core.document.blocks import BlockKind
from chunkana_core.formats.markdown.rule_table import RULES, BlockRule, Lines, stock_parser
from chunkana_core.formats.markdown.rules import exceeds_lazy_limit
from chunkana_core.formats.markdown.state import MAX_NESTING, RuleChain, RuleFunction, State

_INTERRUPTED = ("paragraph", "reference", "blockquote", "list")  # what rules may interrupt
_BY_CHARACTER = frozenset({Lines.FIRST_CHARACTER, Lines.NEXT_LINE})


@dataclass(frozen=True, slots=True)
class Grammar:
    """What the parser knows of the blocks of Markdown.

    Attributes:
        parser: markdown-it-py, with the block parser that asks the rules of the table.
        chains: by what may be interrupted, the rules whose blocks interrupt it.
        front_matter: the rule for the start of the text.
    """

    parser: MarkdownIt
    chains: Mapping[str, RuleChain]
    front_matter: RuleFunction


class BlockParser(ParserBlock):
    """markdown-it-py's block parser, but each line is offered only to rules that may take it.

    Attributes:
        ask: asks the rules for content of the document and of containers.
        ruler: where stock rules look for those that may interrupt them.
    """

    def __init__(self, content: RuleChain, interrupting: Mapping[str, RuleChain]) -> None:
        super().__init__()
        self.ask = content.ask
        self.ruler = Ruler()
        self._register("code", content.ask)  # without this name, stock knows no indented code
        self._register("lazy_limit", exceeds_lazy_limit, "blockquote")
        for interrupted, chain in interrupting.items():
            self._register(interrupted, chain.ask, interrupted)
        self.ruler.getRules("")  # compiled here, for threads could find it half compiled

    def _register(self, name: str, rule: RuleFunction, *interrupted: str) -> None:
        """Let stock rules find a rule by what it may interrupt."""
        self.ruler.push(name, cast("RuleFuncBlockType", rule), {"alt": [*interrupted]})

    def tokenize(self, state: State, startLine: int, endLine: int) -> None:  # type: ignore[override]  # noqa: N803
        """Add the blocks between two lines, as far as they are inside their container."""
        src, begins, shifts, indents = state.src, state.bMarks, state.tShift, state.sCount
        line = startLine
        while line < endLine:
            while src[begins[line] + shifts[line]] == "\n" and line < state.lineMax:
                line += 1
            state.line = line
            if line >= endLine or indents[line] < state.blkIndent:
                break
            if state.level < MAX_NESTING:
                self.ask(state, line, endLine, False)
            else:
                _add_opaque(state, line, endLine)
            line = state.line
            if line < endLine and src[begins[line] + shifts[line]] == "\n":
                state.line = line = line + 1


def _add_opaque(state: State, start: int, end: int) -> None:
    """Add what is left of a container as a block that is not looked into."""
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    while state.isEmpty(line - 1):
        line -= 1
    state.line = line
    state.add_leaf(BlockKind.OPAQUE, start)


def read_table(table: Sequence[BlockRule], parser: MarkdownIt) -> Grammar:
    """Return the grammar of a table, whose rules take the place of those of a stock parser.

    Raises:
        ValueError: if a rule of the table or of the parser would never be asked.
    """
    ruler = parser.block.ruler
    stock = dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
    _check(table, [*stock])
    rows = {row.name: row for row in table}
    functions = {name: _rule_function(rows[name], rule) for name, rule in stock.items()}

    def chain(interrupted: str) -> RuleChain:
        registered = ruler.getRules(interrupted)
        names = [name for name, rule in stock.items() if rule in registered]
        return _rule_chain([(rows[name], functions[name]) for name in names])

    chains = {interrupted: chain(interrupted) for interrupted in _INTERRUPTED}
    parser.block = BlockParser(chain(""), chains)
    return Grammar(parser, chains, functions["front_matter"])


def _check(table: Sequence[BlockRule], names: Sequence[str]) -> None:
    """Raise an error if a rule of the table or of a parser would never be asked."""
    rows = [row.name for row in table]
    for name in names:
        if rows.count(name) != 1:
            raise ValueError(f"rule {name!r} needs one row in the table, got {rows.count(name)}")
    for row in table:
        if row.name not in names:
            raise ValueError(f"row {row.name!r} names no rule of the parser; it has {names}")
        if row.lines in _BY_CHARACTER and not row.characters.strip(" \t\n"):
            wanted = "characters other than white space, or lines=Lines.ANY"
            raise ValueError(f"row {row.name!r} needs {wanted}; got {row.characters!r}")
    at_start = [row.name for row in table if row.lines is Lines.TEXT_START]
    if at_start != ["front_matter"]:
        raise ValueError(f"only 'front_matter' is asked at the start of the text; got {at_start}")
    if names[-1] != "paragraph":
        raise ValueError(f"rule {names[-1]!r} comes after 'paragraph', which takes every line")


def _rule_function(row: BlockRule, stock: RuleFunction) -> RuleFunction:
    """Return what is asked for a row of the table."""
    if row.replacement:
        return row.replacement
    rule = partial(row.prefilter, stock) if row.prefilter else stock
    return _container_rule(row, rule) if row.is_container else _leaf_rule(row.kind, rule)


def _leaf_rule(kind: BlockKind, stock: RuleFunction) -> RuleFunction:
    """Return a rule that adds what a stock rule finds as a leaf block."""

    def add_leaf(state: State, start: int, end: int, silent: bool) -> bool:
        is_found = stock(state, start, end, silent)
        if is_found and not silent:
            state.add_leaf(kind, start)
        return is_found

    return add_leaf


def _container_rule(row: BlockRule, stock: RuleFunction) -> RuleFunction:
    """Return a rule that adds what a stock rule finds as a container block."""

    def add_container(state: State, start: int, end: int, silent: bool) -> bool:
        if silent:
            return stock(state, start, end, True)
        name = row.name_in(state.line_text(start)) if row.name_in else ""
        index = state.open_container()
        is_found = stock(state, start, end, False)
        if is_found:
            state.close_container(row.kind, start, index, name)
        else:
            state.blocks.pop()
        return is_found

    return add_container


def _rule_chain(functions: Sequence[tuple[BlockRule, RuleFunction]]) -> RuleChain:
    """Return the chain of rules that are asked in this order."""

    def by_character(lines: Lines, *others: Lines) -> dict[str, list[RuleFunction]]:
        rows = [row for row, _ in functions if row.lines is lines]
        return {
            character: [
                function
                for row, function in functions
                if row.lines in others or (row in rows and character in row.characters)
            ]
            for character in "".join(row.characters for row in rows)
        }

    by_first_character = by_character(Lines.FIRST_CHARACTER, Lines.ANY)
    any_line = [function for row, function in functions if row.lines is Lines.ANY]
    return RuleChain(
        by_first_character,
        by_character(Lines.NEXT_LINE),
        any_line,
        indented=[function for row, function in functions if row.lines is Lines.INDENTED],
        first_characters=_AnyCharacter() if any_line else by_first_character.keys(),
    )


class _AnyCharacter:
    """The set of all characters."""

    def __contains__(self, character: object) -> bool:
        return True


MARKDOWN = read_table(RULES, stock_parser())
