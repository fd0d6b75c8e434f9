"""Groups of neighbouring items: comments with the item below them, and runs of imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from chunkana_core.formats.code.tree import MISSING, Item, Role, line_start, starts_line
from chunkana_core.text.source import LINE_ENDING

_MAX_TITLE_LENGTH = 200  # characters


class Group(Struct, frozen=True, gc=False):
    """An item with the comments and attributes above it, a run of imports, or a run of comments.

    Attributes:
        start: the offset of the first line or, if other code precedes it there, of the first
            character.
        end: the offset after the last character that is not white space.
        index: the index of the item, or of a run's first import; -1 for a run of comments.
        role: the role of the item, or of the items of a run.
    """

    start: int
    end: int
    index: int
    role: Role


def group_items(text: str, items: Sequence[Item], indexes: Iterable[int]) -> list[Group]:
    """Return the groups of neighbouring items, in order."""
    groups: list[Group] = []
    for group in _attach_titles(text, _attach_comments(text, items, indexes)):
        if group.role is Role.COMMENT and (
            not starts_line(text, group.start)
            or (groups and _are_adjacent(text, groups[-1].end, group.start))
        ):
            if groups:  # without one, the comment belongs to the opening of its container
                groups[-1] = replace(groups[-1], end=group.end)
        elif groups and group.role is groups[-1].role is Role.IMPORT:
            groups[-1] = replace(groups[-1], end=group.end)
        else:
            groups.append(group)
    return groups


def _attach_comments(text: str, items: Sequence[Item], indexes: Iterable[int]) -> Iterator[Group]:
    """Yield items with the comments and attributes directly above them, and runs of comments.

    A run of comments ends at a blank line, but not if it contains an attribute.
    """
    above: Group | None = None  # the comments and attributes above the next item
    for index in indexes:
        item = items[index]
        if above and above.role is Role.COMMENT and not _are_adjacent(text, above.end, item.start):
            yield above
            above = None
        start = above.start if above else line_start(text, item.start)
        group = Group(start, _trimmed_end(text, item), index, item.role)
        if _is_above_an_item(text, item):
            is_bound = Role.ATTRIBUTE in (item.role, above and above.role)
            role = Role.ATTRIBUTE if is_bound else Role.COMMENT
            above = replace(group, index=MISSING, role=role)
        else:
            yield group
            above = None
    if above:
        yield replace(above, role=Role.COMMENT)


def _is_above_an_item(text: str, item: Item) -> bool:
    """Return whether an item is an attribute, or a comment on lines of its own."""
    is_comment = item.role is Role.COMMENT and starts_line(text, item.start)
    return is_comment or item.role is Role.ATTRIBUTE


def _trimmed_end(text: str, item: Item) -> int:
    """Return the offset after the last character of an item that is not white space."""
    return item.start + len(text[item.start : item.end].rstrip())


def _attach_titles(text: str, groups: Iterable[Group]) -> Iterator[Group]:
    """Yield groups; a run of comments that is a title is joined with the definition below it."""
    previous_end, comment = MISSING, None
    for group in groups:
        start, is_definition = group.start, group.role is Role.DEFINITION
        if comment and is_definition and _is_title_comment(text, previous_end, comment):
            start = comment.start
        elif comment:
            yield comment
            previous_end = comment.end
        comment = group if group.index == MISSING else None
        if not comment:
            yield replace(group, start=start)
            previous_end = group.end
    if comment:
        yield comment


def _is_title_comment(text: str, previous_end: int, comment: Group) -> bool:
    """Return whether a comment with a blank line below it is a title of the next item.

    A title is short and has a blank line above it. The first comment of a file or a container is no
    title, because it describes that file or container.
    """
    if previous_end == MISSING or comment.end - comment.start > _MAX_TITLE_LENGTH:
        return False
    return not _are_adjacent(text, previous_end, comment.start)


def _are_adjacent(text: str, end: int, start: int) -> bool:
    """Return whether no blank line is between two offsets."""
    first = LINE_ENDING.search(text, end, start)
    return first is None or LINE_ENDING.search(text, first.end(), start) is None
