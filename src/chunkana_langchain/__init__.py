"""The LangChain adapter of Chunkana: a text splitter, a retriever and a context assembler.

Importing this package needs the extra: `pip install "chunkana-rag[langchain]"`.
"""

try:
    import langchain_core  # noqa: F401
    import langchain_text_splitters  # noqa: F401
except ImportError as error:
    raise ImportError(
        "chunkana_langchain needs langchain-core and langchain-text-splitters: "
        'pip install "chunkana-rag[langchain]"'
    ) from error

from chunkana_langchain.compressor import ContextAssembler
from chunkana_langchain.embeddings import CachedEmbeddings
from chunkana_langchain.retriever import ChunkanaRetriever
from chunkana_langchain.text_splitter import ChunkanaSplitter, HierarchicalDocuments, to_documents

__all__ = [
    "CachedEmbeddings",
    "ChunkanaRetriever",
    "ChunkanaSplitter",
    "ContextAssembler",
    "HierarchicalDocuments",
    "to_documents",
]
