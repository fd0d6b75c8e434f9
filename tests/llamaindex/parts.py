"""Real parts of LlamaIndex's for tests: documents, and embeddings that need no model."""

from __future__ import annotations

from dataclasses import dataclass

from llama_index.core import Document
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import BaseNode, NodeRelationship, RelatedNodeInfo
from pydantic import Field

from chunkana_llamaindex import MarkdownHierarchyNodeParser
from tests import corpora
from tests.vectors import word_vector

SECTIONS = 12


class WordEmbedding(BaseEmbedding):
    """Embeds a text as its words: what shares words is near. Keeps the texts that it embeds."""

    texts: list[str] = Field(default_factory=list)

    def _get_text_embedding(self, text: str) -> list[float]:
        self.texts.append(text)
        return word_vector(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return word_vector(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


@dataclass(frozen=True)
class Every:
    """Takes so many characters for a token."""

    size: int

    def tokens(self, text: str) -> list[str]:
        return every(self.size, text)

    def __call__(self, text: str) -> list[str]:
        return every(self.size, text)


def every(size: int, text: str) -> list[str]:
    """Take so many characters for a token."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def words(text: str) -> list[str]:
    """Split at white space, as a tokenizer at the top level of a module."""
    return text.split()


def numbered(number: int, document: BaseNode) -> str:
    """Make an id of a number, as an `id_func`."""
    return f"{document.node_id}-{number}"


def labelled(document: BaseNode) -> str:
    """Name the source of a document, as a `source_label`."""
    return f"of {document.node_id}"


def section(number: int) -> str:
    """Return a section whose sentences are about one word."""
    lines = (f"Line {n} says of subject{number} that item{number}x{n} is there." for n in range(6))
    return f"## subject{number}\n\n" + "\n\n".join(lines)


def book() -> Document:
    """Return a document of many sections of several leaves each."""
    text = "# Book\n\n" + "\n\n".join(section(number) for number in range(SECTIONS))
    return Document(text=text, id_="book", metadata={"file_name": "book.md"})


def book_parser() -> MarkdownHierarchyNodeParser:
    """Return a parser that makes several leaves of each section of the book."""
    return MarkdownHierarchyNodeParser(max_chunk_size=220, max_parent_size=720, min_chunk_size=0)


def own_documents() -> list[Document]:
    """Return the project's own documents, as a reader would."""
    return [
        Document(text=sample.text, id_=sample.name, metadata={"file_name": sample.name})
        for sample in corpora.own_documents()
    ]


def related(node: BaseNode, kind: NodeRelationship) -> list[RelatedNodeInfo]:
    """Return what a node is related to in a way."""
    found = node.relationships.get(kind, [])
    return found if isinstance(found, list) else [found]
