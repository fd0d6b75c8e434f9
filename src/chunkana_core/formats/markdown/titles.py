"""Plain titles, anchors and sections of headings; no other inline Markdown is parsed."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunkana_core.document.blocks import Block
from chunkana_core.document.outline import SectionRange
from chunkana_core.document.paths import short_title
from chunkana_core.text.source import BOM

_NOT_IN_ANCHOR = re.compile(r"[^\w\- \n]")  # of titles, a line each
_MAX_LENGTH = 1000  # inline parsing is not linear; longer titles keep their markup
_MAX_MARKUP = 100  # characters of markup, in which parsing is quadratic
_MARKUP = re.compile(r"[\\`*_~\[<&$]")
# Text without markup, underscores inside words, and code that neither starts nor ends with a space.
_PLAIN = re.compile(
    r"(?:[^\\`*_~\[<&$]++|&(?![#\w])|(?<=[^\W_])_++(?=[^\W_])|`[^`\s](?:[^`]*[^`\s])?`(?!`))*+"
)
_LABEL = re.compile(r"\[([^\[\]]+)\]")
_DEFINED = {"href": "", "title": ""}  # never read
_LINKS = re.compile(r"\]\(|\[\^|\^\[")  # and footnotes; other links need a definition
# Attributes in braces after a title, in the forms of Pandoc, Hugo, VitePress and Docusaurus.
_ATTRIBUTE = r"""(?:
    \#([^\s\#}]++)
    | \.-?+[^\W\d][^\s=}]*+
    | [^\W\d][\w:.-]*+=(?:"[^"]*+"|'[^']*+'|[^\s"'=}]++)
)(?!\S)"""
_ATTRIBUTES = re.compile(
    rf"\s*+(?:{_ATTRIBUTE}\s*+)++|\s*+/\*\s*+\#([^\s\#}}]++)\s*+\*/\s*+", re.VERBOSE
)
# An unclosed comment matches to the end of the text, which keeps matching linear; it is kept.
_COMMENT = re.compile(r"<!--(?:(?!-->).)*+(-->|\Z)", re.DOTALL)
_TAG = re.compile(r"<[^<>]*+>")
_HTML_TITLE = re.compile(
    r"<h1(?=[\s>])[^<>]*+>((?:(?!</?h1[\s>]).)*+)</h1\s*+>", re.DOTALL | re.IGNORECASE
)
_ANCHOR = re.compile(
    r"""<a\s(?:[^<>]*?\s)??(?:id|name)\s*+=\s*+
    (?:"([^"<>]*+)"|'([^'<>]*+)'|([^\s"'<>=`/]++))[^<>]*+>(?:\s*+</a\s*+>)?+""",
    re.IGNORECASE | re.VERBOSE,
)


