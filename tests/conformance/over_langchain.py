"""The suite's names over LangChain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from chunkana_langchain import ChunkanaRetriever, ChunkanaSplitter
from tests.conformance.frameworks import CHUNK_SIZE, Answer, Framework, Native, Store
from tests.conformance.models import Model


class WordEmbeddings(Embeddings):
    """The embedding of a model, with an asynchronous client if the model has no other."""

    def __init__(self, model: Model) -> None:
        self.model = model
        if model.name:
            self.model_name = model.name

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.model.embed(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.model.embed_question(text)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.model.is_async_only:
            return await self.model.aembed(texts)
        return await super().aembed_documents(texts)

    async def aembed_query(self, text: str) -> list[float]:
        if self.model.is_async_only:
            return await self.model.aembed_question(text)
        return await super().aembed_query(text)


class MemoryStore(Store):
    """LangChain's store in memory."""

    def __init__(self, embedding: Embeddings) -> None:
        self.native = InMemoryVectorStore(embedding)

    def open(self) -> Store:
        return self

    def close(self) -> None:
        """Leave everything in memory."""

    def ids(self) -> set[str]:
        return {*self.native.store}

    def drop(self, ids: Iterable[str]) -> None:
        self.native.delete([*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add_documents([Document(text, metadata={"source": "foreign"})])

    def filter(self, key: str, value: str) -> Native:
        return lambda document: document.metadata.get(key) == value


class AsyncVectorStore(InMemoryVectorStore):
    """LangChain's store in memory with an asynchronous client alone."""

    model: Model

    async def aadd_documents(
        self, documents: list[Document], ids: list[str] | None = None, **_: object
    ) -> list[str]:
        texts = [document.page_content for document in documents]
        vectors = dict(zip(texts, await self.model.aembed(texts), strict=True))
        known = InMemoryVectorStore(FixedEmbeddings(vectors))
        known.store = self.store
        return known.add_documents(documents, ids)

    async def adelete(self, ids: Sequence[str] | None = None, **_: object) -> None:
        super().delete(ids)

    async def aget_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return super().get_by_ids(ids)

    async def asimilarity_search_with_score(
        self, query: str, k: int = 4, **options: Native
    ) -> list[tuple[Document, float]]:
        vector = await self.model.aembed_question(query)
        found = self._similarity_search_with_score_by_vector(vector, k, **options)
        return [(document, score) for document, score, _ in found]

    def _refuse(self, *_: object, **__: object) -> Native:
        raise NotImplementedError("this store has an asynchronous client alone")

    add_documents = delete = get_by_ids = similarity_search = _refuse
    similarity_search_with_score = _refuse


class FixedEmbeddings(Embeddings):
    """Vectors that are known."""

    def __init__(self, vectors: Mapping[str, list[float]]) -> None:
        self.vectors = vectors

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.vectors[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.vectors[text]


class FaissStore(Store):
    """FAISS, which is in a folder while it is closed."""

    def __init__(self, folder: Path, embedding: Embeddings, size: int) -> None:
        self._folder, self._embedding, self._size = folder / "faiss", embedding, size
        self.open()

    def open(self) -> Store:
        import faiss
        from langchain_community.docstore.in_memory import InMemoryDocstore
        from langchain_community.vectorstores import FAISS

        if self._folder.exists():
            path, embedding = str(self._folder), self._embedding
            self.native = FAISS.load_local(path, embedding, allow_dangerous_deserialization=True)
        else:
            index = faiss.IndexFlatL2(self._size)
            self.native = FAISS(self._embedding, index, InMemoryDocstore(), {})
        return self

    def close(self) -> None:
        self.native.save_local(str(self._folder))

    def ids(self) -> set[str]:
        return {*self.native.index_to_docstore_id.values()}

    def drop(self, ids: Iterable[str]) -> None:
        self.native.delete([*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add_documents([Document(text, metadata={"source": "foreign"})])

    def filter(self, key: str, value: str) -> Native:
        return {key: value}


class QdrantStore(Store):
    """Qdrant in a folder."""

    def __init__(self, folder: Path, embedding: Embeddings, size: int) -> None:
        self._folder, self._embedding, self._size = folder / "qdrant", embedding, size
        self.open()

    def open(self) -> Store:
        from langchain_qdrant import QdrantVectorStore
        from qdrant_client import QdrantClient
        from qdrant_client.models import Distance, VectorParams

        client = QdrantClient(path=str(self._folder), force_disable_check_same_thread=True)
        if not client.collection_exists("leaves"):
            vectors = VectorParams(size=self._size, distance=Distance.COSINE)
            client.create_collection("leaves", vectors_config=vectors)
        self.native = QdrantVectorStore(client, "leaves", self._embedding)
        return self

    def close(self) -> None:
        self.native.client.close()

    def ids(self) -> set[str]:
        points, _ = self.native.client.scroll("leaves", limit=10_000)
        return {point.id for point in points}

    def drop(self, ids: Iterable[str]) -> None:
        self.native.client.delete("leaves", [*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add_documents([Document(text, metadata={"source": "foreign"})])

    def filter(self, key: str, value: str) -> Native:
        from qdrant_client.models import FieldCondition, Filter, MatchValue

        match = MatchValue(value=value)
        return Filter(must=[FieldCondition(key=f"metadata.{key}", match=match)])


class ChromaStore(Store):
    """Chroma in a folder."""

    def __init__(self, folder: Path, embedding: Embeddings, size: int) -> None:
        self._folder, self._embedding = folder / "chroma", embedding
        assert size
        self.open()

    def open(self) -> Store:
        from langchain_chroma import Chroma

        self.native = Chroma("leaves", self._embedding, persist_directory=str(self._folder))
        return self

    def close(self) -> None:
        """Leave everything in the folder, where it is written at once."""

    def ids(self) -> set[str]:
        return {*self.native.get()["ids"]}

    def drop(self, ids: Iterable[str]) -> None:
        self.native.delete([*ids])

    def add_foreign(self, text: str) -> None:
        self.native.add_documents([Document(text, metadata={"source": "foreign"})])

    def filter(self, key: str, value: str) -> Native:
        return {key: value}


class LangChain(Framework):
    """LangChain's names."""

    name = "langchain"
    names = {  # noqa: RUF012 - the base class says that it is a class variable
        "embedding": "embedding",
        "store": "vectorstore",
        "chunking": "splitter",
        "filter": "filter",
        "reranker": "compressor",
    }
    stores = ("memory", "faiss", "qdrant", "chroma")
    reads_metadata = False

    @property
    def retriever(self) -> Native:
        return ChunkanaRetriever

    def document(self, name: str, text: str, metadata: Mapping[str, object]) -> Native:
        return Document(text, id=name, metadata=dict(metadata))

    def chunking(self, size: int = CHUNK_SIZE, length: Native = None) -> Native:
        return ChunkanaSplitter(size, min_chunk_size=0, length_function=length or len)

    def embedding(self, model: Model) -> Native:
        return WordEmbeddings(model)

    def store(self, kind: str, folder: Path, model: Model) -> Store:
        embedding = self.embedding(model)
        if kind == "memory":
            return MemoryStore(embedding)
        on_disk: dict[str, Callable[[Path, Embeddings, int], Store]] = {
            "faiss": FaissStore,
            "qdrant": QdrantStore,
            "chroma": ChromaStore,
        }
        return on_disk[kind](folder, embedding, model.size)

    def async_store(self, model: Model) -> Store:
        made = MemoryStore(self.embedding(model))
        made.native = AsyncVectorStore(self.embedding(model))
        made.native.model = model
        return made

    def reranker(self, rank: Callable[[str], float], seen: list[tuple[str, Native]]) -> Native:
        return Reranker(rank=rank, seen=seen)

    def leaf_count(self, documents: Iterable[Native]) -> int:
        return len(self.chunking().split_documents(documents))

    def ask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        return _answers(retriever.invoke(question, **self.renamed(options)))

    async def aask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        return _answers(await retriever.ainvoke(question, **self.renamed(options)))

    def arguments_of_store(self, store: Store, model: Model) -> dict[str, Native]:  # noqa: ARG002
        return {"vectorstore": store.native}


class Reranker(BaseDocumentCompressor):
    """Returns copies without ids, as most rerankers do."""

    rank: Callable[[str], float]
    seen: list[tuple[str, Native]]

    def __init__(self, **parts: Native) -> None:
        super().__init__(**parts)
        self.seen = parts["seen"]  # which pydantic copies

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Native = None
    ) -> Sequence[Document]:
        assert query
        assert callbacks is not None
        self.seen += [(one.page_content, one.metadata) for one in documents]
        scored = [(self.rank(one.page_content), one) for one in documents]
        return [
            Document(one.page_content, metadata={**one.metadata, "relevance_score": score})
            for score, one in sorted(scored, key=lambda pair: -pair[0])
            if score > 0
        ]


def _answers(found: Iterable[Document]) -> list[Answer]:
    return [
        Answer(m["chunkana_document_id"], one.page_content, m, m.get("score"))
        for one in found
        for m in (one.metadata,)
    ]
