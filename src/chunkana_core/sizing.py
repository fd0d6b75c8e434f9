"""How large a text may be: one limit, one measure, for every stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunkana_core.config import ChunkConfig, LengthFunction
from chunkana_core.outline import SectionPath

Prefix = Callable[[SectionPath], str]


@dataclass(frozen=True, slots=True)
class Sizer:
    """Measures texts against the limit, less what an adapter will put before them.

    Attributes:
        length: the measure; need not be additive.
        max_size: the limit, in its units.
        prefix: the text that goes before a chunk's content, by its section; None for none.
    """

    length: LengthFunction
    max_size: int
    prefix: Prefix | None = None
    _prefixes: dict[SectionPath, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, config: ChunkConfig, prefix: Prefix | None = None) -> Sizer:
        """Make the sizer of a configuration."""
        return cls(config.length_function, config.max_chunk_size, prefix)

    @property
    def is_exact(self) -> bool:
        """Whether sizes are code points, so that they add up and need no measuring."""
        return self.length is len

    def prefix_of(self, section: SectionPath) -> str:
        """Return the prefix of a section, less outermost titles while it is over half the limit."""
        if self.prefix is None:
            return ""
        if section not in self._prefixes:
            self._prefixes[section] = self._fitting(self.prefix, section)
        return self._prefixes[section]

    def _fitting(self, prefix: Prefix, section: SectionPath) -> str:
        for dropped in range(len(section.path) + 1):
            text = prefix(SectionPath(section.level, section.path[dropped:]))
            if self.length(text) <= self.max_size // 2:
                return text
        return ""

    def excess(self, content: str, section: Callable[[], SectionPath]) -> int:
        """Return by how much a content is over the limit, its prefix included; 0 if it fits.

        The section is asked for only where there are prefixes.
        """
        # A prefix takes at most half of the limit, so that half as much surely fits.
        if self.prefix is not None and not (self.is_exact and 2 * len(content) <= self.max_size):
            content = self.prefix_of(section()) + content
        return max(0, self.length(content) - self.max_size)

    def longest(self, text: str, start: int, end: int, limit: int) -> int:
        """Return the largest offset up to which text from start is within a limit.

        The measure is taken to grow with the text; where it does not, the offset is still within
        the limit, but for one code point, which is the least.
        """
        if self.is_exact:
            return min(end, start + max(1, limit))
        count = self._most(end - start, limit, lambda n: self.length(text[start : start + n]))
        return start + max(1, count)

    def longest_end(self, text: str, start: int, end: int, limit: int) -> int:
        """Return the smallest offset from which text up to end is within a limit."""
        if self.is_exact:
            return max(start, end - limit)
        return end - self._most(end - start, limit, lambda n: self.length(text[end - n : end]))

    @staticmethod
    def _most(count: int, limit: int, size: Callable[[int], int]) -> int:
        """Return the most of count code points that are within a limit.

        The search gallops, so that its cost follows the limit and not the count.
        """
        fitting, step = 0, max(1, limit)
        while fitting < count and step:
            trial = min(count, fitting + step)
            if size(trial) <= limit:
                fitting, step = trial, step * 2
            else:
                step = min(step, trial - fitting) // 2
        return fitting
