"""Texts and configurations to fuzz with: made, mutated, repeated, and any text at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from hypothesis import strategies as st

from chunkana_core import ChunkConfig
from tests import corpora
from tests.core.configurations import ATOMS, MEASURES
from tests.strategies import FRAGMENTS, ODD, any_markdown

Text: TypeAlias = st.SearchStrategy[str]
Mutation: TypeAlias = Callable[[str, int, int, str], str]  # of a text between two places

LONGEST: Final = 6000
LINE_ENDS: Final = (
    "\n", "\n", "\n\n", "\r\n", "\r", "\r\r\n", "\n\r", " \n", "\t\n", "\x0b", "\x85",
)  # fmt: skip
PREFIXES: Final = (
    " ", "  ", "   ", "    ", "\t", "> ", ">", "- ", "1. ", "# ", "| ", "$$", "```",
)  # fmt: skip
YAML: Final = (
    "---", "---", "...", "title: x", "title: [a", "a: b", "a:", "- b", "  - c", "? k", ": v", "#",
    "&a", "*a", "!!set", "!!binary x", "<<: *a", "<<: {a: b}", "{", "}", "[", "]", "'", '"', "|",
    ">-", "%TAG ! x", "@", "`", "1:30:59", "0x1f", ".inf", "2031-13-45", "=", "\t", "\x00",
    "\ufeff", "\ud800", "é: 值",
)  # fmt: skip


def _cut(text: str, start: int, end: int, _: str) -> str:
    return text[:start] + text[end:]


def _keep(text: str, start: int, end: int, _: str) -> str:
    return text[start:end]


def _insert(text: str, start: int, _: int, other: str) -> str:
    return text[:start] + other + text[start:]


def _splice(text: str, start: int, end: int, other: str) -> str:
    return text[:start] + other + text[end:]


def _repeat(text: str, start: int, end: int, _: str) -> str:
    return text[:end] + text[start:end] * 3 + text[end:]


def _swap(text: str, start: int, end: int, _: str) -> str:
    return text[end:] + text[start:end] + text[:start]


def _on_lines(mutation: Mutation) -> Mutation:
    """Move places to starts of lines."""

    def mutate(text: str, start: int, end: int, other: str) -> str:
        first, last = (text.rfind("\n", 0, place) + 1 for place in (start, end))
        return mutation(text, first, last, other)

    return mutate


def _indent(text: str, start: int, end: int, other: str) -> str:
    indented = "".join(other + line for line in text[start:end].splitlines(keepends=True))
    return text[:start] + indented + text[end:]


def _end_lines(text: str, start: int, end: int, other: str) -> str:
    return text[:start] + text[start:end].replace("\n", other) + text[end:]


_PIECES = st.sampled_from((*FRAGMENTS, *ODD, *LINE_ENDS, *PREFIXES))
_CHANGES = st.one_of(
    st.tuples(
        st.sampled_from(
            [made for m in (_cut, _keep, _repeat, _swap) for made in (m, _on_lines(m))]
        ),
        st.just(""),
    ),
    st.tuples(st.sampled_from((_insert, _splice, _on_lines(_insert))), _PIECES),
    st.tuples(st.just(_on_lines(_indent)), st.sampled_from(PREFIXES)),
    st.tuples(st.just(_end_lines), st.sampled_from(LINE_ENDS)),
)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """Make a document, ours or made, and cut, splice, repeat, swap or indent some of it."""
    samples = st.sampled_from([sample.text for sample in corpora.own_documents()])
    base, other = (draw(st.one_of(samples, any_markdown())) for _ in range(2))
    start, size = draw(st.integers(0, len(base))), draw(st.sampled_from((200, 1000, 3000)))
    text = draw(st.sampled_from((base[start : start + size], base[:size], other + base[start:])))
    for change, piece in draw(st.lists(_CHANGES, min_size=1, max_size=6)):
        places = st.integers(0, len(text))
        first, last = sorted((draw(places), draw(places)))
        text = change(text, first, last, piece)[:LONGEST]
    return text


@st.composite
def repeated(draw: st.DrawFn) -> str:
    """Make a short unit, or one between two others, many times: what grows, grows here."""
    units = st.lists(_PIECES, min_size=1, max_size=4).map("".join)
    start, unit, end = draw(st.just("") | units), draw(units), draw(st.just("") | units)
    return (start + unit * draw(st.sampled_from((1, 9, 40, 200))) + end)[:LONGEST]


@st.composite
def with_front_matter(draw: st.DrawFn) -> str:
    """Make pieces of YAML, line by line, and a document after them."""
    lines = draw(st.lists(st.lists(st.sampled_from(YAML), max_size=3).map("".join), max_size=9))
    end = draw(st.sampled_from(LINE_ENDS))
    start = draw(st.sampled_from(("", "", "\ufeff", "\n", " ", "\x00")))
    return start + end.join(["---", *lines, "---", draw(any_markdown())])


def any_text() -> Text:
    """Make text of any code points, lone surrogates and controls included, and any line ends."""
    any_characters = st.text(st.characters(exclude_categories=()), max_size=60)
    controls = st.text(st.sampled_from("\0\t\n\r\x0b\x0c\x1c\x85\u2028\ufeff\ud800\udfff #>-`a"))
    return st.one_of(
        any_characters, controls, st.lists(any_characters | _PIECES, max_size=40).map("".join)
    )


def documents() -> Text:
    """Make anything to chunk."""
    return st.one_of(
        any_markdown(), mutated(), mutated(), repeated(), with_front_matter(), any_text()
    )


def utf8(text: str) -> int:
    """Count bytes."""
    return len(text.encode("utf-8", "surrogatepass"))


@st.composite
def configurations(draw: st.DrawFn) -> ChunkConfig:
    """Make any valid configuration, small sizes more often than large ones."""
    largest = draw(st.sampled_from((40, 120, 1000, 8000)))
    size = draw(st.integers(32, largest))
    minimum = st.none() | st.integers(0, size)
    return ChunkConfig(
        max_chunk_size=size,
        min_chunk_size=draw(minimum),
        overlap_size=draw(st.just(0) | st.integers(0, 2 * size)),
        length_function=draw(st.sampled_from((*MEASURES, utf8))),
        strategy=draw(st.sampled_from(("auto", "auto", "code_aware", "structural", "fallback"))),
        code_threshold=draw(st.sampled_from((0.0, 0.3, 1.0))),
        structure_threshold=draw(st.sampled_from((0, 3, 50))),
        atomic_blocks=draw(st.sampled_from(ATOMS)),
        oversize_tolerance=draw(st.sampled_from((0.0, 0.0, 0.1, 1.0, 1e9))),
        merge_boundary_level=draw(st.integers(0, 6)),
        min_content_after_header=draw(minimum),
        include_document_summary=draw(st.booleans()),
    )
