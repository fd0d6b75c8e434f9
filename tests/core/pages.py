"""The pages of the documentation: their Python, and the names that it leaves."""

from __future__ import annotations

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

from tests import corpora

DOCS = corpora.REPOSITORY / "docs"
PAGES = sorted([*corpora.REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")])
_PYTHON = re.compile(r"^(`{3,})(?:python|pycon|py)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_NEEDED = {  # what blocks with a word need
    "langchain": "langchain_core",
    "ChunkanaSplitter": "langchain_core",
    "llama": "llama_index",
    "NodeParser": "llama_index",
    "ScorePropagation": "llama_index",
    "bm25": "llama_index.retrievers",  # packages of their own
    "LexicalIndex": "bm25s",
    "Qdrant": "qdrant_client",
    "QdrantVectorStore": "langchain_qdrant",
    "TextLoader": "langchain_community",
    "ChunkanaRetriever": "bm25s",
    "package.json": "tree_sitter",
}


def readers_folder(folder: Path) -> Path:
    """Put into a folder what the examples find where they run: that of the repository."""
    for name in ("README.md", "docs", "tests"):
        (folder / name).symlink_to(corpora.REPOSITORY / name)
    return folder


def run_sessions(page: Path) -> dict[str, object]:
    """Run the sessions of a page as one, and return the names that they leave."""
    sessions = "\n".join(block for block in blocks(page) if ">>>" in block)
    test = doctest.DocTestParser().get_doctest(sessions, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    assert runner.failures == 0
    return test.globs


def blocks(page: Path) -> list[str]:
    """Return the Python of a page whose needs are installed."""
    return [block for _, block in _PYTHON.findall(corpora.read(page)) if _can_run(block)]


def _can_run(block: str) -> bool:
    """Tell whether what an example needs is installed."""
    return all(find_spec(name) for word, name in _NEEDED.items() if word in block)
