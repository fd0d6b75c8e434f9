"""Files of chunks as they are read: Parquet tables, and JSON lines that gzip compressed."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import PurePath

from chunkana_cli.errors import InputError
from chunkana_cli.reading.encodings import UTF_8, decode
from chunkana_cli.reading.files import is_file
from chunkana_cli.reading.inputs import MOST_BYTES, TOO_LONG

_SUFFIXES = {".parquet", ".pq"}
_ROWS = 1_000  # at a time


def is_parquet(name: str) -> bool:
    """Tell whether a name is that of a Parquet file."""
    return PurePath(name).suffix.lower() in _SUFFIXES


def is_compressed(name: str) -> bool:
    """Tell whether a name is that of a file that gzip compressed."""
    return PurePath(name).suffix.lower() == ".gz"


def read_compressed(name: str) -> str:
    """Return the text of a file that gzip compressed.

    Raises:
        InputError: if it cannot be read, is too long, or is not UTF-8.
    """
    if not is_file(name):
        raise InputError(f"{name}: no such file")
    try:
        with gzip.open(name, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
    if len(data) > MOST_BYTES:
        raise InputError(f"{name}: {TOO_LONG.format(MOST_BYTES)}")
    return decode(data, UTF_8, name, has_option=False)


def read_parquet(name: str) -> Iterator[dict[str, object]]:
    """Yield the rows of a Parquet file.

    Raises:
        InputError: if it cannot be read, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra, which takes long to load
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError:
        install = 'pip install "chunkana-rag[arrow]"'
        raise InputError(f"{name}: Parquet needs pyarrow: {install}") from None
    if not is_file(name):
        raise InputError(f"{name}: no such file")
    try:
        with pq.ParquetFile(name) as file:
            for batch in file.iter_batches(_ROWS):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from None
