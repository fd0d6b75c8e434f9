"""LlamaIndex's documents as records of an index, and records as what passages have of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from msgspec.structs import replace

from chunkana_core import Chunk
from chunkana_llamaindex.parsing.checks import documents_by_id
from chunkana_llamaindex.parsing.origin import text_of
from chunkana_llamaindex.parsing.parser import ChunkanaNodeParser
from chunkana_llamaindex.reading.passages import PassageTemplate
from chunkana_retrieval.indexing import (
    DocumentRecord,
    SourceDocuments,
    fingerprint,
    record_document,
)

# How a document's metadata are read, which a record keeps as its attachment.
_FIELDS: Final = (
    "excluded_embed_metadata_keys",
    "excluded_llm_metadata_keys",
    "metadata_template",
    "metadata_separator",
    "text_template",
)


@dataclass(frozen=True, slots=True)
class DocumentIndexer:
    """Makes records of documents.

    Attributes:
        parser: how they are chunked, and what is embedded before chunks.
        embedded_metadata_keys: of the documents' metadata, what is embedded besides.
    """

    parser: ChunkanaNodeParser
    embedded_metadata_keys: Sequence[str]

    def sources(self, documents: Iterable[BaseNode]) -> SourceDocuments:
        """Check documents, and return them as an index takes them."""
        by_id = documents_by_id(documents)
        self.parser.require_formats(by_id.values())
        prints = {name: self._fingerprint(document) for name, document in by_id.items()}
        return SourceDocuments(prints, lambda name: self._record(by_id[name], prints[name]))

    def _fingerprint(self, document: BaseNode) -> str:
        """Return what differs where a document has to be indexed anew."""
        options = [self.parser.to_dict(), [*self.embedded_metadata_keys], _fields(document)]
        chunking = json.dumps(options, sort_keys=True, default=str)
        return fingerprint(document.node_id, text_of(document), document.metadata, chunking)

    def _record(self, document: BaseNode, mark: str) -> DocumentRecord:
        """Return the record of a document with a fingerprint."""
        lines = self._metadata_lines(document)
        chunking = self.parser.chunking()
        result = chunking.chunk(document, lines)
        named, fields = chunking.front_matter(result), _fields(document)
        fields["excluded_llm_metadata_keys"] += [k for k in named if k not in document.metadata]
        metadata = json.loads(json.dumps({**named, **document.metadata}))  # a copy, as it is read

        def front(chunk: Chunk) -> str:
            return lines + (f"{chunk.context}\n\n" if chunk.context else "")

        label = chunking.passage_label(document, result)
        record = record_document(document.node_id, result, metadata, mark, front)
        return replace(record, attachment=json.dumps(fields), label=label)

    def _metadata_lines(self, document: BaseNode) -> str:
        """Return what is embedded of a document's metadata, "" for nothing."""
        asked = self.embedded_metadata_keys
        metadata = {key: document.metadata[key] for key in asked if key in document.metadata}
        lines = _node(metadata, _fields(document)).get_metadata_str(MetadataMode.ALL)
        return f"{lines}\n\n" if lines else ""


def passage_template(record: DocumentRecord) -> PassageTemplate:
    """Return what passages have of their document; of a forged record, its metadata alone."""
    try:
        fields = json.loads(record.attachment)
        node = _node(record.metadata, {name: fields[name] for name in _FIELDS if name in fields})
    except (TypeError, ValueError):
        node = _node(record.metadata, {})
    source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
    node.relationships = {NodeRelationship.SOURCE: source}
    return PassageTemplate(node, node.metadata)


def _fields(document: BaseNode) -> dict[str, Any]:
    values = {name: getattr(document, name) for name in _FIELDS if hasattr(document, name)}
    return {name: [*value] if isinstance(value, list) else value for name, value in values.items()}


def _node(metadata: Mapping[str, Any], fields: Mapping[str, Any]) -> TextNode:
    """Return a node without text; the alias of one of its fields is spelled so."""
    renamed = dict(fields)
    if "metadata_separator" in renamed:
        renamed["metadata_seperator"] = renamed.pop("metadata_separator")
    return TextNode(metadata=dict(metadata), **renamed)
