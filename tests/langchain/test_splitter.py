"""`ChunkanaSplitter` is a text splitter like LangChain's own, but with exact offsets."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    Context,
    MarkdownChunker,
    chunk_hierarchical,
)
from chunkana_langchain import ChunkanaSplitter, to_documents
from chunkana_langchain.keys import MetadataKeys
from chunkana_langchain.text_splitter import HeaderContext
from tests import corpora
from tests.langchain.parts import exact, own_documents
from tests.strategies import any_markdown

SHORT = {
    "chunk_id", "section_id", "parent_section_id", "header_path", "content_type", "format", "kind",
    "name", "chunk_index", "start_char", "end_char", "prefix_chars", "start_line", "end_line",
    "anchor", "chunkana_document_id", "chunkana_parent_id", "chunkana_child_count",
    "chunkana_context", "container",
}  # fmt: skip
FULL = SHORT | {
    "path", "header_level", "allow_oversize", "oversize_reason",
    "continued_from_header",
}  # fmt: skip
HEADERS = {f"Header {level}" for level in range(1, 7)}
CONTEXTS: tuple[HeaderContext, ...] = ("breadcrumb", "none")
TEXT = """# Guide

Preamble of the guide.

## Install

Run pip. Then wait. Then read on.

```python
    indented = 1
```

### Linux

Use the package. It is small. It is quick.

## Use

