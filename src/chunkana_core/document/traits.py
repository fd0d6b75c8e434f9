"""What is particular to a format: what the stages after parsing ask of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Merging(Enum):
    """Which neighbours under one section are merged where they fit together."""

    SMALL = auto()  # two of which one is under the minimum
    SECTIONS = auto()  # those, and all of a section that fits
    CELLS = auto()  # under a heading any, and first all of a definition or of a cell that fits
    FITTING = auto()  # any


@dataclass(frozen=True, slots=True)
class FormatTraits:
    """What the pipeline needs to know of a format.

    Attributes:
        name: what the format is called.
        merging: which neighbours are merged.
        has_headings: whether sections of no kind are under headings, as in Markdown: a sole top one
            is the document's title, what stands before the first is a preamble, and
            `merge_boundary_level` counts.
        is_markup: whether contents are parsed where they are shown: then they must close the fences
            that they open, and a cut must not make another block of the rest of a paragraph.
        has_introductions: whether first sentences introduce chunks.
    """

    name: str
    merging: Merging = Merging.SECTIONS
    has_headings: bool = False
    is_markup: bool = False
    has_introductions: bool = False
