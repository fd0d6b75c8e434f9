"""L6: ids and chunks are the same everywhere, and an edit leaves alone what it does not touch."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chunkana_core import (
    Chunk,
    ChunkConfig,
    HierarchicalChunkingResult,
    HierarchyBuilder,
    MarkdownChunker,
)
from tests import corpora
from tests.core.configurations import configs

_PRINT_IDS = """
import json, sys
from pathlib import Path
from chunkana_core import ChunkConfig, MarkdownChunker
chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300, overlap_size=50))
texts = [Path(p).read_bytes().decode() for p in sys.argv[1:]]
print(json.dumps([[c.metadata for c in chunker.chunk_hierarchical(t).chunks] for t in texts]))
"""


def test_chunks_are_the_same_in_another_process() -> None:
    """Ids and all other metadata do not depend on the process and its hash seed."""
    paths = sorted(corpora.OWN.glob("*.md"))
    run = subprocess.run(
        [sys.executable, "-c", _PRINT_IDS, *map(str, paths)],
        env=os.environ | {"PYTHONHASHSEED": "4242", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
    )
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300, overlap_size=50))
    results = [chunker.chunk_hierarchical(sample.text) for sample in corpora.own_documents()]
    assert json.loads(run.stdout) == [[c.metadata for c in r.chunks] for r in results]


def test_ids_are_what_they_were() -> None:
    """Ids are kept in stores, so that a change of how they are made has to be meant."""
    text = "# Guide\n\nIntro.\n\n## Install\n\nRun pip.\n\n## Use\n\nImport it.\n"
    chunks = MarkdownChunker().chunk_hierarchical(text).chunks
    assert [chunk.chunk_id for chunk in chunks] == ["b43cb747", "2f580a8b", "6dc50414", "5c3ba2cd"]


def test_nothing_given_is_changed() -> None:
    """Options and chunks that are given stay as they are."""
    options: dict[str, object] = {"max_chunk_size": 200, "min_chunk_size": 5}
    config = ChunkConfig.from_dict(options)
    text = corpora.own_document("every_block.md")
    chunks = [*reversed(MarkdownChunker(config).chunk(text))]
    given = [*chunks]
    HierarchyBuilder().build(given, text)
    assert given == chunks
    assert options == {"max_chunk_size": 200, "min_chunk_size": 5}
    assert (config.min_chunk_size, config.min_content_after_header) == (5, None)


def test_results_cannot_be_changed() -> None:
    """Chunks are frozen, and their metadata is a copy."""
    (chunk,) = MarkdownChunker().chunk("# A\n\nText.\n")
    chunk.metadata["title"] = "changed"
    assert chunk.metadata["title"] == "A"
    with pytest.raises(AttributeError):
        chunk.content = "changed"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        chunk.links.parent_id = "changed"  # type: ignore[misc]


# Editing the body of a section


@dataclass(frozen=True)
class Body:
    """A section: its heading, and how many words its paragraph and its list have."""

    level: int
    title: str
    words: int
    items: int

    def markdown(self, number: int, version: str) -> str:
        """Write it out, every word naming the section's number."""
        parts = [f"{'#' * self.level} {self.title}"]
        if self.words:
            parts.append(" ".join(f"{version}{number}w{i}" for i in range(self.words)) + ".")
        if self.items:
            parts.append("\n".join(f"- item{number}w{i}" for i in range(self.items)))
        return "\n\n".join(parts) + "\n\n"


_BODIES = st.lists(
    st.builds(
        Body,
        st.integers(1, 5),
        st.sampled_from(("Overview", "Use", "Install", "Notes")),
        st.sampled_from((0, 1, 4, 12, 30, 90)),
        st.sampled_from((0, 0, 0, 3, 40)),
    ),
    min_size=2,
    max_size=9,
)
_EDITS = st.sampled_from((1, 5, 13, 29, 91))


@given(_BODIES, st.integers(0, 8), _EDITS, configs())
def test_an_edit_changes_no_id_elsewhere(
    bodies: list[Body], place: int, words: int, config: ChunkConfig
) -> None:
    """Editing a section's body changes ids only of its own leaves and of merged drafts."""
    place %= len(bodies)
    assume(bodies[place].words)
    edited = [*bodies]
    edited[place] = replace(bodies[place], words=words)
    chunker = MarkdownChunker(config)
    before = chunker.chunk_hierarchical("".join(b.markdown(n, "s") for n, b in enumerate(bodies)))
    after = chunker.chunk_hierarchical(
        "".join(b.markdown(n, "e" if n == place else "s") for n, b in enumerate(edited))
    )
    old, new = _ids_by_section(before), _ids_by_section(after)
    for number in old.keys() & new.keys() - {place}:
        assert old[number] == new[number]
    old_nodes, new_nodes = _node_ids(before), _node_ids(after)
    assert all(old_nodes[anchor] == new_nodes[anchor] for anchor in old_nodes & new_nodes.keys())


def _ids_by_section(result: HierarchicalChunkingResult) -> dict[int, list[str]]:
    """Return the ids of the leaves of every section that shares no leaf with another."""
    ids: defaultdict[int, list[str]] = defaultdict(list)
    shared: set[int] = set()
    for chunk in result.chunks:
        if not chunk.is_leaf:
            continue
        sections = _sections_in(chunk)
        shared |= sections if len(sections) > 1 else set()
        for number in sections:
            ids[number].append(chunk.chunk_id)
    return {number: found for number, found in ids.items() if number not in shared}


def _sections_in(chunk: Chunk) -> set[int]:
    return {int(number) for number in re.findall(r"(?:s|e|item)(\d+)w", chunk.text)}


def _node_ids(result: HierarchicalChunkingResult) -> dict[str, str]:
    nodes: Iterable[Chunk] = (c for c in result.chunks if not c.is_leaf)
    return {c.anchor: c.chunk_id for c in nodes}


def test_an_edit_across_the_limit_changes_only_its_own_section() -> None:
    """A section that grows into several parts leaves all other ids alone."""
    other = "## B\n\n" + "Another sentence of B. " * 30
    short, long = (f"# D\n\n## A\n\n{'A sentence. ' * n}\n\n{other}\n" for n in (5, 300))
    before, after = (MarkdownChunker().chunk_hierarchical(text) for text in (short, long))
    assert len(after.chunks) > len(before.chunks)
    assert [c.chunk_id for c in before.chunks if c.title == "B"] == [
        c.chunk_id for c in after.chunks if c.title == "B"
    ]
    assert before.root_id == after.root_id
