"""The row of a language: which node types of its grammar are definitions, comments and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def kinds_of(**node_types: str) -> dict[str, str]:
    """Return a dict from node type to kind, given space-separated node types by kind."""
    return {node_type: kind for kind, types in node_types.items() for node_type in types.split()}


def node_types(names: str) -> frozenset[str]:
    """Return the set of some space-separated node types."""
    return frozenset(names.split())


def word_starts(words: str) -> tuple[str, ...]:
    """Return the prefixes of statements that start with one of some space-separated words."""
    return tuple(f"{word} " for word in words.split())


STRINGS = node_types("string string_literal raw_string_literal template_literal heredoc_body")


@dataclass(frozen=True, slots=True)
class Language:
    """A language; sets and keys of mappings are node types of its grammar.

    Attributes:
        name: the name of the format.
        suffixes: suffixes of file names, in lower case.
        media_types: media types, such as "text/x-python".
        containers: nodes whose children are statements or members.
        definitions: the kinds of definitions.
        loose_containers: nodes with statements among other children; statements start a line.
        body_required: definitions that are statements if they have no body.
        type_kinds: the kind of a definition by the node type of its field `type`.
        wrappers: nodes around a definition, such as an export.
        value_fields: for nodes that name a value, the field of the value.
        function_kinds: the kinds of named values that are definitions, such as anonymous functions.
        title_templates: templates of titles with fields of the node, "{name}" by default; the first
            one whose fields are all present is used.
        comments: comments.
        imports: imports.
        import_words: the prefixes of other statements that are imports, such as "require ".
        attributes: nodes that belong to the next statement, such as decorators.
        modifiers: nodes with attributes and keywords at the start of a definition.
        opaque: nodes that contain no items, such as strings.
        has_single_quotes: whether a text between single quotes is a string; in other languages, a
            single quote also starts a lifetime, or is in a number.
        grammar: the function that returns the grammar, "" for "tree_sitter_NAME.language".
    """

    name: str
    suffixes: tuple[str, ...]
    media_types: tuple[str, ...]
    containers: frozenset[str]
    definitions: Mapping[str, str]
    loose_containers: frozenset[str] = frozenset()
    body_required: frozenset[str] = frozenset()
    type_kinds: Mapping[str, str] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    value_fields: Mapping[str, str] = field(default_factory=dict)
    function_kinds: Mapping[str, str] = field(default_factory=dict)
    title_templates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    comments: frozenset[str] = frozenset({"comment"})
    imports: frozenset[str] = frozenset()
    import_words: tuple[str, ...] = ()
    attributes: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    opaque: frozenset[str] = STRINGS
    has_single_quotes: bool = False
    grammar: str = ""
