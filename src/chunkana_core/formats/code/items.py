"""The items of source code, found by a walk through what the grammar makes of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import cache

from msgspec import Struct

from chunkana_core.document.paths import short_title
from chunkana_core.formats.code.grammars import Grammar, Node, grammar, walk
from chunkana_core.formats.code.languages.language import Language
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.code.tree import (
    MOST_ITEMS,
    Item,
    ItemTree,
    Role,
    starts_line,
)

_ERROR = 0xFFFF  # the id of what could not be parsed
_NO_ITEM = ("", ";")  # what is missing, and empty statements
_SEVERAL = 2
_SMALL = 80  # in nodes up to that size on one line, no definitions and statements are looked for
_METHODS_OF = frozenset(
    {"class", "struct", "interface", "trait", "impl", "enum", "union", "record", "annotation"}
)
_FIELD = re.compile(r"\{(\w+)\}")
_RECEIVER = re.compile(r"\(\s*(?:\w+\s+)?\*?\s*(\w+)[^()]*\)")
_ATTRIBUTE_STARTS = ("@", "[", "#[")


class _Holds(IntEnum):
    """Which children of a node are items."""

    NOTHING = 0
    ITEMS = auto()
    LINES = auto()  # those that start a line
    COMMENTS = auto()
    DEFINITIONS = auto()
    NO_ITEMS = auto()  # nor does anything in it
    ERRORS = auto()  # those that start a line, and what is none of them could not be parsed


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the nodes of a language are, by the ids of their types."""

    language: Language
    roles: Mapping[int, Role]  # of named nodes
    holds: Mapping[int, _Holds]
    definitions: Mapping[int, str]
    values: Mapping[int, str]
    wrappers: frozenset[int]
    defining: frozenset[int]  # what defines something, or wraps that


@cache
def _rules(name: str) -> _Rules:
    """Return the rules of a language."""
    language, node_types = LANGUAGES[name], _node_types(grammar(name))
    roles, holds = dict.fromkeys(node_types, Role.STATEMENT), {_ERROR: _Holds.ERRORS}
    roles[_ERROR] = Role.STATEMENT
    for node_id, node_type in node_types.items():
        if node_type in language.comments:
            roles[node_id] = Role.COMMENT
        elif node_type in language.imports:
            roles[node_id] = Role.IMPORT
        elif node_type in language.attributes:
            roles[node_id] = Role.ATTRIBUTE
        if node_type in language.containers:
            holds[node_id] = _Holds.ITEMS
        elif node_type in language.loose_containers:
            holds[node_id] = _Holds.LINES
        elif node_type in language.definitions:
            holds[node_id] = _Holds.COMMENTS
        elif node_type in language.opaque:
            holds[node_id] = _Holds.NO_ITEMS
    definitions = {
        i: language.definitions[t] for i, t in node_types.items() if t in language.definitions
    }
    values = {i: language.values[t] for i, t in node_types.items() if t in language.values}
    wrappers = frozenset(i for i, t in node_types.items() if t in language.wrappers)
    defining = wrappers | definitions.keys() | values.keys()
    return _Rules(language, roles, holds, definitions, values, wrappers, defining)


def _node_types(given: Grammar) -> dict[int, str]:
    """Return the types of named nodes by their ids, of which a type may have several."""
    every = range(given.node_kind_count)
    return {i: given.node_kind_for_id(i) or "" for i in every if given.node_kind_is_named(i)}


class _Definition(Struct, frozen=True, gc=False):
    """What a node defines, and the node that holds it."""

    node: Node
    kind: str
    title: str
    body: Node | None


def find_items(root: Node, text: str, language: str) -> ItemTree:
    """Return the items of a parsed text, in linear time."""
    finder = _ItemFinder(_rules(language), text)
    finder.start(root)
    walk(root, finder.enter, finder.leave)
    return finder.tree


