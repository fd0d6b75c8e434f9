"""Source code and JSON to a `Document`."""

from __future__ import annotations

from chunkana_core.document.document import Document
from chunkana_core.document.traits import FormatTraits, Merging
from chunkana_core.formats.code.grammars import parse
from chunkana_core.formats.code.items import find_items
from chunkana_core.formats.code.json_items import find_json_items
from chunkana_core.formats.code.sections import make_document
from chunkana_core.formats.code.tree import ItemTree
from chunkana_core.formats.plain import parse_text

MOST_CHARACTERS = 2_000_000  # tree-sitter takes 100 to 900 bytes for each of them
_MOST_UNPARSED = 0.5  # of the text
_JSON = FormatTraits("json", Merging.FITTING)


def parse_code(text: str, language: str) -> Document:
    r"""Parse source code: definitions are sections, whose kinds and names are theirs.

    Total over `str` and linear in its length. A text of more than 2,000,000 characters, one that
    takes the parser too much work, and one half of which or more it cannot parse, is plain text.

    Args:
        text: the text.
        language: one of `LANGUAGES`.

    >>> document = parse_code("class A:\\n    def f(self):\\n        pass\\n", "python")
    >>> [(s.kind, s.level, s.path) for s in document.sections[1:]]
    [('class', 1, ('A',)), ('method', 2, ('A', 'f'))]
    """
    root = parse(text, language) if len(text) <= MOST_CHARACTERS else None
    found = (
        _document(text, find_items(root, text, language), FormatTraits(language)) if root else None
    )
    return found or parse_text(text)


def parse_json(text: str) -> Document | None:
    """Parse JSON, or JSON lines: members and elements are sections below the root.

    Total over `str` and linear in its length. None is returned for a text of which half or more
    cannot be parsed; one of more than 2,000,000 characters, and one that takes the parser too much
    work, is plain text.

    >>> [section.path for section in parse_json('{"tea": ["hot"]}').sections[1:]]
    [('root',), ('root', 'tea'), ('root', 'tea', '[0]')]
    """
    root = parse(text, "json") if len(text) <= MOST_CHARACTERS else None
    return _document(text, find_json_items(root, text), _JSON) if root else parse_text(text)


def _document(text: str, tree: ItemTree, traits: FormatTraits) -> Document | None:
    """Return the document of items, None where too much of its text could not be parsed."""
    if sum(tree.unparsed) > _MOST_UNPARSED * len(text.strip()):
        return None
    return make_document(text, tree, traits)
