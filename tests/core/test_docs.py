"""What is written about the code runs, and importing the core is light."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import get_origin

import pytest

import chunkana_batch
import chunkana_core
import chunkana_retrieval
from chunkana_core import ChunkConfig, chunk_markdown
from chunkana_core.document.blocks import TRAITS
from tests import corpora
from tests.core.pages import DOCS, PAGES, readers_folder, run_page

MODULES = [
    module
    for package in (chunkana_core, chunkana_retrieval, chunkana_batch)
    for name in [package.__name__]
    for module in (name, *(f.name for f in pkgutil.walk_packages(package.__path__, f"{name}.")))
]
PACKAGES = (
    "chunkana_core",
    "chunkana_retrieval",
    "chunkana_core.extending",
    "chunkana_retrieval.index",
    "chunkana_retrieval.adapting",
    "chunkana_batch",
    "chunkana_langchain",
    "chunkana_llamaindex",
)
_CODE = re.compile(r"`(\w+)`")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([\w-]+))?\)")
_FILE = re.compile(r"`([\w.]+(?:/[\w.]+)*(?:/|\.(?:py|md|toml|yml|json|css)))`")
_MEMBERS = (FunctionType, classmethod, staticmethod, property)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    """Every example in a docstring gives what it says."""
    found = doctest.testmod(package_or_skip(name))
    assert found.failed == 0


def test_docstrings_have_examples() -> None:
    """The entry points have examples."""
    finder = doctest.DocTestFinder()
    for name in ("MarkdownChunker", "chunk_markdown", "chunk_hierarchical", "ChunkConfig",
                 "HierarchyBuilder", "analyze_markdown", "merge_sections"):  # fmt: skip
        tests = finder.find(getattr(chunkana_core, name), name)
        assert any(test.examples for test in tests), name


@pytest.mark.filterwarnings("ignore:Payload indexes:UserWarning")  # Qdrant's without a server
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_pages_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python in the README and the documentation runs, and prints what it says.

    Only what is written for a package that is absent compiles and no more.
    """
    if not page.exists():
        pytest.skip(f"there is no {page.name}")
    monkeypatch.chdir(readers_folder(tmp_path))
    monkeypatch.setitem(sys.modules, "example", ModuleType("example"))
    run_page(page)


def test_modules_of_tests_that_pages_name_exist() -> None:
    named = {name for page in PAGES for name in re.findall(r"\btest_\w+\.py", corpora.read(page))}
    assert named or not DOCS.exists()
    assert named <= {path.name for path in (corpora.REPOSITORY / "tests").rglob("test_*.py")}


def test_pages_are_short() -> None:
    """But the list of all public names."""
    assert {page.name for page in PAGES if corpora.read(page).count("\n") > 400} <= {"reference.md"}


def page_or_skip(name: str) -> str:
    """Return a page, or skip the test where it is missing, as in the distributions."""
    path = corpora.REPOSITORY / name
    if not path.exists():
        pytest.skip(f"there is no {name}")
    return corpora.read(path)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_outside_the_site_lead_somewhere(name: str) -> None:
    """Those of the site are checked by `mkdocs build --strict`."""
    for target, anchor in _LINK.findall(page_or_skip(name)):
        path = corpora.REPOSITORY / (target or name)
        assert path.exists(), target
        assert not anchor or anchor in anchors_in(corpora.read(path)), f"{target}#{anchor}"


