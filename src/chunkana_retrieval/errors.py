"""What is wrong with an index on disk; the module that reads one loads numpy, this does not."""

from __future__ import annotations

from chunkana_core import ChunkanaError


class IndexFileError(ChunkanaError, ValueError):
    """A file of an index that is damaged, of another version, or that another writer replaced."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)  # from which it is unpickled
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class UnknownLeavesWarning(UserWarning):
    """A vector store proposes no leaf of the index that is asked: it is empty, or another's."""

    def __init__(self) -> None:
        super().__init__(
            "the vector store proposes no leaf of this index, so that nothing is found by meaning: "
            "it is empty, or that of another index; load with the one that the index was made "
            "with, or make the index anew with `from_documents`"
        )
