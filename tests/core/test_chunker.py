"""Chunkers of any format: how it is chosen, what is an error; plain text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunkana_core import (
    Chunk,
    ChunkanaWarning,
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    HierarchyBuilder,
    InputTypeError,
    InvariantValidator,
    InvariantViolationError,
    MarkdownChunker,
    chunk_file,
    format_names,
)
from chunkana_core.extending import Document, Format, FormatTraits
from chunkana_core.formats import registry
from chunkana_explain import explain
from tests.core.nested import NESTED

TEXT = "# Tea\n\nBoil it.\n\n## Cups\n\nWarm them.\n"


def formats_of(chunks: list[Chunk]) -> set[str]:
    """Return the names of the formats of some chunks."""
    return {chunk.format for chunk in chunks}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (None, "markdown"),
        ("guide.md", "markdown"),
        ("a.MD", "markdown"),
        ("a.mdx", "markdown"),
        ("notes.txt", "text"),
        (Path("deep") / "Notes.TXT", "text"),
        ("https://example.org/robots.txt", "text"),
        ("text/plain", "text"),
        ("Text/Plain; charset=utf-8", "text"),
        ("text/markdown", "markdown"),
        ("README", "markdown"),
        (".txt", "text"),
        ("page.html", "markdown"),
        ("paper.pdf", "markdown"),
        ("a.nest", "nested"),
        ("text/x-nested", "nested"),
    ],
)
def test_auto_goes_by_a_known_path(path: str | Path | None, expected: str) -> None:
    """By its suffix, or as a media type; what is unknown is Markdown."""
    chunker = Chunker(formats=[NESTED])
    assert formats_of(chunker.chunk(TEXT, path=path)) == {expected}
    assert chunker.chunk_hierarchical(TEXT, "auto", path).format == expected
    assert chunker.chunk_hierarchical(TEXT, "text", path).format == "text"  # before any path


def test_markdown_is_what_the_markdown_chunker_makes() -> None:
    """There is one pipeline; `MarkdownChunker` is the one whose format is Markdown."""
    config, context = ChunkConfig(max_chunk_size=32), Context(label="a")
    expected = MarkdownChunker(config, context).chunk_hierarchical(TEXT)
    assert Chunker(config, context).chunk_hierarchical(TEXT) == expected
    assert Chunker(config).chunk(TEXT, context=context) == expected.get_leaves()
    assert Chunker(config).chunk_hierarchical(TEXT, context=context) == expected


def test_formats_of_ones_own() -> None:
    """They stand beside the built-in ones, and replace one of their name."""
    mine = Format("text", NESTED.parse, (".txt", ".md"))
    chunker = Chunker(formats=[mine])
    assert chunker.formats == (mine,)
    assert formats_of(chunker.chunk("a {\n}\n", path="a.txt")) == {"nested"}
    assert formats_of(chunker.chunk("a {\n}\n", path="a.md")) == {"nested"}
    assert formats_of(chunker.chunk("a\n", "markdown")) == {"markdown"}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("a", "pdf"), ConfigurationError, "format is 'pdf'; allowed: auto, markdown, text"),
        (("a", None), InputTypeError, "format is None; allowed: a str"),
        (("a", "auto", 7), InputTypeError, "path is 7; allowed: None, a path or a media type"),
        ((7, "text"), InputTypeError, "text is 7; allowed: a str"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, str], error: type[Exception], message: str) -> None:
    for method in (Chunker().chunk, Chunker().chunk_hierarchical):
        with pytest.raises(error, match=message):
            method(*arguments)


@pytest.mark.parametrize("formats", [7, ["text"], [Format]])
def test_wrong_formats(formats: object) -> None:
    with pytest.raises(InputTypeError, match=r"formats.*; allowed: a .*Format"):
        Chunker(formats=formats)  # type: ignore[arg-type]


def test_a_missing_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra and the way out, and the format is not listed."""
    absent = Format("absent", NESTED.parse, (".abs",), extra="code", module="no_such_module")
    message = r"'absent' needs pip install \"chunkana-rag\[code\]\".*format='markdown'"
    with pytest.raises(ImportError, match=message):
        Chunker(formats=[absent]).chunk("a\n", path="x.abs")
    present = Format("present", NESTED.parse, extra="code", module="json")
    assert Chunker(formats=[present]).chunk("a\n", "present")
    monkeypatch.setattr(registry, "_BUILT_IN", (registry.TEXT, absent, present))
    assert format_names() == ["text", "present"]


def test_the_core_is_light() -> None:
    """Importing it loads nothing of the formats that need an extra."""
    script = "import chunkana_core, sys; print([m for m in sys.modules if 'tree_sitter' in m])"
    run = [sys.executable, "-c", script]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


def test_files_are_of_the_format_of_their_name(tmp_path: Path) -> None:
    """What is unknown is plain text, of which a warning tells."""
    for name, expected in (("a.md", "markdown"), ("LICENSE", "text"), ("README", "markdown")):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
        assert formats_of(chunk_file(tmp_path / name)) == {expected}
    (tmp_path / "a.brew").write_text(TEXT, encoding="utf-8")
    with pytest.warns(ChunkanaWarning, match=r"a\.brew is of no known format") as found:
        assert formats_of(chunk_file(tmp_path / "a.brew")) == {"text"}
    assert found[0].filename == __file__


@pytest.mark.parametrize("name", ["a.json", "a.py", "a.ipynb"])
def test_a_file_that_is_not_what_its_suffix_says_is_plain_text(tmp_path: Path, name: str) -> None:
    """Of which a warning tells; of a file that is, none does."""
    pytest.importorskip("tree_sitter")
    path = tmp_path / name
    path.write_text("def f(:\n  ((((\n%%%%\n}}}{{{\n", encoding="utf-8")
    with pytest.warns(
        ChunkanaWarning, match=rf"{name} is not valid .*chunked as plain text"
    ) as found:
        assert formats_of(chunk_file(path)) == {"text"}
    assert found[0].filename == __file__
    path.with_suffix(".py").write_text("x = 1\n", encoding="utf-8")
    assert formats_of(chunk_file(path.with_suffix(".py"))) == {"python"}


