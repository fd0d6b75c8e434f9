"""What a stream remembers of all that is behind it, in few bytes each: ids, anchors, labels."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import blake2b

from chunkana_core.formats.markdown.titles import Definitions
from chunkana_core.tree.ids import IdRegister

_FEWEST_CELLS = 1 << 10
_DIGEST_SIZE = 7  # bytes of an anchor's digest: of a billion anchors, hardly any two have the same


@dataclass(slots=True)
class NumberSet:
    """A set of numbers of at most 63 bits, which takes 12 to 24 bytes for each.

    It is a hash table with linear probing, half full on average; an empty cell is 0.
    """

    _cells: array[int] = field(default_factory=lambda: array("Q", bytes(8 * _FEWEST_CELLS)))
    _count: int = 0

    def __contains__(self, number: int) -> bool:
        """Tell whether a number is in it."""
        return bool(self._cells[self._place(number)])

    def __len__(self) -> int:
        """Return how many numbers are in it."""
        return self._count

    def add(self, number: int) -> None:
        """Put a number into it."""
        place = self._place(number)
        self._count += not self._cells[place]
        self._cells[place] = number + 1
        if 3 * self._count > 2 * len(self._cells):
            old, self._cells = self._cells, array("Q", bytes(16 * len(self._cells)))
            for value in filter(None, old):
                self._cells[self._place(value - 1)] = value

    def _place(self, number: int) -> int:
        """Return the place of a number, or the empty one where it would be."""
        cells, last = self._cells, len(self._cells) - 1  # a power of two, less one
        place = number & last
        while cells[place] and cells[place] != number + 1:
            place = (place + 1) & last
        return place


@dataclass(frozen=True, slots=True)
class IdSet:
    """A set of ids, which are hexadecimal numbers."""

    _numbers: NumberSet = field(default_factory=NumberSet)

    def __contains__(self, chunk_id: object) -> bool:
        """Tell whether an id is in it."""
        return int(str(chunk_id), 16) in self._numbers

    def __len__(self) -> int:
        """Return how many ids are in it."""
        return len(self._numbers)

    def add(self, chunk_id: str) -> None:
        """Put an id into it."""
        self._numbers.add(int(chunk_id, 16))


@dataclass(frozen=True, slots=True)
class AnchorRegister:
    """How often anchors were asked for again: digests of all, and the counts that are not 0."""

    _digests: NumberSet = field(default_factory=NumberSet)
    _own: NumberSet = field(default_factory=NumberSet)  # of those that the source gives
    _counts: dict[str, int] = field(default_factory=dict)

    def __contains__(self, anchor: object) -> bool:
        """Tell whether an anchor was given out."""
        return _digest(str(anchor)) in self._digests

    def __getitem__(self, anchor: str) -> int:
        """Return how often it was asked for again."""
        return self._counts.get(anchor, 0)

    def __setitem__(self, anchor: str, count: int) -> None:
        """Remember how often it was asked for again."""
        self._digests.add(_digest(anchor))
        if count:
            self._counts[anchor] = count

    def reserve(self, anchor: str) -> bool:
        """Add an anchor that the source gives; tell whether an earlier heading has it as a slug."""
        digest = _digest(anchor)
        is_slug = digest in self._digests and digest not in self._own
        self._digests.add(digest)
        self._own.add(digest)
        return is_slug


def _digest(anchor: str) -> int:
    encoded = anchor.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=_DIGEST_SIZE).digest())


@dataclass(frozen=True, slots=True)
class Registers:
    """What a stream remembers, and adds to.

    Attributes:
        ids: of sections and chunks.
        anchors: of headings.
        definitions: to which titles may refer.
    """

    ids: IdRegister = field(default_factory=lambda: IdRegister(IdSet()))
    anchors: AnchorRegister = field(default_factory=AnchorRegister)
    definitions: Definitions = field(default_factory=Definitions)
