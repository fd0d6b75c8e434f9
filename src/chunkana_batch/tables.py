"""Tables of chunks: one function over Arrow batches, which engines for many machines call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypedDict, Unpack

import msgspec

try:
    import pyarrow as pa
except ImportError as error:
    message = 'tables need pyarrow: pip install "chunkana-rag[arrow]"'
    raise ImportError(message, name="pyarrow") from error

from chunkana_batch.inputs import InputRow, RowReader
from chunkana_batch.outcomes import DOCUMENT_ERRORS, describe_error
from chunkana_batch.rows import FIELDS, SCHEMA_VERSION, FieldType, Row
from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context, InputTypeError

_TYPES: dict[FieldType, pa.DataType] = {
    "string": pa.string(),
    "int64": pa.int64(),
    "bool": pa.bool_(),
    "list<string>": pa.list_(pa.string()),
}
SCHEMA: pa.Schema = pa.schema(
    [(name, _TYPES[kind]) for name, kind in FIELDS.items()],
    metadata={"chunkana_schema_version": str(SCHEMA_VERSION)},
)
_MOST_ROWS = 4096  # of a batch that is yielded
_MOST_CHARACTERS = 8_000_000  # from which a batch is yielded
_DEFAULT_LIMIT = 20_000_000
_BREADCRUMBS = Context()
_SURROGATE = re.compile("[\ud800-\udfff]")
OnError = Literal["row", "skip"]


class TableOptions(TypedDict, total=False):
    """The options of `chunk_batches`, where they are described."""

    front_matter_keys: Sequence[str]
    on_error: OnError
    max_characters: int
    encoding: str
    encoding_errors: str


def chunk_batches(  # noqa: PLR0913  # all but the first are optional
    batches: Iterable[pa.RecordBatch],
    config: ChunkConfig | None = None,
    context: Context | None = _BREADCRUMBS,
    *,
    front_matter_keys: Sequence[str] = (),
    on_error: OnError = "row",
    max_characters: int = _DEFAULT_LIMIT,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
) -> Iterator[pa.RecordBatch]:
    """Yield the chunks of the documents in Arrow batches, as batches of `SCHEMA`, a row a chunk.

    A row of the input is a document: `text`, of strings or bytes, and where they are there `path`,
    whose suffix tells the format (Markdown where it is unknown), `document_id`, a string or integer
    (by default the path, else the text's hash), and `metadata`, a struct, a map or a string with a
    JSON object. Other columns are not read. Memory is bounded by the batch at hand and the chunks
    of one document. The same rows give the same chunks wherever and how often they are chunked.

    A document without text has no chunks. One that cannot be chunked becomes a row that has only
    `document_id`, `file`, `metadata` and `error`: where its text is null, too long, or not of the
    encoding, its metadata no object, or its chunking fails as `chunk_many` describes.

    Args:
        batches: the documents; read as they are needed.
        config: how to chunk; by default `ChunkConfig(atomic_blocks="split")`, since what embeds
            chunks cuts off long ones.
        context: what is embedded before each content; None for nothing.
        front_matter_keys: keys of front matter that are copied into `metadata`, unless it has them.
        on_error: "row" for a row that tells of the error, "skip" for none.
        max_characters: of a text, in code points; one of 20,000,000 takes some 0.6 GB to chunk.
        encoding: of texts in binary columns.
        encoding_errors: what is done with bytes that are not of it, as `bytes.decode` takes it.

    Raises:
        ConfigurationError: for arguments that are not allowed; and during iteration for rows
            without a column `text`, or a column of a type that cannot hold what it is named after.
    """
    keys: object = front_matter_keys  # a str is a sequence of such, too
    if not isinstance(keys, list | tuple) or not all(isinstance(key, str) for key in keys):
        raise InputTypeError("front_matter_keys", front_matter_keys, "a list or tuple of str")
    chunking = _Chunking(
        Chunker(ChunkConfig(atomic_blocks="split") if config is None else config, context),
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
    r"""Return the chunks of the documents in a table; see `chunk_batches` for the arguments.

    >>> import pyarrow
    >>> documents = pyarrow.table({"text": ["# Tea\n\nBoil water."], "path": ["tea.md"]})
    >>> table = chunk_table(documents)
    >>> table.select(["file", "path", "content"]).to_pylist()
    [{'file': 'tea.md', 'path': ['Tea'], 'content': '# Tea\n\nBoil water.'}]
    """
    _require_known(options.keys())
    batches = chunk_batches(table.to_batches(), config, context, **options)
    return pa.Table.from_batches(batches, SCHEMA)


def _require_known(names: Iterable[str]) -> None:
    """Check that names are those of options of `chunk_table`; of chunking, say where they go."""
    of_config = {field.name for field in fields(ChunkConfig)}
    for name in names:
        if name not in TableOptions.__annotations__:
            hint = f"; how to chunk is said by config=ChunkConfig({name}=...)"
            message = f"chunk_table() got an unexpected keyword argument {name!r}"
            raise TypeError(message + (hint if name in of_config else ""))


def schema_of(names: Sequence[str]) -> pa.Schema:
    """Return the part of `SCHEMA` that has some fields, in their order."""
    return pa.schema([SCHEMA.field(name) for name in names], metadata=SCHEMA.metadata)


def rows_to_batch(rows: Sequence[Row], names: Sequence[str] = tuple(FIELDS)) -> pa.RecordBatch:
    """Return rows as a batch of `SCHEMA`, or of those of its fields that are named.

    What UTF-8 cannot hold, as escapes in JSON may name, is replaced.
    """
    schema = schema_of(names)
    distinct = {id(row["metadata"]): row["metadata"] for row in rows}  # a document's rows share it
    encoded = {key: _encode_metadata(metadata) for key, metadata in distinct.items()}
    rows = [row | {"metadata": encoded[id(row["metadata"])]} for row in rows]
    kind = pa.struct(list(schema))  # read at once, which is faster than column by column
    try:
        array = pa.array(rows, kind)
    except UnicodeEncodeError:
        array = pa.array([_without_surrogates(row) for row in rows], kind)
    batch = pa.RecordBatch.from_struct_array(array)
    return batch.replace_schema_metadata(schema.metadata)


@dataclass(frozen=True, slots=True)
class _Chunking:
    """The arguments of `chunk_batches`, checked."""

    chunker: Chunker
    reader: RowReader
    front_matter_keys: tuple[str, ...]
    on_error: OnError

    def __post_init__(self) -> None:
        """Check what others do not."""
        if self.on_error not in {"row", "skip"}:
            raise ConfigurationError("on_error", self.on_error, "'row' or 'skip'")

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all documents in batches of bounded size."""
        waiting: list[Row] = []
        size = 0
        for row in self._rows(batches):
            waiting.append(row)
            size += len(row["embedded"]) if isinstance(row["embedded"], str) else 0
            if size >= _MOST_CHARACTERS or len(waiting) == _MOST_ROWS:
                yield rows_to_batch(waiting)
                waiting, size = [], 0
        if waiting:
            yield rows_to_batch(waiting)

    def _rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        for batch in batches:
            for document in self.reader.read(batch):
                yield from self._document_rows(document)

    def _document_rows(self, document: InputRow) -> Iterator[Row]:
        fields, message = document.fields, document.error
        if message is None:
            try:
                result = self.chunker.chunk_hierarchical(document.text, path=fields.file)
                yield from fields.rows(result, self.front_matter_keys)
            except DOCUMENT_ERRORS as error:
                message = describe_error(error)
        if message is not None and self.on_error == "row":
            yield fields.error_row(message)


def _encode_metadata(metadata: object) -> str | None:
    """Return metadata as JSON; what JSON does not know becomes a string, NaN null."""
    if metadata is None:
        return None
    try:
        return msgspec.json.encode(metadata, enc_hook=str).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_without_surrogates(metadata), enc_hook=str).decode()


def _without_surrogates(value: object) -> object:
    """Return a value of strings, lists and dicts with U+FFFD for each lone surrogate."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case list():
            return [_without_surrogates(each) for each in value]
        case dict():
            return {
                _without_surrogates(key): _without_surrogates(each) for key, each in value.items()
            }
    return value
