"""Passages to be found, each with the range of its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.retrieval.questions import Text
from chunkana_core import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """What a chunker makes.

    Attributes:
        text: what it took from the source.
        indexed: what search is to find it by: the text, with what the chunker puts before it.
        read: what its framework hands over to a reader, the text in it.
        start: the offset of the text, as the chunker says; None if it says none.
    """

    text: str
    indexed: str
    read: str
    start: int | None = None


Chunker = Callable[[Text, int], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece at its place.

    Attributes:
        document: the number of its document.
        span: the range of its source.
        indexed: what it is found by.
        before: how many characters are handed over before its text.
        size: how many are handed over in all.
    """

    document: int
    span: Span
    indexed: str
    before: int
    size: int


@dataclass(frozen=True, slots=True)
class Passages:
    """The passages of all documents.

    Attributes:
        found: those whose source was found.
        lost: how many were not.
    """

    found: tuple[Passage, ...]
    lost: int

    @property
    def share_lost(self) -> float:
        """The share of pieces whose source was not found."""
        return self.lost / max(1, self.lost + len(self.found))


@dataclass(slots=True)
class Locator:
    """Finds pieces in their document, one after another.

    White space and what is not printable are passed over: some splitters write them anew.

    Attributes:
        source: the document's text.
    """

    source: str
    _offsets: list[int] = field(init=False)
    _squeezed: str = field(init=False)
    _after: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Note where each character that counts is."""
        self._offsets = [i for i, character in enumerate(self.source) if _counts(character)]
        self._squeezed = "".join(self.source[i] for i in self._offsets)

    def find(self, piece: Piece) -> Span | None:
        """Return where a piece is: where it says, else the next such place, else the first."""
        if piece.start is not None:
            span = Span(piece.start, piece.start + len(piece.text))
            if self.source[span.start : span.end] == piece.text:
                return span
        wanted = "".join(filter(_counts, piece.text))
        start = self._squeezed.find(wanted, self._after) if wanted else -1
        start = self._squeezed.find(wanted) if wanted and start < 0 else start
        if start < 0:
            return None
        self._after = start + len(wanted)
        return Span(self._offsets[start], self._offsets[self._after - 1] + 1)


def _counts(character: str) -> bool:
    return character.isprintable() and not character.isspace()


def passages(chunker: Chunker, texts: Sequence[Text], size: int) -> Passages:
    """Split documents, and find where each piece comes from."""
    found: list[Passage] = []
    lost = 0
    for number, text in enumerate(texts):
        locator = Locator(text.text)
        for piece in chunker(text, size):
            span = locator.find(piece)
            if span is None:
                lost += 1
            else:
                before = max(0, piece.read.find(piece.text))
                found.append(Passage(number, span, piece.indexed, before, len(piece.read)))
    return Passages(tuple(found), lost)
