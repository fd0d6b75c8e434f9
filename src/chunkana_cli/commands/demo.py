"""`chunkana demo`: demonstrate chunking, search and auto-merging, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from chunkana_cli.demonstrating.run import (
    DemoRun,
    MergedPassage,
    children_of,
    leaves_under,
    nearly_merged,
    run_demo,
)
from chunkana_cli.demonstrating.trees import short_tree
from chunkana_cli.inputs.batch import Batch, Document
from chunkana_cli.inputs.files import read_text
from chunkana_cli.options import FILES_HELP, epilog, reads_documents
from chunkana_cli.output.output import open_console
from chunkana_cli.output.screen import common_path, format_location, path_of, path_of_all
from chunkana_cli.streams import format_count, on_one_line, visible
from chunkana_core import ChunkConfig, MergeNode, MergeTree
from chunkana_retrieval import find_words, words_of

EPILOG = epilog("demo", "demo docs", 'demo README.md -q "How are tables split?"')
DEFAULT_QUESTION = "What is the maximum size of a chunk?"  # for the default documents
_FILES = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE...", help=f"{FILES_HELP} By default, Chunkana's own."),
]
_PACKAGE = Path(__file__).parents[1]
_WIDTH = 100  # in a pipe
_PARENT_DEFAULT = "three times that of a chunk"
_MOST_NAMES = 30
_TREE_ROWS = 40  # for all documents together
_MIN_TREE_ROWS = 6  # for one document
_EXCERPT_LINES = (20, 8, 8)  # of the passages shown, the best first
_NOT_WORTH_TRIMMING = 3  # lines
_BAR = "│ "
_LINES_BEFORE = 2  # in an excerpt, before the first line with a word of the question


@reads_documents(_FILES, atomic_blocks="split")
def demo(
    batch: Batch,
    *,
    question: Annotated[
        str | None,
        typer.Option("--question", "-q", help="What to ask; by default, one is chosen."),
    ] = None,
    hits: Annotated[int, typer.Option(min=1, help="How many chunks to find.")] = 8,
    max_parent_size: Annotated[
        int | None,
        typer.Option(min=1, help="The largest size of a parent.", show_default=_PARENT_DEFAULT),
    ] = None,
    config: ChunkConfig,
) -> None:
    """Demonstrate chunking, search and merging.

    Without files, the demonstration uses Chunkana's own documents.
    """
    if batch.arguments:
        documents = batch.nonempty_documents()
    else:
        documents, question = default_documents(), question or DEFAULT_QUESTION
    cap = max_parent_size or 3 * config.max_chunk_size
    results = run_demo(batch, documents, config, question=question, count=hits, max_parent_size=cap)
    with open_console(_WIDTH) as console:
        show(results, console)


def default_documents() -> list[Document]:
    """Return the project's README and docs in a checkout, otherwise the installed guide."""
    checkout = _PACKAGE.parents[1]
    readme = checkout / "README.md"
    folder, paths = _PACKAGE / "data", [_PACKAGE / "data" / "guide.md"]
    if readme.is_file() and (checkout / "pyproject.toml").is_file():
        folder, paths = checkout, [readme, *sorted((checkout / "docs").glob("*.md"))]
    return [Document(path.relative_to(folder).as_posix(), read_text(str(path))) for path in paths]


def show(demo: DemoRun, console: Console) -> None:
    """Print all steps of the demonstration."""
    _show_chunks(demo, console)
    _show_trees(demo, console)
    _show_hits(demo, console)
    if demo.hits:
        _step("4. Merge", "A parent replaces its children if more than half are hit.", console)
        for line in _render_merges(demo):
            console.print(line)
        console.print()
        _step("5. Read", "What a reader, or a language model, is given first.", console)
        for passage in _render_passages(demo, console.width):
            console.print(passage)


def _step(title: str, words: str, console: Console) -> None:
    console.print(Text(title, style="bold cyan"), Text(f"{words}\n"), sep="\n")