Import it.
"""


def words(text: str) -> int:
    """Count words, as a measure that is not additive."""
    return len(text.split())


def plain(size: int, *, strip: bool = False, atoms: str = "keep") -> ChunkanaSplitter:
    """Return a splitter whose chunks start with the source, and say where."""
    return ChunkanaSplitter(
        size,
        header_context="none",
        add_start_index=True,
        strip_whitespace=strip,
        atomic_blocks=atoms,
    )


def test_is_a_text_splitter() -> None:
    assert isinstance(ChunkanaSplitter(), TextSplitter)


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("overlap", [0, 60])
def test_every_entry_point_gives_the_same(context: HeaderContext, overlap: int) -> None:
    """Text, documents, transformations and generators are split alike."""
    splitter = ChunkanaSplitter(300, overlap, header_context=context)
    documents = own_documents()[::4]
    split = splitter.split_documents(documents)
    assert split == splitter.split_documents(document for document in documents)
    assert split == splitter.transform_documents(documents)
    texts = [document.page_content for document in documents]
    made = splitter.create_documents(texts, [document.metadata for document in documents])
    assert made == split
    pages = [page for text in texts for page in splitter.split_text(text)]
    assert pages == [document.page_content for document in splitter.create_documents(texts)]


async def test_async_transformation_gives_the_same() -> None:
    splitter, documents = ChunkanaSplitter(300), own_documents()
    assert await splitter.atransform_documents(documents) == splitter.split_documents(documents)


def test_offsets_are_exact_in_the_corpus() -> None:
    samples = {sample.name: sample.text for sample in corpora.corpus()}
    if not samples:
        pytest.skip(f"no corpus in {corpora.SHARED}")
    documents = [Document(page_content=t, metadata={"source": n}) for n, t in samples.items()]
    for chunk in ChunkanaSplitter(500, 50).split_documents(documents):
        assert exact(chunk, samples[chunk.metadata["source"]])


@given(any_markdown())
def test_offsets_keys_and_sizes_hold_for_made_markdown(text: str) -> None:
    """Whatever the text: exact offsets, the same keys, unique ids, the limit."""
    splitter = ChunkanaSplitter(120, 20, add_start_index=True, header_keys=True, metadata="full")
    split = splitter.create_documents([text], [{"source": "made"}])
    assert len({document.id for document in split}) == len(split)
    for document in split:
        metadata = document.metadata
        assert metadata.keys() == FULL | HEADERS | {"source", "start_index"}
        assert metadata["start_index"] == metadata["start_char"] >= 0
        assert exact(document, text)
        assert metadata["allow_oversize"] or len(document.page_content) <= 120


@pytest.mark.parametrize("measure", [len, words])
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("overlap", [0, 30])
def test_sizes_and_offsets(
    measure: Callable[[str], int], context: HeaderContext, overlap: int
) -> None:
    """With context and overlap, in characters and words: within the limit but for flagged atoms."""
    for document in own_documents():
        splitter = ChunkanaSplitter(
            150,
            overlap,
            measure,
            header_context=context,
            add_start_index=True,
            metadata="full",
        )
        for chunk in splitter.split_documents([document]):
            assert exact(chunk, document.page_content)
            assert chunk.metadata["start_index"] == chunk.metadata["start_char"]
            is_over = measure(chunk.page_content) > 150
            assert chunk.metadata["allow_oversize"] is bool(chunk.metadata["oversize_reason"])
            assert chunk.metadata["allow_oversize"] or not is_over


def test_verbatim_chunks_keep_their_indentation() -> None:
    """Without context a chunk that continues nothing is the source itself, indentation included."""
    text = "Look:\n\n    indented\n      more\n" + "\n    line of code" * 30
    splitter = plain(100, atoms="split")
    split = splitter.create_documents([text])
    assert len(split) > 3
    for document in split:
        start = document.metadata["start_index"]
        assert text[start:].startswith(document.page_content)
    assert split[1].page_content.startswith("    ")


def test_white_space_is_stripped_where_asked_but_not_from_code() -> None:
    text = "  indented paragraph\n\n# Code\n\n    kept\n"
    kept = ChunkanaSplitter(32, header_context="none").split_text(text)
    assert kept == ["  indented paragraph", "# Code\n\n    kept"]
    splitter = plain(32, strip=True)
    stripped = splitter.create_documents([text])
    assert [d.page_content for d in stripped] == ["indented paragraph", "# Code\n\n    kept"]
    assert [d.metadata["start_index"] for d in stripped] == [2, text.index("# Code")]
    code = splitter.create_documents(["    code\n"])
    assert code[0].page_content == "    code"


def test_duplicates_have_their_own_offsets() -> None:
    """The same paragraph twice is at two places: nothing is searched for."""
    text = "\n\n".join(f"## S{n}\n\nThe very same sentence." for n in (1, 1, 1))
    split = plain(60).create_documents([text])
    assert [d.metadata["start_index"] for d in split] == [0, 32, 64]
    assert len({d.id for d in split}) == 3


def test_breadcrumb_is_title_and_path() -> None:
    pages = ChunkanaSplitter(80).split_text(TEXT)
    assert pages[0].startswith("Guide\n\n# Guide")
    assert any(page.startswith("Guide > Install > Linux\n\n### Linux") for page in pages)
    assert ChunkanaSplitter(80).split_text("No heading.") == ["No heading."]


def test_continued_parts_repeat_their_headings_without_context() -> None:
    text = "# Guide\n\n## Install\n\n" + "Run pip and wait. " * 20
    first, *others = ChunkanaSplitter(110, header_context="none").split_text(text)
    assert first.startswith("# Guide\n\n## Install\n\nRun")
    assert others
    assert all(page.startswith("# Guide\n\n## Install\n\nRun") for page in others)


def test_no_context_is_the_core_s_content() -> None:
    pages = ChunkanaSplitter(100, header_context="none").split_text(TEXT)
    result = chunk_hierarchical(TEXT, ChunkConfig(max_chunk_size=100))
    assert pages == [chunk.content for chunk in result.get_flat_chunks()]


def test_overlap_is_whole_sentences_of_the_section() -> None:
    sentences = [f"Sentence number {n} is here." for n in range(30)]
    split = ChunkanaSplitter(200, 60, header_context="none").create_documents(
        ["# T\n\n" + " ".join(sentences)]
    )
    for before, document in pairwise(split):
        overlap, _, rest = document.page_content.partition("\n\n# T\n\n")
        assert overlap.startswith("Sentence number")
        assert before.page_content.endswith(overlap)
        assert document.metadata["prefix_chars"] == len(document.page_content) - len(rest)


@pytest.mark.parametrize(
    "text",
    [
        "\n\n".join(f"```\ncode {n}\n```\n\nText {n} of it." for n in range(20)),
        "\r\r".join(f"```\rcode {n}\r```\r\rText {n} of it." for n in range(20)),
        "\n".join(
            f"- ```py\n  x = {n}\n  yyyyyyyyyyyyy = {n}\n  zzzz = {n}\n  ```" for n in range(9)
        ),
        "```sh\n" + "".join(f"# step {n}\nrun --n {n}\n" for n in range(40)) + "```\n\nAfter it.",
        "".join(f"    # line {n} of code\n" for n in range(30)) + "\nA paragraph after it.\n",
        "| a | b |\n|---|---|\n" + "| cell | cell |\n" * 30 + "\nA paragraph after it.\n",
        "<div>\n" + "".join(f"<p>para {n}</p>\n" for n in range(40)) + "\n\nA paragraph.\n",
        "word " * 300,
    ],
)
@pytest.mark.parametrize("atoms", ["keep", "split"])
def test_overlap_is_prose(text: str, atoms: str) -> None:
    """Never a part of code, a table or HTML, nor half a sentence."""
    splitter = ChunkanaSplitter(120, 40, atomic_blocks=atoms, header_context="none")
    for document in splitter.create_documents(["# T\n\n" + text]):
        content_start, *_ = json.loads(document.metadata["chunkana_context"])
        overlap = document.page_content[:content_start].strip()
        assert not overlap or overlap.startswith(("Text ", "A paragraph"))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_overlap_below_repeated_headings_with_any_line_end(end: str) -> None:
    """Headings that are repeated do not make a part look like the rest of code."""
    sentences = " ".join(f"Sentence {number} is short." for number in range(20))
    text = end.join(["## A", "", sentences, ""])
    parts = ChunkanaSplitter(150, 50, header_context="none").split_text(text)
    assert len(parts) > 2
    assert all(part.startswith("Sentence") and f"## A{end}{end}" in part for part in parts[1:])


def test_header_keys_are_those_that_others_use() -> None:
    split = ChunkanaSplitter(80, header_keys=True).create_documents([TEXT])
    linux = next(d for d in split if d.metadata["header_path"] == "/Guide/Install/Linux")
    titles = [linux.metadata[f"Header {n}"] for n in range(1, 7)]
    assert titles == ["Guide", "Install", "Linux", "", "", ""]


def test_the_outline_in_plain_values() -> None:
    """The path as JSON, which every store takes, and the ids of the section and of that around."""
    splitter = ChunkanaSplitter(80, min_chunk_size=0, metadata="full")
    leaves, parents = splitter.split_hierarchical([Document(page_content=TEXT)])
    linux = next(d for d in leaves if d.metadata["header_path"] == "/Guide/Install/Linux")
    install = next(d for d in leaves if d.metadata["header_path"] == "/Guide/Install")
    assert json.loads(linux.metadata["path"]) == ["Guide", "Install", "Linux"]
    assert linux.metadata["parent_section_id"] == install.metadata["section_id"]
    around = {d.metadata["section_id"]: d.metadata["parent_section_id"] for _, d in parents}
    assert around[install.metadata["section_id"]] == leaves[0].metadata["section_id"]
    assert leaves[0].metadata["parent_section_id"] == ""


def test_metadata_is_copied_and_kept() -> None:
    """The caller's metadata is copied deeply; a key of the same name as ours stays the caller's."""
    metadata = {"source": "a.md", "tags": {"x": [1]}, "anchor": "theirs"}
    document = Document(page_content=TEXT, metadata=deepcopy(metadata))
    with pytest.warns(UserWarning, match="keep their own metadata anchor") as caught:
        split = ChunkanaSplitter(80).split_documents([document])
    assert [warning.filename for warning in caught] == [__file__]
    split[0].metadata["tags"]["x"].append(2)
    assert document.metadata == metadata
    assert split[1].metadata["tags"] == {"x": [1]}
    assert all(d.metadata["anchor"] == "theirs" for d in split)


@pytest.mark.parametrize(("metadata", "keys"), [("short", SHORT), ("full", FULL)])
def test_same_keys_on_every_document(metadata: MetadataKeys, keys: set[str]) -> None:
    """Chunks and parents, of Markdown, code and text."""
    others = [Document("def tea():\n    pass\n", metadata={"source": "tea.py"})]
    splitter = ChunkanaSplitter(200, metadata=metadata)
    leaves, parents = splitter.split_hierarchical([*own_documents(), *others])
    made = [*leaves, *(parent for _, parent in parents)]
    assert {frozenset(d.metadata) for d in made} == {frozenset(keys | {"source"})}


def test_other_metadata_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="metadata is 'all'; allowed: 'short' or 'full'"):
        ChunkanaSplitter(metadata="all")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"metadata is .*; allowed: 'short' or 'full'"):
        to_documents(chunk_hierarchical("# T\n"), metadata={"source": "a"})  # type: ignore[arg-type]


def test_metadata_is_plain() -> None:
    """It survives JSON and what vector stores take: no None, no list, no set."""
    split = ChunkanaSplitter(200).split_documents(own_documents())
    assert json.loads(json.dumps([d.metadata for d in split])) == [d.metadata for d in split]
    allowed = (str, bool, int, float)
    assert all(isinstance(value, allowed) for d in split for value in d.metadata.values())


def test_ids_are_the_same_in_every_run_and_unique() -> None:
    """Documents with the same text and source, and repeated paragraphs, have ids of their own."""
    documents = [*own_documents(), *own_documents()]
    split = ChunkanaSplitter(200).split_documents(documents)
    assert split == ChunkanaSplitter(200).split_documents(documents)
    assert len({d.id for d in split}) == len(split)
    named = Document(page_content=TEXT, id="mine")
    moved = Document(page_content=TEXT, id="mine", metadata={"at": "another time"})
    ids = [[d.id for d in ChunkanaSplitter().split_documents([d])] for d in (named, moved)]
    assert ids[0] == ids[1]
    bare = [ChunkanaSplitter().create_documents([text])[0].id for text in ("one", "two")]
    assert bare[0] != bare[1]


def test_what_is_not_worth_indexing_is_left_out() -> None:
    text = "---\ntitle: T\n---\n\n# Empty\n\n[a]: /b\n"
    assert ChunkanaSplitter().split_text("---\ntitle: T\n---\n") == []
    assert ChunkanaSplitter().split_text(" \n\t") == []
    assert all("title: T" not in page for page in ChunkanaSplitter().split_text(text))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk_size": 0}, "chunk_size must be > 0"),
        ({"chunk_overlap": -1}, "chunk_overlap must be >= 0"),
        ({"chunk_size": 100, "chunk_overlap": 101}, "larger chunk overlap"),
        ({"chunk_size": 31}, "chunk_size is 31; allowed: at least 32"),
        ({"chunk_size": 100, "chunk_overlap": 90}, "chunk_overlap is 90; allowed: at most 66"),
        ({"header_context": "all"}, "header_context is 'all'; allowed: 'breadcrumb' or 'none'"),
        ({"header_context": "stack"}, "header_context is 'stack'; allowed: 'breadcrumb' or 'none'"),
        ({"atomic_blocks": "both"}, "atomic_blocks is 'both'"),
    ],
)
def test_sizes_and_options_that_are_not_allowed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChunkanaSplitter(**arguments)


def test_unknown_arguments_raise() -> None:
    with pytest.raises(TypeError, match=r"'max_chunk_size'; .*; did you mean chunk_size"):
        ChunkanaSplitter(max_chunk_size=100)


def test_largest_overlap_that_is_said_to_be_allowed_is() -> None:
    assert ChunkanaSplitter(100, 66).split_text(TEXT)


def test_text_must_be_a_string() -> None:
    with pytest.raises(ConfigurationError, match="text is 5; allowed: a str"):
        ChunkanaSplitter().create_documents([5])  # type: ignore[list-item]


def test_as_many_metadatas_as_texts() -> None:
    with pytest.raises(ConfigurationError, match="one for each of 2 texts"):
        ChunkanaSplitter().create_documents(["a", "b"], [{}])


def encoding() -> object:
    """Return an encoding of single bytes with a special token, made without a download."""
    ranks = {bytes([n]): n for n in range(256)}
    special = {"<|endoftext|>": 256}
    tiktoken = pytest.importorskip("tiktoken")
    return tiktoken.Encoding(
        "bytes", pat_str=r"\s+|\S+", mergeable_ranks=ranks, special_tokens=special
    )


def test_from_tiktoken_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts tokens, keeps its own arguments, and takes special tokens in a text as text."""
    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: encoding())
    splitter = ChunkanaSplitter.from_tiktoken_encoder(
        chunk_size=60, header_context="none", add_start_index=True, atomic_blocks="split"
    )
    assert type(splitter) is ChunkanaSplitter
    text = TEXT + "\n\n日本語のテキスト。もう一つの文です。<|endoftext|> and more.\n"
    split = splitter.create_documents([text])
    assert "<|endoftext|>" in "".join(d.page_content for d in split)
    for document in split:
        assert len(document.page_content.encode()) <= 60
        assert exact(document, text)
    allowed = ChunkanaSplitter.from_tiktoken_encoder(chunk_size=60, allowed_special="all")
    assert allowed.split_text("a <|endoftext|> b") == ["a <|endoftext|> b"]
    with pytest.raises(ValueError, match="disallowed special token"):
        ChunkanaSplitter.from_tiktoken_encoder(disallowed_special="all").split_text("<|endoftext|>")


