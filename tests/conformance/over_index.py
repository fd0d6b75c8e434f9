"""The suite's names over `Index` alone, with a retriever that a framework of one's own may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Self, TypeVar

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context
from chunkana_retrieval import (
    Index,
    IndexDocument,
    MergingOptions,
    ReadingOptions,
    SearchOptions,
    UpdateReport,
)
from chunkana_retrieval.adapting import call_in_thread
from chunkana_retrieval.index import DocumentLeaf, Embedder, StoreHit
from chunkana_retrieval.index.documents import sources_of_texts
from tests.conformance.frameworks import CHUNK_SIZE, Answer, Framework, Native, Store
from tests.conformance.models import Model

T = TypeVar("T")
_OPTIONS = {"search": SearchOptions, "reading": ReadingOptions, "merging": MergingOptions}


class DictStore(Store):
    """Leaves and their vectors in a dictionary, as a `LeafStore`."""

    def __init__(self, model: Model) -> None:
        self.native, self._model = self, model
        self._leaves: dict[str, tuple[str, Mapping[str, object], list[float]]] = {}

    def add(self, leaves: Sequence[DocumentLeaf]) -> None:
        vectors = self._model.embed([record.embedded(leaf) for record, leaf in leaves])
        for (record, leaf), vector in zip(leaves, vectors, strict=True):
            metadata = {**leaf.metadata, **record.metadata}
            self._leaves[leaf.leaf_id] = record.document_id, metadata, vector

    def delete(self, leaf_ids: Iterable[str]) -> None:
        for leaf_id in leaf_ids:
            self._leaves.pop(leaf_id, None)

    def missing(self, leaf_ids: Sequence[str]) -> list[str]:
        return [leaf_id for leaf_id in leaf_ids if leaf_id not in self._leaves]

    def find(self, vector: list[float], count: int, where: Native) -> list[StoreHit]:
        found = [
            StoreHit(name, leaf_id, sum(map(float.__mul__, vector, stored)))
            for leaf_id, (name, metadata, stored) in self._leaves.items()
            if where is None or where(metadata)
        ]
        return sorted(found, key=lambda one: -(one.score or 0))[:count]

    def open(self) -> Store:
        return self

    def close(self) -> None:
        """Leave everything in memory."""

    def ids(self) -> set[str]:
        return {*self._leaves}

    def drop(self, ids: Iterable[str]) -> None:
        self.delete([*ids])

    def add_foreign(self, text: str) -> None:
        self._leaves["foreign"] = "foreign", {}, self._model.embed_question(text)

    def filter(self, key: str, value: str) -> Native:
        return lambda metadata: metadata.get(key) == value


class PlainRetriever:
    """An index, its model or vector store, and the options of questions."""

    def __init__(
        self,
        folder: str | Path | None = None,
        *,
        model: Model | None = None,
        store: DictStore | None = None,
        chunker: Chunker | None = None,
        must_exist: bool = False,
        **options: Native,
    ) -> None:
        _read_options(options)
        if chunker is not None and not isinstance(chunker, Chunker):
            raise ConfigurationError("chunker", chunker, "a Chunker")
        self._index = Index.load(folder) if must_exist and folder else Index(folder)
        self._model: Native = model
        self._store, self._options = store, options
        self._chunker = chunker
        self._index.require_model(self._embedder(), has_store=store is not None)
        if store is not None:
            self._index.check_store(store)

    def __repr__(self) -> str:
        return f"<PlainRetriever over {self._index!r}>"

    @classmethod
    def from_documents(cls, documents: Iterable[IndexDocument], **options: Native) -> Self:
        made, given = cls(**options), [*documents]
        if given:
            made.update(given, delete_missing=True)
        else:
            made.delete(made.document_ids())
        return made

    @classmethod
    async def afrom_documents(cls, documents: Iterable[IndexDocument], **options: Native) -> Self:
        made = await call_in_thread(lambda _: cls(**options))
        await made.aupdate(documents, delete_missing=True)
        return made

    @classmethod
    def load(cls, folder: Path, **options: Native) -> Self:
        return cls(folder, must_exist=True, **options)

    @classmethod
    async def aload(cls, folder: Path, **options: Native) -> Self:
        return await call_in_thread(lambda _: cls(folder, must_exist=True, **options))

    def update(self, documents: Iterable[IndexDocument], **changes: Native) -> UpdateReport:
        sources, store = sources_of_texts(documents, self._chunker), self._store
        embedder = self._embedder()
        return self._index.update_sources(sources, embedder=embedder, store=store, **changes)

    async def aupdate(self, documents: Iterable[IndexDocument], **changes: Native) -> UpdateReport:
        model = self._model

        def update(run: Native) -> UpdateReport:
            sources, store = sources_of_texts(documents, self._chunker), self._store
            is_async = model is not None and model.is_async_only
            embedder = self._embedder(
                (lambda texts: run(model.aembed, texts)) if is_async else None
            )
            return self._index.update_sources(sources, embedder=embedder, store=store, **changes)

        return await call_in_thread(update)

    def delete(self, document_ids: Iterable[str]) -> UpdateReport:
        return self.update([], deleted=document_ids)

    async def adelete(self, document_ids: Iterable[str]) -> UpdateReport:
        return await self.aupdate([], deleted=document_ids)

    def document_ids(self) -> list[str]:
        return self._index.document_ids()

    async def adocument_ids(self) -> list[str]:
        return self._index.document_ids()

    def repair(self) -> list[str]:
        return self._index.repair(self._store)

    def save(self, folder: Path) -> None:
        self._index.save(folder)

    def close(self) -> None:
        self._index.close()

    def ask(self, question: str, **options: Native) -> list[Answer]:
        vector = self._model.embed_question(question) if self._is_dense(options) else None
        return self._search(question, vector, options)

    async def aask(self, question: str, **options: Native) -> list[Answer]:
        if not self._is_dense(options):
            vector = None
        elif self._model.is_async_only:
            vector = await self._model.aembed_question(question)
        else:
            vector = self._model.embed_question(question)
        return await call_in_thread(lambda _: self._search(question, vector, options))

    def _is_dense(self, options: Mapping[str, Native]) -> bool:
        return bool(self._model) and {**self._options, **options}.get("search") != "lexical"

    def _search(
        self, question: str, vector: list[float] | None, options: Mapping[str, Native]
    ) -> list[Answer]:
        given = {**self._options, **options}
        where, returns = given.get("where"), given.get("returns", "passages")
        parts = _read_options(given)
        if self._store is None:
            found = self._index.search(question, parts["search"], vector=vector, where=where)
        else:
            count = parts["search"].fetch_k
            store_hits = self._store.find(vector, count, where) if vector else None
            found = self._index.search(
                question, parts["search"], store_hits=store_hits, is_filtered=where is not None
            )
        if returns == "parents":
            passages = found.parents(parts["merging"])
        else:
            passages = found.passages(parts["reading"])
        return [
            Answer(
                one.document_id,
                one.text,
                {**one.metadata(), **found.records[one.document_id].metadata},
                one.score,
            )
            for one in passages
        ]

    def _embedder(self, embed: Callable[[list[str]], Native] | None = None) -> Embedder | None:
        if self._model is None or self._store is not None:
            return None
        return Embedder.of(self._model, embed or self._model.embed, self._model.name, "model")


def _read_options(options: Mapping[str, Native]) -> dict[str, Native]:
    """Return the options of search, passages and parents."""
    known = {name: {one.name for one in fields(kind)} for name, kind in _OPTIONS.items()}
    for name in options.keys() - {"where", "returns"}:
        if not any(name in names for names in known.values()):
            raise ConfigurationError("argument", name, "an option of a question")
    return {
        name: kind(**{key: options[key] for key in options.keys() & known[name]})
        for name, kind in _OPTIONS.items()
    }


class PlainIndex(Framework):
    """No framework."""

    name = "plain"
    names = {  # noqa: RUF012 - the base class says that it is a class variable
        "embedding": "model",
        "store": "store",
        "chunking": "chunker",
        "filter": "where",
    }
    stores = ("memory",)
    reads_metadata = False

    @property
    def retriever(self) -> Native:
        return PlainRetriever

    def document(self, name: str, text: str, metadata: Mapping[str, object]) -> Native:
        return IndexDocument(name, text, metadata)

    def chunking(self, size: int = CHUNK_SIZE, length: Native = None) -> Native:
        config = ChunkConfig(
            max_chunk_size=size,
            min_chunk_size=0,
            atomic_blocks="split",
            length_function=length or len,
        )
        return Chunker(config, Context())

    def embedding(self, model: Model) -> Native:
        return model

    def store(self, kind: str, folder: Path, model: Model) -> Store:  # noqa: ARG002
        return DictStore(model)

    def async_store(self, model: Model) -> Store:
        raise NotImplementedError

    def leaf_count(self, documents: Iterable[Native]) -> int:
        chunker = self.chunking()
        return sum(len(chunker.chunk(one.text, path=one.file.name)) for one in documents)

    def ask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        found: list[Answer] = retriever.ask(question, **self.renamed(options))
        return found

    async def aask(self, retriever: Native, question: str, **options: object) -> list[Answer]:
        found: list[Answer] = await retriever.aask(question, **self.renamed(options))
        return found

    def arguments_of_store(self, store: Store, model: Model) -> dict[str, Native]:
        return {"store": store.native, "model": model}
