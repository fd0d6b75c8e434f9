"""Functions as fields: they have to survive processes, and to be told apart in cache keys."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer


def name_of(function: Callable[..., Any] | None) -> str | None:
    """Return what tells a function apart: module, name, and of a method what it is bound to."""
    if function is None:
        return None
    kind = type(function)
    module = getattr(function, "__module__", None) or kind.__module__
    name = getattr(function, "__qualname__", None)
    owner = getattr(function, "__self__", None) if name else function
    bound = "" if owner is None or owner is import_module("builtins") else f" of {owner!r}"
    return f"{module}:{name or kind.__qualname__}{bound}"


def _function(value: object) -> object:
    """Return a function by its name, and warn of one that other processes cannot have."""
    if isinstance(value, str):
        return _named(value)
    if callable(value):
        try:
            pickle.dumps(value)
        except Exception:  # noqa: BLE001  # whatever its own pickling raises
            warnings.warn(
                f"{value!r} cannot be pickled: worker processes would do without it, and so it is "
                "refused there; define it at the top level of a module",
                stacklevel=2,
            )
    return value


def _named(name: str) -> object:
    module, _, attribute = name.partition(":")
    try:
        found: object = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        raise ValueError(
            f"{name!r} cannot be found by its name; give the function itself"
        ) from None
    return found


Function = Annotated[
    Callable[..., Any],
    BeforeValidator(_function),
    PlainSerializer(name_of, return_type=str | None),
]
