"""Errors: one family, picklable, that say what is wrong."""

from __future__ import annotations

import copy
import pickle

import pytest

from chunkana_core import (
    ChunkanaError,
    ConfigurationError,
    InputTypeError,
    InvariantViolationError,
    InvariantWarning,
    StrategyError,
)

ERRORS = (
    ConfigurationError("max_chunk_size", 3, "a whole number of at least 32"),
    InputTypeError("text", None, "a str"),
    StrategyError("strategy 'mine': something"),
    InvariantViolationError(("one thing", "another")),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_are_of_one_family_and_picklable(error: ChunkanaError) -> None:
    """Every error is a ChunkanaError, and survives pickling and copying with all it says."""
    assert isinstance(error, ChunkanaError)
    for again in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):  # noqa: S301
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)


def test_invariant_violations_are_listed() -> None:
    """The error holds a sentence for each violation, and says them all."""
    error = InvariantViolationError(("one thing", "another"))
    assert error.errors == ("one thing", "another")
    assert str(error) == "one thing; another"


def test_python_families() -> None:
    """Handlers for Python's own errors catch them too."""
    assert issubclass(ConfigurationError, ValueError)
    assert issubclass(InputTypeError, TypeError)
    assert issubclass(InvariantWarning, UserWarning)
