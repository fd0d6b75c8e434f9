"""`chunk_stream` returns the chunks of the whole text, in constant memory."""

from __future__ import annotations

import tracemalloc
import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunkana_batch import StreamLimits, StreamWarning, chunk_stream
from chunkana_batch.streams import cutting
from chunkana_batch.streams.registers import AnchorRegister, IdSet, NumberSet
from chunkana_core import (
    Chunk,
    ChunkConfig,
    Chunker,
    ConfigurationError,
    Context,
    InputTypeError,
    Source,
    Span,
)
from chunkana_core.formats.markdown import state
from tests import corpora
from tests.strategies import any_markdown

COMPARED = {*Chunk.__struct_fields__} - {"source"}  # which is a part of the text, not all of it
STRUCTURAL = ChunkConfig(strategy="structural")
SMALL = ChunkConfig(max_chunk_size=60, strategy="structural", min_chunk_size=0)
SECTIONS = "# A\n\nOne.\n\n## B\n\nTwo.\n\n## B\n\nThree.\n\n# C\n\nFour.\n"
FEW = StreamLimits(window=1)
MAY_WARN = pytest.mark.filterwarnings("ignore::chunkana_batch.StreamWarning")


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of any length, cut anywhere."""
    random, start = Random(0), 0
    while start < len(text):
        stop = start + random.randint(1, 40)
        yield text[start:stop]
        start = stop


def leaves_of_whole(
    text: str, config: ChunkConfig, context: Context | None = None, format_name: str = "markdown"
) -> list[Chunk]:
    """Return the leaves of the whole text."""
    return Chunker(config, context).chunk(text, format_name)


def streamed(
    text: str,
    config: ChunkConfig = STRUCTURAL,
    context: Context | None = None,
    limits: StreamLimits = FEW,
    format_name: str = "markdown",
) -> list[Chunk]:
    """Return the leaves of a stream, with the title and sole H1 of the whole text as arguments."""
    whole = Chunker(config, context).chunk_hierarchical(text, format_name)
    levels = [entry.level for entry in whole.toc()]
    leaves = chunk_stream(
        pieces(text),
        config,
        title=whole.title,
        sole_h1=levels.count(1) == 1 and levels[0] == 1,
        context=context,
        limits=limits,
        format=format_name,
    )
    return [*leaves]


def assert_same(got: list[Chunk], expected: list[Chunk]) -> None:
    """Check that leaves equal those of the whole text, except for their source."""
    assert [chunk.span for chunk in got] == [chunk.span for chunk in expected]
    for one, other in zip(got, expected, strict=True):
        for name in COMPARED:
            assert getattr(one, name) == getattr(other, name), name
        assert one.text == other.text
        assert one.metadata == other.metadata
        assert one.source.line_at(one.span.start) == other.text_start_line


def assert_same_unless_warned(
    text: str, config: ChunkConfig, context: Context | None = None, limits: StreamLimits = FEW
) -> None:
    """Check that a stream has the leaves of the whole text, unless there is a warning."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        got = streamed(text, config, context, limits)
    if not told:
        assert_same(got, leaves_of_whole(text, config, context))


def assert_exact(got: list[Chunk], text: str, config: ChunkConfig) -> None:
    """Check that leaves cover a text exactly, in order, within the limit, with correct links."""
    source, end = Source.of(text), 0
    for number, chunk in enumerate(got):
        assert chunk.text == text[chunk.span.start : chunk.span.end]
        assert not text[end : chunk.span.start].strip()
        assert end <= chunk.span.start
        end = chunk.span.end
        assert chunk.chunk_index == number
        assert chunk.text_start_line == source.line_at(chunk.span.start)
        assert chunk.text_end_line == source.line_at(end - 1)
        assert 1 <= chunk.start_line <= chunk.text_start_line
        assert chunk.text_end_line <= chunk.end_line <= len(source.line_starts)
        assert chunk.content[chunk.text_offset :].startswith(chunk.text)
        assert chunk.oversize_reason or chunk.size <= config.max_chunk_size
    for one, other in pairwise(got):
        is_next = one.links.next_sibling_id == other.chunk_id
        assert is_next == (other.links.prev_sibling_id == one.chunk_id)
    assert not text[end:].strip()
    assert len({chunk.chunk_id for chunk in got}) == len(got)


