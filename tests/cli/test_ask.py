"""`chunkana ask`: the passages for a question, with files and lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import call, error_of, output_of
from tests.cli.terminal import at_terminal

TEA = "# Tea\n\nBoil water. It takes a while.\n\n## Green\n\nWait for 80 degrees.\n"
CATS = "# Cats\n\nThey sleep.\n\n## Food\n\nCats drink water.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tea.md").write_text(TEA, encoding="utf-8")
    (tmp_path / "cats.md").write_text(CATS, encoding="utf-8")
    return tmp_path


def test_passages_are_shown_with_file_and_lines(folder: Path) -> None:
    files = ("tea.md", "cats.md")
    output = output_of("ask", *files, "-q", "degrees", "--min-chunk-size=0", folder=folder)
    assert output == "── tea.md:5-7\n\nTea\n\n## Green\n\nWait for 80 degrees.\n"
    output = output_of("ask", *files, "-q", "water", folder=folder)
    assert re.findall(r"── (\S+)", output) == ["tea.md:1-3", "cats.md:5-7"]


def test_json_has_passages_that_fit_the_budget(folder: Path) -> None:
    arguments = ("ask", "tea.md", "cats.md", "--json", "--budget=60", "--min-chunk-size=0")
    said = json.loads(output_of(*arguments, "-q", "green degrees", folder=folder))
    assert (said["question"], said["budget"]) == ("green degrees", 60)
    (passage,) = said["passages"]
    assert passage["file"] == "tea.md"
    assert passage["path"] == ["Tea", "Green"]
    (start, end), *_ = passage["spans"]
    assert TEA[start:end] in passage["text"]
    assert len(passage["text"]) <= 60
    assert set(passage) == {
        "file", "start_line", "end_line", "lines", "cells", "path", "score", "spans", "chunk_ids",
        "text",
    }  # fmt: skip


def test_a_citation_names_the_lines_of_each_span(folder: Path) -> None:
    gap = "".join(f"Sentence {n} says nothing of it.\n\n" for n in range(60))
    text = f"# Tea\n\nWater boils at 100 degrees.\n\n{gap}Green tea takes 80 degrees.\n"
    (folder / "long.md").write_text(text, encoding="utf-8")
    arguments = ("ask", "long.md", "-q", "degrees", "--max-chunk-size=80", "--min-chunk-size=0")
    output = output_of(*arguments, folder=folder)
    assert output.splitlines()[0] == "── long.md:1-3, 125-125"
    (passage,) = json.loads(output_of(*arguments, "--json", folder=folder))["passages"]
    assert (passage["start_line"], passage["end_line"]) == (1, 125)
    assert passage["lines"] == [[1, 3], [125, 125]]
    assert len(passage["spans"]) == 2


def test_a_title_in_front_matter_is_said_above(folder: Path) -> None:
    text = "---\ntitle: Coffee\n---\n\n## Grind\n\nFinely.\n"
    (folder / "coffee.md").write_text(text, encoding="utf-8")
    output = output_of("ask", "coffee.md", "-q", "grind", folder=folder)
    assert output == "── coffee.md:5-7\n\nCoffee\n\n## Grind\n\nFinely.\n"


def test_a_pipe_gets_tabs_and_spaces_as_they_are(folder: Path) -> None:
    (folder / "code.md").write_text("# Run\n\n```make\nall:\n\ttea  \n```\n", encoding="utf-8")
    output = output_of("ask", "code.md", "-q", "run", folder=folder)
    assert output == "── code.md:1-6\n\n# Run\n\n```make\nall:\n\ttea  \n```\n"


def test_nothing_found(folder: Path) -> None:
    assert output_of("ask", ".", "-q", "zebra", folder=folder) == "Nothing found for “zebra”\n"
    said = json.loads(output_of("ask", ".", "-q", "zebra", "--json", folder=folder))
    assert said["passages"] == []


@pytest.mark.parametrize("question", ["", "the of and", "?!"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_question_without_a_word_to_search_for(
    question: str, options: list[str], folder: Path
) -> None:
    message = "which has no word to search for; stop words such as 'the' and 'of' are ignored"
    expected = f"--question is {question!r}, {message}"
    assert error_of("ask", folder, "-q", question, *options, code=2) == expected


def test_what_cannot_be_read_is_named_and_the_others_are_searched(folder: Path) -> None:
    code, output, error = call("ask", folder / "tea.md", "no.md", "-q", "degrees")
    assert (code, error) == (1, "chunkana: no.md: no such file\n")
    assert "Wait for 80 degrees." in output
    code, output, _ = call("ask", "no.md", "-q", "degrees")
    assert (code, output) == (1, "")


def test_at_a_terminal_nothing_is_obeyed(folder: Path) -> None:
    (folder / "a.md").write_text("# A\n\n[red]Tea[/red] \x1b[2J about cats.\n", encoding="utf-8")
    output = at_terminal("ask", "a.md", "-q", "tea", folder=folder, columns=70)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert plain != output
    assert "[red]Tea[/red] \\x1b[2J" in plain
