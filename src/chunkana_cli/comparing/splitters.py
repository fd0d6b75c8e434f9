"""The compared tools, each as a function that splits a document into pieces."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from chunkana_batch import chunk_many
from chunkana_cli.inputs.batch import Document
from chunkana_core import ChunkConfig, HierarchicalChunkingResult


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk made by any tool.

    Attributes:
        content: the content of the chunk.
        text: the text that should be at the offset.
        start: the offset in the chunk's metadata, None if there is none.
        headings: the headings in the chunk's metadata.
    """

    content: str
    text: str
    start: int | None
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Splitter:
    """A tool to compare.

    Attributes:
        name: the name to show.
        install: the packages that the tool needs, as arguments of pip.
        split: splits a document without overlap, with sizes in characters; only Chunkana uses the
            options of the configuration other than the limit.
        formats: the formats that the tool applies to, None for all.
    """

    name: str
    install: str
    split: Callable[[Document, ChunkConfig], list[Piece]]
    formats: frozenset[str] | None = None

    def is_for(self, form: str) -> bool:
        """Return whether the tool applies to a format."""
        return self.formats is None or form in self.formats

    def pieces(self, document: Document, config: ChunkConfig) -> list[Piece] | None:
        """Split a document; return None if the tool or a dependency is not installed."""
        try:
            return self.split(document, config)
        except ImportError:  # not `find_spec`: a package may be installed without a dependency
            return None


