"""Read documents from the rows of Arrow batches, for every supported column type."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import pyarrow as pa

from chunkana_batch.outcomes import DOCUMENT_ERRORS, describe_error
from chunkana_batch.rows import DocumentFields
from chunkana_core import ConfigurationError, InputTypeError
from chunkana_core.extending import require_number

_TEXT, _PATH, _ID, _METADATA = "text", "path", "document_id", "metadata"


class BadRowError(Exception):
    """A row contains no valid document; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class InputRow:
    """A row of an input batch: a document, or the reason why the row contains no valid document.

    Attributes:
        fields: the id, path and metadata of the document.
        text: the text of the document, "" if there is an error.
        error: why the row contains no valid document, None if it does.
    """

    fields: DocumentFields
    text: str = ""
    error: str | None = None


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads the documents of Arrow batches.

    Attributes:
        max_characters: the maximum length of a text; a row with a longer text is an error.
        encoding: the encoding of texts in a binary column.
        encoding_errors: how undecodable bytes are treated: the argument `errors` of `bytes.decode`.
    """

    max_characters: int
    encoding: str
    encoding_errors: str

    def __post_init__(self) -> None:
        """Check every field."""
        require_number("max_characters", self.max_characters, 1, kind=int)
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            allowed = "the name of an encoding, such as 'utf-8' or 'latin-1'"
            raise ConfigurationError("encoding", self.encoding, allowed) from None
        try:
            codecs.lookup_error(self.encoding_errors)
        except LookupError:
            allowed = "'strict', 'replace' or 'ignore'"
            raise ConfigurationError("encoding_errors", self.encoding_errors, allowed) from None

    def read(self, batch: pa.RecordBatch) -> Iterator[InputRow]:
        """Yield the document of each row, one at a time.

        Raises:
            ConfigurationError: if there are rows but no column `text`, or two columns of a name.
            InputTypeError: if the type of a column is not allowed for its name.
        """
        names = [name for name in batch.schema.names if name in _COLUMN_TYPES]
        if len(set(names)) < len(names) or (batch.num_rows and _TEXT not in names):
            others = ", ".join(map(repr, [*_COLUMN_TYPES][1:]))
            allowed = f"one column {_TEXT!r}, and at most one of each of {others}"
            raise ConfigurationError("columns", batch.schema.names, allowed)
        columns = {name: batch.column(name) for name in names}
        for name, column in columns.items():
            _require_type(name, column.type)
        for number in range(batch.num_rows):
            yield self._read_row({name: column[number] for name, column in columns.items()})

    def _read_row(self, cells: Mapping[str, pa.Scalar]) -> InputRow:
        path = document_id = None
        metadata: Mapping[str, object] = {}
        try:
            path = self._read_string(cells, _PATH)
            document_id = self._read_string(cells, _ID) or path
            metadata = _read_metadata(cells[_METADATA]) if _METADATA in cells else {}
            text = self._read_text(cells[_TEXT])
        except BadRowError as error:
            return InputRow(DocumentFields(document_id, path, metadata), error=str(error))
        return InputRow(DocumentFields(document_id, path, metadata), text)

    def _read_text(self, cell: pa.Scalar) -> str:
        text = self._decode(_TEXT, cell)
        if text is None:
            raise BadRowError("text is null")
        if len(text) > self.max_characters:
            limit = f"max_characters is {self.max_characters:,}"
            raise BadRowError(f"text has {len(text):,} characters; {limit}")
        return text

    def _read_string(self, cells: Mapping[str, pa.Scalar], name: str) -> str | None:
        return self._decode(name, cells[name]) if name in cells else None

    def _decode(self, name: str, cell: pa.Scalar) -> str | None:
        """Return the value of a cell as a string, None for null."""
        try:
            value = cell.as_py()  # can fail for a string too: Arrow does not validate UTF-8
            if isinstance(value, bytes):
                return value.decode(self.encoding, self.encoding_errors)
        except UnicodeDecodeError as error:
            position, encoding = error.start, error.encoding
            raise BadRowError(f"{name} is not {encoding} at byte {position}") from None
        return None if value is None else str(value)


def _read_metadata(cell: pa.Scalar) -> Mapping[str, object]:
    """Return the caller's metadata from a struct, a map, or a string of JSON."""
    try:
        value: Any = cell.as_py()
        if isinstance(value, str | bytes):
            value = msgspec.json.decode(value)
        if value is not None and isinstance(cell, pa.MapScalar):
            value = dict(value)  # pyarrow returns a map as a list of pairs
    except (*DOCUMENT_ERRORS, msgspec.DecodeError, pa.ArrowException) as error:
        raise BadRowError(f"metadata is not readable: {describe_error(error)}") from None
    if not isinstance(value, dict | None):
        raise BadRowError("metadata is not a JSON object")
    return value or {}


def _is_string_type(kind: pa.DataType) -> bool:
    types = pa.types
    known = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_binary,
        types.is_large_binary,
        types.is_binary_view,
        types.is_fixed_size_binary,
        types.is_null,
    )
    return any(is_kind(kind) for is_kind in known)


def _is_id_type(kind: pa.DataType) -> bool:
    return _is_string_type(kind) or pa.types.is_integer(kind)


def _is_metadata_type(kind: pa.DataType) -> bool:
    return _is_string_type(kind) or pa.types.is_struct(kind) or pa.types.is_map(kind)


_COLUMN_TYPES = {
    _TEXT: (_is_string_type, "a column of strings or bytes"),
    _PATH: (_is_string_type, "a column of strings"),
    _ID: (_is_id_type, "a column of strings or integers"),
    _METADATA: (_is_metadata_type, "a column of structs, maps, or strings of JSON"),
}


def _require_type(name: str, column_type: pa.DataType) -> None:
    is_allowed, allowed = _COLUMN_TYPES[name]
    value_type = column_type.value_type if pa.types.is_dictionary(column_type) else column_type
    if not is_allowed(value_type):
        raise InputTypeError(name, str(column_type), allowed)
