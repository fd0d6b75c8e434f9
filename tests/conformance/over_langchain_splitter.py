"""The splitter and the assembler of LangChain's adapter, for the suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from langchain_core.documents import Document

from chunkana_core import HierarchicalChunkingResult
from chunkana_langchain import ChunkanaSplitter, ContextAssembler, to_documents
from tests.conformance.adapters import Adapter, Metadata, Native, Piece, Split
from tests.conformance.frameworks import Answer


class LangChainAdapter(Adapter):
    """LangChain's adapter."""

    name = "langchain"
    output = "document"
    names = {"max_chunk_size": "chunk_size", "length": "length_function"}  # noqa: RUF012
    overlap = {"chunk_overlap": 40}  # noqa: RUF012
    splitter, assembler = ChunkanaSplitter, ContextAssembler

    def document(self, text: str, metadata: Metadata, name: str | None = None) -> Native:
        return Document(text, id=name, metadata=dict(metadata))

    def arguments(self, options: Metadata) -> dict[str, Native]:
        given = {self.names.get(name, name): value for name, value in options.items()}
        if not given.pop("has_context", True):
            given["header_context"] = "none"
        return given

    def run(self, splitter: Native, documents: Iterable[Native]) -> Split:
        leaves, parents = splitter.split_hierarchical(documents)
        names = [name for name, one in parents if one.metadata["chunkana_child_count"]]
        by_id = dict(parents)
        return Split(
            [_piece(leaf, names) for leaf in leaves], [_piece(by_id[name], names) for name in names]
        )

    def of_result(
        self, result: HierarchicalChunkingResult, document: Native, **options: Native
    ) -> list[Piece]:
        given = {"metadata": options["metadata"]} if "metadata" in options else {}
        return [_piece(one, ()) for one in to_documents(result, document.metadata, **given)]

    def compress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        return [_answer(one) for one in assembler.compress_documents(found, "?")]

    async def acompress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        return [_answer(one) for one in await assembler.acompress_documents(found, "?")]

    def changed(self, piece: Piece, text: str | None = None, **metadata: Native) -> Native:
        page = piece.native.page_content if text is None else text
        return Document(page, metadata=piece.native.metadata | metadata)

    def foreign(self, text: str) -> Native:
        return Document(text, metadata={"by": "another tool"})


def _piece(made: Document, parents: Sequence[str]) -> Piece:
    metadata = made.metadata
    parent = metadata["chunkana_parent_id"]
    return Piece(
        made,
        str(made.id),
        str(metadata["chunkana_document_id"]),
        parent if parent in parents and parent != made.id else None,
        made.page_content,
        made.page_content,
        metadata["start_char"],
        metadata["end_char"],
        metadata,
        metadata["chunkana_child_count"],
    )


def _answer(found: Document) -> Answer:
    metadata = found.metadata
    name = str(metadata.get("chunkana_document_id", ""))
    return Answer(name, found.page_content, metadata, metadata.get("score"))
