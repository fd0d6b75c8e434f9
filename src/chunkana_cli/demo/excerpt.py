"""The lines of a long passage that are worth showing."""

from __future__ import annotations

from collections.abc import Sequence

from chunkana_retrieval import words_of

_CONTEXT = 2  # lines to show before the first that matters


def best_window(lines: Sequence[str], question: str, count: int) -> range:
    """Return the indexes of `count` lines in a row that say most about a question.

    >>> best_window(["Fish.", "Birds.", "Cats.", "Dogs."], "a dog", 2)
    range(2, 4)
    """
    if len(lines) <= count:
        return range(len(lines))
    wanted = set(words_of(question))
    found = [wanted.intersection(words_of(line)) for line in lines]

    def worth(start: int) -> int:
        return len(set().union(*found[start : start + count]))

    start = max(range(len(lines) - count + 1), key=worth)  # the first of the best
    while start + count < len(lines) and not any(found[start : start + _CONTEXT + 1]):
        start += 1  # what matters is at the window's end: leave room for what follows it
    return range(start, start + count)
