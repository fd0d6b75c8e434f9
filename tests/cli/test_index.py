"""`chunkana index`: what it builds, what it reads and chunks again, and what it deletes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree

import pytest

from chunkana_cli.indexing import updating
from chunkana_cli.inputs.files import escape_name
from chunkana_core import format_names
from chunkana_retrieval import Index
from chunkana_retrieval.index import SourceDocuments
from tests.cli.command import call, error_of, output_of, run
from tests.cli.indexes import OLD, Work, index, texts_of, work, write
from tests.cli.rights import run_without_rights

__all__ = ["work"]  # a fixture

TEA = "# Tea\n\nBoil water.\n\n## Green\n\nWait for 80 degrees.\n"
OVEN = "# Oven\n\nBake bread.\n"
CATS = "# Cats\n\nThey sleep.\n"
OTHER_OPTIONS = "nothing is indexed: with other options than before, all files are needed"
SECOND = 1_000_000_000  # nanoseconds


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, in which `docs` has old files."""
    monkeypatch.chdir(tmp_path)
    write("docs/tea.md", TEA)
    write("docs/oven.md", OVEN)
    write("docs/pets/cats.md", CATS)
    return tmp_path


# Build


def test_all_formats_are_indexed_and_counted() -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# Plot\n\nA curve."}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    files = {
        "markdown": ("guide.md", TEA, "Tea"),
        "text": ("notes.txt", "NOTES\n=====\n\nBuy bread.\n", ""),
        "json": ("package.json", '{"name": "tea", "scripts": {"boil": "kettle"}}\n', "scripts"),
        "python": ("app.py", "class Pot:\n    def boil(self):\n        pass\n", "Pot.boil"),
        "notebook": ("plot.ipynb", json.dumps(notebook), "Plot"),
    }
    shown = {name: file for name, file in files.items() if name in format_names()}
    for name, text, _ in files.values():
        write(f"all/{name}", text)
    done = index("all")
    assert (done.code, done.counts) == (0, {"document": len(shown), "added": len(shown)})
    for name, text, section in shown.values():
        found = texts_of(".chunkana")[f"all/{name}"]
        assert found == text or name == "plot.ipynb"
        if section:
            place = f"all/{name}#{section}"
            assert output_of("read", ".chunkana", place) in found


def test_what_is_printed_and_made(folder: Path) -> None:
    code, output, printed = call("index", "docs", "-o", "index")
    assert (code, output) == (0, "")
    assert printed.startswith("chunkana: index: 3 documents, 3 added, 0 errors, 0.")
    assert (folder / "index" / ".gitignore").read_text() == "*\n"
    Path("made").mkdir()
    assert index(".", "-o", "made").counts == {"document": 3, "added": 3}
    assert not Path("made", ".gitignore").exists()  # a folder that the user made


def test_names_of_files_do_not_depend_on_how_they_are_given(folder: Path) -> None:
    ids = ["docs/oven.md", "docs/pets/cats.md", "docs/tea.md"]
    for given in (["docs"], ["."], ["./docs"], ["docs/oven.md", "docs"], ["docs/**/*.md"]):
        rmtree(".chunkana", ignore_errors=True)
        index(*given)
        assert sorted(texts_of(".chunkana")) == ids
    index(folder / "docs", "-o", "absolute")
    assert sorted(texts_of("absolute")) == [(folder / one).as_posix() for one in ids]


@pytest.mark.parametrize("name", [b"my docs", "чай".encode(), b"a#b?c%20", b"d\xff\xfe"])
def test_any_names_of_folders(name: bytes) -> None:
    place = os.fsdecode(name)
    try:
        write(f"{place}/tea.md", TEA)
    except (OSError, UnicodeError):
        pytest.skip("this system has no such names")
    for counts in ({"document": 1, "added": 1}, {"document": 1, "unchanged": 1}):
        done = index(place, "-o", f"{place}/an index")
        assert (done.code, done.counts) == (0, counts)
    (document,) = texts_of(f"{place}/an index")
    assert document == f"{escape_name(place)}/tea.md"
    assert output_of("read", f"{place}/an index", document) == TEA
    assert "80 degrees" in output_of("ask", f"{place}/an index", "-q", "green")


# Update

NEW = "docs/new.md"
ALL = ["docs/oven.md", "docs/pets/cats.md", "docs/tea.md"]
GREEN = TEA.replace("80", "75")  # as long as before


