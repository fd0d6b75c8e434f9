"""`chunkana ask`: find the passages to read for a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import AsJson, epilog, reads_documents
from chunkana_cli.output.output import open_console, write_json
from chunkana_cli.output.screen import format_cells
from chunkana_cli.search import search
from chunkana_cli.streams import USAGE, fail, on_one_line, visible
from chunkana_core import ChunkConfig, Context

EPILOG = epilog(
    'ask docs -q "How are tables split?"',
    'ask docs -q "How are tables split?" --json --budget 8000',
)
_HITS = 60


@reads_documents(atomic_blocks="split")
def ask(
    batch: Batch,
    *,
    question: Annotated[str, typer.Option("--question", "-q", help="What to ask.")],
    budget: Annotated[int, typer.Option(min=1, help="Characters to return at most.")] = 4000,
    as_json: AsJson = False,
    config: ChunkConfig,
) -> None:
    """Find the passages to read for a question.

    The search is lexical and needs no model. Hits are joined into passages, the best first, each
    below its headings, with its file and lines.
    """
    if not retrieval.words_of(question):
        what = "no word to search for; stop words such as 'the' and 'of' are ignored"
        fail(f"--question is {question!r}, which has {what}", USAGE)
    chunked = [*batch.chunk_documents(config, Context())]
    names = [document.name for document, _ in chunked]
    found = search(
        [result for _, result in chunked],
        question,
        retrieval.SearchOptions("lexical", fetch_k=_HITS),
    )
    passages = found.passages(retrieval.ReadingOptions(budget))
    if as_json:
        shown = [_to_dict(passage, names) for passage in passages]
        write_json({"question": question, "budget": budget, "passages": shown})
    elif names:
        nothing = Text(f"Nothing found for “{on_one_line(question)}”")
        parts = [part for passage in passages for part in _to_text(passage, names)]
        with open_console() as console:
            console.print(Text("\n\n").join(parts) if parts else nothing, soft_wrap=True)


def _to_dict(passage: retrieval.Passage, names: Sequence[str]) -> dict[str, object]:
    """Return a passage as values for JSON; its document id is an index of the names."""
    return {
        "file": names[int(passage.document_id)],
        "start_line": passage.start_line,
        "end_line": passage.end_line,
        "lines": passage.lines and [list(lines) for lines in passage.lines],
        "cells": passage.cells and list(passage.cells),
        "path": list(passage.path),
        "score": passage.score,
        "spans": [[span.start, span.end] for span in passage.spans],
        "chunk_ids": list(passage.chunk_ids),
        "text": passage.text,
    }


def _to_text(passage: retrieval.Passage, names: Sequence[str]) -> tuple[Text, Text]:
    """Return the file and lines of a passage, and its text."""
    name = on_one_line(names[int(passage.document_id)])
    place = f":{passage.format_lines()}" if passage.lines else ""
    if passage.cells is not None:
        place = f", {format_cells(*passage.cells)}"
    return Text(f"── {name}{place}", style="bold cyan"), Text(visible(passage.text))
