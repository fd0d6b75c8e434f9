"""The items of source code, found in its syntax tree."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msgspec import Struct

from chunkana_core.document.paths import short_title
from chunkana_core.formats.code.grammars import Node, walk
from chunkana_core.formats.code.node_types import ERROR_ID, ChildRule, NodeTypes, node_types_of
from chunkana_core.formats.code.tree import (
    MAX_ITEM_DEPTH,
    Item,
    ItemTree,
    Role,
    starts_line,
)

_EMPTY_NODE = re.compile(r"\s*+;?")  # a missing node, white space or an empty statement
_MULTIPLE = 2  # definitions in one statement: the search stops at the second one
_MAX_SKIPPED_LENGTH = 80  # code points; no items are searched for in shorter nodes on one line
_KINDS_WITH_METHODS = frozenset(
    {"class", "struct", "interface", "trait", "impl", "enum", "union", "record", "annotation"}
)
_TEMPLATE_FIELD = re.compile(r"\{(\w+)\}")
_GO_RECEIVER = re.compile(r"\(\s*+(?:\w++\s++(?=[\w*]))?+\*?\s*+(\w++)[^()]*+\)")
_ATTRIBUTE_STARTS = ("@", "[", "#[")


class _Definition(Struct, frozen=True, gc=False):
    """A named definition; `node` is its node or, for a named value such as a lambda, the value."""

    node: Node
    kind: str
    title: str
    body: Node | None


def find_items(root: Node, text: str, language: str) -> ItemTree:
    """Return the items of a syntax tree, in linear time."""
    finder = _ItemFinder(node_types_of(language), text)
    finder.open_root(root)
    walk(root, finder.enter, finder.leave)
    return finder.tree


@dataclass(slots=True)
class _ItemFinder:
    """Finds items among the nodes of a syntax tree, which are visited in pre-order.

    Attributes:
        node_types: the node types of the language.
        text: the text.
        tree: the items so far.
        items_start: the start of the last definition's body; no node before it is an item.
    """

    node_types: NodeTypes
    text: str
    tree: ItemTree = field(default_factory=ItemTree)
    items_start: int = 0
    _open_rules: list[ChildRule] = field(default_factory=list)  # outermost first

    def open_root(self, root: Node) -> None:
        """Set the child rule of the root, which may be an error."""
        is_error = root.kind_id == ERROR_ID
        self._open_rules.append(ChildRule.ERRORS if is_error else ChildRule.ALL)
        if is_error:
            self._count_unparsed(root, ChildRule.ERRORS)

    def enter(self, node: Node) -> bool:
        """Add the item of a node, if it is one; return whether to visit the node's children."""
        role = self.node_types.roles.get(node.kind_id)
        if role is None:  # punctuation
            return False
        child_rule = self._visit(node, role, self._open_rules[-1])
        if child_rule is None:
            return False
        self._open_rules.append(child_rule)
        return True

    def leave(self) -> None:
        """Leave a node after its children have been visited."""
        self._open_rules.pop()

    def _visit(self, node: Node, role: Role, parent_rule: ChildRule) -> ChildRule | None:
        """Add a node's item, if it is one; return its child rule, None to skip its children."""
        child_rule = self.node_types.child_rules.get(node.kind_id, ChildRule.NONE)
        start, end = node.start_byte, node.end_byte
        if child_rule is ChildRule.ERRORS or parent_rule is ChildRule.ERRORS:
            self._count_unparsed(node, child_rule)
        is_empty = _EMPTY_NODE.fullmatch(self.text, start, end)
        if parent_rule is not ChildRule.NONE and not is_empty:
            self.tree.close_items(start)
            if self._is_item(role, start, parent_rule):
                if role is Role.STATEMENT:
                    return self._add_statement(node, child_rule)
                self.tree.add(Item(role, start, end))
                return None
            if parent_rule is ChildRule.DEFINITIONS:
                return self._add_one_of_several(node, child_rule)
        return self._rule_or_skip(child_rule, start, end)

    def _rule_or_skip(self, child_rule: ChildRule, start: int, end: int) -> ChildRule | None:
        """Return a child rule, None to skip the children: of opaque nodes and short plain nodes."""
        if child_rule is ChildRule.OPAQUE:
            return None
        is_long = end - start > _MAX_SKIPPED_LENGTH or self.text.find("\n", start, end) >= 0
        return child_rule if child_rule or is_long else None

    def _count_unparsed(self, node: Node, child_rule: ChildRule) -> None:
        """Record the length of an error node, or of a node that is parsed inside one."""
        if child_rule is ChildRule.ERRORS:
            self.tree.unparsed_lengths.append(node.end_byte - node.start_byte)
        elif node.child_count:
            self.tree.unparsed_lengths.append(node.start_byte - node.end_byte)

    def _is_item(self, role: Role, start: int, parent_rule: ChildRule) -> bool:
        """Return whether a node is an item, by its parent's child rule."""
        if not parent_rule or start < self.items_start or parent_rule is ChildRule.DEFINITIONS:
            return False
        if parent_rule is ChildRule.COMMENTS:
            return role is Role.COMMENT
        return parent_rule is ChildRule.ALL or starts_line(self.text, start)

    def _add_statement(self, node: Node, child_rule: ChildRule) -> ChildRule | None:
        """Add a statement or definition; return its child rule, None to skip its children."""
        tree, start, end = self.tree, node.start_byte, node.end_byte
        found = self._find_definitions(node) if node.kind_id in self.node_types.may_define else []
        if len(found) == 1 and tree.allows_definition:
            return self._add_definition(node, found[0], child_rule)
        is_import = self.text.startswith(self.node_types.language.import_words, start)
        tree.add(Item(Role.IMPORT if is_import else Role.STATEMENT, start, end))
        if tree.depth > MAX_ITEM_DEPTH:
            return None
        if len(found) > 1:
            return ChildRule.DEFINITIONS
        return self._rule_or_skip(child_rule, start, end)

    def _add_one_of_several(self, node: Node, child_rule: ChildRule) -> ChildRule | None:
        """Add a node of a statement with several definitions; return the node's child rule."""
        if node.kind_id in self.node_types.wrappers:
            return ChildRule.DEFINITIONS
        found = self._find_definitions(node)
        return self._add_definition(node, found[0], child_rule) if found else child_rule

    def _add_definition(self, node: Node, found: _Definition, child_rule: ChildRule) -> ChildRule:
        """Add a definition, and its body as a statement if that is an expression."""
        tree, start, end = self.tree, node.start_byte, node.end_byte
        outer, kind = tree.enclosing_definition, found.kind
        if kind == "function" and outer is not None and outer.kind in _KINDS_WITH_METHODS:
            kind = "method"
        signature = self._signature_start(node)
        tree.add(Item(Role.DEFINITION, start, end, signature, kind, found.title))
        body = found.body
        self.items_start = start if body is None else body.start_byte
        if body is None or self.text.startswith("{", body.start_byte):
            return child_rule
        if body.kind_id not in self.node_types.child_rules:
            if self._rule_or_skip(ChildRule.NONE, body.start_byte, body.end_byte) is not None:
                tree.add(Item(Role.STATEMENT, body.start_byte, body.end_byte))
            return child_rule
        before = [child for child in found.node.children if child.end_byte <= body.start_byte]
        while before and self.node_types.roles.get(before[-1].kind_id) is Role.COMMENT:
            before.pop()
        self.items_start = before[-1].end_byte if before else self.items_start
        return child_rule

    def _find_definitions(self, node: Node) -> list[_Definition]:
        """Return the definitions in a node or in the nodes that it wraps, at most `_MULTIPLE`."""
        found: list[_Definition] = []
        waiting = [node]
        while waiting and len(found) < _MULTIPLE:
            inner = waiting.pop()
            definition = self._definition_of(inner)
            if definition is not None:
                found.append(definition)
            elif inner.kind_id in self.node_types.wrappers:
                waiting.extend(inner.children)
        return found

    def _definition_of(self, node: Node) -> _Definition | None:
        """Return the definition that a node is, None if it is none or has no name."""
        kind, definition_node, language = (
            self.node_types.definitions.get(node.kind_id, ""),
            node,
            self.node_types.language,
        )
        if not kind:
            value_field = self.node_types.value_fields.get(node.kind_id)
            value = node.child_by_field_name(value_field) if value_field else None
            if value is None or value.type not in language.function_kinds:
                return None
            kind, definition_node = language.function_kinds[value.type], value
        body = definition_node.child_by_field_name("body")
        if body is None and node.type in language.body_required:
            return None
        type_node = node.child_by_field_name("type") if language.type_kinds else None
        if type_node is not None and (
            type_node.type not in language.body_required or _has_body(type_node)
        ):
            kind = language.type_kinds.get(type_node.type, kind)
        title = self._title_of(node)
        return _Definition(definition_node, kind, title, body) if title else None

    def _title_of(self, node: Node) -> str:
        """Return the title of a definition, "" if it has no name."""
        for template in self.node_types.language.title_templates.get(node.type, ("{name}",)):
            fields = {
                name: node.child_by_field_name(name) for name in _TEMPLATE_FIELD.findall(template)
            }
            texts = {n: self._name_of(found) for n, found in fields.items() if found is not None}
            if len(texts) == len(fields):
                return short_title(template.format_map(texts))
        return ""

    def _name_of(self, node: Node) -> str:
        """Return the text of a name: in C the name in a declarator, in Go the receiver's type."""
        while node.type.endswith("_declarator") and node.named_child_count:
            node = node.child_by_field_name("declarator") or node.named_children[0]
        name = self.text[node.start_byte : node.end_byte]
        receiver = _GO_RECEIVER.fullmatch(name)
        return receiver[1] if receiver else name.strip("\"'")

    def _signature_start(self, node: Node) -> int:
        """Return the offset where a definition starts without its attributes."""
        if not self.text.startswith(_ATTRIBUTE_STARTS, node.start_byte):
            return node.start_byte
        opened = self.node_types.language.modifiers | self.node_types.language.wrappers
        waiting, inner, above = [*reversed(node.children)], node, (Role.ATTRIBUTE, Role.COMMENT)
        while inner is node or self.node_types.roles.get(inner.kind_id) in above:
            inner = waiting.pop()
            while inner.type in opened:
                waiting.extend(reversed(inner.children))
                inner = waiting.pop()
        return inner.start_byte


def _has_body(node: Node) -> bool:
    return node.child_by_field_name("body") is not None
