"""`ChunkanaSplitter`: what LangChain's users know of splitters, overlap, and chunks of chunks.

What it has in common with the node parser of LlamaIndex is tested in tests/conformance.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from chunkana_core import ConfigurationError, chunk_hierarchical
from chunkana_langchain import ChunkanaSplitter, to_documents
from tests.langchain.parts import exact, own_documents
from tests.strategies import any_markdown

ABOUT = "This guide says how tea is made in a small kitchen."
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
WHOLE = Document(TEXT, metadata={"source": "t"})
CODE = "class Tea:\n    def boil(self):\n" + "        self.wait(100)\n" * 9


def words(text: str) -> int:
    """Count words, as a measure that is not additive."""
    return len(text.split())


def plain(size: int, **options: Any) -> ChunkanaSplitter:  # noqa: ANN401
    """Return a splitter whose chunks start with the source, and say where."""
    return ChunkanaSplitter(size, header_context="none", add_start_index=True, **options)


@pytest.mark.parametrize("overlap", [0, 60])
async def test_every_entry_point_gives_the_same(overlap: int) -> None:
    """Texts, documents, transformations and generators are split alike, as by any splitter."""
    splitter = ChunkanaSplitter(300, overlap)
    assert isinstance(splitter, TextSplitter)
    documents = own_documents()[::4]
    split = splitter.split_documents(documents)
    assert split == splitter.split_documents(document for document in documents)
    assert split == splitter.transform_documents(documents)
    assert split == await splitter.atransform_documents(documents)
    assert split == splitter.split_hierarchical(documents).leaves
    texts = [document.page_content for document in documents]
    assert split == splitter.create_documents(texts, [one.metadata for one in documents])
    pages = [page for text in texts for page in splitter.split_text(text)]
    assert pages == [document.page_content for document in splitter.create_documents(texts)]


def require_exact(
    split: list[Document], text: str, size: int, length: Callable[[str], int]
) -> None:
    """Assert that offsets are exact, and chunks within the limit but for flagged atoms."""
    assert len({document.id for document in split}) == len(split)
    for document in split:
        metadata = document.metadata
        assert metadata["start_index"] == metadata["start_char"] >= 0
        assert exact(document, text)
        assert metadata["allow_oversize"] is bool(metadata["oversize_reason"])
        assert metadata["allow_oversize"] or length(document.page_content) <= size


@settings(max_examples=settings().max_examples // 2)
@given(any_markdown())
def test_offsets_and_sizes_with_overlap_of_made_markdown(text: str) -> None:
    splitter = ChunkanaSplitter(120, 20, add_start_index=True, metadata="full")
    require_exact(splitter.create_documents([text], [{"source": "made"}]), text, 120, len)


@pytest.mark.parametrize("measure", [len, words])
@pytest.mark.parametrize("context", ["breadcrumb", "none"])
def test_offsets_and_sizes_with_overlap(measure: Callable[[str], int], context: Any) -> None:  # noqa: ANN401
    options: dict[str, Any] = {"header_context": context, "metadata": "full"}
    splitter = ChunkanaSplitter(150, 30, measure, add_start_index=True, **options)
    for document in own_documents()[::2]:
        text = document.page_content
        require_exact(splitter.split_documents([document]), text, 150, measure)


def test_white_space_is_stripped_where_asked_but_not_from_code() -> None:
    text = "  indented paragraph\n\n# Code\n\n    kept\n"
    assert plain(32).split_text(text) == ["  indented paragraph", "# Code\n\n    kept"]
    splitter = plain(32, strip_whitespace=True)
    stripped = splitter.create_documents([text])
    assert [d.page_content for d in stripped] == ["indented paragraph", "# Code\n\n    kept"]
    assert [d.metadata["start_index"] for d in stripped] == [2, text.index("# Code")]
    assert splitter.split_text("    code\n") == ["    code"]
    code = "Look:\n\n    indented\n      more\n" + "\n    line of code" * 30
    split = plain(100, strip_whitespace=True).create_documents([code])
    assert len(split) > 3
    assert all(code[d.metadata["start_index"] :].startswith(d.page_content) for d in split)
    assert split[1].page_content.startswith("    ")


# Overlap


def test_overlap_is_whole_sentences_of_the_section() -> None:
    sentences = [f"Sentence number {n} is here." for n in range(30)]
    split = plain(200, chunk_overlap=60).create_documents(["# T\n\n" + " ".join(sentences)])
    assert len(split) > 4
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
    splitter = plain(120, chunk_overlap=40, atomic_blocks=atoms)
    for document in splitter.create_documents(["# T\n\n" + text]):
        content_start, *_ = json.loads(document.metadata["chunkana_context"])
        overlap = document.page_content[:content_start].strip()
        assert not overlap or overlap.startswith(("Text ", "A paragraph"))


def test_code_and_json_have_no_overlap() -> None:
    for text, name in ((CODE, "a.py"), (json.dumps({"tea": ["Green."] * 40}), "a.json")):
        document = Document(text, metadata={"source": name})
        with_overlap, without = (
            ChunkanaSplitter(size, overlap, strip_whitespace=True).split_documents([document])
            for size, overlap in ((122, 20), (100, 0))
        )
        assert len(without) > 1
        assert [d.page_content for d in with_overlap] == [d.page_content for d in without]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_overlap_below_repeated_headings_with_any_line_end(end: str) -> None:
    """Headings that are repeated do not make a part look like the rest of code."""
    sentences = " ".join(f"Sentence {number} is short." for number in range(20))
    parts = plain(150, chunk_overlap=50).split_text(end.join(["## A", "", sentences, ""]))
    assert len(parts) > 2
    assert all(part.startswith("Sentence") and f"## A{end}{end}" in part for part in parts[1:])


def overlaps(chunks: list[Document]) -> list[str]:
    """Return what stands last in front of chunks and is the end of the chunk before, "" if not."""
    found = []
    for before, chunk in pairwise(chunks):
        content_start = json.loads(chunk.metadata["chunkana_context"])[0]
        last = chunk.page_content[:content_start].removesuffix("\n\n").rpartition("\n\n")[2]
        found.append(last if before.page_content.endswith(last) else "")
    return found


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


def test_only_what_exceeds_the_limit_is_flagged() -> None:
    text = "# T\n\nA sentence of some length here.\n\n```\n" + "x = 1234\n" * 16 + "```\n"
    splitter = plain(200, chunk_overlap=50, metadata="full", atomic_blocks="keep")
    flags = []
    for document in splitter.create_documents([text, text.replace("x = ", "xxxxxxxx = ")]):
        flags.append(document.metadata["allow_oversize"])
        assert flags[-1] is (len(document.page_content) > 200)
    assert len({*flags}) == 2


def test_largest_parent_is_four_chunks_whatever_the_overlap() -> None:
    text = "# T\n\n" + "".join(f"## S{n}\n\n{'Some words here. ' * 6}\n\n" for n in range(20))
    _, parents = ChunkanaSplitter(200, 50).split_hierarchical([Document(text)])
    sizes = [d.metadata["end_char"] - d.metadata["start_char"] for _, d in parents]
    assert 600 < max(sizes) <= 800


# Metadata and ids


def test_header_keys_are_those_that_others_use_for_markdown() -> None:
    def titles(document: Document) -> list[str]:
        return [document.metadata[f"Header {n}"] for n in range(1, 7)]

    splitter = ChunkanaSplitter(80, header_keys=True)
    linux = next(
        d for d in splitter.split_documents([WHOLE]) if d.metadata["header_path"].endswith("Linux")
    )
    assert titles(linux) == ["Guide", "Install", "Linux", "", "", ""]
    (code, *_) = splitter.split_documents([Document(CODE, metadata={"source": "a.py"})])
    assert titles(code) == [""] * 6


def test_ids_of_documents_are_made_of_id_source_metadata_or_text() -> None:
    """Documents that are given twice have ids of their own."""
    splitter = ChunkanaSplitter(200)
    twice = splitter.split_documents([*own_documents()[:2], *own_documents()[:2]])
    assert len({d.id for d in twice}) == len(twice)
    named = (Document(TEXT, id="mine", metadata={"at": at}) for at in ("now", "later"))
    now, later = ([d.id for d in splitter.split_documents([d])] for d in named)
    assert now == later
    bare = [splitter.create_documents([text])[0].id for text in ("one", "two")]
    assert bare[0] != bare[1]
    rows = [Document(f"row {n}", metadata={"source": "s", "row": n}) for n in range(3)]
    assert splitter.split_documents(rows[2:]) == splitter.split_documents(rows)[2:]
    odd: dict[Any, Any] = {"tags": {"b", "a"}, 1: "x"}
    assert splitter.create_documents(["text"], [odd])[0].id
    ids = [d.id for d in ChunkanaSplitter(header_context="none").split_documents([WHOLE])]
    assert [d.id for d in to_documents(chunk_hierarchical(TEXT), {"source": "t"})] == ids


def test_the_name_of_a_document_is_unlike_its_namesakes() -> None:
    twice = ChunkanaSplitter(90).split_documents([WHOLE, WHOLE])
    names = list(dict.fromkeys(d.metadata["chunkana_document_id"] for d in twice))
    assert len(names) == 2
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in names)
    alone = ChunkanaSplitter(90).split_documents([WHOLE])
    assert {d.metadata["chunkana_document_id"] for d in alone} == {names[0]}
    assert not {*names} & {d.id for d in twice}


# Arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chunk_size": 0}, "chunk_size must be > 0"),
        ({"chunk_overlap": -1}, "chunk_overlap must be >= 0"),
        ({"chunk_size": 100, "chunk_overlap": 101}, "larger chunk overlap"),
        ({"chunk_size": 100, "chunk_overlap": 90}, "chunk_overlap is 90; allowed: at most 66"),
        ({"header_context": "stack"}, "header_context is 'stack'; allowed: 'breadcrumb' or 'none'"),
        ({"source_label": "source", "header_context": "none"},
         "source_label is 'source'; allowed: None unless"),
    ],
)  # fmt: skip
def test_sizes_and_options_that_are_not_allowed(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChunkanaSplitter(**arguments)
    assert ChunkanaSplitter(100, 66).split_text(TEXT)


def test_texts_and_metadata_that_are_none() -> None:
    with pytest.raises(ConfigurationError, match="text is 5; allowed: a str"):
        ChunkanaSplitter().create_documents([5])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="one for each of 2 texts"):
        ChunkanaSplitter().create_documents(["a", "b"], [{}])
    with pytest.raises(ConfigurationError, match=r"metadata is .*; allowed: 'short' or 'full'"):
        to_documents(chunk_hierarchical("# T\n"), metadata={"source": "a"})  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [None, "12", -1, 1.5, True], ids=repr)
@pytest.mark.parametrize("overlap", [0, 40])
def test_what_a_length_function_returns_is_checked(size: Any, overlap: int) -> None:  # noqa: ANN401
    def measure(text: str) -> int:
        return size if "pip" in text else len(text)

    for function in (measure, lambda _: size):
        message = r"^length_function returned .* for a text of \d+"
        with pytest.raises(ConfigurationError, match=message):
            ChunkanaSplitter(200, overlap, length_function=function).split_text(TEXT)


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
        chunk_size=60, header_context="none", add_start_index=True
    )
    assert type(splitter) is ChunkanaSplitter
    text = TEXT + "\n\n日本語のテキスト。もう一つの文です。<|endoftext|> and more.\n"
    split = splitter.create_documents([text])
    assert "<|endoftext|>" in "".join(d.page_content for d in split)
    for document in split:
        assert len(document.page_content.encode()) <= 60
        assert exact(document, text)
        assert document.metadata["start_index"] >= 0
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
        tokenizer, chunk_size=40, header_keys=True
    )
    assert isinstance(splitter, ChunkanaSplitter)
    text = "# T\n\n" + "One two three, four. " * 40
    split = splitter.create_documents([text])
    assert len(split) > 5
    for document in split:
        assert len(tokenizer.tokenize(document.page_content)) <= 40
        assert document.metadata["Header 1"] == "T"
        assert exact(document, text)


# Parents, and chunks of chunks


def test_parents_start_with_their_breadcrumb_and_no_introduction() -> None:
    """They are read, not embedded; of a chunk that fits a leaf is its own parent."""
    text = f"# Tea\n\n{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40
    tea = Document(text, metadata={"source": "kitchen/tea.md"})
    _, parents = ChunkanaSplitter(160, min_chunk_size=0).split_hierarchical([tea])
    merged = [p for _, p in parents if p.metadata["chunkana_child_count"]]
    assert [p.page_content[: p.metadata["prefix_chars"]] for p in merged] == [
        "kitchen/tea.md > Tea\n\n",
        "kitchen/tea.md > Tea > Black\n\n",
    ]
    given = ChunkanaSplitter(220).split_documents([tea])
    leaves, alone = ChunkanaSplitter().split_hierarchical(given)
    assert [leaf.page_content for leaf in leaves] == [one.page_content for one in given]
    assert dict(alone) == {leaf.metadata["chunkana_parent_id"]: leaf for leaf in leaves}


@pytest.mark.parametrize(
    "above", ["# Tea\n\n", "---\ntitle: Tea\n---\n\n"], ids=["heading", "front matter"]
)
def test_titles_stand_once_before_parts_of_parents(above: str) -> None:
    """Also of a parent that holds the title itself; `ParentDocumentRetriever` splits those."""
    text = f"{above}{ABOUT}\n\n## Green\n\nWait a while.\n\n## Black\n\n" + "Do not wait. " * 40
    splitter = ChunkanaSplitter(150, min_chunk_size=0, introductions=False)
    _, parents = splitter.split_hierarchical([Document(text, metadata={"source": "tea.md"})])
    parts = splitter.split_documents([parent for _, parent in parents])
    assert len(parts) > 4
    for part in parts:
        path = part.metadata["header_path"].removeprefix("/Tea").split("/")[1:]
        breadcrumb = part.page_content.partition("\n\n")[0]
        assert breadcrumb == " > ".join(["tea.md", "Tea", *filter(None, path)])


def test_a_chunk_that_is_given_twice_has_two_ids() -> None:
    chunk = ChunkanaSplitter(220).split_documents([WHOLE])[-1]
    first, second = ChunkanaSplitter().split_documents([chunk, chunk])
    assert first == chunk
    assert second.page_content == chunk.page_content
    assert second.id != first.id


def test_a_chunk_of_a_definition_keeps_the_title_of_an_outer_one_of_its_name() -> None:
    """Its path ends with its own name; the same name before that is above it, in its parts too."""
    code = f"""class Tea:
    degrees = [{"80, " * 20}]

    class Cup:
        size = [{"250, " * 20}]

        def Tea(self):
            return [{"1, " * 20}]
