"""Fenced code that has to be cut by its syntax; cases are in `tests/data/cases/code_cuts.md`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import ChunkConfig, MarkdownChunker
from chunkana_core import config as config_module

pytest.importorskip("tree_sitter")


@given(st.text("ab():[]{}\"'#\n  =`", max_size=200), st.sampled_from(["python", "js", "json"]))
def test_the_laws_hold_for_any_code(code: str, info: str) -> None:
    config = ChunkConfig(
        max_chunk_size=40, atomic_blocks="split", code_cuts="syntax", validation="strict"
    )
    MarkdownChunker(config).chunk(f"~~~{info}\n{code}\n~~~\n")


def test_without_the_extra_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config_module, "find_spec", lambda _: None)
    assert ChunkConfig().code_cuts == "lines"
    with pytest.raises(ImportError) as raised:
        ChunkConfig(code_cuts="syntax")
    assert str(raised.value) == "code_cuts='syntax' needs pip install \"chunkana-rag[code]\""
