"""Coverage: the share of a document's lines found in chunks of any tool."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

_MIN_LINE = 20  # code points; shorter lines occur too often to know which one is missing
_KEY = 10  # code points of the key by which candidate positions of a line are looked up
_MAX_TRIES = 8  # candidates tried before and after the expected position, so that time is linear
_MAX_SKIPPED = 7  # lines, such as repeated headings, that may separate two parts of a line
_MAX_OVERLAP = 4000  # code points of overlap between two parts of a line
_LINE_END = re.compile(r"[\r\n]")
_Places = Mapping[str, Sequence[int]]  # offsets by key


def line_recall(contents: Iterable[str], text: str) -> float:
    """Return the share of a text's lines of 20 or more characters found in contents, 0.0 to 1.0.

    White space, line ends included, is ignored, so that re-wrapped lines and lines in several parts
    are found. Each character of the contents is used for one line only, so that neither repetition
    nor overlap can raise the share.
    """
    lines = list(_folded_lines([text]))
    count = sum(len(line) >= _MIN_LINE for line in lines)
    if not count:
        return 1.0
    keys = {_without_space(line)[:_KEY] for line in lines}
    held = _HeldText.of([_without_space(line) for line in _folded_lines(contents)], keys)
    found = [line for line in lines if held.take(_without_space(line))]
    return sum(len(line) >= _MIN_LINE for line in found) / count


@dataclass(slots=True)
class _HeldText:
    """The lines of the contents, joined, without white space.

    Attributes:
        text: the joined lines; none of them is empty.
        starts: the offset of each line in the text, and the end of the text.
        keys: the keys of all lines that will be looked up.
        taken: for each character of the text, 1 if it was used for a line of the source, else 0.
        position: the offset after the last line that was found; the next line is expected there.
    """

    text: str
    starts: Sequence[int]
    keys: set[str]
    taken: bytearray
    position: int = 0
    _places: _Places | None = None

    @classmethod
    def of(cls, lines: Sequence[str], keys: set[str]) -> _HeldText:
        text = "".join(lines)
        starts = [*accumulate(map(len, lines), initial=0)]
        return cls(text, starts, keys, bytearray(len(text)))

    def take(self, line: str) -> bool:
        """Mark the characters of a line as used; return whether the line was found."""
        return any(self._take_at(line, start) for start in self._starts(line))

    def _starts(self, line: str) -> Iterator[int]:
        """Yield candidate offsets of a line: the expected one, then the nearest ones.

        Starts of the following lines come first, since chunks may repeat headings before a line.
        """
        yield self.position
        following = bisect_right(self.starts, self.position)
        yield from self.starts[following : following + _MAX_SKIPPED]
        if self._places is None:  # not needed for chunks in document order
            self._places = self._find_places()
        starts = self._places.get(line[:_KEY], ())
        expected = bisect_left(starts, self.position)
        yield from starts[expected : expected + _MAX_TRIES]
        yield from starts[max(expected - _MAX_TRIES, 0) : expected]

    def _find_places(self) -> _Places:
        """Return the offsets of all keys."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for offset in range(len(self.text) - _KEY + 1):
            key = self.text[offset : offset + _KEY]
            if key in self.keys:
                places[key].append(offset)
        return places

    def _take_at(self, line: str, start: int) -> bool:
        parts = self._parts(line, start)
        for part in parts:
            self.taken[part.start : part.stop] = b"\1" * len(part)
            self.position = part.stop
        return bool(parts)

    def _parts(self, line: str, start: int) -> list[range]:
        """Return the ranges that contain the whole line, from `start` on; [] if not found."""
        if whole := self._part(line, 0, start, start + len(line)):
            return [whole]
        parts: list[range] = []
        done, starts = 0, [start]
        while done < len(line):
            found = (self._part(line, done, start, self._line_end(start)) for start in starts)
            part = next(filter(None, found), None)
            if part is None:
                return []
            parts.append(part)
            done += len(part)
            following = bisect_right(self.starts, part.start)
            starts = [*self.starts[following : following + _MAX_SKIPPED + 1]]
            starts += self._after_overlap(line, done, part.stop)
        return parts

    def _after_overlap(self, line: str, done: int, stop: int) -> list[int]:
        """Return the offset at which a line continues after overlap, if there is one."""
        before = line[max(0, done - _KEY) : done]
        context = before + line[done : done + _KEY]
        found = self.text.find(context, stop, stop + _MAX_OVERLAP)
        return [found + len(before)] if found >= 0 else []

    def _line_end(self, offset: int) -> int:
        """Return the end of the line at an offset."""
        return self.starts[min(bisect_right(self.starts, offset), len(self.starts) - 1)]

    def _part(self, line: str, done: int, start: int, end: int) -> range:
        """Return the range at `start` that equals the line from `done` on; empty if none does."""
        part = range(start, min(end, start + len(line) - done))
        is_same = self.text.startswith(line[done : done + len(part)], start)
        return part if is_same and 1 not in self.taken[start : part.stop] else range(0)


def _without_space(line: str) -> str:
    return line.replace(" ", "")


def _folded_lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of texts, white space folded, without quote markers and blank lines."""
    for text in texts:
        lines = (" ".join(line.replace(">", " ").split()) for line in _LINE_END.split(text))
        yield from filter(None, lines)
