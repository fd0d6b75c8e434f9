"""The checks of arguments that the modules of this package and the adapters share."""

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
    """Raise a ConfigurationError unless a value is a number, and no bool, from least to most."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(field, value, allowed)
    if not least <= cast("float", value) <= most:  # a NaN is neither
        raise ConfigurationError(field, value, allowed)


def require_count(field: str, value: object, least: int | None = None) -> None:
    """Raise a ConfigurationError unless a value is a whole number, at least the least one."""
    allowed = "a whole number" if least is None else f"a whole number of at least {least}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError(field, value, allowed)
    if least is not None and value < least:
        raise ConfigurationError(field, value, allowed)


def require_known(
    given: Iterable[str], allowed: Collection[str], others: Mapping[str, str] | None = None
) -> None:
    """Raise an InputTypeError for the first argument that there is not.

    Args:
        given: names of arguments.
        allowed: names of those that there are.
        others: what to give instead of names that other tools have; of the rest a near name is
            proposed.
    """
    for name in given:
        if name in allowed:
            continue
        meant = (others or {}).get(name) or next(iter(get_close_matches(name, allowed, 1)), "")
        question = f"; did you mean {meant}?" if meant else ""
        raise InputTypeError("argument", name, f"{', '.join(sorted(allowed))}{question}")


def names_of(function: Callable[..., object]) -> list[str]:
    """Return the names of the arguments that a function may be called with."""
    parameters = signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind is not one.VAR_KEYWORD]
    return [name for name in named if name != "self"]


def require_documents(documents: Iterable[T], kind: type[T], sources: str, example: str) -> list[T]:
    """Return documents as a list.

    Args:
        documents: what is given.
        kind: a framework's class of documents.
        sources: how to read a list of them from files.
        example: how to make one.

    Raises:
        InputTypeError: for one document alone, for a name, and for the first that is none.
    """
    given: object = documents
    if isinstance(given, kind):  # which may be an iterable, too
        raise InputTypeError("documents", type(given), "a list of documents: [document]")
    if isinstance(given, str | PurePath) or not isinstance(given, Iterable):
        raise InputTypeError("documents", given, f"a list of documents: {sources}")
    found = [*documents]
    for number, document in enumerate(found):
        if not isinstance(document, kind):
            raise InputTypeError(f"documents[{number}]", document, f"a Document: {example}")
    return found


def require_choice(field: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise a ConfigurationError unless a value is one of two or more."""
    if value not in choices:
        *others, last = map(repr, choices)
        raise ConfigurationError(field, value, f"{', '.join(others)} or {last}")


def require_parent_size(size: int | None, name: str, chunk_size: int) -> None:
    """Raise a ConfigurationError unless parents may be as large as chunks.

    Args:
        size: the largest parent's, None for a default.
        name: of the argument that says how large chunks are.
        chunk_size: its value.
    """
    if size is not None and size < chunk_size:
        allowed = f"None, or at least {name} ({chunk_size}): a parent holds several chunks"
        raise ConfigurationError("max_parent_size", size, allowed)


def require_names(field: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names; raise an InputTypeError for one alone, and for what is no str."""
    given = tuple(names)  # a str is an iterable of such, too
    if isinstance(names, str) or not all(isinstance(name, str) for name in given):
        raise InputTypeError(field, names, "a list of str")
    return given
