"""The metadata by which the package is found, and the pages on its listings by the frameworks.

A classifier that PyPI does not know fails the build, which drops repeated ones silently.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests import corpora

_CONFIGURATION = tomllib.loads(corpora.read(corpora.REPOSITORY / "pyproject.toml"))
_PROJECT, _LLAMAHUB = _CONFIGURATION["project"], _CONFIGURATION["tool"]["llamahub"]
_REPOSITORY = re.compile(r"https://github\.com/(chunkana/[\w-]+)/blob/main/([\w./]+)")
_ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| ", re.MULTILINE)
_EXAMPLE = re.compile(r"^```python\n(.*?)^```$.*?^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LISTINGS = [
    pytest.param("chunkana_langchain", "listing_langchain.md", id="langchain"),
    pytest.param("chunkana_llamaindex", "listing_llamaindex.md", id="llamaindex"),
]


def listing(name: str) -> str:
    return corpora.read(corpora.REPOSITORY / "docs" / name)


def classes_of_a_framework(package: str) -> dict[str, set[str]]:
    """Return the exported classes that derive from a framework's, and the names of its classes."""
    module = pytest.importorskip(package, exc_type=ImportError)
    exported = {name: getattr(module, name) for name in module.__all__}
    bases = {
        name: {
            base.__name__
            for base in thing.__mro__
            if base.__module__.startswith(("langchain_", "llama_index."))
        }
        for name, thing in exported.items()
        if isinstance(thing, type)
    }
    return {name: names for name, names in bases.items() if names}


@pytest.mark.parametrize("field", ["keywords", "classifiers"])
def test_what_the_package_is_found_by_is_sorted_and_not_repeated(field: str) -> None:
    values = _PROJECT[field]
    in_order = sorted({*values}, key=lambda value: [*map(_as_number, re.split(r"(\d+)", value))])
    assert values == in_order


def _as_number(part: str) -> tuple[int, str]:
    """Return what orders a part of a classifier: 3.9 comes before 3.11."""
    return (int(part), "") if part.isdigit() else (-1, part)


def test_keywords_are_lowercase_words_joined_by_hyphens() -> None:
    """An index splits keywords at commas, and some tools at spaces."""
    assert [word for word in _PROJECT["keywords"] if not re.fullmatch(r"[a-z0-9-]+", word)] == []


def test_keywords_name_the_frameworks() -> None:
    """By the beginning of the name of each one's package."""
    adapters = [_PROJECT["optional-dependencies"][name] for name in ("langchain", "llamaindex")]
    cores = [re.match(r"(.*)-core\b", line) for extra in adapters for line in extra]
    named = {core[1] for core in cores if core}
    assert len(named) == 2
    assert named <= {*_PROJECT["keywords"]}


def test_llamahub_has_each_class_of_the_adapter() -> None:
    """As the format of LlamaIndex's own packages wants it: classes of one import path."""
    classes = classes_of_a_framework(_LLAMAHUB["import_path"])
    assert _LLAMAHUB["class_authors"].keys() == classes.keys()
    assert _LLAMAHUB["contains_example"] is False


@pytest.mark.parametrize(("package", "page"), LISTINGS)
def test_a_listing_names_each_class_and_what_it_derives_from(package: str, page: str) -> None:
    classes, rows = classes_of_a_framework(package), _ROW.findall(listing(page))
    assert sorted(name for name, _ in rows) == sorted(classes)
    assert [(name, base) for name, base in rows if base not in classes[name]] == []


@pytest.mark.parametrize(("package", "page"), LISTINGS)
def test_the_example_of_a_listing_prints_what_it_says(
    package: str,
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip(package, exc_type=ImportError)
    ((code, printed),) = _EXAMPLE.findall(listing(page))
    monkeypatch.chdir(tmp_path)
    exec(compile(code, page, "exec"), {})  # noqa: S102
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize(("package", "page"), LISTINGS)
def test_a_listing_installs_what_its_import_needs(package: str, page: str) -> None:
    """Its command names the project and the extra of the adapter."""
    extras = re.findall(r'^pip install "([\w-]+)\[(\w+)\]"$', listing(page), re.MULTILINE)
    assert extras == [(_PROJECT["name"], package.removeprefix("chunkana_"))]
    assert extras[0][1] in _PROJECT["optional-dependencies"]


@pytest.mark.parametrize(("package", "page"), LISTINGS)
def test_a_listing_links_files_of_this_repository(package: str, page: str) -> None:
    """Also the page of the framework, which is what a listing shows first."""
    homepage = _PROJECT["urls"]["Homepage"]
    links = _REPOSITORY.findall(listing(page))
    assert {f"https://github.com/{name}" for name, _ in links} == {homepage}
    paths = {path for _, path in links}
    assert f"docs/{package.removeprefix('chunkana_')}.md" in paths
    assert [path for path in paths if not (corpora.REPOSITORY / path).exists()] == []


def test_the_row_of_langchains_table_says_what_the_form_says() -> None:
    text = listing("listing_langchain.md")
    form = dict(re.findall(r"^\| ([A-Z][\w -]+) \| `?(.*?)`? \|$", text, re.MULTILINE))
    row = dict(re.findall(r"^  [- ] (\w+): (.*)$", text, re.MULTILINE))
    assert row == {
        "name": form["Display or class name"],
        "pypi": form["PyPI package name"],
        "docs_url": form["Docs URL"],
    }
    assert row["pypi"] == _PROJECT["name"]
    assert _PROJECT["urls"]["Homepage"].endswith(f"/{form['Source repository']}")
