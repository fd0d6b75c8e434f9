"""The pages of the documentation: their Python, and the names that it leaves."""

from __future__ import annotations

import ast
import doctest
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from tests import corpora

DOCS = corpora.REPOSITORY / "docs"
PAGES = sorted([*corpora.REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")])
_PYTHON = re.compile(r"^(`{3,})(?:python|pycon|py)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_CHECKOUT = (
    "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md",
    "benchmarks", "docs", "notebooks", "scripts", "src", "tests",
)  # fmt: skip
_LEFT = {"chunkana"}  # packages of others, which pages show how to leave
_NEEDED = {  # what blocks with a word need
    "langchain": "langchain_core",
    "ChunkanaSplitter": "langchain_core",
    "llama": "llama_index",
    "NodeParser": "llama_index",
    "ScorePropagation": "llama_index",
    "bm25": "llama_index.retrievers",  # packages of their own
    "Index": "numpy",
    "index.": "numpy",
    "Qdrant": "qdrant_client",
    "QdrantVectorStore": "langchain_qdrant",
    "TextLoader": "langchain_community",
    "ChunkanaRetriever": "numpy",
    "package.json": "tree_sitter",
    "jsonschema": "jsonschema",
    "import ray": "ray",
    "spark": "pyspark",
    "duck": "duckdb",
    "polars": "polars",
}


def readers_folder(folder: Path) -> Path:
    """Put into a folder what the examples find where they run: links to the repository's files."""
    for name in _CHECKOUT:
        top = corpora.REPOSITORY / name
        for source in top.rglob("*") if top.is_dir() else [top]:
            if source.is_file() and "__pycache__" not in source.parts:
                link = folder / source.relative_to(corpora.REPOSITORY)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(source)
    return folder


def run_sessions(page: Path, *, whole: bool = False) -> dict[str, object]:
    """Run the sessions of a page as one, and return the names that they leave.

    Args:
        page: with blocks of Python.
        whole: whether what needs absent packages runs, too, and fails.
    """
    sessions = "\n".join(block for block in blocks(page, whole=whole) if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(sessions, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    assert runner.failures == 0
    return test.globs


def run_page(page: Path, *, whole: bool = False) -> None:
    """Run all Python of a page: its sessions, then each program with the names that they leave.

    What imports a package of others that a page shows how to leave compiles and no more.
    """
    known = run_sessions(page, whole=whole)
    for block in blocks(page, whole=whole):
        if ">>>" not in block:
            code = compile(block, str(page), "exec")
            module = sys.modules["example"] = ModuleType("example")  # so that functions pickle
            vars(module).update({**known, "__name__": "example"})
            if not _imported(block) & _LEFT:
                exec(code, vars(module))  # noqa: S102


def blocks(page: Path, *, whole: bool = False) -> list[str]:
    """Return the Python of a page, without what needs absent packages unless it is whole."""
    found = [block for _, block in _PYTHON.findall(corpora.read(page))]
    return [block for block in found if whole or _can_run(block)]


def _can_run(block: str) -> bool:
    """Tell whether what an example needs is installed."""
    return all(find_spec(name) for word, name in _NEEDED.items() if word in block)


def _imported(block: str) -> set[str]:
    """Return the modules from which some Python imports names."""
    nodes = ast.walk(ast.parse(block))
    return {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}


if __name__ == "__main__":
    run_page(Path(sys.argv[1]), whole=True)
