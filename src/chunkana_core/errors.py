"""Errors and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from inspect import currentframe
from itertools import takewhile
from traceback import walk_stack
from types import FrameType

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


def warn(warning: Warning, packages: Collection[str] = ()) -> None:
    """Issue a warning at the innermost frame that is neither in the core nor in other packages."""
    frames = (frame for frame, _ in walk_stack(currentframe()))
    skipped = takewhile(lambda frame: _package(frame) in {"chunkana_core", *packages}, frames)
    warnings.warn(warning, stacklevel=1 + sum(1 for _ in skipped))


def _package(frame: FrameType) -> str:
    """Return the name of the package whose code a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]
