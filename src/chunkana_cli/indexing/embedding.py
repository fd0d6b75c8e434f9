"""Embedding models that users name as `module:object`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from chunkana_cli.streams import USAGE, fail
from chunkana_retrieval.index import Embedder

# The methods of LangChain's and of LlamaIndex's models, for texts and for a question.
_METHODS = (
    ("embed_documents", "embed_query"),
    ("get_text_embedding_batch", "get_query_embedding"),
)
_ALLOWED = "MODULE:OBJECT, an embedding or a function of a list of texts"


@dataclass(frozen=True, slots=True)
class Embedding:
    """An embedding model, or none.

    Attributes:
        embedder: returns the vectors of texts; None for a search by words.
        question: returns the vector of a question; None for a search by words.
        name: the module and the object, "" for none.
    """

    embedder: Embedder | None = None
    question: Callable[[str], Sequence[float]] | None = None
    name: str = ""


def load_embedding(name: str | None) -> Embedding:
    """Return the model with a name; a class is called to make the model."""
    if name is None:
        return Embedding()
    module, _, attribute = name.partition(":")
    sys.path.insert(0, "")  # the current folder, as with `python -m`
    try:
        model = getattr(import_module(module), attribute)
        model = model() if isinstance(model, type) else model
    except (AttributeError, ImportError, TypeError, ValueError) as error:
        fail(f"--embedding is {name!r}; allowed: {_ALLOWED}: {error}", USAGE)
    for texts, question in _METHODS:
        if hasattr(model, texts):
            embedder = Embedder.of(model, getattr(model, texts), argument="--embedding")
            return Embedding(embedder, getattr(model, question), name)
    if not callable(model):
        fail(f"--embedding is {name!r}, a {type(model).__name__}; allowed: {_ALLOWED}", USAGE)
    embedder = Embedder.of(model, model, argument="--embedding")
    return Embedding(embedder, lambda one: model([one])[0], name)
