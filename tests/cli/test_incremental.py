"""`chunkana split --since`: the chunks of unchanged files come from an earlier run."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkana_batch.many
from chunkana_core import Chunker, Context, HierarchicalChunkingResult
from chunkana_core.text.file_names import AnyPath
from tests.cli.command import COMMAND, call, environment, error_of, output_of

TEXTS = {
    "a.md": "# A\n\nApples.\n",
    "b.md": "# B\n\nBerries.\n\n## More\n\nOf them.\n",
    "c.txt": "Cherries.\n",
    "d.md": "\n",
}
SUFFIXES = pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
_SECONDS = re.compile(r", [\d.]+ seconds")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder of documents in the working directory of commands."""
    monkeypatch.chdir(tmp_path)
    folder = Path("docs")
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def split(*arguments: str | Path, suffix: str = "jsonl") -> str:
    """Run `split docs`, and return its messages without the seconds."""
    code, output, said = call("split", "docs", f"--format={suffix}", *arguments)
    assert (code, output) == (0, ""), said
    return _SECONDS.sub("", said).replace("chunkana: ", "")


def rows(folder: str, suffix: str = "jsonl") -> list[dict[str, Any]]:
    """Return the rows of a run, with the metadata as JSON."""
    path = Path(folder) / f"chunks.{suffix}"
    if suffix == "jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    pq = pytest.importorskip("pyarrow.parquet", reason="needs pyarrow")
    return list(pq.read_table(path).to_pylist())


