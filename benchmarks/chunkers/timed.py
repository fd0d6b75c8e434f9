"""A chunker to time, a row of the table of speeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Timed:
    """A chunker to time.

    Attributes:
        name: the name of the chunker.
        run: chunks a text with the usual interface of the chunker, and returns its result.
        count: returns the number of chunks in a result, without parents; None if there are none.
        parses: whether the chunker parses CommonMark, and so distinguishes a `#` in code from a
            heading.
    """

    name: str
    run: Callable[[str], Any]
    count: Callable[[Any], int] | None = len
    parses: bool = False
