"""Records of documents in a document store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from chunkana_langchain import keys
from chunkana_retrieval.indexing import DocumentRecord, Procedure, call, read_records

_PREFIX = "chunkana/records"
_END = ".record"  # of a key, so that none is a folder of another
_PART = 200  # characters between the slashes of a key, since names of files are limited
_DAMAGE = (LookupError, NotImplementedError, TypeError, ValueError)  # what stores raise for it


class StoredRecords:
    """Records in a document store: a document with the text, and the rest in its metadata."""

    def __init__(self, store: BaseStore[str, Document]) -> None:
        self._store = store

    def names(self) -> Procedure[list[str]]:
        """Return the ids of all documents."""
        return [*_names((yield from call(self._keys, self._akeys)))]

    def read(self, names: Sequence[str]) -> Procedure[list[DocumentRecord]]:
        """Return the records of documents, without those that there are none of."""
        found, store = [*map(_key, names)], self._store
        try:
            stored = yield from call(store.mget, store.amget, found, expected=_DAMAGE)
        except _DAMAGE:
            stored = []
            for key in found:
                stored.append((yield from self._read_one(key)))
        return _records(names, stored)

    def write(self, records: Sequence[DocumentRecord], deleted: Sequence[str]) -> Procedure[None]:
        """Put records in place of those of the same documents, and delete others."""
        store = self._store
        if written := [*map(_stored, records)]:
            yield from call(store.mset, store.amset, written)
        if gone := [*map(_key, deleted)]:
            yield from call(store.mdelete, store.amdelete, gone)

    def _read_one(self, key: str) -> Procedure[Document | None]:
        """Return what is stored under a key, an empty document for what is damaged."""
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
    """Return the key of a record: letters, digits and slashes, from which the id can be read."""
    digits = document_id.encode("utf-8", "surrogatepass").hex()
    parts = [digits[start : start + _PART] for start in range(0, len(digits), _PART)]
    return "/".join([_PREFIX, *parts]) + _END


def _names(found: Iterable[str]) -> Iterator[str]:
    """Yield the ids of the documents of keys; other keys are left out."""
    for key in found:
        digits = key.replace("\\", "/").removeprefix(f"{_PREFIX}/").removesuffix(_END)
        try:
            name = bytes.fromhex(digits.replace("/", "")).decode("utf-8", "surrogatepass")
        except ValueError:
            continue
        if _key(name) == key.replace("\\", "/"):
            yield name


def _stored(record: DocumentRecord) -> tuple[str, Document]:
    """Return the key of a record and what is stored of it."""
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
