"""Markdown to a `Document`; the only package that knows markdown-it-py.

`parser` parses a text to a document. `rule_table` has a row for each rule of the block parser, and
`grammar` builds from the rows a parser that calls, for each line, only the rules that may match.
`rules` has faster versions of stock rules, `state` the parser's state, `titles` the titles and
sections of headings, and `front_matter` the parsing of YAML and TOML. `container_lines` and
`containers` find admonitions, directives, shortcodes and HTML elements.
"""
