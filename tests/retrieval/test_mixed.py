"""`assemble_mixed`: hits among texts of which no place in a document is known."""

from __future__ import annotations

from dataclasses import replace
from math import nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ConfigurationError
from chunkana_retrieval import Hit, Passage, assemble, assemble_mixed
from tests.retrieval.searches import Search, leaves, searches

TEXT = "# Tea\n\nBoil water.\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
TEA, GREEN, BLACK = leaves(TEXT, 40)
OTHER = "A text of another tool."


def handed_over(found: list[Hit | str], parts: list[Passage | int], front: str = "") -> str:
    shown = (str(found[one]) if isinstance(one, int) else front + one.text for one in parts)
    return "\n\n".join(shown)


def tokens(text: str) -> int:
    return 2 + len(text.split())


@settings(max_examples=settings().max_examples * 2 // 3)
@given(
    searches(),
    st.lists(st.tuples(st.integers(0, 8), st.text("ab `\n~", max_size=80)), max_size=4),
    st.integers(0, 400),
    st.sampled_from([len, tokens]),
    st.sampled_from(["", "file: a.md\n\n", "x " * 60]),
)
def test_the_budget_is_never_exceeded_texts_are_whole_and_hits_alone_are_read_as_ever(
    search: Search, others: list[tuple[int, str]], budget: int, length: object, front: str
) -> None:
    measure = tokens if length is tokens else len
    sources = search.sources if search.is_joined else None
    assert assemble_mixed(search.hits, budget, sources=sources) == search.assemble(budget)
    found: list[Hit | str] = [*search.hits]
    for place, text in others:
        found.insert(place, text)
    parts = assemble_mixed(
        found,
        budget,
        measure,
        sources,
        lambda passage: front + passage.text,
    )
    assert not parts or measure(handed_over(found, parts, front)) <= budget
    indices = [part for part in parts if isinstance(part, int)]
    assert indices == sorted({*indices})
    assert all(isinstance(found[index], str) for index in indices)


def test_a_text_keeps_its_place_in_the_ranking() -> None:
    parts = assemble_mixed([OTHER, GREEN, "More.", TEA], 500)
    assert [one if isinstance(one, int) else one.start_line for one in parts] == [0, 1, 5, 2]


def test_a_text_that_does_not_fit_is_left_out_and_what_follows_is_read() -> None:
    found: list[Hit | str] = [GREEN, OTHER * 9, OTHER * 10, OTHER, TEA]
    size = len(f"{TEA.text}\n\nTea\n\n{GREEN.text}\n\n{OTHER}")
    first, second, third = assemble_mixed(found, size)
    assert isinstance(first, Passage)
    assert isinstance(second, Passage)
    assert [first.text, second.text, third] == [TEA.text, f"Tea\n\n{GREEN.text}", 3]


def test_a_text_is_never_cut_where_a_hit_is() -> None:
    sentences = "One sentence is here. Another is there. A third one is nowhere."
    assert assemble_mixed([sentences], 40) == []
    hit = replace(GREEN, text=sentences, span=type(GREEN.span)(0, len(sentences)), path=())
    (cut,) = assemble_mixed([hit], 40)
    assert isinstance(cut, Passage)
    assert cut.text == "One sentence is here. Another is there."


def test_texts_stand_beside_hits_that_are_joined() -> None:
    first, second = assemble_mixed([BLACK, OTHER, TEA, GREEN], 500, sources={"a.md": TEXT})
    assert isinstance(first, Passage)
    assert (first.text, second) == (TEXT.rstrip(), 1)


def test_each_source_is_asked_for_once() -> None:
    asked = []

    def source(document_id: str) -> str:
        asked.append(document_id)
        return TEXT

    assert len(assemble_mixed([GREEN, OTHER * 9, OTHER * 8, TEA], 60, sources=source)) == 1
    assert asked == ["a.md"]


def test_what_is_written_of_a_passage_counts() -> None:
    found, front = [BLACK, GREEN, TEA], "file_name: a.md\n\n"

    def written(passage: Passage) -> str:
        return front + passage.text

    whole = assemble(found, 1000)
    size = len(handed_over([], [*whole], front))
    assert assemble_mixed(found, size, counted_text=written) == whole
    less = assemble_mixed(found, size - 1, counted_text=written)
    assert 0 < len(handed_over([], less, front)) < size
    assert assemble_mixed(found, len(front), counted_text=written) == []


def test_what_never_fits_is_left_out() -> None:
    """Where less text is not written shorter, no budget for it will do."""
    assert (
        assemble_mixed([TEA, GREEN], 60, counted_text=lambda _: "x" * 50) == assemble([TEA], 60)[:1]
    )


def test_empty_texts_are_left_out() -> None:
    assert assemble_mixed(["", "a", ""], 10) == [1]
    assert assemble_mixed([], 0) == []


@pytest.mark.parametrize(
    ("field", "found", "budget", "sources"),
    [
        ("budget", [], -1, None),
        ("budget", [], nan, None),
        ("sources", [GREEN], 10, {}),
        ("sources", [GREEN], 10, {"a.md": "Something else."}),
    ],
)
def test_errors_name_the_argument(
    field: str, found: list[Hit], budget: float, sources: dict[str, str] | None
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        assemble_mixed(found, budget, sources=sources)
    assert caught.value.field == field
