"""Chunkana's adapter to LlamaIndex: not built yet, the package only holds its place.

Importing it needs the extra: `pip install "chunkana-rag[llamaindex]"`.
"""

try:
    import llama_index.core  # noqa: F401
except ImportError as error:
    raise ImportError(
        'chunkana_llamaindex needs llama-index-core: pip install "chunkana-rag[llamaindex]"'
    ) from error

__all__: list[str] = []
