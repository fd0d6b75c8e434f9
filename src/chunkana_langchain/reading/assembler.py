"""A document compressor that hands over what is best read of documents, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan
from numbers import Real
from typing import Annotated, Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import ConfigDict, Field, SkipValidation, field_validator

from chunkana_core import Span
from chunkana_langchain import keys
from chunkana_langchain.reading.passages import passage_document
from chunkana_langchain.splitting.origin import NO_CHUNK, ChunkContext
from chunkana_langchain.splitting.outline import TITLED
from chunkana_retrieval import Hit, assemble_mixed, shared_metadata

_OURS = keys.OWN.union(keys.HEADERS, {keys.START_INDEX, keys.SCORE})
_PLACE = frozenset({keys.START_CHAR, keys.END_CHAR, keys.PREFIX_CHARS, keys.DOCUMENT_ID})


class ContextAssembler(BaseDocumentCompressor):
    r"""Makes passages of documents that a search found: as much of the best as fits into a budget.

    The rule is that of `chunkana_retrieval.assemble`: slices of the sources in their order, each
    passage under its path once, nothing twice. Documents are those of a `ChunkanaSplitter`, chunks
    and parents, as any retriever or reranker ranks them. Others are handed over whole, at their
    place in the ranking, or left out where they do not fit. `"\n\n".join` of all page contents
    never measures more than the budget.

    A passage has the caller's metadata that all documents found of its source share, and `spans`,
    `lines`, `start_line`, `end_line`, `path`, `chunk_ids`, `score` and `chunkana_document_id`; of a
    key that the caller has too, the caller's value stays.

    Raises:
        ValueError: when made, for values that are not allowed and for unknown arguments.
        ConfigurationError: when asked, for `sources` that are not what the documents are from.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = Field(default=6000, ge=0, strict=True)
    """The most that all page contents may measure, joined by blank lines."""
    length_function: Callable[[str], float] = len
    """Measures a text, in characters by default."""
    sources: Annotated[Mapping[str, str] | Callable[[str], str] | None, SkipValidation] = None
    """The texts of the sources by `chunkana_document_id`, or a function that returns one: with them
    neighbours are joined, and short gaps between them filled."""

    @field_validator("sources", mode="before")
    @classmethod
    def _require_texts(cls, sources: object) -> object:
        if sources is not None and not isinstance(sources, Mapping) and not callable(sources):
            raise ValueError("sources is no mapping, no function and not None")
        return sources

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> list[Document]:
        """Return passages, sources in the order of their best document.

        Args:
            documents: the best first.
            query: is not looked at.
            callbacks: are not called, since nothing is run.
        """
        found = [_hit(document) or document.page_content for document in documents]
        parts = assemble_mixed(found, self.budget, self.length_function, self.sources)
        shared = shared_metadata(
            (hit.document_id, _callers_metadata(document))
            for document, hit in zip(documents, found, strict=True)
            if isinstance(hit, Hit)
        )
        return [
            documents[part]
            if isinstance(part, int)
            else passage_document(part, shared[part.document_id])
            for part in parts
        ]

    def as_runnable(self) -> Runnable[Sequence[Document], Sequence[Document]]:
        """Return it as a part of a chain: `retriever | assembler.as_runnable()`."""

        async def assemble_later(documents: Sequence[Document]) -> Sequence[Document]:
            return await self.acompress_documents(documents, "")

        def assemble_now(documents: Sequence[Document]) -> Sequence[Document]:
            return self.compress_documents(documents, "")

        return RunnableLambda(assemble_now, assemble_later, name=type(self).__name__)


def _hit(document: Document) -> Hit | None:
    """Return a chunk or parent as a hit; None for what is none, or was changed."""
    metadata, content = document.metadata, document.page_content
    try:
        context = ChunkContext.of(metadata)
        start, end = int(metadata[keys.START_CHAR]), int(metadata[keys.END_CHAR])
        prefix, document_id = int(metadata[keys.PREFIX_CHARS]), str(metadata[keys.DOCUMENT_ID])
    except NO_CHUNK:
        return None
    text = content[prefix : prefix + end - start]
    if not _PLACE.isdisjoint(context.kept) or not 0 <= start < end or len(text) < end - start:
        return None
    own = {key: value for key, value in metadata.items() if key not in context.kept}
    known = {keys.FORMAT: context.format, keys.CONTINUED: context.is_continued}
    score, title = metadata.get(keys.SCORE), context.title
    hit = Hit(
        document.id or "",
        float(score) if isinstance(score, Real) else nan,
        document_id=document_id,
        span=Span(start, end),
        path=(title, *context.path) if title and context.format not in TITLED else context.path,
        text=text,
    )
    return hit.with_metadata({**own, **known}, content[context.content_start : prefix])


def _callers_metadata(document: Document) -> dict[str, Any]:
    """Return the metadata of a chunk or parent that its document has."""
    ours = _OURS.difference(ChunkContext.of(document.metadata).kept)
    return {key: value for key, value in document.metadata.items() if key not in ours}