def _show_chunks(demo: DemoRun, console: Console) -> None:
    names = ", ".join(on_one_line(c.document.name) for c in demo.documents[:_MOST_NAMES])
    if len(demo.documents) > _MOST_NAMES:
        names += f" and {len(demo.documents) - _MOST_NAMES:,} more"
    total = sum(len(c.document.text) for c in demo.documents)
    sizes = sorted(chunk.size for c in demo.documents for chunk in c.result.get_leaves())
    limit = demo.config.max_chunk_size
    larger = sum(size > limit for size in sizes)
    words = (
        f"{names}\n{total:,} characters became {format_count(len(sizes), 'chunk')} in "
        f"{demo.seconds * 1000:,.0f} ms, of at most {limit:,} characters, "
        f"{sizes[len(sizes) // 2]:,} in the median. Each knows its exact place; together they "
        "hold everything."
    )
    oversize = f" {larger:,} are larger: code, tables or formulas kept whole." if larger else ""
    _step("1. Chunk", words + oversize, console)


def _show_trees(demo: DemoRun, console: Console) -> None:
    _step("2. Tree", "Sections and their sizes in characters.", console)
    rows = max(_MIN_TREE_ROWS, _TREE_ROWS // len(demo.documents))
    most = _TREE_ROWS // rows
    not_blank = [document for document in demo.documents if document.result.chunks]
    for document in not_blank[:most]:
        name, result = document.document.name, document.result
        console.print(short_tree(name, result, rows, console.width), "")
    if len(not_blank) > most:
        more = format_count(len(not_blank) - most, "more document")
        console.print(Text(f"… and {more}\n", style="dim"))


def _show_hits(demo: DemoRun, console: Console) -> None:
    spans = find_words(demo.question, demo.question)
    words = on_one_line(" ".join(demo.question[start:end] for start, end in spans))
    found = format_count(len(demo.hits), "chunk") if demo.hits else "nothing"
    _step("3. Ask", f"“{on_one_line(demo.question)}”\nBM25 finds {found} for: {words}", console)
    if demo.hits:
        console.print(_hits_table(demo), "")


def _hits_table(demo: DemoRun) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("score", justify="right")
    table.add_column("size", justify="right")
    table.add_column("chunk", overflow="fold")
    for hit in demo.hits:
        document = demo.documents[int(hit.document_id)].document
        chunk, name = demo.chunk_of(hit), on_one_line(document.name)
        where = path_of(chunk) if len(demo.documents) == 1 else f"{name}: {path_of(chunk)}"
        place = Text(where).append(f"  {format_location(chunk, chunk)}", style="dim")
        table.add_row(f"{hit.score:.2f}", f"{chunk.size:,}", place)
    return table


def _render_merges(demo: DemoRun) -> Iterator[Tree | Text]:
    """Yield a tree for each parent that replaced its children, then lines on the other hits."""
    for index, passage in demo.passages:
        if passage.replaced:
            yield _merged_tree(demo.documents[index].tree, passage, demo.scores(index))
    for index, document in enumerate(demo.documents):
        passages = [passage for i, passage in demo.passages if i == index]
        for parent, count in nearly_merged(document.tree, passages):
            label = f"{count} of {len(parent.children_ids)} children hit: not merged"
            yield _name(document.tree, parent).append(f"  {label}", style="dim")
    alone = sum(not passage.replaced for _, passage in demo.passages)
    merged = len(demo.passages) - alone
    label = f"{format_count(merged, 'merged passage')}, {format_count(alone, 'chunk')} as found"
    yield Text(f"To read: {label}.")


def _merged_tree(tree: MergeTree, passage: MergedPassage, scores: Mapping[str, float]) -> Tree:
    """Return a parent and its descendants as a tree, with marks at the leaves that were hit."""
    children = f"{passage.replaced} of {len(passage.node.children_ids)} children hit"
    summary = f"{children}: merged into {len(passage.text):,} characters"
    top = Tree(_name(tree, passage.node).append(f"  {summary}", style="bold green"))
    waiting = [(top, passage.node)]
    while waiting:
        branch, node = waiting.pop()
        below = len(common_path(leaves_under(tree, node)))
        for child in children_of(tree, node):
            label = _mark(child, scores).append(_name(tree, child, below))
            waiting.append((branch.add(label), child))
    return top


def _mark(node: MergeNode, scores: Mapping[str, float]) -> Text:
    if not node.is_leaf:
        return Text()
    score = scores.get(node.node_id)
    return Text("○      ", style="dim") if score is None else Text(f"● {score:.2f} ", style="green")


def _name(tree: MergeTree, node: MergeNode, below: int = 0) -> Text:
    leaves = leaves_under(tree, node)
    lines = format_location(leaves[0], leaves[-1])
    return Text(path_of_all(leaves, below)).append(f"  {lines}", style="dim")


def _render_passages(demo: DemoRun, width: int) -> Iterator[Group | Text]:
    """Yield the best passages, each below a citation."""
    shown = zip(demo.passages, _EXCERPT_LINES, strict=False)
    for number, ((index, passage), count) in enumerate(shown, 1):
        citation = Text(f"{number}. ").append(_citation(demo, index, passage))
        lines = _wrapped(passage.text, width - len(_BAR), demo.question)
        window = best_window([line.plain for line in lines], demo.question, count)
        yield Group(citation, *_trimmed(lines, window), Text())
    more = len(demo.passages) - len(_EXCERPT_LINES)
    if more > 0:
        yield Text(f"… and {more} more", style="dim")


def _citation(demo: DemoRun, index: int, passage: MergedPassage) -> Text:
    document = demo.documents[index]
    leaves = leaves_under(document.tree, passage.node)
    name = "" if len(demo.documents) == 1 else f"{on_one_line(document.document.name)}, "
    place = f"  {name}{format_location(leaves[0], leaves[-1])}, {len(passage.text):,} characters"
    return Text(path_of_all(leaves), style="bold").append(place, style="not bold dim")


def _wrapped(text: str, width: int, question: str) -> list[Text]:
    """Wrap a text to the width of the screen, and highlight the words of the question."""
    marked = Text(visible(text), tab_size=4)
    for start, end in find_words(marked.plain, question):
        marked.stylize("bold yellow", start, end)
    lines = list(marked.wrap(Console(width=width), width, overflow="fold"))
    for line in lines:
        line.rstrip()
    return lines


def best_window(lines: Sequence[str], question: str, count: int) -> range:
    """Return the range of `count` consecutive lines with the most words of a question.

    >>> best_window(["Fish.", "Birds.", "Cats.", "Dogs."], "a dog", 2)
    range(2, 4)
    """
    if len(lines) <= count:
        return range(len(lines))
    wanted = set(words_of(question))
    found = [wanted.intersection(words_of(line)) for line in lines]

    def worth(start: int) -> int:
        return len(set().union(*found[start : start + count]))

    start = max(range(len(lines) - count + 1), key=worth)  # the first of the best
    while start + count < len(lines) and not any(found[start : start + _LINES_BEFORE + 1]):
        start += 1  # the matches are at the end of the window: show lines after them
    return range(start, start + count)


def _trimmed(lines: Sequence[Text], window: range) -> Iterator[Text]:
    """Yield the lines of a window, with the numbers of lines left out before and after it."""
    above, below = window.start, len(lines) - window.stop
    start = window.start if above > _NOT_WORTH_TRIMMING else 0
    stop = window.stop if below > _NOT_WORTH_TRIMMING else len(lines)
    if start:
        yield Text(f"{_BAR}… {start} lines above", style="dim")
    for line in lines[start:stop]:
        yield Text(_BAR, style="dim").append(line)
    if stop < len(lines):
        yield Text(f"{_BAR}… {len(lines) - stop} lines below", style="dim")
