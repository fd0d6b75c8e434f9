"""Errors and warnings of indexes; warnings name the line of user code that called an adapter."""

from __future__ import annotations

from collections.abc import Sequence

from chunkana_core import ChunkanaError, extending

# The packages whose frames are between the user's code and `warn`, besides the core.
_SKIPPED_PACKAGES = frozenset(
    {"chunkana_langchain", "chunkana_llamaindex", "chunkana_retrieval", "concurrent",
     "langchain_classic", "langchain_core", "langchain_text_splitters", "llama_index",
     "llama_index_instrumentation", "pydantic", "threading", "wrapt"}
)  # fmt: skip


class IndexFileError(ChunkanaError, ValueError):
    """The file of an index is damaged, of another format, or not an index."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)  # the arguments for unpickling
        self.path, self.reason = path, reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class UnknownNameError(ChunkanaError, KeyError):
    """A document or section that is not in an index.

    Attributes:
        kind: "document" or "section".
        name: the name that was given.
        nearest: similar names that are in the index, the most similar first.
    """

    def __init__(self, kind: str, name: str, nearest: Sequence[str]) -> None:
        super().__init__(kind, name, nearest)  # the arguments for unpickling
        self.kind, self.name, self.nearest = kind, name, nearest

    def __str__(self) -> str:
        similar = f"; similar names: {', '.join(map(repr, self.nearest))}" if self.nearest else ""
        return f"there is no {self.kind} {self.name!r}{similar}"


class LostLeavesWarning(UserWarning):
    """A vector store lacks leaves of the index: it lost them, or belongs to another index."""

    def __init__(self, statement: str) -> None:
        super().__init__(
            f"{statement}: it lost them, or belongs to another index; give the vector store that "
            "the index was made with, or call `repair`, which stores all leaves again"
        )


def warn(message: str | Warning) -> None:
    """Issue a warning at the innermost frame outside of the adapters and their frameworks."""
    warning = message if isinstance(message, Warning) else UserWarning(message)
    extending.warn(warning, _SKIPPED_PACKAGES)
