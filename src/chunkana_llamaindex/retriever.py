"""The retriever: it keeps an index of documents, and returns passages or parents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from llama_index.core import Settings
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.utils import get_tqdm_iterable
from llama_index.core.vector_stores import VectorStoreQuery

from chunkana_core.extending import require_known_arguments, require_type
from chunkana_llamaindex.documents import (
    DocumentIndexer,
    NodeFormat,
    found_nodes,
    input_limit,
    llm_text,
    reranked,
)
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.options import (
    OTHER_NAMES,
    QUESTION_OPTIONS,
    RETRIEVER_OPTIONS,
    RetrieverOptions,
)
from chunkana_llamaindex.vector_store import (
    VectorStoreLeaves,
    afind_leaves,
    find_leaves,
    is_overridden,
    leaf_filter,
    require_filters,
)
from chunkana_retrieval import (
    Found,
    Index,
    SearchOptions,
    UpdateReport,
    words_of,
)
from chunkana_retrieval.adapting import DocumentRetriever, LoopRunner, call_in_thread, warn_of
from chunkana_retrieval.index import Embedder, StoreHit

Model = BaseEmbedding | None
Documents = Iterable[BaseNode]
Folder = str | Path
_ASYNC: Final = ("_aget_text_embedding", "_aget_text_embeddings")
_UNKNOWN: Final = BaseEmbedding.model_fields["model_name"].default
_NO_ROOM: Final = (
    "has metadata that take all of the budget ({}), so none of its text is returned; see "
    "excluded_llm_metadata_keys"
)


class ChunkanaRetriever(DocumentRetriever[BaseNode], RetrieverOptions, BaseRetriever):
    r"""Indexes documents, updates the index when they change, and answers questions from it.

    A question finds leaves by embeddings and by words. The scores of leaves near the best ones in
    their section and document are raised. The best leaves that fit into a budget are returned as
    passages: exact slices of the documents, each below its path, with metadata for citations (see
    `ContextAssembler`). The text for the language model,
    `"\n\n".join(node.get_content(MetadataMode.LLM))`, never exceeds the budget.

    The index is one database, in a folder or in memory. Results always come from the latest
    documents, whatever else a vector store contains. Options are attributes, which may be set
    afterwards; `with_options` sets them for one question.

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

    def __init__(
        self,
        embed_model: Model = None,
        *,
        folder: Folder | None = None,
        must_exist: bool = False,
        tokenize: Callable[[str], list[str]] = words_of,
        timeout: float = 60.0,
        callback_manager: CallbackManager | None = None,
        **options: Any,
    ) -> None:
        """Open the index in a folder, or make an empty one; see `from_documents` and `load`.

        Args:
            embed_model: the embedding model; not needed for `search="lexical"`.
            folder: the folder of the index; None for an index in memory.
            must_exist: whether a folder without an index is a FileNotFoundError.
            tokenize: returns the search words of a text, the same each time.
            timeout: the seconds that an update waits for those of other processes.
            callback_manager: as for every retriever.
            options: the attributes of the retriever.
        """
        require_known_arguments(options, RETRIEVER_OPTIONS, OTHER_NAMES)
        super().__init__(callback_manager)
        vars(self).update({**options, "embed_model": embed_model})
        self.require_valid()
        require_type("folder", folder, str | Path | None, "a folder, or None for memory")
        open_index: Callable[..., Index] = Index.load if must_exist else Index
        self.index = open_index(folder, tokenize=tokenize, timeout=timeout)

    @classmethod
    def from_documents(
        cls, documents: Documents, embed_model: Model = None, **options: Any
    ) -> Self:
        """Return a retriever over exactly these documents.

        An index in the folder is updated, so that a build that was interrupted continues.

        Args:
            documents: documents with unique and stable ids, such as the names of their files.
            embed_model: the embedding model; not needed for `search="lexical"`.
            options: the arguments of the constructor.
        """
        retriever = cls(embed_model, **options)
        cls._index_exactly(retriever, documents)
        return retriever

    @classmethod
    async def afrom_documents(
        cls, documents: Documents, embed_model: Model = None, **options: Any
    ) -> Self:
        """Return a retriever over exactly these documents, as `from_documents` does."""
        retriever = cls(embed_model, **options)
        await call_in_thread(partial(cls._index_exactly, retriever, documents))
        return retriever

    @classmethod
    def load(cls, folder: Folder, embed_model: Model = None, **options: Any) -> Self:
        """Return a retriever over an existing index, which another process may have made.

        Args:
            folder: the folder of the index.
            embed_model: the same embedding model as before.
            options: the same parser, vector store and `tokenize` as before; others may differ.

        Raises:
            ConfigurationError: for another model, or another kind of index.
            FileNotFoundError: if the folder has no index.
            IndexFileError: naming the file, if it is damaged or has another version.
        """
        retriever = cls(embed_model, folder=folder, must_exist=True, **options)
        cls._require_fitting(retriever)
        return retriever

    @classmethod
    async def aload(cls, folder: Folder, embed_model: Model = None, **options: Any) -> Self:
        """Return a retriever over an existing index, as `load` does."""
        retriever = cls(embed_model, folder=folder, must_exist=True, **options)
        await call_in_thread(partial(cls._require_fitting, retriever))
        return retriever

    def with_options(self, **options: Any) -> Self:
        """Return a copy with other options for questions, over the same index."""
        require_known_arguments(options, QUESTION_OPTIONS, OTHER_NAMES)
        changed = copy(self)
        vars(changed).update(options)
        return changed.require_valid()

    def _update(
        self, documents: Documents, run: LoopRunner | None = None, **changes: Any
    ) -> UpdateReport:
        parser = self.node_parser or ChunkanaNodeParser()
        chunker, limit = parser.document_chunker(), input_limit(self._model())
        indexer = DocumentIndexer(parser, self.embedded_metadata_keys, chunker, limit)
        embedder, leaves = self._target(run)
        progress = _progress() if self.show_progress else None
        report = self.index.update_sources(
            indexer.sources(documents),
            embedder=embedder,
            store=leaves,
            progress=progress,
            **changes,
        )
        chunker.warn()
        return report

    def __repr__(self) -> str:
        return f"<ChunkanaRetriever: search={self.search!r} in {self.index!r}>"

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, or parents."""
        vector, store_hits = query_bundle.embedding, None
        model, store = self._dense_model(query_bundle), self.vector_store
        if model is not None and vector is None:
            vector = model.get_agg_embedding_from_queries(query_bundle.embedding_strs)
        if model is not None and store is not None:
            store_hits = find_leaves(store, self._store_query(query_bundle, vector))
        found = self._search(query_bundle, vector, store_hits)
        if self.node_postprocessors:
            nodes = found_nodes(found)
            for postprocessor in self.node_postprocessors:
                nodes = postprocessor.postprocess_nodes(nodes, query_bundle)
            found = reranked(found, nodes)
        return self._results(found)

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, or parents."""
        vector, store_hits = query_bundle.embedding, None
        model, store = self._dense_model(query_bundle), self.vector_store
        if model is not None and vector is None:
            vector = await model.aget_agg_embedding_from_queries(query_bundle.embedding_strs)
        if model is not None and store is not None:
            store_hits = await afind_leaves(store, self._store_query(query_bundle, vector))
        found = await asyncio.to_thread(self._search, query_bundle, vector, store_hits)
        if self.node_postprocessors:
            nodes = found_nodes(found)
            for postprocessor in self.node_postprocessors:
                nodes = await postprocessor.apostprocess_nodes(nodes, query_bundle)
            found = reranked(found, nodes)
        return await asyncio.to_thread(self._results, found)

    def _dense_model(self, query: QueryBundle) -> Model:
        """Return the model for a search by embeddings, None if words alone are searched for."""
        is_empty = query.embedding is None and not query.embedding_strs
        return None if is_empty or self.search == "lexical" else self._model()

    def _store_query(self, query: QueryBundle, vector: list[float] | None) -> VectorStoreQuery:
        return VectorStoreQuery(
            query_embedding=vector,
            similarity_top_k=self.fetch_k,
            query_str=query.query_str,
            filters=require_filters(self.filters),
        )

    def _search(
        self, query: QueryBundle, vector: list[float] | None, store_hits: list[StoreHit] | None
    ) -> Found:
        """Return the leaves that the index finds, or ranks of those that a vector store found."""
        search = partial(self.index.search, query.query_str, self.options_of(SearchOptions))
        if store_hits is None:
            return search(vector=vector, where=leaf_filter(self.filters))
        return search(store_hits=store_hits, is_filtered=bool(self.filters))

    def _results(self, found: Found) -> list[NodeWithScore]:
        """Return passages or parents as nodes."""
        formats = {name: NodeFormat.of_record(one) for name, one in found.records.items()}
        passages = self.passages_of(found, llm_text(formats))
        if found.hits and not passages:
            name = found.hits[0].document_id
            metadata = formats[name].node.get_metadata_str(MetadataMode.LLM)
            if metadata and self.length_function(metadata) >= self.budget > 0:
                warn_of([name], _NO_ROOM.format(self.budget))
        return [formats[passage.document_id].passage(passage) for passage in passages]

    def _model(self) -> Model:
        """Return the embedding model, None for words alone."""
        needs_vectors = self.search != "lexical" or self.vector_store is not None
        if self.embed_model is None and needs_vectors:
            self.embed_model = Settings.embed_model
        return self.embed_model

    def _target(self, run: LoopRunner | None) -> tuple[Embedder | None, VectorStoreLeaves | None]:
        """Return the embedder of leaves, and the caller's vector store; None for either without."""
        model, store = self._model(), self.vector_store
        if model is None:
            return None, None
        embed = model.get_text_embedding_batch
        if run and any(is_overridden(model, name, BaseEmbedding) for name in _ASYNC):
            embed = partial(run, model.aget_text_embedding_batch)
        named = type(model) if model.model_name == _UNKNOWN else model
        embedder = Embedder.of(named, embed, self.model_name, "embed_model")
        return embedder, None if store is None else VectorStoreLeaves(store, embedder, run)


def _progress() -> Callable[[int, int], None]:
    """Return a function that shows the number of finished documents, and of all, with tqdm."""
    bar: Any = get_tqdm_iterable((), show_progress=True, desc="Indexing documents")

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return show
