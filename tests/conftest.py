"""Settings that all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings

# `fast` and `slow` draw the same examples on every run; `explore` draws new ones each time:
# HYPOTHESIS_PROFILE=explore pytest tests/core
_COMMON = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=False,
)
settings.register_profile("fast", _COMMON, max_examples=60, derandomize=True)
settings.register_profile("slow", _COMMON, max_examples=1000, derandomize=True)
settings.register_profile("explore", _COMMON, max_examples=1500)
# Thousands of runs, each of which only asks whether anything fails at all: nothing is shrunk.
settings.register_profile(
    "mutants",
    _COMMON,
    max_examples=20,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


_TESTS = Path(__file__).parent
_MEASURED = (_TESTS / "core", _TESTS / "batch" / "test_streams.py")


def pytest_configure() -> None:
    """Handle Ctrl-C also in background jobs, for which shells ignore it.

    Commands started by tests inherit the setting, and tests would wait for their end forever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Measure the coverage of the core and of streams only by their own tests, without Hypothesis.

    Measuring more than doubles the time of a test, and coverage must not depend on made examples.
    """
    for item in items:
        is_made = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if is_made or not any(item.path.is_relative_to(path) for path in _MEASURED):
            item.add_marker(pytest.mark.no_cover)
