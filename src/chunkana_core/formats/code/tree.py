"""The tree of items of a text: statements, definitions, imports, comments and attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto

from msgspec import Struct

from chunkana_core.text.source import BOM

MAX_DEFINITION_DEPTH = 64  # levels; deeper definitions are statements
MAX_ITEM_DEPTH = 2 * MAX_DEFINITION_DEPTH  # levels; deeper nodes are not searched for items
MISSING = -1  # in place of an offset or an index
_INDENT_WINDOW = 32  # code points; longer indentation is read character by character


class Role(IntEnum):
    """The role of an item."""

    STATEMENT = auto()
    DEFINITION = auto()
    IMPORT = auto()
    COMMENT = auto()
    ATTRIBUTE = auto()


class Item(Struct, frozen=True, gc=False):
    """A statement, definition, import, comment, or attribute of the next item.

    Attributes:
        role: statement, definition, import, comment or attribute.
        start: the offset of the first character.
        end: the offset after the last character.
        signature: for a definition, the offset where it starts without its attributes.
        kind: for a definition, its kind, such as "class".
        title: for a definition, its name.
    """

    role: Role
    start: int
    end: int
    signature: int = MISSING
    kind: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ItemTree:
    """The items of a text in pre-order; `add` appends them.

    Attributes:
        items: all items.
        top: the indexes of the items that are in no other item.
        children: for each item, the indexes of the items directly in it.
        with_definitions: the indexes of items that contain definitions without being definitions.
        unparsed_lengths: the lengths of ranges that the grammar could not parse, and as
            negative numbers the lengths of the parsed ranges inside them.
    """

    items: list[Item] = field(default_factory=list)
    top: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    with_definitions: set[int] = field(default_factory=set)
    unparsed_lengths: list[int] = field(default_factory=list)
    _open_items: list[int] = field(default_factory=list)  # indexes, outermost first
    _open_definitions: list[int] = field(default_factory=list)  # those of them that are definitions

    @property
    def depth(self) -> int:
        """The number of open items."""
        return len(self._open_items)

    def close_items(self, offset: int) -> None:
        """Close the open items that end at an offset or before it."""
        while self._open_items and self.items[self._open_items[-1]].end <= offset:
            closed = self._open_items.pop()
            if self._open_definitions and self._open_definitions[-1] == closed:
                self._open_definitions.pop()

    @property
    def enclosing_definition(self) -> Item | None:
        """The innermost open definition, None if there is none."""
        return self.items[self._open_definitions[-1]] if self._open_definitions else None

    @property
    def allows_definition(self) -> bool:
        """Whether the next item may be a definition, which is limited by depth."""
        return len(self._open_definitions) < MAX_DEFINITION_DEPTH

    def add(self, item: Item) -> None:
        """Append an item as the last child of the innermost open item, and open it."""
        index = len(self.items)
        self.items.append(item)
        self.children.append([])
        (self.children[self._open_items[-1]] if self._open_items else self.top).append(index)
        if item.role is Role.DEFINITION:
            for outer in reversed(self._open_items):
                if outer in self.with_definitions or self.items[outer].role is Role.DEFINITION:
                    break
                self.with_definitions.add(outer)
            self._open_definitions.append(index)
        self._open_items.append(index)


def line_start(text: str, offset: int, floor: int = 0) -> int:
    """Return the start of an offset's line if only white space is between, else the offset.

    A BOM at the start of the text counts as white space. The search stops at `floor`.
    """
    ending = text.rfind("\n", max(floor, offset - _INDENT_WINDOW), offset)
    if ending >= 0 and (ending + 1 == offset or text[ending + 1 : offset].isspace()):
        return ending + 1
    begin = offset
    while begin > floor and text[begin - 1].isspace() and text[begin - 1] not in "\r\n":
        begin -= 1
    if text.startswith(BOM) and begin == 1:
        return 0
    return begin if begin == 0 or text[begin - 1] in "\r\n" else offset


def starts_line(text: str, offset: int) -> bool:
    """Return whether only white space precedes an offset on its line."""
    begin = line_start(text, offset)
    return begin == 0 or text[begin - 1] in "\r\n"
