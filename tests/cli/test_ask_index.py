"""`chunkana ask` of an index, by embeddings, and with an index that is kept; `chunkana cache`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from chunkana_cli.indexing import keeping
from tests.cli.command import call, error_of, output_of, run
from tests.cli.indexes import OLD, Work, index, work, write
from tests.cli.rights import run_without_rights

__all__ = ["work"]  # a fixture

DOCUMENTS = Path(__file__).parents[1] / "data" / "documents"
QUESTIONS = {  # and the document of the best passage
    "What is the error of Simpson's rule?": "math_notes.md",
    "Wie wird die Anwendung installiert?": "guide_german.md",
    "Which release removed a command?": "changelog.md",
    "Как установить библиотеку?": "regression_ru.md",
    "版本": "notes_chinese.md",
    "zebra": None,
}
SIMPSON = "What is the error of Simpson's rule?"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, whose modules can be imported during the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "models", raising=False)
    return tmp_path


def asked(*words: str | Path) -> list[dict[str, Any]]:
    """Return the passages that `ask` prints."""
    found: list[dict[str, Any]] = json.loads(output_of("ask", *words, "--json"))["passages"]
    return found


# An index


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    assert index(DOCUMENTS, "-o", folder / "made").code == 0
    return folder / "made"


@pytest.mark.parametrize(("question", "best"), QUESTIONS.items())
def test_an_index_answers_as_its_files_do(question: str, best: str | None, made: Path) -> None:
    passages = asked(made, "-q", question)
    assert passages == asked(DOCUMENTS, "-q", question)
    assert [Path(one["file"]).name for one in passages[:1]] == [*filter(None, [best])]


@pytest.mark.usefixtures("here")
def test_the_index_of_the_current_folder_is_asked_by_default() -> None:
    write("tea.md", "# Tea\n\nBoil water.\n")
    index(".")
    write("tea.md", "# Coffee\n")
    assert output_of("ask", "-q", "water") == "── tea.md:1-3\n\n# Tea\n\nBoil water.\n"


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_budget_that_is_too_small_names_the_least(options: list[str], made: Path) -> None:
    words: list[str | Path] = ["ask", made, "-q", SIMPSON, *options]
    error = error_of(*words, "--budget=5", code=2)
    assert error.startswith("--budget is 5; the best passage needs ")
    least = int(error.split()[-1])
    assert error_of(*words, f"--budget={least - 1}", code=2).endswith(f" {least}")
    assert "math_notes.md" in output_of(*words, f"--budget={least}")


# Embeddings

MODELS = """
import numpy as np
from tests.vectors import word_vector

def lists(texts):
    return [word_vector(text, 64) for text in texts]

def array(texts):
    return np.array(lists(texts))

class ModelOfLangChain:
    def embed_documents(self, texts):
        return lists(texts)

    def embed_query(self, text):
        return word_vector(text, 64)

an_object = ModelOfLangChain()
"""
FRAMEWORKS = """
from langchain_core.embeddings import DeterministicFakeEmbedding
from llama_index.core import MockEmbedding
from llama_index.core.base.embeddings.base import BaseEmbedding
from tests.vectors import word_vector

class Words(BaseEmbedding):
    def _get_text_embedding(self, text):
        return word_vector(text, 64)

    def _get_query_embedding(self, text):
        return word_vector(text, 64)

    async def _aget_query_embedding(self, text):
        return word_vector(text, 64)

