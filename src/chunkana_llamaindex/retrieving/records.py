"""Records of documents in LlamaIndex's document stores: a node for each, whose text it is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from llama_index.core.schema import BaseNode, TextNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.docstore.keyval_docstore import KVDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.parsing.origin import text_of
from chunkana_retrieval.indexing import DocumentRecord, read_records

_PREFIX: Final = "chunkana-record:"  # of the names of records in a store of nodes
_NAMESPACE: Final = "chunkana_records"


class StoredRecords:
    """Keeps records in a document store, beside what else is there."""

    def __init__(self, store: BaseDocumentStore) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        return _names(self._store.get_all_document_hashes().values())

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        nodes = [self._store.get_document(_PREFIX + name, raise_error=False) for name in names]
        return _records(names, nodes)

    def write(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        self._store.add_documents([*map(_node, records)])
        for name in deleted:
            self._store.delete_document(_PREFIX + name, raise_error=False)

    async def anames(self) -> list[str]:
        """Return the ids of all documents."""
        return _names((await self._store.aget_all_document_hashes()).values())

    async def aread(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        get = self._store.aget_document
        found = [get(_PREFIX + name, raise_error=False) for name in names]
        return _records(names, await asyncio.gather(*found))

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        await self._store.async_add_documents([*map(_node, records)])
        for name in deleted:
            await self._store.adelete_document(_PREFIX + name, raise_error=False)


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


def _names(keys: Iterable[str]) -> list[str]:
    return [key.removeprefix(_PREFIX) for key in keys if key.startswith(_PREFIX)]


def _node(record: DocumentRecord) -> TextNode:
    return TextNode(id_=_PREFIX + record.document_id, text=record.to_json())


def _records(names: Sequence[str], nodes: Sequence[BaseNode | None]) -> list[DocumentRecord]:
    known = zip(names, nodes, strict=True)
    return read_records({name: (text_of(node), None) for name, node in known if node is not None})
