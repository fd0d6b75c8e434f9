"""Records of documents in a document store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from langchain_core.documents import Document
from langchain_core.stores import BaseStore

from chunkana_langchain import keys
from chunkana_retrieval.indexing import DocumentRecord, read_records

_PREFIX = "chunkana/records"
_END = ".record"  # of a key, so that none is a folder of another
_PART = 200  # characters between the slashes of a key, since names of files are limited
_DAMAGE = (LookupError, NotImplementedError, TypeError, ValueError)  # what stores raise for it


class StoredRecords:
    """Records in a document store: a document with the text, and the rest in its metadata."""

    def __init__(self, store: BaseStore[str, Document]) -> None:
        self._store = store

    def names(self) -> list[str]:
        """Return the ids of all documents."""
        return [*_names(self._store.yield_keys(prefix=_PREFIX))]

    async def anames(self) -> list[str]:
        """Return the ids of all documents."""
        return [*_names([key async for key in self._store.ayield_keys(prefix=_PREFIX)])]

    def read(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        found = [*map(_key, names)]
        try:
            stored = self._store.mget(found)
        except _DAMAGE:
            stored = [self._read_one(key) for key in found]
        return _records(names, stored)

    async def aread(self, names: Sequence[str]) -> list[DocumentRecord]:
        """Return the records of documents, without those that there are none of."""
        found = [*map(_key, names)]
        try:
            stored = await self._store.amget(found)
        except _DAMAGE:
            stored = [await self._aread_one(key) for key in found]
        return _records(names, stored)

    def write(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        if written := [*map(_stored, records)]:
            self._store.mset(written)
        if gone := [*map(_key, deleted)]:
            self._store.mdelete(gone)

    async def awrite(self, records: Iterable[DocumentRecord], deleted: Iterable[str]) -> None:
        """Put records in place of those of the same documents, and delete others."""
        if written := [*map(_stored, records)]:
            await self._store.amset(written)
        if gone := [*map(_key, deleted)]:
            await self._store.amdelete(gone)

    def _read_one(self, key: str) -> Document | None:
        try:
            return self._store.mget([key])[0]
        except _DAMAGE:
            return Document(page_content="")

    async def _aread_one(self, key: str) -> Document | None:
        try:
            return (await self._store.amget([key]))[0]
        except _DAMAGE:
            return Document(page_content="")


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