def test_from_huggingface_tokenizer() -> None:
    """It counts a tokenizer's tokens and keeps its own arguments."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    unknown = "[UNK]"
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel({unknown: 0}, unk_token=unknown))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=model, unk_token=unknown)
    splitter = ChunkanaSplitter.from_huggingface_tokenizer(
        tokenizer, chunk_size=40, header_keys=True, add_start_index=True
    )
    assert isinstance(splitter, ChunkanaSplitter)
    text = "# T\n\n" + "One two three, four. " * 40
    split = splitter.create_documents([text])
    assert len(split) > 5
    for document in split:
        assert len(tokenizer.tokenize(document.page_content)) <= 40
        assert document.metadata["Header 1"] == "T"
        assert exact(document, text)


# A splitter for parents and children


def test_children_of_chunks_are_absolute_in_the_source() -> None:
    """A child's offsets and lines are those of the source; its path keeps what is above it."""
    parents = ChunkanaSplitter(220).split_documents(
        [Document(page_content=TEXT, metadata={"source": "t"})]
    )
    children = ChunkanaSplitter(60, add_start_index=True).split_documents(parents)
    assert len(children) > len(parents) > 1
    lines = TEXT.splitlines()
    for child in children:
        metadata = child.metadata
        assert exact(child, TEXT)
        first = TEXT[metadata["start_char"] : metadata["end_char"]].splitlines()[0]
        assert first in lines[metadata["start_line"] - 1]
    linux = next(c for c in children if "Use the package" in c.page_content)
    assert linux.metadata["header_path"] == "/Guide/Install/Linux"
    assert linux.page_content.startswith("t > Guide > Install > Linux\n\n")
    assert len({c.id for c in children}) == len(children)
    as_they_are = [parent for parent in parents if len(parent.page_content) <= 60]
    assert as_they_are
    assert all(parent in children for parent in as_they_are)


