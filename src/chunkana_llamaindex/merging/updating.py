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

from chunkana_llamaindex.collections import ahas_collection, has_collection
from chunkana_llamaindex.merging.nodes import ReadNodes
from chunkana_llamaindex.merging.storing import indexed_ids
from chunkana_llamaindex.parsing.metadata import leaves_of
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_retrieval.indexing import (
    ListDocuments,
    Procedure,
    Step,
    UpdateReport,
    require_documents_left,
)

# Of a leaf's metadata, what changes where text above it does: stored, and not in the index.
_PLACES: Final = frozenset({"start_line", "end_line", "chunk_index"})


@dataclass(frozen=True, slots=True)
class ReadDocument(Step[tuple[str, list[str]]]):
    """Return the mark of a document, "" for none, and the ids of its nodes."""

    document_id: str


@dataclass(frozen=True, slots=True)
class DeleteIndexed(Step[None]):
    """Delete leaves from the index; with `is_whole` all of the document, whatever there is."""

    document_id: str
    leaf_ids: Sequence[str]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class ReplaceNodes(Step[None]):
    """Put nodes in place of those that are stored of a document, and take its mark away."""

    document_id: str
    nodes: Sequence[BaseNode]


@dataclass(frozen=True, slots=True)
class AddIndexed(Step[None]):
    """Embed leaves and put them into the index."""

    leaves: Sequence[BaseNode]


@dataclass(frozen=True, slots=True)
class MarkDocument(Step[None]):
    """Set the mark of a document."""

    document_id: str
    mark: str


def mark_of(document: BaseNode, parser: ChunkanaNodeParser) -> str:
    """Return what differs where the nodes of a document do."""
    described = [parser.to_dict(), document.to_dict()]
    return sha256(json.dumps(described, sort_keys=True, default=str).encode()).hexdigest()


def updating(
    documents: Mapping[str, BaseNode],
    parser: ChunkanaNodeParser,
    deleted: Iterable[str],
    *,
    delete_missing: bool,
) -> Procedure[UpdateReport]:
    """Yield what is asked of the stores; return what was done.

    Args:
        documents: today's, by their ids.
        parser: makes nodes of them.
        deleted: ids of documents to delete; what is not stored is no error.
        delete_missing: whether all documents are deleted that are not among today's.
    """
    if delete_missing:
        require_documents_left(documents)
        deleted = yield from ListDocuments().ask()
    report = UpdateReport()
    for name, document in documents.items():
        mark, stored = yield from ReadDocument(name).ask()
        today = mark_of(document, parser)
        if mark == today:
            report.unchanged.append(name)
            continue
        (report.changed if stored else report.added).append(name)
        nodes = parser([document])
        counts = yield from _replacing(name, nodes, stored, is_trusted=bool(mark))
        yield from MarkDocument(name, today).ask()
        report = _counted(report, *counts)
    for name in dict.fromkeys(deleted):
        mark, stored = yield from ReadDocument(name).ask()
        if name not in documents and (stored or mark):
            report.deleted.append(name)
            counts = yield from _replacing(name, [], stored, is_trusted=bool(mark))
            report = _counted(report, *counts)
    return report


def _replacing(
    name: str, nodes: Sequence[BaseNode], stored: Sequence[str], *, is_trusted: bool
) -> Procedure[tuple[int, int]]:
    """Replace the nodes of a document; return how many leaves were added and deleted."""
    before = (yield from ReadNodes(stored).ask()) if stored else []
    old = {leaf.node_id: _indexed_part(leaf) for leaf in leaves_of(before)}
    new = {leaf.node_id: leaf for leaf in leaves_of([*nodes])}
    same = {
        leaf_id
        for leaf_id, leaf in new.items()
        if is_trusted and old.get(leaf_id) == _indexed_part(leaf)
    }
    gone = [leaf_id for leaf_id in old if leaf_id not in same]
    if stored:
        yield from MarkDocument(name, "").ask()
        yield from DeleteIndexed(name, gone, not is_trusted).ask()
    yield from ReplaceNodes(name, nodes).ask()
    added = [leaf for leaf_id, leaf in new.items() if leaf_id not in same]
    if added:
        yield from AddIndexed(added).ask()
    return len(added), len(gone)


