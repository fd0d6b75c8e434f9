"""`chunkana view`: pages in files, folders and pipes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from tests.cli.command import error_of, output_of, piped, run
from tests.cli.terminal import ended_at_terminal
from tests.view.reading import read

TEXT = "# Größe\n\nHello.\n\n## Use\n\nTurn it on.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in ("a.md", "docs/a.md", "index.md"):
        (tmp_path / name).write_text(TEXT.replace("Hello", name), encoding="utf-8")
    return tmp_path


def test_one_file_to_a_page(folder: Path) -> None:
    assert output_of("view", "a.md", "-o", "page.html", folder=folder) == ""
    page = read((folder / "page.html").read_text(encoding="utf-8"))
    assert page.by_id("source").text == TEXT.replace("Hello", "a.md")
    assert page.all("h1")[0].text == "a.md"


def test_standard_input_to_standard_output() -> None:
    page = read(piped("view", "-", stdin=TEXT.encode()))
    assert page.by_id("source").text == TEXT
    assert page.all("h1")[0].text == "standard input"


def test_options_are_those_of_split(folder: Path) -> None:
    page = read(output_of("view", "a.md", "--max-chunk-size", "32", folder=folder))
    assert page.facts["limit"] == 32


def test_contexts_are_embedded_unless_they_are_not_wanted(folder: Path) -> None:
    alone = read(output_of("view", "a.md", "--max-chunk-size=60", "--no-context", folder=folder))
    page = read(output_of("view", "a.md", "--max-chunk-size=60", folder=folder))
    assert not any("context" in chunk for chunk in alone.facts["chunks"])
    assert page.facts["chunks"][-1]["context"] == "a.md > Größe > Use\n\n"


def test_several_files_make_a_folder(folder: Path) -> None:
    assert output_of("view", "a.md", "docs/a.md", "index.md", "-o", "out/x", folder=folder) == ""
    written = {path.name for path in (folder / "out" / "x").iterdir()}
    assert written == {"index.html", "a.html", "a-2.html", "index-2.html"}
    index = read((folder / "out" / "x" / "index.html").read_text(encoding="utf-8"))
    links = {link.attributes["href"]: link.text for link in index.all("a")}
    assert links == {"./a.html": "a.md", "./a-2.html": "docs/a.md", "./index-2.html": "index.md"}
    assert list(links.values()) == ["a.md", "docs/a.md", "index.md"]
    for address, name in links.items():
        page = read((folder / "out" / "x" / address).read_text(encoding="utf-8"))
        assert page.by_id("source").text == TEXT.replace("Hello", name)
        assert [link.attributes["href"] for link in page.all("a")] == ["./index.html"]


def test_the_index_is_sorted_and_adds_up(folder: Path) -> None:
    """Whatever the order of the arguments: by name, with sizes and totals."""
    (folder / "docs" / "Long.md").write_text(f"# L\n\n```\n{'x' * 1500}\n```\n", encoding="utf-8")
    (folder / "blank.txt").touch()
    names = ["index.md", "docs", "blank.txt", "a.md"]
    assert output_of("view", *names, "--atomic-blocks=keep", "-o", "out", folder=folder) == ""
    index = read((folder / "out" / "index.html").read_text(encoding="utf-8"))
    _, *rows = index.rows
    sizes = {"a.md": len(TEXT) - 1, "docs/a.md": len(TEXT) + 4, "index.md": len(TEXT) + 3}
    assert rows == [
        ["a.md Größe", str(sizes["a.md"]), "2", "0", "markdown", "fallback"],
        ["blank.txt", "0", "0", "0", "text", ""],
        ["docs/a.md Größe", str(sizes["docs/a.md"]), "2", "0", "markdown", "fallback"],
        ["docs/Long.md L", "1,514", "1", "1", "markdown", "code_aware"],
        ["index.md Größe", str(sizes["index.md"]), "2", "0", "markdown", "fallback"],
        ["5 documents", f"{sum(sizes.values()) + 1514:,}", "7", "1", "", ""],
    ]
    assert [element.text for element in index.all("span")] == ["limit 1,000"]


def test_a_folder_with_one_file_makes_a_folder(folder: Path) -> None:
    assert output_of("view", "docs", "-o", "out", folder=folder) == ""
    assert {path.name for path in (folder / "out").iterdir()} == {"index.html", "a.html"}


def test_pages_differ_in_more_than_case(tmp_path: Path) -> None:
    """So that none replaces another where file systems do not tell cases apart."""
    names = ("x/Straße.md", "y/STRASSE.md", "x/A.md", "y/a.md")
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
    for name in names:
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    assert output_of("view", *names, "-o", "out", folder=tmp_path) == ""
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"index.html", "Straße.html", "STRASSE-2.html", "A.html", "a-2.html"}


def test_what_cannot_be_read_is_left_out(folder: Path) -> None:
    """And a page stays where its document cannot be read."""
    (folder / "page.html").write_text("old", encoding="utf-8")
    for arguments in (["a.md", "no.md", "-o", "out"], ["no.md", "-o", "page.html"]):
        done = run("view", *arguments, folder=folder)
        assert (done.returncode, done.stderr) == (1, b"chunkana: no.md: no such file\n")
    assert {path.name for path in (folder / "out").iterdir()} == {"index.html", "a.html"}
    assert (folder / "page.html").read_text(encoding="utf-8") == "old"


@pytest.mark.parametrize("name", ["x.html", "x.HTM"])
def test_the_name_of_a_page_is_none_of_a_folder(name: str, folder: Path) -> None:
    page = folder / name
    assert error_of("view", folder / "docs", "-o", page, code=2) == (
        f"{page}: is the name of a page; for a folder or several files, "
        "name a folder for the pages: -o FOLDER"
    )
    assert not page.exists()
    page.mkdir()
    assert output_of("view", folder / "docs", "-o", page) == ""
    assert {path.name for path in page.iterdir()} == {"index.html", "a.html"}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("a.md index.md", 2,
         "for a folder or several files, name a folder for the pages: -o FOLDER"),
        ("a.md index.md -o a.md", 2,
         "a.md: is a file; for a folder or several files, -o names a folder"),
        ("a.md -o docs", 2, "docs: is a folder; with one file, -o names the page: -o PAGE.html"),
        ("a.md -o a.md", 2, "a.md: is one of the inputs, and would be replaced"),
        ("a.md index.html -o . --from=markdown", 2,
         "index.html: is one of the inputs, and would be replaced"),
        ("a.md -o a.md/out/p.html", 1, "a.md/out/p.html: cannot be written: Not a directory"),
        ("a.md index.md -o a.md/out", 1, "a.md/out: cannot be made: Not a directory"),
    ],
)  # fmt: skip
def test_outputs_that_are_refused(
    arguments: str, code: int, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "index.html").write_text(TEXT, encoding="utf-8")
    assert error_of("view", *arguments.split(), code=code) == message
    assert (folder / "index.html").read_text(encoding="utf-8") == TEXT


def test_a_terminal_gets_no_page(folder: Path) -> None:
    code, output = ended_at_terminal("view", "a.md", folder=folder, columns=200)
    message = "chunkana: a page is not printed to a terminal; name a file for it: -o PAGE.html"
    assert (code, output.splitlines()) == (2, [message])
