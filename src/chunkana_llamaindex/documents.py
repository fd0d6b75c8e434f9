"""LlamaIndex documents as records of an index, and its passages and leaves as nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, Final

from llama_index.core.schema import (
    BaseNode,
    Document,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)

from chunkana_core import Chunk, InputTypeError, Span
from chunkana_core.extending import SourceFile
from chunkana_llamaindex.chunking import DocumentChunker
from chunkana_llamaindex.node_parser import ChunkanaNodeParser, documents_by_id
from chunkana_llamaindex.nodes import KEYS, front_matter_of, text_of
from chunkana_retrieval import Hit, Passage
from chunkana_retrieval.index import DocumentRecord, SourceDocuments, fingerprint, record_document

_OWN_KEYS: Final = frozenset(KEYS)
# The fields of a document that determine how its metadata are written; attached to its record.
_FORMAT_FIELDS: Final = (
    "excluded_embed_metadata_keys",
    "excluded_llm_metadata_keys",
    "metadata_template",
    "metadata_separator",
    "text_template",
)
_WHOLE: Final = "a Document: the retriever makes nodes of whole documents itself"


@dataclass(frozen=True, slots=True)
class DocumentIndexer:
    """Converts documents to records.

    Attributes:
        parser: the options of chunking, including the context of chunks.
        embedded_metadata_keys: the keys of the documents' metadata that are embedded with chunks.
        chunker: the chunker of the documents, which collects warnings.
    """

    parser: ChunkanaNodeParser
    embedded_metadata_keys: Sequence[str]
    chunker: DocumentChunker

    def sources(self, documents: Iterable[BaseNode]) -> SourceDocuments:
        """Check documents, and return them as the input of an update."""
        by_id = documents_by_id(documents)
        for number, one in enumerate(by_id.values()):
            if not isinstance(one, Document):
                raise InputTypeError(f"documents[{number}]", type(one), _WHOLE)
        self.parser.check_files(by_id.values())
        given = [self.parser.to_dict(), [*self.embedded_metadata_keys]]
        options = json.dumps(given, sort_keys=True, default=str)
        digests = {name: _fingerprint(one, options) for name, one in by_id.items()}
        return SourceDocuments(
            digests, lambda name: self._record(by_id[name], digests[name]), options
        )

    def _record(self, document: BaseNode, digest: str) -> DocumentRecord:
        """Chunk a document and return its record."""
        lines = self._metadata_lines(document)
        result = self.chunker.chunk(document, lines)
        front_matter = front_matter_of(result, self.parser.front_matter_keys)
        fields = _format_fields(document)
        added = [key for key in front_matter if key not in document.metadata]
        fields["excluded_llm_metadata_keys"] = [*document.excluded_llm_metadata_keys, *added]

        def embedded_prefix(chunk: Chunk) -> str:
            return lines + (f"{chunk.context}\n\n" if chunk.context else "")

        # The label of passages; a format with headings has titles instead.
        title = SourceFile.of(document.metadata, result.format).title
        label = self.chunker.label(document)
        return record_document(
            document.node_id,
            result,
            {**front_matter, **document.metadata},
            digest,
            embedded_prefix,
            label=title if label is None else title and label,
            attachment=json.dumps(fields),
        )

    def _metadata_lines(self, document: BaseNode) -> str:
        """Return the embedded metadata of a document and a blank line, "" for no metadata."""
        keys = self.embedded_metadata_keys
        metadata = {key: document.metadata[key] for key in keys if key in document.metadata}
        node = _empty_node(metadata, _format_fields(document))
        lines = node.get_metadata_str(MetadataMode.ALL)
        return f"{lines}\n\n" if lines else ""


@dataclass(frozen=True, slots=True)
class NodeFormat:
    """What the nodes of a document take over from it.

    Attributes:
        node: a node with the excluded keys, templates, separator and source.
        metadata: the metadata of the document.
    """

    node: TextNode
    metadata: Mapping[str, Any]

    @classmethod
    def of_record(cls, record: DocumentRecord) -> NodeFormat:
        """Return the format of a document in an index."""
        node = _empty_node(record.metadata, json.loads(record.attachment or "{}"))
        source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
        node.relationships = {NodeRelationship.SOURCE: source}
        return cls(node, node.metadata)

    def passage(self, passage: Passage) -> NodeWithScore:
        """Return a passage as a node with its score, None if the score is unknown."""
        own = {"start_line": 0, "end_line": 0, **passage.metadata()}
        span = Span(passage.spans[0].start, passage.spans[-1].end)
        name = f"{passage.document_id}:{span.start}-{span.end}"
        score = None if isnan(passage.score) else passage.score
        return NodeWithScore(node=self._node(name, passage.text, span, own), score=score)

    def leaf(self, hit: Hit, record: DocumentRecord) -> NodeWithScore:
        """Return a leaf that a search found as a node with the text that was embedded."""
        leaf = next(leaf for leaf in record.leaves if leaf.chunk_id == hit.node_id)
        text, own = record.embedded(leaf), leaf.metadata
        return NodeWithScore(node=self._node(leaf.leaf_id, text, hit.span, own), score=hit.score)

    def _node(self, node_id: str, text: str, span: Span, own: Mapping[str, Any]) -> TextNode:
        """Return a node; the metadata of the document take precedence over its own."""
        node, added = self.node, {key: own[key] for key in own if key not in self.metadata}
        values: dict[str, Any] = {
            "id_": node_id,
            "text": text,
            "start_char_idx": span.start,
            "end_char_idx": span.end,
            "embedding": None,
            "metadata": {**self.metadata, **added},
            "relationships": {NodeRelationship.SOURCE: node.relationships[NodeRelationship.SOURCE]},
        }
        for name in _FORMAT_FIELDS[:2]:
            theirs = [k for k in getattr(node, name) if k not in _OWN_KEYS or k in self.metadata]
            values[name] = [*dict.fromkeys([*theirs, *added])]
        return node.model_copy(update=values)


def llm_text(formats: Mapping[str, NodeFormat]) -> Callable[[Passage], str]:
    """Return the function that returns a passage as the language model reads it.

    Args:
        formats: the formats of the documents by their ids.
    """

    def text_of_passage(passage: Passage) -> str:
        return formats[passage.document_id].passage(passage).get_content(MetadataMode.LLM)

    return text_of_passage


def _fingerprint(document: BaseNode, options: str) -> str:
    """Return a hash of a document and of the options with which it is indexed."""
    chunking = json.dumps([options, _format_fields(document)])
    return fingerprint(document.node_id, text_of(document), document.metadata, chunking)


def _format_fields(document: BaseNode) -> dict[str, Any]:
    return {name: getattr(document, name) for name in _FORMAT_FIELDS if hasattr(document, name)}


def _empty_node(metadata: Mapping[str, Any], fields: Mapping[str, Any]) -> TextNode:
    """Return a node without text, with metadata that are written as the fields say."""
    return TextNode().model_copy(update={"metadata": dict(metadata), **fields})