# The same chunks


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_made_documents(sample: corpora.Sample) -> None:
    """Each has the same leaves, whatever its line endings, by any strategy."""
    text = sample.text
    for name, changed, context in (
        ("structural", text, Context("of a book")),
        ("fallback", "\ufeff" + text.replace("\n", "\r\n"), None),
        ("code_aware", text.replace("\n", "\r"), None),
    ):
        config = ChunkConfig(max_chunk_size=200, strategy=name, overlap_size=50)
        assert_same_unless_warned(changed, config, context)


@pytest.mark.no_cover
def test_commonmark_examples() -> None:
    """All of them below headings are one document; each ends what the one before leaves open."""
    texts = [f"## Example\n\nText.\n\n{sample.text}" for sample in corpora.spec_examples()]
    for first in range(0, len(texts), 40):
        assert_same_unless_warned("\n\n".join(texts[first : first + 40]), SMALL, Context())


PARTS = st.one_of(
    any_markdown(),
    st.sampled_from(
        ("## A\n\nSome words.", "# B\n\ntext", "## A\n\n### C\n\nwords", "## F {#a}\n\nz",
         "### [a] b\n\nq", "text", "```", "~~~", "[^1]: x", "## A\n", "::: note", "{{< note >}}",
         "{{< /note >}}", "<div>", "</div>", ":::", "$$\nx"),
    ),
)  # fmt: skip