"""
    leaves = ChunkanaSplitter(130).split_documents([Document(code, metadata={"source": "a.py"})])
    (inner,) = [leaf for leaf in leaves if "def Tea" in leaf.page_content]
    parts = ChunkanaSplitter(70).split_documents([inner])
    paths = [part.metadata["header_path"] for part in (inner, *parts)]
    assert len(parts) > 1
    assert {*paths} == {"/Tea/Cup/Tea"}


def test_start_index_of_a_child_is_in_its_parent_s_content() -> None:
    (parent,) = ChunkanaSplitter().create_documents(["# A\n\n" + "Some words here. " * 20])
    for child in ChunkanaSplitter(80, add_start_index=True).split_documents([parent]):
        start = child.metadata["start_index"]
        text = child.page_content[child.metadata["prefix_chars"] :]
        assert parent.page_content[start:].startswith(text)


def chunks_of_chunks(
    text: str, first: ChunkanaSplitter, second: ChunkanaSplitter
) -> list[Document]:
    """Split a text and its chunks again; check offsets, and keys of ours that are the caller's."""
    source = Document(text, metadata={"source": "t", "chunkana_document_id": 7})
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_document_id"):
        chunks = first.split_documents([source])
    with pytest.warns(UserWarning, match="keep their own metadata chunkana_document_id"):
        parts = second.split_documents(chunks)
    for part in parts:
        assert exact(part, text)
        assert part.metadata["chunkana_document_id"] == 7
    return parts


