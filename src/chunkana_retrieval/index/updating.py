"""Updates of an index: all documents of an update appear in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from chunkana_core import ChunkanaError, ConfigurationError
from chunkana_retrieval.index.documents import name_of
from chunkana_retrieval.index.embedding import NEW_INDEX, Embedder
from chunkana_retrieval.index.records import SourceDocuments
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import (
    DocumentRow,
    Tokenize,
    digest_of,
    split_digests,
)
from chunkana_retrieval.index.storage.database import Database
from chunkana_retrieval.index.storage.tables import Kind, State
from chunkana_retrieval.index.stores import LeafStore, add_leaves, delete_leaves

Progress = Callable[[int, int], None]
_BATCH = 256  # texts that are embedded together, and documents that are read together
_SHOWN_IDS = 3  # document ids in the printed form of a report
_NO_DOCUMENTS = (
    "False if no documents are given, as from an empty folder or a wrong pattern; "
    "to delete all documents, delete them by their ids"
)
# By kind of index, how an update is given its vectors, and what an index needs.
_USES: Mapping[Kind, tuple[str, str]] = {
    "words": (
        "without an embedding",
        "without an embedding and a vector store, since it has words alone",
    ),
    "vectors": ("with an embedding", "with the embedding that its vectors are by"),
    "store": ("with a vector store", "with the vector store that has its leaves"),
}


@dataclass(frozen=True, slots=True, repr=False)
class UpdateReport:
    """The result of an update; the printed form contains counts and the first document ids.

    Attributes:
        added: the ids of documents that are new in the index.
        changed: the ids of documents that were indexed again.
        deleted: the ids of documents that were deleted.
        unchanged: the ids of documents that were skipped because they did not change.
        failed: why documents could not be chunked, by id; if they were indexed before, searches
            find them as they were.
        leaves_added: the number of leaves that are new.
        leaves_deleted: the number of leaves that are gone.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    leaves_added: int = 0
    leaves_deleted: int = 0

    def __repr__(self) -> str:
        """Return the counts of documents and leaves, and the first ids of each kind of change."""
        kinds = ("added", "changed", "deleted", "failed", "unchanged")
        names = {kind: [*getattr(self, kind)] for kind in kinds}
        shown = [f"{len(one)} {kind}{_first(one)}" for kind, one in names.items() if one]
        counts = {"added": self.leaves_added, "deleted": self.leaves_deleted}
        leaves = [f"{count} {kind}" for kind, count in counts.items() if count]
        documents = ", ".join(shown) or "no documents"
        return f"<UpdateReport: {documents}; leaves: {', '.join(leaves) or 'no change'}>"


def _first(names: Iterable[str]) -> str:
    """Return the first names in brackets, "" for no names."""
    given = [*names]
    shown = [repr(name) for name in given[:_SHOWN_IDS]]
    more = ["…"] if len(given) > _SHOWN_IDS else []
    return f" ({', '.join(shown + more)})" if given else ""


def require_fitting(state: State, kind: Kind, embedder: Embedder | None) -> None:
    """Raise a ConfigurationError if an index with documents is of another kind or model."""
    if state.kind not in {"", kind}:
        (given, _), (_, needed) = _USES[kind], _USES[state.kind]
        allowed = f"this one {needed}; {NEW_INDEX}"
        raise ConfigurationError("index", f"one that is used {given}", allowed)
    if kind == "vectors" and embedder and embedder.model_name != state.model:
        allowed = f"the model of this index, {state.model!r}; {NEW_INDEX}"
        raise ConfigurationError(embedder.argument, embedder.model_name, allowed)


