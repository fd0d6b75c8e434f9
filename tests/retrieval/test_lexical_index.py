"""`LexicalIndex`: leaves found by words, kept up to date, written and read."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunkana_core import ConfigurationError, Context, MarkdownChunker
from chunkana_retrieval import Hit, IndexFileError, LexicalEntry, LexicalIndex, words_of

bm25s = pytest.importorskip("bm25s")

ENTRIES = [
    LexicalEntry("tea.md", "0", "tea", "Tea needs water, and a kettle that boils."),
    LexicalEntry("tea.md", "1", "green", "Green leaves wait for 80 degrees."),
    LexicalEntry("tea.md", "2", "green", "Two minutes, not more."),
    LexicalEntry("tea.md", "3", "black", "Black leaves do not wait."),
    LexicalEntry("cats.md", "0", None, "Cats sleep for hours."),
    LexicalEntry("cats.md", "1", None, "Green eyes see at night."),
]


def places(hits: Sequence[Hit]) -> list[tuple[str, str]]:
    return [(hit.document_id, hit.node_id) for hit in hits]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many degrees?", ("tea.md", "1")),
        ("boiling", ("tea.md", "0")),
        ("black", ("tea.md", "3")),
        ("green minutes", ("tea.md", "2")),  # the other one is in its section
    ],
)
def test_the_best_leaf_has_most_of_the_words_in_itself_and_around_it(
    question: str, first: tuple[str, str]
) -> None:
    hit = LexicalIndex(ENTRIES).search(question)[0]
    assert (hit.document_id, hit.node_id) == first


def test_scores_are_those_of_three_levels_added() -> None:
    def scores(texts: list[str]) -> Any:  # noqa: ANN401 - an array
        model = bm25s.BM25()
        model.index([words_of(text) for text in texts], show_progress=False)
        return model.get_scores(["green", "wait"])

    texts = [entry.text for entry in ENTRIES]
    sections = [texts[0], f"{texts[1]} {texts[2]}", *texts[3:]]
    documents = [" ".join(texts[:4]), " ".join(texts[4:])]
    section_of, document_of = [0, 1, 1, 2, 3, 4], [0, 0, 0, 0, 1, 1]
    expected = scores(texts) + scores(sections)[section_of] / 2 + scores(documents)[document_of] / 2
    hits = LexicalIndex(ENTRIES).search("Green: wait!")
    found = {(hit.document_id, hit.node_id): hit.score for hit in hits}
    for entry, score in zip(ENTRIES, expected, strict=True):
        assert found.get((entry.document_id, entry.chunk_id), 0) == pytest.approx(score)


def test_hits_are_the_best_first_and_name_their_sections() -> None:
    hits = LexicalIndex(ENTRIES).search("green leaves")
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert (hits[0].section_id, hits[-1].section_id) == ("green", None)
    assert LexicalIndex(ENTRIES).search("green leaves", k=1) == hits[:1]


@pytest.mark.parametrize("question", ["", "???", "is it?", "absent"])
@pytest.mark.parametrize("entries", [[], [LexicalEntry("a", "0", "s", "*** of")], ENTRIES])
def test_search_for_nothing_or_in_nothing(entries: list[LexicalEntry], question: str) -> None:
    assert LexicalIndex(entries).search(question) == []


def test_of_equals_the_first_comes_first() -> None:
    same = [LexicalEntry(name, "0", None, "Cats.") for name in "bca"]
    assert places(LexicalIndex(same).search("cat")) == [("b", "0"), ("c", "0"), ("a", "0")]


def test_a_chunk_is_found_by_what_is_embedded() -> None:
    chunks = MarkdownChunker(context=Context()).chunk("# Tea\n\n## Green\n\nWait.\n\n## B\n\nGo.\n")
    index = LexicalIndex(LexicalEntry.of_chunk(chunk, "tea.md") for chunk in chunks)
    assert index.search("tea")
    assert index.search("green")[0].section_id == chunks[0].section_id


def test_documents_are_replaced_and_removed() -> None:
    index = LexicalIndex(ENTRIES)
    assert (len(index), index.document_ids) == (6, ("tea.md", "cats.md"))
    index.search("cats")
    index.replace({"tea.md": [LexicalEntry("tea.md", "9", None, "Coffee and cats.")]})
    assert places(index.search("coffee")) == [("tea.md", "9")]
    assert index.search("kettle") == []
    index.replace({"cats.md": [], "unknown.md": [], "tea.md": []})
    assert (len(index), index.document_ids, index.search("cats")) == (0, (), [])


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("document_id", lambda index: index.add(ENTRIES[:1])),
        ("document_id", lambda index: index.replace({"x.md": ENTRIES[:1]})),
        ("chunk_id", lambda index: index.replace({"tea.md": ENTRIES[:1] * 2})),
        ("k", lambda index: index.search("tea", k=0)),
        ("k", lambda index: index.search("tea", k=1.5)),
    ],
)
def test_errors_name_the_argument_and_change_nothing(field: str, change: Any) -> None:  # noqa: ANN401
    index = LexicalIndex(ENTRIES)
    with pytest.raises(ConfigurationError) as raised:
        change(index)
    assert raised.value.field == field
    assert len(index) == 6


TEXTS = st.lists(st.sampled_from([entry.text for entry in ENTRIES]), max_size=3)
EDITS = st.lists(st.tuples(st.sampled_from("abc"), TEXTS, st.booleans()), max_size=8)


@settings(max_examples=50)
@given(EDITS, st.sampled_from(["green leaves", "cats", "wait for water"]))
def test_after_any_edits_it_is_as_one_made_of_what_is_left(
    edits: list[tuple[str, list[str], bool]], question: str
) -> None:
    index, left = LexicalIndex(), dict[str, list[LexicalEntry]]()
    for name, texts, is_searched in edits:
        entries = [LexicalEntry(name, str(n), "s", text) for n, text in enumerate(texts)]
        index.replace({name: entries})
        left = left | {name: entries} if texts else {n: e for n, e in left.items() if n != name}
        if is_searched:
            index.search(question)
    made = LexicalIndex(entry for entries in left.values() for entry in entries)
    assert index.document_ids == made.document_ids
    expected, hits = made.search(question), index.search(question)
    assert places(hits) == places(expected)
    assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in expected])


@pytest.mark.parametrize("entries", [[], ENTRIES[:4], ENTRIES])
def test_what_is_saved_is_loaded_and_goes_on(entries: list[LexicalEntry], tmp_path: Path) -> None:
    index = LexicalIndex(entries)
    index.save(tmp_path / "new" / "folder")
    loaded = LexicalIndex.load(tmp_path / "new" / "folder")
    for question in ("green leaves", "cats"):
        assert loaded.search(question) == index.search(question)
    assert loaded.document_ids == index.document_ids
    for each in (index, loaded):
        each.replace({"new.md": [LexicalEntry("new.md", "0", None, "More leaves for cats.")]})
    assert loaded.search("cats") == index.search("cats")


def test_saving_again_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    LexicalIndex(ENTRIES).save(tmp_path)
    LexicalIndex(ENTRIES[:4]).save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    assert LexicalIndex.load(tmp_path).document_ids == ("tea.md",)


def test_what_cannot_be_written_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    LexicalIndex(ENTRIES).save(tmp_path)

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="no space"):
        LexicalIndex(ENTRIES[:1]).save(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    assert len(LexicalIndex.load(tmp_path)) == 6


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:100], "damaged"),
        (lambda data: data[:-9] + b"x" + data[-8:], "damaged"),
        (lambda data: data.replace(b"index 1 ", b"index 2 ", 1), "format 2, not 1"),
        (lambda data: data[1:], "is not a Chunkana lexical index"),
        (lambda _: b"", "is not a Chunkana lexical index"),
    ],
)
def test_a_file_that_is_not_whole_is_named(damage: Any, reason: str, tmp_path: Path) -> None:  # noqa: ANN401
    LexicalIndex(ENTRIES).save(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(IndexFileError, match=reason) as raised:
        LexicalIndex.load(tmp_path)
    assert str(raised.value).startswith(f"{path}: ")


def test_where_nothing_is_saved_the_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="lexical_index"):
        LexicalIndex.load(tmp_path)


def test_words_may_be_split_otherwise(tmp_path: Path) -> None:
    index = LexicalIndex([LexicalEntry("a", "0", None, "C++ or C#")], tokenize=str.split)
    assert index.search("C#")
    index.save(tmp_path)
    assert LexicalIndex.load(tmp_path, tokenize=str.split).search("C#") == index.search("C#")


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )


def test_without_the_extra_the_error_says_what_to_install() -> None:
    done = python(
        "import sys; sys.modules['bm25s'] = None\n"
        "from chunkana_retrieval import LexicalIndex\nLexicalIndex()"
    )
    assert done.stderr.splitlines()[-1] == (
        'ImportError: LexicalIndex needs bm25s: pip install "chunkana-rag[retrieval]"'
    )


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import chunkana_retrieval, sys; print({'bm25s', 'numpy'} & set(sys.modules))"
    assert python(code).stdout == "set()\n"
