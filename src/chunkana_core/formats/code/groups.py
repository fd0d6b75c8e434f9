"""Neighbouring items that stay together: comments with what is below them, runs of imports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.formats.code.tree import NOWHERE, Item, Role, line_start, starts_line

_LONGEST_TITLE = 200  # characters
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
        if group.role is Role.COMMENT and (
            not starts_line(text, group.start)
            or (groups and _are_adjacent(text, groups[-1].end, group.start))
        ):
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
    announcing, last = None, NOWHERE  # comments with a blank line below; the end of the last item
    for index in indexes:
        item = items[index]
        if start != NOWHERE and not (is_attribute or _are_adjacent(text, end, item.start)):
            if announcing is not None:
                yield announcing
                last = announcing.end
            announcing, start = Group(start, end, NOWHERE, Role.COMMENT), NOWHERE
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
        if announcing is not None:
            if item.role is Role.DEFINITION and _announces(text, last, announcing):
                begin = announcing.start
            else:
                yield announcing
            announcing = None
        yield Group(begin, stop, index, item.role)
        start, is_attribute, last = NOWHERE, False, stop
    if announcing is not None:
        yield announcing
    if start != NOWHERE:
        yield Group(start, end, NOWHERE, Role.COMMENT)


def _announces(text: str, last: int, comment: Group) -> bool:
    """Tell whether a comment with blank lines around it is a title of what follows.

    What stands before everything else is about the file, or about what it is in.
    """
    is_short = comment.end - comment.start <= _LONGEST_TITLE
    return is_short and last != NOWHERE and not _are_adjacent(text, last, comment.start)


def _are_adjacent(text: str, end: int, start: int) -> bool:
    """Tell whether no blank line is between two offsets."""
    first = LINE_ENDING.search(text, end, start)
    return first is None or LINE_ENDING.search(text, first.end(), start) is None
