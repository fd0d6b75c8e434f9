"""Warnings of documents, which adapters issue at the line of user code that called them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from chunkana_core import ChunkanaWarning
from chunkana_core.extending import SourceFile, describe_unknown_file_types
from chunkana_retrieval.errors import warn


def warn_of(names: Sequence[str], statement: str) -> None:
    """Warn of some documents: name the first one, count the others, and state what they have."""
    if names:
        others = f" (and {len(names) - 1} more)" if len(names) > 1 else ""
        warn(f"{names[0]!r}{others} {statement}")


def warn_of_clashes(ours: Iterable[str], theirs: Iterable[Iterable[str]]) -> None:
    """Warn of metadata keys of ours that documents have already, whose values are kept."""
    if clashing := sorted(set(ours).intersection(chain.from_iterable(theirs))):
        warn(f"documents keep their own metadata {', '.join(clashing)}")


def warn_of_unknown(files: Iterable[SourceFile], fallback: str) -> None:
    """Warn of the files of a run whose formats are not known, and are chunked as `fallback`."""
    kinds = {file.name: file.unknown for file in files}  # a file may be loaded as several documents
    if message := describe_unknown_file_types(kinds.values(), fallback):
        warn(ChunkanaWarning(message))
