"""Convert LlamaIndex documents to records of an index, and records to passage templates."""

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
from chunkana_core.extending import SourceFile
from chunkana_llamaindex.chunking import DocumentChunker
from chunkana_llamaindex.node_parser import ChunkanaNodeParser, documents_by_id
from chunkana_llamaindex.nodes import front_matter_of, text_of
from chunkana_llamaindex.reading.passages import PassageTemplate
from chunkana_retrieval.indexing import (
    DocumentRecord,
    SourceDocuments,
    fingerprint,
    record_document,
)

# The fields of a document that determine how its metadata are written; attached to its record.
_FORMAT_FIELDS: Final = (
    "excluded_embed_metadata_keys",
    "excluded_llm_metadata_keys",
    "metadata_template",
    "metadata_separator",
    "text_template",
)


@dataclass(frozen=True, slots=True)
class DocumentIndexer:
    """Converts documents to records.

    Attributes:
        parser: the options of chunking, including the context of chunks.
        embedded_metadata_keys: the keys of the documents' metadata that are embedded with chunks.
    """

    parser: ChunkanaNodeParser
    embedded_metadata_keys: Sequence[str]

    def sources(self, documents: Iterable[BaseNode]) -> SourceDocuments:
        """Check documents, and return them as the input of an index update."""
        by_id = documents_by_id(documents)
        self.parser.check_files(by_id.values())
        parser, chunker = self.parser.to_dict(), self.parser.document_chunker()
        fingerprints = {name: self._fingerprint(one, parser) for name, one in by_id.items()}
        return SourceDocuments(
            fingerprints, lambda name: self._record(by_id[name], fingerprints[name], chunker)
        )

    def _fingerprint(self, document: BaseNode, parser: Mapping[str, Any]) -> str:
        """Return a hash of a document and of the options with which it is indexed."""
        options = [parser, [*self.embedded_metadata_keys], _format_fields(document)]
        chunking = json.dumps(options, sort_keys=True, default=str)
        return fingerprint(document.node_id, text_of(document), document.metadata, chunking)

    def _record(self, document: BaseNode, digest: str, chunker: DocumentChunker) -> DocumentRecord:
        """Chunk a document and return its record."""
        lines = self._metadata_lines(document)
        result = chunker.chunk(document, lines)
        chunker.warn()
        front_matter = front_matter_of(result, self.parser.front_matter_keys)
        fields = _format_fields(document)
        added = [key for key in front_matter if key not in document.metadata]
        fields["excluded_llm_metadata_keys"] += added
        # A copy, with the types that a loaded record has.
        metadata = json.loads(json.dumps({**front_matter, **document.metadata}))

        def embedded_prefix(chunk: Chunk) -> str:
            return lines + (f"{chunk.context}\n\n" if chunk.context else "")

        # The label of passages; a format with headings has titles instead.
        title, label = (
            SourceFile.of(document.metadata, result.format).title,
            chunker.label(document),
        )
        label = title if label is None else title and label
        record = record_document(document.node_id, result, metadata, digest, embedded_prefix)
        return replace(record, attachment=json.dumps(fields), label=label)

    def _metadata_lines(self, document: BaseNode) -> str:
        """Return the embedded metadata of a document and a blank line, "" for no metadata."""
        keys = self.embedded_metadata_keys
        metadata = {key: document.metadata[key] for key in keys if key in document.metadata}
        lines = _node(metadata, _format_fields(document)).get_metadata_str(MetadataMode.ALL)
        return f"{lines}\n\n" if lines else ""


def passage_template(record: DocumentRecord) -> PassageTemplate:
    """Return the template of a document's passages.

    If the attachment of the record is invalid, the template has only the metadata.
    """
    try:
        fields = json.loads(record.attachment)
        node = _node(
            record.metadata, {name: fields[name] for name in _FORMAT_FIELDS if name in fields}
        )
    except (TypeError, ValueError):
        node = _node(record.metadata, {})
    source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
    node.relationships = {NodeRelationship.SOURCE: source}
    return PassageTemplate(node, node.metadata)


def _format_fields(document: BaseNode) -> dict[str, Any]:
    values = {name: getattr(document, name) for name in _FORMAT_FIELDS if hasattr(document, name)}
    return {name: [*value] if isinstance(value, list) else value for name, value in values.items()}


def _node(metadata: Mapping[str, Any], fields: Mapping[str, Any]) -> TextNode:
    """Return a node without text."""
    renamed = dict(fields)
    if "metadata_separator" in renamed:
        # LlamaIndex's spelling of the alias
        renamed["metadata_seperator"] = renamed.pop("metadata_separator")
    return TextNode(metadata=dict(metadata), **renamed)
