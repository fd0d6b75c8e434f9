"""Source code and JSON to a `Document`; its module `grammars` alone knows tree-sitter.

`languages` has a row for each language, of the names that its grammar gives to definitions and to
what holds statements. `items` and `json_items` find in a parsed text what becomes sections and
blocks; `groups` joins comments to what they are above and `sections` makes blocks and sections.
"""
