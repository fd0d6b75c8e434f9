"""Load documents and questions with the exact spans of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from chunkana_core import Span
from chunkana_core.extending import BlockKind
from chunkana_core.formats.markdown.parser import parse_markdown


@dataclass(frozen=True, slots=True)
class Text:
    """A document: its path in its repository, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a document.

    Attributes:
        document: the index of the document.
        text: the question.
        kind: the kind of answer: fact, code, table, list, overview.
        spans: the spans of the answer, in order and disjoint.
    """

    document: int
    text: str
    kind: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, and questions about them."""

    texts: tuple[Text, ...]
    questions: tuple[Question, ...]


def load(folder: Path) -> Collection:
    """Read `corpus/*.md` and `questions.jsonl` of a folder."""
    paths = sorted((folder / "corpus").glob("*.md"))
    numbers = {path.name: number for number, path in enumerate(paths)}
    texts = tuple(Text(_path_of(path.name), path.read_bytes().decode()) for path in paths)
    lines = (folder / "questions.jsonl").read_text("utf-8").splitlines()
    return Collection(texts, tuple(_questions(map(json.loads, lines), numbers)))


def _questions(entries: Iterator[dict[str, object]], numbers: dict[str, int]) -> Iterator[Question]:
    for entry in entries:
        found = entry["spans"]
        spans = tuple(Span(*span) for span in found) if isinstance(found, list) else ()
        number = numbers[str(entry["doc"])]
        yield Question(number, str(entry["question"]), str(entry["kind"]), spans)


def _path_of(name: str) -> str:
    """Return the path that is encoded in a file name, with `+` and `__` for slashes."""
    return name.replace("+", "/").replace("__", "/")


def without_headings(collection: Collection) -> Collection:
    """Return documents without their headings, and the questions with spans moved to match.

    Questions whose answers were only in headings are dropped.
    """
    kept = [_kept(text.text) for text in collection.texts]
    texts = (
        replace(text, text="".join(text.text[s.start : s.end] for s in spans))
        for text, spans in zip(collection.texts, kept, strict=True)
    )
    moved = (
        replace(question, spans=tuple(_moved(question.spans, kept[question.document])))
        for question in collection.questions
    )
    return Collection(tuple(texts), tuple(question for question in moved if question.spans))


def _kept(text: str) -> list[Span]:
    """Return the spans between the headings of a text."""
    headings = [block for block in parse_markdown(text).top if block.kind is BlockKind.HEADING]
    starts = [0, *(block.end for block in headings)]
    ends = [*(block.start for block in headings), len(text)]
    return [Span(start, end) for start, end in zip(starts, ends, strict=True)]


def _moved(spans: Sequence[Span], kept: Sequence[Span]) -> Iterator[Span]:
    """Yield the remaining parts of spans, at their offsets in the joined kept text."""
    before = accumulate((len(part) for part in kept), initial=0)
    for offset, part in zip(before, kept, strict=False):
        for span in spans:
            start, end = max(span.start, part.start), min(span.end, part.end)
            if start < end:
                yield Span(offset + start - part.start, offset + end - part.start)
