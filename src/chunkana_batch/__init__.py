"""Chunk many documents (in processes or as Arrow batches) and documents larger than memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunkana_batch.many import chunk_many
from chunkana_batch.outcomes import DocumentError, Outcome
from chunkana_batch.processes import WorkerError
from chunkana_batch.rows import SCHEMA_VERSION, spark_schema
from chunkana_batch.streams.cutting import StreamLimits
from chunkana_batch.streams.stream import StreamWarning, chunk_stream

if TYPE_CHECKING:
    from chunkana_batch.tables import SCHEMA, chunk_batches, chunk_table

__all__ = [
    "SCHEMA", "SCHEMA_VERSION", "DocumentError", "Outcome", "StreamLimits", "StreamWarning",
    "WorkerError", "chunk_batches", "chunk_many", "chunk_stream", "chunk_table", "spark_schema",
]  # fmt: skip


def __getattr__(name: str) -> object:
    """Import the names that need pyarrow, an optional dependency, at their first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from chunkana_batch import tables  # noqa: PLC0415

    return getattr(tables, name)