def anchors_in(page: str) -> set[str]:
    """Return the anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_that_pages_name_exist(name: str) -> None:
    """Folders end with a slash, `NAME` is a placeholder; `make` builds two of the folders."""
    named = {path for path in _FILE.findall(page_or_skip(name)) if "NAME" not in path}
    folders = [corpora.REPOSITORY / folder for folder in ("src", "tests", "docs", "scripts")]
    for path in named - {"site/", "dist/"}:
        is_found = any(any(folder.rglob(path.rstrip("/"))) for folder in folders)
        assert is_found or (corpora.REPOSITORY / path).exists(), path


def test_the_reading_path_takes_an_hour() -> None:
    """Its files are in the core, and have 1,300 lines or fewer."""
    section = page_or_skip("docs/architecture.md").partition("## A reading path of one hour")[2]
    paths = re.findall(r"`([\w/]+\.py)`", section.partition("\n\nGood next ones")[0])
    core = Path(chunkana_core.__file__).parent
    assert len(paths) == 8
    assert sum(len(corpora.read(core / path).splitlines()) for path in paths) <= 1300


def test_contributors_read_of_every_kind_of_block() -> None:
    """And of the type of its chunks."""
    row = re.compile(r"^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|.*\| `(\w+)` \|$", re.MULTILINE)
    rows = row.findall(page_or_skip("CONTRIBUTING.md"))
    types = {name: content_type for names, content_type in rows for name in _CODE.findall(names)}
    assert types == {kind.name: traits.content_type for kind, traits in TRAITS.items()}


def test_tests_that_suffice_exist() -> None:
    """The table says for each change which folders and modules of tests to run."""
    cells = re.findall(
        r"^\| [^|]+ \| `(tests/[^`]+)` \| \d", page_or_skip("CONTRIBUTING.md"), re.MULTILINE
    )
    assert len(cells) > 10
    for word in " ".join(cells).split():
        before, _, braced = word.partition("{")
        names, _, after = braced.partition("}")
        for name in names.split(","):
            path = corpora.REPOSITORY / f"{before}{name}{after}"
            assert any(path.rglob("test_*.py")) if path.is_dir() else path.is_file(), path


def test_make_has_the_targets_that_contributors_read_of() -> None:
    targets = re.findall(
        r"^([a-z-]+):", corpora.read(corpora.REPOSITORY / "Makefile"), re.MULTILINE
    )
    assert {*re.findall(r"`make ([a-z-]+)", page_or_skip("CONTRIBUTING.md"))} <= {*targets}


def test_every_option_has_an_example() -> None:
    """The page on configuration has a heading for it."""
    options = {field.name for field in dataclasses.fields(ChunkConfig)}
    headings = re.findall(r"^### (.*)$", page_or_skip("docs/configuration.md"), re.MULTILINE)
    assert {name for heading in headings for name in _CODE.findall(heading)} == options


def test_every_metadata_key_is_explained() -> None:
    """The page on metadata has each key in the first column of a table, once, and no other."""
    page = page_or_skip("docs/metadata.md").partition("## In LlamaIndex")[0]
    keys = [
        key
        for cell in re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE)
        for key in _CODE.findall(cell)
    ]
    (chunk,) = chunk_markdown("Text.\n")
    assert sorted(keys) == sorted(chunk.metadata)


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_in_the_reference(name: str) -> None:
    """Each public name of a package has its entry, and no entry is of anything else.

    A name that is also public in the package above has its entry there.
    """
    package, above = package_or_skip(name), package_or_skip(name.partition(".")[0])
    elsewhere = above.__all__ if above is not package else ()
    reference = page_or_skip("docs/reference.md")
    entries = re.findall(rf"^::: {name}\.(\w+)$", reference, re.MULTILINE)
    assert sorted(entries) == sorted({*package.__all__}.difference(elsewhere))


@pytest.mark.parametrize("name", PACKAGES)
def test_public_names_are_documented(name: str) -> None:
    """Each public name, and each public method of a class, has a docstring of its own."""
    package = package_or_skip(name)
    assert package.__doc__
    for public in package.__all__:
        thing = getattr(package, public)
        assert thing.__doc__ or get_origin(thing), public  # an alias of a type has none
        if inspect.isclass(thing):
            own = {n: v for n, v in vars(thing).items() if not n.startswith("_")}
            assert [n for n, v in own.items() if isinstance(v, _MEMBERS) and not v.__doc__] == []


def package_or_skip(name: str) -> ModuleType:
    """Import a package or module, or skip the test without what it needs."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        pytest.skip(str(error))


def test_readme_has_examples() -> None:
    assert ">>> " in page_or_skip("README.md")


_HEAVY = (
    "jinja2", "langchain", "langchain_core", "langchain_text_splitters", "llama_index",
    "rich", "typer", "numpy", "pydantic",
)  # fmt: skip


def test_import_of_the_core_pulls_in_no_framework() -> None:
    """`import chunkana_core` loads neither framework, nor what only the command line needs."""
    script = (
        "import sys, chunkana_core\n"
        "chunkana_core.chunk_hierarchical('# A\\n\\nText.\\n').merge_tree()\n"
        f"print(sorted(set(sys.modules) & set({_HEAVY!r})))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_only_parsing_knows_the_parser() -> None:
    """One format of the core imports markdown-it-py and its plugins."""
    folder = Path(chunkana_core.__file__).parent
    importing = re.compile(r"^(?:from|import) (?:markdown_it|mdit_py_plugins)", re.MULTILINE)
    found = [path for path in folder.rglob("*.py") if importing.search(corpora.read(path))]
    assert {path.parent for path in found} == {folder / "formats" / "markdown"}
