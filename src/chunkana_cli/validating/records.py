"""Read chunks from files written by Chunkana, LangChain, LlamaIndex or another tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from chunkana_cli.inputs.files import InputError
from chunkana_cli.inputs.tables import read_rows
from chunkana_core import Chunk, SectionPath, Source, Span

# The first key found is used; the object itself has precedence over its `metadata`.
_CONTENT_KEYS = ("content", "page_content", "text")
_START_KEYS = ("start_char", "start_char_idx", "start_index", "start")
_END_KEYS = ("end_char", "end_char_idx", "end_index", "end")
_FILE_KEYS = ("file", "source", "file_path", "file_name")
_PREFIX_KEY = "prefix_chars"  # in tables of chunks, and in the LangChain adapter's documents
_EMBEDDED_KEY = "embedded"  # in tables of chunks
_ADAPTER_KEYS = {"chunk_id", "section_id"}  # in documents and nodes of the adapters
_MAX_OFFSET = 10**15


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk read from a row of a file.

    Attributes:
        number: the number of the line or row, from 1.
        file: the name of the document, "" if the chunk has none.
        content: the text that is shown to a reader.
        text: the text that should be at the chunk's offsets.
        span: the offsets of the chunk, None if it has none.
        size: the length of the embedded text in characters.
        is_adapted: whether one of Chunkana's adapters made the chunk: lines of the document may be
            repeated around the text at its offsets, and parts not worth indexing are missing.
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
        """The number as a string, which identifies the chunk in violations."""
        return str(self.number)

    @property
    def chunk_id(self) -> str:
        """The id of the chunk, "" if it has none."""
        found = self.metadata.get("chunk_id", "")
        return found if isinstance(found, str) else ""

    @property
    def name(self) -> str:
        """The name of the chunk in messages."""
        return f"chunk {self.number}" + (f" ({self.chunk_id})" if self.chunk_id else "")

    @property
    def may_be_oversize(self) -> bool:
        """Whether the chunk has a reason to be over the limit."""
        return bool(self.metadata.get("oversize_reason"))

    def to_chunk(self, source: Source, chunk_id: str) -> Chunk:
        """Return a leaf with the span and content of the record, for the core's validators."""
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

    Rows with an error instead of a chunk are skipped.

    Args:
        name: the name of the file, "-" for standard input.

    Raises:
        InputError: if the file cannot be read, or a row is not a JSON object with a text.
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
    texts = {key: text for key in _CONTENT_KEYS if isinstance(text := row.get(key), str)}
    if not texts:
        raise ValueError(f"has no text; allowed: one of {', '.join(_CONTENT_KEYS)}")
    name = _first_value(fields, _FILE_KEYS)
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
    is_adapted = is_ours and not isinstance(embedded, str)  # tables have all chunks
    return ChunkRecord(number, file, content, text, span, size, is_adapted, fields)


def _metadata_of(row: Mapping[str, object]) -> dict[str, object]:
    """Return the metadata of a row; tables have it as a JSON string."""
    inner = row.get("metadata")
    if isinstance(inner, str):
        with suppress(ValueError, RecursionError):
            inner = json.loads(inner)
    return inner if isinstance(inner, dict) else {}


def _fields_of(row: dict[str, object]) -> dict[str, object]:
    """Return the fields of a chunk; LangChain's serialisation has them below `kwargs`."""
    inner = row.get("kwargs")
    return inner if isinstance(inner, dict) and "lc" in row else row


def _span(fields: Mapping[str, object], text: str) -> tuple[int, int] | None:
    start, end = _first_value(fields, _START_KEYS), _first_value(fields, _END_KEYS)
    if not isinstance(start, int):
        return None
    end = end if isinstance(end, int) else start + len(text)
    return _clamp(start), _clamp(end)


def _clamp(offset: int) -> int:
    """Limit an offset to a size that can be converted to a string."""
    return max(-_MAX_OFFSET, min(offset, _MAX_OFFSET))


def _first_value(fields: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((fields[key] for key in keys if fields.get(key) is not None), None)
