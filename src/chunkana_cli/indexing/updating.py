"""Bring an index up to date with files, of which those with the same size and time are not read."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from time import time_ns
from typing import NamedTuple

from msgspec import MsgspecError, msgpack, structs

from chunkana_cli.inputs.batch import Batch, Document
from chunkana_cli.inputs.files import STANDARD_INPUT, escape_name
from chunkana_cli.output.output import progress_bar
from chunkana_cli.output.replacing import open_replacing
from chunkana_cli.streams import fail
from chunkana_core import ChunkConfig, Chunker, Context, HierarchicalChunkingResult
from chunkana_retrieval import Index, UpdateReport
from chunkana_retrieval.index import (
    DocumentRecord,
    Embedder,
    SourceDocuments,
    describe_chunker,
    fingerprint,
    record_document,
)

_FILE = "files.msgpack"  # beside the database
_BATCH = 128  # documents that appear together
_RECENT = 2_000_000_000  # nanoseconds in which a file may change again and keep its time
_OTHER_OPTIONS = "nothing is indexed: with other options than before, all files are needed"


class FileState(NamedTuple):
    """A file when it was indexed.

    Attributes:
        size: its size in bytes.
        changed: when it was changed, in nanoseconds since 1970.
        fingerprint: the fingerprint of its document.
    """

    size: int
    changed: int
    fingerprint: str


@dataclass(slots=True)
class FileUpdate:
    """An update of an index to the files of a batch.

    Attributes:
        index: the index, whose documents are those of the files alone.
        batch: the files.
        config: the chunking options.
        workers: the number of processes, 0 for one for each processor.
        embedder: the embedding model, None for words alone.
        reads_all: whether to read files whose size and time are as they were.
    """

    index: Index
    batch: Batch
    config: ChunkConfig
    workers: int = 1
    embedder: Embedder | None = None
    reads_all: bool = False
    _options: str = field(init=False)
    _stored: Mapping[str, str] = field(init=False)
    _fingerprints: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Describe the options, and read what is in the index."""
        chunker = describe_chunker(Chunker(self.config, Context()))
        self._options = json.dumps([chunker, self.batch.input_format, self.batch.encoding])
        self._stored = self.index.fingerprints()

    def run(self) -> Counter[str]:
        """Index new and changed files, delete documents whose files are gone; return their numbers.

        A file that cannot be read or chunked is reported, and its document stays as it was, and so
        do those in folders that cannot be read. If a named file or folder is missing, no document
        is deleted. The documents appear in batches, so that the next run continues one that was
        killed. If the options differ from those of the index, they appear at once, and documents
        whose files cannot be read are deleted.

        Returns:
            The numbers of documents that were "added", "changed" and "deleted".
        """
        self.index.require_model(self.embedder, is_updated=True)
        names = {_id_of(name): name for name in self.batch.names}
        started = time_ns()
        stats = {one: _stat(name) for one, name in names.items() if name != STANDARD_INPUT}
        has_missing = None in stats.values()
        others = [one for one in self._stored if one not in names]
        has_all = not self.batch.failures  # otherwise a folder was not read, or a link is broken
        gone = [] if has_missing else [one for one in others if has_all or not _may_exist(one)]
        self._fingerprints = dict(self._unchanged(stats))
        changed = [name for one, name in names.items() if one not in self._fingerprints]
        reports = [*self._update(changed, is_complete=gone == others and not has_missing)]
        if gone:
            reports.append(self._write([], deleted=gone))
        self._write_states(stats, started - _RECENT)
        kinds = ("added", "changed", "deleted")
        return Counter({
            kind: sum(len(getattr(report, kind)) for report in reports) for kind in kinds
        })  # fmt: skip

    def _unchanged(self, stats: Mapping[str, tuple[int, int] | None]) -> Iterator[tuple[str, str]]:
        """Yield the ids and fingerprints of documents whose files are as they were indexed."""
        is_same = self.index.chunking == self._options
        for one, known in self._read_states().items() if is_same and not self.reads_all else ():
            if self._stored.get(one) == known.fingerprint and stats.get(one) == known[:2]:
                yield one, known.fingerprint

    def _update(self, names: list[str], *, is_complete: bool) -> Iterator[UpdateReport]:
        """Index files if their texts have changed, and yield a report for each batch of them."""
        is_same = self.index.chunking in {"", self._options}
        if not (is_same or is_complete):
            fail(_OTHER_OPTIONS)
        with progress_bar(len(names)) as progress:
            chunked = self.batch.chunk(
                self.config,
                self.workers,
                _record,
                progress,
                context=Context(),
                documents=self._changed(names),
            )
            records = (
                structs.replace(one, fingerprint=self._fingerprints[one.document_id])
                for one in chunked
            )
            while some := [*islice(records, _BATCH if is_same else None)]:
                yield self._write(some, deletes_others=not is_same)

    def _changed(self, names: list[str]) -> Iterator[Document]:
        """Read files, and yield those whose texts are not those of the index."""
        for document in self.batch.documents(names):
            one = _id_of(document.name)
            self._fingerprints[one] = fingerprint(one, document.text, {}, self._options)
            if self._stored.get(one) != self._fingerprints[one]:
                yield document

    def _write(
        self,
        records: Iterable[DocumentRecord],
        *,
        deleted: Iterable[str] = (),
        deletes_others: bool = False,
    ) -> UpdateReport:
        """Write documents to the index, and delete others."""
        by_id = {one.document_id: one for one in records}
        fingerprints = {one: record.fingerprint for one, record in by_id.items()}
        options = self._options if by_id else ""
        return self.index.update_sources(
            SourceDocuments(fingerprints, by_id.__getitem__, options),
            embedder=self.embedder,
            deleted=deleted,
            delete_missing=deletes_others,
        )

    def _read_states(self) -> dict[str, FileState]:
        """Return the states of files by document id; none if the file of them cannot be read."""
        if self.index.folder is None:
            return {}
        try:
            data = (self.index.folder / _FILE).read_bytes()
            return msgpack.decode(data, type=dict[str, FileState])
        except (OSError, MsgspecError):
            return {}

    def _write_states(self, stats: Mapping[str, tuple[int, int] | None], before: int) -> None:
        """Write the states of files that were changed before a time, in nanoseconds."""
        states = {
            one: FileState(*found, self._fingerprints[one]) for one, found in stats.items()
            if found and one in self._fingerprints and found[1] < before
        }  # fmt: skip
        if self.index.folder and states != self._read_states():
            with open_replacing(self.index.folder / _FILE) as file:
                file.write(msgpack.encode(states))


def _id_of(name: str) -> str:
    """Return the id of the document of a file."""
    return escape_name(name).removeprefix("./")


def _stat(name: str) -> tuple[int, int] | None:
    """Return the size of a file and when it was changed, None for what is no file."""
    try:
        found = os.stat(name)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _may_exist(name: str) -> bool:
    """Return whether there is a file, or a folder on the way to it cannot be read."""
    try:
        os.lstat(name)
    except OSError as error:
        return not isinstance(error, FileNotFoundError | NotADirectoryError)
    return True


def _record(name: str, result: HierarchicalChunkingResult) -> DocumentRecord:
    """Return the record of a document, without its fingerprint."""
    return record_document(_id_of(name), result, {}, "")
