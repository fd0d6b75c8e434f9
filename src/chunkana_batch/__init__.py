"""Many documents: one after the other, or in several processes of this machine."""

from chunkana_batch.processes import Outcome, WorkerError, chunk_many

__all__ = ["Outcome", "WorkerError", "chunk_many"]