def test_path_of_children_of_a_cut_heading_keeps_it() -> None:
    long = "of a long name " * 12
    text = f"# Guide\n\n## Option {long}\n\n" + "Some words here. " * 20
    parts = chunks_of_chunks(text, ChunkanaSplitter(200), ChunkanaSplitter(60))
    found = [part for part in parts if "Some words" in part.page_content]
    title = chunk_hierarchical(text).toc()[-1].title
    assert {part.metadata["header_path"] for part in found} == {f"/Guide/{title}"}


def test_levels_of_children_are_those_in_the_source() -> None:
    text = "## A\n\n### B\n\n" + "Some words here. " * 20
    second = ChunkanaSplitter(100, header_keys=True, metadata="full")
    parts = chunks_of_chunks(text, ChunkanaSplitter(200, header_keys=True), second)
    for part in parts:
        assert (part.metadata["Header 2"], part.metadata["Header 3"]) == ("A", "B")
        assert part.page_content.startswith("t > A > B\n\n")
    assert [part.metadata["header_level"] for part in parts] == [2, *[3] * (len(parts) - 1)]


@pytest.mark.parametrize("context", ["breadcrumb", "none"])
def test_children_fit_below_long_headings(context: Any) -> None:  # noqa: ANN401
    long = "of a long name " * 4
    text = "## Config\n\nIntro words.\n\n" + "".join(
        f"### Option {n} {long}\n\n{'Body words here. ' * 5}\n\n" for n in range(2)
    )
    _, parents = ChunkanaSplitter(200).split_hierarchical([Document(text)])
    children = ChunkanaSplitter(100, header_context=context).split_documents(d for _, d in parents)
    assert all(len(child.page_content) <= 100 for child in children)


