"""What an index knows of a document: its text, its metadata, and where its leaves are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Literal

import msgspec
from msgspec import Struct

from chunkana_core import Chunk, ConfigurationError, HierarchicalChunkingResult, Span
from chunkana_core.extending import format_header_path
from chunkana_retrieval.errors import warn
from chunkana_retrieval.hits import Cells, Hit, repeated_rows
from chunkana_retrieval.lexical.documents import LexicalEntry

Unfinished = Literal["", "before", "after"]
_LEAF_ID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b")


class LeafRecord(Struct, frozen=True, gc=False):
    """A leaf, without its text, which is a slice of its document.

    Attributes:
        leaf_id: of the leaf in a vector store: a UUID that no leaf has of which anything differs
            that is stored there.
        chunk_id: unique in the document.
        section_id: of its section; that of the section around it is `parent_section_id`.
        path: the titles above it, outermost first, the document's title included.
        content_type: of the chunk, like the `container` that holds it, "" for none.
        start: where its text starts in the document.
        end: where its text ends.
        start_line: the line, from 1, where its text starts.
        before: what is embedded before its text: context, and what is repeated.
        after: what is embedded after its text.
        format: of the chunk, as its `kind` and `name` are in source code, "" for none.
        signature: that of the definition that its text is from inside of, "" for none.
        opened: how many titles at the path's end it says itself, see `Hit`.
        cells: of a notebook, the numbers of its first and its last cell.
    """

    leaf_id: str
    chunk_id: str
    section_id: str
    parent_section_id: str
    path: tuple[str, ...]
    content_type: str
    container: str
    start: int
    end: int
    start_line: int
    before: str
    after: str
    format: str = "markdown"
    kind: str = ""
    name: str = ""
    signature: str = ""
    opened: int = 0
    cells: Cells | None = None

    def metadata(self) -> dict[str, str]:
        """Return what a vector store filters by: nothing that changes where text above it does."""
        return {
            "section_id": self.section_id,
            "parent_section_id": self.parent_section_id,
            "header_path": format_header_path(self.path),
            "content_type": self.content_type,
            "container": self.container,
            "format": self.format,
            "kind": self.kind,
            "name": self.name,
        }


class DocumentRecord(Struct, frozen=True, gc=False):
    """A document in an index. Searches propose leaves; what they are is read here alone.

    Attributes:
        document_id: unique in the index.
        text: what was chunked, of which all spans are.
        metadata: the caller's, which JSON can write.
        fingerprint: the same for the same text, metadata and way of chunking.
        leaves: all that is indexed, in document order.
        leftover: ids of leaves that a vector store may have besides.
        unfinished: where an update of the document was not finished: whether what is here is the
            document as it was "before" or as it is "after" it; "" where all were.
        attachment: what an adapter keeps of the document besides.
        label: what its paths begin with where they are read, such as the file; "" for nothing.
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
        """Return what is embedded of a leaf."""
        return leaf.before + self.text[leaf.start : leaf.end] + leaf.after

    def entries(self) -> Iterator[LexicalEntry]:
        """Yield its leaves as a `LexicalIndex` takes them."""
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
            format=leaf.format,
            signature=leaf.signature,
            opened=leaf.opened,
            cells=leaf.cells,
        )

    def to_json(self, *, with_text: bool = True) -> str:
        """Return it as JSON, on one line; without its text for a store that keeps that itself."""
        fields = msgspec.to_builtins(self)
        if not with_text:
            fields["text"] = ""
        return json.dumps(fields)

    @classmethod
    def from_json(cls, written: str, text: str | None = None) -> DocumentRecord:
        """Return the record that `to_json` wrote.

        Args:
            written: what that is.
            text: the document's, where it was written without.

        Raises:
            ValueError: for anything else, and for leaves that do not lie in the text.
        """
        record = msgspec.convert(json.loads(written), cls)
        if text is not None:
            record = msgspec.structs.replace(record, text=text)
        for leaf in record.leaves:
            if not 0 <= leaf.start < leaf.end <= len(record.text):
                raise ValueError(f"leaf {leaf.leaf_id} does not lie in {record.document_id}")
        return record


