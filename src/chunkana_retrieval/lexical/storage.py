"""Serialisation of a lexical index to bytes."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, pairwise

import numpy as np

from chunkana_retrieval.lexical.documents import IndexedDocument
from chunkana_retrieval.lexical.matrices import Matrices

FORMAT = 1  # the version of the serialisation and of the rules of `words_of`


@dataclass(frozen=True, slots=True)
class IndexContents:
    """The contents of a lexical index.

    Attributes:
        words: all words; a word's index is its number.
        documents: the documents by id.
        matrices: the scores of all words.
    """

    words: Sequence[str]
    documents: Mapping[str, IndexedDocument]
    matrices: Matrices


def to_bytes(stored: IndexContents) -> memoryview:
    """Return the contents of an index as bytes."""
    documents = stored.documents.items()
    described = {
        "words": stored.words,
        "documents": [
            [name, document.chunk_ids, document.section_ids, [*map(len, document.tokens)]]
            for name, document in documents
        ],
    }
    tokens = array("I")
    for _, document in documents:
        for leaf in document.tokens:
            tokens.extend(leaf)
    content = BytesIO()
    np.savez(
        content,
        allow_pickle=False,
        described=np.frombuffer(json.dumps(described).encode(), np.uint8),
        tokens=np.asarray(tokens, np.uint32),
        **stored.matrices.to_arrays(),
    )
    return content.getbuffer()


def from_bytes(data: bytes) -> IndexContents:
    """Read the contents of an index from the bytes that `to_bytes` returned."""
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        described = json.loads(bytes(arrays["described"]))
        tokens = array("I", arrays["tokens"].tobytes())
        matrices = Matrices.from_arrays(arrays)
    return IndexContents(
        described["words"],
        _documents(described["documents"], tokens),
        matrices,
    )


def _documents(
    described: list[tuple[str, list[str], list[str | None], list[int]]], tokens: array[int]
) -> dict[str, IndexedDocument]:
    """Return documents by id; split the array of all tokens into those of each leaf."""
    documents: dict[str, IndexedDocument] = {}
    start = 0
    for name, chunk_ids, section_ids, counts in described:
        ends = [*accumulate(counts, initial=start)]
        leaves = tuple(tokens[a:b] for a, b in pairwise(ends))
        documents[name] = IndexedDocument(tuple(chunk_ids), tuple(section_ids), leaves)
        start = ends[-1]
    return documents
