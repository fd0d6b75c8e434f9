"""The metadata keys of documents from this package, and what only the package itself reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final, Literal, NamedTuple

from chunkana_core.extending import FieldReader, split_header_path

MetadataKeys = Literal["short", "full"]

CHUNK_ID: Final = "chunk_id"
HEADER_PATH: Final = "header_path"
FORMAT: Final = "format"
START_CHAR: Final = "start_char"
END_CHAR: Final = "end_char"
PREFIX_CHARS: Final = "prefix_chars"
START_LINE: Final = "start_line"
END_LINE: Final = "end_line"
DOCUMENT_ID: Final = "chunkana_document_id"
PARENT_ID: Final = "chunkana_parent_id"
CHILD_COUNT: Final = "chunkana_child_count"
CONTEXT: Final = "chunkana_context"  # a `ChunkContext` as JSON
START_INDEX: Final = "start_index"  # LangChain's key: the offset in the page content that was split
SCORE: Final = "score"
LEAF_ID: Final = "chunkana_leaf_id"  # in the vector store of an index
PASSAGE: Final = frozenset(
    {"spans", "lines", "path", "chunk_ids", START_LINE, END_LINE, SCORE, "similarity", "bm25"}
)
HEADERS: Final = tuple(f"Header {level}" for level in range(1, 7))  # as in LangChain's splitters
CHUNKANA: Final = (DOCUMENT_ID, PARENT_ID, CHILD_COUNT, CONTEXT)
OWN: Final = frozenset([*FieldReader.of("document", "document_full", "notebook").names, *CHUNKANA])
# The errors of `ChunkContext.of` for metadata that are not a chunk's.
NO_CHUNK: Final = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
_IMMUTABLE: Final = (str, int, float, bool, type(None))


class ChunkContext(NamedTuple):
    """Facts of a chunk that no other key has, or whose key may hold a value of the caller's.

    Attributes:
        content_start: the offset in the page content where the content starts, after context and
            overlap.
        path: the header path of the chunk, outermost title first.
        level: the level of its section, 0 for the document.
        title: the title of the document, "" for none.
        callers_keys: the metadata keys of Chunkana whose values are the caller's.
        format: the name of the document's format.
        is_continued: whether the chunk starts after the start of its section.
    """

    content_start: int
    path: tuple[str, ...]
    level: int
    title: str
    callers_keys: frozenset[str]
    format: str
    is_continued: bool = False

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> ChunkContext:
        """Parse the metadata of a chunk.

        Raises:
            KeyError, TypeError, ValueError: if the metadata are not those of a chunk.
        """
        content_start, *further = json.loads(metadata[CONTEXT])
        others: dict[str, Any] = further[0] if further else {}
        path = others["path"] if "path" in others else split_header_path(metadata[HEADER_PATH])
        return cls(
            int(content_start),
            tuple(map(str, path)),
            int(others.get("level", len(path))),
            str(others.get("title", path[0] if path else "")),
            frozenset(map(str, others.get("kept", ()))),
            str(others["format"] if "format" in others else metadata[FORMAT]),
            bool(others.get("is_continued")),
        )

    def to_json(self) -> str:
        """Return `[content_start, others]` as JSON, without what the other metadata say."""
        others: dict[str, object] = {}
        if self.title != (self.path[0] if self.path else ""):
            others["title"] = self.title
        if self.level != len(self.path):
            others["level"] = self.level
        if self.is_continued:
            others["is_continued"] = True
        if self.callers_keys:
            others["kept"] = sorted(self.callers_keys)
        if FORMAT in self.callers_keys:
            others["format"] = self.format
        if HEADER_PATH in self.callers_keys or self.path == ("",):
            others["path"] = self.path
        fields = [self.content_start, others] if others else [self.content_start]
        return json.dumps(fields, ensure_ascii=False)


def is_chunk(metadata: Mapping[str, Any]) -> bool:
    """Return whether metadata are those of a chunk or parent from Chunkana."""
    try:
        ChunkContext.of(metadata)
    except NO_CHUNK:
        return False
    return True


def callers_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metadata of a chunk or parent that the caller gave its source document."""
    added = OWN.union(HEADERS, {START_INDEX, SCORE}) - ChunkContext.of(metadata).callers_keys
    return {name: value for name, value in metadata.items() if name not in added}


def copied(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return a deep copy of metadata; values of immutable types are not copied."""
    return {
        name: value if isinstance(value, _IMMUTABLE) else deepcopy(value)
        for name, value in metadata.items()
    }
