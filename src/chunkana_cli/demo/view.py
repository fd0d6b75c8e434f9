"""Print the demonstration, step by step."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.demo.merge_view import render_merges
from chunkana_cli.demo.passage_view import render_passages
from chunkana_cli.demo.running import DemoRun
from chunkana_cli.screen.naming import format_count, format_location, path_of
from chunkana_cli.screen.tree_view import short_tree
from chunkana_cli.screen.visible import on_one_line
from chunkana_retrieval import find_words

_MOST_NAMES = 30
_TREE_ROWS = 40  # for all documents together
_MIN_TREE_ROWS = 6  # for one document


def show(demo: DemoRun, console: Console) -> None:
    """Print all steps of the demonstration."""
    _show_chunks(demo, console)
    _show_trees(demo, console)
    _show_hits(demo, console)
    if demo.hits:
        _step("4. Merge", "A parent replaces its children if more than half are hit.", console)
        for line in render_merges(demo):
            console.print(line)
        console.print()
        _step("5. Read", "What a reader, or a language model, is given first.", console)
        for passage in render_passages(demo, console.width):
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
        chunk, name = hit.chunk, on_one_line(demo.documents[hit.document].document.name)
        where = path_of(chunk) if len(demo.documents) == 1 else f"{name}: {path_of(chunk)}"
        place = Text(where).append(f"  {format_location(chunk, chunk)}", style="dim")
        table.add_row(f"{hit.score:.2f}", f"{chunk.size:,}", place)
    return table
