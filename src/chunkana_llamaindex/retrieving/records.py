"""Store records in LlamaIndex's document stores, each as the text of a node."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.nodes import text_of
from chunkana_retrieval.indexing import DocumentRecord, Procedure, call, read_records

_PREFIX: Final = "chunkana-record:"  # precedes the document id in the node id of a record
_NAMESPACE: Final = "chunkana_records"


class DocstoreRecords:
    """Records in a document store, which may contain other nodes too."""

    def __init__(self, store: BaseDocumentStore) -> None:
        self._store = store

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents that have a record."""
        store = self._store
        hashes = yield from call(store.get_all_document_hashes, store.aget_all_document_hashes)
        return [name.removeprefix(_PREFIX) for name in hashes.values() if name.startswith(_PREFIX)]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents; documents without a record are omitted."""
        nodes = yield from call(self._nodes, self._anodes, names)
        pairs = zip(names, nodes, strict=True)
        return read_records({n: (text_of(node), None) for n, node in pairs if node is not None})

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Add or replace records, and delete the records of `deleted`."""
        store = self._store
        nodes = [TextNode(id_=_PREFIX + rec.document_id, text=rec.to_json()) for rec in records]
        yield from call(store.add_documents, store.async_add_documents, nodes)
        for name in deleted:
            delete, adelete = store.delete_document, store.adelete_document
            yield from call(delete, adelete, _PREFIX + name, raise_error=False)

    def _nodes(self, names: Sequence[str]) -> list[BaseNode | None]:
        return [self._store.get_document(_PREFIX + name, raise_error=False) for name in names]

    async def _anodes(self, names: Sequence[str]) -> list[BaseNode | None]:
        get = self._store.aget_document
        return [*await asyncio.gather(*[get(_PREFIX + n, raise_error=False) for n in names])]


def record_store(store: object) -> DocstoreRecords | None:
    """Return the records in the caller's store, None if there is no store.

    Raises:
        ConfigurationError: if it is neither a document store nor a key-value store.
    """
    if store is None:
        return None
    if isinstance(store, BaseKVStore):
        store = KVDocumentStore(store, _NAMESPACE)
    if isinstance(store, BaseDocumentStore):
        return DocstoreRecords(store)
    allowed = "a document store or key-value store of LlamaIndex's, or None"
    raise ConfigurationError("docstore", store, allowed)
