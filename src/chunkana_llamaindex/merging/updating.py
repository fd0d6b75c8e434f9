"""Nodes in a document store and an index, brought to today's documents.

What is stored in the document store is what is returned, and an index only finds it. A document's
mark is set last: where an update was not finished, the next one does all of that document anew.
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
from chunkana_llamaindex.parsing.metadata import leaves_of
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import Procedure, UpdateReport, call, require_documents_left

# Of a leaf's metadata, what changes where text above it does: stored, and not in the index.
_PLACES: Final = frozenset({"start_line", "end_line", "chunk_index"})


def mark_of(document: BaseNode, parser: ChunkanaNodeParser) -> str:
    """Return what differs where the nodes of a document do."""
    described = [parser.to_dict(), document.to_dict()]
    return sha256(json.dumps(described, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class NodeStores:
    """Where nodes are.

    Attributes:
        docstore: has parents and leaves.
        index: finds leaves; None where a retriever of the caller's does.
    """

    docstore: BaseDocumentStore
    index: BaseIndex[Any] | None = field(repr=False)

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents of which nodes are stored."""
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
        """Bring the stores to today's documents; return what was done.

        Args:
            documents: today's, by their ids.
            parser: makes nodes of them.
            deleted: ids of documents to delete; what is not stored is no error.
            delete_missing: whether all documents are deleted that are not among today's.
        """
        if delete_missing:
            require_documents_left(documents)
            deleted = yield from self.names()
        report = UpdateReport()
        for name, document in documents.items():
            mark, stored = yield from self._stored(name)
            today = mark_of(document, parser)
            if mark == today:
                report.unchanged.append(name)
                continue
            (report.changed if stored else report.added).append(name)
            nodes = parser([document])
            counts = yield from self._replace(name, nodes, stored, is_trusted=bool(mark))
            yield from self._mark(name, today)
            report = _counted(report, *counts)
        for name in dict.fromkeys(deleted):
            mark, stored = yield from self._stored(name)
            if name not in documents and (stored or mark):
                report.deleted.append(name)
                counts = yield from self._replace(name, [], stored, is_trusted=bool(mark))
                report = _counted(report, *counts)
        return report

    def _stored(self, name: str) -> Procedure[tuple[str, list[str]]]:
        """Return the mark of a document, "" for none, and the ids of its nodes."""
        store = self.docstore
        info = yield from call(store.get_ref_doc_info, store.aget_ref_doc_info, name)
        mark = yield from call(store.get_document_hash, store.aget_document_hash, name)
        return mark or "", info.node_ids if info else []

    def _mark(self, name: str, mark: str) -> Procedure[None]:
        store = self.docstore
        yield from call(store.set_document_hash, store.aset_document_hash, name, mark)

    def _replace(
        self, name: str, nodes: Sequence[BaseNode], stored: Sequence[str], *, is_trusted: bool
    ) -> Procedure[tuple[int, int]]:
        """Replace the nodes of a document; return how many leaves were added and deleted."""
        store, reader = self.docstore, NodeReader(self.docstore)
        yield from reader.read(stored)
        old = {one.node_id: _indexed_part(one) for one in leaves_of([*reader.known.values()])}
        new = {leaf.node_id: leaf for leaf in leaves_of([*nodes])}
        same = {
            leaf_id
            for leaf_id, leaf in new.items()
            if is_trusted and old.get(leaf_id) == _indexed_part(leaf)
        }
        gone = [leaf_id for leaf_id in old if leaf_id not in same]
        if stored:
            yield from self._mark(name, "")
            yield from self._delete_indexed(name, gone, is_whole=not is_trusted)
        yield from call(store.delete_ref_doc, store.adelete_ref_doc, name, raise_error=False)
        # Its mark, where it has no nodes.
        yield from call(store.delete_document, store.adelete_document, name, raise_error=False)
        yield from call(store.add_documents, store.async_add_documents, nodes)
        added = [leaf for leaf_id, leaf in new.items() if leaf_id not in same]
        if added and self.index is not None:
            yield from call(self.index.insert_nodes, self.index.ainsert_nodes, added)
        return len(added), len(gone)

    def _delete_indexed(
        self, name: str, leaf_ids: Sequence[str], *, is_whole: bool
    ) -> Procedure[None]:
        """Delete leaves from the index; or all of the document, whatever there is."""
        index, vectors = self.index, getattr(self.index, "vector_store", None)
        if index is None or not (yield from has_collection(vectors)):
            return
        if is_whole and vectors is not None:
            yield from call(vectors.delete, vectors.adelete, name)
        known = indexed_ids(index)  # all, where its store alone knows
        if gone := [leaf_id for leaf_id in leaf_ids if known is None or leaf_id in known]:
            now, later = index.delete_nodes, index.adelete_nodes
            yield from call(now, later, gone, delete_from_docstore=True)


def _indexed_part(leaf: BaseNode) -> tuple[str, dict[str, Any]]:
    """Return what an index has of a leaf: what is embedded, and what filters see."""
    metadata = {key: value for key, value in leaf.metadata.items() if key not in _PLACES}
    return leaf.get_content(MetadataMode.EMBED), metadata


def _counted(report: UpdateReport, added: int, deleted: int) -> UpdateReport:
    added, deleted = report.leaves_added + added, report.leaves_deleted + deleted
    return replace(report, leaves_added=added, leaves_deleted=deleted)
