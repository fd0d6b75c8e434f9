"""Arguments of adapters: their names, their checks, and the labels of documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import PurePath
from typing import TypeVar

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_core.extending import require_each, require_type

T = TypeVar("T")


def names_of(function: Callable[..., object]) -> list[str]:
    """Return the names of a function's parameters, without `self` and `**options`."""
    parameters = signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    return [name for name in named if name != "self"]


def require_documents(documents: Iterable[T], kind: type[T], sources: str, example: str) -> list[T]:
    """Return documents as a list after checking their types.

    Args:
        documents: the caller's argument.
        kind: the framework's document class.
        sources: the code that reads a list of documents from files, for the error message.
        example: the code that creates a document, for the error message.

    Raises:
        InputTypeError: for a single document, a file name, or the first item of another type.
    """
    given: object = documents
    if isinstance(given, kind):  # a document may be iterable itself
        raise InputTypeError("documents", type(given), "a list of documents: [document]")
    if isinstance(given, str | PurePath) or not isinstance(given, Iterable):
        raise InputTypeError("documents", given, f"a list of documents: {sources}")
    return require_each("documents", documents, kind, each=f"a Document: {example}")


def label_of(
    source_label: str | Callable[[T], str | None] | None,
    document: T,
    metadata: Mapping[str, object],
) -> str | None:
    """Return the label that an adapter's option `source_label` gives a document.

    Args:
        source_label: a key of the metadata, or a function of the document; "" for no label.
        document: the framework's document.
        metadata: its metadata.

    Returns:
        The label, None for the path of the document.

    Raises:
        InputTypeError: if a function returns anything but a str or None.
    """
    if callable(source_label):
        returned = source_label(document)
        require_type("what source_label returns", returned, str | None)
        return returned
    label = metadata.get(source_label) if source_label else source_label
    return None if label is None else str(label)


def require_parent_size(size: int | None, name: str, chunk_size: int) -> None:
    """Raise a ConfigurationError if the parent size limit is below the chunk size limit.

    Args:
        size: the size limit of parents, None for the default.
        name: the name of the argument for the chunk size limit.
        chunk_size: the value of that argument.
    """
    if size is not None and size < chunk_size:
        allowed = f"None, or at least {name} ({chunk_size}): a parent holds several chunks"
        raise ConfigurationError("max_parent_size", size, allowed)
