"""What is particular to a format: what the stages after parsing ask of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from chunkana_core.document.blocks import Block

ParseMarkup: TypeAlias = Callable[[str], Sequence[Block]]


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
        has_introductions: whether first sentences introduce chunks.
        parse_markup: returns the blocks of a content that is parsed where it is shown, None for
            formats without markup. Contents must close the fences that they open, and a cut must
            not make another block of the rest of a paragraph.
    """

    name: str
    merging: Merging = Merging.SECTIONS
    has_headings: bool = False
    has_introductions: bool = False
    parse_markup: ParseMarkup | None = field(default=None, repr=False, compare=False)

    @property
    def is_markup(self) -> bool:
        """Whether contents are parsed where they are shown."""
        return self.parse_markup is not None
