"""LlamaIndex documents as records of an index, and its passages and leaves as nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from chunkana_core.extending import FieldReader, SourceFile
from chunkana_llamaindex.chunking import DocumentChunker
from chunkana_llamaindex.node_parser import ChunkanaNodeParser, documents_by_id
from chunkana_llamaindex.nodes import KEYS, front_matter_of, text_of
from chunkana_retrieval import Found, Passage
from chunkana_retrieval.adapting import InputLimit, warn_of_clashes, warn_of_long_texts
from chunkana_retrieval.index import (
    LEAF_KEYS,
    DocumentRecord,
    SourceDocuments,
    fingerprint,
    record_document,
)

_EXCLUDED: Final = ("excluded_embed_metadata_keys", "excluded_llm_metadata_keys")
# The fields of a document that determine how its metadata are written; attached to its record.
_FORMAT_FIELDS: Final = (*_EXCLUDED, "metadata_template", "metadata_separator", "text_template")
_OWN_KEYS: Final = LEAF_KEYS.union(
    ("spans", "path", "chunk_ids", "start_line", "end_line", "lines", "similarity", "bm25"),
    FieldReader.of("notebook").names,
)
_WHOLE: Final = "a Document: the retriever makes nodes of whole documents itself"
_SHORTER: Final = "give node_parser=ChunkanaNodeParser(max_chunk_size=…, tokenizer=…)"


@dataclass(frozen=True, slots=True)
class DocumentIndexer:
    """Converts documents to records.

    Attributes:
        parser: the options of chunking, including the context of chunks.
        embedded_metadata_keys: the keys of the documents' metadata that are embedded with chunks.
        chunker: the chunker of the documents.
        limit: the length of text that the embedding model reads, None if it is not known.
    """

    parser: ChunkanaNodeParser
    embedded_metadata_keys: Sequence[str]
    chunker: DocumentChunker
    limit: InputLimit | None = None

    def sources(self, documents: Iterable[BaseNode]) -> SourceDocuments:
        """Check documents, and return them as the input of an update."""
        by_id = documents_by_id(documents)
        for number, one in enumerate(by_id.values()):
            if not isinstance(one, Document):
                raise InputTypeError(f"documents[{number}]", type(one), _WHOLE)
        self.parser.check_files(by_id.values())
        warn_of_clashes(_OWN_KEYS, (one.metadata for one in by_id.values()))
        given = [self.parser.to_dict(), [*self.embedded_metadata_keys]]
        options = json.dumps(given, sort_keys=True, default=str)
        digests = {
            name: fingerprint(name, text_of(one), one.metadata, options + _format_of(one))
            for name, one in by_id.items()
        }

        def record(name: str) -> DocumentRecord:
            return self._record(by_id[name], digests[name])

        return SourceDocuments(digests, warn_of_long_texts(record, self.limit, _SHORTER), options)

    def _record(self, document: BaseNode, digest: str) -> DocumentRecord:
        """Chunk a document and return its record."""
        lines = self._metadata_lines(document)
        result = self.chunker.chunk(document, lines)
        front_matter = front_matter_of(result, self.parser.front_matter_keys)

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
            max_parent_size=self.parser.max_parent_size,
            label=title if label is None else title and label,
            adapter_data=_format_of(document, front_matter.keys() - document.metadata.keys()),
        )

    def _metadata_lines(self, document: BaseNode) -> str:
        """Return the embedded metadata of a document and a blank line, "" for no metadata."""
        keys = self.embedded_metadata_keys
        metadata = {key: document.metadata[key] for key in keys if key in document.metadata}
        lines = document.model_copy(update={"metadata": metadata}).get_metadata_str()
        return f"{lines}\n\n" if lines else ""


def _format_of(document: BaseNode, hidden: Iterable[str] = ()) -> str:
    """Return as JSON how the metadata of a document are written.

    Args:
        document: the document.
        hidden: further keys that the language model does not read.
    """
    fields = {name: getattr(document, name) for name in _FORMAT_FIELDS if hasattr(document, name)}
    fields[_EXCLUDED[1]] = [*document.excluded_llm_metadata_keys, *sorted(hidden)]
    return json.dumps(fields)


@dataclass(frozen=True, slots=True)
class NodeFormat:
    """The properties of a document that its nodes have too, and the nodes made with them.

    Attributes:
        node: a node with the excluded keys, templates, separator and source.
        metadata: the metadata of the document.
    """

    node: TextNode
    metadata: Mapping[str, Any]

    @classmethod
    def of_record(cls, record: DocumentRecord) -> NodeFormat:
        """Return the format of a document in an index."""
        source = RelatedNodeInfo(node_id=record.document_id, node_type=ObjectType.DOCUMENT)
        node = TextNode(metadata=record.metadata, relationships={NodeRelationship.SOURCE: source})
        fields = json.loads(record.adapter_data or "{}")
        return cls(node.model_copy(update=fields), record.metadata)

    def passage(self, passage: Passage) -> NodeWithScore:
        """Return a passage as a node with its score, None if the score is unknown."""
        own = {"start_line": 0, "end_line": 0, **passage.metadata()}
        span = Span(passage.spans[0].start, passage.spans[-1].end)
        name = f"{passage.document_id}:{span.start}-{span.end}"
        score = None if isnan(passage.score) else passage.score
        return NodeWithScore(node=self.node_of(name, passage.text, span, own), score=score)

    def node_of(self, node_id: str, text: str, span: Span, own: Mapping[str, Any]) -> TextNode:
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
        for name in _EXCLUDED:
            theirs = [k for k in getattr(node, name) if k not in KEYS or k in self.metadata]
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


def found_nodes(found: Found) -> list[NodeWithScore]:
    """Return the leaves that a search found as nodes, with the texts that were embedded."""
    nodes: list[NodeWithScore] = []
    for hit, (record, leaf) in zip(found.hits, found.leaves(), strict=True):
        text, node_format = record.embedded(leaf), NodeFormat.of_record(record)
        node = node_format.node_of(leaf.leaf_id, text, hit.span, leaf.metadata)
        nodes.append(NodeWithScore(node=node, score=hit.score))
    return nodes


def reranked(found: Found, nodes: Iterable[NodeWithScore]) -> Found:
    """Return leaves in the order and with the scores of their nodes; others are left out."""
    hits = {leaf.leaf_id: hit for (_, leaf), hit in zip(found.leaves(), found.hits, strict=True)}
    ranked = [
        replace(hit, score=hit.score if node.score is None else node.score)
        for node in nodes
        if (hit := hits.pop(node.node_id, None))
    ]
    return replace(found, hits=tuple(ranked))


def input_limit(model: object) -> InputLimit | None:
    """Return the length of text that an embedding model reads, None if it does not tell it."""
    return InputLimit.of([getattr(model, "_model", None), model])
