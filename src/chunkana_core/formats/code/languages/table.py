"""The table of all languages, and the rows of those without braces."""

from __future__ import annotations

from collections.abc import Mapping

from chunkana_core.formats.code.languages import braces
from chunkana_core.formats.code.languages.language import (
    STRINGS,
    Language,
    kinds_of,
    node_types,
    word_starts,
)

PYTHON = Language(
    "python",
    (".py", ".pyi", ".pyw"),
    ("text/x-python", "application/x-python", "text/x-python3"),
    containers=node_types("module block"),
    definitions={"class_definition": "class", "function_definition": "function"},
    wrappers=node_types("decorated_definition"),
    imports=node_types("import_statement import_from_statement future_import_statement"),
    attributes=node_types("decorator"),
    opaque=STRINGS
    | node_types("expression_statement return_statement assert_statement raise_statement")
    | node_types("delete_statement parameters argument_list decorator"),
    has_single_quotes=True,
)

RUBY = Language(
    "ruby",
    (".rb", ".rake", ".gemspec", ".ru"),
    ("text/x-ruby", "application/x-ruby"),
    containers=node_types("program body_statement block_body then else do begin ensure"),
    definitions=kinds_of(
        **{"class": "class singleton_class"},
        module="module",
        method="method singleton_method",
    ),
    wrappers=node_types("call argument_list"),
    title_templates={"singleton_method": ("{object}.{name}",), "singleton_class": ("{value}",)},
    import_words=word_starts("require require_relative"),
    has_single_quotes=True,
)

BASH = Language(
    "bash",
    (".sh", ".bash", ".bats", ".ksh"),
    ("text/x-sh", "application/x-sh", "text/x-shellscript"),
    containers=node_types("program compound_statement do_group subshell"),
    loose_containers=node_types("if_statement elif_clause else_clause case_statement case_item"),
    definitions={"function_definition": "function"},
    import_words=word_starts("source ."),
    has_single_quotes=True,
)

LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        PYTHON,
        braces.JAVASCRIPT,
        braces.TYPESCRIPT,
        braces.TSX,
        braces.GO,
        braces.RUST,
        braces.JAVA,
        braces.C,
        braces.CPP,
        braces.C_SHARP,
        RUBY,
        braces.PHP,
        BASH,
    )
}
