"""The parser's checks of documents, nodes and arguments, and its warnings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from typing import TypeVar, cast

from llama_index.core.schema import BaseNode

from chunkana_core import ConfigurationError
from chunkana_llamaindex.parsing.metadata import is_chunkana_node
from chunkana_retrieval import checks
from chunkana_retrieval.errors import warn

_Node = TypeVar("_Node", bound=BaseNode)


def unknown_argument_message(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown argument of a parser, with the argument to use instead."""
    if name == "chunk_sizes":
        return _chunk_sizes_message(value)
    if name in {"chunk_size", "chunk_overlap"}:
        return (
            f"{name} is not an argument: sizes are max_chunk_size, in characters or, "
            "with tokenizer, in tokens; for overlap see PrevNextNodePostprocessor"
        )
    near = get_close_matches(name, [*allowed], 1)
    question = f"; did you mean {near[0]}?" if near else ""
    return f"unknown argument {name!r}; allowed: {', '.join(sorted(allowed))}{question}"


def _chunk_sizes_message(sizes: object) -> str:
    """Return the message for the argument `chunk_sizes` of LlamaIndex's hierarchical parser."""
    numbers = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, list) else []
    smallest, largest = (min(numbers), max(numbers)) if numbers else (512, 2048)
    return (
        "chunk_sizes is not an argument: leaves have one size, and parents are whole sections. "
        f"For [{largest}, {smallest}] tokens write max_chunk_size={smallest}, "
        f"max_parent_size={largest}, tokenizer=... (a function that returns the tokens of a text); "
        "without tokenizer sizes are in characters, about four to a token: "
        f"max_chunk_size={4 * smallest}, max_parent_size={4 * largest}"
    )


def require_documents(documents: Iterable[_Node]) -> list[_Node]:
    """Return documents as a list; raise an InputTypeError for anything that is not a document."""
    sources = "SimpleDirectoryReader(…).load_data() reads a folder's"
    example = 'SimpleDirectoryReader(…).load_data(), or Document(text="# Text")'
    kind = cast("type[_Node]", BaseNode)
    return checks.require_documents(documents, kind, sources, example)


def documents_by_id(documents: Iterable[BaseNode]) -> dict[str, BaseNode]:
    """Return documents by their ids; raise a ConfigurationError if two ids are equal."""
    by_id: dict[str, BaseNode] = {}
    for document in require_documents(documents):
        if document.node_id in by_id:
            allowed = "documents with different ids"
            raise ConfigurationError("id of two documents", document.node_id, allowed)
        by_id[document.node_id] = document
    return by_id


def require_unique(nodes: Iterable[BaseNode], kind: str) -> None:
    """Raise a ValueError if two nodes have the same id."""
    seen: set[str] = set()
    for node in nodes:
        if node.node_id in seen:
            raise ValueError(f"several {kind} have the id {node.node_id!r}; ids have to be unique")
        seen.add(node.node_id)


def warn_of_clashes(documents: Sequence[BaseNode], keys: Iterable[str]) -> None:
    """Warn of documents whose metadata have keys that this package would add."""
    key_views = (
        document.metadata.keys() for document in documents if not is_chunkana_node(document)
    )
    if clashing := sorted(set(keys).intersection(chain.from_iterable(key_views))):
        warn(f"documents keep their own metadata {', '.join(clashing)}")


def warn_of_misnamed(names: Sequence[str]) -> None:
    """Warn of documents, by their ids, that are not in the format of their file name."""
    if names:
        others = f", as are {len(names) - 1} others" if len(names) > 1 else ""
        warn(
            f"{names[0]!r} is not in the format of its file name, or too long for it{others}: "
            "see `format`"
        )


def warn_of_long_metadata(names: Sequence[str], limit: int) -> None:
    """Warn of documents, by their ids, whose embedded metadata take over half of the limit."""
    if names:
        others = f", as does that of {len(names) - 1} others" if len(names) > 1 else ""
        warn(
            f"the metadata that is embedded with {names[0]!r} takes over half of max_chunk_size "
            f"({limit}){others}: leaves are measured without it; see excluded_embed_metadata_keys"
        )
