"""What is compared: all that is installed, and what is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

from benchmarks.chunkers import core
from benchmarks.chunkers.timed import Timed

_MODULES = (  # of `benchmarks.chunkers`, in the order of the table
    "core",
    "langchain",
    "llamaindex",
    "semantic_text_splitter",
    "chonkie",
    "chunkana_0_1",
)


@dataclass(frozen=True, slots=True)
class Found:
    """What is installed.

    Attributes:
        timed: what is compared, the bare parse first.
        packages: the packages that it is of.
        absent: a sentence for each module whose package is not there.
    """

    timed: Sequence[Timed]
    packages: Sequence[str]
    absent: Sequence[str]


def find(size: int, modules: Sequence[str] = _MODULES) -> Found:
    """Make chunkers of chunks of a size, in characters, of all that is installed."""
    timed: list[Timed] = []
    packages: list[str] = []
    absent: list[str] = []
    for name in modules:
        try:
            module = import_module(f"{core.__package__}.{name}")
        except ModuleNotFoundError as error:
            absent.append(f"`{error.name}` is not installed and so left out.")
        else:
            timed += module.timed(size)
            packages += module.PACKAGES
    return Found(timed, packages, absent)
