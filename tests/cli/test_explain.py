"""`chunkana explain`: each cut and its reason, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunkana_core import ChunkConfig, Context
from chunkana_explain import explain
from tests.cli.command import output_of, piped

README = Path(__file__).parents[1] / "data" / "documents" / "readme_project.md"


@pytest.mark.parametrize("size", [200, 1000])
def test_it_says_what_the_library_says(size: int) -> None:
    config = ChunkConfig(max_chunk_size=size, atomic_blocks="split")
    text = README.read_bytes().decode()
    explanation = explain(text, config, context=Context(), path=str(README))
    output = output_of("explain", str(README), f"--max-chunk-size={size}")
    assert output == f"{README}\n{explanation}\n"
    (found,) = json.loads(output_of("explain", "--json", str(README), f"--max-chunk-size={size}"))
    assert found.pop("file") == str(README)
    assert found == json.loads(json.dumps(explanation.to_dict()))
    assert len(found["cuts"]) > 5


def test_nothing_of_a_document_reaches_the_terminal_as_it_is() -> None:
    text = (
        "# A\n\nWords before it.\n\n[bold]x[/] :smile: \x1b[31m one.\n\n# \x1b]0;owned\x07\n\nB.\n"
    )
    output = piped("explain", "-", "--max-chunk-size=32", stdin=text.encode())
    assert not {"\x1b", "\x07"} & set(output)
    assert "[bold]" in output
    assert ":smile:" in output
