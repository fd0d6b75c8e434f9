"""Documents and their chunks for the engines' tests, which run where the engines are installed."""

from __future__ import annotations

from importlib.util import find_spec

import pyarrow as pa
import pytest

from chunkana_batch import chunk_table
from tests.scale.documents import OPTIONS, make_documents

# `make test-scale` has an environment with them; the other tests run without.
_ENGINES = ("ray", "pyspark", "duckdb", "polars")
collect_ignore_glob = [] if all(map(find_spec, _ENGINES)) else ["test_*.py"]


@pytest.fixture(scope="session")
def documents() -> pa.Table:
    return make_documents(3000)


@pytest.fixture(scope="session")
def expected(documents: pa.Table) -> pa.Table:
    """Return the chunks that one process makes of the documents."""
    return chunk_table(documents, **OPTIONS)
