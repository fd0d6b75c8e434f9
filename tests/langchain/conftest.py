"""The adapter's tests need LangChain, some of them its further packages; else they are left out."""

from __future__ import annotations

from importlib.util import find_spec

_FURTHER = ("langchain_classic", "langchain_community", "langchain_tests", "faiss")
_NEEDED = {
    "test_*.py": ("langchain_core",),
    "test_ecosystem.py": _FURTHER,
    "test_formats.py": ("langchain_community", "tree_sitter"),
    "test_repository.py": ("langchain_community", "tree_sitter"),
    "test_stores.py": (*_FURTHER, "langchain_qdrant"),
}

collect_ignore_glob = [name for name, needed in _NEEDED.items() if not all(map(find_spec, needed))]
