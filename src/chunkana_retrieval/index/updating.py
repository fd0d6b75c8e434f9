"""Updates of an index: all documents of an update appear in one transaction."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from chunkana_core import ChunkanaError, ConfigurationError
from chunkana_retrieval.index.embedding import NEW_INDEX, Embedder, digest_of
from chunkana_retrieval.index.records import DocumentRecord, SourceDocuments
from chunkana_retrieval.index.storage import tables
from chunkana_retrieval.index.storage.columns import DocumentRow
from chunkana_retrieval.index.storage.database import Database
from chunkana_retrieval.index.storage.tables import Kind, State
from chunkana_retrieval.index.stores import LeafStore, add_leaves, delete_leaves

Tokenize = Callable[[str], Sequence[str]]
Progress = Callable[[int, int], None]
_BATCH = 256  # texts that are embedded together, and documents that are read together
_SHOWN_IDS = 3  # document ids in the printed form of a report
_NO_DOCUMENTS = (
    "False if no documents are given, as from an empty folder or a wrong pattern; "
    "to delete all documents, delete them by their ids"
)
_GIVEN: Mapping[Kind, str] = {
    "words": "without an embedding",
    "vectors": "with an embedding",
    "store": "with a vector store",
}
_NEEDED: Mapping[Kind, str] = {
    "words": "without an embedding and a vector store, since it has words alone",
    "vectors": "with the embedding that its vectors are by",
    "store": "with the vector store that has its leaves",
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


@dataclass(frozen=True, slots=True)
class Target:
    """Where the vectors of an update go: to the database, to a user's vector store, or nowhere."""

    embedder: Embedder | None = None
    store: LeafStore | None = None

    @property
    def kind(self) -> Kind:
        """The kind of index that has such vectors."""
        return "store" if self.store else "vectors" if self.embedder else "words"


def require_fitting(state: State, kind: Kind, embedder: Embedder | None) -> None:
    """Raise a ConfigurationError if an index with documents is of another kind or model."""
    if state.kind not in {"", kind}:
        allowed = f"this one {_NEEDED[state.kind]}; {NEW_INDEX}"
        raise ConfigurationError("index", f"one that is used {_GIVEN[kind]}", allowed)
    if kind == "vectors" and embedder and embedder.model_name != state.model:
        allowed = f"the model of this index, {state.model!r}; {NEW_INDEX}"
        raise ConfigurationError(embedder.argument, embedder.model_name, allowed)


def name_of(function: Callable[..., object]) -> str:
    """Return the module and the name of a function, or of the class of another object."""
    named: object = function if hasattr(function, "__qualname__") else type(function)
    return ".".join(str(getattr(named, name, "")) for name in ("__module__", "__qualname__"))


