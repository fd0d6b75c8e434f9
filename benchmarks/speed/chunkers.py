"""Find the installed chunkers to compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from benchmarks.chunkers import core
from benchmarks.chunkers.timed import Timed

_MODULES = {  # modules of `benchmarks.chunkers` in table order, and their packages
    "core": "Chunkana",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "semantic_text_splitter": "semantic-text-splitter",
    "chonkie": "chonkie",
    "chunkana_0_1": "chunkana 0.1.6, which needs Python 3.12 or later,",
}


@dataclass(frozen=True, slots=True)
class Found:
    """The chunkers that are installed.

    Attributes:
        timed: the chunkers, the bare parse first.
        packages: the packages of the chunkers.
        absent: a sentence for each package that is not installed.
    """

    timed: Sequence[Timed]
    packages: Sequence[str]
    absent: Sequence[str]


def find(size: int, modules: Mapping[str, str] = _MODULES) -> Found:
    """Return all installed chunkers, for chunks of a size in characters."""
    timed: list[Timed] = []
    packages: list[str] = []
    absent: list[str] = []
    for name, of in modules.items():
        try:
            module = import_module(f"{core.__package__}.{name}")
        except ModuleNotFoundError as error:
            absent.append(f"{of} is left out: there is no module `{error.name}`.")
        else:
            timed += module.timed(size)
            packages += module.PACKAGES
    return Found(timed, packages, absent)
