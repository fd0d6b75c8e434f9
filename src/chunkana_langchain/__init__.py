"""Chunkana's adapter to LangChain: a text splitter, a retriever that merges, a context assembler.

Importing it needs the extra: `pip install "chunkana-rag[langchain]"`.
"""

try:
    import langchain_core  # noqa: F401
    import langchain_text_splitters  # noqa: F401
except ImportError as error:
    raise ImportError(
        "chunkana_langchain needs langchain-core and langchain-text-splitters: "
        'pip install "chunkana-rag[langchain]"'
    ) from error

from chunkana_langchain.identity import chunk_key
from chunkana_langchain.merging.retriever import ChunkanaAutoMergingRetriever
from chunkana_langchain.reading.assembler import ContextAssembler
from chunkana_langchain.splitting.mapping import HierarchicalDocuments, to_documents
from chunkana_langchain.splitting.splitter import ChunkanaSplitter

__all__ = [
    "ChunkanaAutoMergingRetriever",
    "ChunkanaSplitter",
    "ContextAssembler",
    "HierarchicalDocuments",
    "chunk_key",
    "to_documents",
]
