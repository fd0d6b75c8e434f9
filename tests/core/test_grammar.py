"""The rule table of the Markdown parser: what is computed from it, with users' own rules too."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_core.extending import BlockKind, BlockRule
from chunkana_core.formats.markdown.grammar import MARKDOWN
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.rule_table import PREFILTERS, REPLACEMENTS, RULES
from tests.core.plugins import BOX, DIAGRAM, box_plugin
from tests.core.stock import KINDS

K = BlockKind


def term(state: StateBlock, start: int, end: int, silent: bool) -> bool:  # noqa: FBT001
    """Take a line and the line below it that starts with `&`, which is made up."""
    if start + 1 >= end or state.src[state.bMarks[start + 1]] != "&":
        return False
    if not silent:
        state.line = start + 2
    return True


def term_plugin(md: MarkdownIt) -> None:
    """Register terms, which may interrupt a paragraph."""
    md.block.ruler.before("paragraph", "term", term, {"alt": ["paragraph"]})


def late_plugin(md: MarkdownIt) -> None:
    """Register terms where nobody asks for them."""
    md.block.ruler.push("term", term)


def changing_plugin(md: MarkdownIt) -> None:
    """Register terms, and put them in the place of lists, too."""
    term_plugin(md)
    md.block.ruler.at("list", term)


def disabling_plugin(md: MarkdownIt) -> None:
    """Register terms, and take lists away."""
    term_plugin(md)
    md.disable("list")


def twice_plugin(md: MarkdownIt) -> None:
    """Register terms twice."""
    term_plugin(md)
    term_plugin(md)


def kinds(text: str, *rules: BlockRule) -> list[tuple[BlockKind, int]]:
    """Return kind and depth of every block."""
    return [(block.kind, block.depth) for block in parse_markdown(text, rules).blocks]


def test_every_kind_of_the_stock_parser_has_a_rule() -> None:
    """But items, which are added with their list."""
    assert {row.kind.value for row in RULES} == {*KINDS.values()} - {"list_item"}


def test_characters_of_lines_that_may_interrupt() -> None:
    """They are computed from the rows of those rules that are registered to interrupt."""
    paragraph, items = MARKDOWN.chains["paragraph"], MARKDOWN.chains["list"]
    assert all(character in paragraph.first_characters for character in "#>`~[<*+-_=0123456789")
    assert all(character in items.first_characters for character in ">`~*-_")
    assert not any(character in paragraph.first_characters for character in "$a(")
    assert not any(character in items.first_characters for character in "#[<=+0")
    assert {*"|:-"} <= paragraph.by_next_character.keys()
    assert not items.by_next_character


def test_names_of_what_is_asked_instead() -> None:
    """What replaces a rule, or asks it, is of a row."""
    assert REPLACEMENTS.keys() | PREFILTERS.keys() <= {row.name for row in RULES}


@pytest.mark.parametrize("row", [BOX, replace(BOX, characters="")], ids=["character", "any line"])
def test_one_more_container(row: BlockRule) -> None:
    """A plugin's container needs a row, and interrupts what the plugin registers."""
    box = "%%%% box\n# Title\n\n- item\n  %%% box\n  text\n  %%%\n%%%%\n"
    expected = [
        (K.CONTAINER, 0),
        (K.MARKER, 1),
        (K.HEADING, 1),
        (K.LIST, 1),
        (K.LIST_ITEM, 2),
        (K.PARAGRAPH, 3),
        (K.CONTAINER, 3),
        (K.MARKER, 4),
        (K.PARAGRAPH, 4),
        (K.MARKER, 4),
        (K.MARKER, 1),
    ]
    text, quote = [(K.PARAGRAPH, 0)], [(K.BLOCK_QUOTE, 0), (K.PARAGRAPH, 1)]
    assert kinds(f"{box}# Next\n", row) == [*expected, (K.HEADING, 0)]
    assert kinds(f"text\n{box}text\n", row) == [*text, *expected, *text]
    assert kinds(f"> text\n{box}", row) == [*quote, *expected]
    blocks = parse_markdown(f"- item\n{box}\n# Next\n", [row]).top
    assert [(block.kind, block.start) for block in blocks] == [
        (K.LIST, 0),
        (K.CONTAINER, 7),
        (K.HEADING, 8 + len(box)),
    ]


