"""Documents of an index, and how they are chunked for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from operator import attrgetter
from typing import TypeVar

from chunkana_core import (
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchicalChunkingResult,
)
from chunkana_core.extending import BlockRule, SourceFile, require_each
from chunkana_retrieval.index.records import (
    DocumentRecord,
    Metadata,
    SourceDocuments,
    fingerprint,
    record_document,
)

T = TypeVar("T")
# A text for which different length functions most likely return different sizes.
_PROBE = "Tokens of `user_id`, 1,250 items\n\n|---|\tétude 日本語"
_DEFAULT = Chunker(ChunkConfig(atomic_blocks="split"), Context())


@dataclass(frozen=True, slots=True)
class IndexDocument:
    """A document to index.

    Attributes:
        document_id: the id of the document, unique in the index, such as its path.
        text: the text.
        metadata: the metadata, which JSON has to have; dates and times become ISO text.
    """

    document_id: str
    text: str
    metadata: Metadata = field(default_factory=dict)

    @property
    def file(self) -> SourceFile:
        """The file of the document: the one that its metadata name, else its id."""
        file = SourceFile.of(self.metadata)
        return file if file.name else SourceFile.of({**self.metadata, "source": self.document_id})


def by_unique_id(
    items: Iterable[T], id_of: Callable[[T], str], field: str, allowed: str
) -> dict[str, T]:
    """Return items by their ids; raise a ConfigurationError if two ids are equal.

    Args:
        items: the items.
        id_of: returns the id of an item.
        field: the description of the id, for the error message.
        allowed: the description of allowed items.
    """
    by_id: dict[str, T] = {}
    for item in items:
        name = id_of(item)
        if name in by_id:
            raise ConfigurationError(field, name, allowed)
        by_id[name] = item
    return by_id


def sources_of_texts(
    documents: Iterable[IndexDocument], chunker: Chunker | None
) -> SourceDocuments:
    """Return documents as the sources of an update.

    Raises:
        ConfigurationError: for two documents with one id, and metadata that JSON does not have.
    """
    chunker = chunker or _DEFAULT
    given = require_each("documents", documents, IndexDocument)
    allowed = "a different one for each document"
    by_id = by_unique_id(given, attrgetter("document_id"), "document_id", allowed)
    options = describe_chunker(chunker)
    prints = {
        name: fingerprint(name, one.text, one.metadata, options) for name, one in by_id.items()
    }

    def record(name: str) -> DocumentRecord:
        document = by_id[name]
        file = document.file
        path = file.name or None
        result = chunker.chunk_hierarchical(document.text, file.format, path)
        label = file.title if chunker.context and chunker.context.breadcrumb else ""
        return record_document(name, result, document.metadata, prints[name], label=label)

    return SourceDocuments(prints, record, options)


def sources_of_chunks(
    results: Mapping[str, HierarchicalChunkingResult], metadata: Mapping[str, Metadata]
) -> SourceDocuments:
    """Return chunked documents as the sources of an update."""
    prints = {
        name: fingerprint(
            name,
            result.text,
            metadata.get(name, {}),
            json.dumps([[chunk.chunk_id, chunk.embedded] for chunk in result.get_flat_chunks()]),
        )
        for name, result in results.items()
    }

    def record(name: str) -> DocumentRecord:
        return record_document(name, results[name], metadata.get(name, {}), prints[name])

    return SourceDocuments(prints, record)


def describe_chunker(chunker: Chunker) -> str:
    """Return a description of all that a chunker's chunks depend on but the text."""
    length = chunker.config.length_function
    context = chunker.context
    described = {
        "version": version("chunkana-rag"),
        "config": chunker.config.to_dict(),
        "length_function": [name_of(length), length(_PROBE)],
        "context": context and [context.label, context.breadcrumb, context.introduction],
        "strategies": [type(one).__qualname__ for one in chunker.strategies],
        "plugins": [*map(_describe_rule, chunker.plugins)],
        "formats": [one.name for one in chunker.formats],
        "fallback": chunker.fallback,
    }
    return json.dumps(described, sort_keys=True)


def _describe_rule(rule: BlockRule) -> list[str]:
    """Return the strings that describe a block rule."""
    texts = (rule.name, rule.kind, rule.characters, rule.next_characters)
    return [*texts, name_of(rule.plugin), name_of(rule.name_in)]


def name_of(function: object) -> str:
    """Return the module and the name of a function, or of the class of another object."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return ".".join(str(getattr(named, name, "")) for name in ("__module__", "__qualname__"))
