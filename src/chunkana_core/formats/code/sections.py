"""Blocks and sections made from the items of a text."""

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
from chunkana_core.formats.code.groups import Group, group_items
from chunkana_core.formats.code.tree import (
    MAX_DEFINITION_DEPTH,
    MISSING,
    ItemTree,
    Role,
    line_start,
)
from chunkana_core.text.source import LINE_ENDING, Source

_NON_SPACE = re.compile(r"[^\s\ufeff]")
_CODE_CHARACTER = re.compile(r"[^\s\ufeff,;]")  # not only a separator
_Task = Iterator["_Task"]  # yields the tasks to finish before it continues


class _BlockStart(Struct, frozen=True, gc=False):
    """The start of a block, which ends at the next start that is not deeper."""

    kind: BlockKind
    depth: int
    start: int
    level: int = 0
    info: str = ""
    lead: int = 0


def make_document(text: str, tree: ItemTree, traits: FormatTraits) -> Document:
    """Return the document of a text's items, in which definitions are sections."""
    collector = _BlockCollector(text, tree, traits.name)
    tasks: list[_Task] = [collector.add_text()]
    while tasks:
        inner = next(tasks[-1], None)
        if inner is None:
            tasks.pop()
        else:
            tasks.append(inner)
    blocks = _make_blocks(collector.starts, len(text))
    return Document.of_sections(Source.of(text), blocks, collector.ranges, traits)


def _make_blocks(starts: Sequence[_BlockStart], end: int) -> list[Block]:
    """Return the blocks with some starts, in linear time."""
    afters: list[int] = []
    candidates: list[int] = []  # a stack of later starts, the deepest on top
    for index in range(len(starts) - 1, -1, -1):
        while candidates and starts[candidates[-1]].depth > starts[index].depth:
            candidates.pop()
        afters.append(candidates[-1] if candidates else len(starts))
        candidates.append(index)
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
class _BlockCollector:
    """Collects the starts of blocks and the ranges of sections.

    Methods that return a `_Task` are generators that yield the inner generators to run before
    they continue, because recursion over nested definitions could exceed Python's limit.

    Attributes:
        text: the text.
        tree: the items of the text.
        language: the info string of code blocks.
        starts: the starts of the blocks so far.
        ranges: the ranges of the sections so far.
        top_count: the number of top-level blocks so far.
    """

    text: str
    tree: ItemTree
    language: str
    starts: list[_BlockStart] = field(default_factory=list)
    ranges: list[SectionRange] = field(default_factory=list)
    top_count: int = 0

    def add_text(self) -> _Task:
        """Add the blocks and sections of the whole text."""
        yield self._add_groups(self._groups(self.tree.top), 0, len(self.text), 1)
        if not self.starts and self.text.strip():
            self._add_code(0)
        if self.starts and self.text[: self.starts[0].start].strip():  # a BOM
            first = self.starts[0]
            lead = first.lead + first.start if first.lead else 0
            self.starts[0] = replace(first, start=0, lead=lead)

    def _add_groups(self, groups: Sequence[Group], start: int, end: int, level: int) -> _Task:
        """Add the blocks between two offsets: those of groups, and those between groups."""
        for group in groups:
            between = self._find_code_line(start, group.start)
            start = group.end
            if not self._has_definition(group):
                self._add_statement(group, group.start if between is None else between)
                continue
            if between is not None:
                self._add_code(between)
            if self.tree.items[group.index].role is Role.DEFINITION:
                yield self._add_definition(group, level)
            else:
                inner = self._groups(self.tree.children[group.index])
                inner_end = self.tree.items[group.index].end
                yield self._add_groups(inner, group.start, inner_end, level)
        closing_start = self._find_code_line(start, end)
        if closing_start is not None:
            if self.starts and not LINE_ENDING.search(self.text[closing_start:end].strip()):
                self._add_block(_BlockStart(BlockKind.BRACKET, 0, closing_start))
            else:
                self._add_code(closing_start)

    def _add_definition(self, group: Group, level: int) -> _Task:
        """Add the section of a definition: its signature, its content and its closing lines."""
        item, number = self.tree.items[group.index], len(self.ranges)
        section = SectionRange(item.title, level, item.kind, self.top_count, self.top_count)
        self.ranges.append(section)
        inner = self._groups(self.tree.children[group.index])
        if not inner:
            self._add_code(group.start)
        elif self.text[group.start : inner[0].start].strip():
            lead = line_start(self.text, item.signature, group.start) - group.start
            self._add_block(_BlockStart(BlockKind.HEADING, 0, group.start, level, item.title, lead))
        if inner:
            yield self._add_groups(inner, inner[0].start, item.end, level + 1)
        self.ranges[number] = replace(section, stop=self.top_count)

    def _add_statement(self, group: Group, start: int) -> None:
        """Add the block of a statement, and the blocks of inner statements as its children."""
        self._add_code(start)
        waiting = [(iter(self._inner_groups(group)), start)]
        while waiting:
            nested, start = waiting.pop()
            inner = next(nested, None)
            if inner is None:
                continue
            between = self._find_code_line(start, inner.start)
            begin = inner.start if between is None else between
            self._add_code(begin, len(waiting) + 1)
            waiting.append((nested, inner.end))
            if len(waiting) < MAX_DEFINITION_DEPTH:
                waiting.append((iter(self._inner_groups(inner)), begin))

    def _inner_groups(self, group: Group) -> list[Group]:
        """Return the groups directly in a group, descending while there is only one; else []."""
        groups = [group]
        while len(groups) == 1:
            index = groups[0].index
            groups = self._groups(self.tree.children[index]) if index != MISSING else []
        return groups

    def _has_definition(self, group: Group) -> bool:
        """Return whether a group is a definition or contains one."""
        return group.role is Role.DEFINITION or group.index in self.tree.with_definitions

    def _groups(self, indexes: Sequence[int]) -> list[Group]:
        return group_items(self.text, self.tree.items, indexes)

    def _find_code_line(self, start: int, end: int) -> int | None:
        """Return the start of the first line with code between two offsets, None if none has."""
        found = (_CODE_CHARACTER if self.starts else _NON_SPACE).search(self.text, start, end)
        return line_start(self.text, found.start(), start) if found else None

    def _add_block(self, start: _BlockStart) -> None:
        """Add the start of a block."""
        self.starts.append(start)
        self.top_count += not start.depth

    def _add_code(self, start: int, depth: int = 0) -> None:
        """Add the start of a block of code."""
        self._add_block(_BlockStart(BlockKind.CODE, depth, start, info=self.language))
