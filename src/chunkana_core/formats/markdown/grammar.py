"""The block parser, built from the table of block rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.ruler import Ruler

from chunkana_core.arguments import require_each
from chunkana_core.document.blocks import TRAITS, BlockKind, Division
from chunkana_core.errors import ConfigurationError
from chunkana_core.formats.markdown.rule_table import (
    FRONT_MATTER,
    INDENTED_CODE,
    PLUGIN_KINDS,
    PREFILTERS,
    REPLACEMENTS,
    RULES,
    BlockRule,
    block_rules,
    parser_of,
)
from chunkana_core.formats.markdown.rules import exceeds_lazy_limit
from chunkana_core.formats.markdown.state import (
    MAX_NESTING,
    LineRules,
    PluginState,
    RuleChain,
    RuleFunction,
    State,
)

_INTERRUPTED = ("paragraph", "reference", "blockquote", "list")  # what rules may interrupt


@dataclass(frozen=True, slots=True)
class Grammar:
    """The parser of Markdown blocks, and its rules.

    Attributes:
        parser: markdown-it-py, with a block parser that calls the rules of the table.
        chains: for each block that can be interrupted, the rules whose blocks interrupt it.
        front_matter: the rule of front matter, for the start of the text.
        state_type: the class of the parser's state.
    """

    parser: MarkdownIt
    chains: Mapping[str, RuleChain]
    front_matter: RuleFunction
    state_type: type[State]


class BlockParser(ParserBlock):
    """markdown-it-py's block parser, but with rules selected by the first character of a line.

    Attributes:
        ask: calls the rules for the content of the document and of containers.
        ruler: the registry in which stock rules look up the rules that may interrupt them.
    """

    def __init__(self, content: RuleChain, interrupting: Mapping[str, RuleChain]) -> None:
        super().__init__()
        self.ask = content.ask
        self.ruler = Ruler()
        self._register("code", content.ask)  # stock rules expect indented code under this name
        self._register("lazy_limit", exceeds_lazy_limit, "blockquote")
        for interrupted, chain in interrupting.items():
            self._register(interrupted, chain.ask, interrupted)
        self.ruler.getRules("")  # compile it now: compiling at first use is not thread-safe

    def _register(self, name: str, rule: RuleFunction, *interrupted: str) -> None:
        """Register a rule under the blocks that it may interrupt, for stock rules to find."""
        self.ruler.push(name, cast("RuleFuncBlockType", rule), {"alt": [*interrupted]})

    def tokenize(self, state: State, startLine: int, endLine: int) -> None:  # type: ignore[override]  # noqa: N803
        """Add the blocks between two lines, up to the end of their container."""
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
    """Add the rest of a container as a block that is not parsed further."""
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent):
        line += 1
    while state.isEmpty(line - 1):
        line -= 1
    state.line = line
    state.add_leaf(BlockKind.OPAQUE, start)


def read_table(table: Sequence[BlockRule]) -> Grammar:
    """Return the grammar of a table, which has a row for each rule of the parser.

    Raises:
        ConfigurationError: if a rule of the table or of a plugin would never be called.
    """
    parser = parser_of(table)
    ruler, stock = parser.block.ruler, block_rules(parser)
    _check(table, ruler.get_active_rules())
    rows = {row.name: row for row in table}
    functions = {name: _rule_function(rows[name], rule) for name, rule in stock.items()}

    def chain(interrupted: str) -> RuleChain:
        registered = ruler.getRules(interrupted)
        names = [name for name, rule in stock.items() if rule in registered]
        return _rule_chain([(rows[name], functions[name]) for name in names])

    chains = {interrupted: chain(interrupted) for interrupted in _INTERRUPTED}
    parser.block = BlockParser(chain(""), chains)
    state_type = State if len(table) == len(RULES) else PluginState
    return Grammar(parser, chains, functions[FRONT_MATTER], state_type)


def _check(table: Sequence[BlockRule], names: Sequence[str]) -> None:
    """Raise an error if a rule of the table or of the parser would never be called."""
    rows = [row.name for row in table]
    plugin_rules = rows[len(RULES) :]
    for name in names:
        if name not in rows:
            allowed = f"a BlockRule for each rule that the plugins register, {name!r} too"
            raise ConfigurationError("plugins", plugin_rules, allowed)
        if rows.count(name) > 1 or names.count(name) > 1:
            allowed = f"one BlockRule for a rule, which is registered once, as {name!r} is not"
            raise ConfigurationError("plugins", plugin_rules, allowed)
    for name in plugin_rules:
        if name not in names:
            raise ConfigurationError(
                "plugins", name, "the name of a rule that its plugin registers"
            )
    if names[-1] != "paragraph":
        allowed = "rules that are registered before 'paragraph', which takes every line"
        raise ConfigurationError("plugins", names[-1], allowed)


def _rule_function(row: BlockRule, stock: RuleFunction) -> RuleFunction:
    """Return the rule that the parser calls for a row of the table."""
    if row.name in REPLACEMENTS:
        return REPLACEMENTS[row.name]
    prefilter = PREFILTERS.get(row.name)
    rule = partial(prefilter, stock) if prefilter else stock
    is_container = TRAITS[row.kind].division is Division.CHILDREN
    return _container_rule(row, rule) if is_container else _leaf_rule(row, rule)


def _leaf_rule(row: BlockRule, stock: RuleFunction) -> RuleFunction:
    """Return a rule that adds the block found by a stock rule, as a leaf block."""
    kind, name_in = row.kind, row.name_in

    def add_leaf(state: State, start: int, end: int, silent: bool) -> bool:
        count = len(state.blocks)
        is_found = stock(state, start, end, silent)
        if is_found and not silent:
            state.discard_blocks(count)
            state.add_leaf(kind, start, info=name_in(state.line_text(start)) if name_in else "")
        return is_found

    return add_leaf


def _container_rule(row: BlockRule, stock: RuleFunction) -> RuleFunction:
    """Return a rule that adds the block found by a stock rule, as a container block."""
    kind, name_in, has_markers = row.kind, row.name_in, row.kind is BlockKind.CONTAINER

    def add_container(state: State, start: int, end: int, silent: bool) -> bool:
        if silent:
            return stock(state, start, end, True)
        line = state.line_text(start) if name_in else ""
        index = state.open_container()
        if has_markers:
            state.open_container()  # reserve the index of its opening line's block
        is_found = stock(state, start, end, False)
        if not is_found:
            state.discard_blocks(index)
            return False
        name = name_in(line) if name_in else ""
        if has_markers:
            state.close_with_markers(start, index, name)
        else:
            state.close_container(kind, start, index, name)
        return True

    return add_container


def _rule_chain(functions: Sequence[tuple[BlockRule, RuleFunction]]) -> RuleChain:
    """Return the chain of some rules, which are called in this order."""
    indented = [function for row, function in functions if row.name == INDENTED_CODE]
    others = [item for item in functions if item[0].name not in {INDENTED_CODE, FRONT_MATTER}]
    rules = _line_rules(others, "")
    following = "".join(row.next_characters for row, _ in others)
    by_next_character = {character: _line_rules(others, character) for character in following}
    firsts = _AnyCharacter() if rules.any_line else rules.by_first_character.keys()
    return RuleChain(rules, by_next_character, indented, firsts)


def _line_rules(functions: Sequence[tuple[BlockRule, RuleFunction]], following: str) -> LineRules:
    """Return the rules for lines whose next line starts with a character, "" for any other."""
    rules = [
        ("" if row.next_characters else row.characters, function)
        for row, function in functions
        if not row.next_characters or (following and following in row.next_characters)
    ]
    by_first_character = {
        first: [rule for characters, rule in rules if not characters or first in characters]
        for first in "".join(characters for characters, _ in rules)
    }
    return LineRules(by_first_character, [rule for characters, rule in rules if not characters])


class _AnyCharacter:
    """The set of all characters."""

    def __contains__(self, character: object) -> bool:
        return True


MARKDOWN = read_table(RULES)


@lru_cache(maxsize=64)
def grammar_of(plugins: tuple[BlockRule, ...]) -> Grammar:
    """Return the grammar of Markdown with the user's plugins, cached by plugins.

    Raises:
        ConfigurationError: if a rule would never be called.
    """
    return read_table((*RULES, *plugins)) if plugins else MARKDOWN


def require_plugins(plugins: Iterable[BlockRule]) -> tuple[BlockRule, ...]:
    """Return the user's plugins; raise an error if one of their rules would never be called."""
    rules = tuple(require_each("plugins", plugins, BlockRule))
    for row in rules:
        if row.kind not in PLUGIN_KINDS:
            allowed = ", ".join(f"BlockKind.{kind.name}" for kind in PLUGIN_KINDS)
            raise ConfigurationError(f"the kind of plugin {row.name!r}", row.kind, allowed)
    grammar_of(rules)
    return rules
