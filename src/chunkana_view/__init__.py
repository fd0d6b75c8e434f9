"""Show chunks as HTML: a page that shows them in their source, and tables for notebooks.

In a notebook, `%load_ext chunkana_view` shows results and chunks as tables.

This package needs the extra `view`: `pip install "chunkana-rag[view]"`.
"""

try:
    import jinja2  # noqa: F401
except ImportError as error:
    raise ImportError(
        'chunkana_view needs jinja2: pip install "chunkana-rag[view]"', name="jinja2"
    ) from error

from chunkana_view.index import Entry, collect_entries
from chunkana_view.notebook import load_ipython_extension
from chunkana_view.rendering import chunk_fragment, index_html, result_fragment, to_html

__all__ = [
    "Entry",
    "chunk_fragment",
    "collect_entries",
    "index_html",
    "load_ipython_extension",
    "result_fragment",
    "to_html",
]
