"""The rows of languages whose blocks are in braces."""

from __future__ import annotations

from chunkana_core.formats.code.languages.language import (
    Language,
    kinds_of,
    node_types,
    word_starts,
)

JAVASCRIPT = Language(
    "javascript",
    (".js", ".mjs", ".cjs", ".jsx"),
    ("text/javascript", "application/javascript", "application/x-javascript"),
    containers=node_types("program statement_block class_body switch_body"),
    loose_containers=node_types("switch_case switch_default"),
    definitions=kinds_of(
        **{"class": "class_declaration", "method": "method_definition"},
        function="function_declaration generator_function_declaration",
    ),
    wrappers=node_types(
        "export_statement lexical_declaration variable_declaration expression_statement"
    ),
    value_fields={
        "variable_declarator": "value",
        "assignment_expression": "right",
        "field_definition": "value",
        "export_statement": "value",
    },
    function_kinds=kinds_of(
        **{"class": "class"},
        function="arrow_function function_expression generator_function",
    ),
    title_templates={
        "assignment_expression": ("{left}",),
        "field_definition": ("{property}",),
        "export_statement": ("default",),
    },
    comments=node_types("comment html_comment"),
    imports=node_types("import_statement"),
    attributes=node_types("decorator"),
    has_single_quotes=True,
)

TYPESCRIPT = Language(
    "typescript",
    (".ts", ".mts", ".cts"),
    ("text/typescript", "application/typescript", "text/x-typescript"),
    containers=JAVASCRIPT.containers | node_types("interface_body enum_body"),
    loose_containers=JAVASCRIPT.loose_containers,
    definitions=kinds_of(
        **{"class": "class_declaration abstract_class_declaration"},
        function="function_declaration generator_function_declaration function_signature",
        method="method_definition method_signature abstract_method_signature",
        interface="interface_declaration",
        enum="enum_declaration",
        type="type_alias_declaration",
        namespace="module internal_module",
    ),
    wrappers=JAVASCRIPT.wrappers | node_types("ambient_declaration"),
    value_fields={
        "variable_declarator": "value",
        "assignment_expression": "right",
        "public_field_definition": "value",
        "export_statement": "value",
    },
    function_kinds=JAVASCRIPT.function_kinds,
    title_templates={"assignment_expression": ("{left}",), "export_statement": ("default",)},
    comments=JAVASCRIPT.comments,
    imports=node_types("import_statement import_alias"),
    attributes=node_types("decorator"),
    has_single_quotes=True,
    grammar="tree_sitter_typescript.language_typescript",
)

TSX = Language(
    "tsx",
    (".tsx",),
    ("text/tsx",),
    containers=TYPESCRIPT.containers,
    loose_containers=TYPESCRIPT.loose_containers,
    definitions=TYPESCRIPT.definitions,
    wrappers=TYPESCRIPT.wrappers,
    value_fields=TYPESCRIPT.value_fields,
    function_kinds=TYPESCRIPT.function_kinds,
    title_templates=TYPESCRIPT.title_templates,
    comments=TYPESCRIPT.comments,
    imports=TYPESCRIPT.imports,
    attributes=TYPESCRIPT.attributes,
    has_single_quotes=True,
    grammar="tree_sitter_typescript.language_tsx",
)

GO = Language(
    "go",
    (".go",),
    ("text/x-go", "text/x-gosrc"),
    containers=node_types(
        "source_file statement_list field_declaration_list interface_type"
        " expression_switch_statement type_switch_statement select_statement"
    ),
    definitions=kinds_of(
        function="function_declaration",
        method="method_declaration method_elem",
        type="type_spec type_alias",
    ),
    type_kinds={"struct_type": "struct", "interface_type": "interface"},
    wrappers=node_types("type_declaration"),
    title_templates={"method_declaration": ("{receiver}.{name}",)},
    imports=node_types("import_declaration"),
)

