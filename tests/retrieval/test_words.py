"""Texts as words: in scripts with and without spaces, compounds, English endings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_retrieval import find_words, words_of
from chunkana_retrieval.words import stem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How do I use --extract-audio?", ["us", "extract-audio", "extract", "audio"]),
        ("max_chunk_size=500", ["max_chunk_size", "max", "chunk", "siz", "500"]),
        ("Größe naïve", ["größ", "naïv"]),
        ("cafe\u0301s", ["cafe\u0301"]),
        ("it doesn't work", ["work"]),
        ("日本語 Text", ["日", "日本", "本", "本語", "語", "text"]),
        ("中", ["中"]),
        ("검색", ["검", "검색", "색"]),
        ("ไทย", ["ไ", "ไท", "ท", "ทย", "ย"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Как это работает?", ["как", "это", "работает"]),
        ("مَكتب", ["مَكتب"]),
        ("v2日", ["v2", "日"]),
        ("what is it?", []),
        ("--- … *** _ \u0301", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    "forms",
    [
        ("merge", "merges", "merged", "merging"),
        ("split", "splits", "splitting"),
        ("retry", "retries", "retried", "retrying"),
        ("use", "uses", "used", "using"),
        ("string", "strings"),
        ("class",),
    ],
)
def test_forms_of_a_word_have_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize("word", ["is", "ed", "e", "s", "ties", "sing", "bus", "the", "i̇"])
def test_a_short_word_keeps_two_letters(word: str) -> None:
    assert len(stem(word)) >= min(len(word), 2)


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        ("Merging is how it merges.", "merge", ["Merging", "merges"]),
        ("東京都へ", "京都", ["京", "都"]),
        ("No word", "of it", []),
    ],
)
def test_words_of_a_question_are_found(text: str, question: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in find_words(text, question)] == found


@given(st.text())
def test_any_text_has_words_and_finds_them_again(text: str) -> None:
    found = [text[start:end] for start, end in find_words(text, text)]
    assert set().union(*map(words_of, found)) <= set(words_of(text))
    assert all(words_of(text))
