"""The retriever: it keeps an index of documents, and returns passages or parents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, Self, TypedDict, TypeVar, Unpack, get_args

from llama_index.core import Settings
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import BaseNode, NodeWithScore, QueryBundle
from llama_index.core.utils import get_tqdm_iterable
from llama_index.core.vector_stores import MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import InputTypeError
from chunkana_llamaindex.documents import DocumentIndexer, NodeFormat, llm_text
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.vector_store import (
    Filters,
    LeafFilter,
    VectorStoreLeaves,
    afind_leaves,
    find_leaves,
    is_overridden,
    require_filters,
    require_usable,
)
from chunkana_retrieval import (
    Embedder,
    Found,
    Index,
    MergingOptions,
    ReadingOptions,
    SearchOptions,
    UpdateReport,
)
from chunkana_retrieval.checks import require_choice, require_known, require_names
from chunkana_retrieval.errors import warn, warn_of
from chunkana_retrieval.index import Proposal, Relation, RunOnLoop, SearchKind, call_in_thread
from chunkana_retrieval.input_limit import InputLimit


class ChunkanaRetriever(OptionAttributes, BaseRetriever):
    r"""Indexes documents, updates the index when they change, and answers questions from it.

    A question finds leaves by embeddings and by words. The scores of leaves near the best ones in
    their section and document are raised. The best leaves that fit into a budget are returned as
    passages: exact slices of the documents, each below its path, with metadata for citations (see
    `ContextAssembler`). The text for the language model,
    `"\n\n".join(node.get_content(MetadataMode.LLM))`, never exceeds the budget.

    The index is one database, in a folder or in memory. Results always come from the latest
    documents, whatever else a vector store contains. All attributes may be set afterwards;
    `with_options` sets them for one question.

    Raises:
        ConfigurationError: naming the argument, before anything is embedded.

    >>> from llama_index.core import Document
    >>> text = "# Tea\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
    >>> parser = ChunkanaNodeParser(min_chunk_size=0)
    >>> documents = [Document(text=text, id_="tea.md")]
    >>> retriever = ChunkanaRetriever.from_documents(
    ...     documents, search="lexical", node_parser=parser, budget=50
    ... )
    >>> (passage,) = retriever.retrieve("How many degrees?")
    >>> passage.node.ref_doc_id, passage.metadata["start_line"], passage.metadata["end_line"]
    ('tea.md', 1, 5)
    """

    _has_warned = False  # of leaves that are longer than the model reads

    def __init__(
        self,
        embed_model: BaseEmbedding | None = None,
        *,
        folder: str | Path | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        """Open the index in a folder, or make an empty one; see `from_documents` and `load`.

        Args:
            embed_model: the embedding model, see the attribute.
            folder: the folder of the index; None for an index in memory.
            options: the attributes; `tokenize`, which returns the search words of a text;
                `timeout`, the seconds to wait for updates of other processes; and
                `callback_manager`, as for every retriever.
        """
        self._configure(embed_model, options)
        self._index = Index(folder, **_opening(options))

    def _configure(self, embed_model: BaseEmbedding | None, options: RetrieverOptions) -> None:
        """Set all attributes except the index, and check them."""
        allowed = {"embed_model", "folder", *RetrieverOptions.__optional_keys__}
        require_known(options, allowed, _SIMILAR_NAMES)
        super().__init__(options.get("callback_manager"))
        self._set({**options, "embed_model": embed_model})

    def with_options(self, **options: Unpack[QuestionOptions]) -> Self:
        """Return a copy with other options, over the same index."""
        require_known(options, QuestionOptions.__optional_keys__, _SIMILAR_NAMES)
        changed = copy(self)
        changed._set(options)
        return changed

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[BaseNode],
        embed_model: BaseEmbedding | None = None,
        *,
        folder: str | Path | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """Return a retriever over exactly these documents.

        An index in the folder is updated, so that a build that was interrupted continues.

        Args:
            documents: documents with unique and stable ids, such as the names of their files.
            embed_model: see the constructor.
            folder: see the constructor.
            options: see the constructor.
        """
        return cls._make(documents, embed_model, folder, options)

    @classmethod
    async def afrom_documents(
        cls,
        documents: Iterable[BaseNode],
        embed_model: BaseEmbedding | None = None,
        *,
        folder: str | Path | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """Return a retriever over exactly these documents, as `from_documents` does."""
        return await call_in_thread(partial(cls._make, documents, embed_model, folder, options))

    @classmethod
    def _make(
        cls,
        documents: Iterable[BaseNode],
        embed_model: BaseEmbedding | None,
        folder: str | Path | None,
        options: RetrieverOptions,
        run: RunOnLoop | None = None,
    ) -> Self:
        retriever = cls(embed_model, folder=folder, **options)
        report = retriever._update(documents, (), bool(len(retriever._index)), run)
        failed = [f"{name} ({reason})" for name, reason in report.failed.items()]
        warn_of(failed, "could not be indexed")
        return retriever

    @classmethod
    def load(
        cls,
        folder: str | Path,
        embed_model: BaseEmbedding | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """Return a retriever over an existing index, which another process may have made.

        Args:
            folder: the folder of the index.
            embed_model: the same embedding model as before.
            options: the same parser and vector store as before; all other options may differ.

        Raises:
            ConfigurationError: for another model, or another kind of index.
            FileNotFoundError: if the folder has no index.
            IndexFileError: naming the file, if it is damaged or has another version.
        """
        return cls._load(folder, embed_model, options)

    @classmethod
    async def aload(
        cls,
        folder: str | Path,
        embed_model: BaseEmbedding | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> Self:
        """Return a retriever over an existing index, as `load` does."""
        return await call_in_thread(partial(cls._load, folder, embed_model, options))

    @classmethod
    def _load(
        cls,
        folder: str | Path,
        embed_model: BaseEmbedding | None,
        options: RetrieverOptions,
        run: RunOnLoop | None = None,
    ) -> Self:
        retriever = cls.__new__(cls)
        retriever._configure(embed_model, options)
        retriever._index = Index.load(folder, **_opening(options))
        embedder, store = retriever._embedder(run), retriever._leaves(run)
        if embedder is not None:  # words can be searched without the model
            retriever._index.require_model(embedder, has_store=store is not None)
        if store is not None:
            retriever._index.check_store(store)
        return retriever

    def update(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index; unchanged documents are skipped.

        Only new texts are embedded. All changes appear together at the end.

        Args:
            documents: new documents, and new versions of indexed documents, matched by their ids.
            delete_missing: whether to delete all other documents; an error if `documents` is empty.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
        """
        return self._update(documents, (), delete_missing)

    async def aupdate(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index, as `update` does."""
        return await call_in_thread(partial(self._update, documents, (), delete_missing))

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; ids that are not in the index are ignored."""
        return self._update((), require_names("document_ids", document_ids))

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents, as `delete` does."""
        names = require_names("document_ids", document_ids)
        return await call_in_thread(partial(self._update, (), names, False))

    def _update(
        self,
        documents: Iterable[BaseNode],
        deleted: Iterable[str] = (),
        delete_missing: bool = False,
        run: RunOnLoop | None = None,
    ) -> UpdateReport:
        parser = self.node_parser or ChunkanaNodeParser()
        indexer = DocumentIndexer(parser, self.embedded_metadata_keys, parser.document_chunker())
        report = self._index.update_sources(
            indexer.sources(documents),
            embedder=self._embedder(run),
            store=self._leaves(run),
            deleted=deleted,
            delete_missing=delete_missing,
            progress=_progress() if self.show_progress else None,
        )
        indexer.chunker.warn()
        return report

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index."""
        return self._index.document_ids()

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `document_ids` does."""
        return await asyncio.to_thread(self._index.document_ids)

    def repair(self) -> list[str]:
        """Bring the vector store to the leaves of the index, after it lost some or has others.

        Returns:
            The ids of documents to give to `update` again.
        """
        return self._index.repair(self._leaves())

    async def arepair(self) -> list[str]:
        """Bring the vector store to the leaves of the index, as `repair` does."""
        return await call_in_thread(lambda run: self._index.repair(self._leaves(run)))

    def save(self, folder: str | Path) -> None:
        """Save a copy of the index in a folder, for `load`."""
        self._index.save(folder)

    def close(self) -> None:
        """Close the index, and those of all copies."""
        self._index.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        model = self.embed_model and self.embed_model.model_name
        return f"ChunkanaRetriever({self._index!r}, search={self.search!r}, embed_model={model!r})"

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, or parents."""
        vector, proposals = query_bundle.embedding, None
        if model := self._dense_model(query_bundle):
            vector = vector or model.get_agg_embedding_from_queries(query_bundle.embedding_strs)
            if self.vector_store is not None:
                query = self._store_query(query_bundle, vector)
                proposals = find_leaves(self.vector_store, query)
        found = self._search(query_bundle, vector, proposals)
        nodes = _leaf_nodes(found)
        for postprocessor in self.node_postprocessors:
            nodes = postprocessor.postprocess_nodes(nodes, query_bundle)
        return self._results(found, nodes)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, or parents."""
        vector, proposals = query_bundle.embedding, None
        if model := self._dense_model(query_bundle):
            texts = query_bundle.embedding_strs
            vector = vector or await model.aget_agg_embedding_from_queries(texts)
            if self.vector_store is not None:
                query = self._store_query(query_bundle, vector)
                proposals = await afind_leaves(self.vector_store, query)
        found = await asyncio.to_thread(self._search, query_bundle, vector, proposals)
        nodes = _leaf_nodes(found)
        for postprocessor in self.node_postprocessors:
            nodes = await postprocessor.apostprocess_nodes(nodes, query_bundle)
        return await asyncio.to_thread(self._results, found, nodes)

    def _dense_model(self, query: QueryBundle) -> BaseEmbedding | None:
        """Return the model for a search by embeddings, None if words alone are searched for."""
        has_vector = query.embedding is not None or query.embedding_strs
        return self._model() if has_vector and self.search != "lexical" else None

    def _store_query(self, query: QueryBundle, vector: list[float]) -> VectorStoreQuery:
        return VectorStoreQuery(
            query_embedding=vector,
            similarity_top_k=self.fetch_k,
            query_str=query.query_str,
            filters=require_filters(self.filters),
        )

    def _search(
        self, query: QueryBundle, vector: list[float] | None, proposals: list[Proposal] | None
    ) -> Found:
        """Return the leaves of a search by the index, or ranked from those of a vector store."""
        options, filters = self.options_of(SearchOptions), require_filters(self.filters)
        if proposals is not None:
            is_filtered = filters is not None
            return self._index.search(
                query.query_str, options, proposals=proposals, is_filtered=is_filtered
            )
        if vector is None or self.search == "lexical":
            options, vector = replace(options, search="lexical"), None
        where = None if filters is None else LeafFilter.of(filters)
        return self._index.search(query.query_str, options, vector=vector, where=where)

    def _results(self, found: Found, nodes: Sequence[NodeWithScore]) -> list[NodeWithScore]:
        """Return the results of a search as nodes.

        Args:
            found: the leaves that were found.
            nodes: their nodes, in the order and with the scores of the postprocessors.
        """
        if self.node_postprocessors:
            found = _reranked(found, nodes)
        formats = _formats(found)
        if self.returns == "parents":
            passages = found.parents(self.options_of(MergingOptions))
        else:
            passages = found.passages(self.options_of(ReadingOptions), llm_text(formats))
            if not passages:
                self._warn_of_metadata(formats)
        return [formats[passage.document_id].passage(passage) for passage in passages]

    def _warn_of_metadata(self, formats: Mapping[str, NodeFormat]) -> None:
        """Warn of the first document whose metadata take all of the budget."""
        for name, one in formats.items():
            metadata = one.node.get_metadata_str(MetadataMode.LLM)
            if metadata and self.length_function(metadata) >= self.budget > 0:
                warn(
                    f"the metadata of {name!r} take all of the budget ({self.budget}), so none of "
                    "its text is returned; see excluded_llm_metadata_keys"
                )
                return

    def _model(self) -> BaseEmbedding | None:
        """Return the embedding model, None if only words are indexed."""
        if self.embed_model is None and (self.search != "lexical" or self.vector_store):
            self.embed_model = Settings.embed_model
        return self.embed_model

    def _embedder(self, run: RunOnLoop | None = None) -> Embedder | None:
        """Return the embedder of leaves, None if only words are indexed.

        Args:
            run: runs coroutines on the caller's event loop; None to call synchronous methods.
        """
        model = self._model()
        if model is None:
            return None
        call = model.get_text_embedding_batch
        names = ("_aget_text_embedding", "_aget_text_embeddings")
        if run is not None and any(is_overridden(model, name, BaseEmbedding) for name in names):
            call = partial(run, model.aget_text_embedding_batch)
        limit = InputLimit.of([getattr(model, "_model", None), model])

        def embed(texts: list[str]) -> list[list[float]]:
            if limit and not self._has_warned and (excess := limit.describe_excess(texts)):
                self._has_warned = True
                warn(f"{excess}: {_SHORTER}")
            return call(texts)

        return Embedder.of(model, embed, self.model_name, "embed_model")

    def _leaves(self, run: RunOnLoop | None = None) -> VectorStoreLeaves | None:
        """Return the leaves in the caller's vector store, None if there is no store."""
        embedder = self._embedder(run)
        if self.vector_store is None or embedder is None:
            return None
        return VectorStoreLeaves(self.vector_store, embedder.embed, run)


def _opening(options: RetrieverOptions) -> dict[str, Any]:
    """Return the options with which an index is opened."""
    return {name: options[name] for name in ("tokenize", "timeout") if name in options}


def _progress() -> Callable[[int, int], None]:
    """Return a function that shows the number of finished documents and of all, with tqdm."""
    bar: Any = get_tqdm_iterable((), show_progress=True, desc="Indexing documents")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show


def _formats(found: Found) -> dict[str, NodeFormat]:
    """Return the formats of the documents of hits, by their ids."""
    names = dict.fromkeys(hit.document_id for hit in found.hits)
    return {name: NodeFormat.of_record(found.records[name]) for name in names}


def _leaf_nodes(found: Found) -> list[NodeWithScore]:
    """Return hits as nodes."""
    formats = _formats(found)
    return [
        formats[hit.document_id].leaf(hit, found.records[hit.document_id]) for hit in found.hits
    ]


def _reranked(found: Found, nodes: Iterable[NodeWithScore]) -> Found:
    """Return hits in the order and with the scores of their nodes; other nodes are left out."""
    names = [node.node_id for node in _leaf_nodes(found)]
    hits = dict(zip(names, found.hits, strict=True))
    ranked = [
        replace(hit, score=hit.score if node.score is None else node.score)
        for node in nodes
        if (hit := hits.pop(node.node_id, None))
    ]
    return replace(found, hits=tuple(ranked))
