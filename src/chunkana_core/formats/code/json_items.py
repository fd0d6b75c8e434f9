"""The items of JSON: members of objects and elements of arrays, all of them sections."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from chunkana_core.document.paths import short_title
from chunkana_core.formats.code.grammars import Node, walk
from chunkana_core.formats.code.tree import MOST_ITEMS, Item, ItemTree, Role

_ROOT = "root"
_HOLDERS = frozenset({"document", "object", "array", "ERROR"})
_OPENED = frozenset({"object", "array", "pair", "ERROR"})
_VALUES = frozenset({"object", "array", "string", "number", "true", "false", "null"})
_LISTS = frozenset({"document", "array"})


def find_json_items(root: Node, text: str) -> ItemTree:
    """Return the items of parsed JSON, in linear time."""
    finder = _JsonItemFinder(text, [root.type])
    finder.start(root)
    walk(root, finder.enter, finder.leave)
    return finder.tree


@dataclass(slots=True)
class _JsonItemFinder:
    """Makes items of nodes, which are visited in order.

    Attributes:
        text: the text.
        around: the types of the nodes around the one that is visited.
        numbers: of the next element in each of these.
        tree: the items so far.
        has_lines: whether the root is all values of the text, rather than the only one.
    """

    text: str
    around: list[str]
    numbers: list[int] = field(default_factory=lambda: [0])
    tree: ItemTree = field(default_factory=ItemTree)
    has_lines: bool = False

    def start(self, root: Node) -> None:
        """Look whether there is one value; else all of the text is the root."""
        values = [child for child in root.children if child.type in _VALUES]
        self.has_lines = root.type == "ERROR" or len(values) != 1
        if self.has_lines and self.text.strip():
            self._define(0, len(self.text), _ROOT)
        if root.type == "ERROR":
            self.tree.unparsed.append(len(self.text.strip()))

    def enter(self, node: Node) -> bool:
        """Add a node's item, if it is one; tell whether there may be items in it."""
        node_type, around = node.type, self.around[-1]
        start, end = node.start_byte, node.end_byte
        if not node.is_named or start == end:
            return False
        self.tree.leave(start)
        self._count_unparsed(node, around)
        if node_type == "comment":
            if around in _HOLDERS:
                self.tree.add(Item(Role.COMMENT, start, end))
            return False
        title = self._title(node, around)
        if title is not None:
            self._define(start, end, title)
        is_opened = node_type in _OPENED and self.tree.depth <= MOST_ITEMS
        if is_opened:
            self.around.append(node_type)
            self.numbers.append(0)
        return is_opened

    def leave(self) -> None:
        """Go on after the children of a node."""
        self.around.pop()
        self.numbers.pop()

    def _count_unparsed(self, node: Node, around: str) -> None:
        """Count what is in an error, but for what is parsed in it."""
        if node.type == "ERROR":
            self.tree.unparsed.append(node.end_byte - node.start_byte)
        elif around == "ERROR" and node.type in _OPENED:
            self.tree.unparsed.append(node.start_byte - node.end_byte)

    def _title(self, node: Node, around: str) -> str | None:
        """Return the key of a member, or the number of an element; None for what is neither."""
        if node.type == "pair":
            key = node.child_by_field_name("key")
            return None if key is None else self._key(key)
        is_element = node.type in _VALUES if around in _LISTS else node.type in _OPENED
        if around not in _HOLDERS or node.type == "ERROR" or not is_element:
            return None
        if around == "document" and not self.has_lines:
            return _ROOT
        number = self.numbers[-1]
        self.numbers[-1] += 1
        return f"[{number}]"

    def _key(self, key: Node) -> str:
        """Return the text of a key."""
        written = self.text[key.start_byte : key.end_byte]
        try:
            return short_title(str(json.loads(written, strict=False)))
        except ValueError:  # unknown escapes
            return short_title(written.strip('"'))

    def _define(self, start: int, end: int, title: str) -> None:
        role = Role.DEFINITION if self.tree.may_define else Role.STATEMENT
        self.tree.add(Item(role, start, end, start, "", title))
