"""Errors: one family, picklable, that say what is wrong."""

from __future__ import annotations

import copy
import pickle

import pytest

from chunkana_core import (
    ChunkanaError,
    ChunkanaWarning,
    ConfigurationError,
    InputTypeError,
    InvariantViolationError,
    Violation,
)
from chunkana_core.extending import ExtensionError, warn

VIOLATIONS = (
    Violation("size", "85b73057", "has size 120, over the limit of 100"),
    Violation("lossless", None, "the text at 3-9 is in no chunk"),
)
ERRORS = (
    ConfigurationError("max_chunk_size", 3, "a whole number of at least 32"),
    InputTypeError("text", None, "a str"),
    ExtensionError("strategy 'mine': something"),
    InvariantViolationError(VIOLATIONS),
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
    """The error holds the violations, pickled or not, and has a sentence for each."""
    error = InvariantViolationError(VIOLATIONS)
    assert error.errors == VIOLATIONS
    assert pickle.loads(pickle.dumps(error)).errors == VIOLATIONS  # noqa: S301
    assert str(error) == (
        "chunk 85b73057 has size 120, over the limit of 100; the text at 3-9 is in no chunk"
    )


def test_python_families() -> None:
    """Handlers for Python's own errors catch them too."""
    assert issubclass(ConfigurationError, ValueError)
    assert issubclass(InputTypeError, TypeError)
    assert issubclass(ChunkanaWarning, UserWarning)


def test_warnings_name_the_line_that_called() -> None:
    """They skip the frames of the core, and of other packages that call it for a user."""
    for packages, caller in (((), __file__), (("tests", "elsewhere"), pytest.__name__)):
        with pytest.warns(ChunkanaWarning) as found:
            warn(ChunkanaWarning("a file of no known format"), packages)
        assert caller in found[0].filename
