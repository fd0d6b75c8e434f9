"""Chunks as they are given: JSON lines of ours, of LangChain's, LlamaIndex's or anybody's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from chunkana_cli.errors import InputError

# The first that is there counts; in the object itself, then in its `metadata`.
CONTENT_KEYS = ("content", "page_content", "text")
START_KEYS = ("start_char", "start_char_idx", "start_index", "start")
END_KEYS = ("end_char", "end_char_idx", "end_index", "end")
FILE_KEYS = ("file", "source", "file_path", "file_name")


@dataclass(frozen=True, slots=True)
class Given:
    """A chunk to be checked.

    Attributes:
        number: of its line, from 1.
        file: the document's name, "" where it says none.
        content: what it shows.
        text: what should stand at its offsets.
        span: its offsets, None where it has none.
        metadata: all else that it says.
    """

    number: int
    file: str
    content: str
    text: str
    span: tuple[int, int] | None
    metadata: Mapping[str, object]

    @property
    def chunk_id(self) -> str:
        """Its id, "" where it has none."""
        found = self.metadata.get("chunk_id", "")
        return found if isinstance(found, str) else ""

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return f"chunk {self.number}" + (f" ({self.chunk_id})" if self.chunk_id else "")


def read_given(name: str, text: str) -> Iterator[Given]:
    """Yield the chunks of JSON lines; blank ones are left out.

    Raises:
        InputError: for a line that is no JSON object with a text.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _given(number, line)
            except ValueError as error:
                raise InputError(f"{name}: line {number}: {error}") from None


def _given(number: int, line: str) -> Given:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    if not isinstance(row, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004  # of the file, not of the program
    inner = row.get("metadata")
    fields = {**(inner if isinstance(inner, dict) else {}), **row}
    shown = [row[key] for key in CONTENT_KEYS if isinstance(row.get(key), str)]
    if not shown:
        raise ValueError(f"has no text; allowed: one of {', '.join(CONTENT_KEYS)}")
    file = _first(fields, FILE_KEYS)
    text = row["text"] if isinstance(row.get("text"), str) else shown[0]
    span = _span(fields, text)
    return Given(number, file if isinstance(file, str) else "", shown[0], text, span, fields)


def _span(fields: Mapping[str, object], text: str) -> tuple[int, int] | None:
    start, end = _first(fields, START_KEYS), _first(fields, END_KEYS)
    if not isinstance(start, int):
        return None
    return start, end if isinstance(end, int) else start + len(text)


def _first(fields: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)