def change_nothing() -> None:
    pass


def add() -> None:
    write(NEW, "# New\n")


def change() -> None:
    write("docs/tea.md", GREEN, OLD + 1)


def grow() -> None:
    write("docs/tea.md", f"{TEA}\nDrink it.\n")


def touch() -> None:
    os.utime("docs/tea.md", ns=(OLD, OLD + 1))


def delete() -> None:
    Path("docs/tea.md").unlink()


def rename() -> None:
    Path("docs/tea.md").rename(NEW)


def change_secretly() -> None:
    write("docs/tea.md", GREEN)


@pytest.mark.parametrize(
    ("edit", "options", "expected", "counts"),
    [
        (change_nothing, [], Work([], []), {"unchanged": 3}),
        (change_nothing, ["--check"], Work(ALL, []), {"unchanged": 3}),
        (add, [], Work([NEW], [NEW]), {"added": 1, "unchanged": 3}),
        (change, [], Work(["docs/tea.md"], ["docs/tea.md"]), {"changed": 1, "unchanged": 2}),
        (grow, [], Work(["docs/tea.md"], ["docs/tea.md"]), {"changed": 1, "unchanged": 2}),
        (touch, [], Work(["docs/tea.md"], []), {"unchanged": 3}),
        (delete, [], Work([], []), {"deleted": 1, "unchanged": 2}),
        (rename, [], Work([NEW], [NEW]), {"added": 1, "deleted": 1, "unchanged": 2}),
        (change_secretly, [], Work([], []), {"unchanged": 3}),
        (
            change_secretly,
            ["--check"],
            Work(ALL, ["docs/tea.md"]),
            {"changed": 1, "unchanged": 2},
        ),
    ],
)
def test_an_update_reads_and_chunks_what_changed(
    edit: Callable[[], None],
    options: list[str],
    expected: Work,
    counts: dict[str, int],
    work: Work,
) -> None:
    index("docs")
    assert sorted(work.chunked) == ALL
    work.clear()
    edit()
    done = index("docs", *options)
    assert (done.code, done.errors) == (0, [])
    assert Work(sorted(work.read), work.chunked) == expected
    del done.counts["document"]
    assert done.counts == counts
    if edit is not change_secretly or options:
        files = {path.as_posix(): path.read_text("utf-8") for path in Path("docs").rglob("*.md")}
        assert texts_of(".chunkana") == files
    work.clear()
    index("docs")
    assert work == Work([], [])


@pytest.mark.parametrize(
    ("age", "is_read"),
    [(-SECOND, True), (0, True), (2 * SECOND, True), (2 * SECOND + 1, False)],
)
def test_a_file_that_was_changed_just_before_a_run_is_read_again(
    age: int, work: Work, monkeypatch: pytest.MonkeyPatch, *, is_read: bool
) -> None:
    """It may have been changed after the run, too, at what its file system takes for one time."""
    monkeypatch.setattr(updating, "time_ns", lambda: OLD + age)
    index("docs/tea.md")
    work.clear()
    write("docs/tea.md", GREEN)
    index("docs/tea.md")
    assert bool(work.read) == is_read
    assert ("75" in texts_of(".chunkana")["docs/tea.md"]) == is_read


def test_times_of_files_that_cannot_be_read_are_not_used(work: Work) -> None:
    for damage in (b"", b"nonsense", b"\x81\xa1a\x01"):
        index("docs")
        Path(".chunkana", "files.msgpack").write_bytes(damage)
        work.clear()
        assert index("docs").counts == {"document": 3, "unchanged": 3}
        assert (sorted(work.read), work.chunked) == (ALL, [])


def test_standard_input_is_read_each_time(folder: Path) -> None:
    for text, changes in (("# In\n", "4 added"), ("# In 2\n", "1 changed, 1 deleted, 2 unchanged")):
        done = run("index", "-", "docs", "--jobs=1", stdin=text.encode(), folder=folder)
        assert done.returncode == 0
        assert f" documents, {changes}, 0 errors" in done.stderr.decode()
        assert texts_of(".chunkana")["-"] == text
        Path("docs/tea.md").unlink(missing_ok=True)


# Errors


