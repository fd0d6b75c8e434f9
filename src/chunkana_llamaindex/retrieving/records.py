"""Records of documents in LlamaIndex's document stores: a node for each, whose text it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.parsing.origin import text_of
from chunkana_retrieval.indexing import DocumentRecord, Procedure, call, read_records

_PREFIX: Final = "chunkana-record:"  # of the names of records in a store of nodes
_NAMESPACE: Final = "chunkana_records"


class StoredRecords:
    """Keeps records in a document store, beside what else is there."""

    def __init__(self, store: BaseDocumentStore) -> None:
        self._store = store

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents."""
        store = self._store
        hashes = yield from call(store.get_all_document_hashes, store.aget_all_document_hashes)
        return [name.removeprefix(_PREFIX) for name in hashes.values() if name.startswith(_PREFIX)]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents, without those that there are none of."""
        nodes = yield from call(self._nodes, self._anodes, names)
        known = zip(names, nodes, strict=True)
        return read_records({n: (text_of(node), None) for n, node in known if node is not None})

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Put records in place of those of the same documents, and delete others."""
        store = self._store
        nodes = [TextNode(id_=_PREFIX + one.document_id, text=one.to_json()) for one in records]
        yield from call(store.add_documents, store.async_add_documents, nodes)
        for name in deleted:
            now, later = store.delete_document, store.adelete_document
            yield from call(now, later, _PREFIX + name, raise_error=False)

    def _nodes(self, names: Sequence[str]) -> list[BaseNode | None]:
        return [self._store.get_document(_PREFIX + name, raise_error=False) for name in names]

    async def _anodes(self, names: Sequence[str]) -> list[BaseNode | None]:
        get = self._store.aget_document
        return [*await asyncio.gather(*[get(_PREFIX + n, raise_error=False) for n in names])]


def record_store(store: object) -> StoredRecords | None:
    """Return what keeps records in a store of the caller's, None for none.

    Raises:
        ConfigurationError: for what is no such store.
    """
    if store is None:
        return None
    if isinstance(store, BaseKVStore):
        store = KVDocumentStore(store, _NAMESPACE)
    if isinstance(store, BaseDocumentStore):
        return StoredRecords(store)
    allowed = "a document store or key-value store of LlamaIndex's, or None"
    raise ConfigurationError("docstore", store, allowed)
