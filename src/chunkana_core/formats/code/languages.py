"""The languages: what their grammars call definitions, what holds statements, and the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _kinds(**node_types: str) -> dict[str, str]:
    """Return the kind of each node type, given the node types of each kind."""
    return {node_type: kind for kind, types in node_types.items() for node_type in types.split()}


def _set(node_types: str) -> frozenset[str]:
    return frozenset(node_types.split())


def _words(words: str) -> tuple[str, ...]:
    return tuple(f"{word} " for word in words.split())


STRINGS = _set("string string_literal raw_string_literal template_literal heredoc_body")


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


_PYTHON = Language(
    "python",
    (".py", ".pyi", ".pyw"),
    ("text/x-python", "application/x-python", "text/x-python3"),
    containers=_set("module block"),
    definitions={"class_definition": "class", "function_definition": "function"},
    wrappers=_set("decorated_definition"),
    imports=_set("import_statement import_from_statement future_import_statement"),
    attributes=_set("decorator"),
    opaque=STRINGS
    | _set("expression_statement return_statement assert_statement raise_statement")
    | _set("delete_statement parameters argument_list decorator"),
)

_JAVASCRIPT = Language(
    "javascript",
    (".js", ".mjs", ".cjs", ".jsx"),
    ("text/javascript", "application/javascript", "application/x-javascript"),
    containers=_set("program statement_block class_body switch_body"),
    loose_containers=_set("switch_case switch_default"),
    definitions=_kinds(
        **{"class": "class_declaration", "method": "method_definition"},
        function="function_declaration generator_function_declaration",
    ),
    wrappers=_set("export_statement lexical_declaration variable_declaration expression_statement"),
    values={
        "variable_declarator": "value",
        "assignment_expression": "right",
        "field_definition": "value",
        "export_statement": "value",
    },
    functions=_kinds(
        **{"class": "class"},
        function="arrow_function function_expression generator_function",
    ),
    titles={
        "assignment_expression": ("{left}",),
        "field_definition": ("{property}",),
        "export_statement": ("default",),
    },
    comments=_set("comment html_comment"),
    imports=_set("import_statement"),
    attributes=_set("decorator"),
)

_TYPESCRIPT = Language(
    "typescript",
    (".ts", ".mts", ".cts"),
    ("text/typescript", "application/typescript", "text/x-typescript"),
    containers=_JAVASCRIPT.containers | _set("interface_body enum_body"),
    loose_containers=_JAVASCRIPT.loose_containers,
    definitions=_kinds(
        **{"class": "class_declaration abstract_class_declaration"},
        function="function_declaration generator_function_declaration function_signature",
        method="method_definition method_signature abstract_method_signature",
        interface="interface_declaration",
        enum="enum_declaration",
        type="type_alias_declaration",
        namespace="module internal_module",
    ),
    wrappers=_JAVASCRIPT.wrappers | _set("ambient_declaration"),
    values={
        "variable_declarator": "value",
        "assignment_expression": "right",
        "public_field_definition": "value",
        "export_statement": "value",
    },
    functions=_JAVASCRIPT.functions,
    titles={"assignment_expression": ("{left}",), "export_statement": ("default",)},
    comments=_JAVASCRIPT.comments,
    imports=_set("import_statement import_alias"),
    attributes=_set("decorator"),
)

_TSX = Language(
    "tsx",
    (".tsx",),
    ("text/tsx",),
    containers=_TYPESCRIPT.containers,
    loose_containers=_TYPESCRIPT.loose_containers,
    definitions=_TYPESCRIPT.definitions,
    wrappers=_TYPESCRIPT.wrappers,
    values=_TYPESCRIPT.values,
    functions=_TYPESCRIPT.functions,
    titles=_TYPESCRIPT.titles,
    comments=_TYPESCRIPT.comments,
    imports=_TYPESCRIPT.imports,
    attributes=_TYPESCRIPT.attributes,
)

_GO = Language(
    "go",
    (".go",),
    ("text/x-go", "text/x-gosrc"),
    containers=_set(
        "source_file statement_list field_declaration_list interface_type"
        " expression_switch_statement type_switch_statement select_statement"
    ),
    definitions=_kinds(
        function="function_declaration",
        method="method_declaration method_elem",
        type="type_spec type_alias",
    ),
    refined={"struct_type": "struct", "interface_type": "interface"},
    wrappers=_set("type_declaration"),
    titles={"method_declaration": ("{receiver}.{name}",)},
    imports=_set("import_declaration"),
)

_RUST = Language(
    "rust",
    (".rs",),
    ("text/rust", "text/x-rust"),
    containers=_set(
        "source_file block declaration_list field_declaration_list enum_variant_list match_block"
    ),
    definitions=_kinds(
        function="function_item function_signature_item",
        struct="struct_item",
        union="union_item",
        enum="enum_item",
        trait="trait_item",
        impl="impl_item",
        module="mod_item",
        macro="macro_definition",
        type="type_item associated_type",
    ),
    titles={"impl_item": ("{trait} for {type}", "{type}")},
    comments=_set("line_comment block_comment"),
    imports=_set("use_declaration extern_crate_declaration"),
    attributes=_set("attribute_item"),
)

_JAVA = Language(
    "java",
    (".java",),
    ("text/x-java", "text/x-java-source"),
    containers=_set(
        "program class_body interface_body enum_body enum_body_declarations annotation_type_body"
        " block constructor_body switch_block"
    ),
    loose_containers=_set("switch_block_statement_group"),
    definitions=_kinds(
        **{"class": "class_declaration"},
        interface="interface_declaration",
        enum="enum_declaration",
        record="record_declaration",
        annotation="annotation_type_declaration",
        method="method_declaration annotation_type_element_declaration",
        constructor="constructor_declaration compact_constructor_declaration",
    ),
    comments=_set("line_comment block_comment"),
    imports=_set("import_declaration"),
    attributes=_set("annotation marker_annotation"),
    modifiers=_set("modifiers"),
)

_C = Language(
    "c",
    (".c", ".h"),
    ("text/x-c", "text/x-csrc", "text/x-chdr"),
    containers=_set(
        "translation_unit compound_statement field_declaration_list enumerator_list"
        " declaration_list"
    ),
    loose_containers=_set("preproc_if preproc_ifdef preproc_else preproc_elif case_statement"),
    definitions=_kinds(
        function="function_definition",
        struct="struct_specifier",
        union="union_specifier",
        enum="enum_specifier",
        type="type_definition",
    ),
    bodied=_set("struct_specifier union_specifier enum_specifier"),
    refined={"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"},
    wrappers=_set("declaration field_declaration"),
    titles={"function_definition": ("{declarator}",), "type_definition": ("{declarator}",)},
    imports=_set("preproc_include"),
)

_CPP = Language(
    "cpp",
    (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
    ("text/x-c++", "text/x-c++src", "text/x-c++hdr"),
    containers=_C.containers,
    loose_containers=_C.loose_containers,
    definitions={
        **_C.definitions,
        "class_specifier": "class",
        "namespace_definition": "namespace",
        "concept_definition": "concept",
        "alias_declaration": "type",
    },
    bodied=_C.bodied | _set("class_specifier"),
    refined={**_C.refined, "class_specifier": "class"},
    wrappers=_C.wrappers | _set("template_declaration"),
    titles=_C.titles,
    imports=_C.imports | _set("using_declaration"),
    attributes=_set("attribute_declaration"),
)

_C_SHARP = Language(
    "csharp",
    (".cs", ".csx"),
    ("text/x-csharp",),
    containers=_set(
        "compilation_unit declaration_list block enum_member_declaration_list switch_body"
        " accessor_list"
    ),
    loose_containers=_set("preproc_if preproc_else preproc_elif switch_section"),
    definitions=_kinds(
        **{"class": "class_declaration"},
        namespace="namespace_declaration",
        interface="interface_declaration",
        struct="struct_declaration",
        record="record_declaration",
        enum="enum_declaration",
        delegate="delegate_declaration",
        method=(
            "method_declaration destructor_declaration operator_declaration"
            " conversion_operator_declaration indexer_declaration"
        ),
        constructor="constructor_declaration",
        property="property_declaration event_declaration",
        function="local_function_statement",
    ),
    wrappers=_set("global_statement"),
    titles={
        "destructor_declaration": ("~{name}",),
        "operator_declaration": ("operator {operator}",),
        "conversion_operator_declaration": ("operator {type}",),
        "indexer_declaration": ("this",),
    },
    imports=_set("using_directive extern_alias_directive"),
    attributes=_set("attribute_list"),
)

_RUBY = Language(
    "ruby",
    (".rb", ".rake", ".gemspec", ".ru"),
    ("text/x-ruby", "application/x-ruby"),
    containers=_set("program body_statement block_body then else do begin ensure"),
    definitions=_kinds(
        **{"class": "class singleton_class"},
        module="module",
        method="method singleton_method",
    ),
    wrappers=_set("call argument_list"),
    titles={"singleton_method": ("{object}.{name}",), "singleton_class": ("{value}",)},
    import_words=_words("require require_relative"),
)

_PHP = Language(
    "php",
    (".php", ".phtml", ".php5"),
    ("text/x-php", "application/x-php", "application/x-httpd-php"),
    containers=_set(
        "program compound_statement declaration_list enum_declaration_list switch_block colon_block"
    ),
    loose_containers=_set("case_statement default_statement"),
    definitions=_kinds(
        **{"class": "class_declaration"},
        function="function_definition",
        method="method_declaration",
        interface="interface_declaration",
        trait="trait_declaration",
        enum="enum_declaration",
        namespace="namespace_definition",
    ),
    bodied=_set("namespace_definition"),
    wrappers=_set("expression_statement"),
    values={"assignment_expression": "right"},
    functions={"anonymous_function": "function", "arrow_function": "function"},
    titles={"assignment_expression": ("{left}",)},
    imports=_set("namespace_use_declaration"),
    import_words=_words("require require_once include include_once"),
    attributes=_set("attribute_list php_tag"),
)

_BASH = Language(
    "bash",
    (".sh", ".bash", ".bats", ".ksh"),
    ("text/x-sh", "application/x-sh", "text/x-shellscript"),
    containers=_set("program compound_statement do_group subshell"),
    loose_containers=_set("if_statement elif_clause else_clause case_statement case_item"),
    definitions={"function_definition": "function"},
    import_words=_words("source ."),
)

LANGUAGES: Mapping[str, Language] = {
    language.name: language
    for language in (
        *(_PYTHON, _JAVASCRIPT, _TYPESCRIPT, _TSX, _GO, _RUST, _JAVA),
        *(_C, _CPP, _C_SHARP, _RUBY, _PHP, _BASH),
    )
}
