"""What fuzzing found: each broke a law, or the code, once."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from tests import corpora
from tests.core.configurations import MEASURES
from tests.core.laws import Case, require_laws
from tests.core.test_cases import format_named
from tests.fuzz.inputs import utf8

_FILE = corpora.REPOSITORY / "tests" / "data" / "fuzz_finds.yaml"
FINDS: dict[str, dict[str, Any]] = yaml.safe_load(corpora.read(_FILE))
LENGTHS = {function.__name__: function for function in (*MEASURES, utf8)}
BESIDE = ("text", "format", "context", "length_function")


@pytest.mark.parametrize("find", FINDS.values(), ids=[*FINDS])
def test_laws_hold_for_find(find: dict[str, Any]) -> None:
    """The laws hold for what once broke one."""
    options = {name: value for name, value in find.items() if name not in BESIDE}
    config = ChunkConfig.from_dict(options, LENGTHS[find.get("length_function", "len")])
    context = Context(**find["context"]) if "context" in find else None
    kind = format_named(find.get("format"))
    require_laws(Case(find["text"], config, context=context, format=kind))


def test_a_heading_that_leaves_no_room_beside_a_context() -> None:
    """What is reserved takes half of the limit, so that nothing fits below the heading."""
    title = "# Overview\n\n"
    text = f"{title * 2}    x = 1\n\n{title}> # Overview\n>\n> Overview\n> =\n\n{title}"
    config = ChunkConfig(max_chunk_size=36, atomic_blocks="split", validation="strict")
    context = Context(breadcrumb=False, introduction=False, reserved="\n" * 16)
    result = MarkdownChunker(config, context).chunk_hierarchical(text)
    assert result.validation is not None
    assert {v.law for v in result.validation.warnings} == {"heading"}


def test_a_word_like_a_fence_that_has_no_room_to_be_closed() -> None:
    """Neither beside what a framework puts before it, which the validation counts too."""
    config = ChunkConfig(max_chunk_size=32, validation="strict")
    chunks = MarkdownChunker(config, Context(reserved="\n" * 16)).chunk("a ```" + "x" * 20)
    assert [chunk.content for chunk in chunks] == ["a", "```" + "x" * 13, "x" * 7]
