"""What stands in front of a page besides headings: introductions, and the source's label."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from langchain_core.documents import Document

from chunkana_core import ChunkConfig, Chunker, ConfigurationError, Context
from chunkana_langchain import ChunkanaSplitter
from chunkana_langchain.keys import MetadataKeys
from tests.langchain.parts import exact, own_documents

ABOUT = "This guide says how tea is made in a small kitchen."
TEXT = f"# Tea\n\n{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40
TEA = Document(page_content=TEXT, metadata={"source": "kitchen/tea.md"})


def fronts(splitter: ChunkanaSplitter, document: Document = TEA) -> list[str]:
    """Return what stands in front of each chunk's own text; it is checked to be exact."""
    chunks = splitter.split_documents([document])
    assert all(exact(chunk, document.page_content) for chunk in chunks)
    return [chunk.page_content[: chunk.metadata["prefix_chars"]] for chunk in chunks]


def overlaps(chunks: list[Document]) -> list[str]:
    """Return what stands last in front of chunks and is the end of the chunk before, "" if not."""
    found = []
    for before, chunk in pairwise(chunks):
        content_start = json.loads(chunk.metadata["chunkana_context"])[0]
        last = chunk.page_content[:content_start].removesuffix("\n\n").rpartition("\n\n")[2]
        found.append(last if before.page_content.endswith(last) else "")
    return found


def test_chunks_are_introduced() -> None:
    """The first sentence of the section around a chunk stands below its breadcrumb."""
    first, green, black, continued = fronts(ChunkanaSplitter(480))
    file = "kitchen/tea.md > Tea"
    assert (first, green) == (f"{file}\n\n", f"{file} > Green\n\n{ABOUT}\n\n")
    assert black == f"{file} > Black\n\n{ABOUT}\n\n"
    assert continued == f"{black}## Black\n\n"


@pytest.mark.parametrize("more", ["", " There is more to say."])
@pytest.mark.parametrize("heading", ["# Tea\n\n", ""])
def test_what_overlaps_does_not_introduce_too(heading: str, more: str) -> None:
    """A chunk that comes right after its section's first sentence has it once."""
    text = f"{heading}{ABOUT}{more}\n\n" + "word " * 110
    chunks = ChunkanaSplitter(600, 150).create_documents([text])
    assert [chunk.page_content.count(ABOUT) for chunk in chunks] == [1, 1, 1]
    assert overlaps(chunks) == [ABOUT + more, ""]


def test_introductions_take_no_room_from_overlap() -> None:
    """No room was left for these, because of the long title."""
    text = f"# {'T' * 170}\n\n{ABOUT}\n\n" + "Green tea waits a little. " * 60
    found = [
        overlaps(ChunkanaSplitter(500, 80, introductions=introductions).create_documents([text]))
        for introductions in (True, False)
    ]
    assert found[0] == found[1]
    assert any(found[0])


def test_without_breadcrumbs_there_are_no_introductions() -> None:
    splitter = ChunkanaSplitter(480, header_context="none")
    assert not any(ABOUT in front for front in fronts(splitter))


@pytest.mark.parametrize("options", [{}, {"introductions": False}, {"header_context": "none"}])
def test_pages_are_what_the_core_embeds(options: dict[str, Any]) -> None:
    """Without overlap a page is the core's text, and its flags are the core's."""
    for document in own_documents():
        context = Context(introduction=options.get("introductions", True))
        chunker = Chunker(
            ChunkConfig(max_chunk_size=300), None if "header_context" in options else context
        )
        path = document.metadata["source"]
        chunks = chunker.chunk_hierarchical(document.page_content, path=path).get_flat_chunks()
        splitter = ChunkanaSplitter(300, atomic_blocks="keep", metadata="full", **options)
        made = splitter.split_documents([document])
        assert [page.page_content for page in made] == [chunk.embedded for chunk in chunks]
        reasons = [page.metadata["oversize_reason"] for page in made]
        assert reasons == [chunk.oversize_reason or "" for chunk in chunks]


def test_introductions_can_be_left_out() -> None:
    found = fronts(ChunkanaSplitter(480, introductions=False))[:2]
    assert found == ["kitchen/tea.md > Tea\n\n", "kitchen/tea.md > Tea > Green\n\n"]


@pytest.mark.parametrize("size", [60, 200, 600])
@pytest.mark.parametrize("length", [len, lambda text: len(text.split())])
def test_introductions_count(size: int, length: object) -> None:
    splitter = ChunkanaSplitter(
        size,
        length_function=length,  # type: ignore[arg-type]
        metadata="full",
    )
    chunks = splitter.split_documents(own_documents())
    over = [c for c in chunks if length(c.page_content) > size]  # type: ignore[operator]
    assert all(chunk.metadata["allow_oversize"] for chunk in over)
    assert len(over) < len(chunks) // 20


def test_parents_have_no_introduction() -> None:
    """They are read, not embedded."""
    parents = ChunkanaSplitter(160, min_chunk_size=0).split_hierarchical([TEA]).parents
    merged = [parent for _, parent in parents if parent.metadata["chunkana_child_count"]]
    assert merged
    assert all(
        p.page_content.startswith("kitchen/tea.md > Tea\n\n# Tea") or ABOUT not in p.page_content
        for p in merged
    )


