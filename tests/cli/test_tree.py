"""`chunkana tree`: the hierarchy, in a pipe and at a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunkana_cli.commands.tree import full_tree
from chunkana_cli.demonstrating.trees import short_tree
from chunkana_core import ChunkConfig, Chunker, Context, MarkdownChunker, chunk_hierarchical
from tests.cli.command import environment, output_of, piped, run
from tests.cli.terminal import at_terminal

DOCUMENTS = sorted((Path(__file__).parents[1] / "data" / "documents").glob("*.md"))
GUIDE = "# Guide\n\nHello there.\n\n## Install\n\nUnpack it.\n\n### Linux\n\nUse tar.\n"
HOSTILE = (
    "# [bold]A[/] :smile: \x1b]0;owned\x07 \x9b31m &#27;[2J\n\nText.\n\n## \u202eevil\n\nText.\n"
)


def test_titles_levels_sizes_and_lines(tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    lines = output_of("tree", "guide.md", "--min-chunk-size=0", folder=tmp_path).splitlines()
    assert lines[0] == "guide.md  “Guide” · 67 characters in 3 chunks"
    assert lines[1].startswith("├── Guide  H1 · 21 · lines 1-3 · text · ")
    assert lines[2].startswith("└── Install  H2 · 43 · lines 5-11 · section · ")
    assert lines[3].startswith("    ├── Install  H2 · 22 · lines 5-7 · text · ")
    assert lines[4].startswith("    └── Linux  H3 · 19 · lines 9-11 · text · ")


@pytest.mark.parametrize("path", DOCUMENTS[::3], ids=lambda path: path.stem)
def test_every_chunk_has_a_line(path: Path) -> None:
    result = chunk_hierarchical(path.read_bytes().decode())
    tree = full_tree(path.name, result)
    waiting, labels = [tree], []
    while waiting:
        found = waiting.pop()
        labels.append(str(found.label))
        waiting += reversed(found.children)
    assert [label.split(" · ")[-1] for label in labels[1:]] == [
        c.chunk_id for c in result.chunks[1:]
    ]


def test_a_blank_document_has_no_tree() -> None:
    assert output_of("tree", "-", stdin=b"\n\n") == "-  (no text)\n"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Text.\n", ""),
        ("## Part\n\nText.\n", ""),
        ("# Document\n\nText.\n", "“Document” · "),
        ("# One\n\nText.\n\n# Two\n\nText.\n", "“One” · "),
        ("---\ntitle: Said\n---\n\nText.\n", "“Said” · "),
    ],
)
def test_a_document_without_a_title_has_the_name_of_its_file_alone(text: str, title: str) -> None:
    for line in (output_of("tree", "-", stdin=text.encode()), short_label(text)):
        assert line.startswith(f"-  {title}{len(text)} characters in ")


def short_label(text: str) -> str:
    return str(short_tree("-", chunk_hierarchical(text), most_rows=9).label)


def test_code_has_the_name_of_its_file_alone(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter", reason="needs the extra for code")
    (tmp_path / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    assert output_of("tree", "a.py", folder=tmp_path).startswith("a.py  22 characters in 1 chunk\n")


def test_in_a_pipe_nothing_is_coloured_or_cut_short() -> None:
    title = "word " * 38 + "end"
    output = piped("tree", "-", stdin=f"# A\n\n## {title}\n\nText.\n\n## B\n\nText.\n".encode())
    assert "\x1b" not in output
    assert f"── {title}  H2 · " in output.replace("A + ", "")
    assert len(output.splitlines()) == 3


def test_at_a_terminal_it_is_coloured_and_titles_are_cut_at_the_width(tmp_path: Path) -> None:
    title = " ".join(f"word{i}" for i in range(28))
    text = f"# A\n\nText.\n\n# {title}\n\nText.\n\n## {title}\n\n{'More. ' * 20}\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    output = at_terminal("tree", "a.md", "--min-chunk-size=0", folder=tmp_path, columns=90)
    assert "\x1b[" in output
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    lines = plain.splitlines()
    assert len(lines) == len(
        piped("tree", "a.md", "--min-chunk-size=0", folder=tmp_path).splitlines()
    )
    assert [len(line) for line in lines if "…" in line] == [90, 90, 90]
    assert all(
        re.search(r"word.*… +H\d · \d+ · lines .* · [\da-f]{8}$", line) for line in lines[2:]
    )


def test_documents_cannot_write_markup_or_control_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(HOSTILE, encoding="utf-8")
    output = at_terminal("tree", "a.md", folder=tmp_path, columns=200)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert "[bold]A[/] :smile: \\x1b]0;owned\\x07 \\x9b31m" in plain
    assert "\\u202eevil" in plain
    assert {c for c in plain if not c.isprintable()} <= {"\r", "\n"}


def test_a_terminal_or_pipe_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Größe 日本\n\nText.\n\n# B\n\nText.\n", encoding="utf-8")
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    done = run("tree", "a.md", folder=tmp_path, env=environment(**ascii_only))
    assert (done.returncode, done.stderr) == (0, b"")
    assert "── Größe 日本  H1" in done.stdout.decode("utf-8")
    output = at_terminal("tree", "a.md", folder=tmp_path, columns=80, **ascii_only)
    assert "Gr\\xf6\\xdfe" in output


def test_options_reach_the_chunker(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n" + "Some words. " * 30, encoding="utf-8")
    assert len(output_of("tree", "a.md", folder=tmp_path).splitlines()) == 2
    lines = output_of(
        "tree", "a.md", "--no-context", "--max-chunk-size=100", folder=tmp_path
    ).splitlines()
    assert [re.search(r"part (\d of \d)", line) is not None for line in lines[1:]] == [True] * 4


def short_rows(text: str, most_rows: int) -> Iterator[str]:
    result = MarkdownChunker().chunk_hierarchical(text)
    waiting = list(short_tree("a.md", result, most_rows).children)
    while waiting:
        tree = waiting.pop(0)
        yield str(tree.label)
        waiting = [*tree.children, *waiting]


def test_the_short_tree_shows_the_levels_that_have_room() -> None:
    text = "".join(f"# {a}\n\nText.\n\n" + f"## {a}.1\n\nText.\n\n" * 3 for a in range(4))
    assert [row.split("  ")[0] for row in short_rows(text, 10)] == ["0", "1", "2", "3"]
    assert len(list(short_rows(text, 40))) == 4 + 4 * 4


def test_the_short_tree_says_what_it_leaves_out() -> None:
    rows = list(short_rows("# A\n\nText.\n\n" * 30, 10))
    assert len(rows) == 11
    assert rows[-1] == "… and 20 more"


def test_the_short_tree_shows_the_parts_of_a_section_as_one_row() -> None:
    rows = list(short_rows("# A\n\nText.\n\n# B\n\n" + "Some words. " * 300, 10))
    assert [row.split(" · ")[0] for row in rows] == ["A  10", "B  3,601 in 4 chunks"]


def test_json_is_the_result_of_each_file(tmp_path: Path) -> None:
    chunker = Chunker(ChunkConfig(atomic_blocks="split"), Context())
    many = tmp_path / "many.md"  # children, all of which are in the list
    many.write_text("# A\n\nText.\n\n" * 100, encoding="utf-8")
    blank = tmp_path / "blank.md"
    blank.touch()
    paths = [*DOCUMENTS[::3], many, blank]
    said = json.loads(output_of("tree", *paths, "--json"))
    assert [document["file"] for document in said] == [str(path) for path in paths]
    for document, path in zip(said, paths, strict=True):
        result = chunker.chunk_hierarchical(path.read_bytes().decode(), path=path)
        assert document["result"] == result.to_dict(page_size=None)


def test_containers_are_named(tmp_path: Path) -> None:
    """A chunk whose text is all in one says so, in the tree and in JSON."""
    (tmp_path / "tea.md").write_text(
        "# Tea\n\n:::tip Heat\nUse hot water.\n:::\n", encoding="utf-8"
    )
    assert " · text in tip · " in output_of("tree", "tea.md", folder=tmp_path)
    (tree,) = json.loads(output_of("tree", "tea.md", "--json", folder=tmp_path))
    assert [leaf["metadata"]["container"] for leaf in tree["result"]["chunks"]] == ["tip"]
