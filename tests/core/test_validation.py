"""Validators: each catches the fault that it is for, and nothing in what we make."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Literal

import pytest
from hypothesis import given
from msgspec.structs import replace

from chunkana_core import (
    Chunk,
    ChunkanaWarning,
    ChunkConfig,
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


def errors(chunks: Sequence[Chunk], text: str = TEXT) -> tuple[Violation, ...]:
    """Return what the validator finds."""
    outcome = InvariantValidator(CONFIG).validate(chunks, text)
    assert outcome.valid is (not outcome.errors)
    return outcome.errors


@given(any_markdown(), configs())
def test_validators_accept_every_result(text: str, config: ChunkConfig) -> None:
    """The validators find nothing wrong with any result."""
    result = MarkdownChunker(config).chunk_hierarchical(text)
    assert InvariantValidator(config).validate(result.chunks, text).errors == ()
    assert validate_tree(result).errors == ()
    assert validate_content_coverage(result.get_leaves(), text).valid


def changed(number: int, **fields: object) -> list[Chunk]:
    """Return the chunks, one of them with other fields."""
    chunks = [*CHUNKS]
    chunks[number] = replace(chunks[number], **fields)
    return chunks


def fault(
    law: Literal["lossless", "size", "fence", "heading", "exact"], number: int, message: str
) -> Violation:
    """Return what is said of a chunk."""
    return Violation(law, CHUNKS[number].chunk_id, message)


def lost(first: int, last: int) -> Violation:
    """Return what is said where neighbouring chunks are left out."""
    place = f"{CHUNKS[first].span.start}-{CHUNKS[last].span.end}"
    return Violation("lossless", None, f"the text at {place} is in no chunk")


CUT = TEXT.index("The second")  # below the heading A
DANGLING = [
    replace(CHUNKS[0], span=Span(0, CUT - 2), content=TEXT[: CUT - 2]),
    replace(CHUNKS[1], span=Span(CUT, CHUNKS[1].span.end), content=CHUNKS[1].text[6:]),
    *CHUNKS[2:],
]
OPEN_FENCE = "opens a fence that it does not close"


@pytest.mark.parametrize(
    ("chunks", "violation"),
    [
        (CHUNKS[:-1], lost(-1, -1)),
        (CHUNKS[1:], lost(0, 0)),
        ([*CHUNKS[:1], *CHUNKS[2:]], lost(1, 1)),
        ([], lost(0, -1)),
        ([CHUNKS[0], *CHUNKS], fault("lossless", 0, "overlaps the one before it")),
        ([*CHUNKS, CHUNKS[0]], fault("lossless", 0, "overlaps the one before it")),
        (changed(0, content="x" * 101), fault("size", 0, "has size 101, over the limit of 100")),
        (changed(-1, content="```py\nx = 1"), fault("fence", -1, OPEN_FENCE)),
        (changed(0, content=f"```{'x' * 87}"), fault("fence", 0, OPEN_FENCE)),
        (DANGLING, fault("heading", 0, "ends with the heading 'A'")),
    ],
    ids=["last", "first", "middle", "all", "twice", "again", "size", "open", "short", "heading"],
)
def test_seeded_faults_are_found(chunks: list[Chunk], violation: Violation) -> None:
    """Each fault is found, and nothing else."""
    assert errors(chunks) == (violation,)
    with pytest.raises(InvariantViolationError) as caught:
        InvariantValidator(CONFIG, strict=True).validate(chunks, TEXT)
    assert caught.value.errors == (violation,)
    assert str(caught.value) == str(violation)


OPEN_TEXT = TEXT.removesuffix("```\n")


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        (CHUNKS, TEXT),
        (MarkdownChunker(CONFIG).chunk_hierarchical(TEXT).chunks, TEXT),
        (changed(0, content="x" * 101, oversize_reason="table_integrity"), TEXT),
        (changed(0, content=f"```{'x' * 95}"), TEXT),  # its end would be over the limit
        (MarkdownChunker(CONFIG).chunk(OPEN_TEXT), OPEN_TEXT),  # left open in the source
    ],
    ids=["leaves", "all", "with a reason", "a fence that cannot be closed", "an open fence"],
)
def test_valid_chunks_have_no_errors_and_no_warnings(chunks: Sequence[Chunk], text: str) -> None:
    outcome = InvariantValidator(CONFIG, strict=True).validate(chunks, text)
    assert (outcome.valid, outcome.errors, outcome.warnings) == (True, (), ())


def test_an_open_fence_before_other_text_is_found() -> None:
    text = f"{TEXT}\nMore text after the code.\n"
    chunks = MarkdownChunker(CONFIG).chunk(text)
    number = next(n for n, chunk in enumerate(chunks) if "```py" in chunk.content)
    chunks[number] = replace(chunks[number], content="```py\nx = 1")
    assert errors(chunks, text) == (Violation("fence", chunks[number].chunk_id, OPEN_FENCE),)


def test_chunks_of_another_text_are_found() -> None:
    """Where there is nothing to chunk, every chunk is one too many."""
    found = errors(CHUNKS, TEXT.replace("second", "zweite"))
    assert found == (fault("exact", 1, "differs from the source at its span"),)
    found = errors([*CHUNKS, replace(CHUNKS[0], content="```")], "")
    laws = Counter(violation.law for violation in found)
    assert laws == {"exact": len(CHUNKS) + 1, "lossless": 1, "fence": 1}


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


DANGLES = ValidationResult(
    valid=False, errors=(Violation("heading", "0", "ends with the heading 'A'"),)
)


@pytest.mark.parametrize(
    ("contents", "expected"),
    [
        (("# A\n\ntext", "## B\n\ntext"), ValidationResult()),
        (("text", "# A"), ValidationResult()),
        (("# A", "# B", "## C"), ValidationResult()),
        (("text\n\n## Empty", "# Next\n\ntext"), ValidationResult()),
        (("text\n\n## Empty", "## Next\n\ntext"), ValidationResult()),
        (("```\n# no heading\n```", "text"), ValidationResult()),
        (("- # in an item", "text"), ValidationResult()),
        *(((), ValidationResult()), (("",), ValidationResult())),
        (("", "# A\n\ntext", ""), ValidationResult()),
        (("text\n\n## A", "body of A"), DANGLES),
        (("## A", "body of A"), DANGLES),
        (("text\n\nA\n-", "body"), DANGLES),
        (("text\n\n# A", "## B\n\ntext"), DANGLES),
        (("text\n\n###### A", "- list", "end"), DANGLES),
    ],
)
def test_a_heading_dangles_if_its_body_is_elsewhere(
    contents: tuple[str, ...], expected: ValidationResult
) -> None:
    """Sections may be empty."""
    assert validate_no_dangling_headers([Piece(content) for content in contents]) == expected
    assert all(str(v) == "chunk 0 ends with the heading 'A'" for v in expected.errors)


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


MADE = MarkdownChunker(CONFIG).chunk_hierarchical(TEXT)


def broken(number: int, span: Span | None = None, **links: object) -> list[Chunk]:
    """Return the chunks of the tree, one of them with another span or other links."""
    chunk = MADE.chunks[number]
    other = replace(chunk, span=span or chunk.span, links=replace(chunk.links, **links))
    return [other if chunk is made else made for made in MADE.chunks]


ROOT, FIRST, SECOND, LAST = MADE.chunks
SWAPPED = [ROOT, replace(FIRST, span=SECOND.span), replace(SECOND, span=FIRST.span), LAST]
INSIDE = f"is not inside its parent {ROOT.chunk_id}"


@pytest.mark.parametrize(
    ("chunks", "chunk", "message"),
    [
        (broken(1, parent_id=None), None, "roots are"),
        (broken(0, children_ids=()), None, "not every chunk is reachable from the root"),
        (broken(0, children_ids=("unknown",)), ROOT, "has children that do not exist"),
        (broken(1, parent_id="unknown"), FIRST, "does not name its parent"),
        (broken(1, next_sibling_id=None), FIRST, "is not linked to its siblings"),
        (broken(2, prev_sibling_id="unknown"), SECOND, "is not linked to its siblings"),
        ([*MADE.chunks, *MADE.chunks[1:]], None, "ids are not unique"),
        ([*MADE.chunks[1:]], None, "roots are []"),
        (SWAPPED, ROOT, "has children out of document order"),
        (broken(3, Span(LAST.span.start, LAST.span.end + 1)), LAST, INSIDE),
        (broken(1, children_ids=(ROOT.chunk_id,)), ROOT, "does not name its parent"),  # a circle
    ],
)
def test_seeded_faults_in_trees_are_found(
    chunks: list[Chunk], chunk: Chunk | None, message: str
) -> None:
    """Each fault is a violation of the chunk that it is of, or of none."""
    outcome = validate_tree(dataclasses.replace(MADE, chunks=tuple(chunks)))
    assert not outcome.valid
    assert {violation.law for violation in outcome.errors} == {"tree"}
    found = [v.message for v in outcome.errors if v.chunk_id == (chunk and chunk.chunk_id)]
    assert any(said.startswith(message) for said in found), outcome.errors
    if chunks is SWAPPED or message == INSIDE:
        assert len(outcome.errors) == 1


def test_a_document_without_chunks_has_a_valid_tree() -> None:
    assert validate_tree(MarkdownChunker(CONFIG).chunk_hierarchical("")) == ValidationResult()


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
def test_valid_results_cause_no_warning(validation: str) -> None:
    """With validation on, its outcome is on the result; with it off, nothing is."""
    config = ChunkConfig.from_dict({"validation": validation})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = MarkdownChunker(config).chunk_hierarchical(TEXT)
    assert result.validation == (None if validation == "off" else ValidationResult())
    assert all("validation" not in chunk.metadata for chunk in result.chunks)


@pytest.mark.parametrize("validation", ["warn", "off"])
def test_debug_puts_the_outcome_into_the_metadata(validation: Literal["warn", "off"]) -> None:
    config = ChunkConfig(validation=validation, debug=True)
    result = MarkdownChunker(config).chunk_hierarchical(TEXT)
    outcome = {"valid": True, "errors": [], "warnings": [], "coverage": 1.0}
    expected = outcome if validation == "warn" else None
    assert all(chunk.metadata.get("validation") == expected for chunk in result.chunks)
    assert result.get_chunk(result.root_id) == result.chunks[0]


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
def test_validate_tree_refuses_other_types(result: object) -> None:
    with pytest.raises(
        InputTypeError, match=r"^result is .*; allowed: a HierarchicalChunkingResult"
    ):
        validate_tree(result)  # type: ignore[arg-type]


@pytest.mark.parametrize(("field", "value"), [("config", None), ("config", {}), ("strict", 1)])
def test_a_validator_checks_its_arguments(field: str, value: object) -> None:
    with pytest.raises(InputTypeError, match=f"^{field} is "):
        InvariantValidator(**{"config": ChunkConfig(), field: value})  # type: ignore[arg-type]