@given(
    st.lists(PARTS, min_size=1, max_size=5),
    st.sampled_from(("\n", "\n\n")),
    st.sampled_from((40, 200, 1000)),
    st.sampled_from(("structural", "fallback", "code_aware")),
    st.integers(1, 3),
    st.sampled_from((None, Context("x"))),
)
def test_any_document(  # noqa: PLR0917
    parts: list[str], joint: str, limit: int, strategy: str, level: int, context: Context | None
) -> None:
    """Whatever is open where a document is cut, its leaves are the same, or a warning is given."""
    config = ChunkConfig(
        max_chunk_size=limit,
        strategy=strategy,
        merge_boundary_level=level,
        overlap_size=20 if context else 0,
        atomic_blocks="split" if limit < 100 else "keep",
        length_function=(lambda text: (len(text) + 3) // 4) if context else len,
    )
    assert_same_unless_warned(joint.join(parts), config, context)


@pytest.mark.slow
@pytest.mark.parametrize("path", corpora.corpus_paths(), ids=lambda path: path.name)
def test_corpus(path: Path) -> None:
    """Real documents have the same leaves, in windows of a few lines and of a few pages."""
    for limit, window in ((200, 300), (1000, 5000)):
        config = ChunkConfig(max_chunk_size=limit, strategy="structural", overlap_size=50)
        assert_same_unless_warned(corpora.read(path), config, Context(), StreamLimits(window))


INSIDE = {
    "fence": "```\n\n# not a heading\n\n## nor this\n```\n",
    "math": "$$\n# x\n$$\n",
    "HTML": "<!--\n\n# no\n\n## no\n-->\n",
    "directive": "::: note\n\n## no\n\ntext\n\n## no\n:::\n",
    "shortcode": "\n{{< note >}}\ntext\n{{< /note >}}\n",
    "element": "<Tabs>\n\ntext\n\n</Tabs>\n",
    "list": "- item\n\n  ## in it\n\n- item\n",
    "setext": "Title\nin lines\n---\n\ntext\n",
    "table": "# a | b\n--|--\nc | d\n",
    "lead": '<a id="x"></a>\n\n<!-- y -->\n\n## Led\n\ntext\n',
    "empty": "## E\n\n### F\n\n## G\n\ntext\n",
}
SAME = {
    "no text": "",
    "blank": "\n \n",
    "a BOM": "\ufeff",
    "a heading": "# A\n",
    "headings": "# A\n\n## B\n",
    "namesakes, numbered over all windows": "## A\n\nSame.\n\n## B\n\nSame.\n\n" * 30,
    "titles with links defined before": "# A\n\ntext\n\n[b]: /c\n[^1]: d\n\n"
    + "## [b] e[^1]\n\ntext\n\n" * 5,
    **{name: SECTIONS + inside + SECTIONS for name, inside in INSIDE.items()},
    **{
        f"{name} after front matter": f"---\ntitle: T\n# no heading\n---\n\n{inside}{SECTIONS}"
        for name, inside in INSIDE.items()
    },
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_leaves_are_those_of_the_whole_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cut is inside of what is open, or at what only looks like a heading."""
    for module in (state, cutting):
        monkeypatch.setattr(module, "LONGEST_SHORTCODE", 60)
    assert_same(streamed(text, SMALL), leaves_of_whole(text, SMALL))


@pytest.mark.parametrize("inside", ["\n$$\nx\n## no\ny\n$$\n", "\n<!--\nx\n\n## no\n\n-->\n"])
def test_no_window_ends_inside_of_what_is_closed_later(inside: str) -> None:
    """Wherever reading pauses, what looks like a heading is not yet known to be one."""
    text = SECTIONS + inside + SECTIONS
    expected = leaves_of_whole(text, SMALL)
    for window in range(len(SECTIONS), len(SECTIONS) + len(inside) + 1):
        assert_same(streamed(text, SMALL, limits=StreamLimits(window)), expected)


def test_plain_text_is_streamed_without_title() -> None:
    text = "# no heading\n\n" + "Some words of text. " * 30 + "\n\nEnd.\r\n"
    got = chunk_stream(pieces(text), SMALL, format="text", limits=FEW)
    assert_same([*got], leaves_of_whole(text, SMALL, format_name="text"))


@pytest.mark.parametrize(
    ("text", "title", "is_sole"),
    [
        ("# A\n\nx\n\n## B\n\ny\n", "A", True),
        ("x\n\n# A\n\nx\n\n## B\n\ny\n", "A", True),
        ("## B\n\nx\n\n# A\n\ny\n", "A", True),
        ("# A\n\nx\n\n# B\n\ny\n", "", True),
        ("---\ntitle: A\n---\n\n# A\n\nx\n\n# B\n\ny\n", "A", False),
        ("<h1>T</h1>\n\n## B\n\ny\n", "T", True),
        ("# \n\nx\n\n## B\n\ny\n", "", True),
        ("## B\n\ny\n", "", True),
    ],
)
def test_titles(text: str, title: str, *, is_sole: bool) -> None:
    """What the whole text calls itself is told, and whether its H1 is the only one."""
    got = chunk_stream(pieces(text), SMALL, title=title, sole_h1=is_sole, limits=FEW)
    assert_same([*got], leaves_of_whole(text, SMALL))


# What is read


def test_leaves_come_while_the_text_is_read() -> None:
    """Nothing is read that is not needed."""
    read: list[str] = []

    def endless() -> Iterator[str]:
        while True:
            read.append("## A\n\nSome text of a section.\n\n")
            yield read[-1]

    leaves = chunk_stream(endless(), SMALL, title="", limits=StreamLimits(window=100))
    assert [next(leaves).chunk_index for _ in range(10)] == [*range(10)]
    assert len(read) < 30


def test_files_and_strings() -> None:
    """A file is read in parts, also where it has no line ends; a str is one piece."""
    expected = leaves_of_whole(SECTIONS, SMALL)
    assert_same([*chunk_stream(StringIO(SECTIONS, newline=""), SMALL, title="")], expected)
    assert_same([*chunk_stream(SECTIONS, SMALL, title="")], expected)


def test_a_part_of_a_source_has_offsets_of_the_whole() -> None:
    whole = "one\r\ntwo\n\n three \n"
    part = Source(whole[5:], Source.of(whole[5:]).line_starts, start=5, lines_before=1)
    source = Source.of(whole)
    for offset in range(5, len(whole)):
        assert part.line_at(offset) == source.line_at(offset)
        assert part.line_start(offset) == source.line_start(offset)
        assert part.line_ending(offset) == source.line_ending(offset)
        assert part.trim(offset, len(whole)) == source.trim(offset, len(whole))
        assert part.slice(Span(offset, len(whole))) == whole[offset:]


# Errors


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"config": ChunkConfig()}, "strategy"),
        ({"config": ChunkConfig(strategy="none")}, "strategy"),
        ({"config": ChunkConfig(strategy="structural", validation="warn")}, "validation"),
        ({"config": ChunkConfig(strategy="structural", merge_boundary_level=0)},
         "merge_boundary_level"),
        ({"config": None}, "config"),
        ({"title": None}, "title"),
        ({"title": 1}, "title"),
        ({"sole_h1": 1}, "sole_h1"),
        ({"context": "x"}, "context"),
        ({"limits": 5}, "limits"),
        ({"format": "json"}, "format"),
        ({"lines": 5}, "lines"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_errors_at_once(options: dict[str, object], field: str) -> None:
    arguments: dict[str, object] = {"lines": [], "config": STRUCTURAL, "title": "", **options}
    with pytest.raises(ConfigurationError) as caught:
        chunk_stream(**arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_pieces_are_strings() -> None:
    for lines in ([b"x"], BytesIO(b"x")):
        with pytest.raises(InputTypeError, match="lines"):
            list(chunk_stream(lines, STRUCTURAL, title=""))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["window", "look_ahead", "largest_section"])
def test_limits_are_numbers_of_at_least_1(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name} is 0"):
        StreamLimits(**{name: 0})


@pytest.mark.parametrize(
    ("text", "title", "is_sole", "field"),
    [
        (SECTIONS, "A", True, "sole_h1"),
        (SECTIONS, "X", True, "title"),
        ("# A\n\nx\n", "A", False, "sole_h1"),
        ("# A\n\nx\n", "", True, "sole_h1"),
        ("## A\n\nx\n", "A", True, "title"),
        ("## B\n\nx\n\n# A\n\nx\n", "B", True, "title"),
    ],
)
def test_titles_that_the_text_contradicts(
    text: str, title: str, field: str, *, is_sole: bool
) -> None:
    """The error comes as soon as the text shows it, at the end at the latest."""
    with pytest.raises(ConfigurationError) as caught:
        list(chunk_stream(text, SMALL, title=title, sole_h1=is_sole, limits=FEW))
    assert caught.value.field == field


# Flags


@pytest.mark.parametrize(
    ("text", "limits", "message"),
    [
        (SECTIONS + "::: note\n\n" + SECTIONS * 9, StreamLimits(1, 50), "directive in line 16 "),
        ("---\na: 1\n" + SECTIONS * 9, StreamLimits(1, 50), "front matter"),
        ("# X\n\n" + "Some words. " * 30, StreamLimits(1, 1, 100), "section around line 3 "),
        ("# [x]\n\ny\n\n" + SECTIONS * 3 + "\n[z]: /y\n[x]: /y\n", FEW, "line 1 refers to 'X'"),
        ("# [^x]\n\ny\n\n" + SECTIONS * 3 + "[^x]: y\n", FEW, r"line 1 refers to '\^x'"),
        (SECTIONS + "## D {#c}\n\nz\n", FEW, "anchor 'c'"),
    ],
)
def test_chunks_that_may_differ_from_those_of_the_whole_text_are_warned_of(
    text: str, limits: StreamLimits, message: str
) -> None:
    """Each guess is told to who asks for the chunks, and loses nothing."""
    config = ChunkConfig(max_chunk_size=60, strategy="structural")
    title = Chunker(config).chunk_hierarchical(text).title
    is_sole = title == "X"
    with pytest.warns(StreamWarning, match=message) as told:
        got = [*chunk_stream(text, config, title=title, sole_h1=is_sole, limits=limits)]
    assert {warning.filename for warning in told} == {__file__}
    assert_exact(got, text, config)


LARGE = [
    ("", "Some words of a paragraph. "),
    ("", "- item of a list\n"),
    ("", "Paragraph.\n\n"),
    ("", "> quoted\n"),
    ("```py\n", "x = 1\n"),
    (f"```{'p' * 600}\n", "x = 1\n"),
    ("| a | b |\n|---|---|\n", "| 1 | 2 |\n"),
    ("<!-- note\n", "# hidden\n\n"),
    (f"<!-- {'n' * 600}\n", "# hidden\n\n"),
    ("", "x"),
    ("", "### C\n\nText.\n\n"),
    ("", "\n"),
    (" \n" * 400, "x "),
    (" " * 900, "x y "),
]


@MAY_WARN
@pytest.mark.parametrize(("start", "unit"), LARGE)
def test_large_sections_lose_nothing(start: str, unit: str) -> None:
    """They are chunked in parts, below their heading and what opens their block again."""
    largest = 4 * (len(start) + 100)
    text = f"# A\n\n## B\n\n{start}{unit * (3 * largest // len(unit))}\n\n## End\n\nText.\n"
    keep = ChunkConfig(max_chunk_size=60, strategy="structural")
    for ending, context, config in (
        ("\n", Context(), keep),
        ("\r\n", None, replace(keep, atomic_blocks="split")),
    ):
        ended = text.replace("\n", ending)
        got = streamed(ended, config, context, StreamLimits(50, 50, largest))
        assert_exact(got, ended, config)
        assert got[-1].section.path == leaves_of_whole(ended, config)[-1].section.path


@MAY_WARN
def test_parts_of_a_large_section_are_numbered_on() -> None:
    """They have its path, its heading at its line, and numbers that go on."""
    text = "# A\n\ntext\n\n## B\n\n" + "```\nx = 1\ny = 2\n```\n\n" * 60
    got = streamed(text, SMALL, limits=StreamLimits(50, 50, 300))[1:]
    assert [part.split_index for part in got] == [*range(len(got))]
    assert {part.section.path for part in got} == {("A", "B")}
    assert {part.start_line for part in got} == {5}
    assert all(part.content.startswith("## B\n\n") for part in got)
    assert all(part.content.count("```") == 2 * part.text.count("x") for part in got)
    assert len({part.section_id for part in got}) == 1


@MAY_WARN
def test_cut_code_is_opened_and_closed() -> None:
    text = "# A\n\n```py\n" + "x = 1\n" * 200 + "```\n"
    config = ChunkConfig(max_chunk_size=60, strategy="structural", atomic_blocks="split")
    got = streamed(text, config, limits=StreamLimits(50, 50, 300))
    assert {part.content.count("```") for part in got} == {2}
    assert {part.code_languages for part in got} == {("py",)}


@MAY_WARN
def test_parts_of_large_plain_text_are_numbered_on() -> None:
    text = "Some words of a line.\n\n" * 200
    got = streamed(text, SMALL, limits=StreamLimits(50, 50, 300), format_name="text")
    assert_exact(got, text, SMALL)
    assert [part.split_index for part in got] == [*range(len(got))]


@MAY_WARN
def test_long_headings_are_not_repeated_after_cuts() -> None:
    text = f"## {'long ' * 300}\n\n" + "Some words of a line.\n\n" * 400
    got = streamed(text, SMALL, limits=StreamLimits(50, 50, 3000))
    assert_exact(got, text, SMALL)
    assert not any("long" in part.content for part in got[-9:])


# Memory


def peak(count: int) -> int:
    """Return the peak memory of chunking a stream of `count` sections."""
    section = "## Section {}\n\nSome words of text in a paragraph, and some more of these.\n\n"
    sections = (section.format(number) for number in range(count))
    tracemalloc.start()
    deque(chunk_stream(sections, STRUCTURAL, title="", limits=StreamLimits(window=5000)), 0)
    _, found = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found


@pytest.mark.no_cover
def test_memory_does_not_grow_with_the_document() -> None:
    """Only what is remembered of ids and anchors does: 8 bytes each, in tables that double."""
    peak(100)
    few, many = peak(500), peak(2500)
    assert many - few < 2000 * 200
    assert many < 1_100_000


# What is remembered


@given(st.lists(st.integers(0, 50) | st.integers(0, 2**62)))
def test_numbers_are_a_set(numbers: list[int]) -> None:
    found, expected = NumberSet(), set[int]()
    for number in numbers:
        assert (number in found) == (number in expected)
        found.add(number)
        expected.add(number)
        assert len(found) == len(expected)


def test_ids_are_numbers() -> None:
    ids = IdSet()
    for chunk_id in ("00000000", "ffffffff", "00000000"):
        ids.add(chunk_id)
    assert len(ids) == 2
    assert "ffffffff" in ids
    assert "00000001" not in ids


def test_many_numbers() -> None:
    found = NumberSet()
    for number in range(0, 20_000, 2):
        found.add(number)
    assert len(found) == 10_000
    assert [n for n in range(-1, 30) if n >= 0 and n in found] == [*range(0, 30, 2)]


def test_only_anchors_that_are_slugs_already_are_reported() -> None:
    anchors = AnchorRegister()
    anchors["slug"] = 0
    reserved = [anchors.reserve(name) for name in ("own", "own", "slug", "slug")]
    assert reserved == [False, False, True, False]
    assert anchors["own"] == 0
