"""Chunkana's adapter to LangChain: not built yet, the package only holds its place.

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

__all__: list[str] = []
