"""Validators: each catches the fault that it is for, and nothing in what we make."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import given
from msgspec.structs import replace

from chunkana_core import (
    Chunk,
    ChunkanaWarning,
    ChunkConfig,
    HierarchicalChunkingResult,
    HierarchyBuilder,
    InputTypeError,
    InvariantValidator,
    InvariantViolationError,
    MarkdownChunker,
    Span,
    ValidationResult,
    Violation,
    chunk_hierarchical,
    chunk_markdown,
    validate_content_coverage,
    validate_no_dangling_headers,
    validate_tree,
)
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


def errors(chunks: Sequence[Chunk], text: str = TEXT) -> tuple[Violation, ...]:
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


def lost(first: int, last: int) -> Violation:
    """Return what is said where neighbouring chunks are left out."""
    place = f"{CHUNKS[first].span.start}-{CHUNKS[last].span.end}"
    return Violation("lossless", None, f"the text at {place} is in no chunk")


@pytest.mark.parametrize(
    ("chunks", "violation"),
    [
        (CHUNKS[:-1], lost(-1, -1)),
        (CHUNKS[1:], lost(0, 0)),
        ([*CHUNKS[:1], *CHUNKS[2:]], lost(1, 1)),
        ([], lost(0, -1)),
        (
            [CHUNKS[0], *CHUNKS],
            Violation("lossless", CHUNKS[0].chunk_id, "overlaps the one before it"),
        ),
        (
            [*CHUNKS, CHUNKS[0]],
            Violation("lossless", CHUNKS[0].chunk_id, "overlaps the one before it"),
        ),
        (
            [replace(CHUNKS[0], content="x" * 101), *CHUNKS[1:]],
            Violation("size", CHUNKS[0].chunk_id, "has size 101, over the limit of 100"),
        ),
    ],
    ids=["last", "first", "middle", "all", "twice", "again", "too large"],
)
def test_seeded_faults_are_found(chunks: list[Chunk], violation: Violation) -> None:
    """Text that is lost or held twice, and sizes: each fault is found, and nothing else."""
    assert errors(chunks) == (violation,)
    with pytest.raises(InvariantViolationError) as caught:
        InvariantValidator(CONFIG, strict=True).validate(chunks, TEXT)
    assert caught.value.errors == (violation,)
    assert str(caught.value) == str(violation)


@pytest.mark.parametrize("after", ["", "\nMore text after the code.\n"])
def test_open_fences_are_found(after: str) -> None:
    """A content that opens a fence, which the source closes."""
    text = TEXT + after
    chunks = MarkdownChunker(CONFIG).chunk(text)
    number = next(n for n, chunk in enumerate(chunks) if "```py" in chunk.content)
    chunks[number] = replace(chunks[number], content="```py\nx = 1")
    message = "opens a fence that it does not close"
    assert errors(chunks, text) == (Violation("fence", chunks[number].chunk_id, message),)


def test_fences_may_be_open_where_the_source_leaves_them_open() -> None:
    text = TEXT.removesuffix("```\n")
    chunks = MarkdownChunker(CONFIG).chunk(text)
    assert chunks[-1].content.endswith("```py\nx = 1")
    assert errors(chunks, text) == ()


def test_fences_may_be_open_where_closing_them_is_over_the_limit() -> None:
    """What a cut through a paragraph makes look like a fence need not be closed then."""
    for size, is_found in ((90, True), (98, False)):
        content = "```" + "x" * (size - 3)
        chunks = [replace(CHUNKS[0], content=content), *CHUNKS[1:]]
        laws = [violation.law for violation in errors(chunks)]
        assert laws == (["fence"] if is_found else [])


def test_slices_of_another_text_are_found() -> None:
    """Chunks of one text are no chunks of another."""
    other = TEXT.replace("second", "zweite")
    message = "differs from the source at its span"
    assert errors(CHUNKS, other) == (Violation("exact", CHUNKS[1].chunk_id, message),)


def test_chunks_of_a_blank_text_are_found() -> None:
    """Where there is nothing to chunk, every chunk is one too many."""
    found = errors([*CHUNKS, replace(CHUNKS[0], content="```")], "")
    laws = Counter(violation.law for violation in found)
    assert laws == {"exact": len(CHUNKS) + 1, "lossless": 1, "fence": 1}


def test_oversize_is_allowed_with_a_reason() -> None:
    large = replace(CHUNKS[0], content="x" * 101, oversize_reason="table_integrity")
    assert errors([large, *CHUNKS[1:]]) == ()


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
    assert errors(dangling) == (Violation("heading", first.chunk_id, "ends with the heading 'A'"),)


@pytest.mark.parametrize("lengths", [(60, 60, 1), (10, 10, 90)], ids=["alone", "below another"])
def test_headings_that_cannot_be_carried_are_no_errors(lengths: tuple[int, int, int]) -> None:
    """What L4 allows is a warning at most."""
    first, second, third = ("a" * length for length in lengths)
    text = f"# {first}\n\n## {second}\n\n### {third}\n\ntext\n"
    chunks = MarkdownChunker(CONFIG).chunk(text)
    assert len(chunks) > 1
    outcome = InvariantValidator(CONFIG).validate(chunks, text)
    assert outcome.errors == ()
    (warning,) = outcome.warnings
    assert (warning.law, warning.chunk_id) == ("heading", chunks[0].chunk_id)
    assert outcome.valid


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
    violation = Violation("heading", "0", "ends with the heading 'A'")
    assert outcome == ValidationResult(valid=False, errors=(violation,))
    assert str(violation) == "chunk 0 ends with the heading 'A'"


@pytest.mark.parametrize(
    ("chunk_id", "expected"), [("tea-3", "tea-3"), ("", "1"), (None, "1"), (3, "1")]
)
def test_a_chunk_is_named_by_its_id_or_else_its_position(chunk_id: object, expected: str) -> None:
    """Of any tool's chunks, an id that is a text and not empty counts."""
    contents = ("text", "## A", "body of A")
    chunks = [SimpleNamespace(content=content, chunk_id=chunk_id) for content in contents]
    (violation,) = validate_no_dangling_headers(chunks).errors
    assert violation.chunk_id == expected


