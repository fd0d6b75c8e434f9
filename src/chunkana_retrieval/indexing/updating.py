"""An index brought to today's documents, so that it answers truly at every moment.

Records are what answers are made of, and vector stores only propose leaves. So new leaves are
added first, then records are replaced, and old leaves are deleted last. Meanwhile a record names
the leaves that may be left over: who ends half-way leaves an index that answers as before or as
after, that says which, and that the next update mends.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from msgspec.structs import replace

from chunkana_core import ConfigurationError
from chunkana_retrieval.indexing.calls import Procedure
from chunkana_retrieval.indexing.index_stores import IndexStores
from chunkana_retrieval.indexing.records import DocumentRecord, Unfinished
from chunkana_retrieval.indexing.stores import Leaf

Asked = TypeVar("Asked")
_SHOWN = 3  # ids of documents in what is printed of a report
_NOT_ALL = (
    "False where no documents are given, as of an empty folder or a wrong pattern; "
    "`delete(document_ids())` of the retriever deletes all documents"
)


@dataclass(frozen=True, slots=True, repr=False)
class UpdateReport:
    """What an update did; printed, how many documents that were, and the first few of them.

    Attributes:
        added: the ids of documents that are new in the index.
        changed: of those that were indexed anew.
        deleted: of those that were deleted.
        unchanged: of those that stayed as they were, and cost nothing.
        mended: of those of which an earlier update was not finished, and whether the index
            answered as "before" or as "after" that.
        leaves_added: how many leaves went into the vector store.
        leaves_deleted: how many leaves of today's or earlier documents were deleted there.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    mended: dict[str, Unfinished] = field(default_factory=dict)
    leaves_added: int = 0
    leaves_deleted: int = 0

    def __repr__(self) -> str:
        """Return the counts, and the first ids of what was done."""
        done = {name: getattr(self, name) for name in ("added", "changed", "deleted", "mended")}
        documents = (f"{len(names)} {name}{_first(names)}" for name, names in done.items())
        unchanged = f"{len(self.unchanged)} unchanged"
        leaves = f"leaves: {self.leaves_added} added, {self.leaves_deleted} deleted"
        return f"<UpdateReport: {', '.join([*documents, unchanged])}; {leaves}>"


def _first(names: Iterable[str]) -> str:
    """Return the first of some names in brackets, "" for none."""
    given = [*names]
    shown = [repr(name) for name in given[:_SHOWN]]
    more = ["…"] if len(given) > _SHOWN else []
    return f" ({', '.join(shown + more)})" if given else ""


def require_documents_left(document_ids: Collection[str]) -> None:
    """Raise a ConfigurationError if there are no documents to keep while others are deleted."""
    if not document_ids:
        raise ConfigurationError("delete_missing", value=True, allowed=_NOT_ALL)


@dataclass(frozen=True, slots=True)
class SourceDocuments:
    """Today's documents, in a framework's type.

    Attributes:
        fingerprints: of the documents, by their ids.
        record: indexes the document of an id; asked only for those that changed.
    """

    fingerprints: Mapping[str, str]
    record: Callable[[str], DocumentRecord]


