"""`%load_ext chunkana_view`: results and chunks as tables in notebooks."""

from __future__ import annotations

import subprocess
import sys

_SHOWN = """\
from IPython.core.interactiveshell import InteractiveShell
from chunkana_core import chunk_hierarchical

shell = InteractiveShell()
shell.run_line_magic("load_ext", "chunkana_view")
result = chunk_hierarchical("# A\\n\\nText.\\n")
for shown in (result, result.get_leaves()[0]):
    data, _ = shell.display_formatter.format(shown, include=["text/html"])
    print("Text." in data["text/html"])
"""
_WITHOUT_JINJA = "import sys; sys.modules['jinja2'] = None; import chunkana_view"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_results_and_chunks_are_shown_as_tables() -> None:
    assert run(_SHOWN).stdout.splitlines()[-2:] == ["True", "True"]


def test_without_the_extra_the_error_says_what_to_install() -> None:
    message = 'ImportError: chunkana_view needs jinja2: pip install "chunkana-rag[view]"'
    assert run(_WITHOUT_JINJA).stderr.splitlines()[-1] == message
