"""What can go wrong, by the user's input or choice."""

from __future__ import annotations


class ChunkanaError(Exception):
    """The base of all errors of this package."""


class ConfigurationError(ChunkanaError, ValueError):
    """A configuration value that is not allowed.

    Attributes:
        field: the name of the configuration field.
        value: what was given.
        allowed: what is allowed, in words.
    """

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(f"{field} is {value!r}; allowed: {allowed}")
        self.field = field
        self.value = value
        self.allowed = allowed

    def __reduce__(self) -> tuple[type[ConfigurationError], tuple[str, object, str]]:
        """Pickle by the constructor's arguments."""
        return type(self), (self.field, self.value, self.allowed)


class InputTypeError(ConfigurationError, TypeError):
    """An argument of the wrong type; a ConfigurationError and a TypeError."""


class StrategyError(ChunkanaError):
    """A registered strategy whose drafts do not tile the document."""


class InvariantViolationError(ChunkanaError):
    """Chunks that break an invariant, found by `validation="strict"`.

    Attributes:
        errors: what is wrong, a sentence each.
    """

    def __init__(self, errors: tuple[str, ...]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors

    def __reduce__(self) -> tuple[type[InvariantViolationError], tuple[tuple[str, ...]]]:
        """Pickle by the constructor's arguments."""
        return type(self), (self.errors,)


class InvariantWarning(UserWarning):
    """Chunks that break an invariant, found by `validation="warn"`."""


def require(*, ok: bool, field: str, value: object, allowed: str) -> None:
    """Raise a ConfigurationError unless the value is allowed."""
    if not ok:
        raise ConfigurationError(field, value, allowed)


def require_str(field: str, value: object) -> None:
    """Raise an InputTypeError unless the value is a string."""
    if not isinstance(value, str):
        raise InputTypeError(field, value, "a str")
