"""`SourceFile`: the format and the label that a document's metadata say."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunkana_core.formats import registry
from chunkana_retrieval import SourceFile, require_installed


@pytest.mark.parametrize(
    ("metadata", "name", "found"),
    [
        ({"file_path": Path("src/tea.py")}, "src/tea.py", "python"),
        ({"file_path": "/tmp/x1", "file_name": "tea.ts"}, "tea.ts", "typescript"),  # noqa: S108
        ({"source": "https://tea.example/a/tea.py?raw=1"}, "https://tea.example/a/tea.py?raw=1",
         "python"),
        ({"source": "https://tea.rs"}, "https://tea.rs", "markdown"),
        ({"file_path": "Makefile", "mime_type": "text/plain"}, "Makefile", "text"),
        ({"file_path": "", "file_name": 5, "file_type": None}, "", "markdown"),
    ],
)  # fmt: skip
def test_a_known_suffix_goes_before_other_names_and_these_before_media_types(
    metadata: dict[str, object], name: str, found: str
) -> None:
    assert SourceFile.of(metadata) == SourceFile(name, found)
    assert SourceFile.of(metadata, "json") == SourceFile(name, "json")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("/home/ada/shop/src/tea.py", "src/tea.py"), ("/tea.py", "tea.py"), ("", ""),
        ("shop/src/hot/tea.py", "shop/src/hot/tea.py"), ("./tea.py", "tea.py"),
        ("C:\\shop\\src\\tea.py", "src/tea.py"), ("src\\hot\\tea.py", "src/hot/tea.py"),
        ("https://t.example/a\\b.py",) * 2, ("https://t.example/tea.py",) * 2,
    ],
)  # fmt: skip
def test_the_label_of_an_absolute_path_is_folder_and_file(name: str, label: str) -> None:
    assert SourceFile(name, "python").label == SourceFile(name, "python").title == label
    assert not SourceFile(name, "markdown").title


def test_a_missing_extra_names_the_first_file(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [SourceFile("a.md", "markdown"), SourceFile("b.py", "python"), SourceFile("c.ts", "go")]
    require_installed(files)
    monkeypatch.setattr(registry, "find_spec", lambda module: None)  # noqa: ARG005
    require_installed(files[:1])
    with pytest.raises(ImportError, match=r"^'b.py' is python, .*chunkana-rag\[code\].*markdown"):
        require_installed(files)
