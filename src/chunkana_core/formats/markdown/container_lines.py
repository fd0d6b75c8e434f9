"""Lines that open or close containers: admonitions, alerts, directives and shortcodes."""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType

from chunkana_core.document.blocks import BlockKind
from chunkana_core.formats.markdown.state import RuleFunction, State

DIRECTIVE = ":"  # the character of which the keys of directives consist
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?+)( *+)(?=.*\S)")
_ADMONITION_NAME = re.compile(r"[!?+]++\s*+([^\s\"]++)")
_ADMONITION_INDENT = 3  # columns, in addition to the spaces after the marker
_ALERT = re.compile(r">[ \t]*+\[!(note|tip|important|warning|caution)\]\s*+", re.IGNORECASE)
_MARKER_STARTS = (":::", "{{<", "{{%")
# A closing line has only colons. An opening line may end in colons only directly after the name or
# the attributes and a space, as in Pandoc: `:::row:::` opens nothing.
_DIRECTIVE = re.compile(
    r"""(?P<colons>:{3,}+)[ \t]*+(?:
        (?: (?P<name>[^\W\d_][\w-]*+)(?![^\s\[{]) | \{(?P<attributes>[^{}]*+)\} )
        (?: [ \t]++:{3,}+ | (?!.*:::\Z).*+ )
    )?+""",
    re.VERBOSE,
)
_ATTRIBUTE_NAME = re.compile(r"\.?+([\w-]++)")
_CLASS = re.compile(r"\.([\w-]++)")
_SHORTCODE = re.compile(
    r"""\{\{(?P<delimiter>[<%])[ \t]*+(?P<closing>/?+)[ \t]*+
    (?P<name>[^\W\d_][\w-]*+(?:[./][\w-]++)*+)
    (?P<rest>(?:[^}]|\}(?!\}))*+)\}\}""",
    re.VERBOSE,
)
_SHORTCODE_ENDS = {"<": ">", "%": "%"}


class Tag(NamedTuple):
    """The opening or the closing tag of a container.

    Attributes:
        key: equal for matching opening and closing tags; for a directive, its colons.
        name: the name of the container, "" for the closing line of a directive.
        is_closing: whether the tag closes a container.
    """

    key: str
    name: str
    is_closing: bool

    @property
    def is_shortcode(self) -> bool:
        """Whether the tag belongs to a shortcode."""
        return self.key.startswith("{")


def marker_tag(line: str) -> Tag | None:
    """Return the tag of a line that is only a directive's or a shortcode's, None for others."""
    if match := _DIRECTIVE.fullmatch(line):
        name, attributes = match["name"], match["attributes"]
        is_closing = name is None and attributes is None
        return Tag(match["colons"], name or _attribute_name(attributes or ""), is_closing)
    match = _SHORTCODE.fullmatch(line)
    if match is None:
        return None
    end, is_closing = _SHORTCODE_ENDS[match["delimiter"]], bool(match["closing"])
    if not match["rest"].endswith(end) or match["rest"].endswith(f"/{end}"):
        return None  # a shortcode that ends in "/>" or "/%" has no content
    return Tag("{" + match["name"], match["name"], is_closing)


def _attribute_name(attributes: str) -> str:
    """Return the first class in the braces of a directive, or else the first word."""
    found = _CLASS.search(attributes) or _ATTRIBUTE_NAME.search(attributes)
    return found[1] if found else ""


def marker(state: State, start: int, end: int, silent: bool) -> bool:
    """Rule of a line that opens or closes a directive or a shortcode."""
    if not state.src.startswith(_MARKER_STARTS, state.bMarks[start] + state.tShift[start]):
        return False
    if state.marker_lines is not None and state.line_offsets[start] not in state.marker_lines:
        return False
    line = state.line_text(start).rstrip()
    tag = marker_tag(line)
    if tag is None or (tag.is_shortcode and not state.closes_shortcode(tag.key[1:], start)):
        return False
    if not silent:
        state.line = start + 1
        state.add_leaf(BlockKind.MARKER, start, info=line)
    return True


def marker_plugin(md: MarkdownIt) -> None:
    """Register the rule `marker`, which may interrupt the same blocks as a fence."""
    rule = cast("RuleFuncBlockType", marker)
    interrupted = ["paragraph", "reference", "blockquote", "list"]
    md.block.ruler.before("fence", "container_marker", rule, {"alt": interrupted})


def prefilter_admonition(
    stock: RuleFunction, state: State, start: int, end: int, silent: bool
) -> bool:
    """Call the stock rule of admonitions, if one of the next two lines may start the body."""
    opening = _ADMONITION.match(state.src, state.bMarks[start] + state.tShift[start])
    if opening is None:
        return False
    line = start + 1
    if line < end and state.first_character(line) == "\n":
        line += 1
    indent = state.blkIndent + _ADMONITION_INDENT + len(opening[1])
    if line >= end or state.first_character(line) == "\n" or state.sCount[line] < indent:
        return False
    return stock(state, start, end, silent)


def admonition_name(line: str) -> str:
    """Return the name in the first line of an admonition, "" if it has none."""
    match = _ADMONITION_NAME.match(line)
    return match[1].lower() if match else ""


def alert_name(line: str) -> str:
    """Return the name of the alert that a block quote's first line starts, "" if it starts none."""
    match = _ALERT.fullmatch(line)
    return match[1].lower() if match else ""
