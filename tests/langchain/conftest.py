"""The adapter's tests need LangChain, some of them its further packages; else they are left out."""

from __future__ import annotations

from importlib.util import find_spec

_NEEDED = {
    "test_*.py": ("langchain_core",),
    "test_ecosystem.py": ("langchain_classic", "langchain_community", "langchain_tests", "faiss"),
}

collect_ignore_glob = [name for name, needed in _NEEDED.items() if not all(map(find_spec, needed))]
