"""Argument checks for this package and the adapters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from numbers import Real
from pathlib import PurePath
from typing import TypeVar, cast

from chunkana_core import ConfigurationError, InputTypeError

T = TypeVar("T")
LARGEST = sys.float_info.max  # the largest finite float


def require_number(field: str, value: object, least: float, most: float, allowed: str) -> None:
    """Raise a ConfigurationError unless a value is a number from `least` to `most`, not a bool."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(field, value, allowed)
    if not least <= cast("float", value) <= most:  # False for NaN
        raise ConfigurationError(field, value, allowed)


def require_count(field: str, value: object, least: int | None = None) -> None:
    """Raise a ConfigurationError unless a value is a whole number of at least `least`."""
    allowed = "a whole number" if least is None else f"a whole number of at least {least}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError(field, value, allowed)
    if least is not None and value < least:
        raise ConfigurationError(field, value, allowed)


def require_known(
    given: Iterable[str], allowed: Collection[str], others: Mapping[str, str] | None = None
) -> None:
    """Raise an InputTypeError for the first unknown argument; suggest the argument to use instead.

    Args:
        given: the names of the arguments that the caller passed.
        allowed: the names of all known arguments.
        others: the replacements of argument names that other tools use; for other unknown names,
            the most similar known name is suggested.
    """
    for name in given:
        if name in allowed:
            continue
        similar = (others or {}).get(name) or next(iter(get_close_matches(name, allowed, 1)), "")
        question = f"; did you mean {similar}?" if similar else ""
        raise InputTypeError("argument", name, f"{', '.join(sorted(allowed))}{question}")


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
    found = [*documents]
    for number, document in enumerate(found):
        if not isinstance(document, kind):
            raise InputTypeError(f"documents[{number}]", document, f"a Document: {example}")
    return found


def require_choice(field: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise a ConfigurationError unless a value is one of at least two choices."""
    if value not in choices:
        *others, last = map(repr, choices)
        raise ConfigurationError(field, value, f"{', '.join(others)} or {last}")


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


def require_names(field: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; raise an InputTypeError for a single str or another type of name."""
    given = tuple(names)  # a str passes this check too, so the type of `names` is checked as well
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise InputTypeError(field, names, "a list of str")
    return given
