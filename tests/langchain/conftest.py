"""The adapter's tests need LangChain, some of them its further packages; else they are left out."""

from __future__ import annotations

from importlib.util import find_spec

_FURTHER = ("langchain_classic", "langchain_community", "langchain_tests", "faiss")

collect_ignore_glob: list[str] = []
if find_spec("langchain_core") is None:
    collect_ignore_glob += ["test_*.py"]
if not all(map(find_spec, _FURTHER)):
    collect_ignore_glob += ["test_ecosystem.py"]
if not all(map(find_spec, ("langchain_community", "tree_sitter"))):
    collect_ignore_glob += ["test_formats.py"]
