"""`chunkana split --since`: the chunks of unchanged files come from an earlier run."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
from contextlib import AbstractContextManager, chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import chunkana_batch.many
import chunkana_cli.runs.folder
from chunkana_cli.output import replacing
from chunkana_cli.output.replacing import lock_folder
from chunkana_core import Chunker, Context, HierarchicalChunkingResult
from chunkana_core.text.file_names import AnyPath
from tests.cli.command import call, error_of, output_of, run

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


OPTIONS = st.sampled_from([[], ["--max-chunk-size=32"]])
RUNS = st.lists(st.tuples(EDITS, OPTIONS, st.booleans()), min_size=1, max_size=3)


def updated(index: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of an index after an update by the changes of a run."""
    changes = manifest("out")["changes"]
    old = {*changes["removed"], *changes["changed"], *changes["failed"]}
    new = {*changes["added"], *changes["changed"]}
    kept = [row for row in index if row["file"] not in old]
    return [*kept, *(row for row in rows("out") if row["file"] in new)]


@settings(max_examples=settings().max_examples // 6)  # each of them runs the command five times
@given(RUNS)
def test_a_run_since_another_writes_what_a_fresh_one_writes(
    runs: list[tuple[list[tuple[str, str | None]], list[str], bool]],
) -> None:
    """And its changes are those of an index, also after other options and runs that were killed."""
    with TemporaryDirectory() as folder, chdir(folder):
        Path("docs").mkdir()
        edit([("always", "# There\n")])
        split("-o", "out/")
        index = rows("out")
        for edits, options, is_killed in runs:
            edit(edits)
            if is_killed:
                with patch.object(chunkana_cli.runs.folder, "Manifest", side_effect=SystemExit(9)):
                    assert call("split", "docs", "-o", "out/", "--since", "out/", *options)[0] == 9
            else:
                split("-o", "out/", "--since", "out/", *options)
                index = updated(index)
                assert sorted(row["id"] for row in index) == sorted(
                    row["id"] for row in rows("out")
                )
                assert all(row in index for row in rows("out"))
            split("-o", "fresh/", *options)
            assert Path("out/chunks.jsonl").read_bytes() == Path("fresh/chunks.jsonl").read_bytes()


def test_rows_that_are_kept_are_whole_in_parquet_whatever_their_number(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    monkeypatch.setattr("chunkana_cli.runs.parquet._ROWS", 1_000)  # in a group
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
def test_with_other_options_all_files_changed(options: list[str]) -> None:
    split("-o", "out/")
    Path("docs/a.md").unlink()
    Path("docs/e.md").write_text("# E\n", encoding="utf-8")
    said = split("-o", "out/", "--since", "out/", *options)
    message = "--since: out/manifest.json was written with other options; all files are chunked\n"
    assert said.startswith(message)
    assert "1 added, 3 changed, 0 unchanged, 1 removed" in said
    assert manifest("out")["changes"]["removed"] == ["docs/a.md"]


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
    assert said.splitlines()[0] == "--since: out/manifest.json: no such file; all files are new"
    assert len(rows("out")) == 4


DOCUMENT = (
    '{"chunks": "chunks.jsonl", "digest": "", "settings": {}, "changes": {}, "documents": '
    '[{"file": "a.md", "hash": "", "chunks": 1, "over_limit": 0, "digests": "AAAA"}]}'
)
OTHER_CHUNKS = {
    "others": ("{}\n", "out/manifest.json: is not of the chunks beside it"),
    "none": (None, "out/chunks.jsonl: No such file or directory"),
}


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(("text", "message"), OTHER_CHUNKS.values(), ids=OTHER_CHUNKS)
def test_without_the_chunks_of_a_run_its_documents_are_known(
    text: str | None, message: str
) -> None:
    split("-o", "out/")
    whole = rows("out")
    Path("out/chunks.jsonl").unlink()
    if text is not None:
        Path("out/chunks.jsonl").write_text(text, encoding="utf-8")
    Path("docs/a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    said = split("-o", "out/", "--since", "out/")
    assert said.startswith(f"--since: {message}; all files are chunked\n")
    assert "0 added, 1 changed, 3 unchanged, 0 removed" in said
    assert rows("out")[1:] == whole[1:]


BROKEN = {
    "no JSON": "{",
    "digests that are none": DOCUMENT.replace("AAAA", "?"),
    "other JSON": '{"a": 1}',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_without_a_manifest_that_can_be_read_nothing_is_written(docs: Path, text: str) -> None:
    """What is gone since then would be unknown."""
    split("-o", "out/")
    (docs / "a.md").unlink()
    Path("out/manifest.json").write_text(text, encoding="utf-8")
    before = rows("out")
    message = "--since: out/manifest.json: is no manifest; without --since, all files are new"
    assert error_of("split", docs, "-o", "out/", "--since", "out/", code=1) == message
    assert rows("out") == before


def test_the_hash_is_that_of_what_was_written(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not of what another program writes there meanwhile."""
    split("-o", "out/")
    (docs / "a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    with monkeypatch.context() as patched:
        patched.setattr(
            "chunkana_cli.runs.folder._remove_replaced",
            lambda _folder, chunks: chunks.write_text("{}\n", encoding="utf-8"),
        )
        split("-o", "out/", "--since", "out/")
    said = split("-o", "out/", "--since", "out/")
    assert said.startswith("--since: out/manifest.json: is not of the chunks beside it; all files")


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize("arguments", [["-o", "out/"], ["-o", "next/", "--since", "out/"]])
def test_a_folder_that_another_run_uses_is_left_to_it(arguments: list[str]) -> None:
    split("-o", "out/")
    before = Path("out/manifest.json").read_bytes()
    with lock_folder(Path("out")):
        done = run("split", "docs", *arguments)
        message = f"chunkana: {Path('out').resolve()}: another run is writing there; try again when"
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.decode() == f"{message} it has ended\n"
    assert run("split", "docs", *arguments).returncode == 0
    assert Path("out/manifest.json").read_bytes() == before
    assert sorted(path.name for path in Path("out").iterdir()) == ["chunks.jsonl", "manifest.json"]


def test_a_lock_whose_file_another_run_removed_is_taken_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock(file: BinaryIO) -> None:
        taken(file)
        if len(times) < 2:
            (tmp_path / ".chunkana.lock").unlink()
        times.append(1)

    times: list[int] = []
    taken = replacing.try_lock
    monkeypatch.setattr(replacing, "try_lock", lock)
    with lock_folder(tmp_path):
        assert len(times) == 3
        assert [path.name for path in tmp_path.iterdir()] == [".chunkana.lock"]
    assert not list(tmp_path.iterdir())


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
    before = Path("out/chunks.jsonl").read_bytes()
    for name in TEXTS:
        (docs / name).write_bytes(b"\xff")
    assert call("split", "docs", "-o", "out/")[0] == 1
    assert Path("out/chunks.jsonl").read_bytes() == before


@pytest.mark.parametrize("options", [[], ["--jobs=2"]], ids=["one", "several processes"])
def test_files_in_another_order_are_right_too(docs: Path, options: list[str]) -> None:
    one, two, out = docs / "a.md", docs / "b.md", ["-o", "out/"]
    assert run("split", one, two, *out, *options).returncode == 0
    (docs / "a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    assert run("split", two, one, *out, "--since", "out/", *options).returncode == 0
    assert [row["file"] for row in rows("out")] == ["docs/b.md", "docs/b.md", "docs/a.md"]


@pytest.mark.usefixtures("docs")
def test_a_folder_among_the_files_does_not_eat_itself() -> None:
    assert call("split", ".", "-o", "out/")[0] == 0
    code, _, said = call("split", ".", "-o", "out/", "--since", "out/")
    assert (code, "4 unchanged" in said) == (0, True)
    assert "nothing wrong" in output_of("validate", "out/chunks.jsonl")


def kill_before_writing(name: str) -> None:
    """Kill this process when it starts to write a file."""

    def open_output(path: str) -> AbstractContextManager[BinaryIO]:
        if path.endswith(name):
            os.kill(os.getpid(), signal.SIGKILL)
        wrote: AbstractContextManager[BinaryIO] = write(path)
        return wrote

    folder = vars(chunkana_cli.runs.folder)
    write = folder["open_output"]
    folder["open_output"] = open_output


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs the signal KILL")
@pytest.mark.parametrize("name", ["chunks.jsonl", "manifest.json"])
def test_a_run_that_was_killed_is_started_again(docs: Path, name: str) -> None:
    """Before the chunks are written, or between them and the manifest."""
    split("-o", "out/")
    (docs / "a.md").write_text("# A\n\nApricots.\n", encoding="utf-8")
    arguments = ["split", "docs", "-o", "out/", "--since", "out/"]
    killed = run(*arguments, prepare=lambda: kill_before_writing(name))
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert call(*arguments)[0] == 0
    split("-o", "fresh/")
    assert Path("out/chunks.jsonl").read_bytes() == Path("fresh/chunks.jsonl").read_bytes()
    assert manifest("out")["documents"] == manifest("fresh")["documents"]
    changes = {name: value for name, value in manifest("out")["changes"].items() if value}
    assert changes == {"changed": ["docs/a.md"], "unchanged": 3}
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