def chunkana(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split a document with Chunkana.

    Raises:
        DocumentError: if the document cannot be chunked.
    """
    pair = document.name, document.text
    outcomes = chunk_many([pair], config, make=_leaves, format=document.format, on_error="raise")
    return [piece for outcome in outcomes for piece in outcome.value or ()]


def _leaves(_name: str, result: HierarchicalChunkingResult) -> list[Piece]:
    return [
        Piece(c.content, c.text, c.span.start, (*c.section.path, c.title, *c.section_tags))
        for c in result.get_leaves()
    ]


def langchain_recursive(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split Markdown or source code with LangChain's separators for it."""
    from langchain_text_splitters import (  # noqa: PLC0415  # slow to load
        Language,
        RecursiveCharacterTextSplitter,
    )

    splitter = RecursiveCharacterTextSplitter.from_language(
        Language(_LANGUAGES[document.format]),
        chunk_size=config.max_chunk_size,
        chunk_overlap=0,
        add_start_index=True,
    )
    documents = splitter.create_documents([document.text])
    return [Piece(d.page_content, d.page_content, d.metadata["start_index"]) for d in documents]


def langchain_json(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split JSON with LangChain's splitter, which serialises objects again, without offsets.

    The splitter takes parsed values: a text that is neither JSON nor JSON lines gives no pieces.
    """
    from langchain_text_splitters import RecursiveJsonSplitter  # noqa: PLC0415  # slow to load

    splitter = RecursiveJsonSplitter(max_chunk_size=config.max_chunk_size)
    try:
        values = _json_values(document.text)
    except ValueError:
        return []
    texts = splitter.split_text(values, convert_lists=True)
    return [Piece(text, text, None) for text in texts]


def _json_values(text: str) -> Any:  # noqa: ANN401  # any JSON value
    """Parse JSON, or JSON lines as a list."""
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def langchain_headers(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split a text at headings, then recursively by size, as LangChain's docs recommend."""
    from langchain_text_splitters import (  # noqa: PLC0415  # slow to load
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    headers = [("#" * level, f"h{level}") for level in range(1, 7)]
    sections = MarkdownHeaderTextSplitter(headers, strip_headers=False).split_text(document.text)
    splitter = RecursiveCharacterTextSplitter(chunk_size=config.max_chunk_size, chunk_overlap=0)
    documents = splitter.split_documents(sections)
    return [
        Piece(d.page_content, d.page_content, None, tuple(d.metadata.values())) for d in documents
    ]


def llamaindex_markdown(document: Document, _config: ChunkConfig) -> list[Piece]:
    """Split a text at headings with LlamaIndex's MarkdownNodeParser, which has no limit."""
    from llama_index.core.node_parser import MarkdownNodeParser  # noqa: PLC0415  # slow to load

    return list(_of_nodes(MarkdownNodeParser(), document.text))


def llamaindex_sentences(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split a text into sentences with LlamaIndex; each character is a token."""
    from llama_index.core.node_parser import SentenceSplitter  # noqa: PLC0415  # slow to load

    parser = SentenceSplitter(
        chunk_size=config.max_chunk_size, chunk_overlap=0, tokenizer=list, include_metadata=False
    )
    return list(_of_nodes(parser, document.text))


def llamaindex_code(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split source code at nodes of its syntax tree with LlamaIndex.

    A text that its parser rejects as a whole gives no pieces.
    """
    from llama_index.core.node_parser import CodeSplitter  # noqa: PLC0415  # slow to load

    _require_grammars()
    parser = CodeSplitter(document.format, max_chars=config.max_chunk_size, tokenizer=list)
    try:
        return list(_of_nodes(parser, document.text))
    except ValueError:
        return []


def chonkie_code(document: Document, config: ChunkConfig) -> list[Piece]:
    """Split source code at nodes of its syntax tree with chonkie."""
    from chonkie import CodeChunker  # noqa: PLC0415  # slow to load

    _require_grammars()
    chunker = CodeChunker("character", config.max_chunk_size, document.format)
    return [Piece(c.text, c.text, c.start_index) for c in chunker.chunk(document.text)]


def _require_grammars() -> None:
    """Raise an ImportError if the grammars would be downloaded at their first use."""
    import tree_sitter_language_pack  # noqa: PLC0415  # optional

    if hasattr(tree_sitter_language_pack, "download"):
        raise ImportError("grammars come with versions below 1", name="tree_sitter_language_pack")


def _of_nodes(parser: Any, text: str) -> Iterator[Piece]:  # noqa: ANN401  # a class of an optional package
    from llama_index.core import Document  # noqa: PLC0415  # slow to load

    with redirect_stdout(io.StringIO()):  # LlamaIndex prints remarks on small limits
        nodes = parser.get_nodes_from_documents([Document(text=text)])
    for node in nodes:
        path = str(node.metadata.get("header_path", "")).split("/")
        yield Piece(node.text, node.text, node.start_char_idx, tuple(filter(None, path)))


_LANGCHAIN = "langchain-text-splitters"
_LLAMAINDEX = "llama-index-core"
_GRAMMARS = '"tree-sitter-language-pack<1"'  # later versions download grammars at first use
_CHONKIE = '"chonkie>=1.6.5,<1.6.6"'  # later versions need those grammars
_SAME_NAMES = ("markdown", "python", "go", "rust", "java", "c", "cpp", "csharp", "ruby", "php")
# Names of LangChain's languages, by Chunkana's names of formats.
_LANGUAGES = {
    **dict(zip(_SAME_NAMES, _SAME_NAMES, strict=True)),
    "javascript": "js",
    "typescript": "ts",
    "tsx": "ts",
}
_MARKDOWN = frozenset({"markdown"})
_CODE = frozenset(_LANGUAGES) - _MARKDOWN

SPLITTERS = (
    Splitter("Chunkana", "chunkana-rag", chunkana),
    Splitter("LangChain Recursive", _LANGCHAIN, langchain_recursive, _MARKDOWN),
    Splitter("LangChain Header + Recursive", _LANGCHAIN, langchain_headers, _MARKDOWN),
    Splitter("LangChain Language", _LANGCHAIN, langchain_recursive, _CODE),
    Splitter("LangChain JSON", _LANGCHAIN, langchain_json, frozenset({"json"})),
    Splitter("LlamaIndex Code", f"{_LLAMAINDEX} {_GRAMMARS}", llamaindex_code, _CODE | {"bash"}),
    Splitter("chonkie Code", f"{_CHONKIE} {_GRAMMARS}", chonkie_code, _CODE | {"bash"}),
    Splitter("LlamaIndex Markdown", _LLAMAINDEX, llamaindex_markdown, _MARKDOWN),
    Splitter("LlamaIndex Sentence", _LLAMAINDEX, llamaindex_sentences),
)
