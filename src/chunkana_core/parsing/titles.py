"""A heading's text to plain text; all that is ever parsed of inline Markdown."""

from __future__ import annotations

import re

from markdown_it.token import Token
from markdown_it.utils import EnvType
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin

from chunkana_core.parsing.links import Markdown

_LONGEST_PARSED = 1000  # inline parsing is not linear; longer titles keep their markup
_MOST_MARKUP = 100  # characters; it is quadratic in these, too
_MARKUP = re.compile(r"[\\`*_~\[<&$]")
# Text without markup, underscores inside words, and code that neither starts nor ends with a space.
_PLAIN = re.compile(
    r"(?:[^\\`*_~\[<&$]++|&(?![#\w])|(?<=[^\W_])_++(?=[^\W_])|`[^`\s](?:[^`]*[^`\s])?`(?!`))*+"
)
_LINKS = re.compile(r"\]\(|\[\^|\^\[")  # and footnotes; all others need a definition
_MARKDOWN = Markdown("commonmark").enable("strikethrough")
_MARKDOWN.use(footnote_plugin).use(dollarmath_plugin)
for _ruler in (_MARKDOWN.inline.ruler, _MARKDOWN.inline.ruler2):
    _ruler.getRules("")  # compiled here, for threads could find it half compiled


def plain_title(content: str, *, may_link: bool = True) -> str | None:
    """Return what a heading says where that can be told without parsing its text.

    Without definitions in the document, brackets are what they are.
    """
    if not _keeps_markup(content):
        looked_at = content if may_link else content.replace("[", "(")
        if not _PLAIN.fullmatch(looked_at) or (not may_link and _LINKS.search(content)):
            return None
        content = content.replace("`", "")
    return " ".join(content.split())


def _keeps_markup(content: str) -> bool:
    """Tell whether a title would take too long to parse."""
    if len(content) <= _MOST_MARKUP:
        return False
    return len(content) > _LONGEST_PARSED or len(_MARKUP.findall(content)) > _MOST_MARKUP


def parsed_title(content: str, env: EnvType) -> str:
    """Render a heading's text to plain text."""
    if not env.get("references"):
        title = plain_title(content, may_link=False)
        if title is not None:
            return title
    return " ".join(inline_text(content, env).split())


def inline_text(content: str, env: EnvType) -> str:
    """Return what a parser says that inline Markdown reads."""
    tokens: list[Token] = []
    _MARKDOWN.inline.parse(content, _MARKDOWN, env, tokens)
    return _plain_text(tokens)


def _plain_text(tokens: list[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type == "image":
            parts.append(_plain_text(token.children or []))
        elif token.type != "html_inline":
            parts.append(" " if token.type.endswith("break") else token.content)
    return "".join(parts)
