"""Compact registers of the ids and anchors of a whole stream."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from hashlib import blake2b

_INITIAL_CELLS = 1 << 10
_DIGEST_SIZE = 7  # bytes: among a billion anchors, about seven pairs have the same digest


@dataclass(slots=True)
class NumberSet:
    """A set of numbers of at most 63 bits, with 12 to 24 bytes for each number.

    The set is a hash table with linear probing, at most two thirds full. An empty cell contains 0;
    any other cell contains its number plus 1.
    """

    _cells: array[int] = field(default_factory=lambda: array("Q", bytes(8 * _INITIAL_CELLS)))
    _count: int = 0

    def __contains__(self, number: int) -> bool:
        """Return whether a number is in the set."""
        return bool(self._cells[self._place(number)])

    def __len__(self) -> int:
        """Return the number of elements."""
        return self._count

    def add(self, number: int) -> None:
        """Add a number."""
        place = self._place(number)
        self._count += not self._cells[place]
        self._cells[place] = number + 1
        if 3 * self._count > 2 * len(self._cells):
            old, self._cells = self._cells, array("Q", bytes(16 * len(self._cells)))
            for value in filter(None, old):
                self._cells[self._place(value - 1)] = value

    def _place(self, number: int) -> int:
        """Return the cell index of a number, or of the empty cell where it would be inserted."""
        cells, last = self._cells, len(self._cells) - 1  # a mask: the length is a power of two
        place = number & last
        while cells[place] and cells[place] != number + 1:
            place = (place + 1) & last
        return place


@dataclass(frozen=True, slots=True)
class IdSet:
    """A set of chunk and section ids, which are hexadecimal numbers."""

    _numbers: NumberSet = field(default_factory=NumberSet)

    def __contains__(self, chunk_id: object) -> bool:
        """Return whether an id is in the set."""
        return int(str(chunk_id), 16) in self._numbers

    def __len__(self) -> int:
        """Return the number of ids."""
        return len(self._numbers)

    def add(self, chunk_id: str) -> None:
        """Add an id."""
        self._numbers.add(int(chunk_id, 16))


@dataclass(frozen=True, slots=True)
class AnchorRegister:
    """The anchors in use and how often each was repeated, as a mapping that stores digests.

    Only counts that are not 0 are stored with their anchor.
    """

    _digests: NumberSet = field(default_factory=NumberSet)
    _explicit: NumberSet = field(default_factory=NumberSet)  # digests of anchors in the source
    _counts: dict[str, int] = field(default_factory=dict)

    def __contains__(self, anchor: object) -> bool:
        """Return whether an anchor is in use."""
        return _digest(str(anchor)) in self._digests

    def __getitem__(self, anchor: str) -> int:
        """Return how often an anchor was repeated."""
        return self._counts.get(anchor, 0)

    def __setitem__(self, anchor: str, count: int) -> None:
        """Add an anchor, with how often it was repeated."""
        self._digests.add(_digest(anchor))
        if count:
            self._counts[anchor] = count

    def reserve(self, anchor: str) -> bool:
        """Add an explicit anchor; return whether it is already the slug of an earlier heading."""
        digest = _digest(anchor)
        is_slug = digest in self._digests and digest not in self._explicit
        self._digests.add(digest)
        self._explicit.add(digest)
        return is_slug


def _digest(anchor: str) -> int:
    encoded = anchor.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded, digest_size=_DIGEST_SIZE).digest())
