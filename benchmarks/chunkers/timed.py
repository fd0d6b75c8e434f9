"""A row of the table of speeds, before it is measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Timed:
    """Something that makes chunks of a text.

    Attributes:
        name: what to call it.
        run: makes them, as its users would; what it returns is its own.
        count: returns how many chunks are in that, nodes above them left out; None if none are.
        parses: whether it parses CommonMark, so that it knows a `#` in code from a heading.
    """

    name: str
    run: Callable[[str], Any]
    count: Callable[[Any], int] | None = len
    parses: bool = False
