"""The rows of chunks in tables and JSON lines: their fields, schema and ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

import msgspec

from chunkana_core import HierarchicalChunkingResult
from chunkana_core.extending import FieldReader, derive_uuid, text_digest

SCHEMA_VERSION: Final = 1
ColumnType = Literal["string", "int64", "bool", "list<string>"]
Row = dict[str, object]
_SURROGATE = re.compile("[\ud800-\udfff]")

_COLUMN_TYPES: Final[Mapping[str, ColumnType]] = {
    "string": "string", "id": "string", "strings": "list<string>", "count": "int64",
    "line": "int64", "boolean": "bool",
}  # fmt: skip
_CHUNK_FIELDS: Final = FieldReader.of("table")

# In column order. Within a schema version, types do not change and new fields are appended.
FIELDS: Final[Mapping[str, ColumnType]] = MappingProxyType(
    {
        "id": "string",
        "document_id": "string",
        "file": "string",
        "document_title": "string",
        "format": "string",
        "document_hash": "string",
        "chunk_hash": "string",
        **{field.name: _COLUMN_TYPES[field.type] for field in _CHUNK_FIELDS.fields},
        "metadata": "string",
        "error": "string",
    }
)


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8 as 64 hex digits, the same that databases compute."""
    return text_digest(text).hex()


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
            values = _CHUNK_FIELDS.values(chunk)
            yield {
                "id": derive_uuid(self.document_id or document_hash, chunk.chunk_id),
                "document_id": self.document_id or document_hash,
                "file": self.file,
                "document_title": title,
                "format": form,
                "document_hash": document_hash,
                "chunk_hash": hash_text(str(values["embedded"])),
                **values,
                "metadata": metadata,
                "error": None,
            }


def spark_schema() -> str:
    """Return the table schema as a Spark DDL string, for `DataFrame.mapInArrow`."""
    types = {"int64": "bigint", "bool": "boolean", "list<string>": "array<string>"}
    return ", ".join(f"`{name}` {types.get(kind, kind)}" for name, kind in FIELDS.items())


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
