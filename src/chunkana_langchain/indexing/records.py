"""The store of records over a LangChain document store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from chunkana_langchain import keys
from chunkana_retrieval.indexing import DocumentRecord, Procedure, call, read_records

_PREFIX = "chunkana/records"
_END = ".record"  # the suffix of every key, so that no key is a folder of another key
_PART = 200  # characters between the slashes of a key, since file names are limited in length
_DAMAGE = (LookupError, NotImplementedError, TypeError, ValueError)  # raised for damaged documents


class StoredRecords:
    """A store of records in a document store.

    A record is stored as a document with the text; the other fields are JSON in its metadata.
    """

    def __init__(self, store: BaseStore[str, Document]) -> None:
        self._store = store

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents that have a record."""
        return [*_names((yield from call(self._keys, self._akeys)))]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents by their ids; ids without a record are skipped."""
        record_keys, store = [*map(_key, names)], self._store
        try:
            stored = yield from call(store.mget, store.amget, record_keys, expected=_DAMAGE)
        except _DAMAGE:
            stored = []
            for key in record_keys:
                stored.append((yield from self._read_one(key)))
        return _records(names, stored)

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Write records, replacing those of the same documents, and delete others by their ids."""
        store = self._store
        if items := [*map(_item, records)]:
            yield from call(store.mset, store.amset, items)
        if deleted_keys := [*map(_key, deleted)]:
            yield from call(store.mdelete, store.amdelete, deleted_keys)

    def _read_one(self, key: str) -> Procedure[Document | None]:
        """Return the document stored under a key, an empty document if it is damaged."""
        store = self._store
        try:
            (stored,) = yield from call(store.mget, store.amget, [key], expected=_DAMAGE)
        except _DAMAGE:
            return Document(page_content="")
        return stored

    def _keys(self) -> list[str]:
        return [*self._store.yield_keys(prefix=_PREFIX)]

    async def _akeys(self) -> list[str]:
        return [key async for key in self._store.ayield_keys(prefix=_PREFIX)]


def _key(document_id: str) -> str:
    """Return the key of a document's record: the id in hexadecimal, divided by slashes."""
    digits = document_id.encode("utf-8", "surrogatepass").hex()
    parts = [digits[start : start + _PART] for start in range(0, len(digits), _PART)]
    return "/".join([_PREFIX, *parts]) + _END


def _names(stored_keys: Iterable[str]) -> Iterator[str]:
    """Yield the document ids of record keys; other keys are skipped."""
    for key in stored_keys:
        digits = key.replace("\\", "/").removeprefix(f"{_PREFIX}/").removesuffix(_END)
        try:
            name = bytes.fromhex(digits.replace("/", "")).decode("utf-8", "surrogatepass")
        except ValueError:
            continue
        if _key(name) == key.replace("\\", "/"):
            yield name


def _item(record: DocumentRecord) -> tuple[str, Document]:
    """Return the key of a record and the document to store."""
    metadata = {
        keys.DOCUMENT_ID: record.document_id,
        keys.RECORD: record.to_json(with_text=False),
    }
    return _key(record.document_id), Document(page_content=record.text, metadata=metadata)


def _records(names: Sequence[str], stored: Sequence[Document | None]) -> list[DocumentRecord]:
    known = zip(names, stored, strict=True)
    return read_records(
        {
            name: (str(document.metadata.get(keys.RECORD, "")), document.page_content)
            for name, document in known
            if document is not None
        }
    )