@dataclass(frozen=True, slots=True)
class Update(Generic[Asked]):
    """Brings an index to today's documents.

    Attributes:
        documents: today's.
        stores: of the index.
        batch_size: how many documents are changed together.
    """

    documents: SourceDocuments
    stores: IndexStores[Asked]
    batch_size: int

    def steps(
        self, deleted: Iterable[str] = (), *, delete_missing: bool = False
    ) -> Procedure[UpdateReport]:
        """Bring the stores to today's documents; return what was done.

        Args:
            deleted: ids of documents to delete; what is not in the index is no error.
            delete_missing: whether all documents are deleted that are not among today's.

        Raises:
            ConfigurationError: where these would be all.
        """
        today = self.documents.fingerprints
        if delete_missing:
            require_documents_left(today)
            deleted = yield from self.stores.records.names()
        missing = (name for name in dict.fromkeys(deleted) if name not in today)
        names, report = [*today, *missing], UpdateReport()
        for start in range(0, len(names), self.batch_size):
            report = yield from self._batch(names[start : start + self.batch_size], report)
        return report

    def _batch(self, names: Sequence[str], report: UpdateReport) -> Procedure[UpdateReport]:
        """Change some documents."""
        stored = yield from self.stores.records.read(names)
        before = {record.document_id: record for record in stored}
        changes = [*filter(None, (self._change(name, before.get(name), report) for name in names))]
        if not changes:
            return report
        stores, lexical = self.stores, self.stores.lexical
        leftover = [name for change in changes for name in change.leftover]
        yield from stores.delete(leftover)
        added = [leaf for change in changes for leaf in change.added]
        if added:
            yield from stores.write([change.begun for change in changes if change.added])
            yield from stores.add(added)
        removed = [name for change in changes for name in change.removed]
        if removed:
            yield from stores.write([change.replaced for change in changes])
        if lexical is not None:
            lexical.replace({c.name: [*c.after.entries()] if c.after else [] for c in changes})
        yield from stores.delete(removed)
        finished = [change.after for change in changes if change.after]
        yield from stores.write(finished, [change.name for change in changes if not change.after])
        return UpdateReport(
            report.added,
            report.changed,
            report.deleted,
            report.unchanged,
            report.mended,
            report.leaves_added + len(added),
            report.leaves_deleted + len(removed) + len(leftover),
        )

    def _change(
        self, name: str, before: DocumentRecord | None, report: UpdateReport
    ) -> _Change | None:
        """Return what changes of a document, None for nothing; say so in the report."""
        if before and before.unfinished:
            report.mended[name] = before.unfinished
        is_indexed = before is not None and bool(before.fingerprint)
        today = self.documents.fingerprints.get(name)
        if today is None:
            if is_indexed:
                report.deleted.append(name)
            return _Change.of(name, before, None) if before else None
        if before and before.fingerprint == today:
            report.unchanged.append(name)
            kept = replace(before, leftover=(), unfinished="")
            return _Change.of(name, before, kept) if before.unfinished else None
        (report.changed if is_indexed else report.added).append(name)
        return _Change.of(name, before, self.documents.record(name))


@dataclass(frozen=True, slots=True)
class _Change:
    """A document before and after an update, None where it is not in the index.

    Attributes:
        name: its id.
        before: what the index knows of it.
        after: what it will know.
        leftover: the ids of leaves that an unfinished update left.
        added: the leaves that are new, with their document.
        removed: the ids of the leaves that are gone.
    """

    name: str
    before: DocumentRecord | None
    after: DocumentRecord | None
    leftover: Sequence[str]
    added: Sequence[Leaf]
    removed: Sequence[str]

    @classmethod
    def of(cls, name: str, before: DocumentRecord | None, after: DocumentRecord | None) -> _Change:
        """Compare a document's leaves before and after."""
        old = {leaf.leaf_id: None for leaf in before.leaves} if before else {}
        new = {leaf.leaf_id: (after, leaf) for leaf in after.leaves} if after else {}
        leftover = before.leftover if before else ()
        return cls(
            name,
            before,
            after,
            [leaf_id for leaf_id in leftover if leaf_id not in old],
            [leaf for leaf_id, leaf in new.items() if leaf_id not in old],
            [leaf_id for leaf_id in old if leaf_id not in new],
        )

    @property
    def begun(self) -> DocumentRecord:
        """The record as before, which names what is being added."""
        ids = tuple([leaf.leaf_id for _, leaf in self.added])
        return replace(self.before or self._empty, leftover=ids, unfinished="before")

    @property
    def replaced(self) -> DocumentRecord:
        """The record as after, which names what is to be deleted."""
        removed = tuple(self.removed)
        return replace(self.after or self._empty, leftover=removed, unfinished="after")

    @property
    def _empty(self) -> DocumentRecord:
        """A record of a document that is not in the index."""
        return DocumentRecord(self.name, "", {}, "")
