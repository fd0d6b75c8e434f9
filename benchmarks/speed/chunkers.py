"""What is compared: all that is installed, and what is not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from benchmarks.chunkers import core
from benchmarks.chunkers.timed import Timed

_MODULES = {  # of `benchmarks.chunkers`, in the order of the table, and what they are of
    "core": "Chunkana",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "semantic_text_splitter": "semantic-text-splitter",
    "chonkie": "chonkie",
    "chunkana_0_1": "chunkana 0.1.6, which needs Python 3.12 or later,",
}


@dataclass(frozen=True, slots=True)
class Found:
    """What is installed.

    Attributes:
        timed: what is compared, the bare parse first.
        packages: the packages that it is of.
        absent: a sentence for what is not there.
    """

    timed: Sequence[Timed]
    packages: Sequence[str]
    absent: Sequence[str]


def find(size: int, modules: Mapping[str, str] = _MODULES) -> Found:
    """Make chunkers of chunks of a size, in characters, of all that is installed."""
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
