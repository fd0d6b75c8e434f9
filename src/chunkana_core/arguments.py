"""Argument checks: each raises an error that names the argument, its value and what is allowed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from math import inf
from numbers import Real
from operator import index
from types import NoneType, UnionType
from typing import SupportsIndex, TypeVar, cast, get_args

from chunkana_core.errors import ConfigurationError, InputTypeError

T = TypeVar("T")
Kind = type | UnionType
_LARGEST = sys.float_info.max  # the largest finite float
_DESCRIPTIONS: Mapping[object, str] = {NoneType: "None", bool: "True or False"}


def require_type(field: str, value: object, kind: Kind, allowed: str = "") -> None:
    """Raise an InputTypeError unless the value has the type; a bool is not a number.

    Args:
        field: the name of the argument.
        value: the value to check.
        kind: a type, or a union such as `str | None`.
        allowed: the description of allowed values, "" for one derived from `kind`.

    >>> require_type("label", 3, str | None)
    Traceback (most recent call last):
    chunkana_core.errors.InputTypeError: label is 3; allowed: None or a str
    """
    if not _has_type(value, kind):
        raise InputTypeError(field, value, allowed or _describe(kind))


def require_each(
    field: str, values: Iterable[T], kind: type, allowed: str = "", each: str = ""
) -> list[T]:
    """Return the values as a list; raise an InputTypeError unless all have the type.

    Args:
        field: the name of the argument.
        values: the values to check; neither one value of the type nor a mapping.
        kind: the type of each value.
        allowed: the description of allowed values, "" for one derived from `kind`.
        each: the description of an allowed value, "" for one derived from `kind`.

    >>> require_each("names", ["tea", 3], str)
    Traceback (most recent call last):
    chunkana_core.errors.InputTypeError: names[1] is 3; allowed: a str
    """
    given: object = values
    is_single = isinstance(given, (kind, Mapping))  # a str, whose characters are str, for example
    if is_single or not isinstance(given, Iterable):
        raise InputTypeError(field, given, allowed or f"a list, each {each or _describe(kind)}")
    found = [*values]
    for number, value in enumerate(found):
        require_type(f"{field}[{number}]", value, kind, each)
    return found


def require_number(  # noqa: PLR0913 -- all but two have defaults
    field: str,
    value: object,
    least: float = -inf,
    most: float = inf,
    *,
    kind: Kind = Real,
    allowed: str = "",
) -> None:
    """Raise a ConfigurationError unless the value is a number in a range.

    Args:
        field: the name of the argument.
        value: the value to check.
        least: the smallest allowed value.
        most: the largest allowed value.
        kind: the type of the number, such as `int` for whole ones, or `int | None`.
        allowed: the description of allowed values, "" for one derived from the others.

    >>> require_number("k", 0, 1, kind=int | None)
    Traceback (most recent call last):
    chunkana_core.errors.ConfigurationError: k is 0; allowed: None or a whole number of at least 1
    """
    if not _has_type(value, kind):
        raise InputTypeError(field, value, allowed or _describe_range(least, most, kind))
    if value is not None and not least <= cast("float", value) <= most:  # false for NaN
        raise ConfigurationError(field, value, allowed or _describe_range(least, most, kind))


def require_finite(field: str, value: object, least: float = -_LARGEST) -> None:
    """Raise a ConfigurationError unless the value is a finite number of at least `least`.

    >>> require_finite("weight", float("inf"), 0)
    Traceback (most recent call last):
    chunkana_core.errors.ConfigurationError: weight is inf; allowed: a finite number of at least 0
    """
    bound = "" if least == -_LARGEST else f" of at least {least}"
    require_number(field, value, least, _LARGEST, allowed=f"a finite number{bound}")


def require_callable(
    field: str, value: object, allowed: str = "a callable", *, optional: bool = False
) -> None:
    """Raise an InputTypeError unless the value is callable; with `optional`, None is allowed too.

    >>> require_callable("progress", 3, optional=True)
    Traceback (most recent call last):
    chunkana_core.errors.InputTypeError: progress is 3; allowed: None or a callable
    """
    if not callable(value) and not (optional and value is None):
        raise InputTypeError(field, value, f"None or {allowed}" if optional else allowed)


def require_choice(field: str, value: object, choices: Iterable[str]) -> None:
    """Raise a ConfigurationError unless the value is one of at least two choices.

    >>> require_choice("order", "size", ("score", "document"))
    Traceback (most recent call last):
    chunkana_core.errors.ConfigurationError: order is 'size'; allowed: 'score' or 'document'
    """
    allowed = tuple(choices)
    if value not in allowed:
        *others, last = map(repr, allowed)
        raise ConfigurationError(field, value, f"{', '.join(others)} or {last}")


def require_known_arguments(
    given: Iterable[str], known: Collection[str], others: Mapping[str, str] | None = None
) -> None:
    """Raise an InputTypeError for the first unknown argument; suggest the argument to use instead.

    Args:
        given: the names of the arguments that the caller passed.
        known: the names of all known arguments.
        others: the replacements of argument names that other tools use; for other unknown names,
            the most similar known name is suggested.

    >>> require_known_arguments(["sise"], ["k", "size"])
    Traceback (most recent call last):
    chunkana_core.errors.InputTypeError: argument is 'sise'; allowed: k, size; did you mean size?
    """
    for name in given:
        if name in known:
            continue
        similar = (others or {}).get(name) or next(iter(get_close_matches(name, known, 1)), "")
        question = f"; did you mean {similar}?" if similar else ""
        raise InputTypeError("argument", name, f"{', '.join(sorted(known))}{question}")


def require_size(field: str, size: object, text: str) -> int:
    """Return the size that a length function returned for a text, as an int.

    Raises:
        InputTypeError: if the size is not a whole number.
        ConfigurationError: if the size is negative.
    """
    if type(size) is int and size >= 0:
        return size
    allowed, returned = "a whole number of at least 0", f"a text of {len(text)} characters"
    if isinstance(size, bool) or not isinstance(size, SupportsIndex):
        raise InputTypeError(field, size, allowed, returned)
    whole = index(size)  # such as an integer of numpy
    if whole < 0:
        raise ConfigurationError(field, size, allowed, returned)
    return whole


def _has_type(value: object, kind: Kind) -> bool:
    """Return whether a value has a type; a bool is not a number."""
    return isinstance(value, kind) and not (isinstance(value, bool) and bool not in _kinds(kind))


def _kinds(kind: Kind) -> Sequence[type]:
    """Return the types in a union, or the only type."""
    return cast("Sequence[type]", get_args(kind)) if isinstance(kind, UnionType) else (kind,)


def _describe_range(least: float, most: float, kind: Kind) -> str:
    """Return a description of the numbers of a type in a range."""
    kinds = {*_kinds(kind)}
    optional = "None or " if NoneType in kinds else ""
    whole = "whole " if kinds <= {int, NoneType} else ""
    bounds = f" of at least {least}" if most == inf else f" from {least} to {most}"
    return f"{optional}a {whole}number{'' if least == -inf else bounds}"


def _describe(kind: Kind) -> str:
    """Return a description of the instances of a type or union."""
    kinds = sorted(_kinds(kind), key=lambda one: one is not NoneType)
    return " or ".join(_DESCRIPTIONS.get(one) or _with_article(one) for one in kinds)


def _with_article(kind: type) -> str:
    is_abstract = kind.__module__ == "collections.abc"
    name = kind.__name__.lower() if is_abstract else kind.__name__
    article = "an" if name[0] in "AEIOUaeiou" else "a"
    return f"{article} {name}"
