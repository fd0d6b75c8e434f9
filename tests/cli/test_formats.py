"""`chunkana split --format`: markdown with markers, and Parquet."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

import chunkana_batch
from chunkana_cli.runs.format import RowOptions
from chunkana_cli.runs.formats import render_markdown
from chunkana_core import ChunkConfig, MarkdownChunker
from tests.cli.command import call, error_of, output_of, piped, run, without_summary
from tests.strategies import any_markdown

DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))
FRONT = "---\ntitle: Tea\ntags: [hot, green]\nsource: shop\n---\n\n# Tea\n\nText.\n"
_MARKER = re.compile(r"<!-- chunk (\{[^\n>]*\}) -->\n")


def read_markdown(written: str) -> list[tuple[dict[str, object], str]]:
    """Read chunks as documented: a marker, then the number of characters in it."""
    chunks, at = [], 0
    while at < len(written):
        marker = _MARKER.match(written, at)
        assert marker is not None, written[at : at + 80]
        fields = json.loads(marker[1])
        end = marker.end() + fields["length"]
        chunks.append((fields, written[marker.end() : end]))
        assert written[end : end + 2] == "\n\n"
        at = end + 2
    return chunks


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_markdown_is_read_back_exactly(text: str) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")  # files have no lone surrogates
    result = MarkdownChunker(ChunkConfig(max_chunk_size=60)).chunk_hierarchical(text)
    chunks = read_markdown(
        b"".join(render_markdown(RowOptions(), "a--> <!-- b.md", result)).decode()
    )
    assert [chunk for _, chunk in chunks] == [leaf.text for leaf in result.get_leaves()]
    assert [f["start"] for f, _ in chunks] == [leaf.span.start for leaf in result.get_leaves()]
    assert all(fields["file"] == "a--> <!-- b.md" for fields, _ in chunks)


def test_a_document_that_has_markers_of_its_own_is_no_trouble(tmp_path: Path) -> None:
    text = '# A\n\n<!-- chunk {"length": 3} -->\n\nText.\n'
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    written = output_of("split", "--format=markdown", "a.md", folder=tmp_path)
    again = output_of("split", "--format=markdown", "-", stdin=written.encode())
    assert [chunk for _, chunk in read_markdown(written)] == [text.rstrip()]
    assert read_markdown(again)


def test_markers_are_comments_of_a_line(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    first = output_of("split", "--format=markdown", "a.md", folder=tmp_path).splitlines()[0]
    assert first.startswith('<!-- chunk {"file": "a.md", "chunk": 1, "of": 1, "id": "')
    assert first.endswith('"path": "/A", "lines": [1, 3], "start": 0, "length": 10} -->')


def test_parquet_is_the_table_of_the_files(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    path = tmp_path / "chunks.parquet"
    assert not output_of("split", *DOCUMENTS, "-o", path)
    pa = pytest.importorskip("pyarrow")
    texts = [document.read_bytes().decode() for document in DOCUMENTS]
    documents = pa.table({"text": texts, "path": [str(document) for document in DOCUMENTS]})
    table = pq.read_table(path)
    config = ChunkConfig(atomic_blocks="split")
    assert table.equals(chunkana_batch.chunk_table(documents, config))
    assert table.schema.metadata == chunkana_batch.SCHEMA.metadata


def test_json_lines_and_parquet_hold_the_same(tmp_path: Path) -> None:
    """Also if front matter mixes types, which readers of JSON lines do not allow in a column."""
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    (tmp_path / "a.md").write_text(FRONT, encoding="utf-8")
    (tmp_path / "b.md").write_text("---\ntags: {cold: 1}\n---\n\nText.", encoding="utf-8")
    options = ("a.md", "b.md", "--front-matter-key=tags", "--fields=metadata,path,cell,content")
    lines = output_of("split", *options, folder=tmp_path).splitlines()
    output_of("split", *options, "-o", "a.parquet", folder=tmp_path)
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    assert rows == [json.loads(line) for line in lines]
    assert json.loads(rows[0]["metadata"]) == {"tags": ["hot", "green"]}
    assert json.loads(rows[-1]["metadata"]) == {"tags": {"cold": 1}}


def test_parquet_has_row_groups_of_one_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    monkeypatch.setattr("chunkana_cli.runs.parquet._ROWS", 1_000)
    for name, count in {"a": 700, "b": 700, "c": 900}.items():
        (tmp_path / f"{name}.md").write_text("# A\n\nText.\n" * count, encoding="utf-8")
    output_of("split", "a.md", "b.md", "c.md", "-o", "out.parquet", folder=tmp_path)
    file = pq.ParquetFile(tmp_path / "out.parquet")
    groups = [file.metadata.row_group(n).num_rows for n in range(file.num_row_groups)]
    assert groups == [1_000, 1_000, 300]


@pytest.mark.parametrize(
    ("output", "form"),
    [("a.jsonl", "jsonl"), ("a.ndjson", "jsonl"), ("a.md", "markdown"), ("a.MARKDOWN", "markdown"),
     ("a.txt", "text"), ("a", "jsonl")],
)  # fmt: skip
def test_the_name_of_the_output_tells_its_format(output: str, form: str, tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text(FRONT, encoding="utf-8")
    output_of("split", "in.md", "-o", output, folder=tmp_path)
    said = output_of("split", "in.md", "--format", form, folder=tmp_path)
    assert (tmp_path / output).read_text("utf-8") == said


@pytest.mark.parametrize("output", ["a.jsonl.gz", "a.md.gz", "a.txt.gz", "a.gz"])
def test_the_name_of_the_output_tells_that_it_is_compressed(output: str, tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text(FRONT, encoding="utf-8")
    form = {"md": "markdown", "txt": "text"}.get(output.split(".")[1], "jsonl")
    output_of("split", "in.md", "-o", output, folder=tmp_path)
    said = output_of("split", "in.md", "--format", form, folder=tmp_path)
    first = (tmp_path / output).read_bytes()
    assert gzip.decompress(first).decode() == said
    output_of("split", "in.md", "-o", output, folder=tmp_path)
    assert (tmp_path / output).read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.parquet", "--format=jsonl"],
         "--format jsonl and -o a.parquet disagree: .parquet is parquet"),
        (["-o", "a.md.gz", "--format=text"],
         "--format text and -o a.md.gz disagree: .md is markdown"),
        (["-o", "a.cup"],
         ("-o is 'a.cup', of no known format; allowed: .jsonl, .ndjson, .md, .markdown, .txt, "
          ".text, .parquet, .pq; or name a --format")),
        (["-o", "a.parquet.gz"],
         "-o is 'a.parquet.gz', but parquet is compressed as it is: leave out .gz"),
        (["-o", "a.md", "--fields=id"], "--fields needs --format jsonl or parquet; got markdown"),
        (["--format=parquet"], "--format parquet is not text: name a file to write with -o"),
        (["-o", "a.md", "--front-matter-key=tags"],
         "--front-matter-key needs --format jsonl or parquet; got markdown"),
        (["-o", "a.txt", "--drop-duplicates"],
         "--drop-duplicates needs --format jsonl or parquet; got text"),
    ],
)  # fmt: skip
def test_what_output_and_options_contradict(arguments: list[str], message: str) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert error_of("split", DOCUMENTS[0], *arguments, code=2) == message


def test_any_name_will_do_where_the_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "in.md").write_text(FRONT, encoding="utf-8")
    output_of("split", "in.md", "--format=jsonl", "-o", "a.2026", folder=tmp_path)
    assert json.loads((tmp_path / "a.2026").read_text("utf-8").splitlines()[0])["file"] == "in.md"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_contents_that_an_earlier_chunk_has_can_be_left_out(suffix: str, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    for name, text in {"a": "# A\n\nSame.\n\n# B\n\nOne.", "b": "# A\n\nSame.", "c": "# C"}.items():
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    output = tmp_path / f"out.{suffix}"
    arguments = ("split", tmp_path / "a.md", tmp_path / "b.md", tmp_path / "c.md", "-o", output)

    def files() -> list[str]:
        if suffix == "parquet":
            rows = pq.read_table(output).to_pylist()
        else:
            rows = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
        return [Path(row["file"]).name for row in rows]

    code, _, said = call(*arguments)
    assert (code, files()) == (0, ["a.md", "a.md", "b.md", "c.md"])
    assert said.startswith("chunkana: 3 files, 4 chunks (1 repeated), 0 over the limit, 0 errors, ")
    code, _, said = call(*arguments, "--drop-duplicates")
    assert (code, files()) == (0, ["a.md", "a.md", "c.md"])
    assert "4 chunks (1 repeated, left out)" in said


def test_parquet_of_nothing_has_columns_and_no_rows(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    path = tmp_path / "chunks.parquet"
    output_of("split", "-", "--format=parquet", "-o", path, stdin=b" \n")
    table = pq.read_table(path)
    assert table.num_rows == 0
    assert "chunk_id" in table.column_names


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "chunkana_cli.runs.parquet", raising=False)
    message = '--format parquet: Parquet needs pyarrow: pip install "chunkana-rag[arrow]"'
    output = tmp_path / "a.parquet"
    assert error_of("split", DOCUMENTS[0], "--format=parquet", "-o", output, code=2) == message
    assert not output.exists()


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_with_several_processes_the_bytes_are_the_same(tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow")
    many = []
    for number in range(3):  # several batches
        for document in DOCUMENTS:
            many.append(tmp_path / f"{number}{document.name}")
            many[-1].write_bytes(document.read_bytes())
    one, two = tmp_path / "one", tmp_path / "two"
    assert not output_of("split", *many, f"--format={form}", "-o", one)
    assert not piped("split", *many, f"--format={form}", "-o", two, "--jobs=2")
    assert one.read_bytes() == two.read_bytes()
    assert one.stat().st_size > 10_000


def test_with_several_processes_a_file_that_fails_is_named_too(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "b.md").write_bytes(b"\xff")
    done = run("split", "a.md", "b.md", "c.md", "--jobs=auto", folder=tmp_path)
    assert done.returncode == 1
    (error,) = without_summary(done.stderr.decode()).splitlines()
    assert error.startswith("chunkana: b.md: not UTF-8: byte 0xff at offset 0 (line 1);")
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == ["a.md", "c.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="where names may be any bytes")
@pytest.mark.parametrize("form", ["jsonl", "markdown", "text", "parquet"])
def test_a_name_that_is_not_utf_8_is_escaped_alike(form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pq = pytest.importorskip("pyarrow.parquet")
    Path(os.fsdecode(bytes(tmp_path) + b"/a\xff.md")).write_text("# A\n\nText.\n", encoding="utf-8")
    done = run("split", b"a\xff.md", "--format", form, "-o", "out", folder=tmp_path)
    assert (done.returncode, without_summary(done.stderr.decode())) == (0, "")
    if form == "parquet":
        assert pq.read_table(tmp_path / "out")["file"].to_pylist() == ["a\\udcff.md"]
    elif form == "jsonl":
        assert json.loads((tmp_path / "out").read_bytes())["file"] == "a\\udcff.md"
    else:
        assert b"a\\udcff.md" in (tmp_path / "out").read_bytes().replace(b"\\\\", b"\\")


def test_keys_of_front_matter_go_into_the_metadata(tmp_path: Path) -> None:
    """Those that are named, where a document has them."""
    (tmp_path / "a.md").write_text(FRONT, encoding="utf-8")
    (tmp_path / "b.md").write_text("Text.\n", encoding="utf-8")
    keys = ("--front-matter-key=tags", "--front-matter-key", "source")
    output = output_of("split", "a.md", "b.md", *keys, folder=tmp_path)
    found = [
        (row["file"], json.loads(row["metadata"])) for row in map(json.loads, output.splitlines())
    ]
    metadata = {"tags": ["hot", "green"], "source": "shop"}
    assert found == [("a.md", metadata), ("a.md", metadata), ("b.md", {})]