def fingerprint(document_id: str, text: str, metadata: Mapping[str, object], chunking: str) -> str:
    """Return what differs where a document has to be indexed anew.

    Args:
        document_id: of the document.
        text: of the document.
        metadata: of the document.
        chunking: all that the chunks depend on besides.

    Raises:
        ConfigurationError: for metadata that JSON cannot write.
    """
    return _digest(chunking, document_id, text, _metadata_json(document_id, metadata))


def record_document(
    document_id: str,
    result: HierarchicalChunkingResult,
    metadata: Mapping[str, object],
    fingerprint: str,
    front: Callable[[Chunk], str] | None = None,
) -> DocumentRecord:
    """Return the record of a document that was chunked.

    Args:
        document_id: of the document.
        result: its chunks, of which those are indexed that are worth it.
        metadata: of the document, which a vector store keeps with each leaf.
        fingerprint: what `fingerprint` returns.
        front: returns what is embedded before a chunk's content; by default its context.
    """
    written = _metadata_json(document_id, metadata)
    title = result.title

    def leaf_record(chunk: Chunk) -> LeafRecord:
        context = f"{chunk.context}\n\n" if chunk.context else ""
        unnamed = _leaf_record(chunk, title, front(chunk) if front else context)
        leaf_id = _leaf_id(document_id, unnamed, chunk.text, written)
        return msgspec.structs.replace(unnamed, leaf_id=leaf_id)

    leaves = tuple(map(leaf_record, result.get_flat_chunks()))
    return DocumentRecord(document_id, result.text, dict(metadata), fingerprint, leaves)


def _leaf_record(chunk: Chunk, title: str, front: str) -> LeafRecord:
    """Return the record of a leaf, without its id.

    Args:
        chunk: the leaf.
        title: of its document, "" for none.
        front: what is embedded before its content.
    """
    content, hit = chunk.content, Hit.of_chunk(chunk, 0.0, title=title)
    return LeafRecord(
        leaf_id="",
        chunk_id=chunk.chunk_id,
        section_id=chunk.section_id,
        parent_section_id=chunk.parent_section_id or "",
        path=hit.path,
        content_type=chunk.content_type,
        container=chunk.container,
        start=chunk.span.start,
        end=chunk.span.end,
        start_line=chunk.text_start_line,
        before=front + content[: chunk.text_offset],
        after=content[chunk.text_offset + len(chunk.text) :],
        format=chunk.format,
        kind=chunk.kind,
        name=chunk.title if chunk.kind else "",
        signature=hit.signature,
        opened=hit.opened,
        cells=hit.cells,
    )


def read_records(stored: Mapping[str, tuple[str, str | None]]) -> list[DocumentRecord]:
    """Return records that a store has; warn of those that are damaged, which have no leaves.

    The next update with their documents indexes them anew, and deletes what leaves are left.

    Args:
        stored: by document, what `to_json` wrote, and the text where it was written without.
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
            f"the docstore's records of {', '.join(map(repr, damaged))} are damaged, and nothing "
            "of these documents is found; give them to `update`"
        )
    return records


def _leaf_id(document_id: str, leaf: LeafRecord, text: str, metadata: str) -> str:
    """Return an id made of all that a vector store has of a leaf: not of where its text stands."""
    stored = (leaf.chunk_id, leaf.section_id, leaf.parent_section_id, leaf.content_type)
    named = (leaf.container, *leaf.path, leaf.before, text, leaf.after)
    of_code = (leaf.format, leaf.kind, leaf.name)
    digits = _digest(document_id, metadata, *stored, *named, *of_code)
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"


def _metadata_json(document_id: str, metadata: Mapping[str, object]) -> str:
    try:
        return json.dumps(metadata, sort_keys=True)
    except (TypeError, ValueError) as error:
        allowed = f"values that JSON can write; in {document_id!r}: {error}"
        raise ConfigurationError("metadata", metadata, allowed) from error


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
