"""The rule table of the Markdown parser: what is computed from it, and which tables are errors."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.container import container_plugin

from chunkana_core import BlockKind
from chunkana_core.formats.markdown.grammar import MARKDOWN, Grammar, read_table
from chunkana_core.formats.markdown.parser import parse_blocks
from chunkana_core.formats.markdown.rule_table import RULES, BlockRule, Lines, stock_parser

K = BlockKind
BOX = BlockRule("container_box", K.OPAQUE, "%", is_container=True)  # %%% box


def with_boxes() -> MarkdownIt:
    """Return the stock parser with a plugin more."""
    return stock_parser().use(container_plugin, "box", marker="%")


def term(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Take a line and the line below it that starts with a colon."""
    if start + 1 >= end or state.src[state.bMarks[start + 1]] != ":":
        return False
    if not silent:
        state.line = start + 2
    return True


def kinds(text: str, grammar: Grammar) -> list[tuple[BlockKind, int]]:
    """Return kind and depth of every block."""
    return [(block.kind, block.depth) for block in parse_blocks(text, grammar)]


def test_every_kind_has_a_rule() -> None:
    """Items are added with their list, what lies too deep by the parser; code is not Markdown."""
    assert {row.kind for row in RULES} == set(K) - {K.LIST_ITEM, K.OPAQUE, K.CODE, K.BRACKET}


def test_characters_of_lines_that_may_interrupt() -> None:
    """They are computed from the rows of those rules that are registered to interrupt."""
    paragraph, items = MARKDOWN.chains["paragraph"], MARKDOWN.chains["list"]
    assert all(character in paragraph.first_characters for character in "#>`~[<*+-_=0123456789")
    assert all(character in items.first_characters for character in ">`~*-_")
    assert not any(character in paragraph.first_characters for character in "$a(")
    assert not any(character in items.first_characters for character in "#[<=+0")
    assert {*"|:-"} <= paragraph.by_next_character.keys()
    assert not items.by_next_character


@pytest.mark.parametrize(
    "row", [BOX, replace(BOX, characters="", lines=Lines.ANY)], ids=["character", "any line"]
)
def test_one_more_container(row: BlockRule) -> None:
    """A plugin's container needs a row, and interrupts what the plugin registers."""
    box = "%%%% box\n# Title\n\n- item\n  %%% box\n  text\n  %%%\n%%%%\n"
    inside = [(K.HEADING, 1), (K.LIST, 1), (K.LIST_ITEM, 2), (K.PARAGRAPH, 3), (K.OPAQUE, 3)]
    expected = [(K.OPAQUE, 0), *inside, (K.PARAGRAPH, 4)]
    grammar = read_table((*RULES, row), with_boxes())
    text, quote = [(K.PARAGRAPH, 0)], [(K.BLOCK_QUOTE, 0), (K.PARAGRAPH, 1)]
    assert kinds(f"{box}# Next\n", grammar) == [*expected, (K.HEADING, 0)]
    assert kinds(f"text\n{box}text\n", grammar) == [*text, *expected, *text]
    assert kinds(f"> text\n{box}", grammar) == [*quote, *expected]
    blocks = parse_blocks(f"- item\n{box}\n# Next\n", grammar)
    assert [(block.kind, block.start) for block in blocks if not block.depth] == [
        (K.LIST, 0),
        (K.OPAQUE, 7),
        (K.HEADING, 8 + len(box)),
    ]


def test_one_more_leaf_by_its_next_line() -> None:
    """A rule may depend on how the next line starts, and is then asked before all others."""

    def define(md: MarkdownIt) -> None:
        md.block.ruler.before("paragraph", "term", term, {"alt": ["paragraph"]})

    row = BlockRule("term", K.OPAQUE, ":", Lines.NEXT_LINE)
    grammar = read_table((*RULES, row), stock_parser().use(define))
    assert kinds("text\nterm\n: definition\n", grammar) == [(K.PARAGRAPH, 0), (K.OPAQUE, 0)]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (RULES, "rule 'container_box' needs one row in the table, got 0"),
        ((*RULES, BOX, BOX), "rule 'container_box' needs one row in the table, got 2"),
        ((*RULES, BOX, replace(BOX, name="bix")), "row 'bix' names no rule of the parser"),
        ((*RULES, replace(BOX, characters="")), "needs characters .*; got ''"),
        ((*RULES, replace(BOX, characters=" ")), "needs characters .*; got ' '"),
        ((*RULES, replace(BOX, lines=Lines.TEXT_START)), "only 'front_matter' is asked"),
    ],
)
def test_a_rule_that_would_never_be_asked(table: tuple[BlockRule, ...], message: str) -> None:
    """It is an error when the table is read, not a block that is never found."""
    with pytest.raises(ValueError, match=message):
        read_table(table, with_boxes())


def test_a_rule_after_the_one_for_paragraphs() -> None:
    """What is registered last is never asked, for any line may be a paragraph."""
    md = stock_parser()
    md.block.ruler.push("term", term)
    with pytest.raises(ValueError, match="'term' comes after 'paragraph'"):
        read_table((*RULES, BlockRule("term", K.OPAQUE, "t")), md)
