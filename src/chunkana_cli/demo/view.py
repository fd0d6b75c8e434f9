"""The demonstration on the screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunkana_cli.demo.merge_view import merging_of
from chunkana_cli.demo.passage_view import passages_of
from chunkana_cli.demo.running import Demo
from chunkana_cli.screen.naming import counted, path_of, place_of
from chunkana_cli.screen.tree_view import short_tree
from chunkana_cli.screen.visible import on_one_line
from chunkana_retrieval import find_words

_MOST_NAMES = 30
_TREE_ROWS = 40  # of all documents together
_FEWEST_ROWS = 6  # of a document: less says nothing about it


def show(demo: Demo, console: Console) -> None:
    """Print what the demonstration did, step by step."""
    _show_chunks(demo, console)
    _show_trees(demo, console)
    _show_hits(demo, console)
    if demo.hits:
        _step("4. Merge", "A parent replaces its children if more than half are hit.", console)
        for line in merging_of(demo):
            console.print(line)
        console.print()
        _step("5. Read", "What a reader, or a language model, is given first.", console)
        for passage in passages_of(demo, console.width):
            console.print(passage)


def _step(title: str, words: str, console: Console) -> None:
    console.print(Text(title, style="bold cyan"), Text(f"{words}\n"), sep="\n")


def _show_chunks(demo: Demo, console: Console) -> None:
    names = ", ".join(on_one_line(c.document.name) for c in demo.chunked[:_MOST_NAMES])
    if len(demo.chunked) > _MOST_NAMES:
        names += f" and {len(demo.chunked) - _MOST_NAMES:,} more"
    total = sum(len(c.document.text) for c in demo.chunked)
    sizes = sorted(chunk.size for c in demo.chunked for chunk in c.result.get_leaves())
    limit = demo.config.max_chunk_size
    larger = sum(size > limit for size in sizes)
    words = (
        f"{names}\n{total:,} characters became {counted(len(sizes), 'chunk')} in "
        f"{demo.seconds * 1000:,.0f} ms, of at most {limit:,} characters, "
        f"{sizes[len(sizes) // 2]:,} in the median. Each knows its exact place; together they "
        "hold everything."
    )
    kept = f" {larger:,} are larger: code, tables or formulas kept whole." if larger else ""
    _step("1. Chunk", words + kept, console)


def _show_trees(demo: Demo, console: Console) -> None:
    _step("2. Tree", "Sections and their sizes in characters.", console)
    rows = max(_FEWEST_ROWS, _TREE_ROWS // len(demo.chunked))
    most = _TREE_ROWS // rows
    not_blank = [chunked for chunked in demo.chunked if chunked.result.chunks]
    for chunked in not_blank[:most]:
        console.print(short_tree(chunked.document.name, chunked.result, rows), "")
    if len(not_blank) > most:
        more = counted(len(not_blank) - most, "more document")
        console.print(Text(f"… and {more}\n", style="dim"))


def _show_hits(demo: Demo, console: Console) -> None:
    spans = find_words(demo.question, demo.question)
    words = on_one_line(" ".join(demo.question[start:end] for start, end in spans))
    found = counted(len(demo.hits), "chunk") if demo.hits else "nothing"
    _step("3. Ask", f"“{on_one_line(demo.question)}”\nBM25 finds {found} for: {words}", console)
    if demo.hits:
        console.print(_hits_table(demo), "")


def _hits_table(demo: Demo) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("score", justify="right")
    table.add_column("size", justify="right")
    table.add_column("chunk", overflow="fold")
    for hit in demo.hits:
        chunk, name = hit.chunk, on_one_line(demo.chunked[hit.document].document.name)
        where = path_of(chunk) if len(demo.chunked) == 1 else f"{name}: {path_of(chunk)}"
        place = Text(where).append(f"  {place_of(chunk, chunk)}", style="dim")
        table.add_row(f"{hit.score:.2f}", f"{chunk.size:,}", place)
    return table