def test_a_chunk_that_fits_is_a_copy_and_a_leaf_without_a_parent() -> None:
    given = ChunkanaSplitter(220).split_documents([Document(page_content=TEXT)])
    chunk = given[-1]
    first, second = ChunkanaSplitter().split_documents([chunk, chunk])
    assert first == chunk
    assert first.metadata is not chunk.metadata
    assert second.page_content == chunk.page_content
    assert second.id != first.id
    leaves, parents = ChunkanaSplitter().split_hierarchical(given)
    assert [leaf.page_content for leaf in leaves] == [one.page_content for one in given]
    assert dict(parents) == {leaf.metadata["chunkana_parent_id"]: leaf for leaf in leaves}


def test_start_index_of_a_child_is_in_its_parent_s_content() -> None:
    (parent,) = ChunkanaSplitter().create_documents(["# A\n\n" + "Some words here. " * 20])
    for child in ChunkanaSplitter(80, add_start_index=True).split_documents([parent]):
        start = child.metadata["start_index"]
        text = child.page_content[child.metadata["prefix_chars"] :]
        assert parent.page_content[start:].startswith(text)


def chunks_of_chunks(
    text: str, first: ChunkanaSplitter, second: ChunkanaSplitter
) -> list[Document]:
    """Split a text and its chunks again; check that offsets are those in the text."""
    source = Document(page_content=text, metadata={"source": "t", "anchor": "theirs"})
    with pytest.warns(UserWarning, match="keep their own metadata anchor"):
        chunks = first.split_documents([source])
    with pytest.warns(UserWarning, match="keep their own metadata anchor"):
        parts = second.split_documents(chunks)
    for part in parts:
        assert exact(part, text)
        assert part.metadata["anchor"] == "theirs"
    return parts


