"""The same hits give the same passages in both frameworks, and without any."""

from __future__ import annotations

import pytest

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from chunkana_retrieval import Hit, assemble
from tests import corpora

pytest.importorskip("llama_index.core")
pytest.importorskip("langchain_core")

from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from llama_index.core.schema import MetadataMode, NodeWithScore

import chunkana_langchain
import chunkana_llamaindex


@pytest.mark.parametrize("is_joined", [False, True])
@pytest.mark.parametrize("budget", [300, 2000, 100_000])
def test_passages_are_the_same(budget: int, *, is_joined: bool) -> None:
    parser = chunkana_llamaindex.ChunkanaNodeParser(include_parents=False)
    config = ChunkConfig(max_chunk_size=400, min_chunk_size=0, atomic_blocks="split")
    hits: list[Hit] = []
    nodes: list[NodeWithScore] = []
    documents: list[Document] = []
    sources: dict[str, str] = {}
    for sample in corpora.own_documents()[:4]:
        result = MarkdownChunker(config, Context()).chunk_hierarchical(sample.text)
        whole = LlamaDocument(text=sample.text, id_=sample.name)
        of_result = chunkana_langchain.to_documents(result, {"source": sample.name})
        by_id = {document.metadata["chunk_id"]: document for document in of_result}
        node_by_id = {
            node.metadata["chunk_id"]: node
            for node in chunkana_llamaindex.to_nodes(result, whole, parser)
        }
        for chunk in [leaf for leaf in result.get_flat_chunks() if leaf.chunk_id in by_id][::3]:
            documents.append(by_id[chunk.chunk_id])
            nodes.append(NodeWithScore(node=node_by_id[chunk.chunk_id], score=0.5))
            hits.append(Hit.of_chunk(chunk, 0.5, sample.name))
        sources[sample.name] = sample.text
        sources[of_result[0].metadata["chunkana_document_id"]] = sample.text
    given = sources if is_joined else None
    langchain = chunkana_langchain.ContextAssembler(budget=budget, sources=given)
    llamaindex = chunkana_llamaindex.ContextAssembler(budget=budget, sources=given)
    in_langchain = langchain.compress_documents(documents, "")
    in_llamaindex = llamaindex.postprocess_nodes(nodes)
    without = assemble(hits, budget, sources=given)
    texts = [passage.text for passage in without]
    assert texts == [document.page_content for document in in_langchain]
    assert texts == [node.node.get_content(MetadataMode.LLM) for node in in_llamaindex]
    spans = [[[span.start, span.end] for span in passage.spans] for passage in without]
    assert spans == [document.metadata["spans"] for document in in_langchain]
    assert spans == [node.metadata["spans"] for node in in_llamaindex]