RUST = Language(
    "rust",
    (".rs",),
    ("text/rust", "text/x-rust"),
    containers=node_types(
        "source_file block declaration_list field_declaration_list enum_variant_list match_block"
    ),
    definitions=kinds_of(
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
    title_templates={"impl_item": ("{trait} for {type}", "{type}")},
    comments=node_types("line_comment block_comment"),
    imports=node_types("use_declaration extern_crate_declaration"),
    attributes=node_types("attribute_item"),
)

JAVA = Language(
    "java",
    (".java",),
    ("text/x-java", "text/x-java-source"),
    containers=node_types(
        "program class_body interface_body enum_body enum_body_declarations annotation_type_body"
        " block constructor_body switch_block"
    ),
    loose_containers=node_types("switch_block_statement_group"),
    definitions=kinds_of(
        **{"class": "class_declaration"},
        interface="interface_declaration",
        enum="enum_declaration",
        record="record_declaration",
        annotation="annotation_type_declaration",
        method="method_declaration annotation_type_element_declaration",
        constructor="constructor_declaration compact_constructor_declaration",
    ),
    comments=node_types("line_comment block_comment"),
    imports=node_types("import_declaration"),
    attributes=node_types("annotation marker_annotation"),
    modifiers=node_types("modifiers"),
)

C = Language(
    "c",
    (".c", ".h"),
    ("text/x-c", "text/x-csrc", "text/x-chdr"),
    containers=node_types(
        "translation_unit compound_statement field_declaration_list enumerator_list"
        " declaration_list"
    ),
    loose_containers=node_types(
        "preproc_if preproc_ifdef preproc_else preproc_elif case_statement"
    ),
    definitions=kinds_of(
        function="function_definition",
        struct="struct_specifier",
        union="union_specifier",
        enum="enum_specifier",
        type="type_definition",
    ),
    body_required=node_types("struct_specifier union_specifier enum_specifier"),
    type_kinds={"struct_specifier": "struct", "union_specifier": "union", "enum_specifier": "enum"},
    wrappers=node_types("declaration field_declaration"),
    title_templates={
        "function_definition": ("{declarator}",),
        "type_definition": ("{declarator}",),
    },
    imports=node_types("preproc_include"),
)

CPP = Language(
    "cpp",
    (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".inl"),
    ("text/x-c++", "text/x-c++src", "text/x-c++hdr"),
    containers=C.containers,
    loose_containers=C.loose_containers,
    definitions={
        **C.definitions,
        "class_specifier": "class",
        "namespace_definition": "namespace",
        "concept_definition": "concept",
        "alias_declaration": "type",
    },
    body_required=C.body_required | node_types("class_specifier"),
    type_kinds={**C.type_kinds, "class_specifier": "class"},
    wrappers=C.wrappers | node_types("template_declaration"),
    title_templates=C.title_templates,
    imports=C.imports | node_types("using_declaration"),
    attributes=node_types("attribute_declaration"),
)

C_SHARP = Language(
    "csharp",
    (".cs", ".csx"),
    ("text/x-csharp",),
    containers=node_types(
        "compilation_unit declaration_list block enum_member_declaration_list switch_body"
        " accessor_list"
    ),
    loose_containers=node_types("preproc_if preproc_else preproc_elif switch_section"),
    definitions=kinds_of(
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
    wrappers=node_types("global_statement"),
    title_templates={
        "destructor_declaration": ("~{name}",),
        "operator_declaration": ("operator {operator}",),
        "conversion_operator_declaration": ("operator {type}",),
        "indexer_declaration": ("this",),
    },
    imports=node_types("using_directive extern_alias_directive"),
    attributes=node_types("attribute_list"),
    grammar="tree_sitter_c_sharp.language",
)

PHP = Language(
    "php",
    (".php", ".phtml", ".php5"),
    ("text/x-php", "application/x-php", "application/x-httpd-php"),
    containers=node_types(
        "program compound_statement declaration_list enum_declaration_list switch_block colon_block"
    ),
    loose_containers=node_types("case_statement default_statement"),
    definitions=kinds_of(
        **{"class": "class_declaration"},
        function="function_definition",
        method="method_declaration",
        interface="interface_declaration",
        trait="trait_declaration",
        enum="enum_declaration",
        namespace="namespace_definition",
    ),
    body_required=node_types("namespace_definition"),
    wrappers=node_types("expression_statement"),
    value_fields={"assignment_expression": "right"},
    function_kinds={"anonymous_function": "function", "arrow_function": "function"},
    title_templates={"assignment_expression": ("{left}",)},
    imports=node_types("namespace_use_declaration"),
    import_words=word_starts("require require_once include include_once"),
    attributes=node_types("attribute_list php_tag"),
    has_single_quotes=True,
    grammar="tree_sitter_php.language_php",
)
