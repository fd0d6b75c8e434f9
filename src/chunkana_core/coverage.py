"""How much of a document is found in chunks, whoever made them."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, islice

SHORTEST_LINE = 20  # code points; shorter lines recur too often to tell whether one is lost
_KEY = 8  # code points by which pieces of lines are looked up
_TRIED = 64  # how many pieces that start alike are looked at


def line_recall(contents: Iterable[str], text: str) -> float:
    """Return the share of a text's lines of 20 or more characters found in contents, 0.0 to 1.0.

    White space is folded. A line counts as often as it stands in the text at most, so that
    repetition cannot raise the share. A line that was cut is found if its pieces follow each
    other, but for whole lines of the text, such as repeated headings, between them.
    """
    lines = Counter(_folded(text))
    wanted = {line: count for line, count in lines.items() if len(line) >= SHORTEST_LINE}
    if not wanted:
        return 1.0
    held: Counter[str] = Counter()
    pieces: list[str] = []
    for content in contents:
        for line in _folded(content):
            if line in lines:
                held[line] += 1
            else:
                pieces.append(line.replace(" ", ""))
    cut = _CutLines.of(pieces)
    found = 0
    for line, count in wanted.items():
        whole = min(count, held[line])
        found += whole + sum(cut.take(line.replace(" ", "")) for _ in range(count - whole))
    return found / sum(wanted.values())


@dataclass(frozen=True, slots=True)
class _CutLines:
    """Pieces of lines, without white space, and where each starts."""

    text: str
    starts: dict[str, deque[int]]

    @classmethod
    def of(cls, pieces: list[str]) -> _CutLines:
        text = "".join(pieces)
        starts: dict[str, deque[int]] = defaultdict(deque)
        for start in accumulate(map(len, pieces[:-1]), initial=0):
            starts[text[start : start + _KEY]].append(start)
        return cls(text, starts)

    def take(self, line: str) -> bool:
        """Find a line that starts with a piece, and use that up."""
        starts = self.starts.get(line[:_KEY], deque())
        for start in islice(starts, _TRIED):
            if self.text.startswith(line, start):
                starts.remove(start)
                return True
        return False


def _folded(text: str) -> Iterator[str]:
    for line in text.replace("\r", "\n").split("\n"):
        folded = " ".join(line.split())
        if folded:
            yield folded
