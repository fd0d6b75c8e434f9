"""Convert the chunks of a document to LlamaIndex nodes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from types import NoneType
from typing import Any, Final, Literal, NamedTuple

from llama_index.core.node_parser import get_leaf_nodes
from llama_index.core.schema import (
    BaseNode,
    MetadataMode,
    NodeRelationship,
    ObjectType,
    RelatedNodeInfo,
    TextNode,
)
from msgspec.structs import replace

from chunkana_core import Chunk, HierarchicalChunkingResult, MergeNode, SectionPath, Span
from chunkana_core.extending import FieldReader, split_header_path
from chunkana_retrieval import repeated_lines
from chunkana_retrieval.adapting import join_paths, titles_above

HeaderContext = Literal["metadata", "text", "none"]
MetadataKeys = Literal["short", "full"]
CONTEXT: Final = "context"  # the only added key that is embedded
HEADER_PATH: Final = "header_path"  # the only added key that language models see
_FULL: Final = FieldReader.of("node", "node_full")
KEYS: Final = _FULL.names
_SHORT: Final = FieldReader.of("node")
_NOTEBOOK: Final = FieldReader.of("node", "notebook")
SUMMARY: Final = "summary"  # differs from all chunk ids
_TRIAL: Final = "x"  # the context and the content of trial nodes
_TEXT_TEMPLATE: Final = TextNode.model_fields["text_template"].default
_IMMUTABLE: Final = (str, int, float, bool, NoneType)


def link_nodes(
    merge_nodes: Iterable[MergeNode], nodes: Mapping[str, TextNode], *, has_neighbours: bool
) -> None:
    """Link nodes to their parents and children, and leaves to their neighbours.

    Args:
        merge_nodes: the nodes of the merge tree.
        nodes: the nodes to link, by the ids of the merge nodes.
        has_neighbours: whether leaves are linked to their neighbours.
    """
    # Without metadata, which would double the storage.
    infos = {
        name: RelatedNodeInfo(node_id=node.node_id, node_type=ObjectType.TEXT, hash=node.hash)
        for name, node in nodes.items()
    }
    leaf_names: list[str] = []
    for merge_node in merge_nodes:
        links = nodes[merge_node.node_id].relationships
        if merge_node.parent_id is not None:
            links[NodeRelationship.PARENT] = infos[merge_node.parent_id]
        if merge_node.is_leaf:
            leaf_names.append(merge_node.node_id)
        else:
            links[NodeRelationship.CHILD] = [infos[child] for child in merge_node.children_ids]
    for before, after in pairwise(leaf_names) if has_neighbours else ():
        nodes[before].relationships[NodeRelationship.NEXT] = infos[after]
        nodes[after].relationships[NodeRelationship.PREVIOUS] = infos[before]


class SourceText(NamedTuple):
    """The text of a document or node, and its position in the source document.

    Attributes:
        text: of a node of this package the exact slice, without repeated headings and context.
        start: the offset of the text in the document, None if it is unknown.
        lines_above: the number of lines before the text in the document, None if it is unknown.
        path: the titles of the headings above the text, if it is a node of this package.
        is_inside_block: whether the node repeats a fence or the rows of a table before the text,
            without which the text would be read as Markdown.
    """

    text: str
    start: int | None = 0
    lines_above: int | None = 0
    path: tuple[str, ...] = ()
    is_inside_block: bool = False

    @classmethod
    def of(cls, document: BaseNode) -> SourceText:
        """Return the text of a document or node, with its position."""
        text, metadata = text_of(document), document.metadata
        start, end = (getattr(document, f"{name}_char_idx", None) for name in ("start", "end"))
        if start is None:
            return cls(text) if document.source_node is None else cls(text, None, None)
        path: tuple[str, ...] = ()
        line, is_inside_block = int(start == 0), False
        if end is not None and is_chunkana_node(document):
            prefix, line = metadata["prefix_chars"], metadata["start_line"]
            text = text[prefix : prefix + end - start]
            path = split_header_path(metadata[HEADER_PATH])
            path = titles_above(path, text) if metadata["format"] == "markdown" else path
            is_inside_block = bool(repeated_lines(text_of(document)[:prefix]))
        if end is not None and end - start != len(text):
            return cls(text, None, None, path)
        return cls(text, start, line - 1 if line else None, path, is_inside_block)

    def place(self, chunk: Chunk) -> Chunk:
        """Return a chunk of the text with its lines and path in the document."""
        above = self.lines_above
        if above == 0 and not self.path:
            return chunk
        lines = (chunk.text_start_line, chunk.text_end_line)
        first, last = (0 if above is None else above + line for line in lines)
        section = SectionPath(chunk.section.level, join_paths(self.path, chunk.section.path))
        return replace(chunk, section=section, text_start_line=first, text_end_line=last)


@dataclass(frozen=True, slots=True)
class NodeTemplate:
    """The properties shared by all nodes of a document.

    Attributes:
        node: a node without text, with the document's metadata, excluded keys, templates,
            separator and source.
        text: the text to parse, and its position in the document.
        header_context: where the context of a leaf is stored for embedding.
        reader: reads the metadata that are added to those of the document; None for no metadata.
        added: the keys that are added.
    """

    node: TextNode
    text: SourceText
    header_context: HeaderContext
    reader: FieldReader | None
    added: Collection[str]

    @classmethod
    def of(
        cls,
        document: BaseNode,
        header_context: HeaderContext,
        reader: FieldReader | None,
        front_matter: Mapping[str, object],
    ) -> NodeTemplate:
        """Return the template of a document's nodes.

        Front matter is added to the metadata, but neither embedded nor passed to language models.
        """
        stale = own_keys(document.metadata) if is_chunkana_node(document) else ()
        theirs = {key: value for key, value in document.metadata.items() if key not in stale}
        names = (*reader.names, *front_matter) if reader else ()
        added = [name for name in names if name not in theirs]

        def excluded(keys: Iterable[str], shown: str) -> list[str]:
            kept = (key for key in keys if key not in stale)
            return [*dict.fromkeys([*kept, *(key for key in added if key != shown)])]

        node = TextNode(
            id_=document.node_id,
            text="",
            metadata={**theirs, **front_matter, **theirs} if reader else {},
            start_char_idx=None,
            end_char_idx=None,
            excluded_embed_metadata_keys=excluded(document.excluded_embed_metadata_keys, CONTEXT),
            excluded_llm_metadata_keys=excluded(document.excluded_llm_metadata_keys, HEADER_PATH),
            metadata_seperator=document.metadata_separator,  # LlamaIndex's spelling
            metadata_template=document.metadata_template,
            text_template=getattr(document, "text_template", _TEXT_TEMPLATE),
            relationships={NodeRelationship.SOURCE: source_of(document)},
        )
        return cls(node, SourceText.of(document), header_context, reader, added)

    def reserved_text(self) -> str:
        """Return a text of the size that LlamaIndex embeds in addition to `chunk.embedded`.

        It is measured with trial nodes, with and without a context: usually it is the text in front
        of context and content. If a template writes something after them, it is all of the text.
        """
        texts = [self._trial({}).removesuffix(_TRIAL)]
        if self.header_context == "metadata" and CONTEXT in self.added:
            texts.append(self._trial({CONTEXT: _TRIAL}).removesuffix(f"{_TRIAL}\n\n{_TRIAL}"))
        return max(texts, key=len)

    def _trial(self, added: Mapping[str, str]) -> str:
        """Return the embedded text of a node with a short content, and some metadata added."""
        values = {"text": _TRIAL, "metadata": {**self.node.metadata, **added}}
        return self.node.model_copy(update=values).get_content(MetadataMode.EMBED)

    def node_of(self, chunk: Chunk, node_id: str, text: str, span: Span | None) -> TextNode:
        """Return the node of a chunk, without links to other nodes.

        Args:
            chunk: a leaf, a parent or the root.
            node_id: the id of the node.
            text: the text of the node.
            span: the exact range of the text; None for a summary.
        """
        node, start = self.node, self.text.start
        embed, llm = node.excluded_embed_metadata_keys[:], node.excluded_llm_metadata_keys[:]
        if CONTEXT in self.added and not (chunk.context and self.header_context == "metadata"):
            embed.append(CONTEXT)
        if HEADER_PATH in self.added and chunk.context and self.header_context == "text":
            llm.append(HEADER_PATH)
        values: dict[str, object] = {
            "id_": node_id,
            "text": text,
            "metadata": self._metadata(chunk),
            "excluded_embed_metadata_keys": embed,
            "excluded_llm_metadata_keys": llm,
            "relationships": {**node.relationships},
        }
        if span is not None and start is not None:
            values |= {"start_char_idx": start + span.start, "end_char_idx": start + span.end}
        return node.model_copy(update=values)

    def _metadata(self, chunk: Chunk) -> dict[str, object]:
        """Return the metadata of a node: those of its document first, which take precedence."""
        shared = self.node.metadata
        if self.reader is None:
            return {}
        if not all(isinstance(value, _IMMUTABLE) for value in shared.values()):
            shared = deepcopy(shared)
        own = self.reader.flat_values(self.text.place(chunk))
        if self.header_context == "text":
            own["prefix_chars"] = chunk.text_offset + len(chunk.embedded) - len(chunk.content)
        return {**shared, **own, **shared}


def source_of(document: BaseNode) -> RelatedNodeInfo:
    """Return the link to the source of a document's nodes, without metadata."""
    if document.source_node is not None:
        return document.source_node.model_copy(update={"metadata": {}})
    try:
        digest: str | None = document.hash
    except UnicodeEncodeError:  # LlamaIndex hashes no lone surrogates
        digest = None
    return RelatedNodeInfo(node_id=document.node_id, node_type=document.get_type(), hash=digest)


