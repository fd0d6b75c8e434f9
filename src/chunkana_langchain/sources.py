"""The documents of an update: their checks, fingerprints and records."""

from __future__ import annotations

from collections.abc import Iterable

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings

from chunkana_core import ConfigurationError
from chunkana_core.extending import FieldReader
from chunkana_langchain import keys
from chunkana_langchain.documents import DocumentMapper
from chunkana_langchain.embeddings import model_of
from chunkana_langchain.identity import document_name, source_keys
from chunkana_langchain.keys import is_chunk
from chunkana_langchain.text_splitter import (
    ChunkanaSplitter,
    is_of_other_splitter,
    require_documents,
)
from chunkana_retrieval.adapting import InputLimit, warn_of_clashes, warn_of_long_texts
from chunkana_retrieval.index import (
    DocumentRecord,
    SourceDocuments,
    by_unique_id,
    fingerprint,
    record_document,
)

_WHOLE = (
    "whole documents, as a loader returns them, since the retriever splits them itself: this is a "
    "chunk or piece of a splitter"
)
_DIFFERENT_IDS = (
    "documents with different ids: a Document's `id`, else its `source` with its `page` and the "
    "like; give each an `id`"
)
_SHORTER = "give splitter=ChunkanaSplitter(chunk_size=…, length_function=…)"
_MODELS = ("_client", "client")  # attributes in which embeddings have a sentence-transformers model
_STORED = keys.PASSAGE.union(
    FieldReader.of("index", "notebook").names, (keys.DOCUMENT_ID, keys.LEAF_ID)
) - {"cell_start_line", "cell_end_line"}


def source_documents(
    documents: Iterable[Document], splitter: ChunkanaSplitter, model: Embeddings | None
) -> SourceDocuments:
    """Check documents and compute their ids and fingerprints; warn of clashing metadata keys.

    Args:
        documents: whole documents.
        splitter: the splitter of the documents.
        model: the embedding of the chunks, None if it is not known.

    Returns:
        The documents; when their records are made, the first chunk that is too long causes a
        warning.

    Raises:
        ConfigurationError: for a chunk or piece of a document, two documents with the same id, and
            metadata that cannot be serialised as JSON.
        ImportError: naming the first document whose format needs an extra that is missing.
    """
    documents = require_documents(documents)
    if part := next(filter(_is_split, documents), None):
        raise ConfigurationError("documents", document_name(part), _WHOLE)
    by_name = by_unique_id(documents, document_name, "id of two documents", _DIFFERENT_IDS)
    fingerprints = {
        name: fingerprint(name, one.page_content, one.metadata, splitter.describe(one))
        for name, one in by_name.items()
    }
    splitter.check_documents(documents)
    warn_of_clashes(_STORED, (one.metadata for one in documents))
    limit = InputLimit.of(getattr(model_of(model), one, None) for one in _MODELS)

    def record(name: str) -> DocumentRecord:
        mapper = splitter.map_document(by_name[name], *source_keys([by_name[name]]))
        return _record(name, mapper, fingerprints[name])

    checked = warn_of_long_texts(record, limit, _SHORTER)
    return SourceDocuments(fingerprints, checked, splitter.description)


def _record(name: str, mapper: DocumentMapper, fingerprint: str) -> DocumentRecord:
    """Return the record of a document that is split."""
    return record_document(
        name,
        mapper.result,
        mapper.origin.metadata,
        fingerprint,
        mapper.front,
        max_parent_size=mapper.options.max_parent_size,
        label=mapper.label,
    )


def _is_split(document: Document) -> bool:
    """Return whether a document's metadata are those of a chunk or piece from a splitter."""
    is_part = is_chunk(document.metadata) or is_of_other_splitter(document)
    return is_part or not document.metadata.keys().isdisjoint(keys.HEADERS)