class Update:
    """An update of an index to the current documents."""

    def __init__(
        self,
        database: Database,
        sources: SourceDocuments,
        target: Target,
        tokenize: Tokenize,
        progress: Progress | None,
    ) -> None:
        self._database, self._sources, self._target = database, sources, target
        self._tokenize, self._progress = tokenize, progress
        with database.reading() as connection:
            self._state = tables.read_state(connection)
            self._strays = tables.strays(connection)
        self._is_known = False  # whether the model is known to be that of the index

    def run(self, deleted: Iterable[str], *, delete_missing: bool) -> UpdateReport:
        """Change the index and return a report.

        Args:
            deleted: the ids of documents to delete; unknown ids are ignored.
            delete_missing: whether to delete all documents that are not among the current ones.

        Raises:
            ConfigurationError: if `delete_missing` would delete all documents, or the index is of
                another kind, model or chunking; nothing is changed.
        """
        current = self._sources.fingerprints
        if delete_missing and not current:
            raise ConfigurationError("delete_missing", value=True, allowed=_NO_DOCUMENTS)
        unwanted = self._document_names() if delete_missing else dict.fromkeys(deleted)
        with self._database.reading() as connection:
            stored = tables.fingerprints(connection, [*current, *unwanted])
        removed = [name for name in unwanted if name in stored and name not in current]
        self._prepare(removed)
        changed = [name for name, one in current.items() if stored.get(name) != one]
        rows, failed = self._rows(changed)
        report = UpdateReport(
            [name for name in changed if name not in stored and name not in failed],
            [name for name in changed if name in stored and name not in failed],
            removed,
            [name for name, one in current.items() if stored.get(name) == one],
            failed,
        )
        return self._write(rows, report) if rows or removed or self._strays else report

    def _prepare(self, removed: Collection[str]) -> None:
        """Check the index, and note the kind and model of one without documents."""
        current, state, target = self._sources.fingerprints, self._state, self._target
        if self._state.documents:
            if current or state.kind == "store":
                require_fitting(state, target.kind, target.embedder)
            is_other = self._sources.options not in {"", state.options}
            if current and is_other and {*self._document_names()} - current.keys() - {*removed}:
                allowed = (
                    "those that all other documents of the index were chunked with; to change them "
                    "give all documents, with delete_missing=True"
                )
                raise ConfigurationError("chunking options", "other ones", allowed)
        elif current:
            model = target.embedder.model_name if target.embedder and not target.store else ""
            is_same = (state.kind, state.model) == (target.kind, model)
            size = state.size if is_same else 0
            words = name_of(self._tokenize)
            self._state = State(0, target.kind, size, model, self._sources.options, words)
            with self._database.writing() as connection:
                if not is_same:
                    tables.delete_unused_vectors(connection)
                tables.write_state(connection, self._state)

    def _document_names(self) -> list[str]:
        with self._database.reading() as connection:
            return tables.document_names(connection)

    def _rows(self, changed: Sequence[str]) -> tuple[list[DocumentRow], dict[str, str]]:
        """Return changed documents as they are stored, and why others could not be chunked.

        The vectors of their texts are stored, batch by batch.
        """
        rows, failed, pending = list[DocumentRow](), dict[str, str](), dict[bytes, str]()
        for count, name in enumerate(changed, 1):
            try:
                record = self._sources.record(name)
            except (ChunkanaError, RecursionError, ValueError) as error:
                failed[name] = f"{type(error).__name__}: {error}"
            else:
                rows.append(self._row(record, pending))
            while len(pending) >= _BATCH:
                self._embed(pending)
            if self._progress:
                self._progress(count, len(changed))
        if pending:
            self._embed(pending)
        return rows, failed

    def _row(self, record: DocumentRecord, pending: dict[bytes, str]) -> DocumentRow:
        """Return a document as it is stored, and add its texts that have no vector to others."""
        texts = [record.embedded(leaf) for leaf in record.leaves]
        digests: list[bytes] = []
        if self._target.kind == "vectors":
            digests = [*map(digest_of, texts)]
            with self._database.reading() as connection:
                known = tables.known_digests(connection, digests)
            found = zip(digests, texts, strict=True)
            pending.update({digest: text for digest, text in found if digest not in known})
        lengths = array("I")
        postings: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        for position, text in enumerate(texts):
            words = self._tokenize(text)
            lengths.append(len(words))
            for word in words:
                postings[word].append(position)
        numbers: dict[str, int] = {}
        sections = [numbers.setdefault(leaf.section_id, len(numbers)) for leaf in record.leaves]
        return DocumentRow(record, lengths, array("I", sections), b"".join(digests), postings)

    def _embed(self, pending: dict[bytes, str]) -> None:
        """Embed the first of the pending texts, and store their vectors."""
        embedder, size = self._target.embedder, self._state.size
        if embedder is None:
            raise ConfigurationError("embed", None, "a model: this index has vectors")
        texts = {digest: pending[digest] for digest in islice(pending, _BATCH)}
        probe = {} if embedder.is_certain or self._is_known else self._stored_text()
        vectors = embedder.vectors({one: text for one, (text, _) in probe.items()} | texts, size)
        for digest, (text, stored) in probe.items():
            embedder.require_same(text, stored, vectors[digest])
        with self._database.writing() as connection:
            tables.add_vectors(connection, vectors)
            if not size:
                size = len(next(iter(vectors.values()))) // 4
                self._state = self._state._replace(size=size)
                tables.write_state(connection, self._state)
        self._is_known = True
        for digest in texts:
            del pending[digest]

    def _stored_text(self) -> dict[bytes, tuple[str, bytes]]:
        """Return the text and the vector of a stored leaf by its digest, nothing for no leaves."""
        with self._database.reading() as connection:
            for name in tables.document_names(connection):
                (record,) = tables.read_records(connection, [name]).values()
                for leaf in record.leaves:
                    text = record.embedded(leaf)
                    return {
                        digest: (text, stored)
                        for digest, stored in tables.vectors(connection, [digest_of(text)])
                    }
        return {}

    def _write(self, rows: Sequence[DocumentRow], report: UpdateReport) -> UpdateReport:
        """Write what changed, in one transaction, and return the report with the leaves.

        A leaf that a user's vector store may have although no document has it is a stray: it is
        noted before it is added, and before it is deleted.
        """
        new = {leaf.leaf_id: (row.record, leaf) for row in rows for leaf in row.record.leaves}
        old = self._leaf_ids([*report.changed, *report.deleted])
        added = [leaf for leaf_id, leaf in new.items() if leaf_id not in old]
        gone = [leaf_id for leaf_id in old if leaf_id not in new]
        store = self._target.store
        if store:
            self._delete_strays(store, self._strays)
            with self._database.writing(is_durable=True) as connection:
                tables.set_strays(connection, (leaf.leaf_id for _, leaf in added))
            add_leaves(store, added)
        options = self._sources.options or self._state.options
        with self._database.writing() as connection:
            tables.write_documents(connection, rows)
            tables.delete_documents(connection, report.deleted)
            tables.delete_unused_vectors(connection)
            tables.set_strays(connection, gone if store else ())
            tables.write_state(connection, self._state._replace(options=options))
        if store:
            self._delete_strays(store, gone)
        return replace(report, leaves_added=len(added), leaves_deleted=len(gone))

    def _leaf_ids(self, names: Sequence[str]) -> dict[str, None]:
        """Return the ids of the leaves of stored documents."""
        found: dict[str, None] = {}
        for start in range(0, len(names), _BATCH):
            with self._database.reading() as connection:
                records = tables.read_records(connection, names[start : start + _BATCH])
            found |= {leaf.leaf_id: None for one in records.values() for leaf in one.leaves}
        return found

    def _delete_strays(self, store: LeafStore, leaf_ids: Sequence[str]) -> None:
        """Delete leaves of no document from a user's vector store."""
        delete_leaves(store, leaf_ids)
        with self._database.writing() as connection:
            tables.set_strays(connection, ())