def test_paths_of_children_are_those_in_the_source() -> None:
    """Also where a chunk starts above its own section, and of titles of any kind."""
    text = "# Guide\n\n## Install\n\nOne line.\n\n### Linux\n\n" + "Use the package. " * 20
    parts = chunks_of_chunks(text, ChunkanaSplitter(800), ChunkanaSplitter(60))
    paths = {part.metadata["header_path"] for part in parts}
    assert paths == {"/Guide/Install", "/Guide/Install/Linux"}
    text = "---\ntitle: My Doc\n---\n\n# C:\\\n\n## B/\n\n" + "Some words here. " * 20
    for part in chunks_of_chunks(text, ChunkanaSplitter(200), ChunkanaSplitter(100)):
        assert part.page_content.startswith("t > C:\\ > B/\n\n")
    text = "---\ntitle: My Doc\n---\n\n## Install\n\n" + "Some words here. " * 20
    for part in chunks_of_chunks(text, ChunkanaSplitter(200), ChunkanaSplitter(100)):
        assert part.page_content.startswith("t > My Doc > Install\n\n")


def test_path_of_children_of_a_cut_heading_keeps_it() -> None:
    long = "of a long name " * 12
    text = f"# Guide\n\n## Option {long}\n\n" + "Some words here. " * 20
    parts = chunks_of_chunks(text, ChunkanaSplitter(200), ChunkanaSplitter(60))
    words = [part for part in parts if "Some words" in part.page_content]
    title = chunk_hierarchical(text).toc()[-1].title
    assert {part.metadata["header_path"] for part in words} == {f"/Guide/{title}"}


