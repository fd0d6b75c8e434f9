"""The retriever that searches an index and returns passages within a budget."""

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
from chunkana_langchain.keys import copied
from chunkana_langchain.reading.passages import passage_document
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
_NO_ARGUMENTS = "{} with search='lexical', which uses no vector store; use 'hybrid' or 'dense'"
_SIZES = "budget, the size of all passages, or fetch_k, the number of chunks each search finds"
_FILTER = "search_kwargs={'filter': …}"
_NO_K = (
    "`budget`, the size of all passages, or the retriever's `fetch_k`, the number of chunks each "
    "search finds"
)


class ChunkanaRetriever(IndexedRetriever):
    r"""A retriever with dense and lexical search that returns passages within a budget.

    `from_documents` and `load` create the retriever; `update` and `delete` change its index.
    Passages consist of exact slices of the documents. The metadata of a passage are the caller's
    metadata of its document, and `spans`, `lines`, `start_line`, `end_line`, `path`, `chunk_ids`,
    `score` and `chunkana_document_id`; if the caller's metadata have the same key, the caller's
    value is kept. The size of `"\n\n".join` of all page contents never exceeds the budget.

    The id of a document is its `id`, else its `source`, to which `page` and the like are appended
    as in `book.pdf#page=3`.

    Raises:
        ValueError: at creation, for invalid values and unknown arguments.

    >>> from langchain_core.documents import Document
    >>> document = Document("# Tea\n\nBoil water.\n", metadata={"source": "tea.md"})
    >>> retriever = ChunkanaRetriever.from_documents([document], search="lexical")
    >>> (passage,) = retriever.invoke("Which water?")
    >>> passage.page_content, passage.metadata["source"], passage.metadata["start_line"]
    ('# Tea\n\nBoil water.', 'tea.md', 1)
    """

    other_names: ClassVar[Mapping[str, str]] = {
        "filter": _FILTER,
        "k": _SIZES,
        "text_splitter": "splitter",
        "top_k": _SIZES,
    }

    index: SplitterIndex = Field(repr=False, exclude=True)
    """The index to search."""
    search: SearchKind = "hybrid"
    """The kind of search: "dense" (by vectors), "lexical" (by words) or "hybrid" (by both)."""
    budget: float = Field(default=6000, ge=0, strict=True)
    """The largest size of all page contents, joined by blank lines."""
    length_function: Callable[[str], float] = len
    """The function that returns the size of a text, by default in characters."""
    fetch_k: int = Field(default=_DEFAULTS.fetch_k, ge=1, strict=True)
    """The number of chunks that each search finds."""
    lexical_weight: float = Field(default=_DEFAULTS.lexical_weight, ge=0.0, le=1.0, strict=True)
    """The weight of the lexical scores in a hybrid search."""
    section_weight: float = Field(
        default=_DEFAULTS.section_weight, ge=0.0, allow_inf_nan=False, strict=True
    )
    """The weight of the best score of a chunk's section, relative to its own; 0 to ignore it."""
    document_weight: float = Field(
        default=_DEFAULTS.document_weight, ge=0.0, allow_inf_nan=False, strict=True
    )
    """The weight of the best score of a chunk's document, relative to its own; 0 to ignore it."""
    around: tuple[Relation, ...] = ()
    """The relations by which further chunks are added after all found chunks, the nearest first:
    "parent" for those directly in the section around a chunk's section, "siblings" for those of its
    own and of sibling sections, "children" for those of its direct subsections."""
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    """Further arguments of the vector store's search, such as a filter; with a filter, the lexical
    search ranks the chunks that the vector store finds, and adds none."""

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
        """Return the question to the index for a query with search arguments of its own."""
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
