"""Which format a document's name and metadata say, and which label."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkana_core import Chunker, ConfigurationError, format_of
from chunkana_core.extending import (
    Format,
    SourceFile,
    describe_unknown_file_types,
    require_installed,
)
from chunkana_core.formats import registry

MARKDOWN = (
    "docs/tea.md", "TEA.MDX", "text/markdown; charset=utf-8", "text/x-tea", "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "tea.pdf", "tea.DOCX", "tea.pptx", "tea.xlsx", "tea.epub", "tea.rtf", "tea.odt", "tea.html",
    "", "-", ".", "..", "README", "notes/tea", "Release 1.2", "Dr. Smith", "v1.2", "user.42",
    "2f1c9c9e-0d7e-4b0e-a0bb-2c1f6a0a6c55", "example.com", "www.tea.org", "ada@example.com",
    "https://example.com", "https://docs.rs", "https://example.com/docs/v1.2", "https://tea.org/a/",
    "https://example.com/tea?file=app.ini", "https://example.com/tea#app.py", "What is 2.x?",
    "https://en.wikipedia.org/wiki/ASP.NET", "See app.ini for more", "a.thisistoolongforasuffix",
)  # fmt: skip
UNKNOWN = {
    "app.brew": ".brew", "data/tea.CUP": ".cup", "tea.v1.leaf2": ".leaf2", "a.b.p-1": ".p-1",
    "my notes.pot": ".pot", "C:\\shop\\a.tin": ".tin", "https://tea.org/a/b.brew?raw=1": ".brew",
    ".env.example": ".example", ".gitignore": ".gitignore", "a/.brew": ".brew", "v1/x.cup": ".cup",
    "Dockerfile": "Dockerfile", "src/Makefile": "Makefile", "ci\\Jenkinsfile": "Jenkinsfile",
    "Dockerfile.dev": ".dev", "file:///home/ada/app.cup": ".cup",
}  # fmt: skip
TEXT = ("a.txt", "LICENSE", "tea/COPYING", "CMakeLists.txt", "text/plain; charset=utf-8", *UNKNOWN)
OTHERS = {"a.py": "python", "https://tea.org/a.py?raw#x": "python", "file:///a/b.TS": "typescript",
          "text/x-python": "python", "a.json": "json", "a b.ipynb": "notebook",
          "application/x-ipynb+json": "notebook"}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "expected"),
    [*((path, "markdown") for path in MARKDOWN), *((path, "text") for path in TEXT),
     *OTHERS.items()],
)  # fmt: skip
def test_the_format_of_a_name(path: str, expected: str) -> None:
    """A known suffix, file name or media type; else files are plain text, others Markdown."""
    assert format_of(path) == expected
    assert SourceFile.of({"source": path}) == SourceFile(path, expected, UNKNOWN.get(path, ""))
    if expected in {"markdown", "text"}:
        assert {chunk.format for chunk in Chunker().chunk("# x", path=path)} == {expected}


def test_a_fallback_replaces_plain_text() -> None:
    """For files of unknown formats; known plain text stays that."""
    chunker = Chunker(fallback="markdown")
    found = [chunker.chunk("# x\n", path=path)[0].format for path in ("a.brew", "a.txt", "LICENSE")]
    assert found == ["markdown", "text", "text"]
    assert SourceFile.of({"source": "a.brew"}, fallback="markdown").format == "markdown"
    with pytest.raises(ConfigurationError, match=r"^fallback is 'auto'; allowed: markdown, text, "):
        Chunker(fallback="auto")


def test_a_format_of_the_users_own_has_file_names_and_suffixes() -> None:
    """They go before the rule for other files, and before those built in."""
    own = Format("own", registry.TEXT.parse, (".brew", ".1", ".md"), file_names=("Dockerfile",))
    formats = registry.FormatSelector.of([own])
    for path in ("a.brew", "tea.1", "tea.md", "src/Dockerfile"):
        assert formats.select("auto", path) is own
    assert formats.select("auto", "Makefile") is registry.TEXT


@pytest.mark.parametrize(
    ("metadata", "name", "found"),
    [
        ({"file_path": Path("src/tea.py")}, "src/tea.py", "python"),
        ({"file_path": "/tmp/x1", "file_name": "tea.ts"}, "tea.ts", "typescript"),  # noqa: S108
        ({"source": "a.brew", "file_name": "tea.ts"}, "tea.ts", "typescript"),
        ({"file_path": "Makefile", "mime_type": "text/plain"}, "Makefile", "text"),
        ({"file_path": "a.pdf", "file_type": "application/pdf"}, "a.pdf", "markdown"),
        ({"file_path": "a.pdf", "source": "b.brew"}, "a.pdf", "markdown"),
        ({"file_path": "", "file_name": 5, "file_type": None}, "", "markdown"),
    ],
)
def test_a_known_format_goes_before_a_media_type_and_this_before_other_suffixes(
    metadata: dict[str, object], name: str, found: str
) -> None:
    assert SourceFile.of(metadata) == SourceFile(name, found)
    assert SourceFile.of(metadata, "json") == SourceFile(name, "json")


def test_of_other_files_the_first_with_a_suffix_counts() -> None:
    metadata = {"file_path": "/tmp/x1", "file_name": "app.brew", "source": "b.cup"}  # noqa: S108
    assert SourceFile.of(metadata) == SourceFile("app.brew", "text", ".brew")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("/home/ada/shop/src/tea.py", "src/tea.py"), ("/tea.py", "tea.py"), ("", ""), ("-", ""),
        ("shop/src/hot/tea.py", "shop/src/hot/tea.py"), ("./tea.py", "tea.py"),
        ("C:\\shop\\src\\tea.py", "src/tea.py"), ("src\\hot\\tea.py", "src/hot/tea.py"),
        ("https://t.example/a/b/tea.py?raw=1", "b/tea.py"), ("https://t.example/", "t.example"),
        ("file:///home/ada/shop/tea.md", "shop/tea.md"), ("Dr. Smith: tea", "Dr. Smith: tea"),
        ("text/x-python", ""), ("what://ever", "ever"), ("9 :// 5", "9 :// 5"),
    ],
)  # fmt: skip
def test_the_label_of_an_absolute_path_or_url_is_its_last_two_parts(name: str, label: str) -> None:
    assert SourceFile(name, "python").label == SourceFile(name, "python").title == label
    assert not SourceFile(name, "markdown").title


def test_files_of_unknown_formats_are_counted() -> None:
    assert not describe_unknown_file_types(["", ""])
    assert describe_unknown_file_types([".cup"]) == (
        "1 file of unknown format was chunked as plain text: .cup (1)"
    )
    kinds = [f".x{number}" for number in range(12)] + [".x7"]
    many = describe_unknown_file_types(kinds, "markdown")
    assert many.startswith("13 files of unknown format were chunked as markdown: .x7 (2), .x0 (1),")
    assert many.endswith(", .x9 (1), …")


def test_a_missing_extra_names_the_first_file(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [SourceFile("a.md", "markdown"), SourceFile("b.py", "python"), SourceFile("c.ts", "go")]
    require_installed(files)
    monkeypatch.setattr(registry, "find_spec", lambda module: None)  # noqa: ARG005
    require_installed(files[:1])
    with pytest.raises(ImportError, match=r"^'b.py' is python, .*chunkana-rag\[code\].*markdown"):
        require_installed(files)