def test_levels_of_children_are_those_in_the_source() -> None:
    text = "## A\n\n### B\n\n" + "Some words here. " * 20
    second = ChunkanaSplitter(100, header_keys=True, metadata="full")
    parts = chunks_of_chunks(text, ChunkanaSplitter(200, header_keys=True), second)
    for part in parts:
        assert (part.metadata["Header 2"], part.metadata["Header 3"]) == ("A", "B")
        assert part.page_content.startswith("t > A > B\n\n")
    assert [part.metadata["header_level"] for part in parts] == [2, *[3] * (len(parts) - 1)]


def test_nothing_in_children_of_cut_code_and_tables_is_a_heading() -> None:
    """Nor front matter, and nothing is lost."""
    code = "".join(f"kind: item{n}\n# step {n}\n---\n" for n in range(30))
    rows = "".join(f"| row {n} | value |\n" for n in range(30))
    text = f"# T\n\n```yaml\n{code}```\n\n| name | what |\n|---|---|\n{rows}"
    first = ChunkanaSplitter(120, atomic_blocks="split", header_context="none")
    second = ChunkanaSplitter(60, atomic_blocks="split", header_context="none")
    parts = chunks_of_chunks(text, first, second)
    assert {part.metadata["header_path"] for part in parts} == {"/T"}
    held = "".join(text[part.metadata["start_char"] : part.metadata["end_char"]] for part in parts)
    assert "".join(held.split()) == "".join(text.split())