# The tree


def result_of(chunks: Sequence[Chunk]) -> HierarchicalChunkingResult:
    """Return a result with other chunks."""
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    return dataclasses.replace(made, chunks=tuple(chunks))


def tree_errors(chunks: Sequence[Chunk]) -> tuple[Violation, ...]:
    """Return what is wrong with a tree; all of it is of one law."""
    outcome = validate_tree(result_of(chunks))
    assert outcome.valid is (not outcome.errors)
    assert {violation.law for violation in outcome.errors} <= {"tree"}
    return outcome.errors


def _broken(number: int, **links: object) -> list[Chunk]:
    chunks = [*MarkdownChunker(CONFIG).chunk_hierarchical(TEXT).chunks]
    changed = replace(chunks[number].links, **links)
    chunks[number] = replace(chunks[number], links=changed)
    return chunks


def test_trees_we_make_are_valid() -> None:
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    assert len(made.chunks) == 4
    assert validate_tree(made) == ValidationResult()
    assert validate_tree(MarkdownChunker(CONFIG).chunk_hierarchical("")) == ValidationResult()


@pytest.mark.parametrize(
    ("chunks", "number", "message"),
    [
        (lambda: _broken(1, parent_id=None), None, "roots are"),
        (lambda: _broken(0, children_ids=()), None, "not every chunk is reachable from the root"),
        (lambda: _broken(0, children_ids=("unknown",)), 0, "has children that do not exist"),
        (lambda: _broken(1, parent_id="unknown"), 1, "does not name its parent"),
        (lambda: _broken(1, next_sibling_id=None), 1, "is not linked to its siblings"),
        (lambda: _broken(2, prev_sibling_id="unknown"), 2, "is not linked to its siblings"),
        (lambda: [*_broken(0), *_broken(0)[1:]], None, "ids are not unique"),
        (lambda: _broken(0)[1:], None, "roots are []"),
    ],
    ids=["two roots", "no children", "unknown child", "unknown parent", "no next", "wrong previous",
         "twice", "none"],
)  # fmt: skip
def test_seeded_faults_in_trees_are_found(
    chunks: Callable[[], list[Chunk]], number: int | None, message: str
) -> None:
    """Each fault is a violation of the chunk that it is of, or of none."""
    broken = chunks()
    chunk_id = None if number is None else broken[number].chunk_id
    found = tree_errors(broken)
    assert any(v.chunk_id == chunk_id and v.message.startswith(message) for v in found), found


