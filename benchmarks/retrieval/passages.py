"""Split documents into passages and locate each in its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.retrieval.questions import Text
from chunkana_core import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk made by any chunker.

    Attributes:
        text: the text from the source.
        indexed: the text to index, with the context that the chunker adds.
        read: the text that the framework gives to a reader; contains `text`.
        start: the offset in the chunk's metadata, None if there is none.
    """

    text: str
    indexed: str
    read: str
    start: int | None = None


Chunker = Callable[[Text, int], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece with its location.

    Attributes:
        document: the index of its document.
        span: the span of its source.
        indexed: the text to index.
        before: the number of characters before its text in the text for the reader.
        size: the number of characters of the text for the reader.
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
        found: the passages that were located.
        lost: the number of pieces that were not located.
    """

    found: tuple[Passage, ...]
    lost: int

    @property
    def share_lost(self) -> float:
        """The share of pieces that were not located."""
        return self.lost / max(1, self.lost + len(self.found))


@dataclass(slots=True)
class Locator:
    """Locates the pieces of a document, one after another.

    White space and unprintable characters are ignored, because some splitters change them.

    Attributes:
        source: the text of the document.
    """

    source: str
    _offsets: list[int] = field(init=False)
    _squeezed: str = field(init=False)
    _after: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Store the offset of each character that is not ignored."""
        self._offsets = [i for i, character in enumerate(self.source) if _counts(character)]
        self._squeezed = "".join(self.source[i] for i in self._offsets)

    def find(self, piece: Piece) -> Span | None:
        """Return the span of a piece: at its offset, else the next occurrence, else the first."""
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
    """Split documents and locate each piece."""
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
