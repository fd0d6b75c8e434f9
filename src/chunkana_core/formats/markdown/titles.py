"""A heading's text to plain text; no other inline Markdown is ever parsed."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

_MAX_LENGTH = 1000  # inline parsing is not linear; longer titles keep their markup
_MAX_MARKUP = 100  # characters; it is quadratic in these, too
_MARKUP = re.compile(r"[\\`*_~\[<&$]")
# Text without markup, underscores inside words, and code that neither starts nor ends with a space.
_PLAIN = re.compile(
    r"(?:[^\\`*_~\[<&$]++|&(?![#\w])|(?<=[^\W_])_++(?=[^\W_])|`[^`\s](?:[^`]*[^`\s])?`(?!`))*+"
)
_LINKS = re.compile(r"\]\(|\[\^|\^\[")  # and footnotes; all others need a definition


class RawLinkMarkdownIt(MarkdownIt):
    """markdown-it-py, but targets of links stay as they are written, since nobody reads them.

    To normalize them, stock keeps every scheme that it has ever seen, and tables that threads may
    find half made.
    """

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        """Return the target of a link."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        """Return the text of an autolink."""
        return link


_MARKDOWN = RawLinkMarkdownIt("commonmark").enable("strikethrough")
_MARKDOWN.use(footnote_plugin).use(dollarmath_plugin)
for _ruler in (_MARKDOWN.inline.ruler, _MARKDOWN.inline.ruler2):
    _ruler.getRules("")  # compiled here, for threads could find it half compiled


def plain_title(content: str, *, may_link: bool = True) -> str | None:
    """Return a heading's text as plain text, None if that takes parsing it.

    Without link definitions in the document, `may_link=False`, brackets are no markup.
    """
    if not _keeps_markup(content):
        text = content if may_link else content.replace("[", "(")
        if not _PLAIN.fullmatch(text) or (not may_link and _LINKS.search(content)):
            return None
        content = content.replace("`", "")
    return " ".join(content.split())


def _keeps_markup(content: str) -> bool:
    """Tell whether a title would take too long to parse."""
    if len(content) <= _MAX_MARKUP:
        return False
    return len(content) > _MAX_LENGTH or len(_MARKUP.findall(content)) > _MAX_MARKUP


def rendered_title(content: str, env: EnvType) -> str:
    """Return a heading's text as plain text, with the link definitions of the document."""
    if not env.get("references"):
        title = plain_title(content, may_link=False)
        if title is not None:
            return title
    return " ".join(inline_text(content, env).split())


def inline_text(content: str, env: EnvType) -> str:
    """Parse inline Markdown, and return its text without markup."""
    tokens: list[Token] = []
    _MARKDOWN.inline.parse(content, _MARKDOWN, env, tokens)
    return _plain_text(tokens)


def _plain_text(tokens: list[Token]) -> str:
    """Return the text of inline tokens, without raw HTML."""
    parts = []
    for token in tokens:
        if token.type == "image":
            parts.append(_plain_text(token.children or []))
        elif token.type != "html_inline":
            parts.append(" " if token.type.endswith("break") else token.content)
    return "".join(parts)
