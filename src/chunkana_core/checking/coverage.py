"""How much of a document is found in chunks, whoever made them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

_MIN_LINE = 20  # code points; shorter lines recur too often to tell whether one is lost
_KEY = 8  # code points by which it is looked up where a line may start
_MAX_TRIES = 8  # places tried before and after where a line is expected, so that time is linear
_MAX_SKIPPED = 7  # lines, such as repeated headings, that may stand between two parts of a line


def line_recall(contents: Iterable[str], text: str) -> float:
    """Return the share of a text's lines of 20 or more characters found in contents, 0.0 to 1.0.

    White space is folded, line ends too: a line is found where contents are wrapped elsewhere, or
    hold its parts one after the other. A line counts as often as it stands in the text, and needs
    characters of its own each time, so that neither repetition nor overlap can raise the share.
    """
    long_lines = [line for line in _folded_lines(text) if len(line) >= _MIN_LINE]
    if not long_lines:
        return 1.0
    wanted = Counter(long_lines)
    lines = [line for content in contents for line in _folded_lines(content)]
    held = Counter(lines)
    spare_lines = [line for line in lines if held[line] > wanted[line] and line.strip("> ")]
    spare = _SpareText.of([_without_space(line) for line in spare_lines])
    rewrapped = spare.take_all(_missing_lines(long_lines, wanted - held))
    taken = Counter(line for n, line in enumerate(spare_lines) if spare.is_taken(n))
    whole = (held - taken) & wanted
    return (whole.total() + rewrapped) / wanted.total()


def _missing_lines(lines: Iterable[str], missing: Counter[str]) -> list[str]:
    """Return lines, without white space, in their order, each as often as it is missing."""
    found = []
    for line in lines:
        if missing[line] > 0:
            missing[line] -= 1
            found.append(_without_space(line))
    return found


@dataclass(frozen=True, slots=True)
class _SpareText:
    """Lines of contents that are not needed as whole lines, joined, without white space.

    Attributes:
        text: the lines, none of them empty.
        starts: where each line starts in the text, and where the last one ends.
        taken: for each character of the text, 1 if a line of the source was found there, else 0.
    """

    text: str
    starts: list[int]
    taken: bytearray

    @classmethod
    def of(cls, lines: Sequence[str]) -> _SpareText:
        text = "".join(lines)
        return cls(text, [*accumulate(map(len, lines), initial=0)], bytearray(len(text)))

    def is_taken(self, number: int) -> bool:
        """Tell whether a character of the line of a number is taken."""
        return 1 in self.taken[self.starts[number] : self.starts[number + 1]]

    def take_all(self, wanted: Sequence[str]) -> int:
        """Take the characters that make up wanted lines, and return how many lines are found."""
        places = self._places({line[:_KEY] for line in wanted}) if wanted else {}
        count = position = 0
        for line in wanted:
            parts = self._find(line, places, position)
            for part in parts:
                self.taken[part.start : part.stop] = b"\1" * len(part)
            if parts:
                count += 1
                position = parts[-1].stop
        return count

    def _places(self, keys: set[str]) -> Mapping[str, Sequence[int]]:
        """Return where lines with certain first characters may start.

        That is wherever these characters are; and where a line starts that is too short to hold
        them, by all of its characters.
        """
        places: defaultdict[str, list[int]] = defaultdict(list)
        for start in range(len(self.text) - _KEY + 1):
            key = self.text[start : start + _KEY]
            if key in keys:
                places[key].append(start)
        for start, end in pairwise(self.starts):
            if end - start < _KEY:
                places[self.text[start:end]].append(start)
        return places

    def _find(
        self, line: str, places: Mapping[str, Sequence[int]], position: int
    ) -> Sequence[range]:
        """Return the parts that make up a line, near a position and rather after it; else none."""
        for length in range(min(_KEY, len(line)), 0, -1):
            starts = places.get(line[:length], ())
            expected = bisect_left(starts, position)
            before = starts[max(expected - _MAX_TRIES, 0) : expected]
            for start in (*starts[expected : expected + _MAX_TRIES], *before):
                if parts := self._parts(line, start):
                    return parts
        return ()

    def _parts(self, line: str, start: int) -> list[range]:
        """Return the parts that make up a whole line, the first one from `start` on; else none."""
        parts: list[range] = []
        done, starts = 0, [start]
        while done < len(line):
            part = next(filter(None, (self._part(line, done, start) for start in starts)), None)
            if part is None:
                return []
            parts.append(part)
            done += len(part)
            following = bisect_right(self.starts, part.start)
            stop = min(following + _MAX_SKIPPED + 1, len(self.starts) - 1)
            starts = self.starts[following:stop]
        return parts

    def _part(self, line: str, done: int, start: int) -> range:
        """Return how far a line goes on, from `done`, in the spare line at `start`; maybe empty."""
        end = self.starts[bisect_right(self.starts, start)]
        part = range(start, min(end, start + len(line) - done))
        is_same = self.text.startswith(line[done : done + len(part)], start)
        return part if is_same and 1 not in self.taken[start : part.stop] else range(0)


def _without_space(line: str) -> str:
    """Return a line without white space, and without the quote markers that parts repeat."""
    return line.replace(" ", "").replace(">", "")


def _folded_lines(text: str) -> Iterator[str]:
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return filter(None, lines)
