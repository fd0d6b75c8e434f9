"""Passages as LangChain documents."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import Any

from langchain_core.documents import Document

from chunkana_langchain import keys
from chunkana_retrieval import Passage


def passage_document(passage: Passage, metadata: Mapping[str, Any]) -> Document:
    """Return a passage as a document, with the caller's metadata of its source.

    If the caller's metadata have the same key, the caller's value is kept.
    """
    own = {**passage.metadata(), keys.DOCUMENT_ID: passage.document_id}
    if not isnan(passage.score):
        own[keys.SCORE] = passage.score
    name = f"{passage.document_id}:{passage.spans[0].start}-{passage.spans[-1].end}"
    return Document(page_content=passage.text, metadata={**own, **metadata}, id=name)