def test_the_document_of_a_file_that_fails_stays(work: Work) -> None:
    index("docs")
    write("docs/tea.md", b"caf\xe9", OLD + 1)
    write("docs/oven.md", "# Oven\n\nIt is hot.\n", OLD + 1)
    Path("docs/pets/cats.md").unlink()
    for counts in ({"changed": 1, "deleted": 1, "unchanged": 1}, {"unchanged": 2}):
        done = index("docs")
        message = "not UTF-8: byte 0xe9 at offset 3 (line 1); --encoding names another, such as"
        assert (done.code, len(done.errors)) == (1, 1)
        assert done.errors[0].startswith(f"chunkana: docs/tea.md: {message}")
        assert done.counts == {"document": 2, "error": 1, **counts}
        assert texts_of(".chunkana")["docs/tea.md"] == TEA
    write("docs/tea.md", "Tea.", OLD + 2)
    work.clear()
    assert index("docs").counts == {"document": 2, "changed": 1, "unchanged": 1}
    assert work.read == ["docs/tea.md"]


def test_documents_in_a_folder_that_cannot_be_read_stay(folder: Path) -> None:
    index("docs")
    Path("docs/tea.md").unlink()
    Path("docs/pets").chmod(0)
    done = run_without_rights("index", "docs", "--jobs=1", folder=folder)
    others = run_without_rights("index", "docs", "--from=text", folder=folder)
    Path("docs/pets").chmod(0o700)
    first, summary = done.stderr.decode().splitlines()
    assert (done.returncode, first) == (1, "chunkana: docs/pets: Permission denied")
    assert summary.startswith("chunkana: .chunkana: 2 documents, 1 deleted, 2 unchanged, 1 error, ")
    assert (others.returncode, others.stderr.decode().splitlines()) == (
        1, [first, f"chunkana: {OTHER_OPTIONS}"]
    )  # fmt: skip
    assert index("docs").counts == {"document": 2, "unchanged": 2}


@pytest.mark.parametrize("given", [["typo"], ["docs", "typo"], ["typo/tea.md", "docs"]])
def test_no_document_is_deleted_if_what_is_named_is_missing(given: list[str]) -> None:
    index("docs")
    Path("docs/tea.md").unlink()
    done = index(*given)
    (missing,) = {*given} - {"docs"}
    assert (done.code, done.errors) == (1, [f"chunkana: {missing}: no such file"])
    assert done.counts == {"document": 3, "unchanged": 3, "error": 1}
    error = call("index", *given, "--from=text")[2].splitlines()
    assert error[-1] == f"chunkana: {OTHER_OPTIONS}"
    assert index("docs").counts == {"document": 2, "deleted": 1, "unchanged": 2}


def test_what_is_found_nowhere_hides_no_deletion() -> None:
    """A broken link, a pattern, a folder without documents: other options are possible, too."""
    Path("empty").mkdir()
    try:
        Path("docs/link.md").symlink_to("nowhere")
    except OSError:
        pytest.skip("needs links")
    given = ["docs", "empty", "*.rst"]
    for change in (change_nothing, delete):
        change()
        done = index(*given)
        assert (done.code, done.counts["error"]) == (1, 1)
        assert any("docs/link.md: is a broken link" in error for error in done.errors)
    assert done.counts == {"document": 2, "deleted": 1, "unchanged": 2, "error": 1}
    assert index(*given, "--from=text").counts == {"document": 2, "changed": 2, "error": 1}


@pytest.mark.parametrize("given", ["empty", "*.rst"])
def test_without_files_nothing_is_made_or_changed(given: str) -> None:
    Path("empty").mkdir()
    error_of("index", given, code=1)
    assert not Path(".chunkana").exists()
    index("docs")
    error_of("index", given, code=1)
    assert sorted(texts_of(".chunkana")) == ALL


def test_patterns_do_not_match_the_files_of_an_index() -> None:
    write("index.lock", "# A file of the project\n")
    for _ in range(2):
        (note,) = index("**/*", "-o", "docs/index").errors
        assert "1 file of unknown format was chunked as plain text: .lock (1)" in note
    assert {*texts_of("docs/index")} == {*ALL, "index.lock"}
    assert {path.name for path in Path("docs/index").iterdir()} > {"index.db", "files.msgpack"}


