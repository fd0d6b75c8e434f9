"""Text sizes by the configured length function, and the size limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunkana_core.config import ChunkConfig, LengthFunction

CHARACTERS_PER_UNIT = 4  # of the usual token counters
_MARGIN_DIVISOR = 256
_SUGGESTED_TRIES = 4


@dataclass(frozen=True, slots=True)
class Sizer:
    """Measures texts and compares them with the limit.

    Attributes:
        length: the length function; it need not be additive.
        max_size: the limit, in units of `length`.
        overhead: the size of the empty text, such as the special tokens of a tokenizer.
        is_exact: whether `length` is `len`, so that sizes add up and follow from offsets.
    """

    length: LengthFunction
    max_size: int
    overhead: int = field(init=False, compare=False)
    is_exact: bool = field(init=False, compare=False)
    _added_sizes: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Measure the empty text."""
        object.__setattr__(self, "overhead", self.length(""))
        object.__setattr__(self, "is_exact", self.length is len)

    @classmethod
    def of(cls, config: ChunkConfig) -> Sizer:
        """Return the sizer of a configuration."""
        measure = len if config.length_function is len else config.size_of
        return cls(measure, config.max_chunk_size)

    def added_size(self, text: str) -> int:
        """Return the size that a text that occurs often adds to another text; it is cached."""
        if self.is_exact:
            return len(text)
        if text not in self._added_sizes:
            self._added_sizes[text] = self.length(text) - self.overhead
        return self._added_sizes[text]

    def margin(self, count: int) -> int:
        """Return how far the sum of the sizes of some texts may be from that of the joined text."""
        return 0 if self.is_exact else count * (1 + self.max_size // _MARGIN_DIVISOR)

    def longest(
        self, text: str, start: int, end: int, limit: int, rate: float | None = None
    ) -> int:
        """Return the largest end offset for which `text[start:end]` fits into a limit.

        At least one code point is returned. If sizes are not exact, the result may be up to an
        eighth of the limit below the largest one.

        Args:
            text: the whole text.
            start: the start offset.
            end: the largest end offset to return.
            limit: in units of `length`.
            rate: estimated units per code point, a quarter by default.
        """
        if self.is_exact:
            return min(end, start + max(1, limit))
        count = self._search(end - start, limit, rate, lambda n: text[start : start + n])
        return start + max(1, count)

    def longest_end(self, text: str, start: int, end: int, limit: int) -> int:
        """Return the smallest start offset for which `text[start:end]` fits into a limit."""
        if self.is_exact:
            return max(start, end - limit)
        return end - self._search(end - start, limit, None, lambda n: text[end - n : end])

    def _search(
        self, count: int, limit: int, rate: float | None, part: Callable[[int], str]
    ) -> int:
        """Return how many of `count` code points fit into a limit, to within an eighth of it.

        The first tries scale the previous try by its size, so that few texts are measured and none
        is much larger than the limit; later tries bisect.
        """
        fitting, too_many = 0, count + 1
        tried = min(count, max(1, int(limit / (rate or 1 / CHARACTERS_PER_UNIT))))
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
