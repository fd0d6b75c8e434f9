"""`chunkana stats`: sizes, kinds, chunks over the limit; and the progress bar."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from chunkana_cli.commands.stats import FileStats, show_stats
from chunkana_core import ChunkConfig, MarkdownChunker, chunk_hierarchical
from tests.cli.command import call, error_of, output_of, piped
from tests.cli.terminal import at_terminal

DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))
KEPT = ("--no-context", "--atomic-blocks=keep")
CODE = "# A\n\nSome text.\n\n```\n" + "x = 1\n" * 40 + "```\n\n# B\n\nMore.\n"


def test_sizes_kinds_and_what_is_over_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(CODE, encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\n\nText.\n", encoding="utf-8")
    output = output_of("stats", "a.md", "b.md", *KEPT, "--max-chunk-size=100", folder=tmp_path)
    lines = [" ".join(line.split()) for line in output.splitlines()]
    assert lines[0] == "file characters chunks min median p90 max oversize"
    assert lines[1].startswith("a.md 277 ")
    assert lines[2] == "b.md 11 1 10 10 10 10 0"
    assert lines[3].startswith("2 files 288 ")
    assert any(re.match(r"over 100 1 █", line) for line in lines)
    assert "code_block_integrity 1" in lines
    assert any(re.fullmatch(r"\d+ a.md:\d+-46 code_block_integrity", line) for line in lines)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_json_has_the_numbers_of_the_chunks(jobs: str) -> None:
    said = json.loads(piped("stats", *DOCUMENTS, *KEPT, "--json", "--jobs", jobs))
    expected = [MarkdownChunker().chunk(path.read_bytes().decode()) for path in DOCUMENTS]
    for file, path, chunks in zip(said["files"], DOCUMENTS, expected, strict=True):
        assert file["file"] == str(path)
        assert file["chunks"] == len(chunks) == sum(bin_["chunks"] for bin_ in file["histogram"])
        assert file["sizes"]["max"] == max(chunk.size for chunk in chunks)
        over = [chunk.chunk_id for chunk in chunks if chunk.oversize_reason]
        assert [chunk["chunk_id"] for chunk in file["oversize"]] == over
    total = said["total"]
    assert total["chunks"] == sum(map(len, expected)) == sum(total["kinds"].values())
    assert said["max_chunk_size"] == 1000


@pytest.mark.parametrize("width", [100, 60])
def test_of_many_files_the_first_have_rows_of_their_own(width: int) -> None:
    result = chunk_hierarchical("# A\n\nText.\n")
    files = [FileStats.of(f"{number}.md", result) for number in range(250)]
    console = Console(file=StringIO(), width=width)
    show_stats(files, 1000, console)
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue()
    assert re.findall(r"^(\d+)\.md", shown, re.MULTILINE) == [str(n) for n in range(100)]
    rest = r"99\.md[^…]*\n… and 150 more files[^…]* 1,650[^…]*\n250 files[^…]* 2,750"
    assert re.search(rest, shown)


def test_the_ninetieth_percentile_is_the_nearest_rank() -> None:
    text = "".join(f"# {'a' * n}\n\nText.\n\n" for n in range(1, 11))
    result = chunk_hierarchical(text, ChunkConfig(min_chunk_size=0))
    stats = FileStats.of("a", result)
    assert stats.sizes == tuple(range(10, 20))
    assert stats.spread == {"min": 10, "median": 14.5, "p90": 18, "max": 19}


def test_documents_without_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\n")
    output = output_of("stats", "a.md", folder=tmp_path)
    assert "a.md           1       0    -       -    -    -         0" in output
    said = json.loads(output_of("stats", "a.md", "--json", folder=tmp_path))
    assert said["total"]["sizes"] == {}


def test_at_a_terminal_many_documents_have_a_bar_that_goes_away(tmp_path: Path) -> None:
    """There is none between chunks that go to the same terminal."""
    for number in range(30):
        (tmp_path / f"{number}.md").write_text("# A\n\nText.\n", encoding="utf-8")
    assert "Documents" not in at_terminal("stats", "1.md", folder=tmp_path, columns=100)
    output = at_terminal("stats", ".", folder=tmp_path, columns=100)
    assert "Documents" in output
    assert "30 files" in output.split("\x1b[2K")[-1]
    output = at_terminal("split", ".", folder=tmp_path, columns=100)
    assert "Documents" not in output
    assert len([line for line in output.splitlines() if line.startswith("{")]) == 30
    output = at_terminal("split", ".", "-o", "out.jsonl", folder=tmp_path, columns=100)
    assert "Documents" in output
    assert len((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()) == 30


def test_a_narrow_terminal_cuts_nothing(tmp_path: Path) -> None:
    path = DOCUMENTS[0].parent / "long_code.md"
    stats = FileStats.of(str(path), chunk_hierarchical(path.read_bytes().decode()))
    for columns in (20, 40, 60, 72, 100):
        console = Console(file=StringIO(), width=columns, force_terminal=True, no_color=True)
        show_stats([stats], 1000, console)
        assert isinstance(console.file, StringIO)
        nothing_is_cut(console.file.getvalue())
    nothing_is_cut(
        at_terminal("stats", str(path), *KEPT, folder=tmp_path, columns=20, NO_COLOR="1"),
    )


def nothing_is_cut(output: str) -> None:
    words = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert "…" not in words
    flat = " ".join(words.split())
    assert all(number in flat for number in ("11,947", "1,660", "3,067", "oversize"))
    assert re.search(r"over 1,000\s+5\s+█", words)


def test_tables_and_documents_are_counted_together(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    output_of("split", "a.md", "-o", "a.parquet", folder=tmp_path)
    said = json.loads(output_of("stats", "a.parquet", "a.md", "--json", folder=tmp_path))
    assert [file["chunks"] for file in said["files"]] == [1, 1]
    assert said["total"]["chunks"] == 2


def test_tables_that_are_none_of_chunks(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    pa = pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"file": ["a.md"], "text": ["Text."]}), path)
    message = f"{path}: is not a table of chunks: it has no column 'error'"
    assert error_of("stats", path, code=1) == message
    path.write_bytes(b"PAR1 or not")
    assert error_of("stats", path, code=1).startswith(f"{path}: cannot be read: ")


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "ndjson", "parquet"])
def test_tables_of_chunks_have_the_numbers_of_their_documents(suffix: str, tmp_path: Path) -> None:
    """Those that the documents have, but for the characters after the last chunk."""
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    chunks = tmp_path / f"chunks.{suffix}"
    output_of("split", *DOCUMENTS, "--atomic-blocks=keep", "-o", chunks)
    of_chunks = json.loads(output_of("stats", chunks, "--json"))
    of_files = json.loads(output_of("stats", *DOCUMENTS, "--atomic-blocks=keep", "--json"))
    for one, other in zip(of_chunks["files"], of_files["files"], strict=True):
        assert 0 <= other.pop("characters") - one.pop("characters") < 10
        assert one == other
    for name in ("kinds", "oversize"):
        assert of_chunks["total"][name] == of_files["total"][name] != []


@pytest.mark.parametrize(
    ("text", "options"),
    [('{"content": "A text of its own.", "author": "Ann"}\n', []), (None, ["--from=text"])],
    ids=["other fields", "--from"],
)
def test_json_lines_that_are_a_document_are_chunked(
    text: str | None, options: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n\n# B\n\nMore.\n", encoding="utf-8")
    path = tmp_path / "a.jsonl"
    output_of("split", "a.md", "-o", path, folder=tmp_path)
    if text is not None:
        path.write_text(text, encoding="utf-8")
    (file,) = json.loads(output_of("stats", path, "--json", *options))["files"]
    assert file["file"] == str(path)
    assert file["characters"] == len(path.read_text(encoding="utf-8"))


def test_json_lines_that_cannot_be_counted_keep_no_others_from_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    few, broken, absent = (tmp_path / f"{name}.jsonl" for name in ("few", "broken", "absent"))
    output_of("split", tmp_path / "a.md", "--fields=id,embedded,file", "-o", few)
    output_of("split", tmp_path / "a.md", "-o", broken)
    with broken.open("a", encoding="utf-8") as file:
        file.write("{\n")
    code, output, error = call("stats", few, broken, absent, tmp_path / "a.md", "--json")
    assert code == 1
    assert [file["chunks"] for file in json.loads(output)["files"]] == [1]
    found = error.replace(f"chunkana: {tmp_path}/", "").splitlines()
    assert found[0] == "few.jsonl: is not a table of chunks: it has no column 'error'"
    assert found[1].startswith("broken.jsonl: line 2: is not JSON: ")
    assert found[2] == "absent.jsonl: no such file"


def test_what_split_wrote_into_a_folder_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    (tmp_path / "manifest.json").write_text('{"name": "of an app"}', encoding="utf-8")
    before = output_of("stats", ".", "--json", folder=tmp_path)
    output_of("split", "a.md", "-o", "out/", folder=tmp_path)
    assert output_of("stats", ".", "--json", folder=tmp_path) == before
    (tmp_path / "out" / "b.md").write_text("# B\n\nText.\n", encoding="utf-8")
    files = json.loads(output_of("stats", "out", "--json", folder=tmp_path))["files"]
    assert [file["file"] for file in files] == ["out/b.md"]


def test_a_folder_of_nothing_but_what_split_wrote(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    out = tmp_path / "out"
    output_of("split", tmp_path / "a.md", "-o", f"{out}/")
    wrote = "no file but what split wrote (chunks.jsonl, manifest.json); name files or a pattern"
    code, _, error = call("stats", out)
    assert (code, error) == (1, f"chunkana: {out}: {wrote}\n")
    assert f"\n{tmp_path}/a.md " in output_of("stats", out / "chunks.jsonl")
