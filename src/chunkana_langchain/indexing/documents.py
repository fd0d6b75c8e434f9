"""Today's documents, and how they become records."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from langchain_core.documents import Document
from msgspec.structs import replace

from chunkana_core import ConfigurationError, InputTypeError
from chunkana_langchain import keys
from chunkana_langchain.identity import document_name, source_keys
from chunkana_langchain.indexing.pages import DocumentPages
from chunkana_langchain.splitting.options import as_list, is_piece, warn_of_pieces
from chunkana_langchain.splitting.origin import is_chunk
from chunkana_langchain.splitting.splitter import ChunkanaSplitter
from chunkana_retrieval.indexing import DocumentRecord, fingerprint, record_document

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


@dataclass(frozen=True, slots=True)
class SourceDocuments:
    """Documents by the ids by which an index knows them.

    Attributes:
        documents: by these ids.
        fingerprints: that differ where a document has to be indexed anew, by these ids.
        splitter: makes chunks of them.
        with_parents: whether records have the parents of chunks too.
    """

    documents: Mapping[str, Document]
    fingerprints: Mapping[str, str]
    splitter: ChunkanaSplitter
    with_parents: bool

    @classmethod
    def of(
        cls, documents: Iterable[Document], splitter: ChunkanaSplitter, *, with_parents: bool
    ) -> SourceDocuments:
        """Check documents, and name them; warn of metadata keys that are ours too.

        Raises:
            ConfigurationError: for what is no whole document, two of one id, and metadata that
                JSON cannot write.
            ImportError: naming the first document whose format needs an extra that is missing.
        """
        documents = as_list(documents)
        for document in documents:
            _require_whole(document)
        splitter.require_formats(documents)
        named, prints, clashing = dict[str, Document](), dict[str, str](), set[str]()
        for document in documents:
            name = document_name(document)
            if name in named:
                allowed = _UNCUT if any(map(_is_cut, documents)) else _DIFFERENT
                raise ConfigurationError("id of two documents", name, allowed)
            named[name] = document
            chunking = f"{splitter.describe(document)}{with_parents}"
            text, metadata = document.page_content, document.metadata
            prints[name] = fingerprint(name, text, metadata, chunking)
            clashing |= _STORED & metadata.keys()
        if clashing:
            names = ", ".join(sorted(clashing))
            warnings.warn(f"metadata of the documents keeps its own {names}", stacklevel=5)
        warn_of_pieces(documents, stacklevel=5)
        splitter.warn_of_label(documents, stacklevel=5)
        return cls(named, prints, splitter, with_parents)

    def record(self, name: str) -> DocumentRecord:
        """Return the record of a document."""
        document = self.documents[name]
        mapper = self.splitter.map_document(document, *source_keys([document]))
        # As it is read again, whether it is saved or not.
        metadata = json.loads(json.dumps(mapper.origin.metadata, default=str))
        record = record_document(
            name, mapper.result, metadata, self.fingerprints[name], mapper.front
        )
        record = replace(record, label=mapper.label)
        if not self.with_parents:
            return record
        return replace(record, attachment=DocumentPages.of(mapper).to_json())


def _is_cut(document: Document) -> bool:
    """Tell whether a document's metadata are those of another splitter's pieces."""
    return is_piece(document) or not document.metadata.keys().isdisjoint(keys.HEADERS)


def _require_whole(document: object) -> None:
    if not isinstance(document, Document):
        raise InputTypeError("documents", document, _WHOLE)
    if is_chunk(document):
        raise ConfigurationError("documents", document.id, _WHOLE)
