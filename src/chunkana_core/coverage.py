"""How much of a document is found in chunks, whoever made them."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from itertools import islice

_SHORTEST = 20  # code points; shorter lines recur too often to tell whether one is lost
_KEY = 8  # code points by which pieces of lines are looked up
_TRIED = 16  # how many pieces that start alike are tried
_BETWEEN = 8  # how many lines, such as repeated headings, may stand between two pieces


def line_recall(contents: Iterable[str], text: str) -> float:
    """Return the share of a text's lines of 20 or more characters found in contents, 0.0 to 1.0.

    White space is folded. A line counts as often as it stands in the text, so that repetition
    cannot raise the share. One that was cut is found if its pieces follow each other.
    """
    wanted = Counter(line for line in _folded(text) if len(line) >= _SHORTEST)
    lines = [line for content in contents for line in _folded(content)]
    held = Counter(lines)
    missing = wanted - held
    spare = [_bare(line) for line in lines if held[line] > wanted[line]]
    found = wanted.total() - missing.total() + sum(_cut_lines(missing.elements(), spare))
    return found / wanted.total() if wanted else 1.0


def _cut_lines(lines: Iterable[str], pieces: list[str]) -> Iterator[bool]:
    """Yield for each line whether it is made of pieces, and use these up."""
    starts: defaultdict[str, deque[int]] = defaultdict(deque)
    for index, piece in enumerate(pieces):
        starts[piece[:_KEY]].append(index)
    for line in map(_bare, lines):
        rows = [starts[key] for n in range(_KEY, 0, -1) if (key := line[:n]) in starts]
        for row in rows:
            while row and not pieces[row[0]]:
                row.popleft()
        tried = (_made_of(line, pieces, i) for row in rows for i in islice(row, _TRIED))
        used = next(filter(None, tried), [])
        for index in used:
            pieces[index] = ""
        yield bool(used)


def _made_of(line: str, pieces: list[str], start: int) -> list[int]:
    """Return which pieces from one on make up a line, none if some of it is not there."""
    used: list[int] = []
    done, index = 0, start
    while done < len(line):
        window = range(index, min(index + _BETWEEN, len(pieces)))
        found = (i for i in window if pieces[i] and line.startswith(pieces[i], done))
        index = next(found, -1)
        if index < 0:
            return []
        used.append(index)
        done += len(pieces[index])
        index += 1
    return used


def _bare(line: str) -> str:
    """Return a line without white space, and without the quote markers that parts repeat."""
    return line.replace(" ", "").replace(">", "")


def _folded(text: str) -> Iterator[str]:
    lines = (" ".join(line.split()) for line in text.replace("\r", "\n").split("\n"))
    return filter(None, lines)
