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
_PREFIX_KEY = "prefix_chars"  # of our documents for LangChain
_OWN_KEYS = {"chunk_id", "section_id"}  # of what our packages make
_FARTHEST = 10**15
_DEEPEST = "is nested too deeply"


@dataclass(frozen=True, slots=True)
class Given:
    """A chunk to be checked.

    Attributes:
        number: of its line, from 1.
        file: the document's name, "" where it says none.
        content: what it shows.
        text: what should stand at its offsets.
        span: its offsets, None where it has none.
        is_adapted: whether an adapter of ours made it: lines of the document may be repeated
            around what is at its offsets, and what is not worth indexing is left out.
        metadata: all else that it says.
    """

    number: int
    file: str
    content: str
    text: str
    span: tuple[int, int] | None
    is_adapted: bool
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
    row = _object(line)
    inner = row.get("metadata")
    fields = {**(inner if isinstance(inner, dict) else {}), **row}
    texts = {key: text for key in CONTENT_KEYS if isinstance(text := row.get(key), str)}
    shown = list(texts.values())
    if not shown:
        raise ValueError(f"has no text; allowed: one of {', '.join(CONTENT_KEYS)}")
    name = _first(fields, FILE_KEYS)
    file = name if isinstance(name, str) else ""
    content = shown[0]
    text = texts.get("text", content)
    prefix = fields.get(_PREFIX_KEY)
    if isinstance(prefix, int) and len(shown) == 1 and 0 <= prefix < len(text):
        span = _span(fields, text[prefix:])
        text = text[prefix:][: span[1] - span[0] if span else None]
        return Given(number, file, content, text, span, is_adapted=True, metadata=fields)
    is_adapted = len(shown) == 1 and fields.keys() >= _OWN_KEYS
    return Given(number, file, content, text, _span(fields, text), is_adapted, fields)


def _object(line: str) -> dict[str, object]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError(_DEEPEST) from None
    if not isinstance(row, dict):
        raise ValueError("is no JSON object")  # noqa: TRY004  # of the file, not of the program
    inner = row.get("kwargs")  # what LangChain writes of an object
    return inner if isinstance(inner, dict) and "lc" in row else row


def _span(fields: Mapping[str, object], text: str) -> tuple[int, int] | None:
    start, end = _first(fields, START_KEYS), _first(fields, END_KEYS)
    if not isinstance(start, int):
        return None
    end = end if isinstance(end, int) else start + len(text)
    return _near(start), _near(end)


def _near(offset: int) -> int:
    """Return an offset, or one beyond any document in place of what is too long to be written."""
    return max(-_FARTHEST, min(offset, _FARTHEST))


def _first(fields: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)
