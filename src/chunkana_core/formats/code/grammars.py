"""Texts parsed by tree-sitter: the only module that knows it, imported where it is used."""

from __future__ import annotations

import re
from collections.abc import Callable
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


@cache
def grammar(language: str) -> Grammar:
    """Return the grammar of a language."""
    return Grammar(_LANGUAGES[language]())


def parse(text: str, language: str) -> Node:
    """Return the root of the tree of a text, in which positions are offsets in code points.

    The parser is given a byte for each code point: other white space than ASCII's, NULs and BOMs
    are spaces, other characters a letter, which they may be in names, strings and comments.
    """
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    if "\0" in text or not text.isascii():
        text = _OTHER.sub("X", _SPACE.sub(" ", text))
    if language == "json":
        text = _PLUS.sub("0", text)
    return Parser(grammar(language)).parse(text.encode("ascii")).root_node


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
