"""Neighbouring items that stay together: comments with what is below them, runs of imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.formats.code.tree import NOWHERE, Item, Role, line_start, starts_line

LINE_ENDING = re.compile(r"\r\n?|\n")


class Group(Struct, frozen=True, gc=False):
    """An item with the comments and attributes before it, a run of imports, or one of comments.

    Attributes:
        start: the offset of its first line or, inside one, of its first character.
        end: the offset after its last character that is not white space.
        index: that of its item; -1 for runs.
        role: the item's.
    """

    start: int
    end: int
    index: int
    role: Role


def group_items(text: str, items: Sequence[Item], indexes: Iterable[int]) -> list[Group]:
    """Return the groups of neighbouring items, in order."""
    groups: list[Group] = []
    for group in _glued(text, items, indexes):
        if group.role is Role.COMMENT and not starts_line(text, group.start):
            if groups:  # else it belongs to what is opened before it
                groups[-1] = replace(groups[-1], end=group.end)
        elif groups and group.role is groups[-1].role is Role.IMPORT:
            groups[-1] = replace(groups[-1], end=group.end)
        else:
            groups.append(group)
    return groups


def _glued(text: str, items: Sequence[Item], indexes: Iterable[int]) -> Iterator[Group]:
    """Yield items with what belongs to them, and other comments."""
    start, end, is_attribute = NOWHERE, 0, False  # of comments and attributes not yet in a group
    for index in indexes:
        item = items[index]
        if start != NOWHERE and not (is_attribute or _are_adjacent(text, end, item.start)):
            yield Group(start, end, NOWHERE, Role.COMMENT)
            start = NOWHERE
        begin = line_start(text, item.start) if start == NOWHERE else start
        stop = item.end
        while text[stop - 1].isspace():
            stop -= 1
        is_above = item.role is Role.ATTRIBUTE or (
            item.role is Role.COMMENT and starts_line(text, item.start)
        )
        if is_above:
            start, end, is_attribute = begin, stop, item.role is Role.ATTRIBUTE or is_attribute
            continue
        yield Group(begin, stop, index, item.role)
        start, is_attribute = NOWHERE, False
    if start != NOWHERE:
        yield Group(start, end, NOWHERE, Role.COMMENT)


def _are_adjacent(text: str, end: int, start: int) -> bool:
    """Tell whether no blank line is between two offsets."""
    first = LINE_ENDING.search(text, end, start)
    return first is None or LINE_ENDING.search(text, first.end(), start) is None
