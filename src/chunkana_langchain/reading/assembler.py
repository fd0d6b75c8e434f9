"""The context assembler, a document compressor that returns passages within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan
from numbers import Real
from typing import Annotated

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import ConfigDict, Field, SkipValidation, field_validator

from chunkana_core import Span
from chunkana_langchain import keys
from chunkana_langchain.documents import TITLED
from chunkana_langchain.keys import NO_CHUNK, ChunkContext, callers_metadata
from chunkana_langchain.reading.passages import passage_document
from chunkana_retrieval import Hit, assemble_mixed, shared_metadata

_LOCATION_KEYS = frozenset({keys.START_CHAR, keys.END_CHAR, keys.PREFIX_CHARS, keys.DOCUMENT_ID})


class ContextAssembler(BaseDocumentCompressor):
    r"""A document compressor that assembles found documents into passages within a budget.

    The passages are those of `chunkana_retrieval.assemble`: slices of the sources in document
    order, each passage below its path, no text twice. The documents are chunks and parents of a
    `ChunkanaSplitter`, in the order of any retriever or reranker. Other documents are returned
    whole at their rank, or omitted if they do not fit. The size of `"\n\n".join` of all page
    contents never exceeds the budget.

    The metadata of a passage are the caller's metadata that all found documents of its source
    share, and `spans`, `lines`, `start_line`, `end_line`, `path`, `chunk_ids`, `score` and
    `chunkana_document_id`; if the caller's metadata have the same key, the caller's value is kept.

    Raises:
        ValueError: at creation, for invalid values and unknown arguments.
        ConfigurationError: during a call, for `sources` that the documents are not from.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = Field(default=6000, ge=0, strict=True)
    """The largest size of all page contents, joined by blank lines."""
    length_function: Callable[[str], float] = len
    """The function that returns the size of a text, by default in characters."""
    sources: Annotated[Mapping[str, str] | Callable[[str], str] | None, SkipValidation] = None
    """The texts of the sources by `chunkana_document_id`, or a function that returns the text for
    an id; with sources, adjacent chunks are joined and short gaps between chunks are filled."""

    @field_validator("sources", mode="before")
    @classmethod
    def _require_texts(cls, sources: object) -> object:
        if sources is not None and not isinstance(sources, Mapping) and not callable(sources):
            raise ValueError("sources must be a mapping, a function or None")
        return sources

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> list[Document]:
        """Return passages, sources in the order of their best document.

        Args:
            documents: the documents, the best first.
            query: not used.
            callbacks: not called, since nothing is run.
        """
        found = [_hit(document) or document.page_content for document in documents]
        parts = assemble_mixed(found, self.budget, self.length_function, self.sources)
        shared = shared_metadata(
            (hit.document_id, callers_metadata(document.metadata))
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
        """Return the assembler as a part of a chain: `retriever | assembler.as_runnable()`."""

        async def assemble_later(documents: Sequence[Document]) -> Sequence[Document]:
            return await self.acompress_documents(documents, "")

        def assemble_now(documents: Sequence[Document]) -> Sequence[Document]:
            return self.compress_documents(documents, "")

        return RunnableLambda(assemble_now, assemble_later, name=type(self).__name__)


def _hit(document: Document) -> Hit | None:
    """Return a chunk or parent as a hit; None for another document or changed metadata."""
    metadata, content = document.metadata, document.page_content
    try:
        context = ChunkContext.of(metadata)
        start, end = int(metadata[keys.START_CHAR]), int(metadata[keys.END_CHAR])
        prefix, document_id = int(metadata[keys.PREFIX_CHARS]), str(metadata[keys.DOCUMENT_ID])
    except NO_CHUNK:
        return None
    text = content[prefix : prefix + end - start]
    has_callers_location = not _LOCATION_KEYS.isdisjoint(context.callers_keys)
    if has_callers_location or not 0 <= start < end or len(text) < end - start:
        return None
    own = {key: value for key, value in metadata.items() if key not in context.callers_keys}
    own |= {keys.FORMAT: context.format, "continued_from_header": context.is_continued}
    score, title = metadata.get(keys.SCORE), context.title
    hit = Hit(
        document.id or "",
        float(score) if isinstance(score, Real) else nan,
        document_id=document_id,
        span=Span(start, end),
        path=(title, *context.path) if title and context.format not in TITLED else context.path,
        text=text,
    )
    return hit.with_metadata(own, content[context.content_start : prefix])
