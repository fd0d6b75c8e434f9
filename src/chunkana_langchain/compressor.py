"""The context assembler, a document compressor that returns passages within a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from numbers import Real
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import ConfigDict, Field, InstanceOf

from chunkana_core import ConfigurationError, Span
from chunkana_core.extending import HEADED_FORMATS
from chunkana_langchain import keys
from chunkana_langchain.keys import NO_CHUNK, ChunkContext, callers_metadata
from chunkana_langchain.vector_store import leaf_document
from chunkana_retrieval import Found, Hit, Passage, assemble_mixed, shared_metadata
from chunkana_retrieval.adapting import hits_in_sources

_LOCATION_KEYS = frozenset({keys.START_CHAR, keys.END_CHAR, keys.PREFIX_CHARS, keys.DOCUMENT_ID})
_RELEVANCE = "relevance_score"  # LangChain's key for the score of a reranker
_SAME_DOCUMENTS = "one that returns the documents that it is given, with their metadata"


class ContextAssembler(BaseDocumentCompressor):
    r"""A document compressor that assembles found documents into passages within a budget.

    The passages are those of `chunkana_retrieval.assemble`: slices of the sources in document
    order, each passage below its path, no text twice. The documents are chunks and parents of a
    `ChunkanaSplitter`, in the order of any retriever or reranker. Other documents are returned
    whole at their rank, or omitted if they do not fit; so are, with a warning, chunks that are not
    in `sources`. The size of `"\n\n".join` of all page contents never exceeds the budget.

    The metadata of a passage are the caller's metadata that all found documents of its source
    share, and `spans`, `lines`, `start_line`, `end_line`, `path`, `chunk_ids`, `score` and
    `chunkana_document_id`; if the caller's metadata have the same key, the caller's value is kept.

    Raises:
        ValueError: at creation, for invalid values and unknown arguments.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    budget: float = Field(default=6000, ge=0, strict=True)
    """The largest size of all page contents, joined by blank lines."""
    length_function: Callable[[str], float] = len
    """The function that returns the size of a text, by default in characters."""
    sources: InstanceOf[Mapping[str, str]] | Callable[[str], str] | None = None
    """The texts of the sources by `chunkana_document_id`, or a function that returns the text for
    an id; with sources, adjacent chunks are joined and short gaps between chunks are filled."""

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
        hits, source = [*map(_hit, documents)], None
        if self.sources is not None:
            hits, source = hits_in_sources(hits, self.sources)
        found = [hit or one.page_content for one, hit in zip(documents, hits, strict=True)]
        parts = assemble_mixed(found, self.budget, self.length_function, source)
        shared = shared_metadata(
            (hit.document_id, callers_metadata(document.metadata))
            for document, hit in zip(documents, hits, strict=True)
            if hit
        )
        return [
            documents[part]
            if isinstance(part, int)
            else passage_document(part, shared[part.document_id])
            for part in parts
        ]

    def as_runnable(self) -> Runnable[Sequence[Document], Sequence[Document]]:
        """Return the assembler as a part of a chain: `retriever | assembler.as_runnable()`."""
        compress = partial(self.compress_documents, query="")
        acompress = partial(self.acompress_documents, query="")
        return RunnableLambda(compress, acompress, name=type(self).__name__)


def passage_document(passage: Passage, metadata: Mapping[str, Any]) -> Document:
    """Return a passage as a document, with the caller's metadata of its source.

    If the caller's metadata have the same key, the caller's value is kept.
    """
    own = {**passage.metadata(), keys.DOCUMENT_ID: passage.document_id}
    if not isnan(passage.score):
        own[keys.SCORE] = passage.score
    name = f"{passage.document_id}:{passage.spans[0].start}-{passage.spans[-1].end}"
    return Document(page_content=passage.text, metadata={**own, **metadata}, id=name)


def found_documents(found: Found) -> list[Document]:
    """Return the found leaves as documents for a reranker, the best first, with ids and scores."""
    documents = [leaf_document(*leaf) for leaf in found.leaves()]
    for document, hit in zip(documents, found.hits, strict=True):
        document.metadata |= {keys.CHUNK_ID: hit.node_id, keys.SCORE: hit.score}
    return documents


def reranked(found: Found, ranked: Sequence[Document]) -> Found:
    """Return the found leaves in the order of a reranker, with its scores.

    If the reranker gives no scores, the scores of the search are assigned in its order.

    Args:
        found: the found leaves.
        ranked: the documents of leaves that the reranker returned.

    Raises:
        ConfigurationError: for a document that is not one of a found leaf.
    """
    hits = {leaf.leaf_id: hit for (_, leaf), hit in zip(found.leaves(), found.hits, strict=True)}
    order, scores = list[Hit](), list[Any]()
    for document in ranked:
        hit = hits.get(document.metadata.get(keys.LEAF_ID, ""))
        if hit is None:
            raise ConfigurationError("compressor", document, _SAME_DOCUMENTS)
        order.append(hit)
        scores.append(document.metadata.get(_RELEVANCE))
    if None in scores:
        scores = sorted((hit.score for hit in order), reverse=True)
    scored = zip(order, map(float, scores), strict=True)
    return replace(found, hits=tuple(replace(hit, score=score) for hit, score in scored))


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
    score = metadata.get(keys.SCORE)
    title = "" if context.format in HEADED_FORMATS else context.title
    hit = Hit(
        document.id or "",
        float(score) if isinstance(score, Real) else nan,
        document_id=document_id,
        span=Span(start, end),
        path=(title, *context.path) if title else context.path,
        text=text,
    )
    return hit.with_metadata(own, content[context.content_start : prefix])
