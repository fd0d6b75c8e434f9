"""A stream as it is read: its pieces, and what its headings say of its title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TextIO

from chunkana_core.document.blocks import Block
from chunkana_core.errors import ConfigurationError, require_type

_READ = 1 << 16  # characters of a file at a time
_ALLOWED = "an iterable of strings, or a file that is open for reading text"


@dataclass(slots=True)
class Pieces:
    """A text in pieces.

    Attributes:
        pieces: those after the following one.
        following: the piece that is being read.
        position: how much of it is read.
        is_done: whether all of the text is read.
    """

    pieces: Iterator[str]
    following: str = ""
    position: int = 0
    is_done: bool = False

    @classmethod
    def of(cls, lines: Iterable[str] | TextIO) -> Pieces:
        """Start to read."""
        if isinstance(lines, str):
            return cls(iter([lines]))
        read = getattr(lines, "read", None)
        if callable(read):
            return cls(iter(partial(read, _READ), ""))
        require_type("lines", lines, Iterable, _ALLOWED)
        return cls(iter(lines))

    def read(self, count: int) -> str:
        """Return so many of the next characters, or all that are left."""
        parts: list[str] = []
        while count > 0 and not self.is_done:
            piece = self.following[self.position : self.position + count]
            parts.append(piece)
            count -= len(piece)
            self.position += len(piece)
            self._go_on()
        return "".join(parts)

    def _go_on(self) -> None:
        """Go to the next piece with something in it, if one is read."""
        while self.position >= len(self.following) and not self.is_done:
            piece: object = next(self.pieces, None)
            self.is_done = piece is None
            if piece is not None:
                require_type("lines", piece, str, _ALLOWED)
                self.following, self.position = str(piece), 0


@dataclass(slots=True)
class Titles:
    """Compares what the headings of a stream say with what was said of its title.

    Attributes:
        title: what the document is said to call itself.
        sole_h1: whether a first H1 that says it is the only one.
        front_title: what the document calls itself where that is no heading.
        levels: of the first heading; none before it.
        is_folded: whether the first heading is taken for the sole H1.
        titles: of the first two H1.
    """

    title: str
    sole_h1: bool
    front_title: str = ""
    levels: list[int] = field(default_factory=list)
    is_folded: bool = False
    titles: list[str] = field(default_factory=list)

    def add(self, headings: Sequence[Block]) -> None:
        """Look at headings, and raise an error if they contradict what was said."""
        if headings and not self.levels:
            first = headings[0]
            self.levels.append(first.level)
            says_it = first.level == 1 and first.info in {self.title, ""}
            self.is_folded = self.sole_h1 and says_it
        for heading in headings:
            if heading.level == 1:
                self.titles = [*self.titles[:1], heading.info]
        if len(self.titles) > 1:
            _require_said("sole_h1", self.sole_h1, "False", is_met=not self.is_folded)
            _require_said("title", self.title, repr(self.front_title), is_met=self.is_said(""))

    def end(self) -> None:
        """Raise an error if all headings contradict what was said."""
        if len(self.titles) == 1 and self.levels == [1]:
            _require_said("sole_h1", self.sole_h1, "True", is_met=self.is_folded)
        if len(self.titles) <= 1:
            heading = "".join(self.titles)
            _require_said(
                "title", self.title, repr(heading or self.front_title), is_met=self.is_said(heading)
            )

    def is_said(self, heading: str) -> bool:
        """Tell whether the document calls itself so, by a heading or else by what is before it."""
        return self.title == (heading or self.front_title)


def _require_said(name: str, value: object, allowed: str, *, is_met: bool) -> None:
    if not is_met:
        raise ConfigurationError(name, value, f"{allowed}, as the headings of the document say")


def end_of_lines(text: str) -> int:
    """Return the offset after the last line that is complete; a CR at the end may not be all."""
    return max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
