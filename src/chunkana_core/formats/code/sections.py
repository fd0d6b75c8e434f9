"""Blocks and sections of the items of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.document.blocks import Block, BlockKind
from chunkana_core.document.document import Document
from chunkana_core.document.outline import SectionRange
from chunkana_core.document.traits import FormatTraits
from chunkana_core.formats.code.groups import LINE_ENDING, Group, group_items
from chunkana_core.formats.code.tree import MOST_DEFINITIONS, NOWHERE, ItemTree, Role, line_start
from chunkana_core.text.source import Source

_FIRST_WORD = re.compile(r"[^\s\ufeff]")
_WORD = re.compile(r"[^\s\ufeff,;]")  # what is more than a separator
_Writing = Iterator["_Writing"]


class _Start(Struct, frozen=True, gc=False):
    """Where a block starts; it ends where the next one does that is not in it."""

    kind: BlockKind
    depth: int
    start: int
    level: int = 0
    info: str = ""
    lead: int = 0


def make_document(text: str, tree: ItemTree, traits: FormatTraits) -> Document:
    """Return the document of the items of a text: definitions are sections."""
    writer = _Writer(text, tree, traits.name)
    waiting: list[_Writing] = [writer.everything()]
    while waiting:
        inner = next(waiting[-1], None)
        if inner is None:
            waiting.pop()
        else:
            waiting.append(inner)
    blocks = _blocks(writer.starts, len(text))
    return Document.of_sections(Source.of(text), blocks, writer.ranges, traits)


def _blocks(starts: Sequence[_Start], end: int) -> list[Block]:
    """Return the blocks of starts, in linear time."""
    afters: list[int] = []
    open_starts: list[int] = []  # later starts, of which each is less deep than those before
    for index in range(len(starts) - 1, -1, -1):
        while open_starts and starts[open_starts[-1]].depth > starts[index].depth:
            open_starts.pop()
        afters.append(open_starts[-1] if open_starts else len(starts))
        open_starts.append(index)
    return [
        Block(
            s.kind,
            s.depth,
            s.start,
            starts[after].start if after < len(starts) else end,
            index,
            after,
            level=s.level,
            info=s.info,
            lead=s.lead,
        )
        for index, (s, after) in enumerate(zip(starts, reversed(afters), strict=True))
    ]


@dataclass(slots=True)
class _Writer:
    """Writes down where blocks and sections start.

    Its methods yield what is to be written before they go on, since definitions nest deeply.
    """

    text: str
    tree: ItemTree
    language: str
    starts: list[_Start] = field(default_factory=list)
    ranges: list[SectionRange] = field(default_factory=list)
    position: int = 0  # of the next of the document's own blocks

    def everything(self) -> _Writing:
        """Write the whole text."""
        yield self._held(self._groups(self.tree.top), 0, len(self.text), 1)
        if not self.starts and self.text.strip():
            self._add_code(0)
        if self.starts and self.text[: self.starts[0].start].strip():  # a BOM
            first = self.starts[0]
            lead = first.lead + first.start if first.lead else 0
            self.starts[0] = replace(first, start=0, lead=lead)

    def _held(self, groups: Sequence[Group], start: int, end: int, level: int) -> _Writing:
        """Write groups, and what is between two offsets before, between and after them."""
        for group in groups:
            between = self._word(start, group.start)
            start = group.end
            if not self._is_opened(group):
                self._statement(group, group.start if between is None else between)
                continue
            if between is not None:
                self._add_code(between)
            if self.tree.items[group.index].role is Role.DEFINITION:
                yield self._definition(group, level)
            else:
                inner = self._groups(self.tree.children[group.index])
                yield self._held(inner, group.start, self.tree.items[group.index].end, level)
        closing = self._word(start, end)
        if closing is not None:
            if self.starts and not LINE_ENDING.search(self.text[closing:end].strip()):
                self._add(_Start(BlockKind.BRACKET, 0, closing))
            else:
                self._add_code(closing)

    def _definition(self, group: Group, level: int) -> _Writing:
        """Write a definition, which is a section: its signature, what it holds, what closes it."""
        item, number = self.tree.items[group.index], len(self.ranges)
        section = SectionRange(item.title, level, item.kind, self.position, self.position)
        self.ranges.append(section)
        inner = self._groups(self.tree.children[group.index])
        if not inner:
            self._add_code(group.start)
        elif self.text[group.start : inner[0].start].strip():
            lead = line_start(self.text, item.signature, group.start) - group.start
            self._add(_Start(BlockKind.HEADING, 0, group.start, level, item.title, lead))
        if inner:
            yield self._held(inner, inner[0].start, item.end, level + 1)
        self.ranges[number] = replace(section, stop=self.position)

    def _statement(self, group: Group, start: int) -> None:
        """Write a statement and, as its children, those in it."""
        self._add_code(start)
        waiting = [(iter(self._nested(group)), start)]
        while waiting:
            nested, start = waiting.pop()
            inner = next(nested, None)
            if inner is None:
                continue
            between = self._word(start, inner.start)
            begin = inner.start if between is None else between
            self._add_code(begin, len(waiting) + 1)
            waiting.append((nested, inner.end))
            if len(waiting) < MOST_DEFINITIONS:
                waiting.append((iter(self._nested(inner)), begin))

    def _nested(self, group: Group) -> list[Group]:
        """Return the groups in a group, none if there are not several."""
        groups = [group]
        while len(groups) == 1:
            index = groups[0].index
            groups = self._groups(self.tree.children[index]) if index != NOWHERE else []
        return groups

    def _is_opened(self, group: Group) -> bool:
        """Tell whether a group is a definition, or holds some."""
        return group.role is Role.DEFINITION or group.index in self.tree.opened

    def _groups(self, indexes: Sequence[int]) -> list[Group]:
        return group_items(self.text, self.tree.items, indexes)

    def _word(self, start: int, end: int) -> int | None:
        """Return where the first line that says something starts between two offsets."""
        found = (_WORD if self.starts else _FIRST_WORD).search(self.text, start, end)
        return line_start(self.text, found.start(), start) if found else None

    def _add(self, start: _Start) -> None:
        """Add a block."""
        self.starts.append(start)
        self.position += not start.depth

    def _add_code(self, start: int, depth: int = 0) -> None:
        """Add a statement."""
        self._add(_Start(BlockKind.CODE, depth, start, info=self.language))
