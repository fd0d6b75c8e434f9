"""Read tables of chunks: Parquet files and JSON lines, plain or compressed by gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from os.path import isfile
from pathlib import Path, PurePath

from chunkana_batch.rows import FIELDS
from chunkana_cli.inputs.files import MAX_BYTES, TOO_LONG, UTF_8, InputError, decode, read_text

_LINES_SUFFIXES = {".jsonl", ".ndjson"}
_TEXT_FIELDS = {"content", "embedded"}
_LONGEST_LINE = 2**24  # bytes of the first line, by which the rows of `split` are recognised
_ROWS = 1_000  # of a batch


def is_parquet(name: str) -> bool:
    """Return whether a name has the suffix of a Parquet file."""
    return PurePath(name).suffix.lower() in {".parquet", ".pq"}


def is_compressed_lines(name: str) -> bool:
    """Return whether a name has the suffixes of JSON lines compressed by gzip."""
    return _is_compressed(name) and PurePath(PurePath(name).stem).suffix.lower() in _LINES_SUFFIXES


def is_table_of_chunks(name: str) -> bool:
    """Return whether a file is Parquet, compressed JSON lines, or JSON lines that `split` wrote.

    Other JSON lines are a document. The first line of a file that `split` wrote is an object with
    only the fields of a table of chunks.
    """
    if is_parquet(name) or is_compressed_lines(name):
        return True
    if PurePath(name).suffix.lower() not in _LINES_SUFFIXES or not isfile(name):
        return False
    try:
        with Path(name).open("rb") as file:
            row = _parse_object(file.readline(_LONGEST_LINE).decode())
    except (OSError, ValueError):
        return False
    return row.keys() <= FIELDS.keys() and not _TEXT_FIELDS.isdisjoint(row)


def read_rows(name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the rows of a file with their numbers from 1; for JSON lines, the line numbers.

    Args:
        name: the name of the file, "-" for standard input.

    Raises:
        InputError: if the file cannot be read, or a line is not a JSON object.
    """
    if is_parquet(name):
        yield from enumerate(_read_parquet(name), 1)
        return
    text = _read_compressed(name) if _is_compressed(name) else read_text(name, has_option=False)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, _parse_object(line)
            except ValueError as error:
                raise InputError(f"{name}: line {number}: {error}") from None


def _is_compressed(name: str) -> bool:
    return PurePath(name).suffix.lower() == ".gz"


def _parse_object(line: str) -> dict[str, object]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(row, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004  # an error of the file
    return row


def _read_compressed(name: str) -> str:
    if not isfile(name):
        raise InputError(f"{name}: no such file")
    try:
        with gzip.open(name, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"{name}: {TOO_LONG.format(MAX_BYTES)}")
    return decode(data, UTF_8, name, has_option=False)


def _read_parquet(name: str) -> Iterator[dict[str, object]]:
    try:
        import pyarrow as pa  # noqa: PLC0415  # optional, and slow to load
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        install = 'pip install "chunkana-rag[arrow]"'
        raise InputError(f"{name}: Parquet needs pyarrow: {install}") from None
    if not isfile(name):
        raise InputError(f"{name}: no such file")
    try:
        with pq.ParquetFile(name) as file:
            for batch in file.iter_batches(_ROWS):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
