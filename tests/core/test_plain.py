"""Plain text: titles stay with what is below, prose is cut at sentences, other lines at lines."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, Chunker
from chunkana_core.formats.plain import parse_text

PROSE = """The keeper climbed the stairs each evening. When the lamp was lit, a beam
swept the bay. Ships that had waited outside came in, one after another,
and their crews said little. Nobody knew who had built the tower, or why
it was so high. Some said that it was older than the town.
"""
DOCKERFILE = """# Installs everything.
FROM python:3.12-slim
WORKDIR /app
COPY . .
RUN apt-get update && apt-get install -y curl. \\
    && rm -rf /var/lib/apt/lists
COPY requirements.txt .
RUN pip install -r requirements.txt. Done
CMD ["python", "-m", "app"]
"""
CSV = "name,age,note\n" + "".join(f"Ann Lee {n},{n},Is here. Was there.\n" for n in range(10, 30))
LOG = "".join(f"2026-11-2{n} 10:00:0{n} INFO Worker {n} is done. Waiting.\n" for n in range(9))
NUMBERS = "".join(f"{n}  {n * 7}  {n * 13}\n" for n in range(10, 40))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Title\n=====\n\nText.\n", "heading paragraph"),
        ("Title\n-----\nText.\nTitle\n", "heading opaque"),
        ("=====\nA title\nof two\n=====\nText\n", "heading paragraph"),
        ("name   size\n-----  ----\na      1\nb      2\n", "heading opaque"),
        ("+---+\n| a |\n+---+\n| 1 |\n+---+\n", "heading opaque"),
        ("Name   Size   Year\n\na   1   1990\nb   2   1991\n", "heading opaque"),
        ("Name   Size   Year\n\nIt was so.\n", "paragraph paragraph"),
        ("a   1   1990\n\nb   2   1991\n", "paragraph paragraph"),
        ("All was done.\n------\nMore.\n", "opaque"),
        ("one\ntwo\nthree\n-----\n", "opaque"),
        ("-----\n\n=====\n", "paragraph paragraph"),
        ("Title\n=====\n\nNo text\n-------\n", "heading opaque"),
        (PROSE, "paragraph"),
        ("> " + PROSE.replace("\n", "\n> "), "opaque"),
        ("潮水在夜里上涨，数据每十分钟\n记录一次，然后船就来了，大家\n都很高兴。\n", "paragraph"),
        (DOCKERFILE, "opaque"),
        (CSV, "opaque"),
        (LOG, "opaque"),
        (NUMBERS, "opaque"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    """What is underlined is a title; wrapped lines are prose; other lines are themselves."""
    blocks = parse_text(text).top
    assert " ".join(block.kind for block in blocks) == kinds
    assert {block.level for block in blocks} == {0}


@pytest.mark.parametrize("text", [DOCKERFILE, CSV, LOG, NUMBERS])
@pytest.mark.parametrize("limit", [120, 160, 200])
def test_lines_are_cut_at_lines(text: str, limit: int) -> None:
    """Never at a sentence's end inside a line that fits, nor after the first line."""
    chunks = Chunker(ChunkConfig(max_chunk_size=limit)).chunk(text, "text")
    assert len(chunks) > 1
    assert [line for chunk in chunks for line in chunk.text.split("\n")] == text.splitlines()
    assert "\n" in chunks[0].text


def test_prose_is_cut_at_sentences() -> None:
    """Also where its lines are wrapped, and where a line is a paragraph."""
    config = ChunkConfig(max_chunk_size=150, min_chunk_size=0)
    chunks = Chunker(config).chunk(PROSE, "text")
    assert len(chunks) > 1
    assert all(chunk.text.endswith(".") for chunk in chunks)
    lines = "A first one.\n" + PROSE.replace("\n", " ") + "\nA last one.\n"
    assert all(chunk.text.endswith(".") for chunk in Chunker(config).chunk(lines, "text"))


@pytest.mark.parametrize("title", ["Title\n=====\n", "Name   Size   Year\n", "-----\na\n-----\n"])
@pytest.mark.parametrize("gap", ["", "\n"])
def test_no_chunk_ends_with_a_title(title: str, gap: str) -> None:
    """Wherever it is, a title goes with the text below it, and is not repeated."""
    rows = "one   two   1990\n" * 4
    text = f"{PROSE}\n{title}{gap}{rows}\n" * 8
    for limit in range(60, 400, 17):
        chunks = Chunker(ChunkConfig(max_chunk_size=limit)).chunk(text, "text")
        assert not any(chunk.text.endswith(title.strip()) for chunk in chunks)
        assert sum(chunk.content.count(title) for chunk in chunks) == 8
