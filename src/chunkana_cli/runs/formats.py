"""The output formats of `split`, chosen by name or by the suffix of the output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePath
from typing import BinaryIO

from chunkana_batch.rows import DocumentFields
from chunkana_cli.output.output import to_json
from chunkana_cli.runs.format import Format, RowOptions
from chunkana_cli.streams import USAGE, fail, format_count, on_one_line, visible
from chunkana_core import Chunk, HierarchicalChunkingResult

_GZIP = ".gz"
# `--` and `>` would end a comment of Markdown early.
_IN_COMMENT = {"--": "\\u002d\\u002d", ">": "\\u003e"}


def choose_format(format_name: str | None, output: str) -> tuple[Format, bool]:
    """Return the output format, and whether the output is compressed by gzip.

    The command ends if the suffix is unknown, contradicts the requested format, or the format is
    not installed.

    Args:
        format_name: the requested format, None to choose it by the suffix of the output.
        output: the name of a file, "-" for standard output.
    """
    path = PurePath(output)
    is_compressed = path.suffix.lower() == _GZIP
    suffix = (PurePath(path.stem) if is_compressed else path).suffix.lower()
    named = _SUFFIXES.get(suffix)
    if format_name is not None and named is not None and format_name != named:
        fail(f"--format {format_name} and -o {output} disagree: {suffix} is {named}", USAGE)
    if format_name is None and named is None and suffix:
        known = ", ".join(_SUFFIXES)
        fail(f"-o is {output!r}, of no known format; allowed: {known}; or name a --format", USAGE)
    form = _find_format(format_name or named or _JSONL.name)
    if is_compressed and not form.is_text:
        fail(f"-o is {output!r}, but {form.name} is compressed as it is: leave out {_GZIP}", USAGE)
    return form, is_compressed


def _find_format(name: str) -> Format:
    if name != "parquet":
        return _TEXTS[name]
    try:  # imported here because pyarrow is optional and slow to load
        from chunkana_cli.runs.parquet import FORMAT  # noqa: PLC0415
    except ImportError as error:
        fail(f"--format {name}: {error}", USAGE)
    return FORMAT


def render_json(options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[bytes]:
    """Return a line of JSON for each leaf; as in tables, `metadata` is a string of JSON."""
    rows = DocumentFields.of_file(name).rows(result, options.front_matter_keys)
    names = options.fields
    return [(to_json({name: row[name] for name in names}) + "\n").encode() for row in rows]


def _read_lines(path: Path, counts: Iterable[tuple[int, bool]]) -> Iterator[list[bytes]]:
    with path.open("rb") as lines:
        for count, is_wanted in counts:
            rows = list(islice(lines, count))
            if is_wanted:
                yield rows


def render_markdown(
    _options: RowOptions, name: str, result: HierarchicalChunkingResult
) -> list[bytes]:
    """Return a marker, the exact text and a blank line for each leaf.

    A marker is a line `<!-- chunk {…} -->`. Its `length` is the number of code points of the text,
    so that a reader that counts them never treats text of a document as a marker.
    """
    leaves = result.get_leaves()
    parts = (
        f"{_marker(name, number, len(leaves), chunk)}\n{chunk.text}\n\n"
        for number, chunk in enumerate(leaves, 1)
    )
    return ["".join(parts).encode()]


def _marker(name: str, number: int, count: int, chunk: Chunk) -> str:
    fields = to_json(
        {
            "file": name,
            "chunk": number,
            "of": count,
            "id": chunk.chunk_id,
            "path": chunk.header_path,
            "lines": [chunk.text_start_line, chunk.text_end_line],
            "start": chunk.span.start,
            "length": len(chunk.span),
        }
    )
    for characters, escaped in _IN_COMMENT.items():
        fields = fields.replace(characters, escaped)
    return f"<!-- chunk {fields} -->"


def render_text(_options: RowOptions, name: str, result: HierarchicalChunkingResult) -> list[bytes]:
    """Return a heading for the document, and each leaf under a line that describes it."""
    leaves = result.get_leaves()
    counts = f"{format_count(len(leaves), 'chunk')}, {format_count(len(result.text), 'character')}"
    strategy = f", strategy {result.strategy_used}" if leaves else ""
    parts = (
        f"──── {number}/{len(leaves)}  {_describe(chunk)}\n\n{visible(chunk.content)}\n\n"
        for number, chunk in enumerate(leaves, 1)
    )
    return ["".join((f"════ {on_one_line(name)}: {counts}{strategy}\n\n", *parts)).encode()]


def _describe(chunk: Chunk) -> str:
    facts = [
        on_one_line(chunk.header_path),
        f"lines {chunk.text_start_line}-{chunk.text_end_line}",
        f"{len(chunk.content):,} characters",
        chunk.chunk_id,
    ]
    if chunk.split_index:
        facts.append("continued")
    if chunk.oversize_reason is not None:
        facts.append(f"oversize: {chunk.oversize_reason}")
    return "  ".join(facts)


def _write_lines(_options: RowOptions, rendered: Iterator[Sequence[bytes]], out: BinaryIO) -> None:
    for lines in rendered:
        out.writelines(lines)


_JSONL = Format("jsonl", (".jsonl", ".ndjson"), render_json, _write_lines, _read_lines)
_TEXTS = {
    "jsonl": _JSONL,
    "markdown": Format("markdown", (".md", ".markdown"), render_markdown, _write_lines),
    "text": Format("text", (".txt", ".text"), render_text, _write_lines),
}
_SUFFIXES = {suffix: form.name for form in _TEXTS.values() for suffix in form.suffixes} | {
    ".parquet": "parquet",
    ".pq": "parquet",
}