class RawLinkMarkdownIt(MarkdownIt):
    """markdown-it-py without normalization of link targets, which are never read.

    Stock normalization stores every URL scheme that it has seen, and is not thread-safe.
    """

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        """Return the target of a link unchanged."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """Return the text of an autolink unchanged."""
        return link


_MARKDOWN = RawLinkMarkdownIt("commonmark").enable("strikethrough")
_MARKDOWN.use(footnote_plugin).use(dollarmath_plugin)
for _ruler in (_MARKDOWN.inline.ruler, _MARKDOWN.inline.ruler2):
    _ruler.getRules("")  # compile it now: compiling at first use is not thread-safe


def plain_title(content: str, *, may_link: bool = True) -> str | None:
    """Return a heading's title as plain text, None if its markup has to be parsed.

    `may_link=False` is for documents without link definitions, in which brackets are no markup.
    """
    if not _keeps_markup(content):
        text = content if may_link else content.replace("[", "(")
        if not _PLAIN.fullmatch(text) or (not may_link and _LINKS.search(content)):
            return None
        content = content.replace("`", "")
    return short_title(content)


def html_title(html: str) -> str:
    """Return the text of the first `<h1>` element in HTML, "" if there is none.

    >>> html_title("<div><h1 align=center>Tea &amp; <b>pots</b></h1></div>")
    'Tea & pots'
    """
    element = _HTML_TITLE.search(_without_comments(html))
    return short_title(unescape(_TAG.sub("", element[1]))) if element else ""


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda comment: "" if comment[1] else comment[0], text)


def split_attributes(content: str) -> tuple[str, str]:
    """Return a heading's text without the attributes in braces at its end, and the id or "".

    >>> split_attributes("Tea {#tea .hot}")
    ('Tea', 'tea')
    >>> split_attributes("Tea {hot}")
    ('Tea {hot}', '')
    """
    start = content.rfind("{") if content.endswith("}") else -1
    if start < 0 or content.endswith("\\", 0, start):
        return content, ""
    attributes = _ATTRIBUTES.fullmatch(content, start + 1, len(content) - 1)
    if attributes is None:
        return content, ""
    return content[:start].rstrip(), attributes[1] or attributes[2] or ""


def anchor_before(text: str) -> str | None:
    """Return the last id of a block of only anchors and comments, None for other blocks."""
    if "<" not in text:
        return None
    rest = _without_comments(text).removeprefix(BOM)
    ids = [_id_of(anchor) for anchor in _ANCHOR.finditer(rest)]
    if _ANCHOR.sub("", rest).strip():
        return None
    return ids[-1] if ids else ""


def _id_of(anchor: re.Match[str]) -> str:
    return anchor[anchor.lastindex or 0]


def _keeps_markup(content: str) -> bool:
    """Return whether a title takes too long to parse, so that its markup is kept."""
    if len(content) <= _MAX_MARKUP:
        return False
    return len(content) > _MAX_LENGTH or len(_MARKUP.findall(content)) > _MAX_MARKUP


def rendered_title(content: str, env: EnvType) -> tuple[str, str]:
    """Return a heading's title as plain text, and the id of an anchor in the heading or "".

    Args:
        content: the heading's Markdown, without attributes.
        env: the parser's environment with the link definitions of the document.
    """
    if not env.get("references"):
        title = plain_title(content, may_link=False)
        if title is not None:
            return title, ""
    tokens = inline_tokens(content, env)
    tags = [_ANCHOR.match(token.content) for token in tokens if token.type == "html_inline"]
    ids = [_id_of(tag) for tag in tags if tag]
    return short_title(plain_text(tokens)), ids[0] if ids else ""


def inline_tokens(content: str, env: EnvType) -> list[Token]:
    """Parse inline Markdown."""
    tokens: list[Token] = []
    _MARKDOWN.inline.parse(content, _MARKDOWN, env, tokens)
    return tokens


def plain_text(tokens: list[Token]) -> str:
    """Return the text of inline tokens, without raw HTML."""
    parts = []
    for token in tokens:
        if token.type == "image":
            parts.append(plain_text(token.children or []))
        elif token.type != "html_inline":
            parts.append(" " if token.type.endswith("break") else token.content)
    return "".join(parts)


@dataclass(slots=True)
class Definitions:
    """The labels of link definitions and footnotes in the parts of a document parsed so far.

    Attributes:
        links: the labels of link definitions.
        footnotes: the labels of footnotes.
        awaited: the labels in titles that have no definition yet, with the lines of the titles.
    """

    links: dict[str, object] = field(default_factory=dict)
    footnotes: dict[str, int] = field(default_factory=dict)
    awaited: dict[str, int] = field(default_factory=dict)

    def environment(self) -> EnvType:
        """Return a parser's environment with the labels, to which the parser adds separate ones."""
        footnotes = {"refs": ChainMap[str, int]({}, self.footnotes)}
        return {"references": ChainMap[str, object]({}, self.links), "footnotes": footnotes}

    def add(self, environment: EnvType) -> Iterator[tuple[str, int]]:
        """Add the labels of a parsed part; yield those that earlier titles use, with the lines."""
        links, refs = environment["references"].maps[0], environment["footnotes"]["refs"].maps[0]
        footnotes = [label for label in refs if label not in self.footnotes]
        self.links.update(dict.fromkeys(links, _DEFINED))
        self.footnotes.update(dict.fromkeys(footnotes, -1))
        if self.awaited:
            for label in (*links, *(f"^{label[1:]}" for label in footnotes)):
                if label in self.awaited:
                    yield label, self.awaited.pop(label)

    def expect(self, heading: str, line: int) -> None:
        """Record the labels in a heading that have no definition yet."""
        for label in _LABEL.findall(heading):
            name = label if label.startswith("^") else normalizeReference(label)
            if name not in self.links and f":{name[1:]}" not in self.footnotes:
                self.awaited.setdefault(name, line)


class AnchorCounts(Protocol):
    """A mapping from each anchor in use to the number of its repetitions."""

    def __contains__(self, anchor: object, /) -> bool:
        """Return whether an anchor is in use."""

    def __getitem__(self, anchor: str, /) -> int:
        """Return the number of repetitions of an anchor."""

    def __setitem__(self, anchor: str, count: int, /) -> None:
        """Set the number of repetitions of an anchor."""


def heading_sections(
    top: Sequence[Block], anchors: AnchorCounts | None = None
) -> list[SectionRange]:
    """Return the sections of headings; a section ends at the next heading of its level or above.

    Args:
        top: the top-level blocks of the document.
        anchors: the anchors of earlier headings, to which the new anchors are added.
    """
    firsts = [position for position, block in enumerate(top) if block.level]
    stops = [len(top)] * len(firsts)
    open_headings: list[int] = []
    for number, first in enumerate(firsts):
        while open_headings and top[firsts[open_headings[-1]]].level >= top[first].level:
            stops[open_headings.pop()] = first
        open_headings.append(number)
    headings = [top[first] for first in firsts]
    assigned = _anchors(headings, dict[str, int]() if anchors is None else anchors)
    return [
        SectionRange(heading.info, heading.level, "", first, stop, anchor)
        for heading, first, stop, anchor in zip(headings, firsts, stops, assigned, strict=True)
    ]


def _anchors(headings: Sequence[Block], taken: AnchorCounts) -> Iterator[str]:
    """Yield the anchors of headings: ids, else GitHub-style slugs with numbers if repeated."""
    for heading in headings:
        if heading.anchor and heading.anchor not in taken:
            taken[heading.anchor] = 0
    titles = "\n".join([heading.info for heading in headings]).lower()
    slugs = _NOT_IN_ANCHOR.sub("", titles).replace(" ", "-").split("\n")
    for heading, slug in zip(headings, slugs, strict=False):  # of none, there is one empty slug
        if heading.anchor:
            yield heading.anchor
            continue
        anchor = slug
        while anchor in taken:
            taken[slug] += 1
            anchor = f"{slug}-{taken[slug]}"
        taken[anchor] = 0
        yield anchor
