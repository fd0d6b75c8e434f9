"""An index of documents in one database, for any thread and process."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from random import sample
from sys import float_info
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np

from chunkana_core import Chunker, ConfigurationError, HierarchicalChunkingResult, TocEntry
from chunkana_core.extending import require_number, require_type
from chunkana_retrieval.errors import LostLeavesWarning, UnknownNameError, warn
from chunkana_retrieval.index.documents import (
    IndexDocument,
    name_of,
    sources_of_chunks,
    sources_of_texts,
)
from chunkana_retrieval.index.embedding import NEW_INDEX, Embed, Embedder
from chunkana_retrieval.index.excerpts import Excerpt, read_excerpt
from chunkana_retrieval.index.names import similar_names
from chunkana_retrieval.index.records import DocumentRecord, SourceDocuments
from chunkana_retrieval.index.searching.filtering import LeafFilter, Where
from chunkana_retrieval.index.searching.found import Found
from chunkana_retrieval.index.searching.leaves import LeafTable
from chunkana_retrieval.index.searching.options import SearchOptions
from chunkana_retrieval.index.searching.query import Query
from chunkana_retrieval.index.storage import repairing, tables
from chunkana_retrieval.index.storage.columns import Tokenize
from chunkana_retrieval.index.storage.database import Database, require_database
from chunkana_retrieval.index.storage.tables import Kind, State
from chunkana_retrieval.index.stores import LeafStore, StoreHit, restore_leaves
from chunkana_retrieval.index.updating import (
    Progress,
    Update,
    UpdateReport,
    require_fitting,
)
from chunkana_retrieval.words import words_of

_OPTIONS = SearchOptions()
_SECONDS = "the seconds to wait, a finite number of at least 0"
_SAMPLE = 32  # documents whose leaves are looked for in a user's vector store


class Index:
    r"""Documents, their leaves, words and vectors in one SQLite database.

    The database is the file `index.db` in a folder of a local disk, or in memory. Any number of
    threads and processes may search it; updates wait for each other. A search sees an update as a
    whole or not at all.

    A search is by words (BM25 of a leaf, plus half of that of its section and of its document), by
    vectors (cosine), or by both. Vectors are given: `embed` returns those of texts.

    Attributes:
        folder: the folder of the database, None for memory.

    Raises:
        IndexFileError: for a file that is not an index, of another format, or damaged.
        OSError: for a folder that cannot be made or read.

    >>> index = Index()
    >>> index.update([IndexDocument("tea.md", "# Tea\n\nBoil water.\n")])
    <UpdateReport: 1 added ('tea.md'); leaves: 1 added>
    >>> [passage.text for passage in index.search("Which water?").passages()]
    ['# Tea\n\nBoil water.']
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        tokenize: Tokenize = words_of,
        timeout: float = 60.0,
    ) -> None:
        """Open the index in a folder, or make one there.

        Args:
            folder: the folder; None for an index in memory.
            tokenize: returns the words of a text or question, the same each time.
            timeout: the seconds that an update waits for another one.
        """
        require_type("folder", folder, str | Path | None)
        require_number("timeout", timeout, 0, float_info.max, allowed=_SECONDS)
        self.folder = None if folder is None else Path(folder)
        self._tokenize, self._timeout = tokenize, timeout
        self._database = Database(self.folder, timeout)
        self._table, self._filter = LeafTable(), LeafFilter()
        with self._database.reading() as connection:
            state = tables.read_state(connection)
        if state.documents and name_of(tokenize) != state.tokenizer:
            self.close()
            allowed = f"{state.tokenizer}, which this index was made with; {NEW_INDEX}"
            raise ConfigurationError("tokenize", name_of(tokenize), allowed)

    @classmethod
    def load(
        cls, folder: str | Path, *, tokenize: Tokenize = words_of, timeout: float = 60.0
    ) -> Self:
        """Open the index in a folder; for the arguments see the class.

        Raises:
            FileNotFoundError: if there is none.
        """
        require_type("folder", folder, str | Path)
        require_database(Path(folder))
        return cls(folder, tokenize=tokenize, timeout=timeout)

    def __repr__(self) -> str:
        """Return where the index is, what it has, and the number of its documents."""
        with self._database.reading() as connection:
            state = tables.read_state(connection)
        place = "memory" if self.folder is None else repr(str(self.folder))
        return f"<Index in {place}: {len(self)} documents, {state.kind or 'empty'}>"

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.document_ids())

    def __enter__(self) -> Self:
        """Return the index, which is closed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the index."""
        self.close()

    def __getstate__(self) -> dict[str, object]:
        """Return the folder of the index, or its content if it is in memory."""
        content = None if self.folder else self._database.to_bytes()
        options = {"tokenize": self._tokenize, "timeout": self._timeout}
        return {"folder": self.folder, "options": options, "content": content}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Open the index again."""
        if state["folder"] is not None:
            require_database(state["folder"])
        self.__init__(state["folder"], **state["options"])  # type: ignore[misc] # as a new one
        if state["content"] is not None:
            self._database.from_bytes(state["content"])

    def update(
        self,
        documents: Iterable[IndexDocument],
        *,
        chunker: Chunker | None = None,
        embed: Embed | None = None,
        model_name: str = "",
        deleted: Iterable[str] = (),
        delete_missing: bool = False,
        progress: Progress | None = None,
    ) -> UpdateReport:
        """Index new and changed documents, and delete others; unchanged ones are skipped.

        All changes appear at once, when the update is done. If it is interrupted nothing changes;
        the vectors that it made are kept for the next one.

        Args:
            documents: whole documents with unique ids, in any format. Their formats are those of
                the paths in their metadata (`file_path`, `file_name`, `source`), else of their ids.
            chunker: by default one with contexts, which divides all that is over its limit.
            embed: returns a vector for each of some texts; None for an index of words alone.
            model_name: the name of the embedding model; by default that of the function.
            deleted: the ids of documents to delete; unknown ids are ignored.
            delete_missing: whether to delete all documents that are not given.
            progress: called with the numbers of documents that are done and that are to do.

        Raises:
            ConfigurationError: for two documents with one id, metadata that JSON does not have,
                another model, kind of index or chunking than before, or wrong vectors.
            TimeoutError: if another update runs for longer than the timeout.
            OSError: if the database cannot be written.
        """
        sources = sources_of_texts(documents, chunker)
        embedder = None if embed is None else Embedder.of(embed, embed, model_name, "embed")
        return self.update_sources(
            sources,
            embedder=embedder,
            deleted=deleted,
            delete_missing=delete_missing,
            progress=progress,
        )

    def update_chunks(
        self,
        results: Mapping[str, HierarchicalChunkingResult],
        metadata: Mapping[str, Mapping[str, object]] | None = None,
        *,
        embed: Embed | None = None,
        model_name: str = "",
    ) -> UpdateReport:
        """Index documents that are chunked already; for other arguments and errors see `update`.

        Args:
            results: the chunks of each document, by its id.
            metadata: the metadata of documents, by their ids.
            embed: returns a vector for each of some texts.
            model_name: the name of the embedding model.
        """
        sources = sources_of_chunks(results, metadata or {})
        embedder = None if embed is None else Embedder.of(embed, embed, model_name, "embed")
        return self.update_sources(sources, embedder=embedder)

    def update_sources(
        self,
        sources: SourceDocuments,
        *,
        embedder: Embedder | None = None,
        store: LeafStore | None = None,
        deleted: Iterable[str] = (),
        delete_missing: bool = False,
        progress: Progress | None = None,
    ) -> UpdateReport:
        """Update the index as `update` does, from documents that an adapter chunks.

        Args:
            sources: the documents.
            embedder: the embedding model, for vectors in the database.
            store: a user's vector store instead, which has the leaves and their vectors.
            deleted: the ids of documents to delete.
            delete_missing: whether to delete all documents that are not given.
            progress: called with the numbers of documents that are done and that are to do.
        """
        with self._database.updating():
            update = Update(self._database, sources, embedder, store, self._tokenize, progress)
            report = update.run(deleted, delete_missing=delete_missing)
        if store and report.unchanged:
            self.check_store(store)
        return report

    def search(
        self,
        question: str,
        options: SearchOptions = _OPTIONS,
        *,
        vector: Sequence[float] | None = None,
        store_hits: Sequence[StoreHit] | None = None,
        is_filtered: bool = False,
        where: Where | None = None,
        documents: Collection[str] | None = None,
    ) -> Found:
        """Return the leaves that answer a question, the best first.

        Args:
            question: the question, for the search by words.
            options: the options of the search.
            vector: the vector of the question; None for a search by words alone.
            store_hits: what a user's vector store found instead, the best first.
            is_filtered: whether that store filtered leaves; then words rank its leaves and add
                none.
            where: a filter of leaves by the metadata of their document and their own (`format`,
                `kind`, `header_path`, …): values that all have to be equal, or a function, which
                must not use this index.
            documents: the ids of the documents to search; None for all.

        Raises:
            ConfigurationError: for a vector of another size, or without a direction.
            IndexFileError: if the database is damaged.
        """
        words = [] if options.search == "dense" else self._tokenize(question)
        given = None if options.search == "lexical" else vector
        with self._database.reading() as connection:
            self._table.refresh(connection)
            if given is not None:
                _require_vector(given, tables.read_state(connection))
            elif options.min_score is not None and store_hits is None:
                allowed = "None without the vector of the question"
                raise ConfigurationError("min_score", options.min_score, allowed)
            mask = self._filter.mask(connection, self._table, where, documents)
            query = Query(
                connection, self._table, words, options, given, store_hits, is_filtered, mask
            )
            found, count = query.search(), len(self._table)
        is_filtered = is_filtered or where is not None or documents is not None
        is_whole = not is_filtered and options.min_score is None
        if store_hits is not None and count and is_whole and not _has_any(found, store_hits):
            warn(LostLeavesWarning("the vector store returned no leaf of this index"))
        return found

    def require_model(
        self, embedder: Embedder | None, *, has_store: bool = False, is_updated: bool = False
    ) -> None:
        """Raise a ConfigurationError if the index is of another model, or another kind of index.

        Any index can be searched by words alone, without either.

        Args:
            embedder: the embedding model, None for none.
            has_store: whether the leaves are in a user's vector store.
            is_updated: whether the index is updated, not only searched.
        """
        with self._database.reading() as connection:
            state = tables.read_state(connection)
        kind: Kind = "store" if has_store else "vectors" if embedder else "words"
        if state.documents and (kind != "words" or is_updated):
            require_fitting(state, kind, embedder)

    @property
    def chunking(self) -> str:
        """The description of the options that the documents were chunked with, "" for none."""
        with self._database.reading() as connection:
            return tables.read_state(connection).options

    @property
    def is_replaced(self) -> bool:
        """Whether the folder has no longer this index: it was moved, deleted or made anew."""
        return self._database.is_replaced

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprints of all documents, by their ids."""
        with self._database.reading() as connection:
            return tables.fingerprints(connection, tables.document_names(connection))

    def document_ids(self) -> list[str]:
        """Return the ids of all documents, in the order in which they were added."""
        with self._database.reading() as connection:
            return tables.document_names(connection)

    def document(self, document_id: str) -> IndexDocument:
        """Return a document.

        Raises:
            UnknownNameError: with similar ids if it is not in the index.
        """
        record = self._record(document_id)
        return IndexDocument(document_id, record.text, record.metadata)

    def outline(self, document_id: str) -> list[TocEntry]:
        """Return the sections of a document, in order.

        Raises:
            UnknownNameError: with similar ids if it is not in the index.
        """
        return [*self._record(document_id).outline]

    def read(
        self, document_id: str, *, section: str = "", lines: tuple[int, int] | None = None
    ) -> Excerpt:
        """Return a section with its subsections, or lines, or the whole document.

        Args:
            document_id: the id of the document.
            section: the id, anchor, path or title of a section, as `outline` returns it; a path is
                joined by " > ", ".", or as the metadata `header_path`.
            lines: the first and the last line, from 1.

        Raises:
            ConfigurationError: for lines that the document does not have.
            UnknownNameError: with similar names if the document or section is not in the index.
        """
        return read_excerpt(self._record(document_id), section, lines)

    def check_store(self, store: LeafStore) -> None:
        """Warn if a user's vector store lacks some of a sample of leaves."""
        names = self.document_ids()
        with self._database.reading() as connection:
            chosen = sample(names, min(len(names), _SAMPLE))
            records = tables.read_records(connection, chosen).values()
        leaf_ids = [leaf.leaf_id for record in records for leaf in record.leaves]
        if missing := store.missing(leaf_ids):
            lost = f"{len(missing)} of {len(leaf_ids)} leaves that were looked for"
            warn(LostLeavesWarning(f"the vector store lacks {lost}"))

    def repair(self, store: LeafStore | None = None) -> list[str]:
        """Delete documents that are damaged, and bring a user's vector store up to date.

        The repaired index is first written to a temporary folder; searches of this object wait.

        Args:
            store: the user's vector store, which then has all leaves of the index.

        Returns:
            The ids of the documents that were deleted: give them to `update` again.

        Raises:
            IndexFileError: if the database cannot be read at all; then make a new one.
        """
        with self._database.updating():
            with TemporaryDirectory() as folder, closing(Database(Path(folder), 0)) as intact:
                with intact.writing() as target, self._database.reading() as source:
                    damaged = repairing.copy_intact(source, target, self._tokenize)
                intact.copy(self._database)
            if store is not None:
                restore_leaves(self._database, store)
        return damaged

    def save(self, folder: str | Path) -> None:
        """Copy the index to a folder, in place of an index there; it may be changed meanwhile."""
        with Index(folder, timeout=self._timeout) as target, target._database.updating():
            self._database.copy(target._database)

    def close(self) -> None:
        """Close the database; the index cannot be used any more."""
        self._database.close()

    def _record(self, document_id: str) -> DocumentRecord:
        with self._database.reading() as connection:
            for record in tables.records(connection, [document_id]):
                return record
            names = tables.document_names(connection)
        raise UnknownNameError("document", document_id, similar_names(document_id, names))


def _require_vector(vector: Sequence[float], state: State) -> None:
    """Raise a ConfigurationError for a vector that cannot be compared to those of an index."""
    if state.kind in {"words", "store"}:
        raise ConfigurationError("vector", "a vector", "None: this index has no vectors")
    if state.size and len(vector) != state.size:
        allowed = f"one of {state.size} numbers, as the model of this index returns it"
        raise ConfigurationError("vector", f"one of {len(vector)} numbers", allowed)
    length = float(np.linalg.norm(np.asarray(vector, np.float64)))
    if not np.isfinite(length) or not length:
        raise ConfigurationError("vector", length, "one of finite numbers that are not all zero")


def _has_any(found: Found, store_hits: Iterable[StoreHit]) -> bool:
    """Return whether a vector store found any leaf of an index."""
    known = {leaf.leaf_id for record in found.records.values() for leaf in record.leaves}
    return any(one.leaf_id in known for one in store_hits)
