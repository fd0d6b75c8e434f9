"""Tests of an index need LangChain and what searches by words, some of them stores on disk."""

from __future__ import annotations

from importlib.util import find_spec

_FURTHER = ("langchain_classic", "langchain_community", "langchain_qdrant", "faiss")

collect_ignore_glob: list[str] = []
if not all(map(find_spec, ("langchain_core", "bm25s"))):
    collect_ignore_glob += ["test_*.py"]
if not all(map(find_spec, _FURTHER)):
    collect_ignore_glob += ["test_stores.py"]
if not all(map(find_spec, ("langchain_community", "tree_sitter"))):
    collect_ignore_glob += ["test_repository.py"]
