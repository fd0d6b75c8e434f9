"""Settings that all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from random import Random

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options for what tests must not depend on."""
    group = parser.getgroup("chunkana")
    group.addoption("--permute-ties", type=int, metavar="SEED", help="see tests/ties.py")
    group.addoption("--shuffle", type=int, metavar="SEED", help="run tests in random order")


def pytest_configure(config: pytest.Config) -> None:
    """Handle Ctrl-C also in background jobs, for which shells ignore it; permute ties.

    Commands started by tests inherit the setting, and tests would wait for their end forever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if (seed := config.getoption("--permute-ties")) is not None:
        from tests.ties import permute_ties

        permute_ties(seed)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the tests if asked; measure coverage only by some tests, without Hypothesis.

    Those are the tests of the core and of streams. Measuring more than doubles the time of a test,
    and coverage must not depend on made examples.
    """
    if (seed := config.getoption("--shuffle")) is not None:
        random, places = Random(seed), dict[Path, float]()
        items.sort(key=lambda i: (places.setdefault(i.path, random.random()), random.random()))
    for item in items:
        is_made = isinstance(item, pytest.Function) and is_hypothesis_test(item.obj)
        if is_made or not any(item.path.is_relative_to(path) for path in _MEASURED):
            item.add_marker(pytest.mark.no_cover)
