"""How chunks are written: for programs, one JSON object a line; for people, as text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from chunkana_cli.documents import Document
from chunkana_cli.naming import counted
from chunkana_cli.visible import on_one_line, visible
from chunkana_core import Chunk, HierarchicalChunkingResult

Format = Callable[[Document, HierarchicalChunkingResult], Iterator[str]]

# JSON allows them in strings, but `str.splitlines` and some terminals take them for line ends.
_LINE_ENDS_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def to_jsonl(document: Document, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield a line of JSON for each leaf: file, content, text, metadata."""
    for chunk in result.get_leaves():
        fields = {
            "file": document.name,
            "content": chunk.content,
            "text": chunk.text,
            "metadata": chunk.metadata,
        }
        line = json.dumps(fields, ensure_ascii=False)
        yield _LINE_ENDS_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", line) + "\n"


def to_text(document: Document, result: HierarchicalChunkingResult) -> Iterator[str]:
    """Yield a heading for the document, and each leaf under a line that describes it."""
    leaves = result.get_leaves()
    counts = f"{counted(len(leaves), 'chunk')}, {counted(len(document.text), 'character')}"
    strategy = f", strategy {result.strategy_used}" if leaves else ""
    yield f"════ {on_one_line(document.name)}: {counts}{strategy}\n\n"
    for number, chunk in enumerate(leaves, 1):
        yield f"──── {number}/{len(leaves)}  {_describe(chunk)}\n\n"
        yield visible(chunk.content) + "\n\n"


def _describe(chunk: Chunk) -> str:
    lines = f"lines {chunk.text_start_line}-{chunk.text_end_line}"
    facts = [on_one_line(chunk.header_path), lines, f"{chunk.size:,} characters", chunk.chunk_id]
    if chunk.split_index:
        facts.append("continued")
    if chunk.oversize_reason is not None:
        facts.append(f"oversize: {chunk.oversize_reason}")
    return "  ".join(facts)
