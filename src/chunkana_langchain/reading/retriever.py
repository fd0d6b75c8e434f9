"""A retriever that finds leaves by meaning and words, and hands over what is best read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from pydantic import Field, model_validator

from chunkana_core import ConfigurationError
from chunkana_langchain.indexing.documents import SplitterIndex
from chunkana_langchain.indexing.leaves import Search
from chunkana_langchain.indexing.retriever import IndexedRetriever
from chunkana_langchain.reading.passages import passage_document
from chunkana_langchain.splitting.mapping import copied
from chunkana_retrieval.indexing import (
    FoundLeaves,
    Question,
    RankingOptions,
    ReadingOptions,
    Relation,
    SearchKind,
    run,
    run_async,
)

_DEFAULTS = RankingOptions()
_NO_ARGUMENTS = "{} with search='lexical', which asks no vector store; use 'hybrid' or 'dense'"
_COUNTS = "budget, how much is read, or fetch_k, how many chunks each search finds"
_FILTER = "search_kwargs={'filter': …}"
_NO_K = "`budget`, how much is read, or the retriever's `fetch_k`, how many chunks are found"


class ChunkanaRetriever(IndexedRetriever):
    r"""Finds chunks of documents by meaning and words, and returns passages within a budget.

    It is made by `from_documents` or `load`, and brought to today's documents by `update` and
    `delete`. What it returns are exact slices of today's documents: each passage has the caller's
    metadata of its document, and `spans`, `lines`, `start_line`, `end_line`, `path`, `chunk_ids`,
    `score` and `chunkana_document_id`; of a key that the caller has too, the caller's value stays.
    `"\n\n".join` of all page contents never measures more than the budget.

    A document is known by its `id`, else by its `source`, to which `page` and the like are added
    as in `book.pdf#page=3`.

    Raises:
        ValueError: when made, for values that are not allowed and for unknown arguments.

    >>> from langchain_core.documents import Document
    >>> document = Document("# Tea\n\nBoil water.\n", metadata={"source": "tea.md"})
    >>> retriever = ChunkanaRetriever.from_documents([document], search="lexical")
    >>> (passage,) = retriever.invoke("Which water?")
    >>> passage.page_content, passage.metadata["source"], passage.metadata["start_line"]
    ('# Tea\n\nBoil water.', 'tea.md', 1)
    """

    other_names: ClassVar[Mapping[str, str]] = {
        "filter": _FILTER,
        "k": _COUNTS,
        "text_splitter": "splitter",
        "top_k": _COUNTS,
    }

    index: SplitterIndex = Field(repr=False, exclude=True)
    """What is searched."""
    search: SearchKind = "hybrid"
    """By meaning and words, or by one of them: "hybrid", "dense" or "lexical"."""
    budget: float = Field(default=6000, ge=0, strict=True)
    """The most that all page contents may measure, joined by blank lines."""
    length_function: Callable[[str], float] = len
    """Measures a text, in characters by default."""
    fetch_k: int = Field(default=_DEFAULTS.fetch_k, ge=1)
    """How many chunks each search finds."""
    lexical_weight: float = Field(default=_DEFAULTS.lexical_weight, ge=0.0, le=1.0)
    """That of the search by words in a hybrid one."""
    section_weight: float = Field(default=_DEFAULTS.section_weight, ge=0.0, allow_inf_nan=False)
    """How much the best score of a chunk's section counts beside its own; 0 for nothing."""
    document_weight: float = Field(default=_DEFAULTS.document_weight, ge=0.0, allow_inf_nan=False)
    """How much the best score of a chunk's document counts beside its own; 0 for nothing."""
    around: tuple[Relation, ...] = ()
    """Which leaves around each that was found are read too, behind all of them: the own text of
    the section above it, "parent", its "siblings", and "children", of the sections in it."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of the vector store's search, like a filter: then words rank what it
    finds, and add nothing."""

    @model_validator(mode="after")
    def _require_searches(self) -> Self:
        if self.search == "lexical" and self.search_kwargs:
            raise ConfigurationError("search_kwargs", self.search_kwargs, _NO_ARGUMENTS)
        return self

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
        budget: float | None = None,
        **search_kwargs: Any,
    ) -> list[Document]:
        found = run(self.index.find(self._question(query, search_kwargs)))
        return self._passages(found, budget)

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
        budget: float | None = None,
        **search_kwargs: Any,
    ) -> list[Document]:
        found = await run_async(self.index.find(self._question(query, search_kwargs)))
        return self._passages(found, budget)

    def _question(self, query: str, search_kwargs: Mapping[str, Any]) -> Question[Search]:
        """Return a question with the arguments of the vector store's search for it alone."""
        if "k" in search_kwargs:
            raise ConfigurationError("k", search_kwargs["k"], _NO_K)
        arguments = {**self.search_kwargs, **search_kwargs}
        if self.search == "lexical":
            if arguments:
                raise ConfigurationError("search_kwargs", arguments, _NO_ARGUMENTS)
            return Question(query, self.fetch_k, None)
        search = Search(query, {"k": self.fetch_k, **arguments})
        return Question(query, self.fetch_k, search, search.is_filtered)

    def _passages(self, found: FoundLeaves, budget: float | None) -> list[Document]:
        options = RankingOptions(
            self.search,
            self.lexical_weight,
            self.section_weight,
            self.document_weight,
            self.fetch_k,
        )
        budget = self.budget if budget is None else budget
        reading = ReadingOptions(budget, self.length_function, self.around)
        metadata = {record.document_id: record.metadata for record in found.records}
        return [
            passage_document(one, copied(metadata[one.document_id]))
            for one in found.passages(options, reading)
        ]
