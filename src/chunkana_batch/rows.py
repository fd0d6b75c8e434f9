"""The rows of chunks in tables and JSON lines: their fields, schema and ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from chunkana_core import Chunk, HierarchicalChunkingResult

SCHEMA_VERSION: Final = 1
FieldType = Literal["string", "int64", "bool", "list<string>"]
Row = dict[str, object]
_SURROGATE = re.compile("[\ud800-\udfff]")

# In column order. Within a schema version, types do not change and new fields are appended.
FIELDS: Final[Mapping[str, FieldType]] = MappingProxyType(
    {
        "id": "string",
        "document_id": "string",
        "file": "string",
        "document_title": "string",
        "format": "string",
        "document_hash": "string",
        "chunk_hash": "string",
        "embedded": "string",
        "content": "string",
        "prefix_chars": "int64",
        "start_char": "int64",
        "end_char": "int64",
        "start_line": "int64",
        "end_line": "int64",
        "path": "list<string>",
        "header_level": "int64",
        "title": "string",
        "anchor": "string",
        "content_type": "string",
        "kind": "string",
        "container": "string",
        "code_languages": "list<string>",
        "chunk_id": "string",
        "section_id": "string",
        "parent_section_id": "string",
        "chunk_index": "int64",
        "split_index": "int64",
        "size": "int64",
        "oversize_reason": "string",
        "indexable": "bool",
        "cell": "int64",
        "cell_start_line": "int64",
        "cell_end": "int64",
        "cell_end_line": "int64",
        "metadata": "string",
        "error": "string",
    }
)


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8 as 64 hex digits, the same that databases compute."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class DocumentFields:
    """The fields that all rows of a document share.

    Attributes:
        document_id: a unique id of the document; None for the hash of its text.
        file: the path or URL of the document, None if it has none.
        metadata: the caller's metadata.
    """

    document_id: str | None
    file: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of_file(cls, path: str) -> DocumentFields:
        """Return the fields of a file, with its path as the document id."""
        return cls(path, path)

    def error_row(self, message: str) -> Row:
        """Return a row with the error of a document that could not be chunked."""
        identity = {"document_id": self.document_id, "file": self.file}
        return dict.fromkeys(FIELDS) | identity | {"error": message}

    def rows(
        self, result: HierarchicalChunkingResult, front_matter_keys: Sequence[str] = ()
    ) -> Iterator[Row]:
        """Yield the row of each leaf, with the metadata as a string of JSON.

        Args:
            result: the chunks of the document.
            front_matter_keys: front matter keys to copy into the metadata; the caller's metadata
                has precedence.
        """
        front_matter = result.front_matter if front_matter_keys else {}
        copied = {key: front_matter[key] for key in front_matter_keys if key in front_matter}
        metadata = _encode_metadata(copied | dict(self.metadata))
        title, form, document_hash = result.title, result.format, hash_text(result.text)
        for chunk in result.get_leaves():
            yield {
                "id": row_id(self.document_id or document_hash, chunk.chunk_id),
                "document_id": self.document_id or document_hash,
                "file": self.file,
                "document_title": title,
                "format": form,
                "document_hash": document_hash,
                **_chunk_fields(chunk),
                "metadata": metadata,
                "error": None,
            }


def spark_schema() -> str:
    """Return the table schema as a Spark DDL string, for `DataFrame.mapInArrow`."""
    types = {"int64": "bigint", "bool": "boolean", "list<string>": "array<string>"}
    return ", ".join(f"`{name}` {types.get(kind, kind)}" for name, kind in FIELDS.items())


def row_id(document_id: str, chunk_id: str) -> str:
    """Return an id that is unique among all documents, as a UUID, which every store accepts."""
    digits = hash_text(f"{document_id}\0{chunk_id}")  # hyphens as in RFC 9562 §4
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"


def replace_surrogates(value: object) -> object:
    """Replace lone surrogates with U+FFFD in a value of nested strings, lists and dicts."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [replace_surrogates(each) for each in value]
        case dict():
            return {
                replace_surrogates(key): replace_surrogates(each) for key, each in value.items()
            }
    return value


def _encode_metadata(metadata: object) -> str:
    """Return metadata as JSON; unsupported types become strings, and NaN becomes null."""
    try:
        return msgspec.json.encode(metadata, enc_hook=str).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(replace_surrogates(metadata), enc_hook=str).decode()


def _chunk_fields(chunk: Chunk) -> Row:
    embedded = chunk.embedded
    return {
        "chunk_hash": hash_text(embedded),
        "embedded": embedded,
        "content": chunk.content,
        "prefix_chars": chunk.text_offset,
        "start_char": chunk.span.start,
        "end_char": chunk.span.end,
        "start_line": chunk.text_start_line,
        "end_line": chunk.text_end_line,
        "path": list(chunk.section.path),
        "header_level": chunk.section.level,
        "title": chunk.title,
        "anchor": chunk.anchor,
        "content_type": chunk.content_type,
        "kind": chunk.kind,
        "container": chunk.container,
        "code_languages": list(chunk.code_languages),
        "chunk_id": chunk.chunk_id,
        "section_id": chunk.section_id,
        "parent_section_id": chunk.parent_section_id,
        "chunk_index": chunk.chunk_index,
        "split_index": chunk.split_index,
        "size": chunk.size,
        "oversize_reason": chunk.oversize_reason,
        "indexable": chunk.indexable,
        "cell": chunk.cell,
        "cell_start_line": chunk.cell_start_line,
        "cell_end": chunk.cell_end,
        "cell_end_line": chunk.cell_end_line,
    }
