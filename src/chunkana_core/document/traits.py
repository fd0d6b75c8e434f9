"""The traits of a format: the properties that the stages after parsing depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

from chunkana_core.document.blocks import Block

ParseMarkup: TypeAlias = Callable[[str], Sequence[Block]]


class MergeRule(Enum):
    """Names the neighbouring drafts of one section that are merged if they fit together."""

    SMALL = auto()  # two drafts if one is under the minimum
    SECTIONS = auto()  # as SMALL, and all drafts of a section that fits
    CELLS = auto()  # any under a heading; first all drafts of a definition or cell that fits
    FITTING = auto()  # any two drafts


@dataclass(frozen=True, slots=True)
class FormatTraits:
    """The properties of a format that the pipeline depends on.

    Attributes:
        name: the name of the format.
        merging: which neighbouring drafts are merged.
        has_headings: whether sections without a kind are under headings, as in Markdown: the only
            H1 is the document's title, text before the first heading is a preamble, the context
            includes first sentences of sections, and `merge_boundary_level` applies.
        parse_markup: returns the blocks of a content, None for formats without markup. Contents in
            markup close the fences that they open, and are not cut
            where the rest of a paragraph would be parsed as another block.
    """

    name: str
    merging: MergeRule = MergeRule.SECTIONS
    has_headings: bool = False
    parse_markup: ParseMarkup | None = field(default=None, repr=False, compare=False)

    @property
    def is_markup(self) -> bool:
        """Whether contents are written in markup."""
        return self.parse_markup is not None
