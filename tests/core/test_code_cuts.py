"""Fenced code that has to be cut: at blank lines, or by its syntax."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, InvariantValidator, MarkdownChunker
from chunkana_core import config as config_module

pytest.importorskip("tree_sitter")

PYTHON = """import os

def first(a):
    x = 1

    y = 2
    return call(
        a,

        b,
    )

def second():
    return 3

class A:
    def g(self):
        return 1"""
JSON = '{\n  "tea": [\n    1,\n\n    2\n  ],\n  "cups": {\n    "large": 1,\n    "small": 2\n  }\n}'


def parts(code: str, info: str, limit: int, cuts: str, prefix: str = "") -> list[str]:
    """Return the code of each part of a fenced block, without its fences."""
    lines = [f"```{info}", *code.split("\n"), "```"]
    text = "".join(f"{prefix}{line}".rstrip() + "\n" for line in lines)
    config = ChunkConfig(max_chunk_size=limit, atomic_blocks="split", code_cuts=cuts)  # type: ignore[arg-type]
    chunks = MarkdownChunker(config).chunk(text)
    assert InvariantValidator(config).validate(chunks, text).valid
    contents = ([line.removeprefix(prefix) for line in c.content.split("\n")] for c in chunks)
    return ["\n".join(lines[1:-1]).strip("\n>") for lines in contents]


def first_lines(found: list[str]) -> list[str]:
    return [part.split("\n")[0] for part in found]


@pytest.mark.parametrize(
    ("code", "info", "limit", "by_lines", "by_syntax"),
    [
        (PYTHON, "python", 130, "        b,", "def second():"),
        (PYTHON, "py title=x", 130, "        b,", "def second():"),
        (PYTHON, "{.python}", 130, "        b,", "def second():"),
        (PYTHON, "", 130, "        b,", "        b,"),
        (PYTHON, "brainfuck", 130, "        b,", "        b,"),
        (JSON, "json", 80, "    2", '  "cups": {'),
    ],
)
def test_statements_are_not_parted_by_syntax(
    code: str, info: str, limit: int, by_lines: str, by_syntax: str
) -> None:
    assert by_lines in first_lines(parts(code, info, limit, "lines"))
    assert by_syntax in first_lines(parts(code, info, limit, "syntax"))


@pytest.mark.parametrize("prefix", ["> ", "- ", "> > "])
def test_code_in_containers_is_cut_alike(prefix: str) -> None:
    """What containers put before its lines is no part of it."""
    if prefix == "- ":
        text = "- ```python\n" + "".join(f"  {line}\n" for line in PYTHON.split("\n")) + "  ```\n"
        config = ChunkConfig(max_chunk_size=180, atomic_blocks="split", code_cuts="syntax")
        found = [chunk.text for chunk in MarkdownChunker(config).chunk(text)]
        assert found[1].startswith("  def second():")
    else:
        limit = 130 + len(prefix) * 14
        assert "def second():" in first_lines(parts(PYTHON, "python", limit, "syntax", prefix))


def test_a_statement_over_the_limit_is_cut_at_its_inner_ones() -> None:
    body = "".join(
        f"    first_{n} = {n}\n    second_{n} = [\n        {n},\n    ]\n" for n in range(9)
    )
    found = parts(f"def f():\n{body.rstrip()}", "python", 120, "syntax")
    assert len(found) > 2
    assert all(line.split("_")[0].strip() in ("first", "second") for line in first_lines(found)[1:])


def test_statements_in_others_are_places_to_cut() -> None:
    """Fewer parts come first; of cuts into as many, none is inside a statement."""
    row = "        {0} = call(\n            {0},\n        )\n"
    code = "def f():\n    if ready:\n" + "".join(map(row.format, "abcdefgh")).rstrip()
    by_lines, by_syntax = (
        first_lines(parts(code, "python", 150, cuts)) for cuts in ("lines", "syntax")
    )
    assert by_lines == ["def f():", "            c,", "            f,"]
    assert by_syntax == ["def f():", "        c = call(", "        f = call("]


@given(st.text("ab():[]{}\"'#\n  =`", max_size=200), st.sampled_from(["python", "js", "json"]))
def test_the_laws_hold_for_any_code(code: str, info: str) -> None:
    config = ChunkConfig(
        max_chunk_size=40, atomic_blocks="split", code_cuts="syntax", validation="strict"
    )
    MarkdownChunker(config).chunk(f"~~~{info}\n{code}\n~~~\n")


def test_without_the_extra_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_module, "find_spec", lambda _: None)
    assert ChunkConfig().code_cuts == "lines"
    with pytest.raises(ImportError) as raised:
        ChunkConfig(code_cuts="syntax")
    assert str(raised.value) == "code_cuts='syntax' needs pip install \"chunkana-rag[code]\""
