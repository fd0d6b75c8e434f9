"""What adapters to frameworks are made of, besides the index and the core's `extending`."""

from chunkana_retrieval.adapting.arguments import (
    label_of,
    names_of,
    require_documents,
    require_parent_size,
)
from chunkana_retrieval.adapting.document_warnings import (
    warn_of,
    warn_of_clashes,
    warn_of_unknown,
)
from chunkana_retrieval.adapting.input_limit import InputLimit, warn_of_long_texts
from chunkana_retrieval.adapting.options import OTHER_NAMES, QuestionOptions
from chunkana_retrieval.adapting.retrievers import DocumentRetriever
from chunkana_retrieval.adapting.sources import hits_in_sources
from chunkana_retrieval.adapting.threads import LoopRunner, call_in_thread
from chunkana_retrieval.errors import warn
from chunkana_retrieval.hits import count_contained_titles, join_paths, titles_above

__all__ = [
    "OTHER_NAMES", "DocumentRetriever", "InputLimit", "LoopRunner", "QuestionOptions",
    "call_in_thread", "count_contained_titles", "hits_in_sources", "join_paths", "label_of",
    "names_of", "require_documents", "require_parent_size", "titles_above", "warn", "warn_of",
    "warn_of_clashes", "warn_of_long_texts", "warn_of_unknown",
]  # fmt: skip
