"""The options of the retriever: their defaults, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Self

from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.vector_stores.types import BasePydanticVectorStore

from chunkana_core.extending import require_each, require_type
from chunkana_llamaindex.node_parser import ChunkanaNodeParser
from chunkana_llamaindex.vector_store import Filters, require_filters, require_usable
from chunkana_retrieval import adapting

OTHER_NAMES: Final[Mapping[str, str]] = {
    **adapting.OTHER_NAMES,
    "chunk_size": "node_parser=ChunkanaNodeParser(max_chunk_size=…)",
    "embedding": "embed_model",
    "transformations": "node_parser",
}


class QuestionOptions(adapting.QuestionOptions):
    """The options of a question, as attributes with their defaults."""

    filters: Filters | None = None
    """Filters of metadata, or a dict of values that must be equal. With those of a vector store,
    words only rank the leaves that the store finds."""
    node_postprocessors: Sequence[BaseNodePostprocessor] = ()
    """Postprocessors, such as a reranker, of the leaves that were found."""

    def require_valid(self) -> Self:
        """Return the options; raise a ConfigurationError that names the first invalid one."""
        require_filters(self.filters)
        each = "a postprocessor of LlamaIndex's"
        require_each(
            "node_postprocessors", self.node_postprocessors, BaseNodePostprocessor, each=each
        )
        return super().require_valid()


class RetrieverOptions(QuestionOptions):
    """The options of a retriever, as attributes with their defaults."""

    embed_model: BaseEmbedding | None = None
    """The embedding model; by default that of `Settings`, where vectors are needed."""
    model_name: str = ""
    """The name of the embedding model, if the model does not have one."""
    node_parser: ChunkanaNodeParser | None = None
    """The parser of the documents; None for one with default options."""
    vector_store: BasePydanticVectorStore | None = None
    """The store of the leaves; None to keep their vectors in the index."""
    embedded_metadata_keys: Sequence[str] = ()
    """The keys of the documents' metadata that are embedded with each chunk."""
    show_progress: bool = False
    """Whether updates show their progress."""

    def require_valid(self) -> Self:
        """Return the options; raise a ConfigurationError that names the first invalid one."""
        model = "an embedding model of LlamaIndex's"
        require_type("embed_model", self.embed_model, BaseEmbedding | None, model)
        parser = "a ChunkanaNodeParser(…)"
        require_type("node_parser", self.node_parser, ChunkanaNodeParser | None, parser)
        if self.vector_store is not None:
            require_usable(self.vector_store)
        require_each("embedded_metadata_keys", self.embedded_metadata_keys, str, "a list of str")
        return super().require_valid()


QUESTION_OPTIONS: Final = frozenset(
    (*adapting.QuestionOptions.__annotations__, *QuestionOptions.__annotations__)
)
RETRIEVER_OPTIONS: Final = QUESTION_OPTIONS.union(
    RetrieverOptions.__annotations__,
    ("folder", "must_exist", "tokenize", "timeout", "callback_manager"),
)
