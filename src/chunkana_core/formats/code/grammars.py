"""Parsing with tree-sitter; no other module imports it, and this one is imported when needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import cast

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.code.limits import is_within_limits, max_progress_calls

__all__ = ["Grammar", "Node", "grammar", "parse", "walk"]

# NUL, BOM, and what is white space to `str.isspace` but not to every grammar.
_SPACE = re.compile(
    "[\0\x0b\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]"
)
_NON_ASCII = re.compile("[^\0-\x7f]")
_EXPONENT_PLUS = re.compile(r"(?<=\d[eE])\+(?=\d)")  # rejected by the JSON grammar
_LONE_CR = re.compile("\r(?!\n)")
_READ_SIZE = 4096  # bytes per read
MAX_READS = 20_000  # a usual text of the largest size takes 1,500


@cache
def grammar(name: str) -> Grammar:
    """Return the grammar of a language, from the package that its row names."""
    language = LANGUAGES.get(name)
    path = (language and language.grammar) or f"tree_sitter_{name}.language"
    module, _, function = path.rpartition(".")
    make_grammar = cast("Callable[[], object]", getattr(import_module(module), function))
    return Grammar(make_grammar())


def parse(text: str, language: str) -> Node | None:
    """Return the root node of the syntax tree of a text, None if parsing takes too much work.

    Byte positions in the tree are code point offsets, because the parser is given one byte per code
    point: unusual white space, NULs and BOMs are replaced with spaces, other characters outside
    ASCII with a letter, which is valid in names, strings and comments.

    The limits are counts of characters, reads and steps, not times or bytes, so that a text always
    has the same tree. Parsing may exceed them because an ambiguous grammar tries all alternatives
    at once, and because some grammars search for the end of a string up to the end of the text.
    """
    if "\r" in text:
        text = _LONE_CR.sub("\n", text)
    text = _NON_ASCII.sub("X", _SPACE.sub(" ", text))
    if not is_within_limits(text, language):
        return None
    if language == "json":
        text = _EXPONENT_PLUS.sub("0", text)
    parser_input = _ParserInput(text.encode("ascii"), max_progress_calls(text))
    try:
        tree = Parser(grammar(language)).parse(
            parser_input.read, progress_callback=parser_input.should_stop
        )
    except ValueError:  # cancelled by `should_stop`
        return None
    return None if parser_input.reads > MAX_READS else tree.root_node


@dataclass(slots=True)
class _ParserInput:
    """The input of one parse, with limits on the parser's work.

    Attributes:
        data: the text, one byte per code point.
        max_progress_calls: the number of progress callbacks at which parsing stops.
        reads: the number of reads so far.
        progress_calls: the number of progress callbacks so far.
    """

    data: bytes
    max_progress_calls: int
    reads: int = 0
    progress_calls: int = 0

    def read(self, offset: int, position: object) -> bytes:  # noqa: ARG002 - both are given
        """Return the bytes from an offset on; none, as at the end of the text, over the limit."""
        self.reads += 1
        return b"" if self.reads > MAX_READS else self.data[offset : offset + _READ_SIZE]

    def should_stop(self, offset: int, has_error: bool) -> bool:  # noqa: ARG002, FBT001 - likewise
        """Return whether the parser has to stop because a limit is exceeded."""
        self.progress_calls += 1
        return self.progress_calls > self.max_progress_calls or self.reads > MAX_READS


def walk(root: Node, enter: Callable[[Node], bool], leave: Callable[[], None]) -> None:
    """Visit the nodes below a root in pre-order.

    Args:
        root: the root, which is not visited itself.
        enter: called with each node; returns whether to visit the node's children.
        leave: called after the children of each node for which `enter` returned True.
    """
    cursor, depth = root.walk(), 0
    has_node = cursor.goto_first_child()
    while has_node:
        if enter(cast("Node", cursor.node)):
            depth += 1
            if cursor.goto_first_child():
                continue
            depth -= 1
            leave()
        while not (has_node := cursor.goto_next_sibling()) and depth:
            cursor.goto_parent()
            depth -= 1
            leave()
