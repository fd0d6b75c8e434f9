"""Source code and JSON to a `Document`; only the module `grammars` imports tree-sitter.

`languages` has one row per language: the node types of definitions, of their containers and so on;
`node_types` maps them to the ids of a grammar. `items` and `json_items` find the items of a parsed
text: statements, definitions, imports, comments. `groups` attaches comments to the items below
them, and `sections` makes blocks and sections.
"""
