"""Documents for measuring an index: generated ones, or variations of the files of a folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from pathlib import Path
from random import Random
from typing import NamedTuple
from zlib import crc32

_VOCABULARY = 30_000
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_LONG_WORD = re.compile(r"\b[a-z]{7,}\b")
_SUFFIXES = {".md", ".mdx", ".txt"}
_VARIED_PART = 5  # every n-th distinct long word is replaced in a repeated file
_QUESTION_WORDS = 6
_TOPIC = 60  # the words that a page repeats
_TOPIC_PART = 0.6  # of the words of a page: it then has as many distinct ones as real pages have
# Words that are frequent in every text, and that searches leave out.
_COMMON = """the of and to a in is that for it as with be by on this are or at from an if not but
    which can will you all when more has have its into only other than then no do so these after"""


class NamedText(NamedTuple):
    """A document: its id and its text."""

    name: str
    text: str


def generated(count: int) -> list[NamedText]:
    """Return Markdown documents with words of natural frequency, the same at each call."""
    writer = _Writer(Random(0))
    return [NamedText(f"docs/{number // 50}/{number}.md", writer.page()) for number in range(count)]


def from_folder(folder: Path, count: int) -> list[NamedText]:
    """Return the documents of a folder, repeated with other words until there are enough.

    Raises:
        FileNotFoundError: if the folder has no file with a known suffix.
    """
    paths = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES)
    if not paths:
        raise FileNotFoundError(f"no files with {', '.join(sorted(_SUFFIXES))} in {folder}")
    files = [(str(path.relative_to(folder)), path.read_bytes().decode()) for path in paths]
    words = sorted({word for _, text in files for word in _LONG_WORD.findall(text)})
    numbered = ((*divmod(number, len(files)),) for number in range(count))
    return [
        NamedText(f"{turn:03}/{files[n][0]}", _varied(files[n][1], turn, words))
        for turn, n in numbered
    ]


def _varied(text: str, turn: int, words: Sequence[str]) -> str:
    """Return a text in which some words are replaced by other words of the files."""

    def other(match: re.Match[str]) -> str:
        number = crc32(f"{turn} {match[0]}".encode())
        return match[0] if number % _VARIED_PART else words[number % len(words)]

    return _LONG_WORD.sub(other, text) if turn else text


def edited(document: NamedText, number: int) -> NamedText:
    """Return a document with another paragraph in the middle."""
    parts = document.text.split("\n\n")
    parts.insert(len(parts) // 2, f"This is paragraph {number} of the edits, and it is short.")
    return document._replace(text="\n\n".join(parts))


def questions(documents: Sequence[NamedText], count: int) -> list[str]:
    """Return questions, each of adjacent words of a line, the same for the same documents."""
    random = Random(1)
    found: list[str] = []
    while len(found) < count:
        words = random.choice(random.choice(documents).text.splitlines() or [""]).split()
        if len(words) >= _QUESTION_WORDS:
            start = random.randrange(len(words) - _QUESTION_WORDS + 1)
            found.append(" ".join(words[start : start + _QUESTION_WORDS]))
    return found


class _Writer:
    """Writes pages of random words."""

    def __init__(self, random: Random) -> None:
        self._random = random
        drawn = ("".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in iter(int, 1))
        self._topic: Sequence[str] = ()
        self._words = _first_distinct(chain(_COMMON.split(), drawn), _VOCABULARY)
        # Zipf's law with Mandelbrot's correction, which natural languages follow.
        self._weights = [*accumulate(1 / (rank + 2.7) for rank in range(_VOCABULARY))]

    def page(self) -> str:
        """Return a page with a title and sections."""
        self._topic = self._random.sample(self._words[len(_COMMON.split()) :], _TOPIC)
        sections = (self._section(2 + (n % 3 > 0)) for n in range(self._random.randint(5, 11)))
        return f"# {self._title()}\n\n{self._paragraph()}\n" + "".join(sections)

    def _section(self, level: int) -> str:
        kinds = self._random.choices(
            (self._paragraph, self._items, self._code, self._table), (6, 2, 1, 1), k=3
        )
        return f"\n{'#' * level} {self._title()}\n\n" + "\n\n".join(kind() for kind in kinds) + "\n"

    def _drawn(self, least: int, most: int) -> list[str]:
        count = self._random.randint(least, most)
        words = self._random.choices(self._words, cum_weights=self._weights, k=count)
        own = self._random.choices(self._topic, k=count)
        return [
            one if self._random.random() < _TOPIC_PART else word
            for word, one in zip(words, own, strict=True)
        ]

    def _title(self) -> str:
        return " ".join(self._drawn(1, 4)).capitalize()

    def _sentence(self) -> str:
        return " ".join(self._drawn(6, 18)).capitalize() + "."

    def _paragraph(self) -> str:
        return " ".join(self._sentence() for _ in range(self._random.randint(2, 5)))

    def _items(self) -> str:
        return "\n".join(f"- {self._sentence()}" for _ in range(self._random.randint(3, 6)))

    def _code(self) -> str:
        lines = (
            f"{a} = {b}({c}, {d})"
            for a, b, c, d in zip(*[iter(self._drawn(24, 24))] * 4, strict=True)
        )
        return "```python\n" + "\n".join(lines) + "\n```"

    def _table(self) -> str:
        rows = [f"| {' | '.join(self._drawn(3, 3))} |" for _ in range(5)]
        return "\n".join([rows[0], "|---|---|---|", *rows[1:]])


def _first_distinct(words: Iterator[str], count: int) -> list[str]:
    """Return the first distinct words."""
    distinct: dict[str, None] = {}
    while len(distinct) < count:
        distinct[next(words)] = None
    return [*distinct]