def front_matter_of(result: HierarchicalChunkingResult, keys: Collection[str]) -> dict[str, object]:
    """Return the values of a document's front matter for some keys."""
    items = result.front_matter.items() if keys else ()
    return {key: value for key, value in items if key in keys}


def text_of(node: BaseNode) -> str:
    """Return the text of a document or node, without its metadata."""
    return node.get_content(metadata_mode=MetadataMode.NONE)


def metadata_reader(metadata: MetadataKeys, format_name: str = "markdown") -> FieldReader:
    """Return the reader of the metadata that are added to the nodes of a document in a format."""
    if metadata == "full":
        return _FULL
    return _NOTEBOOK if format_name == "notebook" else _SHORT


def own_keys(metadata: Mapping[str, Any]) -> frozenset[str]:
    """Return the keys that this package added to the metadata of one of its nodes."""
    is_full = metadata.keys() >= set(KEYS)
    reader = metadata_reader("full" if is_full else "short", str(metadata.get("format")))
    return frozenset(reader.names)


def is_chunkana_node(node: BaseNode) -> bool:
    """Return whether this package created a node, which is now parsed again."""
    metadata = node.metadata
    return metadata.keys() >= own_keys(metadata) and isinstance(metadata["start_line"], int)


def is_summary(node: BaseNode) -> bool:
    """Return whether a node has a document's title and summary, and is outside the tree."""
    is_unlinked = node.relationships.keys() == {NodeRelationship.SOURCE}
    has_no_offset = isinstance(node, TextNode) and node.start_char_idx is None
    return is_unlinked and has_no_offset and node.metadata.get("content_type") == "document"


def leaves_of(nodes: list[BaseNode]) -> list[BaseNode]:
    """Return the leaves to index, without parents and summaries."""
    return [node for node in get_leaf_nodes(nodes) if not is_summary(node)]
