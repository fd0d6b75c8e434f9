"""Texts as words to search for."""

from __future__ import annotations

import re

from bm25s.stopwords import STOPWORDS_EN_PLUS

# CJK scripts put no spaces between words: each of their characters counts as one.
_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_PART = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
# Words with their hyphens, like extract-audio.
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[-_]+[^\W_{_CJK}]+)*")
_IES = re.compile(r"(?<=..)ie[sd]$")
_PLURAL = re.compile(r"(?<=..[^s])s$")
_SILENT = re.compile(r"(?<=..)e$")
_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"(?<=..)([bdgmnprt])\1$")
_STOP_WORDS = frozenset(STOPWORDS_EN_PLUS)


def words_of(text: str) -> list[str]:
    """Return a text's words for search: compounds whole and in parts, endings cut off.

    >>> words_of("How do I use --audio-format?")
    ['us', 'audio-format', 'audio', 'format']
    """
    words: list[str] = []
    for word in _WORD.findall(text.lower()):
        parts = _PART.findall(word)
        if len(parts) > 1:
            words.append(word)
        words += [stem(part) for part in parts if part not in _STOP_WORDS]
    return words


def stem(word: str) -> str:
    """Cut the commonest English endings off, so that "merging" finds "merges".

    >>> [stem(word) for word in ("merges", "splitting", "retries", "class", "и")]
    ['merg', 'split', 'retry', 'class', 'и']
    """
    word = _PLURAL.sub("", _IES.sub("y", word))
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and _VOWEL.search(rest):
            word = _DOUBLED.sub(r"\1", rest)
            break
    return _SILENT.sub("", word)


def find_words(text: str, question: str) -> list[tuple[int, int]]:
    """Return where a text has words of a question, as offsets of their starts and ends."""
    wanted = set(words_of(question))
    return [m.span() for m in _PART.finditer(text) if wanted.intersection(words_of(m.group()))]
