"""`chunkana split --format`: markdown with markers, and Parquet."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from chunkana_cli.formats.markdown import to_markdown
from chunkana_core import ChunkConfig, MarkdownChunker
from tests.cli.command import error_of, output_of, piped, run
from tests.strategies import any_markdown

DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))
_MARKER = re.compile(r"<!-- chunk (\{[^\n>]*\}) -->\n")


def read_markdown(written: str) -> list[tuple[dict[str, object], str]]:
    """Read chunks as the documentation says: a marker, then as many characters as it names."""
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
    result = MarkdownChunker(ChunkConfig(max_chunk_size=60)).chunk_hierarchical(text)
    chunks = read_markdown("".join(to_markdown("a--> <!-- b.md", result)))
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


def test_parquet_has_a_row_a_chunk_and_columns_of_the_metadata(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    path = tmp_path / "chunks.parquet"
    assert not output_of("split", *DOCUMENTS, "--format=parquet", "-o", path)
    expected = [
        {"file": str(document), "content": chunk.content, "text": chunk.text, **chunk.metadata}
        for document in DOCUMENTS
        for chunk in MarkdownChunker().chunk(document.read_bytes().decode())
    ]
    table = pq.read_table(path)
    assert table.to_pylist() == expected
    types = {field.name: str(field.type) for field in table.schema}
    assert (types["file"], types["start_char"], types["is_leaf"]) == ("string", "int64", "bool")
    assert types["section_tags"].startswith("list<")
    assert types["path"] == types["section_tags"]
    assert types["parent_section_id"] == "string"


def test_parquet_of_nothing_has_columns_and_no_rows(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    path = tmp_path / "chunks.parquet"
    output_of("split", "-", "--format=parquet", "-o", path, stdin=b" \n")
    table = pq.read_table(path)
    assert table.num_rows == 0
    assert "chunk_id" in table.column_names


def test_parquet_needs_a_file_to_write() -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    message = "--format parquet is no text: name a file to write with -o"
    assert error_of("split", "-", "--format=parquet", code=2) == message


def test_without_pyarrow_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.delitem(sys.modules, "chunkana_cli.formats.parquet", raising=False)
    message = '--format parquet: Parquet needs pyarrow: pip install "chunkana-rag[parquet]"'
    output = tmp_path / "a.parquet"
    assert error_of("split", DOCUMENTS[0], "--format=parquet", "-o", output, code=2) == message
    assert not output.exists()


@pytest.mark.parametrize("form", ["jsonl", "text", "markdown", "parquet"])
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
    assert done.stderr.startswith(b"chunkana: b.md: not UTF-8: byte 0xff at offset 0 (line 1);")
    assert done.stderr.count(b"\n") == 1
    assert [json.loads(line)["file"] for line in done.stdout.splitlines()] == ["a.md", "c.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="where names may be any bytes")
@pytest.mark.parametrize("form", ["jsonl", "markdown", "text", "parquet"])
def test_a_name_that_is_not_utf_8_is_escaped_alike(form: str, tmp_path: Path) -> None:
    if form == "parquet":
        pq = pytest.importorskip("pyarrow.parquet")
    Path(os.fsdecode(bytes(tmp_path) + b"/a\xff.md")).write_text("# A\n\nText.\n", encoding="utf-8")
    done = run("split", b"a\xff.md", "--format", form, "-o", "out", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    if form == "parquet":
        assert pq.read_table(tmp_path / "out")["file"].to_pylist() == ["a\\udcff.md"]
    elif form == "jsonl":
        assert json.loads((tmp_path / "out").read_bytes())["file"] == "a\\udcff.md"
    else:
        assert b"a\\udcff.md" in (tmp_path / "out").read_bytes().replace(b"\\\\", b"\\")


FRONT = "---\ntitle: Tea\ntags: [hot, green]\nsource: shop\n---\n\n# Tea\n\nText.\n"


def test_keys_of_front_matter_go_into_the_metadata(tmp_path: Path) -> None:
    """Those that are named, where a document has them."""
    (tmp_path / "a.md").write_text(FRONT, encoding="utf-8")
    (tmp_path / "b.md").write_text("Text.\n", encoding="utf-8")
    keys = ("--front-matter-key=tags", "--front-matter-key", "source")
    records = [
        json.loads(line)
        for line in output_of("split", "a.md", "b.md", *keys, folder=tmp_path).splitlines()
    ]
    found = [(r["file"], r["metadata"].get("tags"), r["metadata"].get("source")) for r in records]
    tags = ["hot", "green"]
    assert found == [("a.md", tags, "shop"), ("a.md", tags, "shop"), ("b.md", None, None)]
    plain = [
        json.loads(s) for s in output_of("split", "a.md", "b.md", folder=tmp_path).splitlines()
    ]
    for record, without in zip(records, plain, strict=True):
        assert record["metadata"].items() >= without["metadata"].items()


def test_keys_of_front_matter_are_columns_of_text(tmp_path: Path) -> None:
    """In Parquet, what is no text is JSON; null where a document has no such key."""
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    (tmp_path / "a.md").write_text(FRONT, encoding="utf-8")
    (tmp_path / "b.md").write_text("Text.\n", encoding="utf-8")
    keys = ("--front-matter-key=tags", "--front-matter-key=source")
    path = tmp_path / "chunks.parquet"
    output_of("split", "a.md", "b.md", *keys, "--format=parquet", "-o", path, folder=tmp_path)
    rows = pq.read_table(path).to_pylist()
    assert [json.loads(row["tags"] or "null") for row in rows] == [["hot", "green"]] * 2 + [None]
    assert [row["source"] for row in rows] == ["shop", "shop", None]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_formats_without_metadata_take_no_keys(form: str) -> None:
    message = error_of("split", f"--format={form}", "--front-matter-key=tags", DOCUMENTS[0], code=2)
    assert f"--front-matter-key needs --format jsonl or parquet; got {form}" in message


@pytest.mark.parametrize("key", ["title", "file", "chunk_id"])
def test_keys_of_every_chunk_are_not_to_be_had(key: str) -> None:
    message = error_of("split", f"--front-matter-key={key}", DOCUMENTS[0], code=2)
    assert f"--front-matter-key is {key!r}, which the metadata of every chunk has" in message