def _indexed_part(leaf: BaseNode) -> tuple[str, dict[str, Any]]:
    """Return what an index has of a leaf: what is embedded, and what filters see."""
    metadata = {key: value for key, value in leaf.metadata.items() if key not in _PLACES}
    return leaf.get_content(MetadataMode.EMBED), metadata


def _counted(report: UpdateReport, added: int, deleted: int) -> UpdateReport:
    added, deleted = report.leaves_added + added, report.leaves_deleted + deleted
    return replace(report, leaves_added=added, leaves_deleted=deleted)


@dataclass(frozen=True, slots=True)
class NodeStores:
    """Where nodes are.

    Attributes:
        docstore: has parents and leaves.
        index: finds leaves; None where a retriever of the caller's does.
    """

    docstore: BaseDocumentStore
    index: BaseIndex[Any] | None = field(repr=False)

    def perform(self, step: Step[object]) -> object:
        """Carry out a step."""
        store = self.docstore
        match step:
            case ListDocuments():
                return [*(store.get_all_ref_doc_info() or {})]
            case ReadNodes(names):
                return store.get_nodes([*names], raise_error=False)
            case ReadDocument(name):
                info = store.get_ref_doc_info(name)
                return store.get_document_hash(name) or "", info.node_ids if info else []
            case MarkDocument(name, mark):
                store.set_document_hash(name, mark)
            case ReplaceNodes(name, nodes):
                store.delete_ref_doc(name, raise_error=False)
                store.delete_document(name, raise_error=False)  # its mark, where it has no nodes
                store.add_documents(nodes)
            case AddIndexed(leaves) if self.index is not None:
                self.index.insert_nodes(leaves)
            case DeleteIndexed(name, leaf_ids, is_whole) if self.index is not None:
                vectors, known = _vector_store(self.index), self._known(leaf_ids)
                if is_whole and vectors is not None and has_collection(vectors):
                    vectors.delete(name)
                if known and has_collection(vectors):
                    self.index.delete_nodes(known, delete_from_docstore=True)
        return None

    async def aperform(self, step: Step[object]) -> object:
        """Carry out a step."""
        store = self.docstore
        match step:
            case ListDocuments():
                return [*(await store.aget_all_ref_doc_info() or {})]
            case ReadNodes(names):
                return await store.aget_nodes([*names], raise_error=False)
            case ReadDocument(name):
                info = await store.aget_ref_doc_info(name)
                return await store.aget_document_hash(name) or "", info.node_ids if info else []
            case MarkDocument(name, mark):
                await store.aset_document_hash(name, mark)
            case ReplaceNodes(name, nodes):
                await store.adelete_ref_doc(name, raise_error=False)
                await store.adelete_document(name, raise_error=False)  # its mark
                await store.async_add_documents(nodes)
            case AddIndexed(leaves) if self.index is not None:
                await self.index.ainsert_nodes(leaves)
            case DeleteIndexed(name, leaf_ids, is_whole) if self.index is not None:
                vectors, known = _vector_store(self.index), self._known(leaf_ids)
                if is_whole and vectors is not None and await ahas_collection(vectors):
                    await vectors.adelete(name)
                if known and await ahas_collection(vectors):
                    await self.index.adelete_nodes(known, delete_from_docstore=True)
        return None

    def _known(self, leaf_ids: Sequence[str]) -> list[str]:
        """Return the leaves that an index knows itself, all where its store alone knows."""
        known = None if self.index is None else indexed_ids(self.index)
        return [name for name in leaf_ids if known is None or name in known]


def _vector_store(index: BaseIndex[Any]) -> Any:
    return getattr(index, "vector_store", None)
