"""The rules of the block parser, a row each; a new block kind is a new row.

What a rule may interrupt, and the order of rules, are what markdown-it-py and its plugins register;
`grammar` computes everything else from these rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.rules_block import lheading
from mdit_py_plugins.admon import admon_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin

from chunkana_core.document.blocks import BlockKind
from chunkana_core.formats.markdown import container_lines, rules
from chunkana_core.formats.markdown.state import RuleFunction, State
from chunkana_core.formats.markdown.titles import RawLinkMarkdownIt

Prefilter: TypeAlias = Callable[[RuleFunction, State, int, int, bool], bool]


class Lines(Enum):
    """The lines of which a rule is asked; apart from `INDENTED`, none that are indented code."""

    FIRST_CHARACTER = auto()  # lines that start with one of the rule's characters
    NEXT_LINE = auto()  # lines above one that starts with such a character; before other rules
    INDENTED = auto()  # lines of indented code
    ANY = auto()  # all lines, which takes longer
    TEXT_START = auto()  # the first line of the text, by `parser`


@dataclass(frozen=True, slots=True)
class BlockRule:
    """A rule of the block parser, the lines of which it is asked, and the blocks that it adds.

    Attributes:
        name: the name under which markdown-it-py or a plugin registers the rule.
        kind: the kind of the blocks.
        characters: the first characters of lines that `lines` speaks of.
        lines: the lines of which the rule is asked.
        is_container: whether the blocks are container blocks, with blocks in them.
        replacement: a rule that is asked instead of the stock rule, and adds the blocks itself.
        prefilter: a function that is given the stock rule, and asks it only where it has to.
        name_in: returns the name of a container from its first line, "" for none.
    """

    name: str
    kind: BlockKind
    characters: str = ""
    lines: Lines = Lines.FIRST_CHARACTER
    is_container: bool = False
    replacement: RuleFunction | None = None
    prefilter: Prefilter | None = None
    name_in: Callable[[str], str] | None = None


RULES = (
    BlockRule("front_matter", BlockKind.FRONT_MATTER, lines=Lines.TEXT_START),
    BlockRule("table", BlockKind.TABLE, "|:-", Lines.NEXT_LINE, replacement=rules.table),
    BlockRule("code", BlockKind.INDENTED_CODE, lines=Lines.INDENTED),
    BlockRule("math_block", BlockKind.MATH, "$", prefilter=rules.prefilter_math),
    BlockRule(
        "admonition",
        BlockKind.CONTAINER,
        "!?",
        is_container=True,
        prefilter=container_lines.prefilter_admonition,
        name_in=container_lines.admonition_name,
    ),
    BlockRule("container_marker", BlockKind.MARKER, ":{", replacement=container_lines.marker),
    BlockRule("fence", BlockKind.FENCED_CODE, "`~", replacement=rules.fence),
    BlockRule(
        "blockquote",
        BlockKind.BLOCK_QUOTE,
        ">",
        is_container=True,
        name_in=container_lines.alert_name,
    ),
    BlockRule("hr", BlockKind.THEMATIC_BREAK, "*-_", replacement=rules.thematic_break),
    BlockRule("list", BlockKind.LIST, "*+-0123456789", replacement=rules.list_block),
    BlockRule(
        "footnote_def",
        BlockKind.FOOTNOTE,
        "[",
        is_container=True,
        prefilter=rules.prefilter_footnote,
    ),
    BlockRule("reference", BlockKind.LINK_DEFINITION, "[", prefilter=rules.prefilter_reference),
    BlockRule("html_block", BlockKind.HTML, "<"),
    BlockRule("heading", BlockKind.HEADING, "#", replacement=rules.atx_heading),
    BlockRule("lheading", BlockKind.HEADING, "=-", replacement=rules.setext_underline),
    BlockRule("paragraph", BlockKind.PARAGRAPH, lines=Lines.ANY, replacement=rules.paragraph),
)


def stock_parser() -> MarkdownIt:
    """Return markdown-it-py with the plugins whose rules have a row."""
    md = RawLinkMarkdownIt("commonmark", {"maxNesting": 1 << 30, "inline_definitions": True})
    md.enable("table").use(front_matter_plugin).use(footnote_plugin, move_to_end=False)
    md.use(dollarmath_plugin, allow_blank_lines=False).use(admon_plugin)
    md.use(container_lines.marker_plugin)
    # Stock reads a paragraph twice; here, a setext underline is one of the lines that end it.
    md.block.ruler.at("lheading", lheading, {"alt": ["paragraph"]})
    return md
