"""What to read of documents for a question, found by words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.text import Text

from chunkana_cli.reading.documents import Document, report_fallbacks
from chunkana_cli.screen.naming import cells_named
from chunkana_cli.screen.visible import on_one_line, visible
from chunkana_cli.searching.search import Index
from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_retrieval import Hit, Passage, assemble, propagate_hits

_HITS = 60


@dataclass(frozen=True, slots=True)
class Answer:
    """What to read for a question.

    Attributes:
        question: as it was asked.
        budget: the most characters to read.
        names: of the documents; a passage's document id is the index of one.
        passages: what to read, the best document first.
    """

    question: str
    budget: int
    names: Sequence[str]
    passages: Sequence[Passage]

    def to_dict(self) -> dict[str, object]:
        """Return what JSON takes."""
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
        """Return what is shown: each passage under the file and lines that it is from."""
        if not self.passages:
            return Text(f"Nothing found for “{on_one_line(self.question)}”")
        parts = [part for passage in self.passages for part in self._shown(passage)]
        return Text("\n\n").join(parts)

    def _shown(self, passage: Passage) -> tuple[Text, Text]:
        name = on_one_line(self.names[int(passage.document_id)])
        place = f":{_cited(passage.lines)}" if passage.lines else ""
        if passage.cells is not None:
            place = f", {cells_named(*passage.cells)}"
        return Text(f"── {name}{place}", style="bold cyan"), Text(visible(passage.text))


def _cited(lines: Iterable[tuple[int, int]]) -> str:
    """Return ranges of lines, in order, of which those that touch are one."""
    joined = list[tuple[int, int]]()
    for first, last in lines:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], last
        else:
            joined.append((first, last))
    return ", ".join(f"{first}-{last}" for first, last in joined)


def answer(
    documents: Sequence[Document], question: str, budget: int, config: ChunkConfig
) -> Answer:
    """Chunk documents, search them by words and assemble what is found.

    Args:
        documents: to search.
        question: whose words are searched for.
        budget: the most characters to read.
        config: how to chunk.
    """
    chunker = Chunker(config, Context())
    results = [chunker.chunk_hierarchical(one.text, one.format) for one in documents]
    report_fallbacks(documents, results)
    hits = [
        Hit.of_chunk(found.chunk, found.score, str(found.document), results[found.document].title)
        for found in Index.of(results).search(question, _HITS)
    ]
    sources = {str(index): result.text for index, result in enumerate(results)}
    passages = assemble(propagate_hits(hits), budget, sources=sources)
    return Answer(question, budget, [document.name for document in documents], passages)
