"""JSON lines: one object for each chunk, with the fields of a table of chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from chunkana_batch.rows import DocumentFields
from chunkana_cli.formats.format import Format, RowFormat, RowOptions, write_lines
from chunkana_cli.writing.json_text import to_json
from chunkana_core import HierarchicalChunkingResult


def render(options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[bytes]:
    """Return a line of JSON for each leaf; as in tables, `metadata` is a string of JSON."""
    rows = DocumentFields.of_file(name).rows(result, options.front_matter_keys)
    names = options.fields
    return [(to_json({name: row[name] for name in names}) + "\n").encode() for row in rows]


def _select(lines: Sequence[bytes], numbers: Sequence[int]) -> list[bytes]:
    return [lines[number] for number in numbers]


def _read(path: Path, counts: Iterable[tuple[int, bool]]) -> Iterator[list[bytes]]:
    with path.open("rb") as lines:
        for count, is_wanted in counts:
            rows = islice(lines, count)
            if is_wanted:
                yield list(rows)
            else:
                for _ in rows:
                    pass


FORMAT = Format("jsonl", (".jsonl", ".ndjson"), render, write_lines, rows=RowFormat(_select, _read))
