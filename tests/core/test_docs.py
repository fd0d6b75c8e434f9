"""What is written about the code runs, and importing the core is light."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import chunkana_core
from tests import corpora

MODULES = [
    "chunkana_core",
    *(module.name for module in pkgutil.walk_packages(chunkana_core.__path__, "chunkana_core.")),
]
PAGES = sorted([*corpora.REPOSITORY.glob("*.md"), *(corpora.REPOSITORY / "docs").rglob("*.md")])
_PYTHON = re.compile(r"^```(?:python|pycon|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name: str) -> None:
    """Every example in a docstring gives what it says."""
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_docstrings_have_examples() -> None:
    """The entry points have examples."""
    finder = doctest.DocTestFinder()
    for name in ("MarkdownChunker", "chunk_markdown", "chunk_hierarchical", "ChunkConfig",
                 "HierarchyBuilder", "analyze_markdown", "merge_sections"):  # fmt: skip
        tests = finder.find(getattr(chunkana_core, name), name)
        assert any(test.examples for test in tests), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_pages_runs(page: Path) -> None:
    """The Python in the README and the documentation runs, and prints what it says."""
    if not page.exists():
        pytest.skip(f"there is no {page.name}")
    blocks = [block for block in _PYTHON.findall(corpora.read(page)) if _can_run(block)]
    sessions = "\n".join(block for block in blocks if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(sessions, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0
    for block in blocks:
        if ">>>" not in block:
            compile(block, str(page), "exec")


def _can_run(block: str) -> bool:
    """Tell whether what an example needs is installed."""
    needed = {"langchain": "langchain_core", "llama": "llama_index"}
    return all(find_spec(name) for word, name in needed.items() if word in block)


def test_readme_has_examples() -> None:
    readme = corpora.REPOSITORY / "README.md"
    if not readme.exists():
        pytest.skip("there is no README.md")
    assert ">>> " in corpora.read(readme)


_HEAVY = (
    "bm25s", "jinja2", "langchain", "langchain_core", "langchain_text_splitters", "llama_index",
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
    """One file of the core imports markdown-it-py and its plugins."""
    folder = Path(chunkana_core.__file__).parent
    importing = re.compile(r"^(?:from|import) (?:markdown_it|mdit_py_plugins)", re.MULTILINE)
    found = [path.name for path in folder.rglob("*.py") if importing.search(corpora.read(path))]
    assert found == ["parsing.py"]