def test_children_out_of_order_or_outside_are_found() -> None:
    """Siblings are in document order, inside their parent."""
    made = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)
    root, first, second, third = made.chunks
    swapped = replace(first, span=second.span), replace(second, span=first.span)
    unordered = Violation("tree", root.chunk_id, "has children out of document order")
    assert tree_errors([root, *swapped, third]) == (unordered,)
    outside = replace(third, span=Span(third.span.start, third.span.end + 1))
    message = f"is not inside its parent {root.chunk_id}"
    assert tree_errors([root, first, second, outside]) == (
        Violation("tree", third.chunk_id, message),
    )


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
        return len(text) + 5 * self.calls


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
    warn = dataclasses.replace(strict, length_function=Unsteady(), validation="warn")
    with pytest.warns(ChunkanaWarning, match=r"^chunk [0-9a-f]{8} has size \d+, over the limit"):
        result = MarkdownChunker(warn).chunk_hierarchical(text)
    assert result.validation
    assert not result.validation.valid
    assert {violation.law for violation in result.validation.errors} == {"size"}
    off = dataclasses.replace(strict, length_function=Unsteady(), validation="off")
    assert MarkdownChunker(off).chunk_hierarchical(text).validation is None


@pytest.mark.parametrize(
    "chunk",
    [
        lambda text, config: MarkdownChunker(config).chunk(text),
        lambda text, config: MarkdownChunker(config).chunk_hierarchical(text),
        chunk_markdown,
        chunk_hierarchical,
    ],
    ids=["chunk", "chunk_hierarchical", "chunk_markdown", "chunk_hierarchical()"],
)
def test_warnings_point_at_the_caller(chunk: Callable[[str, ChunkConfig], object]) -> None:
    """The warning names the line that asked for the chunks, whichever way it asked."""
    config = ChunkConfig(max_chunk_size=200, length_function=Unsteady(), validation="warn")
    with pytest.warns(ChunkanaWarning) as caught:
        chunk("A sentence of some length. " * 60, config)
    assert caught[0].filename == __file__


def test_outcomes_are_dicts_too() -> None:
    """What JSON takes of an outcome is all of it."""
    error, warning = Violation("size", "a", "is large"), Violation("coverage", None, "it is low")
    outcome = ValidationResult(valid=False, errors=(error,), warnings=(warning,), coverage=0.5)
    assert json.loads(json.dumps(outcome.to_dict())) == {
        "valid": False,
        "errors": [{"law": "size", "chunk_id": "a", "message": "is large"}],
        "warnings": [{"law": "coverage", "chunk_id": None, "message": "it is low"}],
        "coverage": 0.5,
    }


NO_CHUNKS: tuple[object, ...] = (None, {}, "text", 3, [None], [{"content": "a"}], ["a"], [object()])


@pytest.mark.parametrize("chunks", NO_CHUNKS, ids=map(str, range(len(NO_CHUNKS))))
def test_what_is_no_chunk_is_an_error_that_says_so(chunks: object) -> None:
    """Errors are of one type, and name the field, the value and what is allowed."""
    checks: tuple[Callable[[], object], ...] = (
        lambda: validate_content_coverage(chunks, "text"),  # type: ignore[arg-type]
        lambda: validate_no_dangling_headers(chunks),  # type: ignore[arg-type]
        lambda: InvariantValidator(ChunkConfig()).validate(chunks, "text"),  # type: ignore[arg-type]
        lambda: HierarchyBuilder().build(chunks, "text"),  # type: ignore[arg-type]
    )
    for check in checks:
        with pytest.raises(InputTypeError, match=r"chunks.* is .*; allowed: a") as caught:
            check()
        assert caught.value.field.startswith("chunks")


def test_a_content_that_is_no_text_is_named_with_its_position() -> None:
    with pytest.raises(InputTypeError) as caught:
        validate_no_dangling_headers([Piece("a"), Piece(None)])  # type: ignore[arg-type]
    assert str(caught.value) == "chunks[1].content is None; allowed: a str"


@pytest.mark.parametrize("result", [None, {}, [], "tree"], ids=repr)
def test_what_is_no_result_has_no_tree(result: object) -> None:
    with pytest.raises(
        InputTypeError, match=r"^result is .*; allowed: a HierarchicalChunkingResult"
    ):
        validate_tree(result)  # type: ignore[arg-type]


@pytest.mark.parametrize(("field", "value"), [("config", None), ("config", {}), ("strict", 1)])
def test_a_validator_checks_its_arguments(field: str, value: object) -> None:
    with pytest.raises(InputTypeError, match=f"^{field} is "):
        InvariantValidator(**{"config": ChunkConfig(), field: value})  # type: ignore[arg-type]
