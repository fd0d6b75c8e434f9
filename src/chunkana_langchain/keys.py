"""The metadata keys of the documents that this package creates."""

from typing import Final, Literal

MetadataKeys = Literal["short", "full"]

CHUNK_ID: Final = "chunk_id"
SECTION_ID: Final = "section_id"
PARENT_SECTION_ID: Final = "parent_section_id"
PATH: Final = "path"
HEADER_PATH: Final = "header_path"
HEADER_LEVEL: Final = "header_level"
CONTENT_TYPE: Final = "content_type"
CONTAINER: Final = "container"
FORMAT: Final = "format"
KIND: Final = "kind"
NAME: Final = "name"
CHUNK_INDEX: Final = "chunk_index"
START_CHAR: Final = "start_char"
END_CHAR: Final = "end_char"
PREFIX_CHARS: Final = "prefix_chars"
START_LINE: Final = "start_line"
END_LINE: Final = "end_line"
CELL: Final = "cell"
CELL_END: Final = "cell_end"
CELLS: Final = (CELL, "cell_start_line", CELL_END, "cell_end_line")  # for notebooks
ANCHOR: Final = "anchor"
ALLOW_OVERSIZE: Final = "allow_oversize"
OVERSIZE_REASON: Final = "oversize_reason"
CONTINUED: Final = "continued_from_header"
DOCUMENT_ID: Final = "chunkana_document_id"
PARENT_ID: Final = "chunkana_parent_id"
CHILD_COUNT: Final = "chunkana_child_count"
CONTEXT: Final = "chunkana_context"  # a `ChunkContext` as JSON
START_INDEX: Final = "start_index"  # LangChain's key: the offset in the page content that was split
SCORE: Final = "score"
SPANS: Final = "spans"  # in passages
LINES: Final = "lines"  # in passages
CHUNK_IDS: Final = "chunk_ids"  # in passages
LEAF_ID: Final = "chunkana_leaf_id"  # in the vector store of an index
RECORD: Final = "chunkana_record"  # in the document store of an index
HEADERS: Final = tuple(f"Header {level}" for level in range(1, 7))  # as in LangChain's splitters
OWN: Final = frozenset(
    {*CELLS, CHUNK_ID, SECTION_ID, PARENT_SECTION_ID, PATH, HEADER_PATH, HEADER_LEVEL, CONTENT_TYPE,
     CONTAINER, FORMAT, KIND, NAME, CHUNK_INDEX, START_CHAR, END_CHAR, PREFIX_CHARS, START_LINE,
     END_LINE, ANCHOR, ALLOW_OVERSIZE, OVERSIZE_REASON, CONTINUED, DOCUMENT_ID, PARENT_ID,
     CHILD_COUNT, CONTEXT}
)  # fmt: skip
# The keys that are added only with `metadata="full"`.
FULL: Final = frozenset(
    {PATH, HEADER_LEVEL, CONTINUED, ALLOW_OVERSIZE, OVERSIZE_REASON}
)  # fmt: skip
