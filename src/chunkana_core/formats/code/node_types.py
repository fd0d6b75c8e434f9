"""The node types of a language: which nodes are items, and which of their children."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, auto
from functools import cache

from chunkana_core.formats.code.grammars import Grammar, grammar
from chunkana_core.formats.code.languages.language import Language
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.code.tree import Role

ERROR_ID = 0xFFFF  # the node type id of what could not be parsed


class ChildRule(IntEnum):
    """Which children of a node are items."""

    NONE = 0  # no child, but nodes below the children may be
    ALL = auto()
    LINE_STARTS = auto()  # children that start a line
    COMMENTS = auto()
    DEFINITIONS = auto()
    OPAQUE = auto()  # no node below either
    ERRORS = auto()  # of an error: children that start a line; the rest is unparsed


@dataclass(frozen=True, slots=True)
class NodeTypes:
    """The node types of a language, by the ids that the grammar gives to them.

    Attributes:
        language: the row of the language.
        roles: the roles of named nodes, if they are items.
        child_rules: the child rules of nodes; `NONE` for the others.
        definitions: the kinds of definitions.
        value_fields: for nodes that name a value, the field of the value.
        wrappers: nodes around a definition, such as an export.
        may_define: nodes that may be or contain a definition: definitions, named values, wrappers.
    """

    language: Language
    roles: Mapping[int, Role]
    child_rules: Mapping[int, ChildRule]
    definitions: Mapping[int, str]
    value_fields: Mapping[int, str]
    wrappers: frozenset[int]
    may_define: frozenset[int]


@cache
def node_types_of(name: str) -> NodeTypes:
    """Return the node types of a language."""
    language, node_types = LANGUAGES[name], _named_node_types(grammar(name))
    roles, child_rules = dict.fromkeys(node_types, Role.STATEMENT), {ERROR_ID: ChildRule.ERRORS}
    roles[ERROR_ID] = Role.STATEMENT
    for node_id, node_type in node_types.items():
        if node_type in language.comments:
            roles[node_id] = Role.COMMENT
        elif node_type in language.imports:
            roles[node_id] = Role.IMPORT
        elif node_type in language.attributes:
            roles[node_id] = Role.ATTRIBUTE
        if node_type in language.containers:
            child_rules[node_id] = ChildRule.ALL
        elif node_type in language.loose_containers:
            child_rules[node_id] = ChildRule.LINE_STARTS
        elif node_type in language.definitions:
            child_rules[node_id] = ChildRule.COMMENTS
        elif node_type in language.opaque:
            child_rules[node_id] = ChildRule.OPAQUE
    definitions = {
        i: language.definitions[t] for i, t in node_types.items() if t in language.definitions
    }
    fields = language.value_fields
    value_fields = {i: fields[t] for i, t in node_types.items() if t in fields}
    wrappers = frozenset(i for i, t in node_types.items() if t in language.wrappers)
    may_define = wrappers | definitions.keys() | value_fields.keys()
    return NodeTypes(language, roles, child_rules, definitions, value_fields, wrappers, may_define)


def _named_node_types(rules: Grammar) -> dict[int, str]:
    """Return the names of a grammar's named node types by id; several ids may have one name."""
    ids = range(rules.node_kind_count)
    return {i: rules.node_kind_for_id(i) or "" for i in ids if rules.node_kind_is_named(i)}
