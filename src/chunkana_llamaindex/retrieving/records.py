"""Records of documents, in memory or in LlamaIndex's stores: one entry for each document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from llama_index.core.schema import BaseNode, MetadataMode, TextNode
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.retrieving.documents import passage_template
from chunkana_llamaindex.warning import warn
from chunkana_retrieval.indexing import DocumentRecord, MemoryRecords, RecordStore, damaged_record

_PREFIX: Final = "chunkana-record:"  # of the names of records in a store of nodes
_COLLECTION: Final = "chunkana_records"


class DocstoreRecords:
    """Keeps records in a document store, as nodes whose texts they are."""

    def __init__(self, store: BaseDocumentStore) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        return _names(self._store.get_all_document_hashes().values())

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        nodes = [self._store.get_document(_PREFIX + name, raise_error=False) for name in names]
        return _decoded(names, [_content(node) for node in nodes])

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
        nodes = await asyncio.gather(*[get(_PREFIX + name, raise_error=False) for name in names])
        return _decoded(names, [_content(node) for node in nodes])

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        await self._store.async_add_documents([*map(_node, records)])
        for name in deleted:
            await self._store.adelete_document(_PREFIX + name, raise_error=False)


class KVRecords:
    """Keeps records in a key-value store, in a collection of their own."""

    def __init__(self, store: BaseKVStore) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        return _names(self._store.get_all(_COLLECTION))

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        values = [self._store.get(_PREFIX + name, _COLLECTION) for name in names]
        return _decoded(names, [_value(value) for value in values])

    def write(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        for record in records:
            value = {"record": record.to_json()}
            self._store.put(_PREFIX + record.document_id, value, _COLLECTION)
        for name in deleted:
            self._store.delete(_PREFIX + name, _COLLECTION)

    async def anames(self) -> list[str]:
        """Return the ids of all documents."""
        return _names(await self._store.aget_all(_COLLECTION))

    async def aread(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        get = self._store.aget
        values = await asyncio.gather(*[get(_PREFIX + name, _COLLECTION) for name in names])
        return _decoded(names, [_value(value) for value in values])

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        for record in records:
            value = {"record": record.to_json()}
            await self._store.aput(_PREFIX + record.document_id, value, _COLLECTION)
        for name in deleted:
            await self._store.adelete(_PREFIX + name, _COLLECTION)


def record_store(store: object) -> RecordStore:
    """Return what keeps records in a store of the caller's, or in memory for None.

    Raises:
        ConfigurationError: for what is no such store.
    """
    if store is None:
        return MemoryRecords()
    if isinstance(store, BaseDocumentStore):
        return DocstoreRecords(store)
    if isinstance(store, BaseKVStore):
        return KVRecords(store)
    allowed = "a document store or key-value store of LlamaIndex's, or None"
    raise ConfigurationError("docstore", store, allowed)


def _names(keys: Iterable[str]) -> list[str]:
    return [key.removeprefix(_PREFIX) for key in keys if key.startswith(_PREFIX)]


def _node(record: DocumentRecord) -> TextNode:
    return TextNode(id_=_PREFIX + record.document_id, text=record.to_json())


def _content(node: BaseNode | None) -> str | None:
    return None if node is None else node.get_content(MetadataMode.NONE)


def _value(value: object) -> str | None:
    """Return what is written in an entry of a key-value store, None for none."""
    if value is None:
        return None
    return str(value.get("record", "")) if isinstance(value, dict) else ""


def _decoded(names: Sequence[str], written: Sequence[str | None]) -> list[DocumentRecord]:
    """Return records as they are written; of one that is damaged, what leaves may be left."""
    known = [(name, text) for name, text in zip(names, written, strict=True) if text is not None]
    return [_record(name, text) for name, text in known]


def _record(name: str, written: str) -> DocumentRecord:
    try:
        record = DocumentRecord.from_json(written)
        passage_template(record)
    except (TypeError, ValueError):
        warn(f"the record of {name!r} is damaged; the next update with it indexes it anew")
        return damaged_record(name, written)
    return record