# Plain text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  indented, here.\r\n \t\r\n\r\nNext of them.", ["  indented, here.", "Next of them."]),
        ("\ufeff", ["\ufeff"]),
        ("", []),
        (" \n\t\u3000\r\n", []),
    ],
)
def test_plain_text(text: str, expected: list[str]) -> None:
    """Its white space; other cases are in `tests/data/cases/plain_text.md`."""
    config = ChunkConfig(max_chunk_size=32, min_chunk_size=0, min_content_after_header=0)
    result = Chunker(config).chunk_hierarchical(text, "text")
    assert [chunk.content for chunk in result.get_leaves()] == expected
    assert bool(result.root_id) is bool(expected)


def parse_prose(text: str) -> Document:
    """Return the document of a format without headings."""
    document = registry.TEXT.document(text)
    return Document.of_sections(document.source, document.blocks, (), FormatTraits("prose"))


@pytest.mark.parametrize("kind", [registry.TEXT, Format("prose", parse_prose)])
def test_a_format_without_headings_has_no_introductions(kind: Format) -> None:
    """And no room is kept for them."""
    text = "This text is about many kinds of tea.\n\n" + "Then there is more. " * 40
    chunker = Chunker(ChunkConfig(max_chunk_size=400), Context("a.txt"), formats=[kind])
    chunks = chunker.chunk(text, kind.name)
    assert {chunk.context for chunk in chunks} == {"a.txt"}
    without = Context("a.txt", introduction=False)
    assert chunks == chunker.chunk(text, kind.name, context=without)


def test_the_summary_of_plain_text_is_no_markup() -> None:
    """What looks like a fence is cut like any other text."""
    root = Chunker().chunk_hierarchical("``` sh\n" + "more of it\n" * 200, "text").chunks[0]
    assert root.content == ("``` sh\n" + "more of it\n" * 90).rstrip()


# Checks and explanations of what is of a format


def test_validation_of_an_unknown_format() -> None:
    chunks = Chunker(formats=[NESTED]).chunk("a {\n x\n}\n", "nested")
    with pytest.raises(ConfigurationError, match="format is 'nested'"):
        InvariantValidator(ChunkConfig()).validate(chunks, "a {\n x\n}\n")
    with pytest.raises(ConfigurationError, match="format is 'nested'"):
        HierarchyBuilder().build(chunks, "a {\n x\n}\n")


def test_strict_validation_of_a_format_that_breaks_laws() -> None:
    """A format that leaves out text of its own is found out."""

    def parse(text: str) -> Document:
        return NESTED.document(text.replace("lost", "    "))

    broken = Format("broken", parse)
    chunks = Chunker(formats=[broken]).chunk("kept\nlost\n", "broken")
    validator = InvariantValidator(ChunkConfig(), strict=True, formats=[NESTED])
    with pytest.raises(InvariantViolationError, match="is in no chunk"):
        validator.validate(chunks, "kept\nlost\n")


def test_explanations_are_of_a_format() -> None:
    text = "first = 1\na {\n  x = 1\n}\n"
    config = ChunkConfig(max_chunk_size=32, min_chunk_size=0)
    (cut,) = explain(text, config, format="auto", path="a.nest", formats=[NESTED]).cuts
    assert (cut.line, cut.why) == (2, "neither is small")
    assert explain(text, config, format="text").cuts == ()


@pytest.mark.parametrize(
    ("text", "path", "label", "expected"),
    [
        ("Seven.", "notes/a.txt", "", ""),
        ("Seven.", "notes/a.txt", "wiki", "wiki"),
        ("Seven.", "text/plain", "", ""),
        ("Seven.", None, "", ""),
        ("Seven.", "notes/a.txt", None, "notes/a.txt"),
        ("Seven.", "text/plain", None, ""),
        ("Seven.", "-", None, ""),
        ("Seven.", None, None, ""),
        ("# Tea\n\nHot.", "notes/a.md", None, "notes/a.md > Tea"),
        ("# Tea\n\nHot.", "notes/a.md", "", "Tea"),
        ("# Tea\n\nHot.", "Tea", None, "Tea"),  # which is the title
        ("Hot.", "/home/ada/shop/notes/a.md", None, "notes/a.md"),
        ("Hot.", "https://tea.org/a/b/c.html?lang=en#top", None, "b/c.html"),
    ],
)
def test_a_document_is_labelled_by_its_path(
    text: str, path: str | None, label: str | None, expected: str
) -> None:
    """In every format, unless there is a label, which may be empty."""
    (chunk,) = Chunker(context=Context(label)).chunk(text, path=path)
    assert chunk.context == expected
    (chunk,) = Chunker(context=Context(breadcrumb=False)).chunk(text, path=path)
    assert chunk.context == ""
    (chunk,) = Chunker().chunk(text, path=path)
    assert chunk.context == ""


def test_chunks_say_the_kind_and_name_of_their_definition() -> None:
    pytest.importorskip("tree_sitter")
    text = "import os\n\n\nclass A:\n    def f(self):\n        pass\n"
    config = ChunkConfig(max_chunk_size=40, min_chunk_size=0)
    result = Chunker(config).chunk_hierarchical(text, path="a.py")
    found = [(c.metadata["format"], c.metadata["kind"], c.metadata["name"]) for c in result.chunks]
    assert found == [("python", "", ""), ("python", "", ""), ("python", "class", "A")]
