"""Chunk Arrow batches and tables of documents into batches and tables of chunks.

Distributed engines such as Ray Data and Spark call `chunk_batches` on each partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TypedDict, Unpack, get_args

try:
    import pyarrow as pa
except ImportError as error:
    message = 'tables need pyarrow: pip install "chunkana-rag[arrow]"'
    raise ImportError(message, name="pyarrow") from error

from chunkana_batch.inputs import InputRow, RowReader
from chunkana_batch.outcomes import (
    DOCUMENT_ERRORS,
    DocumentError,
    OnError,
    describe_error,
)
from chunkana_batch.rows import FIELDS, SCHEMA_VERSION, ColumnType, Row, replace_surrogates
from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_core.extending import require_choice, require_each, require_type

_TYPES: dict[ColumnType, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "bool": pa.bool_(),
    "list<string>": pa.list_(pa.string()),
}
SCHEMA: pa.Schema = pa.schema(
    [(name, _TYPES[kind]) for name, kind in FIELDS.items()],
    metadata={"chunkana_schema_version": str(SCHEMA_VERSION)},
)
_MAX_BATCH_ROWS = 4096
_MAX_BATCH_CHARACTERS = 8_000_000  # a batch is yielded once its texts reach this length
_LONG_FIELDS = ("embedded", "metadata")  # whose lengths are counted
_DEFAULT_MAX_CHARACTERS = 20_000_000
_BREADCRUMBS = Context()


class TableOptions(TypedDict, total=False):
    """The keyword options of `chunk_batches`, which documents them."""

    front_matter_keys: Sequence[str]
    on_error: OnError
    max_characters: int
    encoding: str
    encoding_errors: str
    fallback: str


def chunk_batches(  # noqa: PLR0913  # all but the first are optional
    batches: Iterable[pa.RecordBatch],
    config: ChunkConfig | None = None,
    context: Context | None = _BREADCRUMBS,
    *,
    front_matter_keys: Sequence[str] = (),
    on_error: OnError = "skip",
    max_characters: int = _DEFAULT_MAX_CHARACTERS,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
    fallback: str = "text",
) -> Iterator[pa.RecordBatch]:
    """Chunk the documents in Arrow batches, and yield batches of `SCHEMA` with one row per chunk.

    Each input row is a document. The column `text`, of strings or bytes, is required; these columns
    are optional: `path`, which determines the format (see `format_of`) and labels contexts,
    `document_id`, a string or integer (by default the path, else the hash of the text), and
    `metadata`, a struct, a map or a string with a JSON object. Other columns are ignored. Memory is
    bounded by the current batch and the chunks of one document. The same row always gives the same
    chunks.

    A document without text has no chunks. A document fails if its text is null, too long or
    undecodable, if its metadata cannot be read or is not an object, or if chunking fails as
    `chunk_many` describes.

    Args:
        batches: the documents; read lazily.
        config: the chunking options; by default `ChunkConfig()`.
        context: the context that is embedded before each content; None for none.
        front_matter_keys: front matter keys that are copied into `metadata`, unless it has them.
        on_error: "skip" for a row with `document_id`, `file` and `error` only in place of the
            chunks of a document that fails; "raise" to end the iteration with its error.
        max_characters: the maximum length of a text in code points; 20,000,000 take about 0.6 GB.
        encoding: the encoding of texts in binary columns.
        encoding_errors: how undecodable bytes are treated: the argument `errors` of `bytes.decode`.
        fallback: the name of the format of files whose format is not known, and of JSON and
            notebooks that do not load.

    Raises:
        ConfigurationError: if an argument is not allowed; during iteration, if the column `text` is
            missing, a column is there twice, or its type is not allowed for its name.
        DocumentError: during iteration, if a document fails and `on_error` is "raise".
    """
    require_type("front_matter_keys", front_matter_keys, list | tuple, "a list or tuple of str")
    keys = require_each("front_matter_keys", front_matter_keys, str)
    chunking = _BatchChunker(
        Chunker(config or ChunkConfig(), context, fallback=fallback),
        RowReader(max_characters, encoding, encoding_errors),
        tuple(keys),
        on_error,
    )
    return chunking.batches(batches)


def chunk_table(
    table: pa.Table,
    config: ChunkConfig | None = None,
    context: Context | None = _BREADCRUMBS,
    **options: Unpack[TableOptions],
) -> pa.Table:
    r"""Chunk the documents in a table; `chunk_batches` describes the arguments and the result.

    >>> import pyarrow
    >>> documents = pyarrow.table({"text": ["# Tea\n\nBoil water."], "path": ["tea.md"]})
    >>> table = chunk_table(documents)
    >>> table.select(["file", "path", "content"]).to_pylist()
    [{'file': 'tea.md', 'path': ['Tea'], 'content': '# Tea\n\nBoil water.'}]
    """
    _require_options(options.keys())
    batches = chunk_batches(table.to_batches(), config, context, **options)
    return pa.Table.from_batches(batches, SCHEMA)


def _require_options(names: Iterable[str]) -> None:
    """Raise a TypeError for an unknown option; for a field of `ChunkConfig`, suggest `config`."""
    config_fields = {field.name for field in fields(ChunkConfig)}
    for name in names:
        if name not in TableOptions.__annotations__:
            hint = f"; it is a chunking option: config=ChunkConfig({name}=...)"
            message = f"chunk_table() got an unexpected keyword argument {name!r}"
            raise TypeError(message + (hint if name in config_fields else ""))


def schema_of(names: Sequence[str]) -> pa.Schema:
    """Return a schema with the named fields of `SCHEMA`, in the given order."""
    return pa.schema([SCHEMA.field(name) for name in names], metadata=SCHEMA.metadata)


def rows_to_batch(rows: Sequence[Row], names: Sequence[str] = tuple(FIELDS)) -> pa.RecordBatch:
    """Return rows as an Arrow batch with the named fields of `SCHEMA`, by default all of them.

    Lone surrogates, which JSON escapes can contain and UTF-8 cannot encode, become U+FFFD.
    """
    schema = schema_of(names)
    kind = pa.struct(list(schema))  # one struct array is faster to build than each column
    try:
        array = pa.array(rows, kind)
    except UnicodeEncodeError:
        array = pa.array([replace_surrogates(row) for row in rows], kind)
    batch = pa.RecordBatch.from_struct_array(array)
    return batch.replace_schema_metadata(schema.metadata)


@dataclass(frozen=True, slots=True)
class _BatchChunker:
    """Chunks Arrow batches with the validated arguments of `chunk_batches`."""

    chunker: Chunker
    reader: RowReader
    front_matter_keys: tuple[str, ...]
    on_error: OnError

    def __post_init__(self) -> None:
        """Check `on_error`; the other fields are already checked."""
        require_choice("on_error", self.on_error, get_args(OnError))

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all documents in batches of bounded size."""
        waiting: list[Row] = []
        size = 0
        for row in self._rows(batches):
            waiting.append(row)
            size += sum(len(str(row[name] or "")) for name in _LONG_FIELDS)
            if size >= _MAX_BATCH_CHARACTERS or len(waiting) == _MAX_BATCH_ROWS:
                yield rows_to_batch(waiting)
                waiting, size = [], 0
        if waiting:
            yield rows_to_batch(waiting)

    def _rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        for batch in batches:
            for document in self.reader.read(batch):
                yield from self._document_rows(document)

    def _document_rows(self, document: InputRow) -> list[Row]:
        fields, message = document.fields, document.error
        if message is None:
            try:
                result = self.chunker.chunk_hierarchical(document.text, path=fields.file)
                return list(fields.rows(result, self.front_matter_keys))
            except DOCUMENT_ERRORS as error:
                message = describe_error(error)
        if self.on_error == "raise":
            raise DocumentError(fields.document_id, message)
        return [fields.error_row(message)]