@pytest.mark.parametrize("context", CONTEXTS)
def test_children_fit_below_long_headings(context: HeaderContext) -> None:
    long = "of a long name " * 4
    text = "## Config\n\nIntro words.\n\n" + "".join(
        f"### Option {n} {long}\n\n{'Body words here. ' * 5}\n\n" for n in range(2)
    )
    _, parents = ChunkanaSplitter(200).split_hierarchical([Document(page_content=text)])
    children = ChunkanaSplitter(100, header_context=context).split_documents(d for _, d in parents)
    assert all(len(child.page_content) <= 100 for child in children)


@settings(max_examples=settings().max_examples // 3)  # the laws are tested of more
@given(any_markdown())
def test_chunks_of_chunks_of_made_markdown(text: str) -> None:
    first = ChunkanaSplitter(200, 20, atomic_blocks="split")
    chunks = first.create_documents([text], [{"source": "made"}])
    second = ChunkanaSplitter(80, 10, add_start_index=True, metadata="full")
    for part in second.split_documents(chunks):
        assert exact(part, text)
        assert part.metadata.get("allow_oversize") or len(part.page_content) <= 80


def test_prefix_is_right_where_the_text_is_in_what_is_repeated() -> None:
    code = "\n".join(["z" * 40, "py", "z" * 39, "py", "y" * 40])
    splitter = ChunkanaSplitter(60, header_context="none", atomic_blocks="split", min_chunk_size=0)
    split = splitter.create_documents([f"# pyramid\n\n```py\n{code}\n```\n"])
    found = next(d for d in split if d.page_content == "# pyramid\n\n```py\npy\n```")
    assert found.metadata["prefix_chars"] == len("# pyramid\n\n```py\n")


def test_only_what_exceeds_the_limit_is_flagged() -> None:
    text = "# T\n\nA sentence of some length here.\n\n```\n" + "x = 1234\n" * 16 + "```\n"
    splitter = ChunkanaSplitter(200, 50, header_context="none", metadata="full")
    for document in splitter.create_documents([text]):
        assert document.metadata["allow_oversize"] is (len(document.page_content) > 200)


def test_largest_parent_is_four_chunks_whatever_the_overlap() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\n{'Some words here. ' * 6}\n\n" for n in range(20))
    sizes = {}
    for overlap in (0, 50):
        _, parents = ChunkanaSplitter(200, overlap).split_hierarchical(
            [Document(page_content=text)]
        )
        sizes[overlap] = max(d.metadata["end_char"] - d.metadata["start_char"] for _, d in parents)
    assert 600 < sizes[50] <= 800
    with pytest.raises(ConfigurationError, match="max_parent_size is 0"):
        ChunkanaSplitter(max_parent_size=0)


def test_ids_do_not_depend_on_the_other_documents() -> None:
    rows = [Document(page_content=f"row {n}", metadata={"source": "s", "row": n}) for n in range(3)]
    together = ChunkanaSplitter().split_documents(rows)
    assert ChunkanaSplitter().split_documents(rows[2:]) == together[2:]
    odd: dict[Any, Any] = {"tags": {"b", "a"}, 1: "x"}
    assert ChunkanaSplitter().create_documents(["text"], [odd])[0].id
    whole = Document(page_content=TEXT, metadata={"source": "t"})
    ids = [d.id for d in ChunkanaSplitter(header_context="none").split_documents([whole])]
    assert [d.id for d in to_documents(chunk_hierarchical(TEXT), {"source": "t"})] == ids


def test_documents_that_only_look_like_chunks_are_split_whole() -> None:
    """Metadata of the same names, but from elsewhere, stay, and hide nothing."""
    document = Document(page_content=TEXT, metadata={"start_char": "5", "chunkana_parent_id": "x"})
    with pytest.warns(UserWarning, match="keep their own metadata"):
        pages = ChunkanaSplitter(100).split_documents([document])
    assert "Preamble" in pages[0].page_content


def test_to_documents_maps_a_result() -> None:
    result = chunk_hierarchical(TEXT)
    made = to_documents(result, {"source": "t"})
    assert [d.page_content for d in made] == [c.content for c in result.get_flat_chunks()]
    assert {frozenset(d.metadata) for d in made} == {frozenset(SHORT | {"source"})}
    full = to_documents(result, {"source": "t"}, metadata="full")
    assert {frozenset(d.metadata) for d in full} == {frozenset(FULL | {"source"})}
    assert to_documents(chunk_hierarchical("")) == []
    result = MarkdownChunker(ChunkConfig(max_chunk_size=80), Context("t")).chunk_hierarchical(TEXT)
    made = to_documents(result, {"source": "t"})
    assert [d.page_content for d in made] == [c.embedded for c in result.get_flat_chunks()]
    assert all(exact(document, TEXT) for document in made)


def test_package_says_which_extra_is_missing(tmp_path: Path) -> None:
    """Without LangChain the import says what to install; the core does without it."""
    import subprocess
    import sys

    for name in ("langchain_core", "langchain_text_splitters"):
        (tmp_path / f"{name}.py").write_text("raise ImportError")
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import chunkana_core\n"
    script += "try:\n    import chunkana_langchain\nexcept ImportError as error:\n    print(error)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 'pip install "chunkana-rag[langchain]"' in run.stdout


# Cost and state


def calls_made(text: str) -> int:
    """Count the calls of Python functions that splitting a text takes."""
    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    splitter = ChunkanaSplitter(200, 40)
    sys.setprofile(note)
    try:
        splitter.split_hierarchical([Document(page_content=text)])
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "shape",
    ["## Title {}\n\nSome words of it. More of them.\n\n", "- item {} of a list\n", "word {} "],
)
def test_splitting_is_linear(shape: str) -> None:
    """Four times the text takes four times the calls, and not sixteen."""
    small, large = ("".join(shape.format(n) for n in range(count)) for count in (250, 1000))
    assert calls_made(large) < 5 * calls_made(small)


