"""The notebooks: kept without outputs, so that their diffs can be read, and run as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

_NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
_FRAMEWORKS = {"chunkana_langchain": "langchain_core", "chunkana_llamaindex": "llama_index.core"}
_SECONDS = 300

pytestmark = pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.stem)


def test_is_stripped(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [cell["id"] for cell in code if cell["outputs"]] == []
    assert [cell["id"] for cell in code if cell["execution_count"] is not None] == []


@pytest.mark.slow
def test_runs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pytest.importorskip("ipykernel", reason="notebooks need a kernel to run in")
    nbformat = pytest.importorskip("nbformat", reason="nbformat reads notebooks")
    nbclient = pytest.importorskip("nbclient", reason="nbclient runs notebooks")
    for adapter, framework in _FRAMEWORKS.items():
        if adapter in text:
            pytest.importorskip(framework, reason=f"{path.name} is about {framework}")
    notebook = nbformat.reads(text, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(notebook, timeout=_SECONDS, resources=folder).execute()
