"""`chunkana split`: chunks as JSON lines and as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args
from unicodedata import category

import pytest
from hypothesis import given, settings

from chunkana_batch.rows import FIELDS
from chunkana_cli.options import Strategy
from chunkana_cli.runs.format import RowOptions
from chunkana_cli.runs.formats import render_json, render_text
from chunkana_core import ChunkConfig, Chunker, Context, MarkdownChunker
from chunkana_core.extending import StrategySelector
from tests.cli.command import error_of, output_of, piped
from tests.strategies import any_markdown

PLAIN = "# Guide\n\nHello.\n\n## Use\n\nTurn it on. Wait.\n"
ODD = (
    "\ufeff# Größe\r\n\r\nTab\there  \r\n\r\n## 日本 [b]\r\n\r\n😀 \x0b\u2028\x85\x7f end\rnext\r\n"
)
DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))


def rows(output: str) -> list[dict[str, Any]]:
    """Read JSON lines with a reader that splits at every Unicode line end."""
    return [json.loads(line) for line in output.splitlines()]


def test_each_line_has_the_fields_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(PLAIN, encoding="utf-8")
    first, second = rows(output_of("split", "guide.md", folder=tmp_path))
    assert list(first) == list(second) == list(FIELDS)
    assert (first["file"], first["content"]) == ("guide.md", "# Guide\n\nHello.")
    assert second["embedded"] == "guide.md > Guide > Use\n\n## Use\n\nTurn it on. Wait."
    assert (second["path"], second["metadata"]) == (["Guide", "Use"], "{}")


def test_without_context_what_is_embedded_is_the_content(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(PLAIN, encoding="utf-8")
    for row in rows(output_of("split", "guide.md", "--no-context", folder=tmp_path)):
        assert row["embedded"] == row["content"]


def test_fields_are_those_that_are_named_in_that_order(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(PLAIN, encoding="utf-8")
    output = output_of("split", "guide.md", "--fields=start_line, file", folder=tmp_path)
    assert output.splitlines()[1] == '{"start_line": 5, "file": "guide.md"}'


@pytest.mark.parametrize(("fields", "named"), [("id,nose", "nose"), ("", ""), ("id,id", "id,id")])
def test_fields_that_are_none_or_twice(fields: str, named: str) -> None:
    message = error_of("split", DOCUMENTS[0], f"--fields={fields}", code=2)
    assert message.startswith(f"--fields has {named!r}; allowed: each once of id, document_id, ")


@pytest.mark.parametrize("text", [PLAIN, ODD], ids=["plain", "odd"])
def test_offsets_are_those_of_the_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file.md"
    path.write_bytes(text.encode())
    read = path.read_bytes().decode()
    chunks = rows(output_of("split", path, "--max-chunk-size", "32"))
    for row in chunks:
        exact = read[row["start_char"] : row["end_char"]]
        assert row["content"][row["prefix_chars"] :].startswith(exact)
    held = "".join(read[row["start_char"] : row["end_char"]] for row in chunks)
    assert "".join(held.split()) == "".join(text.split())


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_json_lines_hold_any_chunk_in_one_line_each(text: str) -> None:
    result = MarkdownChunker(ChunkConfig(max_chunk_size=100)).chunk_hierarchical(text)
    output = b"".join(render_json(RowOptions(), "a.md", result)).decode("utf-8")
    read = [(row["content"], row["embedded"]) for row in rows(output)]
    assert read == [(chunk.content, chunk.embedded) for chunk in result.get_leaves()]


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_text_has_nothing_that_a_terminal_would_obey(text: str) -> None:
    result = MarkdownChunker().chunk_hierarchical(text)
    output = b"".join(render_text(RowOptions(), "\x1b[31m.md", result)).decode("utf-8")
    controls = {c for c in output if category(c) in {"Cc", "Cs", "Zl", "Zp"}}
    assert controls <= {"\n", "\t"}


def test_text_format_separates_and_describes_chunks(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(PLAIN, encoding="utf-8")
    output = output_of("split", "--format", "text", "guide.md", folder=tmp_path)
    assert output.startswith("════ guide.md: 2 chunks, 43 characters, strategy ")
    assert "──── 1/2  /Guide  lines 1-3  15 characters  " in output
    assert "──── 2/2  /Guide/Use  lines 5-7  " in output
    assert "\n\n# Guide\n\nHello.\n\n" in output


def test_text_format_says_what_continues_and_what_is_too_large(tmp_path: Path) -> None:
    code = "```\n" + "x = 1\n" * 30 + "```\n"
    (tmp_path / "a.md").write_text(f"# A\n\n{'Long text. ' * 20}\n\n{code}", encoding="utf-8")
    options = ("--format=text", "--max-chunk-size=80", "--atomic-blocks=keep")
    output = output_of("split", *options, "a.md", folder=tmp_path)
    assert "  continued" in output
    assert "  oversize: code_block_integrity" in output


def test_standard_input(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("file", encoding="utf-8")
    output = piped("split", "-", "a.md", stdin=ODD.encode(), folder=tmp_path)
    found = rows(output)
    assert [row["file"] for row in found][-2:] == ["-", "a.md"]
    assert found[0]["content"].startswith("\ufeff# Größe\r\n")


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PLAIN, encoding="utf-8")
    (tmp_path / "out.jsonl").write_text("old\n" * 100, encoding="utf-8")
    assert not output_of("split", "a.md", "-o", "out.jsonl", folder=tmp_path)
    assert len(rows((tmp_path / "out.jsonl").read_text(encoding="utf-8"))) == 2


def test_every_option_reaches_the_chunker(tmp_path: Path) -> None:
    path = DOCUMENTS[0]
    config = ChunkConfig(
        max_chunk_size=300,
        min_chunk_size=20,
        overlap_size=15,
        strategy="structural",
        atomic_blocks="keep",
        oversize_tolerance=0.1,
        merge_boundary_level=1,
        min_content_after_header=10,
        code_threshold=0.5,
        structure_threshold=2,
    )
    usual = ChunkConfig(atomic_blocks="split").to_dict()
    changed = {k: v for k, v in config.to_dict().items() if usual[k] != v}
    options = [f"--{name.replace('_', '-')}={value}" for name, value in changed.items()]
    output = output_of("split", path, *options, folder=tmp_path)
    chunks = Chunker(config, Context()).chunk(path.read_bytes().decode(), path=path)
    assert [(row["chunk_id"], row["embedded"]) for row in rows(output)] == [
        (chunk.chunk_id, chunk.embedded) for chunk in chunks
    ]


def test_strategies_offered_are_the_built_in_ones() -> None:
    names = [strategy.name for strategy in StrategySelector().get_available_strategies()]
    assert get_args(Strategy) == ("auto", *names)
