"""What names the source of a document to those who ask: a file, a product, a site."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from chunkana_core.errors import InputTypeError

_Document = TypeVar("_Document")
SourceLabel = str | Callable[[_Document], str] | None


def label_of(
    document: _Document, metadata: Mapping[str, object], source_label: SourceLabel[_Document]
) -> str:
    """Return a document's label on one line, "" where it has none.

    Args:
        document: what a function is given.
        metadata: of the document.
        source_label: a key of the metadata, or a function of the document that returns a text.

    Raises:
        InputTypeError: if `source_label` is neither, or a function returns anything but a str.

    >>> label_of(None, {"source": "guide/install.md"}, "source")
    'guide/install.md'
    """
    label = ""
    if isinstance(source_label, str):
        value = metadata.get(source_label)
        label = "" if value is None else str(value)
    elif callable(source_label):
        label = source_label(document)
        if not isinstance(label, str):
            raise InputTypeError("what source_label returns", label, "a str")
    elif source_label is not None:
        raise InputTypeError("source_label", source_label, "None, a key of metadata or a callable")
    return " ".join(label.split())
