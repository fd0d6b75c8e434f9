"""Conversion of the core's results to LangChain documents: chunks and their parents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from langchain_core.documents import Document

from chunkana_core import HierarchicalChunkingResult
from chunkana_core.extending import SourceFile
from chunkana_langchain.identity import source_keys
from chunkana_langchain.keys import MetadataKeys
from chunkana_langchain.splitting.mapping import DocumentMapper
from chunkana_langchain.splitting.options import MappingOptions
from chunkana_langchain.splitting.origin import Origin
from chunkana_langchain.splitting.outline import TITLED
from chunkana_retrieval.checks import require_choice


class HierarchicalDocuments(NamedTuple):
    """Leaves to index, and the parents by which retrieval may replace them.

    `parents` is for a `BaseStore`: `store.mset(parents)`. It contains the `chunkana_parent_id` of
    each leaf; that of a leaf without a parent is the leaf's own id.
    """

    leaves: list[Document]
    parents: list[tuple[str, Document]]


def to_documents(
    result: HierarchicalChunkingResult,
    document_metadata: Mapping[str, Any] | None = None,
    *,
    metadata: MetadataKeys = "short",
) -> list[Document]:
    r"""Return the chunks to index of a result of the core as LangChain documents.

    Args:
        result: the core's result for a document; the page contents are the chunks' `embedded`.
        document_metadata: the metadata of the document, which are copied to each chunk.
        metadata: the keys to add, "short" or "full", as for `ChunkanaSplitter`.

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
