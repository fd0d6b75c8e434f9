"""A retriever with its own index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final, Never, Unpack

from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.callbacks import CallbackManager
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, QueryBundle
from llama_index.core.storage.docstore import BaseDocumentStore
from llama_index.core.storage.kvstore.types import BaseKVStore
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core import ConfigurationError
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.retrieving import arguments
from chunkana_llamaindex.retrieving.arguments import Filters, RetrieverOptions
from chunkana_llamaindex.retrieving.documents import DocumentIndexer, passage_template
from chunkana_llamaindex.retrieving.embedding import TextVectors
from chunkana_llamaindex.retrieving.leaves import LeafStore, Search, require_usable
from chunkana_llamaindex.retrieving.records import record_store
from chunkana_retrieval import Passage
from chunkana_retrieval.checks import names_of, require_known, require_names
from chunkana_retrieval.indexing import (
    DocumentIndex,
    FoundLeaves,
    Question,
    RankingOptions,
    ReadingOptions,
    Relation,
    SearchKind,
    UpdateReport,
    run,
    run_async,
)

_NO_FILTERS: Final = "None with search='lexical', which searches by words only"
_DEFAULTS: Final = RankingOptions()


class ChunkanaRetriever(BaseRetriever):
    r"""Indexes documents, updates the index when they change, and returns passages for queries.

    A query finds leaves by embeddings and by words. The scores of leaves near the best ones in
    their section and document are raised. The best leaves that fit into a budget are returned as
    passages: exact slices of the documents, each below its path, with metadata for citations (see
    `ContextAssembler`). The text for the language model,
    `"\n\n".join(node.get_content(MetadataMode.LLM))`, never exceeds the budget.

    Results always come from the latest documents, whatever else a vector store contains. Searches
    can run during an update.

    Raises:
        ConfigurationError: naming the argument, before anything is embedded.

    >>> from llama_index.core import Document
    >>> text = "# Tea\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
    >>> parser = ChunkanaNodeParser(min_chunk_size=0)
    >>> documents = [Document(text=text, id_="tea.md")]
    >>> retriever = ChunkanaRetriever.from_documents(
    ...     documents, search="lexical", parser=parser, budget=50
    ... )
    >>> (passage,) = retriever.retrieve("How many degrees?")
    >>> passage.node.ref_doc_id, passage.metadata["start_line"], passage.metadata["end_line"]
    ('tea.md', 1, 5)
    """

    def __init__(
        self,
        embedding: BaseEmbedding | None = None,
        *,
        parser: ChunkanaNodeParser | None = None,
        vectorstore: BasePydanticVectorStore | None = None,
        docstore: BaseDocumentStore | BaseKVStore | None = None,
        folder: str | Path | None = None,
        search: SearchKind = "hybrid",
        budget: float = 6000,
        length_function: Callable[[str], float] = len,
        around: Collection[Relation] = (),
        fetch_k: int = _DEFAULTS.fetch_k,
        lexical_weight: float = _DEFAULTS.lexical_weight,
        section_weight: float = _DEFAULTS.section_weight,
        document_weight: float = _DEFAULTS.document_weight,
        filters: Filters | None = None,
        embedded_metadata_keys: Sequence[str] = (),
        callback_manager: CallbackManager | None = None,
        **unknown: Never,
    ) -> None:
        """Create a retriever with an empty index; see `from_documents` and `load`.

        Args:
            embedding: the embedding model; not needed for `search="lexical"`.
            parser: the parser of the documents, including the context of chunks; by default
                `ChunkanaNodeParser()`.
            vectorstore: the store of the leaves; by default in memory.
            docstore: a document store or key-value store for the records of documents; by default
                in memory.
            folder: the folder in which data in memory are saved after each update; None for none.
            search: "hybrid" searches by embeddings and by words, "dense" by embeddings, "lexical"
                by words.
            budget: the size limit of all passages together.
            length_function: returns the size of a text; by default in characters.
            around: leaves to add if there is room, after all hits: "parent", "siblings" and
                "children" of each leaf, of each relation the nearest first.
            fetch_k: the number of leaves that each search returns.
            lexical_weight: the weight of lexical scores in a hybrid search, from 0 to 1.
            section_weight: the weight of the best score in the section of a leaf.
            document_weight: the weight of the best score in the document of a leaf.
            filters: filters of the vector store, or a dict of metadata values that must be equal;
                lexical search then only reranks the leaves that the vector store returns.
            embedded_metadata_keys: the keys of the documents' metadata that are embedded with each
                chunk.
            callback_manager: as for every retriever.
            unknown: any other argument is an error that names the allowed ones.
        """
        require_known(unknown, names_of(ChunkanaRetriever), arguments.SIMILAR_NAMES)
        super().__init__(callback_manager)
        self._options = RankingOptions(
            search, lexical_weight, section_weight, document_weight, fetch_k
        )
        self._reading = ReadingOptions(budget, length_function, arguments.require_relations(around))
        self._filters = arguments.require_filters(filters)
        keys = require_names("embedded_metadata_keys", embedded_metadata_keys)
        self._indexer = DocumentIndexer(arguments.require_parser(parser), keys)
        if search == "lexical" and filters is not None:
            raise ConfigurationError("filters", filters, _NO_FILTERS)
        if vectorstore is not None:
            require_usable(vectorstore)
        vectors = TextVectors(arguments.require_embedding(embedding, search))
        leaves = LeafStore(vectorstore, vectors)
        self._index = DocumentIndex(leaves, record_store(docstore), folder, search)

    @classmethod
    def from_documents(
        cls,
        documents: Iterable[BaseNode],
        embedding: BaseEmbedding | None = None,
        *,
        folder: str | Path | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> ChunkanaRetriever:
        """Return a retriever with an index of documents.

        An index in memory or in the folder is rebuilt. Documents in the caller's own stores are
        updated instead, as `update` does.

        Args:
            documents: documents with unique and stable ids, such as the names of their files.
            embedding: see the constructor.
            folder: see the constructor.
            options: see the constructor.
        """
        retriever = cls(embedding, folder=folder, **options)
        retriever._index.make(retriever._indexer.sources(documents))
        return retriever

    @classmethod
    async def afrom_documents(
        cls,
        documents: Iterable[BaseNode],
        embedding: BaseEmbedding | None = None,
        *,
        folder: str | Path | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> ChunkanaRetriever:
        """Return a retriever with an index of documents, as `from_documents` does."""
        retriever = cls(embedding, folder=folder, **options)
        await retriever._index.amake(retriever._indexer.sources(documents))
        return retriever

    @classmethod
    def load(
        cls,
        folder: str | Path | None,
        embedding: BaseEmbedding | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> ChunkanaRetriever:
        """Return a retriever with an existing index, which another process may have built.

        Args:
            folder: the folder in which the index was saved; None if the caller's own stores contain
                the whole index.
            embedding: the same embedding model as before.
            options: the same stores and parser as before; all other options may differ.

        Raises:
            ConfigurationError: naming the missing argument.
            IndexFileError: naming the file, if it is damaged or has another version.
            OSError: if the file cannot be read.
        """
        retriever = cls(embedding, folder=folder, **options)
        retriever._index.load()
        return retriever

    @classmethod
    async def aload(
        cls,
        folder: str | Path | None,
        embedding: BaseEmbedding | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> ChunkanaRetriever:
        """Return a retriever with an existing index, as `load` does."""
        retriever = cls(embedding, folder=folder, **options)
        await retriever._index.aload()
        return retriever

    def update(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index; unchanged documents are skipped.

        Only texts that no chunk had before are embedded. If an update is interrupted, each document
        is either as before or as after the update, and the next update completes it.

        Args:
            documents: new documents, and new versions of indexed documents, matched by their ids.
            delete_missing: whether to delete all other documents; an error if `documents` is empty.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
            IndexFileError: if another process or retriever has written the file in the folder since
                it was loaded, before anything is changed or embedded; `load` the index again.
        """
        sources = self._indexer.sources(documents)
        return self._index.update(sources, delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Update the index, as `update` does."""
        sources = self._indexer.sources(documents)
        return await self._index.aupdate(sources, delete_missing=delete_missing)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; ids that are not in the index are ignored."""
        names = require_names("document_ids", document_ids)
        return self._index.update(self._indexer.sources([]), names)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents, as `delete` does."""
        names = require_names("document_ids", document_ids)
        return await self._index.aupdate(self._indexer.sources([]), names)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index."""
        return run(self._index.stores.records.names())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `document_ids` does."""
        return await run_async(self._index.stores.records.names())

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, with documents in the order of their best leaves."""
        return self._passage_nodes(run(self._index.find(self._question(query_bundle))))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, with documents in the order of their best leaves."""
        return self._passage_nodes(await run_async(self._index.find(self._question(query_bundle))))

    def _question(self, query: QueryBundle) -> Question[Search]:
        """Return the query to the index; a query without text or vector is only lexical."""
        options, filters = self._options, self._filters
        has_vector = options.search != "lexical" and (query.embedding or query.embedding_strs)
        search = Search(query, options.fetch_k, filters) if has_vector else None
        return Question(query.query_str, options.fetch_k, search, filters is not None)

    def _passage_nodes(self, found: FoundLeaves) -> list[NodeWithScore]:
        """Return the passages whose text for the language model fits into the budget, as nodes."""
        templates = {record.document_id: passage_template(record) for record in found.records}

        def llm_text(passage: Passage) -> str:
            return templates[passage.document_id].node(passage).get_content(MetadataMode.LLM)

        passages = found.passages(self._options, self._reading, llm_text)
        return [templates[passage.document_id].scored_node(passage) for passage in passages]
