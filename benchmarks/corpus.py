"""The folders of documents that benchmarks run on: a module by itself, which imports no chunker."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("CHUNKANA_SHARED", ROOT.parent / "shared")) / "corpus"
OWN_DOCUMENTS = ROOT / "tests" / "data" / "documents"