@dataclass(slots=True)
class Update:
    """An update of an index to the current documents.

    Attributes:
        database: the database of the index.
        sources: the current documents.
        embedder: the embedding model, for vectors in the database; None for none.
        store: a user's vector store, which has the leaves and their vectors; None for none.
        tokenize: returns the words of a text.
        progress: called with the numbers of documents that are done and that are to do.
    """

    database: Database
    sources: SourceDocuments
    embedder: Embedder | None
    store: LeafStore | None
    tokenize: Tokenize
    progress: Progress | None
    _state: State = field(init=False)
    _is_model_known: bool = False  # whether the model is known to be that of the index

    def run(self, deleted: Iterable[str], *, delete_missing: bool) -> UpdateReport:
        """Change the index and return a report.

        Args:
            deleted: the ids of documents to delete; unknown ids are ignored.
            delete_missing: whether to delete all documents that are not among the current ones.

        Raises:
            ConfigurationError: if `delete_missing` would delete all documents, or the index is of
                another kind, model or chunking; nothing is changed.
        """
        current = self.sources.fingerprints
        if delete_missing and not current:
            raise ConfigurationError("delete_missing", value=True, allowed=_NO_DOCUMENTS)
        with self.database.reading() as connection:
            self._state, strays = tables.read_state(connection), tables.strays(connection)
        unwanted = self._document_names() if delete_missing else dict.fromkeys(deleted)
        with self.database.reading() as connection:
            stored = tables.fingerprints(connection, [*current, *unwanted])
        removed = [name for name in unwanted if name in stored and name not in current]
        if self._state.documents:
            self._require_fitting(removed)
        elif current:
            self._start()
        changed = [name for name, one in current.items() if stored.get(name) != one]
        rows, failed = self._rows(changed)
        report = UpdateReport(
            [name for name in changed if name not in stored and name not in failed],
            [name for name in changed if name in stored and name not in failed],
            removed,
            [name for name, one in current.items() if stored.get(name) == one],
            failed,
        )
        return self._write(rows, report, strays) if rows or removed or strays else report

    @property
    def _kind(self) -> Kind:
        """The kind of index that has such vectors."""
        return "store" if self.store else "vectors" if self.embedder else "words"

    def _document_names(self) -> list[str]:
        with self.database.reading() as connection:
            return tables.document_names(connection)

    def _require_fitting(self, removed: Collection[str]) -> None:
        """Raise a ConfigurationError if an index with documents is of another kind or chunking.

        Args:
            removed: the ids of the documents that are deleted.
        """
        current, options = self.sources.fingerprints, self.sources.options
        if current or self._state.kind == "store":
            require_fitting(self._state, self._kind, self.embedder)
        is_other = current and options not in {"", self._state.options}
        if is_other and {*self._document_names()} - current.keys() - {*removed}:
            allowed = (
                "those that all other documents of the index were chunked with; to change them "
                "give all documents, with delete_missing=True"
            )
            raise ConfigurationError("chunking options", "other ones", allowed)

    def _start(self) -> None:
        """Write the kind and model of an index without documents; keep vectors of this model."""
        model = self.embedder.model_name if self.embedder and not self.store else ""
        is_same = (self._state.kind, self._state.model) == (self._kind, model)
        size = self._state.size if is_same else 0
        words = name_of(self.tokenize)
        self._state = State(0, self._kind, size, model, self.sources.options, words)
        with self.database.writing() as connection:
            if not is_same:
                tables.delete_unused_vectors(connection)
            tables.write_state(connection, self._state)

    def _rows(self, changed: Sequence[str]) -> tuple[list[DocumentRow], dict[str, str]]:
        """Return changed documents as they are stored, and why others could not be chunked.

        The vectors of their texts are stored, batch by batch.
        """
        rows, failed, pending = list[DocumentRow](), dict[str, str](), dict[bytes, str]()
        embedder = None if self.store else self.embedder
        for count, name in enumerate(changed, 1):
            try:
                record = self.sources.record(name)
            except (ChunkanaError, RecursionError, ValueError) as error:
                failed[name] = f"{type(error).__name__}: {error}"
            else:
                row = DocumentRow.of(record, self.tokenize, has_vectors=embedder is not None)
                pending |= self._texts_without_vector(row) if embedder else {}
                rows.append(row)
            while embedder and (len(pending) >= _BATCH or (pending and count == len(changed))):
                self._embed(embedder, pending)
            if self.progress:
                self.progress(count, len(changed))
        return rows, failed

    def _texts_without_vector(self, row: DocumentRow) -> dict[bytes, str]:
        """Return the texts of a document to embed, by their digests."""
        digests = split_digests(row.leaves.digests)
        with self.database.reading() as connection:
            known = tables.known_digests(connection, digests)
        found = zip(digests, row.record.leaves, strict=True)
        return {one: row.record.embedded(leaf) for one, leaf in found if one not in known}

    def _embed(self, embedder: Embedder, pending: dict[bytes, str]) -> None:
        """Embed the first of the pending texts, and store their vectors."""
        size = self._state.size
        texts = dict(islice(pending.items(), _BATCH))
        probe = {} if embedder.is_certain or self._is_model_known else self._stored_text()
        vectors = embedder.vectors({one: text for one, (text, _) in probe.items()} | texts, size)
        for digest, (text, stored) in probe.items():
            embedder.require_same(text, stored, vectors[digest])
        self._state = self._state._replace(size=size or len(next(iter(vectors.values()))) // 4)
        self._is_model_known = True
        with self.database.writing() as connection:
            tables.add_vectors(connection, vectors)
            if not size:
                tables.write_state(connection, self._state)
        for digest in texts:
            del pending[digest]

    def _stored_text(self) -> dict[bytes, tuple[str, bytes]]:
        """Return the text and the vector of a stored leaf by its digest, nothing for no leaves."""
        with self.database.reading() as connection:
            for name in tables.document_names(connection):
                (record,) = tables.records(connection, [name])
                for leaf in record.leaves[:1]:
                    text = record.embedded(leaf)
                    ((digest, vector),) = tables.vectors(connection, [digest_of(text)])
                    return {digest: (text, vector)}
        return {}

    def _write(
        self, rows: Sequence[DocumentRow], report: UpdateReport, strays: Iterable[str]
    ) -> UpdateReport:
        """Write what changed, in one transaction, and return the report with the leaves.

        A leaf that a user's vector store may have although no document has it is a stray: it is
        noted before it is added, and before it is deleted.
        """
        new = {leaf.leaf_id: (row.record, leaf) for row in rows for leaf in row.record.leaves}
        with self.database.reading() as connection:
            found = tables.records(connection, [*report.changed, *report.deleted])
            old = {leaf.leaf_id for record in found for leaf in record.leaves}
        added = [leaf for leaf_id, leaf in new.items() if leaf_id not in old]
        gone = [leaf_id for leaf_id in old if leaf_id not in new]
        left = {*strays, *gone} - new.keys() if self.store else set[str]()
        if self.store:
            with self.database.writing(is_durable=True) as connection:
                tables.set_strays(connection, [*strays, *(leaf.leaf_id for _, leaf in added)])
            add_leaves(self.store, added)
        options = self.sources.options or self._state.options
        with self.database.writing() as connection:
            tables.write_documents(connection, rows)
            tables.delete_documents(connection, report.deleted)
            tables.delete_unused_vectors(connection)
            tables.set_strays(connection, left)
            tables.write_state(connection, self._state._replace(options=options))
        if self.store:
            delete_leaves(self.store, [*left])
            with self.database.writing() as connection:
                tables.set_strays(connection, ())
        return replace(report, leaves_added=len(added), leaves_deleted=len(gone))
