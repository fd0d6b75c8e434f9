"""The metadata keys of the nodes that this package makes, each written here alone."""

from typing import Final

BREADCRUMB: Final = "breadcrumb"  # title and path, for embedding
HEADER_PATH: Final = "header_path"  # for filters and the language model
HEADER_LEVEL: Final = "header_level"
CONTENT_TYPE: Final = "content_type"
ANCHOR: Final = "anchor"
CHUNK_ID: Final = "chunk_id"
CHUNK_INDEX: Final = "chunk_index"
SECTION_ID: Final = "section_id"
PARENT_SECTION_ID: Final = "parent_section_id"
START_LINE: Final = "start_line"
END_LINE: Final = "end_line"
CONTINUED: Final = "continued_from_header"
ALLOW_OVERSIZE: Final = "allow_oversize"
OVERSIZE_REASON: Final = "oversize_reason"
# The order is fixed, because hashes of nodes are made of the metadata as written.
OWN: Final = (
    BREADCRUMB, HEADER_PATH, HEADER_LEVEL, CONTENT_TYPE, ANCHOR, CHUNK_ID, CHUNK_INDEX, SECTION_ID,
    PARENT_SECTION_ID, START_LINE, END_LINE, CONTINUED, ALLOW_OVERSIZE, OVERSIZE_REASON,
)  # fmt: skip
