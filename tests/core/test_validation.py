"""Validators: each catches the fault that it is for, and nothing in what we make."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given

from chunkana_core import (
    Chunk,
    ChunkConfig,
    Document,
    HierarchicalChunkingResult,
    InvariantValidator,
    InvariantViolationError,
    InvariantWarning,
    Links,
    MarkdownChunker,
    Span,
    ValidationResult,
    validate_content_coverage,
    validate_no_dangling_headers,
    validate_tree,
)
from chunkana_core.coverage import line_recall
from tests import corpora
from tests.core.configurations import configs
from tests.strategies import any_markdown

TEXT = (
    "# Doc\n\nThe first paragraph of the document.\n\n## A\n\nThe second paragraph of it.\n\n"
    "## B\n\nThe third paragraph of the document.\n\n```py\nx = 1\n```\n"
)
CONFIG = ChunkConfig(max_chunk_size=100)
CHUNKS = MarkdownChunker(CONFIG).chunk(TEXT)


@dataclass(frozen=True)
class Piece:
    """A chunk of another tool: a content and nothing else."""

    content: str


def pieces(*contents: str) -> list[Piece]:
    """Return chunks of another tool."""
    return [Piece(content) for content in contents]


def errors(chunks: Sequence[Chunk], text: str = TEXT) -> tuple[str, ...]:
    """Return what the validator finds."""
    outcome = InvariantValidator(CONFIG).validate(chunks, text)
    assert outcome.valid is (not outcome.errors)
    return outcome.errors


def test_what_we_make_is_valid() -> None:
    """Leaves, and all chunks of a result, break no law."""
    assert errors(CHUNKS) == ()
    outcome = InvariantValidator(CONFIG, strict=True).validate(CHUNKS, TEXT)
    assert outcome == ValidationResult(valid=True, errors=(), warnings=(), coverage=1.0)
    whole = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    assert errors(whole.chunks) == ()


@given(any_markdown(), configs())
def test_what_we_make_of_anything_is_valid(text: str, config: ChunkConfig) -> None:
    """The validators find nothing wrong with any result, in strict mode."""
    result = MarkdownChunker(config).chunk_hierarchical(text)
    assert InvariantValidator(config).validate(result.chunks, text).errors == ()
    assert validate_tree(result).errors == ()


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_our_documents_are_valid(sample: corpora.Sample) -> None:
    for size in (200, 1000):
        config = ChunkConfig(max_chunk_size=size, validation="strict")
        result = MarkdownChunker(config).chunk_hierarchical(sample.text)
        assert result.validation == ValidationResult()
        assert validate_content_coverage(result.get_leaves(), sample.text).valid


def _moved(chunk: Chunk) -> Chunk:
    return replace(chunk, span=Span(chunk.span.start + 1, chunk.span.end + 1))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (lambda: CHUNKS[:-1], "is in no chunk"),
        (lambda: CHUNKS[1:], "is in no chunk"),
        (lambda: [*CHUNKS[:1], *CHUNKS[2:]], "is in no chunk"),
        (lambda: [CHUNKS[0], *CHUNKS], "overlaps the one before it"),
        (lambda: [*CHUNKS, CHUNKS[0]], "overlaps the one before it"),
        (lambda: [replace(CHUNKS[0], content="x" * 101), *CHUNKS[1:]], "has size 101 > 100"),
        (
            lambda: [*CHUNKS[:-1], replace(CHUNKS[-1], content="```py\nx = 1")],
            "opens a fence that it does not close",
        ),
    ],
    ids=["last", "first", "middle", "twice", "again", "too large", "open fence"],
)
def test_seeded_faults_are_found(fault: Callable[[], list[Chunk]], sentence: str) -> None:
    """Text that is lost or held twice, sizes and fences: each fault is said."""
    chunks = fault()
    if sentence.startswith("opens"):
        text = TEXT + "\nMore text after the code.\n"
        chunks = [*chunks, *MarkdownChunker(CONFIG).chunk(text)[len(chunks) :]]
        assert any(sentence in error for error in errors(chunks, text))
    else:
        assert any(sentence in error for error in errors(chunks))
    with pytest.raises(InvariantViolationError) as caught:
        InvariantValidator(CONFIG, strict=True).validate(fault()[:1], TEXT)
    assert caught.value.errors


def test_slices_of_another_text_are_found() -> None:
    """Chunks of one text are no chunks of another."""
    other = TEXT.replace("second", "zweite")
    assert any("not what stands at its span" in error for error in errors(CHUNKS, other))


def test_chunks_of_a_blank_text_are_found() -> None:
    """Where there is nothing to chunk, every chunk is one too many."""
    found = errors([*CHUNKS, replace(CHUNKS[0], content="```")], "")
    assert sum("not what stands at its span" in error for error in found) == len(CHUNKS) + 1
    assert sum("opens a fence" in error for error in found) == 1


def test_oversize_is_allowed_with_a_reason() -> None:
    large = replace(CHUNKS[0], content="x" * 101, oversize_reason="table_integrity")
    assert not any("size" in error for error in errors([large, *CHUNKS[1:]]))


def test_dangling_headings_are_found_by_the_documents_blocks() -> None:
    """A leaf that ends in a heading whose body is in the next one is an error."""
    cut = TEXT.index("The second")
    first, second, *rest = CHUNKS
    assert second.text.startswith("## A")
    dangling = [
        replace(first, span=Span(0, cut - 2), content=TEXT[: cut - 2]),
        replace(second, span=Span(cut, second.span.end), content=TEXT[cut : second.span.end]),
        *rest,
    ]
    assert errors(dangling) == (f"chunk {first.chunk_id} ends with the heading 'A'",)


def test_headings_that_cannot_be_carried_are_no_errors() -> None:
    """What L4 allows is a warning at most."""
    text = f"# {'a' * 60}\n\n## {'b' * 60}\n\n### C\n\ntext\n"
    chunks = MarkdownChunker(CONFIG).chunk(text)
    assert len(chunks) > 1
    outcome = InvariantValidator(CONFIG).validate(chunks, text)
    assert outcome.errors == ()


def test_only_headings_do_not_dangle() -> None:
    text = "".join(f"# Heading {n}\n\n## Under it\n\n" for n in range(20))
    chunks = MarkdownChunker(CONFIG).chunk(text)
    assert len(chunks) > 1
    assert errors(chunks, text) == ()
    assert validate_no_dangling_headers(chunks).valid


# Any tool's chunks


@pytest.mark.parametrize(
    "contents",
    [
        ("# A\n\ntext", "## B\n\ntext"),
        ("text", "# A"),
        ("# A", "# B", "## C"),
        ("text\n\n## Empty", "# Next\n\ntext"),
        ("text\n\n## Empty", "## Next\n\ntext"),
        ("```\n# no heading\n```", "text"),
        ("- # in an item", "text"),
        (),
        ("",),
        ("", "# A\n\ntext", ""),
    ],
)
def test_contents_without_dangling_headings(contents: tuple[str, ...]) -> None:
    """A heading dangles if its body is elsewhere; sections may be empty."""
    assert validate_no_dangling_headers(pieces(*contents)) == ValidationResult()


@pytest.mark.parametrize(
    "contents",
    [
        ("text\n\n## A", "body of A"),
        ("## A", "body of A"),
        ("text\n\nA\n-", "body"),
        ("text\n\n# A", "## B\n\ntext"),
        ("text\n\n###### A", "- list", "end"),
    ],
)
def test_contents_with_dangling_headings(contents: tuple[str, ...]) -> None:
    outcome = validate_no_dangling_headers(pieces(*contents))
    assert not outcome.valid
    assert outcome.errors[0].startswith("chunk 0 ends with the heading 'A'")
    assert len(outcome.errors) == 1


# Coverage

LINE = "A line of the document that is long enough to count."
OTHER = "Another line of it, which is long enough to count too."
SHORT = "short"
LARGE = 200


@pytest.mark.parametrize(
    ("contents", "recall"),
    [
        ((f"{LINE}\n{OTHER}",), 1.0),
        ((LINE, OTHER), 1.0),
        ((OTHER, LINE), 1.0),
        ((LINE,), 0.5),
        ((LINE, LINE, LINE), 0.5),
        ((f"{LINE}\n{LINE}\n{LINE}", LINE), 0.5),
        ((), 0.0),
        (("unrelated",), 0.0),
        ((LINE.replace(" ", "  \t "), f"  {OTHER} "), 1.0),
        ((LINE[:30], LINE[30:], OTHER), 1.0),
        ((f"# Head\n{LINE[:30]}", f"# Head\n{LINE[30:]}", OTHER), 1.0),
        ((LINE[:30], "something else", LINE[30:], OTHER), 1.0),
        ((LINE[:30], "something else\n" * 9 + LINE[30:], OTHER), 0.5),
        ((f"> {LINE[:30]}", f"> {LINE[30:]}", OTHER), 1.0),
        ((LINE[30:], LINE[:30], OTHER), 0.5),
        ((LINE[:30], OTHER), 0.5),
    ],
)
def test_recall(contents: tuple[str, ...], recall: float) -> None:
    """Recall is the share of the long lines found; repetition cannot raise it."""
    text = f"# Head\n{LINE}\n{SHORT}\n\n{OTHER}\n"
    outcome = validate_content_coverage(pieces(*contents), text)
    assert outcome.coverage == recall
    assert outcome.valid is (recall >= 0.95)
    assert line_recall(contents, text) == recall
    if not outcome.valid:
        assert outcome.errors == (f"coverage is {recall:.1%}, less than 95%",)


def test_lines_count_as_often_as_they_stand() -> None:
    """A line that stands three times is found three times, or less."""
    text = f"{LINE}\n{OTHER}\n{LINE}\n{LINE}\n"
    assert line_recall([LINE], text) == 0.25
    assert line_recall([LINE] * 2, text) == 0.5
    assert line_recall([LINE] * 9, text) == 0.75


@pytest.mark.parametrize("text", ["", "short\n", "one\ntwo\r\nthree\r"])
def test_nothing_to_find_is_found(text: str) -> None:
    """A document without long lines is covered by anything."""
    assert validate_content_coverage([], text) == ValidationResult()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_recall_with_any_line_end(end: str) -> None:
    assert line_recall([LINE, OTHER], f"{LINE}{end}{OTHER}{end}") == 1.0


def test_pieces_are_used_up() -> None:
    """The pieces of one line do not stand for another that is the same."""
    assert line_recall([LINE[:30], LINE[30:]], f"{LINE}\n{LINE}\n") == 0.5
    assert line_recall([LINE[:30], LINE[30:]] * 2, f"{LINE}\n{LINE}\n") == 1.0


def test_a_piece_may_look_like_another_line() -> None:
    """Where a line is cut at what is a line of its own elsewhere, both are found."""
    longer = f"{LINE} And more."
    assert line_recall([LINE, "And more.", LINE], f"{longer}\n{LINE}\n") == 1.0
    assert line_recall([LINE, "And more."], f"{longer}\n{LINE}\n") == 0.5


@given(any_markdown(), configs().filter(lambda config: config.max_chunk_size >= LARGE))
def test_leaves_cover_any_document(text: str, config: ChunkConfig) -> None:
    """Of made-up text, one line at most is not known again by its pieces, or 5 % of the lines.

    Smaller limits make pieces of a few characters, which say too little of the line they are of.
    """
    folded = (" ".join(line.split()) for line in re.split(r"[\r\n]", text))
    count = sum(len(line) >= 20 for line in folded)
    recall = line_recall([c.content for c in MarkdownChunker(config).chunk(text)], text)
    assert round(count * (1 - recall)) <= max(1, count // 20)


# The tree


def result_of(chunks: Sequence[Chunk]) -> HierarchicalChunkingResult:
    """Return a result with other chunks."""
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    return replace(made, chunks=tuple(chunks))


def _broken(number: int, **links: object) -> list[Chunk]:
    chunks = [*MarkdownChunker(CONFIG).chunk_hierarchical(TEXT).chunks]
    changed = replace(chunks[number].links, **links)  # type: ignore[arg-type]
    chunks[number] = replace(chunks[number], links=changed)
    return chunks


def test_trees_we_make_are_valid() -> None:
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    assert len(made.chunks) == 4
    assert validate_tree(made) == ValidationResult()
    assert validate_tree(MarkdownChunker(CONFIG).chunk_hierarchical("")) == ValidationResult()


@pytest.mark.parametrize(
    ("chunks", "sentence"),
    [
        (lambda: _broken(1, parent_id=None), "roots are"),
        (lambda: _broken(0, children_ids=()), "not every chunk is reachable"),
        (lambda: _broken(0, children_ids=("unknown",)), "has children that do not exist"),
        (lambda: _broken(1, parent_id="unknown"), "does not name its parent"),
        (lambda: _broken(1, next_sibling_id=None), "is not linked to its siblings"),
        (lambda: _broken(2, prev_sibling_id="unknown"), "is not linked to its siblings"),
        (lambda: [*_broken(0), *_broken(0)[1:]], "ids are not unique"),
        (list, "roots are"),
    ],
    ids=["two roots", "no children", "unknown child", "unknown parent", "no next", "wrong previous",
         "twice", "none"],
)  # fmt: skip
def test_seeded_faults_in_trees_are_found(chunks: Callable[[], list[Chunk]], sentence: str) -> None:
    broken = chunks()
    if not broken:
        made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
        _, *broken = made.chunks
    outcome = validate_tree(result_of(broken))
    assert not outcome.valid
    assert any(sentence in error for error in outcome.errors)


def test_children_out_of_order_or_outside_are_found() -> None:
    """Siblings are in document order, inside their parent."""
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    root, first, second, third = made.chunks
    swapped = replace(first, span=second.span), replace(second, span=first.span)
    outcome = validate_tree(result_of([root, *swapped, third]))
    assert any("not in document order" in error for error in outcome.errors)
    outside = replace(third, span=Span(third.span.start, third.span.end + 1))
    outcome = validate_tree(result_of([root, first, second, outside]))
    assert any("is not inside its parent" in error for error in outcome.errors)


def test_cycles_end() -> None:
    """A tree whose links go in circles is found wrong, in finite time."""
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    root, first, *rest = made.chunks
    circle = replace(first, links=replace(first.links, children_ids=(root.chunk_id,)))
    assert not validate_tree(result_of([root, circle, *rest])).valid


# Validation as an option


class Unsteady:
    """A measure that says something else each time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, text: str) -> int:
        """Measure more and more."""
        self.calls += 1
        return len(text) + self.calls


