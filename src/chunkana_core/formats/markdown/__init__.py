"""Markdown to a `Document`; the only package that knows markdown-it-py.

`parser` makes a document of a text. `rule_table` has a row for each rule of the block parser, and
`grammar` computes from the rows which rules are asked of which line. `rules` are those that replace
or speed up stock ones, `state` is what rules share, `titles` makes titles and sections of headings,
and `front_matter` finds the title in YAML.
"""
