"""The documents that tests run on: our own, and those that may lie beside the repository."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
OWN = REPOSITORY / "tests" / "data" / "documents"
SHARED = Path(os.environ.get("CHUNKANA_SHARED") or REPOSITORY.parent / "shared")


# Cells of each kind, one with its source as lines.
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": "# Trip\n\nAcross the bay."},
            {"cell_type": "code", "source": "def fare(n):\n    return 2 * n\n", "outputs": []},
            {"cell_type": "markdown", "source": ["## Ice\n", "\n", "No crossing."]},
        ],
    }
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A document and what to call it."""

    name: str
    text: str


def read(path: Path) -> str:
    """Read a file as it is: line endings and a BOM stay."""
    return path.read_bytes().decode("utf-8")


@cache
def own_documents() -> tuple[Sample, ...]:
    """Return the project's own documents."""
    return tuple(Sample(path.name, read(path)) for path in sorted(OWN.glob("*.md")))


def own_document(name: str) -> str:
    """Return the text of one of the project's own documents."""
    return read(OWN / name)


@cache
def spec_examples() -> tuple[Sample, ...]:
    """Return the examples of the CommonMark specification; none where they are absent."""
    path = SHARED / "commonmark" / "examples.json"
    if not path.exists():
        return ()
    examples = json.loads(path.read_text("utf-8"))
    return tuple(Sample(f"example {e['example']}", e["markdown"]) for e in examples)


@cache
def corpus_paths(pattern: str = "*.md*") -> tuple[Path, ...]:
    """Return the files of the corpus of a kind, in order; none where it is absent."""
    return tuple(sorted((SHARED / "corpus").rglob(pattern)))


def corpus() -> Iterator[Sample]:
    """Yield the documents of the corpus."""
    for path in corpus_paths():
        yield Sample(path.name, read(path))


def some_documents() -> list[Sample]:
    """Return the project's own documents, and every tenth of the corpus.

    For what depends little on the document, or is asserted of the whole corpus elsewhere.
    """
    return [*own_documents(), *islice(corpus(), 0, None, 10)]