def manifest(folder: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((Path(folder) / "manifest.json").read_text("utf-8"))
    return loaded


def chunked_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives the names of all files chunked from now on."""
    names: list[str] = []

    class Spy(Chunker):
        def chunk_hierarchical(
            self,
            text: str,
            format: str = "auto",  # noqa: A002
            path: AnyPath | None = None,
            *,
            context: Context | None = None,
        ) -> HierarchicalChunkingResult:
            names.append(Path(str(path)).name)
            return Chunker.chunk_hierarchical(self, text, format, path, context=context)

    monkeypatch.setattr(chunkana_batch.many, "Chunker", Spy)
    return names


@SUFFIXES
def test_a_folder_has_the_chunks_and_a_manifest_of_them(docs: Path, suffix: str) -> None:
    said = split("-o", "out/", suffix=suffix)
    assert said == "4 files, 4 chunks, 0 over the limit, 0 errors\n"
    whole = manifest("out")
    assert [(d["file"], d["chunks"]) for d in whole["documents"]] == [
        ("docs/a.md", 1), ("docs/b.md", 2), ("docs/c.txt", 1), ("docs/d.md", 0),
    ]  # fmt: skip
    text = (docs / "a.md").read_bytes()
    assert whole["documents"][0]["hash"] == hashlib.sha256(text).hexdigest()
    written = Path("out", whole["chunks"]).read_bytes()
    assert whole["digest"] == hashlib.sha256(written).hexdigest()
    assert [row["file"] for row in rows("out", suffix)] == [
        "docs/a.md", "docs/b.md", "docs/b.md", "docs/c.txt",
    ]  # fmt: skip


@SUFFIXES
def test_what_did_not_change_is_not_chunked_again(
    docs: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    split("-o", "out/", suffix=suffix)
    before = Path("out", f"chunks.{suffix}").stat().st_mtime_ns
    names = chunked_files(monkeypatch)
    said = split("-o", "out/", "--since", "out/", suffix=suffix)
    assert said == (
        "since out: 0 added, 0 changed, 4 unchanged, 0 removed\n"
        "4 files, 4 chunks, 0 over the limit, 0 errors\n"
    )
    assert names == []
    assert Path("out", f"chunks.{suffix}").stat().st_mtime_ns == before
    (docs / "b.md").write_text("# B\n\nBlueberries.\n", encoding="utf-8")
    split("-o", "out/", "--since", "out/", suffix=suffix)
    assert names == ["b.md"]


@SUFFIXES
@pytest.mark.parametrize("options", [[], ["--fields=id,file"]], ids=["all fields", "no content"])
def test_repeated_contents_are_counted_among_what_did_not_change_too(
    docs: Path, suffix: str, options: list[str]
) -> None:
    (docs / "e.md").write_text(TEXTS["b.md"], encoding="utf-8")
    fresh = split("-o", "out/", *options, suffix=suffix)
    assert fresh == "5 files, 6 chunks (2 repeated), 0 over the limit, 0 errors\n"
    again = split("-o", "out/", "--since", "out/", *options, suffix=suffix)
    assert again.endswith(f"\n{fresh}")
    (docs / "f.md").write_text(TEXTS["a.md"], encoding="utf-8")
    more = split("-o", "out/", "--since", "out/", *options, suffix=suffix)
    assert "6 files, 7 chunks (3 repeated), 0 over the limit" in more


@SUFFIXES
@pytest.mark.parametrize("folder", ["out", "next"], ids=["in place", "beside"])
def test_edited_renamed_deleted_and_added_files(docs: Path, suffix: str, folder: str) -> None:
    split("-o", "out/", suffix=suffix)
    (docs / "b.md").write_text("# B\n\nBlueberries.\n", encoding="utf-8")
    (docs / "a.md").rename(docs / "e.md")
    (docs / "c.txt").unlink()
    (docs / "f.md").write_text("# F\n\nFigs.\n", encoding="utf-8")
    said = split("-o", f"{folder}/", "--since", "out", suffix=suffix)
    assert said.splitlines()[0] == (
        "since out: 2 added, 1 changed, 1 unchanged, 2 removed (1 renamed)"
    )
    assert manifest(folder)["changes"] == {
        "added": ["docs/e.md", "docs/f.md"],
        "changed": ["docs/b.md"],
        "removed": ["docs/a.md", "docs/c.txt"],
        "renamed": [["docs/a.md", "docs/e.md"]],
        "failed": [],
        "unchanged": 1,
    }
    split("-o", "fresh/", suffix=suffix)
    assert rows(folder, suffix) == rows("fresh", suffix)
    assert manifest(folder)["documents"] == manifest("fresh")["documents"]


NAMES = st.sampled_from("abcdefgh")
NEW_TEXTS = st.sampled_from([None, "# X\n\nText.\n\n# Y\n", "Z.", ""])  # None removes a file
EDITS = st.lists(st.tuples(NAMES, NEW_TEXTS), max_size=8)


def edit(edits: list[tuple[str, str | None]]) -> None:
    for name, text in edits:
        path = Path("docs", f"{name}.md")
        path.unlink(missing_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")


@settings(max_examples=settings().max_examples // 4)  # each of them runs the command four times
@given(EDITS, EDITS)
def test_a_run_since_another_writes_what_a_fresh_one_writes(
    first: list[tuple[str, str | None]], then: list[tuple[str, str | None]]
) -> None:
    with TemporaryDirectory() as folder, chdir(folder):
        Path("docs").mkdir()
        edit([("always", "# There\n"), *first])
        split("-o", "out/")
        edit(then)
        split("-o", "out/", "--since", "out/")
        split("-o", "fresh/")
        assert Path("out/chunks.jsonl").read_bytes() == Path("fresh/chunks.jsonl").read_bytes()


def test_rows_that_are_kept_are_whole_in_parquet_whatever_their_number(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    monkeypatch.setattr("chunkana_cli.formats.parquet._ROWS", 1_000)  # in a group
    for name, count in {"x": 700, "y": 1_200, "z": 900}.items():
        (docs / f"{name}.md").write_text(f"# {name}\n\nText.\n" * count, encoding="utf-8")
    split("-o", "out/", suffix="parquet")
    (docs / "x.md").unlink()
    split("-o", "out/", "--since", "out/", suffix="parquet")
    split("-o", "fresh/", suffix="parquet")
    assert rows("out", "parquet") == rows("fresh", "parquet")


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(
    "options", [["--max-chunk-size=300"], ["--fields=id,file"], ["--no-context"], ["--from=text"]]
)
def test_other_options_make_all_files_new(options: list[str]) -> None:
    split("-o", "out/")
    said = split("-o", "out/", "--since", "out/", *options)
    assert said.startswith("--since: out was written with other options; all files are chunked\n")
    assert "4 added, 0 changed, 0 unchanged" in said


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize("options", [[], ["--since", "out"]], ids=["all", "since"])
@pytest.mark.parametrize(("old", "new"), [("jsonl", "parquet"), ("parquet", "jsonl")])
def test_chunks_of_another_format_are_removed(old: str, new: str, options: list[str]) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    split("-o", "out/", suffix=old)
    said = split("-o", "out/", *options, suffix=new)
    assert f"out/chunks.{old}: removed; the chunks are in chunks.{new} now\n" in said
    assert {path.name for path in Path("out").iterdir()} == {f"chunks.{new}", "manifest.json"}
    assert len(rows("out", new)) == 4
    assert manifest("out")["chunks"] == f"chunks.{new}"
    assert "removed;" not in split("-o", "out/", "--since", "out", suffix=new)


@pytest.mark.usefixtures("docs")
def test_chunks_that_the_manifest_does_not_know_stay() -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    split("-o", "out/")
    edited, other = Path("out/chunks.jsonl"), Path("out/chunks.txt")
    for path in (edited, other):
        path.write_text("my own\n", encoding="utf-8")
    assert "removed;" not in split("-o", "out/", suffix="parquet")
    assert edited.read_text("utf-8") == other.read_text("utf-8") == "my own\n"


@pytest.mark.usefixtures("docs")
def test_a_first_run_may_be_since_what_is_not_there_yet() -> None:
    said = split("-o", "out/", "--since", "out/")
    assert said.splitlines()[0] == "--since: out: no such file; all files are chunked"
    assert len(rows("out")) == 4


DOCUMENT = (
    '{"chunks": "chunks.jsonl", "digest": "", "settings": {}, "changes": {}, "documents": '
    '[{"file": "a.md", "hash": "", "chunks": 1, "over_limit": 0, "digests": "AAAA"}]}'
)
BROKEN = {
    "digests that are right": ("manifest.json", DOCUMENT, "is not of the chunks beside it"),
    "chunks that are others": ("chunks.jsonl", "{}\n", "is not of the chunks beside it"),
    "no JSON": ("manifest.json", "{", "is no manifest"),
    "digests that are none": ("manifest.json", DOCUMENT.replace("AAAA", "?"), "is no manifest"),
    "other JSON": ("manifest.json", '{"a": 1}', "is no manifest"),
}


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(("name", "text", "message"), BROKEN.values(), ids=BROKEN)
def test_a_state_that_cannot_be_used_is_said(name: str, text: str, message: str) -> None:
    split("-o", "out/")
    whole = rows("out")
    Path("out", name).write_text(text, encoding="utf-8")
    said = split("-o", "out/", "--since", "out/")
    assert said.startswith(f"--since: out/manifest.json: {message}; all files are chunked\n")
    assert rows("out") == whole


def test_a_file_that_fails_has_no_rows_and_is_tried_again(docs: Path) -> None:
    split("-o", "out/")
    (docs / "b.md").write_bytes(b"\xff")
    code, _, said = call("split", "docs", "-o", "out/", "--since", "out/")
    assert code == 1
    assert "b.md: not UTF-8" in said
    assert manifest("out")["changes"]["failed"] == ["docs/b.md"]
    assert "docs/b.md" not in [row["file"] for row in rows("out")]
    (docs / "b.md").write_text(TEXTS["b.md"], encoding="utf-8")
    split("-o", "out/", "--since", "out/")
    assert manifest("out")["changes"]["added"] == ["docs/b.md"]


def test_where_every_file_fails_the_folder_stays_as_it_was(docs: Path) -> None:
    split("-o", "out/")
    before = Path("out/chunks.jsonl").read_bytes()
    for name in TEXTS:
        (docs / name).write_bytes(b"\xff")
    assert call("split", "docs", "-o", "out/")[0] == 1
    assert Path("out/chunks.jsonl").read_bytes() == before


@pytest.mark.usefixtures("docs")
def test_a_folder_among_the_files_does_not_eat_itself() -> None:
    code, _, _ = call("split", ".", "-o", "out/")
    assert code == 0
    code, _, said = call("split", ".", "-o", "out/", "--since", "out/")
    assert code == 0
    assert "4 unchanged" in said


def test_files_in_another_order_are_right_too(docs: Path) -> None:
    one, two = docs / "a.md", docs / "b.md"
    assert call("split", one, two, "-o", "out/")[0] == 0
    assert call("split", two, one, "-o", "out/", "--since", "out/")[0] == 0
    assert [row["file"] for row in rows("out")] == ["docs/b.md", "docs/b.md", "docs/a.md"]


def test_with_several_processes_the_same_is_written(docs: Path) -> None:
    split("-o", "out/")
    (docs / "a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    split("-o", "one/", "--since", "out/")
    split("-o", "two/", "--since", "out/", "--jobs=2")
    assert Path("one/chunks.jsonl").read_bytes() == Path("two/chunks.jsonl").read_bytes()


KILLER = """
import os, signal
import chunkana_cli.runs.folder as folder
from chunkana_cli.entry import run
wrote = folder.open_output
def open_output(name):
    if name.endswith({name!r}):
        os.kill(os.getpid(), signal.SIGKILL)
    return wrote(name)
folder.open_output = open_output
run()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs the signal KILL")
@pytest.mark.parametrize("name", ["chunks.jsonl", "manifest.json"])
def test_a_run_that_was_killed_is_started_again(docs: Path, name: str) -> None:
    """Before the chunks are written, or between them and the manifest."""
    split("-o", "out/")
    (docs / "a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    arguments = ["split", "docs", "-o", "out/", "--since", "out/"]
    program = [sys.executable, "-c", KILLER.format(name=name), *arguments]
    killed = subprocess.run(program, env=environment(), capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = subprocess.run([*COMMAND, *arguments], env=environment(), check=False,
                          capture_output=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    split("-o", "fresh/")
    assert Path("out/chunks.jsonl").read_bytes() == Path("fresh/chunks.jsonl").read_bytes()
    assert manifest("out")["documents"] == manifest("fresh")["documents"]
    assert sorted(path.name for path in Path("out").iterdir()) == ["chunks.jsonl", "manifest.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "out"], "--since needs a folder to write: -o is '-'"),
        (["--since", "out", "-o", "a.jsonl"], "--since needs a folder to write: -o is 'a.jsonl'"),
        (["--since", "out", "-o", "out/", "--drop-duplicates"],
         "--since and --drop-duplicates cannot be combined: the first copy may vanish"),
        (["-o", "out/", "--format=text"],
         "-o is a folder, which needs --format jsonl or parquet; got text"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense_together(
    docs: Path, arguments: list[str], message: str
) -> None:
    assert error_of("split", docs, *arguments, code=2) == message
    assert not Path("out").exists()


def test_a_folder_that_cannot_be_made(docs: Path) -> None:
    Path("file").write_text("", encoding="utf-8")
    message = f"{Path('file/out')}: cannot be made: Not a directory"
    assert error_of("split", docs, "-o", "file/out/", code=1) == message


@pytest.mark.usefixtures("docs")
def test_what_is_written_is_valid() -> None:
    split("-o", "out/")
    assert "nothing wrong" in output_of("validate", "out/chunks.jsonl")
