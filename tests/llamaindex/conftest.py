"""The adapter's tests need LlamaIndex, some its further packages; else they are left out."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob: list[str] = []
if find_spec("llama_index") is None or find_spec("llama_index.core") is None:
    collect_ignore_glob += ["test_*.py"]
elif not (find_spec("qdrant_client") and find_spec("llama_index.retrievers")):
    collect_ignore_glob += ["test_ecosystem.py"]
