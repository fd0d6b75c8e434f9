"""Find passages for a question in documents by lexical search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

import chunkana_retrieval as retrieval
from chunkana_cli.reading.batch import Batch
from chunkana_cli.screen.naming import format_cells
from chunkana_cli.screen.visible import on_one_line, visible
from chunkana_cli.search import search
from chunkana_core import ChunkConfig, Context
from chunkana_retrieval import Passage

_HITS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """The passages found for a question.

    Attributes:
        question: the question.
        budget: the maximum number of characters of all passages.
        names: the names of the documents; the document id of a passage is an index of these.
        passages: the passages, the best first.
    """

    question: str
    budget: int
    names: Sequence[str]
    passages: Sequence[Passage]

    def to_dict(self) -> dict[str, object]:
        """Return the answer as values for JSON."""
        return {
            "question": self.question,
            "budget": self.budget,
            "passages": [
                {
                    "file": self.names[int(passage.document_id)],
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
                for passage in self.passages
            ],
        }

    def to_text(self) -> Text:
        """Return the passages as text, each below its file and lines."""
        if not self.passages:
            return Text(f"Nothing found for “{on_one_line(self.question)}”")
        parts = [part for passage in self.passages for part in self._format_passage(passage)]
        return Text("\n\n").join(parts)

    def _format_passage(self, passage: Passage) -> tuple[Text, Text]:
        name = on_one_line(self.names[int(passage.document_id)])
        place = f":{_format_line_ranges(passage.lines)}" if passage.lines else ""
        if passage.cells is not None:
            place = f", {format_cells(*passage.cells)}"
        return Text(f"── {name}{place}", style="bold cyan"), Text(visible(passage.text))


def _format_line_ranges(lines: Iterable[tuple[int, int]]) -> str:
    """Return ranges of lines as text; adjacent ranges are joined."""
    joined = list[tuple[int, int]]()
    for first, last in lines:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return ", ".join(f"{first}-{last}" for first, last in joined)


def answer(batch: Batch, question: str, budget: int, config: ChunkConfig) -> Answer:
    """Chunk documents, search them for the words of a question, and assemble passages.

    Args:
        batch: the documents to search.
        question: the question.
        budget: the maximum number of characters of all passages.
        config: the chunking options.
    """
    chunked = [*batch.chunk_documents(config, Context())]
    options = retrieval.SearchOptions("lexical", fetch_k=_HITS)
    found = search([result for _, result in chunked], question, options)
    passages = found.passages(retrieval.ReadingOptions(budget))
    return Answer(question, budget, [document.name for document, _ in chunked], passages)
