"""Records: the text, metadata, leaves and parents of each document in an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

import msgspec
from msgspec import Struct

from chunkana_core import Chunk, ConfigurationError, HierarchicalChunkingResult, MergeNode, Span
from chunkana_core.extending import FieldReader, derive_uuid, format_header_path
from chunkana_retrieval.hits import Cells, Hit, repeated_rows

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
        opened: the number of titles at the end of the path that the text contains, see `Hit`.
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
    opened: int = 0
    cells: Cells | None = None

    @property
    def section_id(self) -> str:
        """The id of the leaf's section."""
        return str(self.metadata["section_id"])

    @property
    def parent_section_id(self) -> str:
        """The id of the section around the leaf's section, "" for none."""
        return str(self.metadata["parent_section_id"])


class ParentRecord(Struct, frozen=True, gc=False, array_like=True):
    """A parent of the merge tree, whose text is a slice of the document.

    Attributes:
        node_id: the id of the parent, unique in the document.
        parent_id: the id of its own parent, None for a root.
        child_count: the number of its children.
        start: the offset in the document where the text starts.
        end: the offset in the document where the text ends.
    """

    node_id: str
    parent_id: str | None
    child_count: int
    start: int
    end: int


class _Stored(Struct, frozen=True, array_like=True):
    """The part of a document's record that is stored in one column."""

    metadata: dict[str, object]
    leaves: tuple[LeafRecord, ...]
    parents: tuple[ParentRecord, ...]
    label: str
    attachment: str


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document in an index, with all the data that search results are made from.

    Attributes:
        document_id: the id of the document, unique in the index.
        text: the chunked text, to which all spans refer.
        metadata: the caller's metadata, serialisable as JSON.
        fingerprint: a hash of the text, the metadata and the chunking options.
        leaves: all indexed leaves, in document order.
        parents: the parents of the merge tree, each before its children.
        label: the first title of the paths in passages, such as the file; "" for none.
        attachment: further data of an adapter, as a str.
    """

    document_id: str
    text: str
    metadata: dict[str, object]
    fingerprint: str
    leaves: tuple[LeafRecord, ...] = ()
    parents: tuple[ParentRecord, ...] = ()
    label: str = ""
    attachment: str = ""

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
            repeated=repeated_rows(leaf.before),
            format=str(leaf.metadata["format"]),
            signature=leaf.signature,
            contained_titles=leaf.opened,
            cells=leaf.cells,
        )

    def to_json(self) -> str:
        """Return everything but the id, the text and the fingerprint as JSON."""
        stored = _Stored(self.metadata, self.leaves, self.parents, self.label, self.attachment)
        return json.dumps(msgspec.to_builtins(stored), separators=(",", ":"))

    @classmethod
    def from_json(cls, name: str, text: str, fingerprint: str, stored: str) -> DocumentRecord:
        """Return the record of a document from the JSON of `to_json`."""
        given = msgspec.convert(json.loads(stored), _Stored)
        parts = given.metadata, fingerprint, given.leaves, given.parents
        return cls(name, text, *parts, given.label, given.attachment)


Leaf = tuple[DocumentRecord, LeafRecord]


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
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def record_document(
    document_id: str,
    result: HierarchicalChunkingResult,
    metadata: Metadata,
    fingerprint: str,
    front: Callable[[Chunk], str] | None = None,
    *,
    max_parent_size: int | None = None,
    label: str = "",
    attachment: str = "",
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
        attachment: further data of an adapter.
    """
    written, title = metadata_json(document_id, metadata), result.title
    tree = result.merge_tree(max_parent_size)

    def leaf_record(chunk: Chunk) -> LeafRecord:
        before = front(chunk) if front else f"{chunk.context}\n\n" if chunk.context else ""
        leaf, node = _leaf_record(chunk, title, before), tree.get(chunk.chunk_id)
        leaf_id = _leaf_id(document_id, leaf, chunk.text, written)
        parent_id = node.parent_id if node else None
        return msgspec.structs.replace(leaf, leaf_id=leaf_id, parent_id=parent_id)

    return DocumentRecord(
        document_id,
        result.text,
        json.loads(written),
        fingerprint,
        tuple(map(leaf_record, result.get_flat_chunks())),
        tuple(
            ParentRecord(
                node.node_id, node.parent_id, len(node.children_ids), node.span.start, node.span.end
            )
            for node in tree.nodes
            if not node.is_leaf
        ),
        label,
        attachment,
    )


def _leaf_record(chunk: Chunk, title: str, front: str) -> LeafRecord:
    """Return the record of a leaf without its ids outside of the document.

    Args:
        chunk: the leaf.
        title: the title of the document, "" for none.
        front: the text to embed before the leaf's content.
    """
    content, hit = chunk.content, Hit.of_chunk(chunk, 0.0, title=title)
    return LeafRecord(
        chunk_id=chunk.chunk_id,
        path=hit.path,
        metadata=_METADATA.flat_values(chunk) | {"header_path": format_header_path(hit.path)},
        start=chunk.span.start,
        end=chunk.span.end,
        start_line=chunk.text_start_line,
        before=front + content[: chunk.text_offset],
        after=content[chunk.text_offset + len(chunk.text) :],
        signature=hit.signature,
        opened=hit.contained_titles,
        cells=hit.cells,
    )


def _parent_record(node: MergeNode) -> ParentRecord:
    children = len(node.children_ids)
    return ParentRecord(node.node_id, node.parent_id, children, node.span.start, node.span.end)


def _leaf_id(document_id: str, leaf: LeafRecord, text: str, metadata: str) -> str:
    """Return the id of a leaf: a hash of all that a vector store contains of it, no offsets."""
    stored = json.dumps([leaf.chunk_id, leaf.path, leaf.metadata])
    return derive_uuid(document_id, metadata, stored, leaf.before, text, leaf.after)


def metadata_json(document_id: str, metadata: Metadata) -> str:
    """Return metadata as JSON, with dates and times as ISO text.

    Raises:
        ConfigurationError: naming the key of the first value that JSON does not have.
    """
    try:
        return json.dumps(metadata, sort_keys=True, default=_to_iso, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as error:
        key, value = next(_unwritable(metadata), ("", metadata))
        field = f"metadata[{key!r}]" if key else "metadata"
        allowed = f"values that JSON can write; in {document_id!r}: {error}"
        shown = value if isinstance(value, float) else type(value)  # others may be long or deep
        raise ConfigurationError(field, shown, allowed) from error


def _to_iso(value: object) -> str:
    if isinstance(value, date):  # a datetime is a date, too
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} is not serialisable as JSON")


def _unwritable(metadata: Metadata) -> Iterator[tuple[str, object]]:
    """Yield the keys and values of metadata that cannot be serialised as JSON by themselves."""
    for key, value in metadata.items():
        try:
            json.dumps({key: value}, default=_to_iso, allow_nan=False)
        except (RecursionError, TypeError, ValueError):
            yield str(key), value
