"""Chunks as HTML: one page that shows them in their source, and how notebooks show them.

Importing it needs the extra: `pip install "chunkana-rag[view]"`.
"""

try:
    import jinja2  # noqa: F401
except ImportError as error:
    raise ImportError(
        'chunkana_view needs jinja2: pip install "chunkana-rag[view]"', name="jinja2"
    ) from error

from chunkana_view.rendering import Entry, chunk_fragment, index_html, result_fragment, to_html

__all__ = ["Entry", "chunk_fragment", "index_html", "result_fragment", "to_html"]
