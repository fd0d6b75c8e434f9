"""Texts parsed by tree-sitter: the only module that knows it, imported where it is used."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import cast

import tree_sitter_bash
import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_json
import tree_sitter_php
import tree_sitter_python
import tree_sitter_ruby
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

__all__ = ["Grammar", "Node", "grammar", "parse", "walk"]

_LANGUAGES = {
    "bash": tree_sitter_bash.language,
    "c": tree_sitter_c.language,
    "cpp": tree_sitter_cpp.language,
    "csharp": tree_sitter_c_sharp.language,
    "go": tree_sitter_go.language,
    "java": tree_sitter_java.language,
    "javascript": tree_sitter_javascript.language,
    "json": tree_sitter_json.language,
    "php": tree_sitter_php.language_php,
    "python": tree_sitter_python.language,
    "ruby": tree_sitter_ruby.language,
    "rust": tree_sitter_rust.language,
    "tsx": tree_sitter_typescript.language_tsx,
    "typescript": tree_sitter_typescript.language_typescript,
}
_SPACE = re.compile("\0|\ufeff|(?![\0-\x7f])\\s")
_OTHER = re.compile("[^\0-\x7f]")
_PLUS = re.compile(r"(?<=\d[eE])\+(?=\d)")  # of an exponent, which the grammar of JSON knows not
_LONE_CR = re.compile("\r(?!\n)")
_PIECE = 4096  # bytes that are read at once
MOST_READS = 20_000  # of pieces; usual texts of the largest size take 1,500
MOST_STEPS = 50_000  # hundreds of steps, of which each takes up to 400 bytes; usual are 20,000


@cache
def grammar(language: str) -> Grammar:
    """Return the grammar of a language."""
    return Grammar(_LANGUAGES[language]())


def parse(text: str, language: str) -> Node | None:
    """Return the root of the tree of a text, in which positions are offsets in code points.

    None is returned for what takes the parser too many steps, or is read too often: grammars try
    all readings of what is ambiguous at once, and some look for the end of a string to the end of
    the text. Both are counted, so that the same text always has the same tree.

    The parser is given a byte for each code point: other white space than ASCII's, NULs and BOMs
    are spaces, other characters a letter, which they may be in names, strings and comments.
    """
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    if "\0" in text or not text.isascii():
        text = _OTHER.sub("X", _SPACE.sub(" ", text))
    if language == "json":
        text = _PLUS.sub("0", text)
    work = _Work(text.encode("ascii"))
    try:
        tree = Parser(grammar(language)).parse(work.read, progress_callback=work.is_too_much)
    except ValueError:  # it gave up
        return None
    return None if work.reads > MOST_READS else tree.root_node


@dataclass(slots=True)
class _Work:
    """Gives the parser its text in pieces, and counts what it does.

    Attributes:
        data: the text.
        reads: how many pieces were read.
        steps: hundreds of the parser's steps.
    """

    data: bytes
    reads: int = 0
    steps: int = 0

    def read(self, offset: int, position: object) -> bytes:  # noqa: ARG002 - it is called with both
        """Return the piece at an offset; the text ends where too much of it was read."""
        self.reads += 1
        return b"" if self.reads > MOST_READS else self.data[offset : offset + _PIECE]

    def is_too_much(self, offset: int, has_error: bool) -> bool:  # noqa: ARG002, FBT001 - likewise
        """Tell whether the parser shall give up."""
        self.steps += 1
        return self.steps > MOST_STEPS or self.reads > MOST_READS


def walk(root: Node, enter: Callable[[Node], bool], leave: Callable[[], None]) -> None:
    """Go through the nodes below a root, in order.

    Args:
        root: which itself is not entered.
        enter: called with each node; tells whether to go through its children, too.
        leave: called after the children of a node.
    """
    cursor, depth = root.walk(), 0
    is_there = cursor.goto_first_child()
    while is_there:
        if enter(cast("Node", cursor.node)):
            depth += 1
            if cursor.goto_first_child():
                continue
            depth -= 1
            leave()
        while not (is_there := cursor.goto_next_sibling()) and depth:
            cursor.goto_parent()
            depth -= 1
            leave()
