"""Updates of an index that leave it consistent at every moment, even if they are interrupted.

Results are made from records; a vector store only returns ids of leaves. So new leaves are added
first, then records are replaced, and old leaves are deleted last. Meanwhile the record contains the
ids of the leaves that may be left over. After an interruption, searches find each document as it
was before or after the update, the record contains which, and the next update repairs the index.
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
_SHOWN_IDS = 3  # document ids in the printed form of a report
_NO_DOCUMENTS = (
    "False if no documents are given, as from an empty folder or a wrong pattern; "
    "`delete(document_ids())` of the retriever deletes all documents"
)


@dataclass(frozen=True, slots=True, repr=False)
class UpdateReport:
    """The result of an update; the printed form contains counts and the first document ids.

    Attributes:
        added: the ids of documents that are new in the index.
        changed: the ids of documents that were indexed again.
        deleted: the ids of documents that were deleted.
        unchanged: the ids of documents that were skipped because they did not change.
        mended: the ids of documents whose earlier update was not finished, with the state in which
            searches found them: "before" or "after" that update.
        leaves_added: the number of leaves added to the vector store.
        leaves_deleted: the number of leaves deleted from the vector store.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    mended: dict[str, Unfinished] = field(default_factory=dict)
    leaves_added: int = 0
    leaves_deleted: int = 0

    def __repr__(self) -> str:
        """Return the counts of documents and leaves, and the first ids of each kind of change."""
        done = {name: getattr(self, name) for name in ("added", "changed", "deleted", "mended")}
        documents = (f"{len(names)} {name}{_first(names)}" for name, names in done.items())
        unchanged = f"{len(self.unchanged)} unchanged"
        leaves = f"leaves: {self.leaves_added} added, {self.leaves_deleted} deleted"
        return f"<UpdateReport: {', '.join([*documents, unchanged])}; {leaves}>"


def _first(names: Iterable[str]) -> str:
    """Return the first names in brackets, "" for no names."""
    given = [*names]
    shown = [repr(name) for name in given[:_SHOWN_IDS]]
    more = ["…"] if len(given) > _SHOWN_IDS else []
    return f" ({', '.join(shown + more)})" if given else ""


def require_documents_left(document_ids: Collection[str]) -> None:
    """Raise a ConfigurationError if deleting missing documents would delete all documents."""
    if not document_ids:
        raise ConfigurationError("delete_missing", value=True, allowed=_NO_DOCUMENTS)


@dataclass(frozen=True, slots=True)
class SourceDocuments:
    """The current documents of an adapter, by their ids.

    Attributes:
        fingerprints: the fingerprints of the documents by id.
        record: chunks the document with an id and returns its record; called only for new and
            changed documents.
    """

    fingerprints: Mapping[str, str]
    record: Callable[[str], DocumentRecord]


@dataclass(frozen=True, slots=True)
class Update(Generic[Asked]):
    """An update of an index to the current documents.

    Attributes:
        documents: the current documents.
        stores: the stores of the index.
        batch_size: the number of documents that are changed together.
    """

    documents: SourceDocuments
    stores: IndexStores[Asked]
    batch_size: int

    def steps(
        self, deleted: Iterable[str] = (), *, delete_missing: bool = False
    ) -> Procedure[UpdateReport]:
        """Update the stores and return a report.

        Args:
            deleted: the ids of documents to delete; unknown ids are ignored.
            delete_missing: whether to delete all documents that are not among the current ones.

        Raises:
            ConfigurationError: if `delete_missing` would delete all documents.
        """
        current = self.documents.fingerprints
        if delete_missing:
            require_documents_left(current)
            deleted = yield from self.stores.records.names()
        missing = (name for name in dict.fromkeys(deleted) if name not in current)
        names, report = [*current, *missing], UpdateReport()
        for start in range(0, len(names), self.batch_size):
            report = yield from self._batch(names[start : start + self.batch_size], report)
        return report

    def _batch(self, names: Sequence[str], report: UpdateReport) -> Procedure[UpdateReport]:
        """Update one batch of documents and return the report with their changes."""
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
            yield from stores.write([change.record_before for change in changes if change.added])
            yield from stores.add(added)
        removed = [name for change in changes for name in change.removed]
        if removed:
            yield from stores.write([change.record_after for change in changes])
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
        """Add a document to the report, and return its change, None if it is unchanged."""
        if before and before.unfinished:
            report.mended[name] = before.unfinished
        is_indexed = before is not None and bool(before.fingerprint)
        fingerprint = self.documents.fingerprints.get(name)
        if fingerprint is None:
            if is_indexed:
                report.deleted.append(name)
            return _Change.of(name, before, None) if before else None
        if before and before.fingerprint == fingerprint:
            report.unchanged.append(name)
            mended = replace(before, leftover=(), unfinished="")
            return _Change.of(name, before, mended) if before.unfinished else None
        (report.changed if is_indexed else report.added).append(name)
        return _Change.of(name, before, self.documents.record(name))


@dataclass(frozen=True, slots=True)
class _Change:
    """The change of one document by an update.

    Attributes:
        name: the id of the document.
        before: the record before the update, None if the document was not in the index.
        after: the record after the update, None if the document is deleted.
        leftover: the ids of leaves that an unfinished update left.
        added: the new leaves with their document.
        removed: the ids of the leaves to delete.
    """

    name: str
    before: DocumentRecord | None
    after: DocumentRecord | None
    leftover: Sequence[str]
    added: Sequence[Leaf]
    removed: Sequence[str]

    @classmethod
    def of(cls, name: str, before: DocumentRecord | None, after: DocumentRecord | None) -> _Change:
        """Compare the leaves of a document before and after the update."""
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
    def record_before(self) -> DocumentRecord:
        """The old record, marked with the ids of the leaves that are being added."""
        ids = tuple([leaf.leaf_id for _, leaf in self.added])
        return replace(self.before or self._empty, leftover=ids, unfinished="before")

    @property
    def record_after(self) -> DocumentRecord:
        """The new record, marked with the ids of the leaves that are being deleted."""
        removed = tuple(self.removed)
        return replace(self.after or self._empty, leftover=removed, unfinished="after")

    @property
    def _empty(self) -> DocumentRecord:
        """An empty record, for a document that is not in the index."""
        return DocumentRecord(self.name, "", {}, "")
