"""What a grammar calls definitions, what holds statements, and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def kinds_of(**node_types: str) -> dict[str, str]:
    """Return the kind of each node type, given the node types of each kind."""
    return {node_type: kind for kind, types in node_types.items() for node_type in types.split()}


def node_types(written: str) -> frozenset[str]:
    """Return the node types that are written with spaces between them."""
    return frozenset(written.split())


def word_starts(words: str) -> tuple[str, ...]:
    """Return what a statement starts with that begins with one of some words."""
    return tuple(f"{word} " for word in words.split())


STRINGS = node_types("string string_literal raw_string_literal template_literal heredoc_body")


@dataclass(frozen=True, slots=True)
class Language:
    """A language, by the node types of its grammar.

    Attributes:
        name: what the format is called.
        suffixes: of the names of its files, in lower case.
        media_types: such as "text/x-python".
        containers: nodes that hold statements or members.
        loose_containers: those that hold other nodes, too; statements are what starts a line there.
        definitions: the kind of each definition.
        bodied: definitions that are none where they have no body.
        refined: the kind of a definition by the node type of its field `type`.
        wrappers: nodes around a definition, such as an export.
        values: for nodes that give a name to a value, the field that holds it.
        functions: the kind of values that make a definition of what names them.
        titles: for definitions without a mere name, fields in a template; the first that is there.
        comments: comments.
        imports: imports.
        import_words: the words that statements which import start with.
        attributes: what belongs to the next statement, such as a decorator.
        opaque: what holds neither statements nor anything that does.
        modifiers: nodes with attributes and other words before a definition.
    """

    name: str
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    containers: frozenset[str]
    definitions: Mapping[str, str]
    loose_containers: frozenset[str] = frozenset()
    bodied: frozenset[str] = frozenset()
    refined: Mapping[str, str] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    values: Mapping[str, str] = field(default_factory=dict)
    functions: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comments: frozenset[str] = frozenset({"comment"})
    imports: frozenset[str] = frozenset()
    import_words: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    opaque: frozenset[str] = STRINGS
