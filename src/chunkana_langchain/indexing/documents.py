"""The index of LangChain documents: document checks, fingerprints and records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from langchain_core.documents import Document
from msgspec.structs import replace

from chunkana_core import ConfigurationError
from chunkana_core.extending import FieldReader
from chunkana_langchain import keys
from chunkana_langchain.identity import document_name, source_keys
from chunkana_langchain.indexing.leaves import LeafStore, Search
from chunkana_langchain.indexing.pages import DocumentPages
from chunkana_langchain.keys import is_chunk
from chunkana_langchain.text_splitter import (
    ChunkanaSplitter,
    is_piece,
    require_documents,
    warn_of_clashes,
)
from chunkana_retrieval.indexing import (
    DocumentIndex,
    DocumentRecord,
    RecordStore,
    SearchKind,
    SourceDocuments,
    fingerprint,
    record_document,
)

_WHOLE = "whole documents, as a loader returns them, and no chunks of a splitter"
_DIFFERENT_IDS = (
    "documents with different ids: a Document's `id`, else its `source` with its `page` and the "
    "like; give each an `id`"
)
_NOT_SPLIT = (
    "whole documents, as a loader returns them: these have the `start_index` or `Header 1` of a "
    "splitter, so they are pieces of a document; the retriever splits documents itself"
)
_STORED = keys.PASSAGE.union(
    FieldReader.of("index", "notebook").names, (keys.DOCUMENT_ID, keys.LEAF_ID)
) - {"cell_start_line", "cell_end_line"}


class SplitterIndex(DocumentIndex[Search]):
    """An index of LangChain documents.

    Attributes:
        splitter: the splitter of the documents.
        with_parents: whether records contain the parents of chunks too.
    """

    def __init__(
        self,
        leaves: LeafStore,
        records: RecordStore | None,
        folder: str | Path | None,
        search: SearchKind,
        splitter: ChunkanaSplitter,
        *,
        with_parents: bool,
    ) -> None:
        super().__init__(leaves, records, folder, search)
        self.splitter, self.with_parents = splitter, with_parents

    def sources(self, documents: Iterable[Document]) -> SourceDocuments:
        """Check documents and compute their ids and fingerprints; warn of clashing metadata keys.

        Raises:
            ConfigurationError: for a chunk instead of a whole document, two documents with the same
                id, and metadata that cannot be serialised as JSON.
            ImportError: naming the first document whose format needs an extra that is missing.
        """
        documents = require_documents(documents)
        for document in documents:
            if is_chunk(document.metadata):
                raise ConfigurationError("documents", document.id, _WHOLE)
        by_name, fingerprints = dict[str, Document](), dict[str, str]()
        clashing = set[str]()
        for document in documents:
            name = document_name(document)
            if name in by_name:
                allowed = _NOT_SPLIT if any(map(_is_split, documents)) else _DIFFERENT_IDS
                raise ConfigurationError("id of two documents", name, allowed)
            by_name[name] = document
            chunking = f"{self.splitter.describe(document)}{self.with_parents}"
            text, metadata = document.page_content, document.metadata
            fingerprints[name] = fingerprint(name, text, metadata, chunking)
            clashing |= _STORED & metadata.keys()
        self.splitter.check_documents(documents)
        warn_of_clashes(clashing)

        def record(name: str) -> DocumentRecord:
            return self._record(name, by_name[name], fingerprints[name])

        return SourceDocuments(fingerprints, record)

    def _record(self, name: str, document: Document, fingerprint: str) -> DocumentRecord:
        """Split a document and return its record."""
        mapper = self.splitter.map_document(document, *source_keys([document]))
        # Metadata have the same types whether the record is saved and loaded or not.
        metadata = json.loads(json.dumps(mapper.origin.metadata, default=str))
        unlabelled = record_document(name, mapper.result, metadata, fingerprint, mapper.front)
        pages = DocumentPages.of(mapper).to_json() if self.with_parents else ""
        return replace(unlabelled, label=mapper.label, attachment=pages)


def _is_split(document: Document) -> bool:
    """Return whether a document's metadata are those of a piece from another splitter."""
    return is_piece(document) or not document.metadata.keys().isdisjoint(keys.HEADERS)
