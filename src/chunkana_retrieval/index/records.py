"""Records: the text, metadata, leaves and parents of each document in an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from msgspec import Struct

from chunkana_core import (
    Chunk,
    ConfigurationError,
    HierarchicalChunkingResult,
    MergeNode,
    Span,
    TocEntry,
)
from chunkana_core.extending import FieldReader, derive_uuid, format_header_path, text_digest
from chunkana_retrieval.hits import Cells, Hit, repeated_lines
from chunkana_retrieval.merging import Parent

_METADATA = FieldReader.of("index")
Metadata = Mapping[str, object]
LEAF_KEYS = frozenset(_METADATA.names)


class LeafRecord(Struct, frozen=True, gc=False, array_like=True):
    """A leaf without its text, which is a slice of the document.

    Attributes:
        chunk_id: the id of the chunk, unique in the document.
        path: the header path of the leaf, outermost title first, the document's title included.
        metadata: the metadata to filter by. They contain no offsets or lines, so that a change in
            the text above does not change them.
        start: the offset in the document where the text starts.
        end: the offset in the document where the text ends.
        start_line: the line of the document, from 1, where the text starts.
        before: the text that is embedded before the leaf's text: context and repeated lines.
        after: the text that is embedded after the leaf's text.
        leaf_id: the id of the leaf in a user's vector store: a UUID computed from all that is
            stored there, so that a changed leaf has another id.
        parent_id: the id of the leaf's parent in the merge tree, None for a root.
        signature: the signature of the definition that the text is from inside of, "" for none.
        contained_titles: the number of titles at the end of the path that the text contains, see
            `Hit`.
        cells: the numbers of the first and the last notebook cell; None for other formats.
    """

    chunk_id: str
    path: tuple[str, ...]
    metadata: dict[str, object]
    start: int
    end: int
    start_line: int
    before: str = ""
    after: str = ""
    leaf_id: str = ""
    parent_id: str | None = None
    signature: str = ""
    contained_titles: int = 0
    cells: Cells | None = None

    @property
    def section_id(self) -> str:
        """The id of the leaf's section."""
        return str(self.metadata["section_id"])

    @property
    def parent_section_id(self) -> str:
        """The id of the section around the leaf's section, "" for none."""
        return str(self.metadata["parent_section_id"])


class DocumentRecord(Struct, frozen=True, array_like=True):
    """A document in an index, with all the data that search results are made from.

    Attributes:
        document_id: the id of the document, unique in the index.
        text: the chunked text, to which all spans refer.
        metadata: the caller's metadata, serialisable as JSON.
        fingerprint: a hash of the text, the metadata and the chunking options.
        leaves: all indexed leaves, in document order.
        parents: the parents of the merge tree by their ids, each before its children.
        label: the first title of the paths in passages, such as the file; "" for none.
        adapter_data: further data of an adapter, as a str.
        outline: the sections of the document, in order.
    """

    document_id: str
    text: str
    metadata: dict[str, object]
    fingerprint: str
    leaves: tuple[LeafRecord, ...]
    parents: dict[str, Parent]
    label: str = ""
    adapter_data: str = ""
    outline: tuple[TocEntry, ...] = ()

    def embedded(self, leaf: LeafRecord) -> str:
        """Return the text of a leaf to embed."""
        return leaf.before + self.text[leaf.start : leaf.end] + leaf.after

    def hit(self, leaf: LeafRecord, score: float) -> Hit:
        """Return a leaf as a hit."""
        return Hit(
            leaf.chunk_id,
            score,
            parent_id=leaf.parent_id,
            document_id=self.document_id,
            section_id=leaf.section_id,
            span=Span(leaf.start, leaf.end),
            path=(self.label, *leaf.path) if self.label else leaf.path,
            text=self.text[leaf.start : leaf.end],
            start_line=leaf.start_line,
            repeated=repeated_lines(leaf.before),
            format=str(leaf.metadata["format"]),
            signature=leaf.signature,
            contained_titles=leaf.contained_titles,
            cells=leaf.cells,
        )


DocumentLeaf = tuple[DocumentRecord, LeafRecord]


