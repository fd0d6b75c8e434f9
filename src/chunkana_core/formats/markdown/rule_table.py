"""The rules of the block parser, a row each, to which the rows of users' own plugins are added.

What a rule may interrupt, and the order of rules, are what markdown-it-py and its plugins register;
`grammar` computes everything else from these rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import lheading
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.document.blocks import BlockKind
from chunkana_core.errors import ConfigurationError, InputTypeError, require_str, require_type
from chunkana_core.formats.markdown import container_lines, rules
from chunkana_core.formats.markdown.state import RuleFunction, State
from chunkana_core.formats.markdown.titles import RawLinkMarkdownIt

Prefilter: TypeAlias = Callable[[RuleFunction, State, int, int, bool], bool]
INDENTED_CODE = "code"  # the rule that is asked of lines of indented code alone
FRONT_MATTER = "front_matter"  # the rule that is asked at the start of the text alone, by `parser`
PLUGIN_KINDS = (  # those of users' own rules: of blocks of which no more is known than their lines
    BlockKind.CONTAINER,
    BlockKind.BLOCK_QUOTE,
    BlockKind.FENCED_CODE,
    BlockKind.MATH,
    BlockKind.TABLE,
    BlockKind.PARAGRAPH,
    BlockKind.LINK_DEFINITION,
    BlockKind.THEMATIC_BREAK,
)


@dataclass(frozen=True, slots=True)
class BlockRule:
    """A block rule of markdown-it-py or of a plugin, and the blocks that it finds.

    A rule is asked of the lines that start with its characters, after their indentation, but for
    those of indented code.

    Attributes:
        name: the name under which the rule is registered.
        kind: the kind of the blocks, which says into what one is divided that does not fit. Blocks
            are found inside those of a kind that is divided into them, as a `CONTAINER` is.
        characters: the first characters of the lines that the rule is asked of; "" for all lines,
            which takes longer.
        next_characters: those of the lines below, in place of `characters`; such rules are asked
            before the others.
        plugin: registers the rule, given the parser, as `MarkdownIt.use` asks it to; None for a
            rule that the parser has.
        name_in: returns, from the first line of a block, the name of a container or the info
            string of code; "" for none.

    Raises:
        ConfigurationError: for a field that is not of its type, and for characters of which no
            line is the first.
    """

    name: str
    kind: BlockKind
    characters: str = ""
    next_characters: str = ""
    plugin: Callable[[MarkdownIt], object] | None = None
    name_in: Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        require_str("BlockRule.name", self.name)
        require_type("BlockRule.kind", self.kind, BlockKind, "a BlockKind")
        for field in ("characters", "next_characters"):
            value = getattr(self, field)
            require_str(f"BlockRule.{field}", value)
            if value and not value.strip():
                allowed = "the first characters of lines, which are no white space; '' for any"
                raise ConfigurationError(f"BlockRule.{field}", value, allowed)
        for field in ("plugin", "name_in"):
            value = getattr(self, field)
            if value is not None and not callable(value):
                raise InputTypeError(f"BlockRule.{field}", value, "None or a function")


def _enable_table(md: MarkdownIt) -> None:
    md.enable("table")


def _end_paragraphs(md: MarkdownIt) -> None:
    """Let a setext underline be one of the lines that end a paragraph, which stock reads twice."""
    md.block.ruler.at("lheading", lheading, {"alt": ["paragraph"]})


RULES = (
    BlockRule(FRONT_MATTER, BlockKind.FRONT_MATTER, plugin=front_matter_plugin),
    BlockRule("table", BlockKind.TABLE, next_characters="|:-", plugin=_enable_table),
    BlockRule(INDENTED_CODE, BlockKind.INDENTED_CODE),
    BlockRule(
        "math_block",
        BlockKind.MATH,
        "$",
        plugin=partial(dollarmath_plugin, allow_blank_lines=False),
    ),
    BlockRule(
        "admonition",
        BlockKind.CONTAINER,
        "!?",
        plugin=admon_plugin,
        name_in=container_lines.admonition_name,
    ),
    BlockRule("container_marker", BlockKind.MARKER, ":{", plugin=container_lines.marker_plugin),
    BlockRule("fence", BlockKind.FENCED_CODE, "`~"),
    BlockRule("blockquote", BlockKind.BLOCK_QUOTE, ">", name_in=container_lines.alert_name),
    BlockRule("hr", BlockKind.THEMATIC_BREAK, "*-_"),
    BlockRule("list", BlockKind.LIST, "*+-0123456789"),
    BlockRule(
        "footnote_def",
        BlockKind.FOOTNOTE,
        "[",
        plugin=partial(footnote_plugin, move_to_end=False),
    ),
    BlockRule("reference", BlockKind.LINK_DEFINITION, "["),
    BlockRule("html_block", BlockKind.HTML, "<"),
    BlockRule("heading", BlockKind.HEADING, "#"),
    BlockRule("lheading", BlockKind.HEADING, "=-", plugin=_end_paragraphs),
    BlockRule("paragraph", BlockKind.PARAGRAPH),
)
# By name, what is asked instead of a rule, and adds the blocks itself.
REPLACEMENTS: Mapping[str, RuleFunction] = {
    "table": rules.table,
    "container_marker": container_lines.marker,
    "fence": rules.fence,
    "hr": rules.thematic_break,
    "list": rules.list_block,
    "heading": rules.atx_heading,
    "lheading": rules.setext_underline,
    "paragraph": rules.paragraph,
}
# By name, what is given a rule, and asks it only where it has to.
PREFILTERS: Mapping[str, Prefilter] = {
    "math_block": rules.prefilter_math,
    "admonition": container_lines.prefilter_admonition,
    "footnote_def": rules.prefilter_footnote,
    "reference": rules.prefilter_reference,
}


def parser_of(table: Sequence[BlockRule]) -> MarkdownIt:
    """Return markdown-it-py with the plugins of a table, each of which registers its own rules.

    Raises:
        ConfigurationError: if a plugin changes a rule that is another's.
    """
    md = RawLinkMarkdownIt("commonmark", {"maxNesting": 1 << 30, "inline_definitions": True})
    for plugin in dict.fromkeys(row.plugin for row in table if row.plugin):
        own = [row.name for row in table if row.plugin is plugin]
        before = block_rules(md)
        plugin(md)
        after = block_rules(md)
        for name in before.keys() - own:
            if after.get(name) is not before[name]:
                allowed = f"a plugin that registers its rules alone, and does not change {name!r}"
                raise ConfigurationError("plugins", own, allowed)
    return md


def block_rules(md: MarkdownIt) -> dict[str, RuleFunction]:
    """Return the rules that a parser asks, by name."""
    ruler = md.block.ruler
    return dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