of_llamaindex = MockEmbedding(embed_dim=8)
of_langchain = DeterministicFakeEmbedding(size=8)
"""


@pytest.mark.usefixtures("here")
def test_functions_and_objects_with_the_methods_of_langchain_are_embeddings() -> None:
    write("models.py", MODELS)
    names = [f"models:{name}" for name in ("lists", "array", "ModelOfLangChain", "an_object")]
    files = (DOCUMENTS / "math_notes.md", DOCUMENTS / "changelog.md")
    by_words, answers = asked(*files, "-q", SIMPSON), []
    for number, name in enumerate(names):
        made, option = f"index{number}", f"--embedding={name}"
        assert index(*files, "-o", made, option).code == 0
        answers.append(asked(made, option, "-q", SIMPSON))
        assert asked(made, "-q", SIMPSON) == by_words
    assert asked(*files, option, "-q", SIMPSON) == answers[0]
    assert answers == [answers[0]] * len(names)
    assert answers[0] != by_words
    assert answers[0][0]["file"].endswith("math_notes.md")
    error = error_of("ask", "index0", "--embedding=models:array", "-q", "tea", code=2)
    assert error.startswith("--embedding is 'array'; allowed: the model of this index, 'lists'")


@pytest.mark.usefixtures("here")
def test_models_of_the_frameworks_are_embeddings() -> None:
    pytest.importorskip("llama_index.core")
    pytest.importorskip("langchain_core")
    write("models.py", MODELS + FRAMEWORKS)
    file = DOCUMENTS / "math_notes.md"
    expected = asked(file, "-q", SIMPSON, "--embedding=models:lists")
    assert asked(file, "-q", SIMPSON, "--embedding=models:Words") == expected
    for name in ("of_llamaindex", "of_langchain"):
        assert asked(file, "-q", SIMPSON, f"--embedding=models:{name}")


@pytest.mark.usefixtures("here")
def test_an_index_of_words_has_no_vectors_to_search(made: Path) -> None:
    write("models.py", MODELS)
    error = error_of("ask", made, "-q", "tea", "--embedding=models:lists", code=2)
    assert "allowed: this one without an embedding and a vector store" in error


# Kept indexes


@pytest.fixture
def docs(here: Path) -> Path:
    write("docs/tea.md", "# Tea\n\nBoil water.\n")
    write("docs/oven.md", "# Oven\n\nBake bread.\n")
    return here


def folders(cache_folder: Path) -> list[Path]:
    """Return the folders of the kept indexes."""
    return [path.parent for path in cache_folder.glob("*/index.db")]


@pytest.mark.usefixtures("docs")
def test_the_second_question_reads_what_changed(work: Work) -> None:
    for question, file in (("water", "docs/tea.md"), ("bread", "docs/oven.md")):
        (passage,) = asked("docs", "-q", question, "--keep")
        assert passage["file"] == file
    assert (sorted(work.read), len(work.chunked)) == (["docs/oven.md", "docs/tea.md"], 2)
    work.clear()
    write("docs/tea.md", "# Tea\n\nBoil milk.\n", OLD + 1)
    Path("docs/oven.md").unlink()
    assert [one["file"] for one in asked("docs", "-q", "milk bread", "--keep")] == ["docs/tea.md"]
    assert work == Work(["docs/tea.md"], ["docs/tea.md"])


def test_an_index_is_kept_for_each_folder_and_option(docs: Path, cache_folder: Path) -> None:
    write("models.py", MODELS)
    cases = [["docs"], ["."], ["docs", "--from=text"], ["docs", "--max-chunk-size=80"],
             ["docs", "--encoding=latin-1"], ["docs", "--embedding=models:lists"]]  # fmt: skip
    for number, words in enumerate(cases, 1):
        for _ in range(2):
            assert asked(*words, "-q", "water", "--keep")
            assert len(folders(cache_folder)) == number
    index("docs")
    assert asked(".chunkana", "-q", "water", "--keep")
    assert len(folders(cache_folder)) == len(cases)
    if os.name != "nt":
        made = [cache_folder, *folders(cache_folder)]
        assert {path.stat().st_mode & 0o777 for path in made} == {0o700}
    _, output, printed = call("cache")
    assert sorted(line.split("  ")[-1] for line in output.splitlines()) == sorted(
        str(docs / words[0]) if words[0] != "." else str(docs) for words in cases
    )
    assert printed.startswith("chunkana: 6 folders, ")
    code, output, printed = call("cache", "--clear")
    assert (code, output) == (0, "")
    assert printed.endswith(" deleted\n")
    assert folders(cache_folder) == []
    assert call("cache") == (0, "", "chunkana: 0 folders, 0.0 of 2,000 MB\n")


@pytest.mark.usefixtures("docs")
def test_indexes_that_were_used_least_recently_are_deleted() -> None:
    def names() -> list[str]:
        """Return the folders that indexes are kept of, that of the last question first."""
        return [Path(one.names).name for one in keeping.kept_indexes()]

    for number in range(4):
        write(f"{number}/tea.md", "# Tea\n\nBoil water.\n")
        asked(str(number), "-q", "water", "--keep")
        used = OLD + number * 1_000_000_000
        os.utime(keeping.kept_indexes()[0].folder, ns=(used, used))
    assert names() == ["3", "2", "1", "0"]
    size = keeping.kept_indexes()[0].size
    asked("1", "-q", "water", "--keep")  # the limit is not exceeded
    assert names() == ["1", "3", "2", "0"]
    with patch.object(keeping, "MOST_BYTES", 2 * size):
        asked("2", "-q", "water", "--keep")
    assert names() == ["2", "1"]
    with patch.object(keeping, "MOST_BYTES", 1):  # less than the index that is used
        asked("1", "-q", "water", "--keep")
    assert names() == ["1"]


def test_what_is_left_of_a_kept_index_is_counted_and_deleted(cache_folder: Path) -> None:
    left = cache_folder / "left"
    write(left / "index.db", b"x" * 2_000_000)
    (left / "index.db-wal").symlink_to("deleted while sizes are added up")
    os.utime(left, ns=(OLD, OLD))
    assert call("cache")[1] == "     2.0 MB  2020-09-13  left\n"
    call("cache", "--clear")
    assert not left.exists()


@pytest.mark.usefixtures("docs")
def test_a_damaged_kept_index_can_be_deleted(cache_folder: Path) -> None:
    asked("docs", "-q", "water", "--keep")
    (folder,) = folders(cache_folder)
    path = folder / "index.db"
    path.write_bytes(path.read_bytes()[:100] + b"tea" * 10_000)
    error = error_of("ask", "docs", "-q", "water", "--keep", code=1)
    assert error.startswith(f"{path}: is damaged (")
    assert error.endswith(", or delete the indexes that are kept: chunkana cache --clear")
    call("cache", "--clear")
    assert asked("docs", "-q", "water", "--keep")


def test_without_a_cache_folder_nothing_is_kept(docs: Path, cache_folder: Path) -> None:
    expected = output_of("ask", "docs", "-q", "water")
    write(cache_folder, "a file in its place")
    code, output, printed = call("ask", "docs", "-q", "water", "--keep")
    assert (code, output) == (0, expected)
    assert printed.startswith(f"chunkana: the index is not kept: {cache_folder}: ")
    assert call("cache")[0] == 0
    cache_folder.unlink()
    cache_folder.parent.chmod(0o500)
    done = run_without_rights("ask", "docs", "-q", "water", "--keep", folder=docs)
    assert (done.returncode, done.stdout.decode()) == (0, expected)
    message = f"chunkana: the index is not kept: {cache_folder}: Permission denied\n"
    assert done.stderr.decode() == message


def test_names_of_kept_files_are_shown_whatever_they_are(docs: Path, cache_folder: Path) -> None:
    name = os.fsdecode(b"\x1b[31mtea\xff.md")
    try:
        write(name, "# Tea\n\nBoil water.\n")
    except (OSError, UnicodeError):
        pytest.skip("this system has no such names")
    done = run("ask", name, "-q", "water", "--keep", folder=docs)
    assert done.returncode == 0
    assert len(folders(cache_folder)) == 1
    assert "\\x1b[31mtea\\udcff.md\n" in output_of_cache()


def output_of_cache() -> str:
    code, output, _ = call("cache")
    assert code == 0
    return output
