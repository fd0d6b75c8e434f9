"""The table of all facts of a chunk: their types, their outputs and their meaning.

The metadata of chunks, the JSON form and its schema, the columns of tables, and the metadata of the
adapters are computed from this table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Final, Literal

from msgspec import Struct

FieldType = Literal["string", "strings", "id", "count", "line", "boolean"]
Output = Literal[
    "metadata",  # `Chunk.metadata`
    "json",  # the JSON of a leaf
    "json_metadata",  # "metadata" in the JSON of a leaf
    "json_node",  # the JSON of an inner node
    "table",
    "node",  # the metadata of LlamaIndex nodes
    "node_full",  # further metadata of nodes with `metadata="full"`
    "document",  # the metadata of LangChain documents
    "document_full",  # further metadata of documents with `metadata="full"`
    "notebook",  # further metadata of nodes and documents of notebooks
    "index",  # the metadata in the vector store of an index
]
FlatValue = str | int


class Field(Struct, frozen=True):
    """A fact of a chunk, under its name in some outputs.

    Attributes:
        name: the key or column.
        type: "count" is an int from 0, "line" an int from 1, "id" a str that is not empty.
        outputs: the names of the outputs, separated by spaces.
        meaning: what the fact says, for schemas and documentation.
        source: the attribute of `Chunk` with the value; "" for the attribute with the same name.
        is_optional: whether the value may be None.
        allowed: all values, if they are few; any other type is described by `type` alone.
        absent: the value in flat metadata instead of None; by default "" or 0.
    """

    name: str
    type: FieldType
    outputs: str
    meaning: str
    source: str = ""
    is_optional: bool = False
    allowed: tuple[str, ...] = ()
    absent: FlatValue | None = None

    @property
    def json_schema(self) -> dict[str, object]:
        """The JSON Schema of the value."""
        schema: dict[str, object] = dict(_JSON_TYPES[self.type])
        if self.allowed:
            schema = {"enum": [*self.allowed, *([None] if self.is_optional else [])]}
        elif self.is_optional:
            schema["type"] = [schema["type"], "null"]
        return schema | {"description": self.meaning}

    def flat(self, value: object) -> object:
        """Return a value as vector stores accept it: without None, a list as a string of JSON."""
        if value is None:
            return _ABSENT[self.type] if self.absent is None else self.absent
        return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value


_JSON_TYPES: Final[Mapping[FieldType, Mapping[str, object]]] = {
    "string": {"type": "string"},
    "strings": {"type": "array", "items": {"type": "string"}},
    "id": {"type": "string", "minLength": 1},
    "count": {"type": "integer", "minimum": 0},
    "line": {"type": "integer", "minimum": 1},
    "boolean": {"type": "boolean"},
}

_ABSENT: Final[Mapping[FieldType, FlatValue]] = {
    "string": "", "strings": "[]", "id": "", "count": 0, "line": 0, "boolean": False,
}  # fmt: skip
_CONTENT_TYPES = (
    "text", "code", "table", "list", "math", "html", "mixed", "preamble", "front_matter", "heading",
    "definitions",
)  # fmt: skip
_OVERSIZE_REASONS = (
    "code_block_integrity", "table_integrity", "list_item_integrity", "within_tolerance",
)  # fmt: skip
_ADAPTERS = "node document"
_ADAPTERS_FULL = "node_full document_full"
_CELL = "metadata json_metadata table node_full notebook"

# The order is that of keys and columns.
FIELDS: tuple[Field, ...] = (
    Field("embedded", "string", "table",
          "the text to embed: the context, a blank line, the content"),
    Field("content", "string", "json table",
          "the text to read: repeated headings, and the exact text"),
    Field("context", "string", "json node",
          "the text that is embedded before the content; empty for none"),
    Field("path", "strings", f"metadata json json_node table {_ADAPTERS_FULL}",
          "the titles from the outermost heading to its own; empty for the document",
          source="section.path"),
    Field("header_path", "string", "metadata json_metadata",
          "the same titles for display, such as /Guide/Install"),
    Field("header_path", "string", f"{_ADAPTERS} index",
          "the titles as /Guide/Install, with `\\/` for a `/` in a title",
          source="section.header_path"),
    Field("header_level", "count", f"metadata table {_ADAPTERS_FULL}",
          "the level of its heading, definition or value; 0 without one", source="section.level"),
    Field("level", "count", "json json_node",
          "the level of its heading, definition or value; 0 is the document",
          source="section.level"),
    Field("title", "string", "metadata json json_node table",
          "its first heading, or the heading of the section that it continues"),
    Field("section_tags", "strings", "metadata json_metadata",
          "the titles of the further headings in it"),
    Field("content_type", "string", f"metadata json_metadata table {_ADAPTERS} index",
          "the kind of its content", allowed=_CONTENT_TYPES),
    Field("format", "string", f"metadata {_ADAPTERS} index",
          "the name of the document's format, such as markdown or python"),
    Field("kind", "string", f"metadata json json_node table {_ADAPTERS} index",
          "in source code the kind of its definition, such as class; otherwise empty"),
    Field("name", "string", f"metadata {_ADAPTERS} index",
          "in source code the name of its definition; otherwise empty"),
    Field("container", "string", f"metadata json_metadata table {_ADAPTERS} index",
          "the innermost container around the whole chunk, such as note; empty for none"),
    Field("code_languages", "strings", "metadata json_metadata table",
          "the languages of its code blocks"),
    Field("anchor", "string", f"metadata json json_node table {_ADAPTERS}",
          "the id of its first heading, for links"),
    Field("id", "id", "json",
          "an id that is unique in the document", source="chunk_id"),
    Field("chunk_id", "id", f"metadata table {_ADAPTERS}",
          "8 hex digits, unique in the document"),
    Field("chunk_index", "count", f"metadata json_metadata table {_ADAPTERS}",
          "the position among the leaves of the document, from 0", is_optional=True, absent=-1),
    Field("section_id", "id", f"metadata json_metadata table {_ADAPTERS} index",
          "the same for all chunks of a section"),
    Field("parent_section_id", "id", f"metadata json_metadata table {_ADAPTERS} index",
          "the id of the parent section; none for the document", is_optional=True),
    Field("start_char", "count", "metadata json json_node table document",
          "where the exact text starts in the document, in code points", source="span.start"),
    Field("end_char", "count", "metadata json json_node table document",
          "where the exact text ends", source="span.end"),
    Field("start_line", "line", "metadata json_metadata",
          "the first line of the document in the content, repeated headings included"),
    Field("end_line", "line", "metadata json_metadata",
          "the last line of the document in the content"),
    Field("start_line", "line", f"table {_ADAPTERS}",
          "the line, from 1, where the exact text starts", source="text_start_line"),
    Field("end_line", "line", f"table {_ADAPTERS}",
          "the line where the exact text ends", source="text_end_line"),
    Field("text_start_line", "line", "metadata json json_node",
          "the line, from 1, where the exact text starts"),
    Field("text_end_line", "line", "metadata json json_node",
          "the line where the exact text ends"),
    Field("prefix_chars", "count", f"table {_ADAPTERS}",
          "how many code points precede the exact text", source="text_offset"),
    Field("text_offset", "count", "json",
          "the offset of the exact text in the content, in code points"),
    Field("continued_from_header", "boolean", "metadata json_metadata node document_full",
          "whether it continues a section that was split"),
    Field("allow_oversize", "boolean", f"metadata json_metadata {_ADAPTERS_FULL}",
          "whether it may exceed the limit"),
    Field("oversize_reason", "string", f"metadata json_metadata table {_ADAPTERS_FULL}",
          "why it may exceed the limit; none if it does not",
          is_optional=True, allowed=_OVERSIZE_REASONS),
    Field("cell", "line", _CELL,
          "in a notebook, the number of the cell where the chunk starts, from 1", is_optional=True),
    Field("cell_start_line", "line", _CELL,
          "the first line in that cell", is_optional=True),
    Field("cell_end", "line", _CELL,
          "the number of the cell where the chunk ends", is_optional=True),
    Field("cell_end_line", "line", _CELL,
          "the last line in that cell", is_optional=True),
    Field("parent_id", "id", "json",
          "the id of the parent node", source="links.parent_id"),
    Field("parent_id", "id", "metadata json_node",
          "the id of the parent node; none for the document",
          source="links.parent_id", is_optional=True),
    Field("children_ids", "strings", "metadata",
          "the ids of the children, in document order", source="links.children_ids"),
    Field("prev_sibling_id", "id", "metadata json_metadata",
          "the id of the previous chunk under the same parent",
          source="links.prev_sibling_id", is_optional=True),
    Field("next_sibling_id", "id", "metadata json_metadata",
          "the id of the next chunk under the same parent",
          source="links.next_sibling_id", is_optional=True),
    Field("hierarchy_level", "count", "metadata json_metadata",
          "the position in the tree as a `ChunkLevel`, from 0 to 3",
          source="links.hierarchy_level.value"),
    Field("is_root", "boolean", "metadata",
          "whether it is the node of the document"),
    Field("is_leaf", "boolean", "metadata",
          "whether it is a leaf"),
    Field("indexable", "boolean", "metadata json table",
          "whether it is worth embedding; false for comments, front matter and the like"),
    Field("strategy", "string", "metadata",
          "the name of the strategy that was applied"),
    Field("size", "count", "metadata json_metadata table",
          "the size of the text to embed, in units of the length function"),
    Field("has_code", "boolean", "metadata json_metadata",
          "whether it has code blocks"),
    Field("split_index", "count", "metadata json_metadata table",
          "the position among the parts of its section; none if the section is whole",
          is_optional=True),
    Field("original_section_size", "count", "metadata json_metadata",
          "the size of the section before it was split; none if the section is whole",
          is_optional=True),
    Field("dangling_header_fixed", "boolean", "metadata json_metadata",
          "whether the heading of a section without text was moved into it"),
    Field("header_moved_from_id", "id", "metadata json_metadata",
          "the id of that section", is_optional=True),
    Field("merge_reason", "string", "metadata json_metadata",
          "why several sections are in one chunk",
          is_optional=True, allowed=("small_chunk", "dangling_header_prevention")),
    Field("previous_content", "string", "metadata json_metadata",
          "the end of the previous leaf under the same parent, by `overlap_size`"),
    Field("next_content", "string", "metadata json_metadata",
          "the start of the next leaf under the same parent, by `overlap_size`"),
)  # fmt: skip


class FieldReader(Struct, frozen=True):
    """Reads the values of fields from chunks.

    Attributes:
        fields: at least two fields with different names.
        names: the names of the fields.
    """

    fields: tuple[Field, ...]
    names: tuple[str, ...]
    _get: Callable[[object], tuple[object, ...]]
    _not_flat: tuple[Field, ...]  # those with values that vector stores do not accept

    @classmethod
    def of(cls, *outputs: Output) -> FieldReader:
        """Return the reader of all fields of outputs, in the order of the table."""
        fields = tuple(f for f in FIELDS if not {*outputs}.isdisjoint(f.outputs.split()))
        get = attrgetter(*[field.source or field.name for field in fields])
        not_flat = tuple(f for f in fields if f.is_optional or f.type == "strings")
        return cls(fields, tuple(field.name for field in fields), get, not_flat)

    def values(self, chunk: object) -> dict[str, object]:
        """Return the values of a chunk by name, with lists instead of tuples."""
        read = zip(self.names, self._get(chunk), strict=True)
        return {name: [*value] if isinstance(value, tuple) else value for name, value in read}

    def flat_values(self, chunk: object) -> dict[str, object]:
        """Return the values of a chunk by name as vector stores accept them, see `Field.flat`."""
        values = dict(zip(self.names, self._get(chunk), strict=True))
        for field in self._not_flat:
            values[field.name] = field.flat(values[field.name])
        return values
