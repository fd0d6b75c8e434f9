"""What is made of results of the core: chunks, and the parents that may be read instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from langchain_core.documents import Document

from chunkana_core import HierarchicalChunkingResult
from chunkana_langchain.identity import source_keys
from chunkana_langchain.keys import MetadataKeys
from chunkana_langchain.splitting.mapping import DocumentMapper
from chunkana_langchain.splitting.options import MappingOptions
from chunkana_langchain.splitting.origin import Origin
from chunkana_langchain.splitting.outline import TITLED
from chunkana_retrieval import SourceFile
from chunkana_retrieval.checks import require_choice


class HierarchicalDocuments(NamedTuple):
    """Leaves to index and what retrieval may read in their place.

    `parents` is for a `BaseStore`: `store.mset(parents)`. Each leaf's `chunkana_parent_id` is in
    it; that of a leaf without a parent is its own id.
    """

    leaves: list[Document]
    parents: list[tuple[str, Document]]


def to_documents(
    result: HierarchicalChunkingResult,
    document_metadata: Mapping[str, Any] | None = None,
    *,
    metadata: MetadataKeys = "short",
) -> list[Document]:
    r"""Return the chunks of a result that are worth indexing, as the core made them.

    Args:
        result: what the core makes of a document; page contents are its chunks' `embedded`.
        document_metadata: of that document; each chunk's has a copy of it.
        metadata: which keys are added, as for `ChunkanaSplitter`.

    >>> from chunkana_core import chunk_hierarchical
    >>> [d.page_content for d in to_documents(chunk_hierarchical("# A\n\nText.\n"))]
    ['# A\n\nText.']
    """
    require_choice("metadata", metadata, get_args(MetadataKeys))
    whole = Document(page_content=result.text, metadata=dict(document_metadata or {}))
    origin = Origin.of(whole, *source_keys([whole]))
    label = "" if result.format in TITLED else SourceFile.of(whole.metadata).label
    options = MappingOptions(result.max_chunk_size, has_all_keys=metadata == "full")
    return [*DocumentMapper.of(result, origin, options, label=label).leaves()]
