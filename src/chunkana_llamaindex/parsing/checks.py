"""What the parser warns of, and refuses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from pathlib import PurePath
from typing import TypeVar

from llama_index.core.schema import BaseNode

from chunkana_core import InputTypeError
from chunkana_llamaindex.parsing.metadata import is_ours
from chunkana_llamaindex.warning import warn

_Item = TypeVar("_Item")


def unknown_message(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return what to write instead of an argument of a parser that there is not."""
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
    """Return what to write instead of the sizes of LlamaIndex's own hierarchical parser."""
    known = [size for size in sizes if isinstance(size, int)] if isinstance(sizes, list) else []
    smallest, largest = (min(known), max(known)) if known else (512, 2048)
    return (
        "chunk_sizes is not an argument: leaves have one size, and parents are whole sections. "
        f"For [{largest}, {smallest}] tokens write max_chunk_size={smallest}, "
        f"max_parent_size={largest}, tokenizer=... (a function that returns the tokens of a text); "
        "without tokenizer sizes are in characters, about four to a token: "
        f"max_chunk_size={4 * smallest}, max_parent_size={4 * largest}"
    )


def require_parent_size(size: int | None, leaf_size: int) -> None:
    """Raise a ValueError unless parents may be as large as leaves."""
    if size is not None and size < leaf_size:
        allowed = f"None, or at least max_chunk_size ({leaf_size}): a parent holds several leaves"
        raise ValueError(f"max_parent_size is {size}; allowed: {allowed}")


def as_list(documents: Iterable[_Item]) -> list[_Item]:
    """Return documents as a list; raise an InputTypeError for one alone, and for a name."""
    given: object = documents
    if isinstance(given, BaseNode):  # which is an iterable, too
        raise InputTypeError("documents", type(given), "a list of documents: [document]")
    if isinstance(given, str | PurePath) or not isinstance(given, Iterable):
        allowed = "a list of documents: SimpleDirectoryReader(…).load_data() reads a folder's"
        raise InputTypeError("documents", given, allowed)
    return [*documents]


def require_nodes(documents: Iterable[object]) -> None:
    """Raise an InputTypeError for the first document that is none."""
    allowed = 'a Document: SimpleDirectoryReader(…).load_data(), or Document(text="# Text")'
    for number, document in enumerate(documents):
        if not isinstance(document, BaseNode):
            raise InputTypeError(f"documents[{number}]", document, allowed)


def require_unique(nodes: Iterable[BaseNode], kind: str) -> None:
    """Raise a ValueError if two nodes have one id."""
    seen: set[str] = set()
    for node in nodes:
        if node.node_id in seen:
            raise ValueError(f"several {kind} have the id {node.node_id!r}; ids have to be unique")
        seen.add(node.node_id)


def warn_of_clashes(documents: Sequence[BaseNode], keys: Iterable[str]) -> None:
    """Warn of documents whose metadata have keys of ours."""
    theirs = (document.metadata.keys() for document in documents if not is_ours(document))
    if clashing := sorted(set(keys).intersection(chain.from_iterable(theirs))):
        warn(f"documents keep their own metadata {', '.join(clashing)}")


def warn_of_misnamed(names: Sequence[str]) -> None:
    """Warn of documents, by their ids, that are not what the names of their files say."""
    if names:
        others = f", as are {len(names) - 1} others" if len(names) > 1 else ""
        warn(f"{names[0]!r} is not what its name says, or too long for it{others}: see `format`")


def warn_of_long_metadata(names: Sequence[str], limit: int) -> None:
    """Warn of documents, by their ids, whose metadata leave no room for leaves."""
    if names:
        others = f", as does that of {len(names) - 1} others" if len(names) > 1 else ""
        warn(
            f"the metadata that is embedded with {names[0]!r} takes over half of max_chunk_size "
            f"({limit}){others}: leaves are measured without it; see excluded_embed_metadata_keys"
        )
