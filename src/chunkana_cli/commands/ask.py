"""`chunkana ask`: find the passages to read for a question."""

from __future__ import annotations

from typing import Annotated

import typer

import chunkana_retrieval as retrieval  # whose index is loaded when it is used
from chunkana_cli.inputs.batch import Batch
from chunkana_cli.options import (
    FILES_HELP,
    INDEX_FOLDER,
    AsJson,
    EmbeddingName,
    epilog,
    reads_documents,
)
from chunkana_cli.output.output import open_text, print_titled, write_json
from chunkana_cli.streams import USAGE, fail, format_cells, on_one_line, visible
from chunkana_core import ChunkConfig

EPILOG = epilog(
    'ask docs -q "How are tables split?"',
    'ask docs -q "How are tables split?" --json --budget 8000',
    'index . && chunkana ask -q "How are tables split?"',
)
_HITS = 60
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="[FILE...]",
        help=f"The folder of an index, or: {FILES_HELP}",
        show_default=INDEX_FOLDER,
    ),
]


@reads_documents(Files, atomic_blocks="split")
def ask(
    batch: Batch,
    *,
    question: Annotated[str, typer.Option("--question", "-q", help="What to ask.")],
    budget: Annotated[int, typer.Option(min=1, help="Characters to return at most.")] = 4000,
    embedding: EmbeddingName = None,
    is_kept: Annotated[
        bool, typer.Option("--keep", help="Keep an index in the user's cache folder.")
    ] = False,
    as_json: AsJson = False,
    config: ChunkConfig,
) -> None:
    """Find the passages to read for a question, in files or in an index.

    Without an embedding, the search is by words and needs no model. Hits are joined into passages,
    the best first, each below its headings, with its file and lines.
    """
    if not retrieval.words_of(question):
        what = "no word to search for; stop words such as 'the' and 'of' are ignored"
        fail(f"--question is {question!r}, which has {what}", USAGE)
    from chunkana_cli.indexing.embedding import load_embedding  # noqa: PLC0415  # loads numpy
    from chunkana_cli.indexing.opening import open_named_index  # noqa: PLC0415

    model = load_embedding(embedding)
    with open_named_index(batch, config, model, is_kept=is_kept) as index:
        count = len(index)
        vector = model.question(question) if model.question else None
        options = retrieval.SearchOptions(fetch_k=_HITS)
        found = index.search(question, options, vector=vector).without_weak_hits()
        passages = found.passages(retrieval.ReadingOptions(budget))
    if found.hits and not passages:
        fail(f"--budget is {budget}; the best passage needs {found.least_budget()}", USAGE)
    if as_json:
        shown = [*map(_to_dict, passages)]
        write_json({"question": question, "budget": budget, "passages": shown})
    elif passages:
        print_titled(map(_to_text, passages))
    elif count or not batch.failures:
        with open_text() as out:
            out.write(f"Nothing found for “{on_one_line(question)}”\n")


def _to_dict(passage: retrieval.Passage) -> dict[str, object]:
    """Return a passage as values for JSON."""
    return {
        "file": passage.document_id,
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


def _to_text(passage: retrieval.Passage) -> tuple[str, str]:
    """Return the file and lines of a passage, and its text."""
    place = f":{passage.format_lines()}" if passage.lines else ""
    if passage.cells is not None:
        place = f", {format_cells(*passage.cells)}"
    name = on_one_line(passage.document_id)
    return f"── {name}{place}", visible(passage.text)