@pytest.mark.parametrize("validation", ["off", "warn", "strict"])
def test_nothing_wrong_is_no_warning(validation: str) -> None:
    """With validation on, its outcome is on the result; with it off, nothing is."""
    config = ChunkConfig.from_dict({"validation": validation})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = MarkdownChunker(config).chunk_hierarchical(TEXT)
    assert result.validation == (None if validation == "off" else ValidationResult())
    assert all("validation" not in chunk.metadata for chunk in result.chunks)


def test_debug_puts_the_outcome_into_the_metadata() -> None:
    config = ChunkConfig(validation="warn", debug=True)
    result = MarkdownChunker(config).chunk_hierarchical(TEXT)
    outcome = {"valid": True, "errors": [], "warnings": [], "coverage": 1.0}
    assert [chunk.metadata["validation"] for chunk in result.chunks] == [outcome] * len(
        result.chunks
    )
    assert result.get_chunk(result.root_id) == result.chunks[0]
    assert result.validation == ValidationResult()


def test_debug_without_validation_adds_nothing() -> None:
    result = MarkdownChunker(ChunkConfig(debug=True)).chunk_hierarchical(TEXT)
    assert all("validation" not in chunk.metadata for chunk in result.chunks)


def test_strict_raises_and_warn_warns() -> None:
    """Where an invariant is broken, strict raises what warn warns of, and off says nothing."""
    text = "A sentence of some length. " * 60
    strict = ChunkConfig(max_chunk_size=200, length_function=Unsteady(), validation="strict")
    with pytest.raises(InvariantViolationError, match="has size"):
        MarkdownChunker(strict).chunk(text)
    warn = replace(strict, length_function=Unsteady(), validation="warn")
    with pytest.warns(InvariantWarning, match="has size"):
        result = MarkdownChunker(warn).chunk_hierarchical(text)
    assert result.validation
    assert not result.validation.valid
    assert result.validation.errors
    off = replace(strict, length_function=Unsteady(), validation="off")
    assert MarkdownChunker(off).chunk_hierarchical(text).validation is None


@pytest.mark.parametrize("of_document", [False, True])
def test_warnings_point_at_the_caller(*, of_document: bool) -> None:
    """The warning names the line that asked for the chunks."""
    config = ChunkConfig(max_chunk_size=200, length_function=Unsteady(), validation="warn")
    chunker, text = MarkdownChunker(config), "A sentence of some length. " * 60
    if of_document:
        with pytest.warns(InvariantWarning) as caught:
            chunker.chunk_document(Document.parse(text))
    else:
        with pytest.warns(InvariantWarning) as caught:
            chunker.chunk_hierarchical(text)
    assert caught[0].filename == __file__


def test_results_are_dicts_too() -> None:
    outcome = ValidationResult(valid=False, errors=("a",), warnings=("b",), coverage=0.5)
    assert outcome.to_dict() == {
        "valid": False,
        "errors": ["a"],
        "warnings": ["b"],
        "coverage": 0.5,
    }
    assert Links().children_ids == ()
