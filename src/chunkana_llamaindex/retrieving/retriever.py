"""The retriever that has its index."""

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
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
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

_WORDS_ALONE: Final = "None with search='lexical', which looks for words alone"
_DEFAULTS: Final = RankingOptions()


class ChunkanaRetriever(BaseRetriever):
    r"""Indexes documents, keeps the index at today's documents, and returns what is best read.

    A question finds leaves by meaning and by words; those near the best ones in section and
    document are lifted; what of them fits into a budget is returned as passages: exact slices of
    the documents, each under its path once, with metadata for citations (`ContextAssembler`). What
    a language model reads, `"\n\n".join(node.get_content(MetadataMode.LLM))`, is never more than
    the budget.

    Answers are made of the documents that the index was given last, whatever a vector store has
    besides. Searches may go on while documents change.

    Raises:
        ConfigurationError: naming the argument, before anything is embedded.

    >>> from llama_index.core import Document
    >>> text = "# Tea\n\n## Green\n\nWait for 80 degrees.\n\n## Black\n\nDo not wait.\n"
    >>> parser = ChunkanaNodeParser(min_chunk_size=0)
    >>> documents = [Document(text=text, id_="tea.md")]
    >>> retriever = ChunkanaRetriever.from_documents(documents, search="lexical", parser=parser)
    >>> found = retriever.retrieve("How many degrees?")[0]
    >>> found.node.ref_doc_id, found.metadata["start_line"], found.metadata["end_line"]
    ('tea.md', 3, 5)
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
        """Make a retriever of an empty index; see `from_documents` and `load`.

        Args:
            embedding: embeds texts; none is needed where words alone are searched.
            parser: how documents are chunked, and what is embedded before chunks; by default
                `ChunkanaNodeParser()`.
            vectorstore: has the leaves; by default they are in memory.
            docstore: a document store or key-value store, has the records of documents; by default
                they are in memory.
            folder: where what is in memory is saved after each update; None for nowhere.
            search: by meaning and words ("hybrid"), meaning ("dense") or words ("lexical").
            budget: the most that all that is read may measure.
            length_function: measures a text, in characters by default.
            around: what is read besides where there is room, behind all that was found: "parent",
                "siblings" and "children" of each leaf.
            fetch_k: how many leaves each search proposes.
            lexical_weight: that of words in a hybrid search, from 0 to 1.
            section_weight: how much the best score of a section counts for others there.
            document_weight: how much the best score of a document counts for others there.
            filters: of the vector store, or a dict of metadata that have to be equal; words then
                rank what it proposes.
            embedded_metadata_keys: of the documents' metadata, what is embedded with each chunk.
            callback_manager: as for every retriever.
            unknown: none; what is given is an error that names what is allowed.
        """
        require_known(unknown, names_of(ChunkanaRetriever), arguments.OTHER_NAMES)
        super().__init__(callback_manager)
        self._options = RankingOptions(
            search, lexical_weight, section_weight, document_weight, fetch_k
        )
        self._reading = ReadingOptions(budget, length_function, arguments.require_relations(around))
        self._filters = arguments.require_filters(filters)
        keys = require_names("embedded_metadata_keys", embedded_metadata_keys)
        self._indexer = DocumentIndexer(arguments.require_parser(parser), keys)
        if search == "lexical" and filters is not None:
            raise ConfigurationError("filters", filters, _WORDS_ALONE)
        if vectorstore is not None:
            require_usable(vectorstore)
        embedded = TextVectors(arguments.require_embedding(embedding, search))
        leaves = LeafStore(vectorstore, embedded)
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
        """Return a retriever of documents.

        What is in memory is made anew, also where the folder has an index. What stores of the
        caller's have already stays, and is brought to these documents.

        Args:
            documents: with ids that differ and that stay, such as the names of their files.
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
        """Return a retriever of documents, as `from_documents` does."""
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
        """Return a retriever of an index that was made before, also in another process.

        Args:
            folder: where it was saved; None where it is in stores of the caller's alone.
            embedding: the same as before.
            options: the same stores and parser as before; all others may differ.

        Raises:
            ConfigurationError: naming what is missing.
            IndexFileError: naming the file, if it is damaged or of another version.
            OSError: if it cannot be read.
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
        """Return a retriever of an index that was made before, as `load` does."""
        retriever = cls(embedding, folder=folder, **options)
        await retriever._index.aload()
        return retriever

    def update(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Bring the index to today's documents; what has not changed costs nothing.

        A text is embedded if no chunk had it before. Of updates that end half-way each document is
        answered as before or as after it, until the next one finishes it.

        Args:
            documents: new ones, and those that the index has by their ids.
            delete_missing: whether all others are deleted; an error where no documents are given.

        Raises:
            ConfigurationError: naming the argument, before anything is changed.
            IndexFileError: if another has written the folder's file since it was loaded, before
                anything is changed or embedded; `load` it again.
        """
        sources = self._indexer.sources(documents)
        return self._index.update(sources, delete_missing=delete_missing)

    async def aupdate(
        self, documents: Iterable[BaseNode], *, delete_missing: bool = False
    ) -> UpdateReport:
        """Bring the index to today's documents, as `update` does."""
        sources = self._indexer.sources(documents)
        return await self._index.aupdate(sources, delete_missing=delete_missing)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents by their ids; one that the index does not have is no error."""
        names = require_names("document_ids", document_ids)
        return self._index.update(self._indexer.sources([]), names)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        """Delete documents, as `delete` does."""
        names = require_names("document_ids", document_ids)
        return await self._index.aupdate(self._indexer.sources([]), names)

    def document_ids(self) -> list[str]:
        """Return the ids of all documents in the index, by which they are deleted."""
        return run(self._index.stores.records.names())

    async def adocument_ids(self) -> list[str]:
        """Return the ids of all documents in the index, as `document_ids` does."""
        return await run_async(self._index.stores.records.names())

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, documents in the order of their best leaf."""
        return self._nodes(run(self._index.find(self._question(query_bundle))))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        """Return passages, documents in the order of their best leaf."""
        return self._nodes(await run_async(self._index.find(self._question(query_bundle))))

    def _question(self, query: QueryBundle) -> Question[Search]:
        """Return what the index is asked; where nothing can be embedded, words alone."""
        options, filters = self._options, self._filters
        has_vector = options.search != "lexical" and (query.embedding or query.embedding_strs)
        search = Search(query, options.fetch_k, filters) if has_vector else None
        return Question(query.query_str, options.fetch_k, search, filters is not None)

    def _nodes(self, found: FoundLeaves) -> list[NodeWithScore]:
        """Return the passages that fit as a language model reads them."""
        templates = {record.document_id: passage_template(record) for record in found.records}

        def written(passage: Passage) -> str:
            return templates[passage.document_id].node(passage).get_content(MetadataMode.LLM)

        passages = found.passages(self._options, self._reading, written)
        return [templates[one.document_id].scored_node(one) for one in passages]
