"""`chunkana validate`: every law, on chunks of Chunkana and of other tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from chunkana_core import ChunkConfig, MarkdownChunker
from tests.cli.command import call, error_of, output_of

DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))
TEXT = (
    "# Guide\n\nThis is a first paragraph of the guide.\n\n## Install\n\nUnpack it where you like."
    "\n\n```sh\ntar xf guide.tar\n```\n\n## Use\n\nTurn it on, and then wait for the light.\n"
)
LAWS = {"exact", "lossless", "size", "heading", "fence", "tree", "coverage"}
Rows = list[dict[str, Any]]


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """Return three chunks of a document as rows."""
    monkeypatch.chdir(tmp_path)
    Path("guide.md").write_text(TEXT, encoding="utf-8")
    chunks = MarkdownChunker(ChunkConfig(min_chunk_size=0)).chunk(TEXT)
    assert len(chunks) == 3
    return [
        {"file": "guide.md", "content": c.content, "text": c.text, "metadata": c.metadata}
        for c in chunks
    ]


def write(rows: Rows) -> str:
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    Path("chunks.jsonl").write_text(lines, encoding="utf-8")
    return "chunks.jsonl"


def checked(rows: Rows, *options: str) -> list[str]:
    """Return the violations, after checking that text, JSON and exit code agree."""
    code, output, error = call("validate", write(rows), *options)
    *lines, summary = output.splitlines()
    assert (code, error) == (int(bool(lines)), "")
    assert ("nothing wrong" in summary) == (not lines)
    json_code, output, _ = call("validate", write(rows), "--json", *options)
    report = json.loads(output)
    assert (json_code, report["valid"]) == (code, not code)
    found = [v for document in report["documents"] for v in document["violations"]]
    assert len(found) == len(lines)
    assert {violation["law"] for violation in found} <= LAWS
    return lines


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "parquet"])
@pytest.mark.parametrize("options", [[], ["--max-chunk-size=200"], ["--atomic-blocks=keep"]])
def test_our_chunks_keep_every_law(tmp_path: Path, options: list[str], suffix: str) -> None:
    path = tmp_path / f"chunks.{suffix}"
    output_of("split", *DOCUMENTS, *options, "-o", path)
    limit = options if "size" in "".join(options) else ["--max-chunk-size=1000"]
    output = output_of("validate", path, *limit)
    assert output.endswith(f" of {len(DOCUMENTS)} documents: nothing wrong\n")
    assert output.count("\n") == 1


def shorten(rows: Rows) -> None:
    rows[1]["text"] = rows[1]["text"][:-1]


def lose(rows: Rows) -> None:
    del rows[1]


def repeat(rows: Rows) -> None:
    rows.insert(1, rows[1])


def inflate(rows: Rows) -> None:
    rows[2]["content"] += "!" * 200


def move_heading(rows: Rows) -> None:
    start = TEXT.index("## Use")
    end = start + len("## Use")
    rows[1]["metadata"]["end_char"] = end
    rows[1]["text"] = rows[1]["content"] = TEXT[rows[1]["metadata"]["start_char"] : end]
    rows[2]["metadata"]["start_char"] = TEXT.index("Turn")
    rows[2]["text"] = rows[2]["content"] = TEXT[TEXT.index("Turn") :].rstrip()


def open_fence(rows: Rows) -> None:
    rows[0]["content"] += "\n\n```\nx\n"


def wrong_parent(rows: Rows) -> None:
    rows[0]["metadata"]["parent_id"] = "00000000"


def same_id(rows: Rows) -> None:
    rows[1]["metadata"]["chunk_id"] = rows[0]["metadata"]["chunk_id"]


def reword(rows: Rows) -> None:
    rows[2]["content"] = "Something else."


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (shorten, "guide.md: chunk 2 ({1}): exact: differs from the document at 50-"),
        (lose, "guide.md: all chunks: lossless: the text at {start}-{end} is in no chunk"),
        (repeat, "guide.md: chunk 3 ({1}): lossless: overlaps the one before it"),
        (inflate, "guide.md: chunk 3 ({2}): size: has 2"),
        (move_heading, "guide.md: chunk 2 ({1}): heading: ends with the heading 'Use'"),
        (open_fence, "guide.md: chunk 1 ({0}): fence: opens a fence that it does not close"),
        (wrong_parent, "guide.md: chunk 1 ({0}): tree: has the parent_id '00000000', not '"),
        (same_id, "guide.md: chunk 2 ({0}): tree: has the id of another chunk"),
        (reword, "guide.md: all chunks: coverage: the chunks hold "),
        (reword, "guide.md: chunk 3 ({2}): exact: has a content that does not contain its text"),
    ],
)
def test_each_law(rows: Rows, change: Callable[[Rows], None], expected: str) -> None:
    ids = [row["metadata"]["chunk_id"] for row in rows]
    assert not checked(rows, "--max-chunk-size=150")
    change(rows)
    start, end = TEXT.index("## Install"), TEXT.index("\n\n## Use")
    wanted = expected.format(*ids, start=start, end=end)
    found = checked(rows, "--max-chunk-size=150")
    assert any(wanted in line for line in found), found


@pytest.mark.parametrize(
    ("content_key", "start_key", "nested"),
    [
        ("page_content", "start_index", True),  # LangChain's
        ("text", "start_char_idx", False),  # LlamaIndex's
        ("content", "start", False),
        ("content", None, False),
    ],
)
@pytest.mark.usefixtures("rows")
def test_chunks_of_other_tools(content_key: str, start_key: str | None, *, nested: bool) -> None:
    starts = [0, TEXT.index("## Install"), TEXT.index("## Use")]
    texts = [TEXT[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
    others: Rows = []
    for start, text in zip(starts, texts, strict=True):
        place = {} if start_key is None else {start_key: start}
        others.append({content_key: text} | ({"metadata": place} if nested else place))
    assert not checked(others, "--source=guide.md")
    others[1][content_key] += "\n\n## Use"
    others[2][content_key] = texts[2].removeprefix("## Use\n\n")
    found = checked(others, "--source=guide.md")
    assert any("chunk 2: heading: ends with the heading 'Use'" in line for line in found) or (
        start_key and any("chunk 2: exact:" in line for line in found)
    )


@pytest.mark.usefixtures("rows")
def test_fences_are_seen_without_offsets() -> None:
    start, end = TEXT.split("\ntar")
    found = checked([{"text": start}, {"text": "tar" + end}], "--source=guide.md")
    wrong = "opens a fence that it does not close"
    assert found == [f"guide.md: chunk {n}: fence: {wrong}" for n in (1, 2)]


def test_the_document_is_looked_for_beside_the_chunks_too(
    rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(rows)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    assert call("validate", "../chunks.jsonl")[0] == 0


@pytest.mark.usefixtures("rows")
def test_what_is_no_list_of_chunks() -> None:
    for line, message in [
        ("{", "is not JSON: Expecting property name enclosed in double quotes at column 2"),
        ("3", "is not a JSON object"),
        ('{"a": 1}', "has no text; allowed: one of content, page_content, text"),
        ("[" * 200_000, "is nested too deeply"),
    ]:
        Path("bad.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
        assert error_of("validate", "bad.jsonl", code=1) == f"bad.jsonl: line 2: {message}"


def test_no_chunks(rows: Rows) -> None:
    message = "chunks.jsonl: has no chunks; name their document with --source"
    assert error_of("validate", write([]), code=1) == message
    assert any("the chunks hold 0.0%" in line for line in checked([], "--source=guide.md"))
    assert rows


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (None, "some chunks name no file"),
        ("-", "some chunks are of standard input"),
        ("no/such.md", "no/such.md: no such file"),
    ],
)
def test_a_document_that_is_not_found(rows: Rows, file: str | None, message: str) -> None:
    rows[0]["file"] = file
    code, output, error = call("validate", write(rows))
    assert code == 1
    assert error == f"chunkana: {message}; name the document with --source\n"
    assert "of 1 document:" in output


@pytest.mark.parametrize(
    "title", ["What has size", "What overlaps", "It opens a fence", "differs from the", "Use"]
)
@pytest.mark.parametrize("has_offsets", [True, False])
def test_the_words_of_a_heading_silence_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str, *, has_offsets: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    source = f"# Top\n\nSome text is here.\n\n## {title}\n\nBody of it is here."
    Path("a.md").write_text(source, encoding="utf-8")
    at = source.index("Body")
    rows: Rows = [{"text": source[: at - 2]}, {"text": source[at:]}]
    if has_offsets:
        rows = [{**row, "start": start} for row, start in zip(rows, (0, at), strict=True)]
    (line,) = checked(rows, "--source=a.md")
    assert line == f"a.md: chunk 1: heading: ends with the heading {title!r}"


def drop_offsets(row: dict[str, Any]) -> None:
    for key in ("start_char", "end_char"):
        del row["metadata"][key]


def report_of(rows: Rows, *options: str) -> dict[str, Any]:
    """Return the report on the only document."""
    (document,) = json.loads(call("validate", write(rows), "--json", *options)[1])["documents"]
    assert isinstance(document, dict)
    return document


@pytest.mark.parametrize("blind", [0, 1, 2])
def test_a_chunk_without_offsets_is_found_by_its_text(rows: Rows, blind: int) -> None:
    drop_offsets(rows[blind])
    assert not checked(rows, "--max-chunk-size=150")
    assert report_of(rows, "--max-chunk-size=150")["not_checked"] == []
    assert report_of(rows)["not_checked"] == ["size"]
    wrong_parent(rows)
    assert any("tree: has the parent_id '00000000'" in line for line in checked(rows))
    lose(rows)
    assert any("lossless: the text at 50-" in line for line in checked(rows))


def test_json_names_the_chunk_of_each_violation(rows: Rows) -> None:
    """By its line and its id; text that is in no chunk is of none."""
    move_heading(rows)
    del rows[0]
    violations = report_of(rows, "--max-chunk-size=150")["violations"]
    end = TEXT.index("\n\n## Install")
    lost = f"the text at 0-{end} is in no chunk"
    heading = {
        "law": "heading",
        "chunk": 1,
        "chunk_id": rows[0]["metadata"]["chunk_id"],
        "message": "ends with the heading 'Use'",
    }
    lossless = {"law": "lossless", "chunk": None, "chunk_id": "", "message": lost}
    assert lossless in violations
    assert heading in violations


def test_copies_without_offsets_are_each_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.md").write_text("Same words.\n\nOther words.\n\nSame words.", encoding="utf-8")
    texts = ("Same words.", "Other words.", "Same words.")
    rows: Rows = [{"text": text} for text in texts]
    rows[0]["start"] = 0
    assert not checked(rows, "--source=a.md")
    assert any(
        "lossless: the text at 13-38 is in no chunk" in line
        for line in checked(rows[:1], "--source=a.md")
    )


def test_chunks_without_any_offsets_say_what_was_not_checked(rows: Rows) -> None:
    for row in rows:
        drop_offsets(row)
    output = call("validate", write(rows))[1]
    assert output_of("validate", "-", stdin=Path("chunks.jsonl").read_bytes()) == output
    blind = "(3 chunks without offsets, checked by content alone; not checked: lossless, tree)"
    assert output == f"3 chunks of 1 document: nothing wrong {blind}\n"


def test_a_text_that_is_nowhere_is_not_exact(rows: Rows) -> None:
    drop_offsets(rows[0])
    rows[0]["content"] = rows[0]["text"] = "Nobody wrote this."
    id_ = rows[0]["metadata"]["chunk_id"]
    message = "has a text that is not in the document"
    assert f"guide.md: chunk 1 ({id_}): exact: {message}" in checked(rows)


def test_a_document_that_is_not_read_is_not_called_right(rows: Rows) -> None:
    rows[0]["file"] = "no/such.md"
    code, output, _ = call("validate", write(rows[:1]))
    summary = "0 chunks of 0 documents: 0 violations; 1 document could not be read\n"
    assert (code, output) == (1, summary)
    code, output, _ = call("validate", write(rows[:1]), "--json")
    unread = {"file": "no/such.md", "chunks": 1, "error": "no/such.md: no such file"}
    assert (code, json.loads(output)) == (1, {"valid": False, "documents": [], "unread": [unread]})


SMALL: dict[str, Any] = {"atomic_blocks": "split", "min_chunk_size": 0}


@pytest.mark.parametrize("path", DOCUMENTS[::9], ids=lambda path: path.stem)
@pytest.mark.parametrize("options", [{}, {"add_start_index": True}, {"chunk_overlap": 60}])
def test_our_documents_for_langchain(
    path: Path, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("langchain_core")
    from chunkana_langchain import ChunkanaSplitter

    monkeypatch.chdir(tmp_path)
    text = path.read_bytes().decode()
    documents = ChunkanaSplitter(300, **SMALL, **options).create_documents([text])
    dumped = [document.model_dump() for document in documents]
    constructed = [dict(document.to_json()) for document in documents]
    assert not checked(dumped, f"--source={path}")
    assert not checked(constructed, f"--source={path}")
    dumped[0]["metadata"]["start_char"] += 1
    assert any(" exact: " in line for line in checked(dumped, f"--source={path}"))


@pytest.mark.parametrize("path", DOCUMENTS[::4], ids=lambda path: path.stem)
def test_our_nodes_for_llamaindex(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = pytest.importorskip("llama_index.core")
    from chunkana_llamaindex import LeafNodes, MarkdownHierarchyNodeParser

    monkeypatch.chdir(tmp_path)
    parser = MarkdownHierarchyNodeParser(max_chunk_size=300, atomic_blocks="split")
    document = core.Document(text=path.read_bytes().decode())
    nodes = LeafNodes()(parser.get_nodes_from_documents([document]))
    dumped: Rows = [node.to_dict() for node in nodes]
    assert not checked(dumped, f"--source={path}")
    for end in ("start_char_idx", "end_char_idx"):
        dumped[-1][end] -= 1
    assert any(" exact: " in line for line in checked(dumped, f"--source={path}"))


@pytest.mark.parametrize("key", ["start_char", "end_char"])
def test_offsets_beyond_any_document(rows: Rows, key: str) -> None:
    write(rows)
    place = rows[0]["metadata"]
    line = json.dumps(rows[0]).replace(f'"{key}": {place[key]}', f'"{key}": {"9" * 4300}')
    Path("far.jsonl").write_text(line + "\n", encoding="utf-8")
    code, output, error = call("validate", "far.jsonl")
    assert (code, error) == (1, "")
    assert "exact: differs from the document at " in output


def test_what_is_a_heading_or_a_fence_goes_by_the_format(tmp_path: Path) -> None:
    """In plain text there are none, so that nothing can dangle or stay open."""
    text = "One.\n\n# not a heading\n\nTwo.\n\n```\n\nThree.\n"
    for name, code in (("a.txt", 0), ("a.md", 1)):
        source = tmp_path / name
        source.write_text(text, encoding="utf-8")
        starts = (0, text.index("Two"), text.index("Three"), len(text))
        rows = [
            {"file": str(source), "text": text[a:b].strip(), "start": a}
            for a, b in pairwise(starts)
        ]
        chunks = tmp_path / "chunks.jsonl"
        chunks.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        assert call("validate", chunks)[0] == code


def split_guide(suffix: str, **more: object) -> Path:
    """Write a document and its chunks with additional columns."""
    Path("guide.md").write_text(TEXT, encoding="utf-8")
    path = Path(f"chunks.{suffix}")
    output_of("split", "guide.md", "--min-chunk-size=0", "-o", path)
    if more:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        table = pq.read_table(path)
        for name, values in more.items():
            position = table.schema.get_field_index(name)
            table = table.set_column(position, table.schema.field(name), pa.array(values))
        pq.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"start_char": [0, 51, 122]}, "chunk 2 ({}): exact: differs from the document at 51-"),
        ({"end_char": [47, 118, 170]}, "chunk 3 ({}): exact: differs from the document at "),
        ({"content": ["# Guide", "x", "y"]}, "chunk 1 ({}): exact: differs from the document"),
    ],
)
def test_tables_are_held_against_the_laws(
    more: dict[str, object], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    monkeypatch.chdir(tmp_path)
    code, output, _ = call("validate", split_guide("parquet", **more))
    found = [re.sub(r"\([\da-f]{8}\)", "({})", line) for line in output.splitlines()]
    assert code == 1
    assert any(line.startswith(f"guide.md: {expected}") for line in found), output


def test_sizes_of_tables_are_those_of_what_is_embedded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = split_guide("jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    longest = max(len(row["embedded"]) for row in rows)
    assert longest > max(len(row["content"]) for row in rows)
    assert call("validate", path, f"--max-chunk-size={longest}")[0] == 0
    code, output, _ = call("validate", path, f"--max-chunk-size={longest - 1}")
    assert code == 1
    assert f"size: has {longest} characters, over the limit of {longest - 1}" in output


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "parquet"])
def test_a_document_that_has_changed_since_is_said(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    monkeypatch.chdir(tmp_path)
    path = split_guide(suffix)
    Path("guide.md").write_text(TEXT + "\nMore.\n", encoding="utf-8")
    code, output, error = call("validate", path)
    assert code == 1
    assert "guide.md: has changed since it was chunked" in error
    assert output.endswith("0 violations; 1 document could not be read\n")


NOTE = "(split --drop-duplicates leaves out text, which breaks lossless and coverage)\n"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_what_drop_duplicates_leaves_out_is_said_to_be_a_cause(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    monkeypatch.chdir(tmp_path)
    text = "# A\n\nThe same text, which is repeated.\n"
    Path("twice.md").write_text(text + "\n# B\n\nAnother.\n\n" + text, encoding="utf-8")
    arguments = ["split", "twice.md", "--min-chunk-size=0", "-o", f"chunks.{suffix}"]
    output_of(*arguments)
    assert output_of("validate", f"chunks.{suffix}") == "3 chunks of 1 document: nothing wrong\n"
    output_of(*arguments, "--drop-duplicates")
    code, output, _ = call("validate", f"chunks.{suffix}")
    assert code == 1
    assert re.search(r"\n2 chunks of 1 document: \d violations? ", output)
    assert output.endswith(NOTE)


def test_no_other_cause_is_said_where_none_is_known(rows: Rows) -> None:
    """Of another tool's chunks, or of a law that leaving out breaks in no case."""
    code, output, _ = call("validate", write(rows[:-1]))
    assert code == 1
    assert "lossless" in output
    assert "--drop-duplicates" not in output
    path = split_guide("jsonl")
    output = call("validate", path, "--max-chunk-size=50")[1]
    assert "size: has " in output
    assert "--drop-duplicates" not in output


def test_rows_of_errors_are_no_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = split_guide("jsonl")
    row = dict.fromkeys(json.loads(path.read_text("utf-8").splitlines()[0]))
    row |= {"file": "guide.md", "error": "text is null"}
    path.write_text(path.read_text("utf-8") + json.dumps(row) + "\n", encoding="utf-8")
    assert output_of("validate", path) == "3 chunks of 1 document: nothing wrong\n"


@pytest.mark.parametrize("name", ["chunks.jsonl", "chunks.jsonl.gz", "chunks.parquet"])
def test_files_of_chunks_that_cannot_be_read(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    path = tmp_path / name
    assert error_of("validate", path, code=1) == f"{path}: no such file"
    path.write_bytes(b"\xff, none of them")
    problem = "not UTF-8: " if name.endswith("jsonl") else "cannot be read: "
    assert error_of("validate", path, code=1).startswith(f"{path}: {problem}")
