"""What a reader sees of HTML and MDX: text outside tags and comments, and names of images."""

from __future__ import annotations

import re
from html import unescape

_MARKUP = ("<", "{/*", "import", "export")  # how a block starts that may have no text
# An unclosed comment runs to the end, which keeps these linear.
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|\{/\*(?:[^*]|\*(?!/\}))*+(?:\*/\}|\Z)")
_TAG = re.compile(r"</?[A-Za-z][^<>]*+>")
_SAID_IN_A_TAG = re.compile(r"""(?<=[\s"'])(?:alt|title)\s*+=\s*+["']?+[^"'<>\w]*+\w""")
_IMPORT = r"""import\b[\w$*{},\s]*+(?:(?<=\bfrom)|(?<=\bfrom\s)|(?<=import\s))
    ["'][^"'\r\n]*+["']\s*+;?+\s*+"""
_EXPORT = r"""export\s++(?:
    (?:const|let|var)\s[^=]++=|(?:default\s++)?+(?:async\s++)?+(?:function|class)\b[^{]*+\{
    |default\s++(?:[\w$.]++\s*+[;(]|[\[{(])|[{*]
)"""
_MODULE = re.compile(
    rf"(?=import|export)(?:{_IMPORT})*+(?:{_EXPORT}.*+)?+", re.VERBOSE | re.DOTALL
)  # MDX, whose statements end at a blank line


def has_text(block: str) -> bool:
    """Tell whether a reader sees text of a block of HTML or MDX, or of a paragraph.

    Tags and comments are none, but for the `alt` and `title` of a tag, nor are `import` and
    `export` statements.
    """
    block = block.strip()
    if not block.startswith(_MARKUP):
        return bool(block)
    if _MODULE.fullmatch(block):
        return False
    markup = _COMMENT.sub("", block)
    return bool(unescape(_TAG.sub("", markup)).strip() or _SAID_IN_A_TAG.search(markup))
