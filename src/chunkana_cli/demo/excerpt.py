"""Choose the excerpt of a long passage that matches a question best."""

from __future__ import annotations

from collections.abc import Sequence

from chunkana_retrieval import words_of

_CONTEXT = 2  # lines to show before the first line with a word of the question


def best_window(lines: Sequence[str], question: str, count: int) -> range:
    """Return the range of `count` consecutive lines with the most words of a question.

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
        start += 1  # the matches are at the end of the window: show lines after them
    return range(start, start + count)
