"""Source code and JSON to a `Document`."""

from __future__ import annotations

from chunkana_core.document.document import Document
from chunkana_core.document.traits import FormatTraits, MergeRule
from chunkana_core.formats.code.grammars import parse
from chunkana_core.formats.code.items import find_items
from chunkana_core.formats.code.json_items import find_json_items
from chunkana_core.formats.code.sections import make_document
from chunkana_core.formats.code.tree import ItemTree
from chunkana_core.formats.plain import parse_text

_MAX_UNPARSED_SHARE = 0.5  # of the text
_JSON = FormatTraits("json", MergeRule.FITTING)


def parse_code(text: str, language: str) -> Document:
    r"""Parse source code; each definition is a section with its kind and name.

    Accepts any `str`, in linear time. A text is parsed as plain text if the parser fails on more
    than half of it, or would take too much memory or work: over 2,000,000 characters, over 400
    nested brackets, or over 1,000 operators in one expression.

    Args:
        text: the source code.
        language: a key of `LANGUAGES`.

    >>> document = parse_code("class A:\n    def f(self):\n        pass\n", "python")
    >>> [(s.kind, s.level, s.path) for s in document.sections[1:]]
    [('class', 1, ('A',)), ('method', 2, ('A', 'f'))]
    """
    root = parse(text, language)
    if root is None:
        return parse_text(text)
    items = find_items(root, text, language)
    return _document_of(text, items, FormatTraits(language)) or parse_text(text)


def parse_json(text: str) -> Document | None:
    """Parse JSON or JSON Lines; members and elements are sections below the root.

    Accepts any `str`, in linear time. Returns None if the parser fails on more than half of the
    text. A text of more than 2,000,000 characters or 400 nested brackets is parsed as plain text.

    >>> [section.path for section in parse_json('{"tea": ["hot"]}').sections[1:]]
    [('root',), ('root', 'tea'), ('root', 'tea', '[0]')]
    """
    root = parse(text, "json")
    return _document_of(text, find_json_items(root, text), _JSON) if root else parse_text(text)


def _document_of(text: str, tree: ItemTree, traits: FormatTraits) -> Document | None:
    """Return the document of a text's items, None if too much of the text is unparsed."""
    if sum(tree.unparsed_lengths) > _MAX_UNPARSED_SHARE * len(text.strip()):
        return None
    return make_document(text, tree, traits)