def test_one_splitter_serves_many_threads() -> None:
    splitter, documents = ChunkanaSplitter(300, 30), own_documents()
    alone = [ChunkanaSplitter(300, 30).split_documents([document]) for document in documents]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda d: splitter.split_documents([d]), documents))
    assert together == alone


@pytest.mark.parametrize("size", [None, "12", -1, 1.5, True], ids=repr)
@pytest.mark.parametrize("overlap", [0, 40])
def test_what_a_length_function_returns_is_checked(size: object, overlap: int) -> None:
    def measure(text: str) -> int:
        return size if "pip" in text else len(text)  # type: ignore[return-value]

    with pytest.raises(ConfigurationError, match=r"^length_function returned .* for a text of \d+"):
        ChunkanaSplitter(200, overlap, length_function=measure).split_text(TEXT)
    with pytest.raises(ConfigurationError, match=r"^length_function returned .* for a text of \d+"):
        ChunkanaSplitter(200, overlap, length_function=lambda _: size)  # type: ignore[arg-type,return-value]


def test_the_container_of_a_chunk_is_named() -> None:
    """Where all of its text is in one; so that tips can be left out, or found."""
    text = f"# A\n\n{'Some words here. ' * 4}\n\n:::tip\n{'Wait for a while. ' * 4}\n:::\n"
    documents = ChunkanaSplitter(120).create_documents([text])
    assert [document.metadata["container"] for document in documents] == ["", "tip"]


def test_group_of_sections_is_named_after_the_one_around_them() -> None:
    text = "# Book\n\nIntro text here.\n\n" + "".join(
        f"## S{n}\n\n{('word ' * 18).strip()}.\n\n" for n in range(8)
    )
    splitter = ChunkanaSplitter(150, max_parent_size=400)
    _, parents = splitter.split_hierarchical([Document(page_content=text)])
    groups = [d for _, d in parents if d.metadata["chunkana_child_count"]]
    assert {d.metadata["header_path"] for d in groups} == {"/Book"}
    assert all(d.page_content.startswith("Book\n\n") for d in groups)
    sizes = [d.metadata["end_char"] - d.metadata["start_char"] for d in groups]
    assert max(sizes) <= 400
