"""Snapshots: everything that an index keeps in memory, saved in one file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from chunkana_retrieval.errors import IndexFileError
from chunkana_retrieval.files import (
    digest_of,
    read_index_file,
    require_digest,
    write_index_file,
)
from chunkana_retrieval.indexing.records import DocumentRecord
from chunkana_retrieval.lexical.index import LexicalIndex

_FILE = "chunkana_index.bin"
_NO_INDEX = (
    f"no {_FILE}, the file of an index, is in this folder; from_documents(documents, …, "
    "folder=…) makes one"
)
_KIND = "index"
_FORMAT = 1
_RECORDS, _WORDS = "records.jsonl", "words.npz"
_VECTORS, _NUMBERS = "vectors.json", "vectors.bin"


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    """The saved parts of an index; None for a part that is in a store of the caller's.

    Attributes:
        records: the records of the documents.
        vectors: the vectors of the leaves, by leaf id.
        lexical: the index of words.
        digest: the digest of the file from which the snapshot was loaded, "" for none.
    """

    records: Sequence[DocumentRecord] | None
    vectors: Mapping[str, Sequence[float]] | None
    lexical: LexicalIndex | None
    digest: str = field(default="", compare=False)

    def save(self, folder: str | Path, replaces: str = "") -> str:
        """Write the snapshot to the index file in a folder, atomically.

        Args:
            folder: the folder of the file.
            replaces: the digest of the file that may be replaced; "" for any file.

        Returns:
            The digest of the file, the same for the same index.

        Raises:
            IndexFileError: if the existing file has another digest; it is not changed.
            OSError: if the file cannot be written; an existing file is not changed.
        """
        content = BytesIO()
        with ZipFile(content, "w") as archive:
            if self.records is not None:
                lines = "\n".join([record.to_json() for record in self.records])
                archive.writestr(ZipInfo(_RECORDS), lines)
            if self.vectors is not None:
                _write_vectors(archive, self.vectors)
            if self.lexical is not None:
                archive.writestr(ZipInfo(_WORDS), bytes(self.lexical.to_bytes()))
        path = Path(folder, _FILE)
        return write_index_file(path, _KIND, _FORMAT, content.getbuffer(), replaces)

    @classmethod
    def load(cls, folder: str | Path) -> IndexSnapshot:
        """Read the snapshot that `save` wrote to a folder.

        Raises:
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if the file cannot be read.
        """
        path = Path(folder, _FILE)
        try:
            data = read_index_file(path, _KIND, _FORMAT)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise type(error)(error.errno, _NO_INDEX, str(folder)) from error
        try:
            with ZipFile(BytesIO(data)) as archive:
                names = set(archive.namelist())
                written = archive.read(_RECORDS).decode() if _RECORDS in names else None
                words = archive.read(_WORDS) if _WORDS in names else None
                return cls(
                    None if written is None else _records(written),
                    _read_vectors(archive) if _VECTORS in names else None,
                    None if words is None else LexicalIndex.from_bytes(words),
                    digest_of(data),
                )
        except (BadZipFile, KeyError, TypeError, ValueError) as error:
            reason = "is damaged; index the documents again"
            raise IndexFileError(str(path), reason) from error


class IndexFile:
    """The index file in a folder; saving never overwrites the changes of another writer.

    Attributes:
        folder: the folder of the file.
        digest: the digest of the file when this object last read or wrote it; "" before that, when
            any existing file may be replaced.
    """

    def __init__(self, folder: str | Path, digest: str = "") -> None:
        self.folder, self.digest = Path(folder), digest

    def require_latest(self) -> None:
        """Raise an IndexFileError if another writer has replaced the file since the last access."""
        require_digest(self.folder / _FILE, self.digest)

    def save(self, snapshot: IndexSnapshot) -> None:
        """Write a snapshot to the file unless another writer has replaced the file.

        Raises:
            IndexFileError: if another writer has replaced the file; it is not changed.
            OSError: if the file cannot be written; an existing file is not changed.
        """
        self.digest = snapshot.save(self.folder, self.digest)


def _records(written: str) -> list[DocumentRecord]:
    return [DocumentRecord.from_json(line) for line in written.split("\n") if line]


def _write_vectors(archive: ZipFile, vectors: Mapping[str, Sequence[float]]) -> None:
    """Write the vectors: ids and lengths as JSON, all numbers as one array of doubles."""
    numbers = array("d")
    for vector in vectors.values():
        numbers.extend(vector)
    counts = [len(vector) for vector in vectors.values()]
    archive.writestr(ZipInfo(_VECTORS), json.dumps({"ids": [*vectors], "counts": counts}))
    archive.writestr(ZipInfo(_NUMBERS), numbers.tobytes())


def _read_vectors(archive: ZipFile) -> dict[str, list[float]]:
    described = json.loads(archive.read(_VECTORS))
    numbers = array("d", archive.read(_NUMBERS))
    if min(described["counts"], default=0) < 0 or sum(described["counts"]) != len(numbers):
        raise ValueError("the lengths of the vectors do not add up to the count of their numbers")
    vectors, start = dict[str, list[float]](), 0
    for name, count in zip(described["ids"], described["counts"], strict=True):
        vectors[name] = numbers[start : start + count].tolist()
        start += count
    return vectors
