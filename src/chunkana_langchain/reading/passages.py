"""Passages as documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isnan
from typing import Any

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_retrieval import Passage


def passage_document(passage: Passage, metadata: Mapping[str, Any]) -> Document:
    """Return a passage as a document, with the caller's metadata of its source.

    Of keys that both use, the caller's value stays.
    """
    own: dict[str, Any] = {
        keys.SPANS: [[span.start, span.end] for span in passage.spans],
        keys.PATH: json.dumps(passage.path, ensure_ascii=False),
        keys.CHUNK_IDS: list(dict.fromkeys(passage.chunk_ids)),
        keys.DOCUMENT_ID: passage.document_id,
    }
    if passage.start_line is not None:
        own |= {keys.START_LINE: passage.start_line, keys.END_LINE: passage.end_line}
    if passage.lines is not None:
        own[keys.LINES] = [[*lines] for lines in passage.lines]
    if passage.cells is not None:
        own[keys.CELL], own[keys.CELL_END] = passage.cells
    if not isnan(passage.score):
        own[keys.SCORE] = passage.score
    name = f"{passage.document_id}:{passage.spans[0].start}-{passage.spans[-1].end}"
    return Document(page_content=passage.text, metadata={**own, **metadata}, id=name)
