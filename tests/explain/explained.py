"""Explanations, each checked against the chunks that it explains."""

from __future__ import annotations

import json
from itertools import pairwise

from chunkana_core import ChunkConfig, Context, MarkdownChunker
from chunkana_explain import Explanation, explain


def explained(text: str, config: ChunkConfig, context: Context | None = None) -> Explanation:
    """Return an explanation that was checked against the chunks."""
    chunker = MarkdownChunker(config, context)
    explanation = explain(text, config, context=context)
    chunks = chunker.chunk(text)
    assert [cut.start for cut in explanation.cuts] == [chunk.span.start for chunk in chunks[1:]]
    assert [cut.line for cut in explanation.cuts] == [c.text_start_line for c in chunks[1:]]
    for cut in explanation.cuts:
        assert text.startswith(cut.begins, cut.start)
        assert cut.why
    for before, step in pairwise(explanation.steps):
        order = ("merging", "headings", "size")
        assert order.index(before.stage) <= order.index(step.stage)
    assert json.loads(json.dumps(explanation.to_dict())) == unframed(explanation.to_dict())
    return explanation


def unframed(value: object) -> object:
    """Return a value with lists for tuples, as JSON has it."""
    if isinstance(value, dict):
        return {key: unframed(item) for key, item in value.items()}
    return [unframed(item) for item in value] if isinstance(value, list | tuple) else value
