"""What the retrievers of both frameworks share: their options, and the life of their index."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Generic, Literal, Self, TypeVar, get_args

from chunkana_core.extending import require_choice, require_each
from chunkana_retrieval.errors import warn_of
from chunkana_retrieval.hits import Hit
from chunkana_retrieval.index import (
    Embedder,
    Found,
    Index,
    LeafStore,
    MergingOptions,
    Order,
    ReadingOptions,
    Relation,
    RunOnLoop,
    SearchKind,
    SearchOptions,
    UpdateReport,
    call_in_thread,
)
from chunkana_retrieval.reading.passages import Passage

D = TypeVar("D")
Kind = TypeVar("Kind", SearchOptions, ReadingOptions, MergingOptions)
Returns = Literal["passages", "parents"]
_SEARCHING, _READING, _MERGING = SearchOptions(), ReadingOptions(), MergingOptions()
# The options that tools of other names have, by these names.
OTHER_NAMES: Mapping[str, str] = {
    "score_threshold": "min_score",
    "similarity_cutoff": "min_score",
    "simple_ratio_thresh": "ratio",
    "similarity_top_k": "k, the number of results, or fetch_k, the number of leaves of each search",
    "top_k": "k, the number of results, or fetch_k, the number of leaves of each search",
}


class QuestionOptions:
    """The options of a question, as attributes with their defaults."""

    search: SearchKind = _SEARCHING.search
    """The kind of search: "dense" (by vectors), "lexical" (by words) or "hybrid" (by both)."""
    fetch_k: int = _SEARCHING.fetch_k
    """The number of leaves that each search finds."""
    lexical_weight: float = _SEARCHING.lexical_weight
    """The weight of the lexical scores in a hybrid search, from 0 to 1."""
    section_weight: float = _SEARCHING.section_weight
    """The weight of the best score of a leaf's section, relative to its own; 0 to ignore it."""
    document_weight: float = _SEARCHING.document_weight
    """The weight of the best score of a leaf's document, relative to its own; 0 to ignore it."""
    min_score: float | None = None
    """The least cosine similarity of a leaf to the question; None for any."""
    returns: Returns = "passages"
    """What is returned: "passages" within the budget, or "parents": leaves, which are replaced by
    their parent if enough of its children were found."""
    k: int | None = None
    """The largest number of results, the best first; None for any number, and for 4 parents."""
    budget: float = _READING.budget
    """The largest size of all passages together; parents have no budget."""
    length_function: Callable[[str], float] = len
    """The function that returns the size of a text, by default in characters."""
    around: Sequence[Relation] = ()
    """The relations by which further leaves are added after all found ones, the nearest first:
    "parent" for those directly in the section around a leaf's section, "siblings" for those of its
    own and of sibling sections, "children" for those of its direct subsections."""
    order: Order = _READING.order
    """The order of passages: "score" for the best first, or "document" for that in documents."""
    ratio: float = _MERGING.ratio
    """The ratio of found children above which a parent replaces its children."""
    max_parent_size: int | None = None
    """The size limit of parents, in characters of their text; None for no limit."""

    def options_of(self, kind: type[Kind]) -> Kind:
        """Return options of an index with the values of the attributes of the same names."""
        values = {one.name: getattr(self, one.name) for one in fields(kind)}
        return kind(**{name: value for name, value in values.items() if value is not None})

    def require_valid(self) -> Self:
        """Return the options; raise a ConfigurationError that names the first invalid one."""
        self.options_of(SearchOptions)
        self.options_of(ReadingOptions)
        self.options_of(MergingOptions)
        require_choice("returns", self.returns, get_args(Returns))
        return self

    def passages_of(
        self, found: Found, counted_text: Callable[[Passage], str] = attrgetter("text")
    ) -> list[Passage]:
        """Return the passages or parents of found leaves; for the arguments see `Found`."""
        if self.returns == "parents":
            return found.parents(self.options_of(MergingOptions))
        return found.passages(self.options_of(ReadingOptions), counted_text)


class DocumentRetriever(Generic[D]):
    """The life of an index of documents; the base class of a framework's retriever.

    A subclass has the attribute `index`, and says what an update needs: `_update` and `_target`.
    """

    index: Index

    def _update(
        self, documents: Iterable[D], run: RunOnLoop | None = None, **changes: object
    ) -> UpdateReport:
        """Update the index; `run` runs coroutines on the event loop of an asynchronous caller."""
        raise NotImplementedError

    def _target(self, run: RunOnLoop | None) -> tuple[Embedder | None, LeafStore | None]:
        """Return the embedding model, and the user's vector store; None for either without."""
        raise NotImplementedError

    def _index_exactly(
        self, documents: Iterable[D], run: RunOnLoop | None = None, **changes: object
    ) -> None:
        """Update the index to these documents, and warn of those that failed."""
        report = self._update(documents, run, delete_missing=len(self.index) > 0, **changes)
        reason = next(iter(report.failed.values()), "")
        warn_of([*report.failed], f"could not be indexed: {reason}")

    def _require_fitting(self, run: RunOnLoop | None = None) -> None:
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


def hits_in_sources(
    hits: Sequence[Hit | None], sources: Mapping[str, str] | Callable[[str], str]
) -> tuple[list[Hit | None], Callable[[str], str]]:
    """Return hits with None, and a warning, for those whose text is not in its source.

    Args:
        hits: the hits, None for what is none.
        sources: the texts of documents by id, or a function that returns the text for an id.

    Returns:
        The hits, and a function that returns the text for an id, "" for an unknown one.
    """

    @cache
    def text_of(document_id: str) -> str:
        try:
            return sources(document_id) if callable(sources) else sources[document_id]
        except LookupError:
            return ""

    def is_changed(hit: Hit) -> bool:
        return text_of(hit.document_id)[hit.span.start : hit.span.end] != hit.text

    found = [None if hit is None or is_changed(hit) else hit for hit in hits]
    kept = zip(hits, found, strict=True)
    changed = dict.fromkeys(hit.document_id for hit, one in kept if hit and one is None)
    statement = "is not in sources, or was changed there: its chunks are returned as they are"
    warn_of([*changed], statement)
    return found, text_of