@dataclass(frozen=True, slots=True)
class SourceDocuments:
    """The current documents of an update, by their ids.

    Attributes:
        fingerprints: the fingerprints of the documents by id.
        record: chunks the document with an id and returns its record; called only for new and
            changed documents.
        options: a description of the chunking options, the same for all documents; "" if each
            document may have its own.
    """

    fingerprints: Mapping[str, str]
    record: Callable[[str], DocumentRecord]
    options: str = ""


def fingerprint(document_id: str, text: str, metadata: Metadata, chunking: str) -> str:
    """Return the fingerprint of a document; a document is indexed again if it has changed.

    Args:
        document_id: the id of the document.
        text: the text of the document.
        metadata: the metadata of the document.
        chunking: a description of everything else that the chunks depend on.

    Raises:
        ConfigurationError: for metadata that cannot be serialised as JSON.
    """
    parts = (chunking, document_id, text, metadata_json(document_id, metadata))
    return text_digest(*parts).hex()


def record_document(
    document_id: str,
    result: HierarchicalChunkingResult,
    metadata: Metadata,
    fingerprint: str,
    front: Callable[[Chunk], str] | None = None,
    *,
    max_parent_size: int | None = None,
    label: str = "",
    adapter_data: str = "",
) -> DocumentRecord:
    """Return the record of a chunked document.

    Args:
        document_id: the id of the document.
        result: the chunks of the document; those of `get_flat_chunks` are indexed.
        metadata: the metadata of the document, which a vector store keeps with each leaf.
        fingerprint: the fingerprint of the document, as `fingerprint` returns it.
        front: returns the text to embed before a chunk's content; by default the context.
        max_parent_size: the size of the largest parent, see `merge_tree` of the result.
        label: the first title of the paths in passages; "" for none.
        adapter_data: further data of an adapter.
    """
    stored_metadata = metadata_json(document_id, metadata)
    tree, leaves = result.merge_tree(max_parent_size), list[LeafRecord]()
    for node in tree.leaves:
        chunk = node.chunk
        embedded = front(chunk) + chunk.content if front else chunk.embedded
        leaves.append(_leaf_record(node, embedded, result.title, (document_id, stored_metadata)))
    parents = {node.node_id: Parent.of(node) for node in tree.nodes if not node.is_leaf}
    return DocumentRecord(
        document_id,
        result.text,
        json.loads(stored_metadata),
        fingerprint,
        tuple(leaves),
        parents,
        label,
        adapter_data,
        tuple(result.toc()),
    )


def _leaf_record(
    node: MergeNode, embedded: str, title: str, document: tuple[str, str]
) -> LeafRecord:
    """Return the record of a leaf.

    Args:
        node: the leaf.
        embedded: the text to embed.
        title: the title of the document, "" for none.
        document: the id and the metadata of the document, which its vector store has, too.
    """
    chunk = node.chunk
    hit = Hit.of_chunk(chunk, 0.0, title=title)
    metadata = _METADATA.flat_values(chunk) | {"header_path": format_header_path(hit.path)}
    start = len(embedded) - len(chunk.content) + chunk.text_offset
    before, after = embedded[:start], embedded[start + len(chunk.text) :]
    own = json.dumps([chunk.chunk_id, hit.path, metadata])
    return LeafRecord(
        chunk.chunk_id,
        hit.path,
        metadata,
        chunk.span.start,
        chunk.span.end,
        chunk.text_start_line,
        before,
        after,
        derive_uuid(*document, own, before, chunk.text, after),
        node.parent_id,
        hit.signature,
        hit.contained_titles,
        hit.cells,
    )


def metadata_json(document_id: str, metadata: Metadata) -> str:
    """Return metadata as JSON, with dates and times as ISO text.

    Raises:
        ConfigurationError: naming the key of the first value that JSON does not have.
    """
    written, parts = "", [(f"metadata[{key!r}]", {key: metadata[key]}) for key in metadata]
    for field, part in [*parts, ("metadata", metadata)]:
        try:
            written = json.dumps(part, sort_keys=True, default=_to_iso, allow_nan=False)
        except (RecursionError, TypeError, ValueError) as error:
            (value, *_) = part.values()
            shown = value if isinstance(value, float) else type(value)  # others may be long or deep
            allowed = f"values that JSON can write; in {document_id!r}: {error}"
            raise ConfigurationError(field, shown, allowed) from error
    return written


def _to_iso(value: object) -> str:
    if isinstance(value, date):  # a datetime is a date, too
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not serialisable as JSON")
