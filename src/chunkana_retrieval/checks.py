"""The check of numeric arguments that the modules of this package share."""

from __future__ import annotations

import sys
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
