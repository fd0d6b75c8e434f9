"""Today's documents, and how they become records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from langchain_core.documents import Document
from msgspec.structs import replace

from chunkana_core import ConfigurationError
from chunkana_langchain import keys
from chunkana_langchain.identity import document_name, source_keys
from chunkana_langchain.indexing.leaves import LeafStore, Search
from chunkana_langchain.indexing.pages import DocumentPages
from chunkana_langchain.splitting.options import (
    is_piece,
    require_documents,
    warn_of_clashes,
    warn_of_pieces,
)
from chunkana_langchain.splitting.origin import is_chunk
from chunkana_langchain.splitting.splitter import ChunkanaSplitter
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
_DIFFERENT = (
    "documents with different ids: a Document's `id`, else its `source` with its `page` and the "
    "like; give each an `id`"
)
_UNCUT = (
    "whole documents, as a loader returns them: these have the `start_index` or `Header 1` of a "
    "splitter, and are pieces of one; the retriever splits documents itself"
)
_STORED = frozenset(
    {keys.SECTION_ID, keys.PARENT_SECTION_ID, keys.PATH, keys.HEADER_PATH, keys.CONTENT_TYPE,
     keys.CONTAINER, keys.FORMAT, keys.KIND, keys.NAME, keys.DOCUMENT_ID, keys.LEAF_ID,
     keys.SPANS, keys.LINES, keys.CELL, keys.CELL_END, keys.START_LINE, keys.END_LINE,
     keys.CHUNK_IDS, keys.SCORE}
)  # fmt: skip


class SplitterIndex(DocumentIndex[Search]):
    """An index of LangChain's documents.

    Attributes:
        splitter: makes chunks of documents.
        with_parents: whether records have the parents of chunks too.
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
        """Check whole documents, and name them; warn of metadata keys that are ours too.

        Raises:
            ConfigurationError: for what is no whole document, two of one id, and metadata that
                JSON cannot write.
            ImportError: naming the first document whose format needs an extra that is missing.
        """
        documents = require_documents(documents)
        for document in filter(is_chunk, documents):
            raise ConfigurationError("documents", document.id, _WHOLE)
        self.splitter.require_formats(documents)
        named, prints, clashing = dict[str, Document](), dict[str, str](), set[str]()
        for document in documents:
            name = document_name(document)
            if name in named:
                allowed = _UNCUT if any(map(_is_cut, documents)) else _DIFFERENT
                raise ConfigurationError("id of two documents", name, allowed)
            named[name] = document
            chunking = f"{self.splitter.describe(document)}{self.with_parents}"
            text, metadata = document.page_content, document.metadata
            prints[name] = fingerprint(name, text, metadata, chunking)
            clashing |= _STORED & metadata.keys()
        warn_of_clashes(clashing)
        warn_of_pieces(documents)
        self.splitter.warn_of_label(documents)

        return SourceDocuments(prints, lambda name: self._record(name, named[name], prints[name]))

    def _record(self, name: str, document: Document, mark: str) -> DocumentRecord:
        mapper = self.splitter.map_document(document, *source_keys([document]))
        # As it is read again, whether it is saved or not.
        metadata = json.loads(json.dumps(mapper.origin.metadata, default=str))
        made = record_document(name, mapper.result, metadata, mark, mapper.front)
        pages = DocumentPages.of(mapper).to_json() if self.with_parents else ""
        return replace(made, label=mapper.label, attachment=pages)


def _is_cut(document: Document) -> bool:
    """Tell whether a document's metadata are those of another splitter's pieces."""
    return is_piece(document) or not document.metadata.keys().isdisjoint(keys.HEADERS)