def test_standard_input_is_not_the_file_of_its_name() -> None:
    write("-", OVEN)
    for text, kind in ((TEA, "added"), (CATS, "changed")):
        assert f"1 {kind}" in run("index", "-", stdin=text.encode()).stderr.decode()
        assert texts_of(".chunkana") == {"-": text}


# Other options


@pytest.mark.parametrize("option", ["--max-chunk-size=80", "--from=text", "--encoding=latin-1"])
def test_with_other_options_all_is_chunked_again_at_once(
    option: str, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("docs/pets/cats.md", "# Café\n")
    index("docs")
    before = texts_of(".chunkana")
    work.clear()
    Path("docs/tea.md").unlink()
    written, update = list[int](), Index.update_sources

    def update_sources(self: Index, sources: SourceDocuments, **options: object) -> object:
        written.append(len(sources.fingerprints))
        return update(self, sources, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(updating, "_BATCH", 1)
    monkeypatch.setattr(Index, "update_sources", update_sources)
    assert index("docs", option).counts == {"document": 2, "changed": 2, "deleted": 1}
    assert sorted(work.chunked) == ALL[:2]
    assert written[0] == 2
    assert not any(written[1:])
    is_other = texts_of(".chunkana")["docs/pets/cats.md"] != before["docs/pets/cats.md"]
    assert is_other == (option == "--encoding=latin-1")
    work.clear()
    index("docs", option)
    assert work == Work([], [])


def test_options_are_those_of_the_documents_if_all_files_fail() -> None:
    option = "--max-chunk-size=80"
    index("docs")
    Path("docs/tea.md").unlink()
    for name in ALL[:2]:
        write(name, b"\xff", OLD + 1)
    done = index("docs", option)
    assert done.counts == {"document": 2, "deleted": 1, "unchanged": 2, "error": 2}
    for name, text in zip(ALL, (OVEN, CATS), strict=False):
        write(name, text)
    assert index("docs").counts == {"document": 2, "unchanged": 2}
    assert index("docs", option).counts == {"document": 2, "changed": 2}


# Embeddings

MODELS = """
def one(texts):
    return [[len(text), 1.0] for text in texts]

def other(texts):
    return [[1.0, len(text)] for text in texts]

def wrong(texts):
    return [[0.0, 0.0] for _ in texts]

class NeedsKey:
    def __init__(self, key):
        pass

NUMBER = 7
"""


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a module `models` into the current folder."""
    write("models.py", MODELS)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "models", raising=False)


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("first", "then", "allowed"),
    [
        ("", "models:one", "this one without an embedding and a vector store"),
        ("models:one", "", "this one with the embedding that its vectors are by"),
        ("models:one", "models:other", "the model of this index, 'one'"),
    ],
)
@pytest.mark.parametrize("edit", [change_nothing, change, delete])
def test_another_embedding_is_refused(
    edit: Callable[[], None], first: str, then: str, allowed: str, work: Work
) -> None:
    def options(name: str) -> list[str]:
        return [f"--embedding={name}"] if name else []

    index("docs", *options(first))
    work.clear()
    edit()
    error = error_of("index", "docs", *options(then), code=2)
    assert f"allowed: {allowed}" in error
    assert error.endswith("make a new index, in another folder, for another one")
    assert (work.read, len(texts_of(".chunkana"))) == ([], 3)


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("models", "has no attribute ''"),
        ("models:absent", "has no attribute 'absent'"),
        ("absent_module:embed", "No module named 'absent_module'"),
        (":embed", "Empty module name"),
        ("models:NeedsKey", "missing 1 required positional argument: 'key'"),
        ("models:NUMBER", "a int; allowed: MODULE:OBJECT"),
        ("models:wrong", "finite numbers that are not all zero"),
    ],
)
def test_what_is_no_embedding_is_an_error(name: str, reason: str) -> None:
    error = error_of("index", "docs", f"--embedding={name}", "--jobs=1", code=2)
    assert error.startswith("--embedding is ")
    assert reason in error


def test_with_other_options_nothing_changes_if_a_named_file_is_missing() -> None:
    given = "docs/tea.md", "docs/oven.md"
    index(*given)
    Path("docs/oven.md").unlink()
    assert error_of("index", *given, "--max-chunk-size=80", code=1).endswith(OTHER_OPTIONS)
    assert texts_of(".chunkana") == {"docs/tea.md": TEA, "docs/oven.md": OVEN}
