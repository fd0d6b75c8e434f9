"""`chunkana demo`: the demonstration of chunking, search and merging."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rich.console import Console

import chunkana_cli
from chunkana_cli.commands.demo import (
    DEFAULT_QUESTION,
    best_window,
    default_documents,
    show,
)
from chunkana_cli.commands.tree import full_tree
from chunkana_cli.demonstrating.run import (
    DemoRun,
    MergedPassage,
    find_hits,
    leaves_under,
    merge_leaves,
    nearly_merged,
    pick_question,
    run_demo,
)
from chunkana_cli.inputs.batch import Batch, Document
from chunkana_core import ChunkConfig, chunk_hierarchical
from chunkana_retrieval import Hit
from tests.cli.command import call, environment, output_of, piped
from tests.cli.terminal import at_terminal
from tests.strategies import any_markdown

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted((ROOT / "tests" / "data" / "documents").glob("*.md"))
STEPS = ("1. Chunk\n", "2. Tree\n", "3. Ask\n", "4. Merge\n", "5. Read\n")


KETTLE = """# Kettle

A kettle for your desk.

## Keys

### Boil

Key b boils the water, and then it stops. The kettle whistles.

### Warm

Key k keeps the water warm for an hour. The lamp is on.

## Repair

Unplug it before you open the lid. Then call us.

## Options

