"""Settings that all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# `fast` and `slow` draw the same examples on every run; `explore` draws new ones each time:
# HYPOTHESIS_PROFILE=explore pytest tests/core
_COMMON = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    print_blob=False,
)
settings.register_profile("fast", _COMMON, max_examples=150, derandomize=True)
settings.register_profile("slow", _COMMON, max_examples=1500, derandomize=True)
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
