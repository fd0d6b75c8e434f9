"""The checks of arguments that the modules of this package and the adapters share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from numbers import Real
from typing import cast

from chunkana_core import ConfigurationError, InputTypeError

LARGEST = sys.float_info.max  # the largest finite float


def require_number(field: str, value: object, least: float, most: float, allowed: str) -> None:
    """Raise a ConfigurationError unless a value is a number, and no bool, from least to most."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(field, value, allowed)
    if not least <= cast("float", value) <= most:  # a NaN is neither
        raise ConfigurationError(field, value, allowed)


def require_count(field: str, value: object, least: int) -> None:
    """Raise a ConfigurationError unless a value is a whole number, at least the least one."""
    allowed = f"a whole number of at least {least}"
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError(field, value, allowed)
    if value < least:
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
