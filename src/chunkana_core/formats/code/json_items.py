"""The items of JSON: members of objects, elements of arrays, and strings below their keys."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from chunkana_core.document.paths import short_title
from chunkana_core.formats.code.grammars import Node, walk
from chunkana_core.formats.code.tree import MAX_ITEM_DEPTH, Item, ItemTree, Role

_ROOT_TITLE = "root"
_MAX_SHORT_STRING = 32  # code points; shorter strings fit beside their keys
_ITEM_PARENTS = frozenset({"document", "object", "array", "ERROR"})
_COMPOUND_TYPES = frozenset({"object", "array", "pair", "ERROR"})
_VALUE_TYPES = frozenset({"object", "array", "string", "number", "true", "false", "null"})
_ELEMENT_PARENTS = frozenset({"document", "array"})


def find_json_items(root: Node, text: str) -> ItemTree:
    """Return the items of a JSON syntax tree, in linear time."""
    finder = _JsonItemFinder(text, [root.type])
    finder.add_root(root)
    walk(root, finder.enter, finder.leave)
    return finder.tree


@dataclass(slots=True)
class _JsonItemFinder:
    """Finds items among the nodes of a syntax tree, which are visited in pre-order.

    Attributes:
        text: the text.
        parent_types: the types of the nodes around the visited one, outermost first.
        next_numbers: for each of these nodes, the number of its next element.
        tree: the items so far.
        has_several_values: whether the text has several values (JSON Lines) or none; then the root
            item is the whole text, else it is the only value.
    """

    text: str
    parent_types: list[str]
    next_numbers: list[int] = field(default_factory=lambda: [0])
    tree: ItemTree = field(default_factory=ItemTree)
    has_several_values: bool = False

    def add_root(self, root: Node) -> None:
        """Add the whole text as the root item, unless the text is one value."""
        values = [child for child in root.children if child.type in _VALUE_TYPES]
        self.has_several_values = root.type == "ERROR" or len(values) != 1
        if self.has_several_values and self.text.strip():
            self._add_definition(0, len(self.text), _ROOT_TITLE)
        if root.type == "ERROR":
            self.tree.unparsed_lengths.append(len(self.text.strip()))

    def enter(self, node: Node) -> bool:
        """Add the item of a node, if it is one; return whether the node may contain items."""
        node_type, parent_type = node.type, self.parent_types[-1]
        start, end = node.start_byte, node.end_byte
        if not node.is_named or start == end:
            return False
        self.tree.close_items(start)
        self._count_unparsed(node, parent_type)
        if node_type == "comment":
            if parent_type in _ITEM_PARENTS:
                self.tree.add(Item(Role.COMMENT, start, end))
            return False
        title = self._title(node, parent_type)
        if title is not None:
            self._add_definition(start, end, title)
            self._add_long_string(node.child_by_field_name("value"))
        has_items = node_type in _COMPOUND_TYPES and self.tree.depth <= MAX_ITEM_DEPTH
        if has_items:
            self.parent_types.append(node_type)
            self.next_numbers.append(0)
        return has_items

    def leave(self) -> None:
        """Leave a node after its children have been visited."""
        self.parent_types.pop()
        self.next_numbers.pop()

    def _count_unparsed(self, node: Node, parent_type: str) -> None:
        """Record the length of an error node, or of a node that is parsed inside one."""
        if node.type == "ERROR":
            self.tree.unparsed_lengths.append(node.end_byte - node.start_byte)
        elif parent_type == "ERROR" and node.type in _COMPOUND_TYPES:
            self.tree.unparsed_lengths.append(node.start_byte - node.end_byte)

    def _title(self, node: Node, parent_type: str) -> str | None:
        """Return the key of a member or the number of an element, None for other nodes."""
        if node.type == "pair":
            key = node.child_by_field_name("key")
            return None if key is None else self._key(key)
        element_types = _VALUE_TYPES if parent_type in _ELEMENT_PARENTS else _COMPOUND_TYPES
        is_element = node.type in element_types
        if parent_type not in _ITEM_PARENTS or node.type == "ERROR" or not is_element:
            return None
        if parent_type == "document" and not self.has_several_values:
            return _ROOT_TITLE
        number = self.next_numbers[-1]
        self.next_numbers[-1] += 1
        return f"[{number}]"

    def _key(self, key: Node) -> str:
        """Return the title of a key, without quotes and escapes."""
        source = self.text[key.start_byte : key.end_byte]
        try:
            return short_title(str(json.loads(source, strict=False)))
        except ValueError:  # an unknown escape
            return short_title(source.strip('"'))

    def _add_long_string(self, value: Node | None) -> None:
        """Add the value of a member as a statement if it is a string that may have to be cut."""
        if value is not None and value.type == "string":
            start, end = value.start_byte, value.end_byte
            if end - start > _MAX_SHORT_STRING:
                self.tree.add(Item(Role.STATEMENT, start, end))

    def _add_definition(self, start: int, end: int, title: str) -> None:
        """Add a definition, or a statement if definitions nest too deep."""
        role = Role.DEFINITION if self.tree.allows_definition else Role.STATEMENT
        self.tree.add(Item(role, start, end, start, "", title))
