"""How much of a document is found in chunks, whoever made them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

_MIN_LINE = 20  # code points; shorter lines recur too often to tell whether one is lost
_KEY = 10  # code points by which it is looked up where a line may start; none has fewer
_MAX_TRIES = 8  # places tried before and after where a line is expected, so that time is linear
_MAX_SKIPPED = 7  # lines, such as repeated headings, that may stand between two parts of a line
_MAX_OVERLAP = 4000  # code points that may be repeated between two parts of a line
_LINE_END = re.compile(r"[\r\n]")
_Places = Mapping[str, Sequence[int]]  # offsets by the characters that stand there


def line_recall(contents: Iterable[str], text: str) -> float:
    """Return the share of a text's lines of 20 or more characters found in contents, 0.0 to 1.0.

    White space is left out, line ends too: a line is found where contents are wrapped elsewhere,
    or hold its parts one after the other. Each line needs characters of its own, so that neither
    repetition nor overlap can raise the share.
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
    """The lines of contents, joined, without white space.

    Attributes:
        text: the lines, none of them empty.
        starts: where each line starts in the text, and where the last one ends.
        keys: what lines start with that are looked for.
        taken: for each character of the text, 1 if a line of the source was found there, else 0.
        position: after the last line that was found: where the next one is expected.
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
        """Take the characters of a line, where it is expected or at places near; tell if found."""
        return any(self._take_at(line, start) for start in self._starts(line))

    def _starts(self, line: str) -> Iterator[int]:
        """Yield where a line may start: where it is expected, then the places near it.

        Those after what a chunk repeats, which are the starts of lines, come first.
        """
        yield self.position
        following = bisect_right(self.starts, self.position)
        yield from self.starts[following : following + _MAX_SKIPPED]
        if self._places is None:  # of texts that stand as they should, none has to be looked up
            self._places = self._find_places()
        starts = self._places.get(line[:_KEY], ())
        expected = bisect_left(starts, self.position)
        yield from starts[expected : expected + _MAX_TRIES]
        yield from starts[max(expected - _MAX_TRIES, 0) : expected]

    def _find_places(self) -> _Places:
        """Return the offsets at which any of the keys stands."""
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
        """Return the parts that make up a whole line, the first one from `start` on; else none."""
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
        """Return where a line goes on after an offset behind a repetition of its text."""
        before = line[max(0, done - _KEY) : done]
        context = before + line[done : done + _KEY]
        found = self.text.find(context, stop, stop + _MAX_OVERLAP)
        return [found + len(before)] if found >= 0 else []

    def _line_end(self, offset: int) -> int:
        """Return where the line that holds an offset ends."""
        return self.starts[min(bisect_right(self.starts, offset), len(self.starts) - 1)]

    def _part(self, line: str, done: int, start: int, end: int) -> range:
        """Return how far a line goes on, from `done`, up to an end; an empty range if not."""
        part = range(start, min(end, start + len(line) - done))
        is_same = self.text.startswith(line[done : done + len(part)], start)
        return part if is_same and 1 not in self.taken[start : part.stop] else range(0)


def _without_space(line: str) -> str:
    return line.replace(" ", "")


def _folded_lines(texts: Iterable[str]) -> Iterator[str]:
    """Yield the lines of texts, white space folded, without the marks of quotes and blank lines."""
    for text in texts:
        lines = (" ".join(line.replace(">", " ").split()) for line in _LINE_END.split(text))
        yield from filter(None, lines)