def test_one_more_leaf_by_its_next_line() -> None:
    """A rule may depend on how the next line starts."""
    row = BlockRule("term", K.PARAGRAPH, next_characters="&", plugin=term_plugin)
    blocks = parse_markdown("text\nterm\n& definition\n", [row]).blocks
    assert [block.start for block in blocks] == [0, 5]


def test_rules_are_asked_in_the_order_of_the_plugin() -> None:
    """A rule that depends on the next line comes after a fence, if it is registered after it."""
    row = BlockRule("term", K.PARAGRAPH, next_characters="&", plugin=term_plugin)
    text = "```js\n& []\n# comment\n```\n\n# H\n\nterm\n& definition\n"
    expected = [K.FENCED_CODE, K.HEADING, K.PARAGRAPH]
    assert [block.kind for block in parse_markdown(text, [row]).top] == expected


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([replace(BOX, name="bix")], "a BlockRule for each rule .*, 'container_box' too"),
        ([BOX, replace(BOX, characters="")], "one BlockRule for a rule"),
        ([BOX, replace(BOX, plugin=partial(box_plugin))], "one BlockRule for a rule"),
        ([BOX, BlockRule("bix", K.CONTAINER, "%")], "'bix'; allowed: the name of a rule that its"),
        ([replace(BOX, name="list")], "'container_box' too"),
        ([BlockRule("term", K.PARAGRAPH, plugin=late_plugin)], "'paragraph', which takes every"),
        ([BlockRule("term", K.PARAGRAPH, plugin=changing_plugin)], "its rules alone.*'list'"),
        ([BlockRule("term", K.PARAGRAPH, plugin=disabling_plugin)], "its rules alone.*'list'"),
        ([BlockRule("term", K.PARAGRAPH, plugin=twice_plugin)], "registered once, as 'term' is"),
        ([replace(BOX, kind=K.HEADING)], "kind of plugin 'container_box' is .*BlockKind.CONTAINER"),
    ],
)
def test_a_rule_that_would_never_be_asked(rules: list[BlockRule], message: str) -> None:
    """It is an error that says what to do, not a block that is never found."""
    with pytest.raises(ConfigurationError, match=message):
        parse_markdown("", rules)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": 1}, "BlockRule.name is 1"),
        ({"kind": "container"}, "BlockRule.kind is 'container'; allowed: a BlockKind"),
        ({"characters": None}, "BlockRule.characters is None"),
        ({"plugin": "box"}, "BlockRule.plugin is 'box'; allowed: None or a function"),
        ({"name_in": "box"}, "BlockRule.name_in is 'box'"),
    ],
)
def test_fields_of_other_types(fields: dict[str, object], message: str) -> None:
    """Errors name the field, its value, and what is allowed."""
    with pytest.raises(InputTypeError, match=message):
        replace(BOX, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("characters", [" ", "\t\n"])
def test_characters_that_no_line_starts_with(characters: str) -> None:
    """White space is before what a line starts with."""
    with pytest.raises(ConfigurationError, match="no white space; '' for any"):
        replace(BOX, characters=characters)
    with pytest.raises(ConfigurationError, match="next_characters is"):
        replace(BOX, next_characters=characters)


@pytest.mark.parametrize("plugins", [BOX, [DIAGRAM, "box"], [box_plugin]])
def test_what_is_no_plugin(plugins: object) -> None:
    """Plugins are several rules, each with its row."""
    with pytest.raises(InputTypeError, match="BlockRule"):
        parse_markdown("", plugins)  # type: ignore[arg-type]