Use --keep-warm or --no-whistle on the command line.
"""


def demonstrated(
    documents: list[Document],
    question: str | None = "cats",
    config: ChunkConfig | None = None,
    parent: int = 3000,
) -> DemoRun:
    options = config or ChunkConfig()
    return run_demo(
        Batch([]), documents, options, question=question, count=8, max_parent_size=parent
    )


def steps(output: str) -> dict[str, str]:
    """Split the output of the demo at its headings."""
    starts = [output.index(step) for step in STEPS]
    assert starts == sorted(starts)
    return {
        step[3:].strip(): output[start:end]
        for step, start, end in zip(STEPS, starts, [*starts[1:], None], strict=True)
    }


def test_by_default_it_shows_our_own_documents(tmp_path: Path) -> None:
    shown = steps(output_of("demo", folder=tmp_path))
    assert "README.md, docs/" in shown["Chunk"]
    assert "README.md  “Chunkana” · " in shown["Tree"]
    assert f"“{DEFAULT_QUESTION}”" in shown["Ask"]
    assert "docs/configuration.md: Configuration" in shown["Ask"]
    assert re.search(r"\d of \d children hit: merged into [\d,]+\s+characters", shown["Merge"])
    assert "max_chunk_size" in shown["Read"]


def test_installed_elsewhere_it_shows_the_guide(tmp_path: Path) -> None:
    source = Path(chunkana_cli.__file__).parent
    shutil.copytree(source, tmp_path / "site" / "chunkana_cli")
    (tmp_path / "README.md").write_text("# Not ours\n", encoding="utf-8")
    # -P keeps the checkout's own package out; the copy comes first on the path.
    env = environment(PYTHONPATH=str(tmp_path / "site"))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "chunkana_cli", "demo"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    shown = steps(done.stdout.decode())
    assert "guide.md" in shown["Chunk"]
    assert "3 of 3 children hit: merged" in shown["Merge"]
    assert "1. How Chunkana cuts a document > Size  lines " in shown["Read"]


def test_a_given_file_and_question(tmp_path: Path) -> None:
    path = ROOT / "tests" / "data" / "documents" / "readme_project.md"
    output = output_of("demo", path, "--question", "Which licence is it under?", folder=tmp_path)
    shown = steps(output)
    assert "“Which licence is it under?”\nBM25 finds " in shown["Ask"]
    assert " for: licence" in shown["Ask"]
    assert "\x1b" not in output


def test_several_files_folders_and_patterns(tmp_path: Path) -> None:
    """Without a question one is made up, about the first file with text."""
    part = "".join(f"## Part {n}\n\n{'It is about cats. ' * 9}\n\n" for n in range(6))
    for name, text in (
        ("e/a.md", " \n"),
        ("e/b.md", f"# Cats\n\n{part}"),
        ("e/d/c.md", "# Dogs\n\nBark.\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for meant in (["e"], ["e/a.md", "e/b.md", "e/d"], ["**/*.md"]):
        shown = steps(output_of("demo", *meant, folder=tmp_path))
        assert "e/b.md, e/d/c.md\n" in shown["Chunk"]
        assert "“What about " in shown["Ask"]
        assert "e/b.md: Cats > Part" in shown["Ask"]


def test_what_cannot_be_read_is_said_and_the_rest_shown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nCats.\n", encoding="utf-8")
    code, output, error = call("demo", tmp_path / "a.md", tmp_path / "no.md", "-q", "cats")
    assert (code, error) == (1, f"chunkana: {tmp_path / 'no.md'}: no such file\n")
    assert "BM25 finds 1 chunk for: cats" in output


def test_the_names_of_many_documents_are_counted() -> None:
    documents = [Document(f"{number}.md", "# A\n\nAbout cats.\n") for number in range(40)]
    console = Console(file=StringIO(), width=400)
    show(demonstrated(documents), console)
    assert isinstance(console.file, StringIO)
    assert "28.md, 29.md and 10 more\n" in console.file.getvalue()


def test_standard_input_and_the_options_of_retrieval() -> None:
    text = "".join(f"## Part {n}\n\nIt is about cats. {'And more. ' * 8}\n\n" for n in range(6))
    arguments = ("demo", "-", "-q", "cats", "--hits=2", "--max-parent-size=260")
    shown = steps(piped(*arguments, "--min-chunk-size=0", stdin=text.encode()))
    assert "BM25 finds 2 chunks for: cats" in shown["Ask"]
    assert "2 of 2 children hit: merged into " in shown["Merge"]


def test_nothing_found(tmp_path: Path) -> None:
    output = output_of("demo", "-", "-q", "zebra", stdin=b"# A\n\nCats.\n", folder=tmp_path)
    assert "BM25 finds nothing for: zebra" in output
    assert "4. Merge" not in output


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_a_question_is_made_up_that_finds_something(path: Path) -> None:
    document = Document(path.name, path.read_bytes().decode())
    demo = demonstrated([document], None, ChunkConfig(atomic_blocks="split"))
    assert demo.question.startswith("What about ")
    assert demo.hits
    assert demo.passages[0][1].score == demo.hits[0].score


@settings(max_examples=30)
@given(any_markdown(), st.one_of(st.none(), st.text()), st.integers(32, 200))
def test_any_document_and_question_can_be_shown(
    text: str, question: str | None, max_size: int
) -> None:
    assume(text.strip())
    config = ChunkConfig(max_chunk_size=max_size, atomic_blocks="split")
    documents = [Document("a.md", text), Document("b.md", "")]
    demo = demonstrated(documents, question, config, 3 * max_size)
    console = Console(file=StringIO(), width=80)
    show(demo, console)
    console.print(full_tree("a.md", demo.documents[0].result))


def test_at_a_terminal(tmp_path: Path) -> None:
    text = "# A\n\nText.\n\n## [red]B[/red] \x1b[2J\n\nAbout cats\x07.\n\n## C\n\nMore cats.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    output = at_terminal("demo", "a.md", "-q", "cats", folder=tmp_path, columns=70)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", output)
    assert plain != output
    assert {c for c in plain if not c.isprintable()} <= {"\r", "\n"}
    assert "[red]B[/red] \\x1b[2J" in plain
    assert "│ About cats\\x07." in plain
    assert max(map(len, plain.splitlines())) <= 70


def test_of_many_documents_the_first_are_shown_as_trees() -> None:
    text = "".join(f"# Part {number}\n\nAbout cats.\n\n" for number in range(8))
    documents = [Document(f"{number}.md", text) for number in range(9)]
    console = Console(file=StringIO(), width=80)
    show(demonstrated(documents, config=ChunkConfig(min_chunk_size=0)), console)
    assert isinstance(console.file, StringIO)
    tree = steps(console.file.getvalue())["Tree"]
    assert [line for line in tree.splitlines() if ".md" in line or line.startswith("…")] == [
        *(f"{number}.md  “Part 0” · 184 characters in 8 chunks" for number in range(6)),
        "… and 3 more documents",
    ]
    assert tree.count("── Part") == 6 * 6


def test_our_own_documents_are_those_of_the_checkout() -> None:
    names = [document.name for document in default_documents()]
    assert names[0] == "README.md"
    assert names[1:] == sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("How do I keep the water warm?", ["Warm"]),
        ("Does it whistle when boiling?", ["Keys"]),  # whose heading went with that of "Boil"
        ("Where do I call?", ["Repair"]),
        ("keep-warm", ["Options"]),
        ("is it?", []),
        ("absent", []),
    ],
)
def test_search_finds_the_chunk_that_says_it_in_its_document(
    question: str, titles: list[str]
) -> None:
    texts = ("", "# Cats\n\nMeow.\n", KETTLE)
    results = [chunk_hierarchical(text, ChunkConfig(max_chunk_size=100)) for text in texts]
    titles_by_id = {chunk.chunk_id: chunk.title for chunk in results[2].get_leaves()}
    hits = find_hits(results, question, 3)[:1]
    assert [(hit.document_id, titles_by_id[hit.node_id]) for hit in hits] == [
        ("2", name) for name in titles
    ]


def test_hits_are_the_best_first_and_none_is_weak() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100))
    scores = [hit.score for hit in find_hits([result], "boil the water and stop", 9)]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] >= scores[0] / 5


@pytest.mark.parametrize(
    ("lines", "window"),
    [
        (["a"] * 3, range(3)),
        (["dog", *["-"] * 9], range(4)),
        ([*["-"] * 9, "dog"], range(6, 10)),
        ([*["-"] * 5, "dog", *["-"] * 9], range(3, 7)),
        (["dog", *["-"] * 6, "dog", "cat", *["-"] * 6], range(5, 9)),
        (["-"] * 9, range(5, 9)),
    ],
)
def test_the_window_has_most_words_and_some_context(lines: list[str], window: range) -> None:
    assert best_window(lines, "a dog and a cat", 4) == window


def test_parents_that_are_not_merged_have_half_of_their_children_hit_or_less() -> None:
    result = chunk_hierarchical(KETTLE, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    tree = result.merge_tree()
    (top,) = (node for node in tree.nodes if len(node.children_ids) == 4)
    first, second, *_, last = tree.leaves
    passages = merge_leaves(tree, [Hit(first.node_id, 1.0), Hit(last.node_id, 1.0)])
    assert [passage.replaced for passage in passages] == [0, 0]
    assert nearly_merged(tree, passages) == [(top, 2)]
    (merged,) = merge_leaves(tree, [Hit(leaf.node_id, 2.0) for leaf in tree.leaves])
    assert [leaf.chunk_id for leaf in leaves_under(tree, merged.node)] == [
        leaf.node_id for leaf in tree.leaves
    ]
    assert (merged.score, merged.replaced, merged.text) == (2.0, 4, KETTLE.rstrip())
    assert MergedPassage(second, 1.0).text == second.chunk.content


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        (KETTLE, "Keys"),  # whose answer merges
        ("# A\n\n## Cats\n\nMeow.\n", "Cats"),
        ("One two three four five six seven eight nine ten.\n",
         "One two three four five six seven eight"),
        ("# Cats\n\nMeow.\n", "Cats"),
    ],
)  # fmt: skip
def test_the_question_is_about_a_large_section(text: str, topic: str) -> None:
    result = chunk_hierarchical(text, ChunkConfig(max_chunk_size=100, min_chunk_size=0))
    assert pick_question(result, result.merge_tree(), 8) == f"What about {topic}?"
