"""Chunks as they are read from files: ours, LangChain's, LlamaIndex's or anybody's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from chunkana_cli.errors import InputError
from chunkana_cli.reading.tables import read_rows
from chunkana_core import Chunk, SectionPath, Source, Span

# The first key that is there counts; in the object itself, then in its `metadata`.
CONTENT_KEYS = ("content", "page_content", "text")
START_KEYS = ("start_char", "start_char_idx", "start_index", "start")
END_KEYS = ("end_char", "end_char_idx", "end_index", "end")
FILE_KEYS = ("file", "source", "file_path", "file_name")
_PREFIX_KEY = "prefix_chars"  # of our tables, and documents for LangChain
_EMBEDDED_KEY = "embedded"  # of our tables
_ADAPTER_KEYS = {"chunk_id", "section_id"}  # of what our adapters make
_MAX_OFFSET = 10**15


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk as read from a line of a file.

    Attributes:
        number: of its line, from 1.
        file: the document's name, "" where the chunk does not have it.
        content: what is embedded and shown.
        text: what should stand at the chunk's offsets.
        span: the chunk's offsets, None where it has none.
        size: in characters, of what is embedded.
        is_adapted: whether an adapter of ours made it: lines of the document may be repeated
            around what is at its offsets, and what is not worth indexing is left out.
        metadata: all fields of the object and of its `metadata`.
        format: the name of the document's format.
    """

    number: int
    file: str
    content: str
    text: str
    span: tuple[int, int] | None
    size: int
    is_adapted: bool
    metadata: Mapping[str, object]
    format: str = "markdown"

    @property
    def key(self) -> str:
        """The number as text, which stands for the chunk in violations."""
        return str(self.number)

    @property
    def chunk_id(self) -> str:
        """The chunk's id, "" where it has none."""
        found = self.metadata.get("chunk_id", "")
        return found if isinstance(found, str) else ""

    @property
    def name(self) -> str:
        """The chunk's name in messages."""
        return f"chunk {self.number}" + (f" ({self.chunk_id})" if self.chunk_id else "")

    @property
    def may_be_oversize(self) -> bool:
        """Whether the chunk has a reason to be over the limit."""
        return bool(self.metadata.get("oversize_reason"))

    def to_chunk(self, source: Source, chunk_id: str) -> Chunk:
        """Return a leaf for the core's validators, which has the record's span and content."""
        return Chunk(
            source=source,
            span=Span(*(self.span or (0, 0))),
            content=self.content,
            start_line=1,
            end_line=1,
            text_start_line=1,
            text_end_line=1,
            chunk_id=chunk_id,
            section_id="",
            section=SectionPath(),
            strategy="",
            format=self.format,
            content_type="text",
            size=len(self.content),
            oversize_reason=str(self.metadata["oversize_reason"]) if self.may_be_oversize else None,
        )


def read_records(name: str) -> Iterator[ChunkRecord]:
    """Yield the chunks of a file: JSON lines, compressed by gzip or not, or a Parquet table.

    Rows that tell of an error in place of a chunk are passed over.

    Args:
        name: of the file, "-" for standard input.

    Raises:
        InputError: if it cannot be read, or for a row that is no JSON object with a text.
    """
    for number, read in read_rows(name):
        row = _fields_of(read)
        if not (isinstance(row.get("error"), str) and row.get("content") is None):
            try:
                yield _to_record(number, row)
            except ValueError as error:
                raise InputError(f"{name}: line {number}: {error}") from None


def _to_record(number: int, row: dict[str, object]) -> ChunkRecord:
    inner = _metadata_of(row)
    fields = {**inner, **row}
    texts = {key: text for key in CONTENT_KEYS if isinstance(text := row.get(key), str)}
    if not texts:
        raise ValueError(f"has no text; allowed: one of {', '.join(CONTENT_KEYS)}")
    name = _first_value(fields, FILE_KEYS)
    file = name if isinstance(name, str) else ""
    content = next(iter(texts.values()))
    text = texts.get("text", content)
    prefix = fields.get(_PREFIX_KEY)
    has_prefix = isinstance(prefix, int) and len(texts) == 1 and 0 <= prefix < len(text)
    if isinstance(prefix, int) and has_prefix:
        text = text[prefix:]
    span = _span(fields, text)
    if has_prefix and span:
        text = text[: span[1] - span[0]]
    embedded = row.get(_EMBEDDED_KEY)
    size = len(embedded if isinstance(embedded, str) else content)
    is_ours = has_prefix or (len(texts) == 1 and fields.keys() >= _ADAPTER_KEYS)
    is_adapted = is_ours and not isinstance(embedded, str)  # tables hold all of a document
    return ChunkRecord(number, file, content, text, span, size, is_adapted, fields)


def _metadata_of(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row's metadata, which tables have as JSON."""
    inner = row.get("metadata")
    if isinstance(inner, str):
        with suppress(ValueError, RecursionError):
            inner = json.loads(inner)
    return inner if isinstance(inner, dict) else {}


def _fields_of(row: dict[str, object]) -> dict[str, object]:
    """Return what a row says of a chunk, which is below `kwargs` in what LangChain writes."""
    inner = row.get("kwargs")
    return inner if isinstance(inner, dict) and "lc" in row else row


def _span(fields: Mapping[str, object], text: str) -> tuple[int, int] | None:
    start, end = _first_value(fields, START_KEYS), _first_value(fields, END_KEYS)
    if not isinstance(start, int):
        return None
    end = end if isinstance(end, int) else start + len(text)
    return _clamp(start), _clamp(end)


def _clamp(offset: int) -> int:
    """Return an offset, or in place of one that is too long to be written the largest one."""
    return max(-_MAX_OFFSET, min(offset, _MAX_OFFSET))


def _first_value(fields: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)