@dataclass(slots=True)
class _ItemFinder:
    """Makes items of nodes, which are visited in order.

    Attributes:
        rules: of the language.
        text: the text.
        tree: the items so far.
        floor: the offset before which there are no items: there the body of a definition starts.
    """

    rules: _Rules
    text: str
    tree: ItemTree = field(default_factory=ItemTree)
    floor: int = 0
    _around: list[_Holds] = field(default_factory=list)  # what the nodes around hold

    def start(self, root: Node) -> None:
        """Look whether the root is an error."""
        is_error = root.kind_id == _ERROR
        self._around.append(_Holds.ERRORS if is_error else _Holds.ITEMS)
        if is_error:
            self._count_unparsed(root, _Holds.ERRORS)

    def enter(self, node: Node) -> bool:
        """Add a node's item, if it is one; tell whether to look at its children."""
        role = self.rules.roles.get(node.kind_id)
        if role is None:  # punctuation
            return False
        holds = self._visited(node, role, self._around[-1])
        if holds is None:
            return False
        self._around.append(holds)
        return True

    def leave(self) -> None:
        """Go on after the children of a node."""
        self._around.pop()

    def _visited(self, node: Node, role: Role, around: _Holds) -> _Holds | None:
        """Add a node's item, if it is one; return what it holds, None where nobody looks."""
        holds = self.rules.holds.get(node.kind_id, _Holds.NOTHING)
        start, end = node.start_byte, node.end_byte
        if holds is _Holds.ERRORS or around is _Holds.ERRORS:
            self._count_unparsed(node, holds)
        is_something = end > start + 1 or self.text[start:end] not in _NO_ITEM
        if around is not _Holds.NOTHING and is_something:
            self.tree.leave(start)
            if self._is_item(role, start, around):
                if role is Role.STATEMENT:
                    return self._add_statement(node, holds)
                self.tree.add(Item(role, start, end))
                return None
            if around is _Holds.DEFINITIONS:
                return self._add_definition(node, holds)
        return self._seen(holds, start, end)

    def _seen(self, holds: _Holds, start: int, end: int) -> _Holds | None:
        """Return what a node holds, None where nobody looks: in strings, and in small nodes."""
        is_seen = holds or end - start > _SMALL or self.text.find("\n", start, end) >= 0
        return holds if is_seen and holds is not _Holds.NO_ITEMS else None

    def _count_unparsed(self, node: Node, holds: _Holds) -> None:
        """Count what is in an error, but for what is parsed in it."""
        if holds is _Holds.ERRORS:
            self.tree.unparsed.append(node.end_byte - node.start_byte)
        elif node.child_count:
            self.tree.unparsed.append(node.start_byte - node.end_byte)

    def _is_item(self, role: Role, start: int, around: _Holds) -> bool:
        """Tell whether a child of a node is an item, by what that node holds."""
        if not around or start < self.floor or around is _Holds.DEFINITIONS:
            return False
        if around is _Holds.COMMENTS:
            return role is Role.COMMENT
        return around is _Holds.ITEMS or starts_line(self.text, start)

    def _add_statement(self, node: Node, holds: _Holds) -> _Holds | None:
        """Add a statement or definition; return what it holds, None where nobody looks."""
        tree, start, end = self.tree, node.start_byte, node.end_byte
        found = self._defined(node) if node.kind_id in self.rules.defining else []
        if len(found) == 1 and tree.may_define:
            return self._add_defined(node, found[0], holds)
        is_import = self.text.startswith(self.rules.language.import_words, start)
        tree.add(Item(Role.IMPORT if is_import else Role.STATEMENT, start, end))
        if tree.depth > MOST_ITEMS:
            return None
        if len(found) > 1:
            return _Holds.DEFINITIONS
        return self._seen(holds, start, end)

    def _add_definition(self, node: Node, holds: _Holds) -> _Holds | None:
        """Add one of several definitions in one statement, if it is one."""
        if node.kind_id in self.rules.wrappers:
            return _Holds.DEFINITIONS
        found = self._defined(node)
        return self._add_defined(node, found[0], holds) if found else holds

    def _add_defined(self, node: Node, found: _Definition, holds: _Holds) -> _Holds:
        """Add a definition, and its body where that is an expression."""
        tree, start, end = self.tree, node.start_byte, node.end_byte
        outer, kind = tree.outer_definition, found.kind
        if kind == "function" and outer is not None and outer.kind in _METHODS_OF:
            kind = "method"
        signature = self._signature(node)
        tree.add(Item(Role.DEFINITION, start, end, signature, kind, found.title))
        body = found.body
        self.floor = start if body is None else body.start_byte
        if body is None or self.text[body.start_byte] == "{":
            return holds
        if body.kind_id not in self.rules.holds:
            if self._seen(_Holds.NOTHING, body.start_byte, body.end_byte) is not None:
                tree.add(Item(Role.STATEMENT, body.start_byte, body.end_byte))
            return holds
        before = [child for child in found.node.children if child.end_byte <= body.start_byte]
        while before and self.rules.roles.get(before[-1].kind_id) is Role.COMMENT:
            before.pop()
        self.floor = before[-1].end_byte if before else self.floor
        return holds

    def _defined(self, node: Node) -> list[_Definition]:
        """Return what a node or nodes that it wraps define; not all where there are several."""
        found: list[_Definition] = []
        waiting = [node]
        while waiting and len(found) < _SEVERAL:
            inner = waiting.pop()
            definition = self._definition(inner)
            if definition is not None:
                found.append(definition)
            elif inner.kind_id in self.rules.wrappers:
                waiting.extend(inner.children)
        return found

    def _definition(self, node: Node) -> _Definition | None:
        """Return what a node defines, None if that is nothing or has no name."""
        kind, valued, language = (
            self.rules.definitions.get(node.kind_id, ""),
            node,
            self.rules.language,
        )
        if not kind:
            value_field = self.rules.values.get(node.kind_id)
            value = node.child_by_field_name(value_field) if value_field else None
            if value is None or value.type not in language.functions:
                return None
            kind, valued = language.functions[value.type], value
        body = valued.child_by_field_name("body")
        if body is None and node.type in language.bodied:
            return None
        refining = node.child_by_field_name("type") if language.refined else None
        if refining is not None and (refining.type not in language.bodied or _has_body(refining)):
            kind = language.refined.get(refining.type, kind)
        title = self._title(node)
        return _Definition(valued, kind, title, body) if title else None

    def _title(self, node: Node) -> str:
        """Return the name of what a node defines, "" if it has none."""
        for template in self.rules.language.titles.get(node.type, ("{name}",)):
            fields = {name: node.child_by_field_name(name) for name in _FIELD.findall(template)}
            texts = {n: self._name(found) for n, found in fields.items() if found is not None}
            if len(texts) == len(fields):
                return short_title(template.format_map(texts))
        return ""

    def _name(self, node: Node) -> str:
        """Return the text of a name, in C that in a declarator, in Go the type of a receiver."""
        while node.type.endswith("_declarator") and node.named_child_count:
            node = node.child_by_field_name("declarator") or node.named_children[0]
        name = self.text[node.start_byte : node.end_byte]
        receiver = _RECEIVER.fullmatch(name)
        return receiver[1] if receiver else name.strip("\"'")

    def _signature(self, node: Node) -> int:
        """Return where a definition starts without its attributes."""
        if not self.text.startswith(_ATTRIBUTE_STARTS, node.start_byte):
            return node.start_byte
        opened = self.rules.language.modifiers | self.rules.language.wrappers
        waiting, inner, above = [*reversed(node.children)], node, (Role.ATTRIBUTE, Role.COMMENT)
        while inner is node or self.rules.roles.get(inner.kind_id) in above:
            inner = waiting.pop()
            while inner.type in opened:
                waiting.extend(reversed(inner.children))
                inner = waiting.pop()
        return inner.start_byte


def _has_body(node: Node) -> bool:
    return node.child_by_field_name("body") is not None
