"""Tokenisation of texts and questions into words, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from chunkana_core.extending import UNSPACED_SCRIPTS

# Also compatibility forms, and Hangul, whose endings are joined to the words.
_UNSPACED = UNSPACED_SCRIPTS + r"\u3005-\u3007\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
# Combining vowels and accents: parts of words that `\w` does not match.
_MARKS = (
    r"\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a"
    r"\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903"
    r"\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u09d7\u09e2\u09e3"
    r"\u0a01-\u0a03\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc-\u0acd\u0ae2\u0ae3"
    r"\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c-\u0c56\u0c81-\u0c83"
    r"\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf\u0f35\u0f37\u0f39"
    r"\u0f71-\u0f84\u0f86\u0f87\u0f8d-\u0fbc\u200c\u200d"
)
_LETTER = rf"[^\W_{_UNSPACED}]"
_SPACED = rf"{_LETTER}+(?:[{_MARKS}]+{_LETTER}*)*"
_PART = rf"[{_UNSPACED}]+|{_SPACED}"
# Words with their hyphens and underscores, like extract-audio.
_WORD = rf"[{_UNSPACED}]+|{_SPACED}(?:[-_]+{_SPACED})*"
_IS_UNSPACED = rf"[{_UNSPACED}]"
_HYPHENS = re.compile("[-_]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:[-_]+[a-z0-9]+)*")
_compiled = cache(re.compile)  # the patterns above take up to 10 ms, and ASCII needs none
_SHORTEST = 3  # letters of the shortest word from which `stem` removes an ending
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = frozenset("bdgmnprt")  # consonants that are doubled before -ing and -ed
# English pronouns, articles, auxiliaries, conjunctions and short prepositions, and the fragments
# of their contractions.
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """i me my myself we our ours ourselves you your yours yourself yourselves he him his
        himself she her hers herself it its itself they them their theirs themselves what which who
        whom this that these those when where why how here there
        a an the some any all both each few more most other such no nor not only own same so than
        too very just now then once again further
        am is are was were be been being have has had having do does did doing can could will would
        shall should may might must ain aren couldn didn doesn don hadn hasn haven isn ll re ve
        wasn weren won wouldn d m s t
        and but if or because as until while of at by for with about against between into through
        during before after above below to from up down in out on off over under""",
    )
)


def words_of(text: str) -> list[str]:
    """Return the search words of a text: stemmed, with compounds both whole and in parts.

    In scripts without spaces between words, the words are all characters and pairs of adjacent
    characters. English stop words are omitted.

    >>> words_of("How do I run --audio-format?")
    ['run', 'audio-format', 'audio', 'format']
    >>> words_of("東京都")
    ['東', '東京', '京', '京都', '都']
    """
    words: list[str] = []
    text = text.lower()
    pattern = _ASCII_WORD if text.isascii() else _compiled(_WORD)
    for word in pattern.findall(text):
        if not word.isascii() and _compiled(_IS_UNSPACED).match(word):
            words += _characters_and_pairs(word)
            continue
        parts = [word] if word.isalnum() else _HYPHENS.split(word)
        if len(parts) > 1:
            words.append(word)
        words += [stem(part) for part in parts if part not in _STOP_WORDS]
    return words


def _characters_and_pairs(run: str) -> Iterator[str]:
    """Yield each character of a text and each pair of adjacent characters."""
    for offset in range(len(run)):
        yield run[offset]
        if offset + 1 < len(run):
            yield run[offset : offset + 2]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return a word without the most common English endings, so that "merging" finds "merges".

    >>> [stem(word) for word in ("merges", "splitting", "retries", "class", "и")]
    ['merg', 'split', 'retry', 'class', 'и']
    """
    if word.endswith(("ies", "ied")) and len(word) >= _SHORTEST + 2:
        word = f"{word[:-3]}y"
    elif word[-1] == "s" and len(word) > _SHORTEST and word[-2] != "s":
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and _VOWEL.search(rest):
            is_doubled = len(rest) > _SHORTEST and rest[-1] == rest[-2] and rest[-1] in _DOUBLED
            word = rest[:-1] if is_doubled else rest
            break
    return word[:-1] if word[-1:] == "e" and len(word) >= _SHORTEST else word


def find_words(text: str, question: str) -> list[tuple[int, int]]:
    """Return the ranges of a text's words that are in a question, as start and end offsets."""
    wanted = set(words_of(question))
    return [
        (match.start() + start, match.start() + end)
        for match in _compiled(_PART).finditer(text)
        for start, end in _word_ranges(match[0])
        if wanted.intersection(words_of(match[0][start:end]))
    ]


def _word_ranges(part: str) -> Iterator[tuple[int, int]]:
    """Yield the range of the whole part, or of each character in a script without spaces."""
    if _compiled(_IS_UNSPACED).match(part):
        yield from ((offset, offset + 1) for offset in range(len(part)))
    else:
        yield 0, len(part)
