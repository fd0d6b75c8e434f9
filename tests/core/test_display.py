"""What the core has to do with its view: it finds it by name, and does without it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chunkana_core import chunk_hierarchical

RESULT = chunk_hierarchical("# A\n\nText.\n")
_WITHOUT_JINJA = """\
import sys
sys.modules["jinja2"] = None
from chunkana_core import chunk_hierarchical
result = chunk_hierarchical("# A\\n\\nText.\\n")
print(result._repr_html_(), result.chunks[0]._repr_html_())
result.to_html()
"""


def test_without_the_extra_notebooks_show_the_repr_and_the_error_says_what_to_install() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _WITHOUT_JINJA], capture_output=True, text=True, check=False
    )
    assert run.stdout == "None None\n"
    message = 'ImportError: chunkana_view needs jinja2: pip install "chunkana-rag[view]"'
    assert run.stderr.splitlines()[-1] == message


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "chunkana_view", None)
    assert RESULT._repr_html_() is None
    assert RESULT.chunks[0]._repr_html_() is None
    with pytest.raises(ImportError, match="chunkana_view"):
        RESULT.to_html()


def test_with_the_extra() -> None:
    pytest.importorskip("jinja2")
    assert RESULT.to_html("a.md").startswith("<!doctype html>")
    assert "Text." in (RESULT._repr_html_() or "")
    assert "Text." in (RESULT.get_leaves()[0]._repr_html_() or "")
