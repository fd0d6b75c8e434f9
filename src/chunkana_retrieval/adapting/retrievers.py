"""The methods that the retrievers of all frameworks have: update, delete, repair, save, close."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Generic, Self, TypeVar

from chunkana_core.extending import require_each
from chunkana_retrieval.adapting.document_warnings import warn_of
from chunkana_retrieval.adapting.threads import LoopRunner, call_in_thread
from chunkana_retrieval.index import Embedder, Index, LeafStore, UpdateReport

D = TypeVar("D")


class DocumentRetriever(Generic[D]):
    """The base class of a framework's retriever: updates, repairs, saves and closes its index.

    A subclass sets the attribute `index` and defines `_update` and `_target`.
    """

    index: Index

    def _update(
        self, documents: Iterable[D], run: LoopRunner | None = None, **changes: object
    ) -> UpdateReport:
        """Update the index; `run` runs coroutines on the event loop of an asynchronous caller."""
        raise NotImplementedError

    def _target(self, run: LoopRunner | None) -> tuple[Embedder | None, LeafStore | None]:
        """Return the embedding model, and the user's vector store; None for either without."""
        raise NotImplementedError

    def _index_exactly(
        self, documents: Iterable[D], run: LoopRunner | None = None, **changes: object
    ) -> None:
        """Update the index to these documents, and warn of those that failed."""
        report = self._update(documents, run, delete_missing=len(self.index) > 0, **changes)
        reason = next(iter(report.failed.values()), "")
        warn_of([*report.failed], f"could not be indexed: {reason}")

    def _require_fitting(self, run: LoopRunner | None = None) -> None:
        """Check that the index is of the embedding model, and of the user's vector store."""
        embedder, store = self._target(run)
        self.index.require_model(embedder, has_store=store is not None)
        if store is not None:
            self.index.check_store(store)

    def update(self, documents: Iterable[D], *, delete_missing: bool = False) -> UpdateReport:
        """Index new and changed documents; unchanged ones are skipped, and only new texts embedded.

        All changes appear together at the end.

        Args:
            documents: whole documents, the changed ones and any others.
            delete_missing: whether to delete all other documents; an error if `documents` is empty.

        Returns:
            A report of the documents that were added, changed and deleted, and that failed.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
        """
        return self._update(documents, delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[D], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Index new and changed documents asynchronously, as `update` does."""
        return await call_in_thread(
            lambda run: self._update(documents, run, delete_missing=delete_missing)
        )

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; unknown ids are ignored."""
        return self._update((), deleted=_names(document_ids))

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids asynchronously; unknown ids are ignored."""
        names = _names(document_ids)
        return await call_in_thread(lambda run: self._update((), run, deleted=names))

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `delete` accepts them."""
        return self.index.document_ids()

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index asynchronously."""
        return await asyncio.to_thread(self.index.document_ids)

    def repair(self) -> list[str]:
        """Delete damaged documents, and bring the vector store to the leaves of the index.

        Returns:
            The ids of documents to give to `update` again.
        """
        return self.index.repair(self._target(None)[1])

    async def arepair(self) -> list[str]:
        """Repair the index and the vector store asynchronously, as `repair` does."""
        return await call_in_thread(lambda run: self.index.repair(self._target(run)[1]))

    def save(self, folder: str | Path) -> None:
        """Save a copy of the index in a folder, for `load`."""
        self.index.save(folder)

    def close(self) -> None:
        """Close the index; afterwards neither the retriever nor its copies can be used."""
        self.index.close()

    def __enter__(self) -> Self:
        """Return the retriever, whose index is closed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the index."""
        self.close()


def _names(document_ids: Iterable[str]) -> list[str]:
    return require_each("document_ids", document_ids, str, "a list of str")
