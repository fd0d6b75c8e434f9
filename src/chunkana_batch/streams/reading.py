"""Read the pieces of a stream, and check its headings against the declared title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TextIO

from chunkana_core import ConfigurationError
from chunkana_core.extending import Block, require_type

_READ_SIZE = 1 << 16  # characters read from a file at once
_ALLOWED = "an iterable of strings, or a file that is open for reading text"


@dataclass(slots=True)
class StreamReader:
    """Reads a given number of characters from an iterator of strings of any length.

    Attributes:
        pieces: the pieces after the current one.
        current: the piece that is being read.
        position: the number of characters of the current piece that are read.
        is_done: whether the whole text is read.
    """

    pieces: Iterator[str]
    current: str = ""
    position: int = 0
    is_done: bool = False

    @classmethod
    def of(cls, lines: Iterable[str] | TextIO) -> StreamReader:
        """Return a reader of an iterable of strings or a text file."""
        if isinstance(lines, str):
            return cls(iter([lines]))
        read = getattr(lines, "read", None)
        if callable(read):
            return cls(iter(partial(read, _READ_SIZE), ""))
        require_type("lines", lines, Iterable, _ALLOWED)
        return cls(iter(lines))

    def read(self, count: int) -> str:
        """Return the next `count` characters, or all that are left."""
        parts: list[str] = []
        while count > 0 and not self.is_done:
            piece = self.current[self.position : self.position + count]
            parts.append(piece)
            count -= len(piece)
            self.position += len(piece)
            self._advance()
        return "".join(parts)

    def _advance(self) -> None:
        """Go to the next piece that is not empty, if the current piece is read."""
        while self.position >= len(self.current) and not self.is_done:
            piece: object = next(self.pieces, None)
            self.is_done = piece is None
            if piece is not None:
                require_type("lines", piece, str, _ALLOWED)
                self.current, self.position = str(piece), 0


@dataclass(slots=True)
class TitleCheck:
    """Checks the headings of a stream against the arguments `title` and `sole_h1`.

    Attributes:
        title: the declared title of the document.
        sole_h1: whether the first H1 is declared to be the only one, if it has this title or none.
        front_title: the title in the front matter, "" if there is none.
        first_level: the level of the first heading, 0 before it.
        is_folded: whether the first heading is treated as the sole H1.
        h1_titles: the titles of the first two H1.
    """

    title: str
    sole_h1: bool
    front_title: str = ""
    first_level: int = 0
    is_folded: bool = False
    h1_titles: list[str] = field(default_factory=list)

    def add(self, headings: Sequence[Block]) -> None:
        """Add headings; raise a ConfigurationError if they contradict the declared title."""
        if headings and not self.first_level:
            first = headings[0]
            self.first_level = first.level
            has_title = first.level == 1 and first.info in {self.title, ""}
            self.is_folded = self.sole_h1 and has_title
        for heading in headings:
            if heading.level == 1:
                self.h1_titles = [*self.h1_titles[:1], heading.info]
        if len(self.h1_titles) > 1:
            _require_declared("sole_h1", self.sole_h1, "False", is_valid=not self.is_folded)
            self._require_title("")

    def end(self) -> None:
        """Raise a ConfigurationError if the complete headings contradict the declared title."""
        if len(self.h1_titles) == 1 and self.first_level == 1:
            _require_declared("sole_h1", self.sole_h1, "True", is_valid=self.is_folded)
        if len(self.h1_titles) <= 1:
            self._require_title("".join(self.h1_titles))

    def _require_title(self, heading: str) -> None:
        """Check that the declared title is that of a heading, or else of the front matter."""
        title = heading or self.front_title
        _require_declared("title", self.title, repr(title), is_valid=self.title == title)


def _require_declared(name: str, value: object, allowed: str, *, is_valid: bool) -> None:
    if not is_valid:
        raise ConfigurationError(name, value, f"{allowed}, as the headings of the document say")


def end_of_lines(text: str) -> int:
    """Return the offset after the last complete line; a final CR may be the start of a CRLF."""
    return max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
