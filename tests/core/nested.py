"""A small format of the tests' own: sections between braces, so that own text is anywhere.

A line that ends with `{` opens a section, and a line of `}` closes it. Comments (`#`) directly
above the opening line belong to it. Other lines are statements; lines that start with `|` are in
the statement above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import strategies as st

from chunkana_core import Source
from chunkana_core.extending import (
    Block,
    BlockKind,
    Document,
    Format,
    FormatTraits,
    MergeRule,
    SectionRange,
)

_Line = tuple[int, int, str]  # where it starts and ends, and its text


def document_of(text: str, merging: MergeRule = MergeRule.SECTIONS) -> Document:
    """Return the document of a text."""
    source = Source.of(text)
    ends = [*source.line_starts[1:], len(text)]
    lines = [(a, b, text[a:b].strip()) for a, b in zip(source.line_starts, ends, strict=True)]
    blocks: list[Block] = []
    ranges: list[SectionRange] = []
    opened: list[int] = []
    position = 0
    for group in _groups(lines):
        start, end, words = group[0][0], group[-1][1], group[-1][2]
        kind, level, title = BlockKind.CODE, 0, ""
        if words.endswith("{"):
            kind, level, title = BlockKind.HEADING, len(opened) + 1, words[:-1].strip()
            opened.append(len(ranges))
            ranges.append(SectionRange(title, level, "block", position, position))
        elif words == "}" and opened:
            kind = BlockKind.BRACKET
            _close(ranges, opened.pop(), position + 1)
        index, inner = len(blocks), group if len(group) > 1 and not level else []
        lead = group[-1][0] - start if level else 0
        after = index + 1 + len(inner)
        blocks.append(Block(kind, 0, start, end, index, after, level, title, lead=lead))
        for number, (first, stop, _) in enumerate(inner, index + 1):
            blocks.append(Block(BlockKind.CODE, 1, first, stop, number, number + 1))
        position += 1
    for number in opened:
        _close(ranges, number, position)
    return Document.of_sections(source, blocks, ranges, FormatTraits("nested", merging))


def _close(ranges: list[SectionRange], number: int, stop: int) -> None:
    opened = ranges[number]
    ranges[number] = SectionRange(opened.title, opened.level, opened.kind, opened.first, stop)


def _groups(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    """Yield the lines of each block: comments with what opens below them, statements whole."""
    group: list[_Line] = []
    for line in lines:
        words = line[2]
        goes_on = bool(group) and (
            (group[-1][2].startswith("#") and words.endswith("{"))
            or (words.startswith("#") and group[-1][2].startswith("#"))
            or (
                words.startswith("|")
                and group[-1][2][:1] not in {"#", "}", ""}
                and not group[-1][2].endswith("{")
            )
        )
        if group and not goes_on:
            yield group
            group = []
        if words:
            group.append(line)
    if group:
        yield group


def packed(text: str) -> Document:
    """Return the document of a text whose neighbours are merged as far as they fit."""
    return document_of(text, MergeRule.FITTING)


NESTED = Format("nested", document_of, (".nest",), ("text/x-nested",))
PACKED = Format("nested", packed)


@st.composite
def nested_texts(draw: st.DrawFn) -> str:
    """Make texts of the format, indented, with sections that may be left open."""
    words = st.sampled_from(
        ("x = 1", "call(a, b, c)", "word " * 30, "n" * 150, "# not {", "``` sh", "|more", "|", "é")
    )
    opening = st.sampled_from(("a {", "long name {", "# note\nb {", "{", f"{'t' * 120} {{"))
    line = st.one_of(words, words, words, opening, opening, st.just("}"), st.just(""))
    depth, lines = 0, []
    for made in draw(st.lists(line, max_size=40)):
        depth -= made == "}" and depth > 0
        lines += ["  " * min(depth, 20) + part for part in made.split("\n")]
        depth += made.endswith("{")
    return draw(st.sampled_from(("\n", "\n", "\r\n", "\r"))).join(lines)
