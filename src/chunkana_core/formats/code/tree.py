"""Items: the statements, definitions and comments of a text, which nest."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, auto

from msgspec import Struct

from chunkana_core.text.source import BOM

MOST_DEFINITIONS = 64  # in each other; what is deeper is statements, as many levels again
MOST_ITEMS = 2 * MOST_DEFINITIONS
NOWHERE = -1
_INDENTATION = 32  # more characters are looked at one by one


class Role(IntEnum):
    """What an item is."""

    STATEMENT = auto()
    DEFINITION = auto()
    IMPORT = auto()
    COMMENT = auto()
    ATTRIBUTE = auto()


class Item(Struct, frozen=True, gc=False):
    """A statement, definition, import, comment, or attribute of the next item.

    Attributes:
        role: which of these.
        start: the offset of its first character.
        end: the offset after its last one.
        signature: where a definition starts without its attributes.
        kind: what a definition defines, such as "class".
        title: the name of a definition.
    """

    role: Role
    start: int
    end: int
    signature: int = NOWHERE
    kind: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class ItemTree:
    """The items of a text, to which they are added in order, each before those in it.

    Attributes:
        items: all of them.
        top: the indexes of those in no other one.
        children: for each, the indexes of those directly in it.
        opened: the indexes of items, none definitions themselves, with definitions in them.
        unparsed: the lengths of what the grammar could not parse.
    """

    items: list[Item] = field(default_factory=list)
    top: list[int] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    opened: set[int] = field(default_factory=set)
    unparsed: list[int] = field(default_factory=list)
    _around: list[int] = field(default_factory=list)  # the indexes of items around the last one
    _definitions: list[int] = field(default_factory=list)  # of these, those that define

    @property
    def depth(self) -> int:
        """The number of items around the next one, at most."""
        return len(self._around)

    def leave(self, start: int) -> None:
        """Leave the items that end before an offset."""
        while self._around and self.items[self._around[-1]].end <= start:
            left = self._around.pop()
            if self._definitions and self._definitions[-1] == left:
                self._definitions.pop()

    @property
    def outer_definition(self) -> Item | None:
        """The innermost definition around the next item."""
        return self.items[self._definitions[-1]] if self._definitions else None

    @property
    def may_define(self) -> bool:
        """Whether the next item may be a definition."""
        return len(self._definitions) < MOST_DEFINITIONS

    def add(self, item: Item) -> None:
        """Add an item, which is in those that are not left."""
        index = len(self.items)
        self.items.append(item)
        self.children.append([])
        (self.children[self._around[-1]] if self._around else self.top).append(index)
        if item.role is Role.DEFINITION:
            for outer in reversed(self._around):
                if outer in self.opened or self.items[outer].role is Role.DEFINITION:
                    break
                self.opened.add(outer)
            self._definitions.append(index)
        self._around.append(index)


def line_start(text: str, offset: int, floor: int = 0) -> int:
    """Return the start of an offset's line if but white space is between, else the offset.

    The start of the text is one also after a BOM. Nothing before the floor is looked at.
    """
    ending = text.rfind("\n", max(floor, offset - _INDENTATION), offset)
    if ending >= 0 and (ending + 1 == offset or text[ending + 1 : offset].isspace()):
        return ending + 1
    begin = offset
    while begin > floor and text[begin - 1].isspace() and text[begin - 1] not in "\r\n":
        begin -= 1
    if text.startswith(BOM) and begin == 1:
        return 0
    return begin if begin == 0 or text[begin - 1] in "\r\n" else offset


def starts_line(text: str, offset: int) -> bool:
    """Tell whether nothing but white space is before an offset on its line."""
    begin = line_start(text, offset)
    return begin == 0 or text[begin - 1] in "\r\n"