@settings(max_examples=settings().max_examples // 4)  # the laws are tested of more
@given(any_markdown())
def test_chunks_of_chunks_of_made_markdown(text: str) -> None:
    chunks = ChunkanaSplitter(200, 20).create_documents([text], [{"source": "made"}])
    for part in ChunkanaSplitter(80, 10, metadata="full").split_documents(chunks):
        assert exact(part, text)
        assert part.metadata.get("allow_oversize") or len(part.page_content) <= 80


def test_prefix_is_right_where_the_text_is_in_what_is_repeated() -> None:
    code = "\n".join(["z" * 40, "py", "z" * 39, "py", "y" * 40])
    split = plain(60, min_chunk_size=0).create_documents([f"# pyramid\n\n```py\n{code}\n```\n"])
    found = next(d for d in split if d.page_content == "# pyramid\n\n```py\npy\n```")
    assert found.metadata["prefix_chars"] == len("# pyramid\n\n```py\n")


def test_a_part_of_json_that_is_split_further_keeps_its_path() -> None:
    """Part of an object is no JSON, so that what it seems to open is not in the path."""
    text = json.dumps({"users": [{"name": f"user {n}", "mail": f"{n}@x.org"} for n in range(20)]})
    parts = ChunkanaSplitter(400).split_documents([Document(text, metadata={"source": "u.json"})])
    again = ChunkanaSplitter(250, min_chunk_size=0).split_documents(parts)
    assert all(exact(part, text) for part in again)
    assert len(again) > len(parts) > 1
    assert {c.metadata["header_path"] for c in [*again, *parts]} == {"/root/users"}
    assert all(c.page_content.startswith("u.json > root > users\n\n") for c in again)


def test_chunks_keep_their_format_and_name_where_a_store_keeps_few_keys() -> None:
    """A child splitter of another format keeps that of the chunk."""
    (large,) = ChunkanaSplitter().split_documents([Document(CODE, metadata={"source": "a.py"})])
    del large.metadata["chunkana_document_id"]
    parts = ChunkanaSplitter(100, format="markdown").split_documents([large])
    assert {part.metadata["format"] for part in parts} == {"python"}
    assert len({part.metadata["chunkana_document_id"] for part in parts}) == 1
    assert parts[-1].metadata["end_char"] == large.metadata["end_char"]
