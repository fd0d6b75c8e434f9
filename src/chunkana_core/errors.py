"""Errors and warnings, and the argument checks that raise them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import currentframe
from itertools import islice, takewhile
from operator import index
from traceback import walk_stack
from typing import SupportsIndex

from chunkana_core.violations import Violation


class ChunkanaError(Exception):
    """Base class of all errors of this package."""


class ConfigurationError(ChunkanaError, ValueError):
    """An option, argument or return value that is not allowed.

    Attributes:
        field: the name of the option, argument or function.
        value: the value that was given or returned.
        allowed: a description of allowed values.
        returned: for a function's return value, a description of its argument; else "".
    """

    def __init__(self, field: str, value: object, allowed: str, returned: str = "") -> None:
        super().__init__(field, value, allowed, returned)  # from which it is unpickled
        self.field, self.value, self.allowed, self.returned = field, value, allowed, returned

    def __str__(self) -> str:
        verb, where = ("returned", f" for {self.returned}") if self.returned else ("is", "")
        return f"{self.field} {verb} {self.value!r}{where}; allowed: {self.allowed}"


class InputTypeError(ConfigurationError, TypeError):
    """An argument of the wrong type; both a ConfigurationError and a TypeError."""


class ExtensionError(ChunkanaError):
    """Drafts that do not tile the document, or blocks and sections that do not nest."""


class InvariantViolationError(ChunkanaError):
    """Chunks that violate laws, raised with `validation="strict"`; see `errors`."""

    def __init__(self, errors: tuple[Violation, ...]) -> None:
        super().__init__(errors)  # from which it is unpickled
        self.errors = errors

    def __str__(self) -> str:
        return "; ".join(map(str, self.errors))


class ChunkanaWarning(UserWarning):
    """A text was chunked in another format than its name says, or chunks violate laws."""


def own_frames(module: Mapping[str, object]) -> int:
    """Return the `stacklevel` that attributes a warning to the caller of a module."""
    frames = islice(walk_stack(currentframe()), 1, None)
    return 1 + sum(1 for _ in takewhile(lambda frame: frame[0].f_globals is module, frames))


def require_type(field: str, value: object, kind: type | tuple[type, ...], allowed: str) -> None:
    """Raise an InputTypeError unless the value has the type; a bool is not a number."""
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise InputTypeError(field, value, allowed)


def require_str(field: str, value: object) -> None:
    """Raise an InputTypeError unless the value is a string."""
    require_type(field, value, str, "a str")


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


def require_each(field: str, values: object, kind: type, allowed: str) -> None:
    """Raise an InputTypeError unless the values are a sequence of one type."""
    if not isinstance(values, Sequence):
        raise InputTypeError(field, values, f"a sequence, each {allowed}")
    for number, value in enumerate(values):
        require_type(f"{field}[{number}]", value, kind, allowed)


def require_number(
    field: str, value: float, least: float, most: float | None = None, words: str = "{}"
) -> None:
    """Raise an error unless the value is in a range.

    Args:
        field: the name in the error.
        value: the value to check.
        least: the smallest allowed value; if it is an int, only whole numbers are allowed.
        most: the largest allowed value, None for no upper bound.
        words: the description of allowed values, in which `{}` is the range.
    """
    is_whole = isinstance(least, int)
    bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
    allowed = words.format(f"a {'whole ' if is_whole else ''}number {bounds}")
    require_type(field, value, int if is_whole else (int, float), allowed)
    if not least <= value or (most is not None and value > most):
        raise ConfigurationError(field, value, allowed)
