"""How large a text may be: one limit and one measure for every stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunkana_core.config import ChunkConfig, LengthFunction

_SUGGESTED_TRIES = 4


@dataclass(frozen=True, slots=True)
class Sizer:
    """Measures texts against the limit.

    Attributes:
        length: the measure; need not be additive.
        max_size: the limit, in its units.
        overhead: the size of the empty text: what a tokenizer adds to every text.
        is_exact: whether sizes are code points, so that they add up and need no measuring.
    """

    length: LengthFunction
    max_size: int
    overhead: int = field(init=False, compare=False)
    is_exact: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the empty text."""
        object.__setattr__(self, "overhead", self.length(""))
        object.__setattr__(self, "is_exact", self.length is len)

    @classmethod
    def of(cls, config: ChunkConfig) -> Sizer:
        """Return the sizer of a configuration."""
        measure = len if config.length_function is len else config.size_of
        return cls(measure, config.max_chunk_size)

    def longest(
        self, text: str, start: int, end: int, limit: int, rate: float | None = None
    ) -> int:
        """Return an offset up to which text from start is within a limit: as large as it may be.

        Where sizes are not exact, it is one of nearly the largest, and a code point is the least.

        Args:
            text: what is measured in part.
            start: the offset where the part starts.
            end: the largest offset to return.
            limit: in units of the measure.
            rate: about how many units a code point has; by default one.
        """
        if self.is_exact:
            return min(end, start + max(1, limit))
        count = self._search(end - start, limit, rate, lambda n: text[start : start + n])
        return start + max(1, count)

    def longest_end(self, text: str, start: int, end: int, limit: int) -> int:
        """Return an offset from which text up to end is within a limit: as small as it may be."""
        if self.is_exact:
            return max(start, end - limit)
        return end - self._search(end - start, limit, None, lambda n: text[end - n : end])

    def _search(
        self, count: int, limit: int, rate: float | None, part: Callable[[int], str]
    ) -> int:
        """Return how many of some code points are within a limit, but for an eighth of it.

        Each try is what the one before suggests, so that few are measured, and none that is much
        larger than the limit; from the fifth on the rest is halved.
        """
        fitting, too_many = 0, count + 1
        tried = min(count, max(1, int(limit / (rate or 1))))
        tries = 0
        while True:
            size = self.length(part(tried))
            if size > limit:
                too_many = tried
            else:
                fitting = tried
                if size >= limit - limit // 8:
                    break
            if too_many - fitting <= 1:
                break
            suggested = min(2 * tried, int(tried * limit / max(1, size)))
            tries += 1
            if tries > _SUGGESTED_TRIES:
                suggested = (fitting + too_many) // 2
            tried = min(max(suggested, fitting + 1), too_many - 1)
        return fitting
