"""The table of block rules, one row per rule, to which the rows of users' plugins are added.

The order of rules, and which blocks a rule may interrupt, are registered by markdown-it-py and its
plugins. `grammar` computes everything else from the rows.
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

from chunkana_core.arguments import require_callable, require_type
from chunkana_core.document.blocks import BlockKind
from chunkana_core.errors import ConfigurationError
from chunkana_core.formats.markdown import container_lines, rules
from chunkana_core.formats.markdown.state import RuleFunction, State
from chunkana_core.formats.markdown.titles import RawLinkMarkdownIt

Prefilter: TypeAlias = Callable[[RuleFunction, State, int, int, bool], bool]
INDENTED_CODE = "code"  # the rule for lines of indented code
FRONT_MATTER = "front_matter"  # called only by `parser`, at the start of the text
PLUGIN_KINDS = (  # the kinds that a user's rule may have: they need no data besides their lines
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
    """A block rule of markdown-it-py or of a plugin, and the kind of blocks that it finds.

    A rule is called for each line whose first character after the indentation is one of its
    characters, unless the line is indented code.

    Attributes:
        name: the name under which the rule is registered.
        kind: the kind of the blocks, which determines how a block that does not fit is divided.
            The content of a kind that is divided into blocks, such as `CONTAINER`, is parsed.
        characters: the first characters of lines for which the rule is called; "" for all lines,
            which takes longer.
        next_characters: in place of `characters`, the first characters of the line below.
        plugin: a plugin for `MarkdownIt.use` that registers the rule; None for a rule of
            markdown-it-py.
        name_in: returns the name of a container, or the info string of code, from the first line of
            a block; "" for none.

    Raises:
        ConfigurationError: for a field of the wrong type, and for characters that are white space.
    """

    name: str
    kind: BlockKind
    characters: str = ""
    next_characters: str = ""
    plugin: Callable[[MarkdownIt], object] | None = None
    name_in: Callable[[str], str] | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        require_type("BlockRule.name", self.name, str)
        require_type("BlockRule.kind", self.kind, BlockKind)
        for field in ("characters", "next_characters"):
            value = getattr(self, field)
            require_type(f"BlockRule.{field}", value, str)
            if value and not value.strip():
                allowed = "the first characters of lines, which are no white space; '' for any"
                raise ConfigurationError(f"BlockRule.{field}", value, allowed)
        for field in ("plugin", "name_in"):
            value = getattr(self, field)
            require_callable(f"BlockRule.{field}", value, "a function", optional=True)


def _enable_table(md: MarkdownIt) -> None:
    md.enable("table")


def _end_paragraphs(md: MarkdownIt) -> None:
    """Let setext underlines end paragraphs; stock parses each paragraph twice instead."""
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
# By name, the functions that replace stock rules and add the blocks themselves. Those of fences,
# headings, lists and paragraphs need what stock rules only put into tokens. With the stock rule of
# tables, which parses all cells, chunking takes 7 % longer; with that of thematic breaks, 2 %.
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
# By name, the functions that call a stock rule only if it may match. They gain no time on
# usual documents; that of math keeps the time linear where `$$` is not closed.
PREFILTERS: Mapping[str, Prefilter] = {
    "math_block": rules.prefilter_math,
    "admonition": container_lines.prefilter_admonition,
}


def parser_of(table: Sequence[BlockRule]) -> MarkdownIt:
    """Return markdown-it-py with the plugins of a table, each of which registers its own rules.

    Raises:
        ConfigurationError: if a plugin changes a rule that is not its own.
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
    """Return the active block rules of a parser, by name."""
    ruler = md.block.ruler
    return dict(zip(ruler.get_active_rules(), ruler.getRules(""), strict=True))
