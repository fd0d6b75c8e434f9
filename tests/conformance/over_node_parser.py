"""The node parser and the assembler of LlamaIndex's adapter, for the suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llama_index.core import Document
from llama_index.core.schema import MetadataMode, NodeWithScore, TextNode

from chunkana_core import HierarchicalChunkingResult
from chunkana_llamaindex import ChunkanaNodeParser, ContextAssembler, LeafNodes, to_nodes
from tests.conformance.adapters import Adapter, Metadata, Native, Piece, Split
from tests.conformance.frameworks import Answer
from tests.conformance.over_llamaindex import Tokens, answers_of


class LlamaIndexAdapter(Adapter):
    """LlamaIndex's adapter, with contexts in the metadata of nodes."""

    name = "llamaindex"
    output = "node"
    names = {"length": "tokenizer"}  # noqa: RUF012 - the base class says that it is of the class
    reserved = "context: "
    header_context = "metadata"
    splitter, assembler = ChunkanaNodeParser, ContextAssembler

    def document(self, text: str, metadata: Metadata, name: str | None = None) -> Native:
        # A key that is not hidden from language models is known to be the document's.
        hidden = [key for key in metadata if key in {"source", "lang"}]
        given = {} if name is None else {"id_": name}
        return Document(
            text=text,
            metadata=dict(metadata),
            excluded_embed_metadata_keys=[*metadata],
            excluded_llm_metadata_keys=hidden,
            **given,
        )

    def arguments(self, options: Metadata) -> dict[str, Native]:
        given = dict(options)
        has_context = given.pop("has_context", True)
        given["header_context"] = self.header_context if has_context else "none"
        if "length" in given:
            given["tokenizer"] = Tokens(given.pop("length"))
        return given

    def run(self, splitter: Native, documents: Iterable[Native]) -> Split:
        nodes = splitter(documents)
        leaves = LeafNodes()(nodes)
        parents = [node for node in nodes if node.child_nodes]
        return Split([*map(self._piece, leaves)], [*map(self._piece, parents)])

    def of_result(
        self, result: HierarchicalChunkingResult, document: Native, **options: Native
    ) -> list[Piece]:
        nodes = to_nodes(result, document, self.make(**options))
        return [*map(self._piece, LeafNodes()([*nodes]))]

    def compress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        return answers_of(assembler.postprocess_nodes(_scored(found)))

    async def acompress(self, assembler: Native, found: Sequence[Native]) -> list[Answer]:
        return answers_of(await assembler.apostprocess_nodes(_scored(found)))

    def changed(self, piece: Piece, text: str | None = None, **metadata: Native) -> Native:
        node = piece.native.model_copy(deep=True)
        node.metadata |= {name: value for name, value in metadata.items() if name != "score"}
        node.text = node.text if text is None else text
        return NodeWithScore(node=node, score=metadata["score"]) if "score" in metadata else node

    def foreign(self, text: str) -> Native:
        return TextNode(text=text, metadata={})

    def _piece(self, node: Native) -> Piece:
        return Piece(
            node,
            node.node_id,
            str(node.ref_doc_id),
            node.parent_node and node.parent_node.node_id,
            node.text,
            node.get_content(MetadataMode.EMBED).removeprefix(self.reserved),
            node.start_char_idx or 0,
            node.end_char_idx or 0,
            node.metadata,
            len(node.child_nodes or []),
        )


class LlamaIndexTextAdapter(LlamaIndexAdapter):
    """LlamaIndex's adapter, with contexts in the texts of nodes."""

    name = "llamaindex-text"
    reserved = ""
    header_context = "text"


def _scored(found: Sequence[Native]) -> list[NodeWithScore]:
    return [one if isinstance(one, NodeWithScore) else NodeWithScore(node=one) for one in found]
