"""The index: documents, their leaves, words and vectors in one SQLite database."""

try:
    import numpy as np  # noqa: F401
except ImportError as error:
    raise ImportError('an index needs numpy: pip install "chunkana-rag[retrieval]"') from error

from chunkana_retrieval.index.documents import (
    IndexDocument,
    by_unique_id,
    describe_chunker,
)
from chunkana_retrieval.index.embedding import Embedder
from chunkana_retrieval.index.excerpts import Excerpt, parse_lines, section_names
from chunkana_retrieval.index.index import Index
from chunkana_retrieval.index.names import matching_names
from chunkana_retrieval.index.records import (
    LEAF_KEYS,
    DocumentLeaf,
    DocumentRecord,
    LeafRecord,
    SourceDocuments,
    fingerprint,
    record_document,
)
from chunkana_retrieval.index.searching.found import Found, add_related_leaves
from chunkana_retrieval.index.searching.options import (
    MergingOptions,
    Order,
    ReadingOptions,
    Relation,
    SearchKind,
    SearchOptions,
)
from chunkana_retrieval.index.storage.database import has_database
from chunkana_retrieval.index.stores import LeafStore, StoreHit
from chunkana_retrieval.index.updating import UpdateReport

__all__ = [
    "LEAF_KEYS",
    "DocumentLeaf",
    "DocumentRecord",
    "Embedder",
    "Excerpt",
    "Found",
    "Index",
    "IndexDocument",
    "LeafRecord",
    "LeafStore",
    "MergingOptions",
    "Order",
    "ReadingOptions",
    "Relation",
    "SearchKind",
    "SearchOptions",
    "SourceDocuments",
    "StoreHit",
    "UpdateReport",
    "add_related_leaves",
    "by_unique_id",
    "describe_chunker",
    "fingerprint",
    "has_database",
    "matching_names",
    "parse_lines",
    "record_document",
    "section_names",
]  # fmt: skip
