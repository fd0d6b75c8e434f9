"""The suite's names over LlamaIndex."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from llama_index.core import Document
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from llama_index.core.vector_stores import (
    MetadataFilter,
    MetadataFilters,
    SimpleVectorStore,
    VectorStoreQuery,
    VectorStoreQueryResult,
)

from chunkana_llamaindex import ChunkanaNodeParser, ChunkanaRetriever
from tests.conformance.frameworks import CHUNK_SIZE, Answer, Framework, Native, Store
from tests.conformance.models import Model


class WordEmbedding(BaseEmbedding):
    """The embedding of a model, with an asynchronous client if the model has no other."""

    _model: Model = PrivateAttr()

    def __init__(self, model: Model) -> None:
        names: Native = {"model_name": model.name} if model.name else {}
        super().__init__(embed_batch_size=2048, **names)
        self._model = model

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.embed([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed(texts)

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.embed_question(query)

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        if self._model.is_async_only:
            return await self._model.aembed(texts)
        return self._model.embed(texts)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        if self._model.is_async_only:
            return await self._model.aembed_question(query)
        return self._model.embed_question(query)


class MemoryStore(Store):
    """LlamaIndex's store in memory."""

    def __init__(self, model: Model) -> None:
        self.native, self._model = SimpleVectorStore(), model

    def open(self) -> Store:
        return self

    def close(self) -> None:
        """Leave everything in memory."""

    def ids(self) -> set[str]:
        return {*self.native.data.embedding_dict}

    def drop(self, ids: Iterable[str]) -> None:
        self.native.delete_nodes([*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add([_foreign(text, self._model)])

    def filter(self, key: str, value: str) -> Native:
        return MetadataFilters(filters=[MetadataFilter(key=key, value=value)])


class AsyncVectorStore(SimpleVectorStore):
    """LlamaIndex's store in memory with an asynchronous client alone."""

    _model: Model = PrivateAttr()

    async def async_add(self, nodes: Sequence[BaseNode], **options: Native) -> list[str]:
        await asyncio.sleep(0)
        return super().add(nodes, **options)

    async def adelete_nodes(
        self, node_ids: list[str] | None = None, filters: Native = None, **_: object
    ) -> None:
        assert filters is None
        super().delete_nodes(node_ids)

    async def aquery(self, query: VectorStoreQuery, **options: Native) -> VectorStoreQueryResult:
        if self._model.meeting is not None:
            await self._model.meeting.wait()
        return super().query(query, **options)

    def _refuse(self, *_: object, **__: object) -> Native:
        raise NotImplementedError("this store has an asynchronous client alone")

    add = delete_nodes = query = _refuse


class QdrantStore(Store):
    """Qdrant in a folder."""

    def __init__(self, folder: Path, model: Model) -> None:
        self._folder, self._model = folder / "qdrant", model
        self.open()

    def open(self) -> Store:
        from llama_index.vector_stores.qdrant import QdrantVectorStore
        from qdrant_client import QdrantClient

        self.client = QdrantClient(path=str(self._folder), force_disable_check_same_thread=True)
        self.native = QdrantVectorStore("leaves", client=self.client)
        return self

    def close(self) -> None:
        self.client.close()

    def ids(self) -> set[str]:
        if not self.client.collection_exists("leaves"):
            return set()
        points, _ = self.client.scroll("leaves", limit=10_000)
        return {str(point.id) for point in points}

    def drop(self, ids: Iterable[str]) -> None:
        self.client.delete("leaves", [*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add([_foreign(text, self._model)])

    def filter(self, key: str, value: str) -> Native:
        return MetadataFilters(filters=[MetadataFilter(key=key, value=value)])


class ChromaStore(Store):
    """Chroma in a folder."""

    def __init__(self, folder: Path, model: Model) -> None:
        self._folder, self._model = folder / "chroma", model
        self.open()

    def open(self) -> Store:
        from chromadb import PersistentClient
        from llama_index.vector_stores.chroma import ChromaVectorStore

        self.client = PersistentClient(str(self._folder))
        collection = self.client.get_or_create_collection("leaves")
        self.native = ChromaVectorStore(chroma_collection=collection)
        return self

    def close(self) -> None:
        """Leave everything in the folder, where it is written at once."""

    def ids(self) -> set[str]:
        return {*self.client.get_collection("leaves").get()["ids"]}

    def drop(self, ids: Iterable[str]) -> None:
        self.client.get_collection("leaves").delete([*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add([_foreign(text, self._model)])

    def filter(self, key: str, value: str) -> Native:
        return MetadataFilters(filters=[MetadataFilter(key=key, value=value)])


class LlamaIndex(Framework):
    """LlamaIndex's names."""

    name = "llamaindex"
    names = {  # noqa: RUF012 - the base class says that it is a class variable
        "embedding": "embed_model",
        "store": "vector_store",
        "chunking": "node_parser",
        "filter": "filters",
        "reranker": "node_postprocessors",
    }
    stores = ("memory", "qdrant", "chroma")
    reads_metadata = True

    @property
    def retriever(self) -> Native:
        return ChunkanaRetriever

    def document(self, name: str, text: str, metadata: Mapping[str, object]) -> Native:
        return Document(text=text, id_=name, metadata=dict(metadata))

    def chunking(self, size: int = CHUNK_SIZE, length: Native = None) -> Native:
        tokenizer = length and Tokens(length)
        return ChunkanaNodeParser(max_chunk_size=size, min_chunk_size=0, tokenizer=tokenizer)

    def embedding(self, model: Model) -> Native:
        return WordEmbedding(model)

    def store(self, kind: str, folder: Path, model: Model) -> Store:
        if kind == "memory":
            return MemoryStore(model)
        return QdrantStore(folder, model) if kind == "qdrant" else ChromaStore(folder, model)

    def async_store(self, model: Model) -> Store:
        made = MemoryStore(model)
        made.native = AsyncVectorStore()
        made.native._model = model  # noqa: SLF001 - a private attribute of pydantic
        return made

    def reranker(self, rank: Callable[[str], float], seen: list[tuple[str, Native]]) -> Native:
        return [Reranker(rank, seen)]

    def leaf_count(self, documents: Iterable[Native]) -> int:
        # A node parser counts the metadata of nodes, too.
        made = ChunkanaRetriever.from_documents([], search="lexical", node_parser=self.chunking())
        return made.update(documents).leaves_added

    def ask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        return answers_of(self._with(retriever, options).retrieve(question))

    async def aask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        return answers_of(await self._with(retriever, options).aretrieve(question))

    def _with(self, retriever: Native, options: Mapping[str, object]) -> Native:
        return retriever.with_options(**self.renamed(options)) if options else retriever

    def arguments_of_store(self, store: Store, model: Model) -> dict[str, Native]:
        return {"vector_store": store.native, "embed_model": self.embedding(model)}


class Reranker(BaseNodePostprocessor):
    """Returns nodes by a function of their texts, with its scores."""

    _rank: Callable[[str], float] = PrivateAttr()
    _seen: list[tuple[str, Native]] = PrivateAttr()

    def __init__(self, rank: Callable[[str], float], seen: list[tuple[str, Native]]) -> None:
        super().__init__()
        self._rank, self._seen = rank, seen

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        assert query_bundle
        self._seen += [(one.node.get_content(), one.metadata) for one in nodes]
        scored = [NodeWithScore(node=n.node, score=self._rank(n.node.get_content())) for n in nodes]
        ranked = sorted(scored, key=NodeWithScore.get_score, reverse=True)
        return [one for one in ranked if one.get_score() > 0]


class Tokens:
    """Returns as many tokens of a text as a function says, and None for a number below 0."""

    def __init__(self, length: Native) -> None:
        self.length = length

    def __call__(self, text: str) -> list[str] | None:
        length = self.length(text)
        return None if length < 0 else ["token"] * length


def _foreign(text: str, model: Model) -> TextNode:
    vector = model.embed_question(text)
    return TextNode(text=text, embedding=vector, metadata={"source": "foreign"})


def answers_of(found: Iterable[NodeWithScore]) -> list[Answer]:
    """Return nodes as answers."""
    return [
        Answer(
            one.node.ref_doc_id or "",
            one.node.get_content(MetadataMode.LLM),
            one.node.metadata,
            one.score,
        )
        for one in found
    ]
