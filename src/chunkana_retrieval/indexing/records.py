"""Records: the text, metadata and leaves of each document in an index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

from chunkana_core import Chunk, ConfigurationError, HierarchicalChunkingResult, Span
from chunkana_core.extending import FieldReader, derive_uuid, format_header_path
from chunkana_retrieval.errors import warn
from chunkana_retrieval.hits import Cells, Hit, repeated_rows
from chunkana_retrieval.lexical.documents import LexicalEntry

Unfinished = Literal["", "before", "after"]
_METADATA = FieldReader.of("index")
_LEAF_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")


class LeafRecord(Struct, frozen=True, gc=False):
    """A leaf without its text, which is a slice of the document.

    Attributes:
        leaf_id: the id of the leaf in a vector store: a UUID computed from all that is stored
            there, so that a changed leaf has another id.
        chunk_id: the id of the chunk, unique in the document.
        path: the header path of the leaf, outermost title first, the document's title included.
        metadata: the metadata by which a vector store filters. They contain no offsets or lines, so
            that a change in the text above does not change them.
        start: the offset in the document where the text starts.
        end: the offset in the document where the text ends.
        start_line: the line of the document, from 1, where the text starts.
        before: the text that is embedded before the leaf's text: context and repeated lines.
        after: the text that is embedded after the leaf's text.
        signature: the signature of the definition that the text is from inside of, "" for none.
        opened: the number of titles at the end of the path that the text contains, see `Hit`.
        cells: the numbers of the first and the last notebook cell; None for other formats.
    """

    leaf_id: str
    chunk_id: str
    path: tuple[str, ...]
    metadata: dict[str, object]
    start: int
    end: int
    start_line: int
    before: str
    after: str
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


class DocumentRecord(Struct, frozen=True, gc=False):
    """A document in an index, with all the data that search results are made from.

    A vector store returns only ids of leaves; the text and metadata come from the record.

    Attributes:
        document_id: the id of the document, unique in the index.
        text: the chunked text, to which all spans refer.
        metadata: the caller's metadata, serialisable as JSON.
        fingerprint: a hash of the text, the metadata and the chunking options.
        leaves: all indexed leaves, in document order.
        leftover: the ids of other leaves of the document that a vector store may still contain.
        unfinished: the state of the record if an update of the document was not finished: "before"
            or "after" that update; "" if all updates were finished.
        attachment: further data of an adapter, as a str.
        label: the first title of the paths in passages, such as the file; "" for none.
    """

    document_id: str
    text: str
    metadata: dict[str, object]
    fingerprint: str
    leaves: tuple[LeafRecord, ...] = ()
    leftover: tuple[str, ...] = ()
    unfinished: Unfinished = ""
    attachment: str = ""
    label: str = ""

    def embedded(self, leaf: LeafRecord) -> str:
        """Return the text of a leaf to embed."""
        return leaf.before + self.text[leaf.start : leaf.end] + leaf.after

    def entries(self) -> Iterator[LexicalEntry]:
        """Yield the leaves as entries of a `LexicalIndex`."""
        for leaf in self.leaves:
            text = self.embedded(leaf)
            yield LexicalEntry(self.document_id, leaf.chunk_id, leaf.section_id, text)

    def hit(self, leaf: LeafRecord, score: float) -> Hit:
        """Return a leaf as a hit."""
        return Hit(
            leaf.chunk_id,
            score,
            document_id=self.document_id,
            section_id=leaf.section_id,
            span=Span(leaf.start, leaf.end),
            path=(self.label, *leaf.path) if self.label else leaf.path,
            text=self.text[leaf.start : leaf.end],
            start_line=leaf.start_line,
            repeated=repeated_rows(leaf.before),
            format=str(leaf.metadata["format"]),
            signature=leaf.signature,
            opened=leaf.opened,
            cells=leaf.cells,
        )

    def to_json(self, *, with_text: bool = True) -> str:
        """Return the record as one line of JSON, without the text if a store keeps that apart."""
        fields = msgspec.to_builtins(self)
        if not with_text:
            fields["text"] = ""
        return json.dumps(fields)

    @classmethod
    def from_json(cls, written: str, text: str | None = None) -> DocumentRecord:
        """Parse a record from the JSON of `to_json`.

        Args:
            written: the JSON.
            text: the document's text if the JSON is without it.

        Raises:
            ValueError: for JSON that is no record, and for leaves outside of the text.
        """
        try:
            record = msgspec.convert(json.loads(written), cls)
        except msgspec.ValidationError as error:  # a ValueError since msgspec 0.21
            raise ValueError(str(error)) from error
        if text is not None:
            record = msgspec.structs.replace(record, text=text)
        for leaf in record.leaves:
            if not 0 <= leaf.start < leaf.end <= len(record.text):
                raise ValueError(f"leaf {leaf.leaf_id} is outside of {record.document_id}")
        return record


def fingerprint(document_id: str, text: str, metadata: Mapping[str, object], chunking: str) -> str:
    """Return the fingerprint of a document; a document is indexed again if it has changed.

    Args:
        document_id: the id of the document.
        text: the text of the document.
        metadata: the metadata of the document.
        chunking: a description of everything else that the chunks depend on.

    Raises:
        ConfigurationError: for metadata that cannot be serialised as JSON.
    """
    return _digest(chunking, document_id, text, _metadata_json(document_id, metadata))


def record_document(
    document_id: str,
    result: HierarchicalChunkingResult,
    metadata: Mapping[str, object],
    fingerprint: str,
    front: Callable[[Chunk], str] | None = None,
) -> DocumentRecord:
    """Return the record of a chunked document.

    Args:
        document_id: the id of the document.
        result: the chunks of the document; those of `get_flat_chunks` are indexed.
        metadata: the metadata of the document, which a vector store keeps with each leaf.
        fingerprint: the fingerprint of the document, as `fingerprint` returns it.
        front: returns the text to embed before a chunk's content; by default the context.
    """
    written = _metadata_json(document_id, metadata)
    title = result.title

    def leaf_record(chunk: Chunk) -> LeafRecord:
        context = f"{chunk.context}\n\n" if chunk.context else ""
        leaf = _leaf_record(chunk, title, front(chunk) if front else context)
        leaf_id = _leaf_id(document_id, leaf, chunk.text, written)
        return msgspec.structs.replace(leaf, leaf_id=leaf_id)

    leaves = tuple(map(leaf_record, result.get_flat_chunks()))
    return DocumentRecord(document_id, result.text, dict(metadata), fingerprint, leaves)


def _leaf_record(chunk: Chunk, title: str, front: str) -> LeafRecord:
    """Return the record of a leaf without its id.

    Args:
        chunk: the leaf.
        title: the title of the document, "" for none.
        front: the text to embed before the leaf's content.
    """
    content, hit = chunk.content, Hit.of_chunk(chunk, 0.0, title=title)
    return LeafRecord(
        leaf_id="",
        chunk_id=chunk.chunk_id,
        path=hit.path,
        metadata=_METADATA.flat_values(chunk) | {"header_path": format_header_path(hit.path)},
        start=chunk.span.start,
        end=chunk.span.end,
        start_line=chunk.text_start_line,
        before=front + content[: chunk.text_offset],
        after=content[chunk.text_offset + len(chunk.text) :],
        signature=hit.signature,
        opened=hit.opened,
        cells=hit.cells,
    )


def read_records(stored: Mapping[str, tuple[str, str | None]]) -> list[DocumentRecord]:
    """Parse records that a store contains; warn of damaged ones and return them without leaves.

    The next update with the documents of damaged records indexes them again and deletes the leaves
    whose ids can still be read.

    Args:
        stored: by document id, the JSON of `to_json`, and the text if the JSON is without it.
    """
    records, damaged = list[DocumentRecord](), list[str]()
    for name, (written, text) in stored.items():
        try:
            record = DocumentRecord.from_json(written, text)
        except ValueError:
            record = DocumentRecord("", "", {}, "")
        if record.document_id != name:
            damaged.append(name)
            leftover = tuple({*_LEAF_ID.findall(written)})
            record = DocumentRecord(name, "", {}, "", leftover=leftover)
        records.append(record)
    if damaged:
        warn(
            f"the docstore's records of {', '.join(map(repr, damaged))} are damaged, and searches "
            "do not find these documents; give them to `update`"
        )
    return records


def _leaf_id(document_id: str, leaf: LeafRecord, text: str, metadata: str) -> str:
    """Return the id of a leaf: a hash of all that a vector store contains of it, no offsets."""
    stored = json.dumps([leaf.chunk_id, leaf.path, leaf.metadata])
    return derive_uuid(document_id, metadata, stored, leaf.before, text, leaf.after)


def _metadata_json(document_id: str, metadata: Mapping[str, object]) -> str:
    try:
        return json.dumps(metadata, sort_keys=True)
    except (RecursionError, TypeError, ValueError) as error:
        allowed = f"values that JSON can write; in {document_id!r}: {error}"
        raise ConfigurationError("metadata", metadata, allowed) from error


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
