"""A lexical index on disk: one file, which is whole or not there."""

from __future__ import annotations

import json
import os
import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from chunkana_retrieval.lexical.documents import IndexedDocument
from chunkana_retrieval.lexical.errors import IndexFileError
from chunkana_retrieval.lexical.matrices import Matrices

_FILE = "lexical_index.bin"
_VERSION = 1  # of the format, and of the rules by which texts become words
_HEAD = re.compile(rb"chunkana lexical index ([0-9]{1,9}) ([0-9a-f]{64})")  # the first line


@dataclass(frozen=True, slots=True)
class IndexContents:
    """What an index file holds.

    Attributes:
        vocabulary: the number of each word.
        documents: by their ids.
        matrices: the scores of all words.
    """

    vocabulary: Mapping[str, int]
    documents: Mapping[str, IndexedDocument]
    matrices: Matrices


def write(folder: Path, stored: IndexContents) -> None:
    """Write a file beside the one in a folder, then put it in its place."""
    documents = stored.documents.items()
    described = {
        "words": list(stored.vocabulary),
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
    data = content.getbuffer()
    folder.mkdir(parents=True, exist_ok=True)
    beside = folder / f".{_FILE}.{os.getpid()}.part"
    try:
        with beside.open("wb") as file:
            file.write(b"chunkana lexical index %d %s\n" % (_VERSION, _digest(data)))
            file.write(data)
        beside.replace(folder / _FILE)
    finally:
        beside.unlink(missing_ok=True)


def read(folder: Path) -> IndexContents:
    """Return what `write` wrote to a folder.

    Raises:
        IndexFileError: if it is damaged or of another version.
        OSError: if it cannot be read.
    """
    path = folder / _FILE
    head, _, data = path.read_bytes().partition(b"\n")
    match = _HEAD.fullmatch(head)
    if match is None:
        raise IndexFileError(str(path), "is no lexical index")
    version, digest = int(match[1]), match[2]
    if version != _VERSION:
        reason = f"is of format {version}, not {_VERSION}; index the documents again"
        raise IndexFileError(str(path), reason)
    if digest != _digest(data):
        raise IndexFileError(str(path), "is damaged; index the documents again")
    with np.load(BytesIO(data), allow_pickle=False) as arrays:
        described = json.loads(bytes(arrays["described"]))
        tokens = array("I", arrays["tokens"].tobytes())
        matrices = Matrices.from_arrays(arrays)
    return IndexContents(
        {word: number for number, word in enumerate(described["words"])},
        _documents(described["documents"], tokens),
        matrices,
    )


def _digest(data: bytes | memoryview) -> bytes:
    return sha256(data).hexdigest().encode()


def _documents(
    described: list[tuple[str, list[str], list[str | None], list[int]]], tokens: array[int]
) -> dict[str, IndexedDocument]:
    """Return documents by their ids, of whose leaves all tokens are one array."""
    documents: dict[str, IndexedDocument] = {}
    start = 0
    for name, chunk_ids, section_ids, counts in described:
        ends = [*accumulate(counts, initial=start)]
        leaves = tuple(tokens[a:b] for a, b in pairwise(ends))
        documents[name] = IndexedDocument(tuple(chunk_ids), tuple(section_ids), leaves)
        start = ends[-1]
    return documents
