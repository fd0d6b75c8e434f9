"""Update the nodes of changed documents in a document store and an index.

The index finds leaves, and the document store contains the nodes that are returned. The hash of a
document is stored last: if an update is interrupted, the next one replaces the whole document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Final

from llama_index.core.indices.base import BaseIndex
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.storage.docstore import BaseDocumentStore

from chunkana_llamaindex.collections import has_collection
from chunkana_llamaindex.merging.nodes import NodeReader
from chunkana_llamaindex.merging.storing import indexed_ids
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.nodes import leaves_of
from chunkana_retrieval.indexing import Procedure, UpdateReport, call, require_documents_left

# The metadata of a leaf that depend on the text above the leaf: they are up to date in the document
# store, but not in the index.
_POSITION_KEYS: Final = frozenset({"start_line", "end_line", "chunk_index"})


def document_hash(document: BaseNode, parser: ChunkanaNodeParser) -> str:
    """Return a hash of a document and of the options of its parser."""
    described = [parser.to_dict(), document.to_dict()]
    return sha256(json.dumps(described, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class NodeStores:
    """The document store and the index of an auto-merging retriever.

    Attributes:
        docstore: contains parents and leaves.
        index: finds leaves; None if the caller's own retriever finds them.
    """

    docstore: BaseDocumentStore
    index: BaseIndex[Any] | None = field(repr=False)

    def document_ids(self) -> Procedure[list[str]]:
        """Return the ids of all documents that have stored nodes."""
        store = self.docstore
        infos = yield from call(store.get_all_ref_doc_info, store.aget_all_ref_doc_info)
        return [*(infos or {})]

    def update(
        self,
        documents: Mapping[str, BaseNode],
        parser: ChunkanaNodeParser,
        deleted: Iterable[str],
        *,
        delete_missing: bool,
    ) -> Procedure[UpdateReport]:
        """Add, replace and delete the nodes of documents, and return the report.

        Args:
            documents: the current documents, by their ids.
            parser: parses the documents into nodes.
            deleted: ids of documents to delete; ids that are not stored are ignored.
            delete_missing: whether to delete all documents that are not in `documents`.
        """
        if delete_missing:
            require_documents_left(documents)
            deleted = yield from self.document_ids()
        report = UpdateReport()
        for name, document in documents.items():
            stored_hash, stored = yield from self._read_state(name)
            new_hash = document_hash(document, parser)
            if stored_hash == new_hash:
                report.unchanged.append(name)
                continue
            (report.changed if stored else report.added).append(name)
            nodes = parser([document])
            counts = yield from self._replace(name, nodes, stored, is_complete=bool(stored_hash))
            yield from self._set_hash(name, new_hash)
            report = _add_counts(report, *counts)
        for name in dict.fromkeys(deleted):
            stored_hash, stored = yield from self._read_state(name)
            if name not in documents and (stored or stored_hash):
                report.deleted.append(name)
                counts = yield from self._replace(name, [], stored, is_complete=bool(stored_hash))
                report = _add_counts(report, *counts)
        return report

    def _read_state(self, name: str) -> Procedure[tuple[str, list[str]]]:
        """Return the stored hash of a document, "" for none, and the ids of its stored nodes."""
        store = self.docstore
        info = yield from call(store.get_ref_doc_info, store.aget_ref_doc_info, name)
        stored = yield from call(store.get_document_hash, store.aget_document_hash, name)
        return stored or "", info.node_ids if info else []

    def _set_hash(self, name: str, value: str) -> Procedure[None]:
        store = self.docstore
        yield from call(store.set_document_hash, store.aset_document_hash, name, value)

    def _replace(
        self, name: str, nodes: Sequence[BaseNode], stored: Sequence[str], *, is_complete: bool
    ) -> Procedure[tuple[int, int]]:
        """Replace the nodes of a document, and return how many leaves were added and deleted.

        Args:
            name: the id of the document.
            nodes: its new nodes.
            stored: the ids of its stored nodes.
            is_complete: whether its last update was completed; otherwise all leaves are replaced.
        """
        store, reader = self.docstore, NodeReader(self.docstore)
        yield from reader.read(stored)
        old = {leaf.node_id: _indexed_content(leaf) for leaf in leaves_of([*reader.nodes.values()])}
        new = {leaf.node_id: leaf for leaf in leaves_of([*nodes])}
        same = {
            leaf_id
            for leaf_id, leaf in new.items()
            if is_complete and old.get(leaf_id) == _indexed_content(leaf)
        }
        gone = [leaf_id for leaf_id in old if leaf_id not in same]
        if stored:
            yield from self._set_hash(name, "")
            yield from self._delete_indexed(name, gone, is_whole=not is_complete)
        yield from call(store.delete_ref_doc, store.adelete_ref_doc, name, raise_error=False)
        # A document without nodes has only a hash, which `delete_ref_doc` does not delete.
        yield from call(store.delete_document, store.adelete_document, name, raise_error=False)
        yield from call(store.add_documents, store.async_add_documents, nodes)
        added = [leaf for leaf_id, leaf in new.items() if leaf_id not in same]
        if added and self.index is not None:
            yield from call(self.index.insert_nodes, self.index.ainsert_nodes, added)
        return len(added), len(gone)

    def _delete_indexed(
        self, name: str, leaf_ids: Sequence[str], *, is_whole: bool
    ) -> Procedure[None]:
        """Delete leaves of a document from the index; if `is_whole`, all its vectors too."""
        index, vectors = self.index, getattr(self.index, "vector_store", None)
        if index is None or not (yield from has_collection(vectors)):
            return
        if is_whole and vectors is not None:
            yield from call(vectors.delete, vectors.adelete, name)
        known = indexed_ids(index)  # None if only its vector store knows
        if gone := [leaf_id for leaf_id in leaf_ids if known is None or leaf_id in known]:
            delete, adelete = index.delete_nodes, index.adelete_nodes
            yield from call(delete, adelete, gone, delete_from_docstore=True)


def _indexed_content(leaf: BaseNode) -> tuple[str, dict[str, Any]]:
    """Return the parts of a leaf that must be up to date in an index: embedded text, metadata."""
    metadata = {key: value for key, value in leaf.metadata.items() if key not in _POSITION_KEYS}
    return leaf.get_content(MetadataMode.EMBED), metadata


def _add_counts(report: UpdateReport, added: int, deleted: int) -> UpdateReport:
    added, deleted = report.leaves_added + added, report.leaves_deleted + deleted
    return replace(report, leaves_added=added, leaves_deleted=deleted)
