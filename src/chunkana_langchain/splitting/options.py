"""Options of the splitter, and the argument checks and warnings of splitter and index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from langchain_core.documents import Document

from chunkana_core import ChunkanaWarning, ConfigurationError, InputTypeError
from chunkana_core.extending import BlockRule, SourceFile
from chunkana_langchain import keys
from chunkana_langchain.splitting.origin import is_chunk
from chunkana_retrieval import checks
from chunkana_retrieval.errors import warn

HeaderContext = Literal["breadcrumb", "none"]
SourceLabel = str | Callable[[Document], str | None] | None


@dataclass(frozen=True, slots=True)
class MappingOptions:
    """Options of the conversion of chunks to documents.

    Attributes:
        chunk_size: the largest size of a page content, in units of `length`.
        length: returns the size of a text.
        max_parent_size: the largest size of a parent's text; None for the core's default.
        has_overlap: whether page contents contain overlap before the content.
        has_start_index: whether the metadata contain `start_index`.
        has_header_keys: whether the metadata contain "Header 1" to "Header 6".
        has_all_keys: whether the metadata contain all of Chunkana's keys, not only those that
            retrieval uses.
        strips_whitespace: whether white space at the start of a content is removed, except in code.
    """

    chunk_size: int
    length: Callable[[str], int] = len
    max_parent_size: int | None = None
    has_overlap: bool = False
    has_start_index: bool = False
    has_header_keys: bool = False
    has_all_keys: bool = False
    strips_whitespace: bool = False


def require_documents(documents: Iterable[Document]) -> list[Document]:
    """Return documents as a list; raise an InputTypeError for another type."""
    given: object = documents
    shown = repr(str(given)) if isinstance(given, str | PurePath) else "…"
    sources = (
        f"TextLoader({shown}).load() of a file, "
        f"DirectoryLoader({shown}, loader_cls=TextLoader).load() of a folder"
    )
    example = 'TextLoader("README.md").load(), or Document("# Text")'
    return checks.require_documents(documents, Document, sources, example)


def require_label(source_label: object, header_context: str) -> None:
    """Raise an error for a source label of another type, or one without breadcrumbs."""
    if source_label is not None and header_context != "breadcrumb":
        allowed = 'None unless header_context="breadcrumb"'
        raise ConfigurationError("source_label", source_label, allowed)
    if not (source_label is None or isinstance(source_label, str) or callable(source_label)):
        raise InputTypeError("source_label", source_label, "None, a key of metadata or a callable")


def label_of(document: Document, source_label: SourceLabel) -> str | None:
    """Return the label that `source_label` gives a document, None for its path.

    Raises:
        InputTypeError: if a function returns anything but a str or None.
    """
    if isinstance(source_label, str):
        value = document.metadata.get(source_label) if source_label else ""
        return None if value is None else str(value)
    label = None if source_label is None else source_label(document)
    if not isinstance(label, str | None):
        raise InputTypeError("what source_label returns", label, "a str or None")
    return label


def describe_rule(rule: BlockRule) -> list[str]:
    """Return the strings that describe a block rule; functions are described by their names."""
    names = [
        f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
        for function in (rule.plugin, rule.name_in)
    ]
    return [rule.name, rule.kind, rule.characters, rule.next_characters, *names]


def require_keys(front_matter_keys: Sequence[str]) -> None:
    """Raise an error unless the keys are a list of str without Chunkana's own metadata keys."""
    given: object = front_matter_keys  # a str is a sequence of str too, but not allowed
    is_list = isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given)
    if not is_list:
        raise InputTypeError("front_matter_keys", front_matter_keys, "a list or tuple of str")
    if not keys.OWN.isdisjoint(front_matter_keys):
        allowed = f"any but {', '.join(sorted(keys.OWN))}"
        raise ConfigurationError("front_matter_keys", front_matter_keys, allowed)


def is_piece(document: Document) -> bool:
    """Return whether a document's metadata are those of a piece from another splitter."""
    return keys.START_INDEX in document.metadata and not is_chunk(document)


def warn_of_clashes(names: Iterable[str]) -> None:
    """Warn of Chunkana's metadata keys that documents already have."""
    if names := sorted(names):
        warn(f"metadata of the documents keeps its own {', '.join(names)}")


def warn_of_pieces(documents: Sequence[Document]) -> None:
    """Warn of pieces from another splitter, whose lines and offsets are not those of the source."""
    if piece := next(filter(is_piece, documents), None):
        warn(
            f"{piece.metadata.get('source', 'a document')!r} has the `start_index` of another "
            "splitter: lines and offsets are counted in this piece, not in its source; split whole "
            "documents, as a loader returns them"
        )


def warn_of_label(documents: Sequence[Document], source_label: SourceLabel) -> None:
    """Warn of a source label that is not a metadata key of any document."""
    known = set[str]().union(*(document.metadata for document in documents))
    if source_label and isinstance(source_label, str) and documents and source_label not in known:
        names = ", ".join(sorted(known)) or "none"
        warn(
            f"source_label is {source_label!r}, a key that no document's metadata have, so labels "
            f"are the documents' paths; the keys are: {names}"
        )


def warn_of_misnamed(file: SourceFile, form: str) -> None:
    """Warn of a text that is invalid in the format of its file name and treated as another one."""
    actual = "Markdown" if form == "markdown" else "plain text"
    name = file.name or "a document"
    message = f"{name} is not valid {file.format}, or too long for it, and chunked as {actual}"
    warn(ChunkanaWarning(message))