def test_a_label_is_outermost() -> None:
    """It is the file, a key of the metadata or a function; it goes first where there is no room."""
    cases: list[tuple[Any, str]] = [
        (None, "shop/tea.md > Tea\n\n"),
        ("source", "/home/ada/shop/tea.md > Tea\n\n"),
        (lambda _: None, "shop/tea.md > Tea\n\n"),
        (lambda _: "", "Tea\n\n"),
        ("", "Tea\n\n"),
    ]
    absolute = Document(page_content=TEXT, metadata={"source": "/home/ada/shop/tea.md"})
    for label, expected in cases:
        assert fronts(ChunkanaSplitter(480, source_label=label), absolute)[0] == expected
    with pytest.warns(UserWarning, match="source_label is 'missing'"):
        assert (
            fronts(ChunkanaSplitter(480, source_label="missing"))[0] == "kitchen/tea.md > Tea\n\n"
        )
    splitter = ChunkanaSplitter(
        480, source_label=lambda document: document.metadata["source"][8:11]
    )
    assert fronts(splitter)[1] == f"tea > Tea > Green\n\n{ABOUT}\n\n"
    narrow = ChunkanaSplitter(40, source_label="source", min_chunk_size=0)
    assert fronts(narrow)[1].startswith(("Tea > Green\n\n", "Tea\n\n"))


@pytest.mark.parametrize("metadata", ["short", "full"])
def test_what_continues_a_section_introduces_nothing(metadata: MetadataKeys) -> None:
    """A chunk that is split further has its section's path, but not how that begins."""
    sentence = "Then comes another sentence of the text. "
    document = Document(page_content=f"# Guide\n\n{ABOUT}\n\n{sentence * 40}")
    first, second, *_ = ChunkanaSplitter(800, metadata=metadata).split_documents([document])
    assert second.metadata.get("continued_from_header", metadata == "short")
    again = ChunkanaSplitter(400).split_documents([second])
    assert {chunk.page_content[: chunk.metadata["prefix_chars"]] for chunk in again} == {
        "Guide\n\n"
    }
    again = ChunkanaSplitter(420).split_documents([first])
    assert again[1].page_content.startswith(f"Guide\n\n{ABOUT}\n\n# Guide")


def test_a_label_stays_when_chunks_are_split_further() -> None:
    splitter = ChunkanaSplitter(200, source_label="source")
    again = splitter.split_documents(ChunkanaSplitter(480).split_documents([TEA]))
    titles = [chunk.page_content.partition("\n\n")[0].split(" > ") for chunk in again]
    assert {tuple(title) for title in titles} == {
        ("kitchen/tea.md", "Tea"),
        ("kitchen/tea.md", "Tea", "Green"),
        ("kitchen/tea.md", "Tea", "Black"),
    }


@pytest.mark.parametrize(
    "text", [TEXT, f"---\ntitle: Tea\n---\n\n{ABOUT}\n\n## Green\n\n{'Wait. ' * 40}"]
)
def test_titles_stand_once_before_parts_of_parents(text: str) -> None:
    """Also of a parent that holds the title itself, as a heading or in its front matter."""
    splitter = ChunkanaSplitter(150, source_label="source", min_chunk_size=0, introductions=False)
    document = Document(page_content=text, metadata={"source": "tea.md"})
    _, parents = splitter.split_hierarchical([document])
    parts = splitter.split_documents([parent for _, parent in parents])
    assert len(parts) > 4
    for part in parts:
        breadcrumb = part.page_content.partition("\n\n")[0]
        path = part.metadata["header_path"].removeprefix("/Tea").split("/")[1:]
        assert breadcrumb == " > ".join(["tea.md", "Tea", *filter(None, path)])


def test_parents_start_with_their_breadcrumb() -> None:
    splitter = ChunkanaSplitter(160, min_chunk_size=0, source_label="source")
    _, parents = splitter.split_hierarchical([TEA])
    merged = [p for _, p in parents if p.metadata["chunkana_child_count"]]
    assert [p.page_content[: p.metadata["prefix_chars"]] for p in merged] == [
        "kitchen/tea.md > Tea\n\n",
        "kitchen/tea.md > Tea > Black\n\n",
    ]
    assert all(exact(parent, TEXT) for parent in merged)
    _, parents = ChunkanaSplitter(160, header_context="none").split_hierarchical([TEA])
    assert all(p.metadata["prefix_chars"] == 0 for _, p in parents)


def test_a_label_that_would_not_be_shown() -> None:
    with pytest.raises(ConfigurationError, match="source_label is 'source'; allowed: None unless"):
        ChunkanaSplitter(source_label="source", header_context="none")


def test_labels_of_other_types() -> None:
    with pytest.raises(TypeError, match="source_label is 5; allowed: None, a key of metadata or"):
        ChunkanaSplitter(source_label=5)  # type: ignore[arg-type]
    splitter = ChunkanaSplitter(source_label=lambda _: 5)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="what source_label returns is 5; allowed: None or a str"):
        splitter.split_documents([TEA])


def test_code_and_tables_are_split_unless_they_are_to_be_kept() -> None:
    code = "```\n" + "x = 1\n" * 40 + "```\n"
    split = ChunkanaSplitter(100).create_documents([code])
    keeping = ChunkanaSplitter(100, atomic_blocks="keep", metadata="full")
    kept = keeping.create_documents([code])
    assert max(len(chunk.page_content) for chunk in split) <= 100
    assert [chunk.metadata["oversize_reason"] for chunk in kept] == ["code_block_integrity"]
