"""The configuration: what is allowed, what None stands for, and how errors say so."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import FrozenInstanceError, fields

import pytest

from chunkana_core import (
    ChunkConfig,
    ConfigurationError,
    Context,
    InputTypeError,
    InvariantValidator,
    MarkdownChunker,
)

DEFAULTS: dict[str, object] = {
    "max_chunk_size": 1000,
    "min_chunk_size": None,
    "overlap_size": 0,
    "strategy": "auto",
    "code_threshold": 0.3,
    "structure_threshold": 3,
    "atomic_blocks": "keep",
    "code_cuts": "lines",
    "oversize_tolerance": 0.0,
    "merge_boundary_level": 2,
    "min_content_after_header": None,
    "include_document_summary": True,
    "validation": "off",
    "debug": False,
}


def test_defaults_are_those_of_the_specification() -> None:
    """The fields, and what they are by default, are those of SPEC section 8 and no more."""
    config = ChunkConfig()
    assert config.to_dict() == DEFAULTS
    assert {field.name for field in fields(ChunkConfig)} == {*DEFAULTS, "length_function"}
    assert config.length_function is len


@pytest.mark.parametrize(
    ("field", "value", "allowed"),
    [
        ("max_chunk_size", 31, "a whole number of at least 32"),
        ("max_chunk_size", 0, "a whole number of at least 32"),
        ("max_chunk_size", -1, "a whole number of at least 32"),
        ("min_chunk_size", -1, "None or a whole number from 0 to 1000"),
        ("min_chunk_size", 1001, "None or a whole number from 0 to 1000"),
        ("min_content_after_header", -1, "None or a whole number from 0 to 1000"),
        ("min_content_after_header", 1001, "None or a whole number from 0 to 1000"),
        ("overlap_size", -1, "a whole number of at least 0"),
        ("structure_threshold", -1, "a whole number of at least 0"),
        ("merge_boundary_level", -1, "a whole number from 0 to 6"),
        ("merge_boundary_level", 7, "a whole number from 0 to 6"),
        ("code_threshold", -0.1, "a number from 0.0 to 1.0"),
        ("code_threshold", 1.1, "a number from 0.0 to 1.0"),
        ("code_threshold", float("nan"), "a number from 0.0 to 1.0"),
        ("oversize_tolerance", -0.1, "a number from 0.0 to 1000000000.0"),
        ("oversize_tolerance", float("inf"), "a number from 0.0 to 1000000000.0"),
        ("oversize_tolerance", float("nan"), "a number from 0.0 to 1000000000.0"),
        ("atomic_blocks", "keeps", "'keep' or 'split'"),
        ("atomic_blocks", True, "'keep' or 'split'"),
        ("validation", "strictly", "'off', 'warn' or 'strict'"),
        ("validation", None, "'off', 'warn' or 'strict'"),
    ],
)
def test_values_that_are_not_allowed(field: str, value: object, allowed: str) -> None:
    """An error names the field, the value, and what is allowed."""
    with pytest.raises(ConfigurationError) as caught:
        ChunkConfig.from_dict({field: value})
    error = caught.value
    assert error.field == field
    assert error.value is value
    assert error.allowed == allowed
    assert str(error) == f"{field} is {value!r}; allowed: {allowed}"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("max_chunk_size", "1000"),
        ("max_chunk_size", 1000.0),
        ("max_chunk_size", True),
        ("max_chunk_size", None),
        ("min_chunk_size", "10"),
        ("min_chunk_size", 10.5),
        ("overlap_size", None),
        ("overlap_size", False),
        ("strategy", None),
        ("strategy", 1),
        ("code_threshold", "0.3"),
        ("code_threshold", True),
        ("code_threshold", None),
        ("structure_threshold", 3.0),
        ("oversize_tolerance", "0"),
        ("merge_boundary_level", "2"),
        ("min_content_after_header", [1]),
        ("include_document_summary", 1),
        ("include_document_summary", None),
        ("debug", 0),
        ("debug", "yes"),
    ],
)
def test_values_of_the_wrong_type(field: str, value: object) -> None:
    """A value of the wrong type is a TypeError too, that names the field and what is allowed."""
    with pytest.raises(InputTypeError, match=rf"^{field} is .+; allowed: .+") as caught:
        ChunkConfig.from_dict({field: value})
    assert isinstance(caught.value, ConfigurationError)
    assert isinstance(caught.value, TypeError)
    assert (caught.value.field, caught.value.value) == (field, value)


@pytest.mark.parametrize("value", [["keep"], {"keep": 1}, {"keep"}], ids=repr)
@pytest.mark.parametrize("field", ["atomic_blocks", "validation"])
def test_choices_that_cannot_be_hashed(field: str, value: object) -> None:
    """A list where one of some words is meant is refused like any other value."""
    with pytest.raises(ConfigurationError):
        ChunkConfig.from_dict({field: value})


@pytest.mark.parametrize("value", [None, 4, "len"])
def test_length_function_is_callable(value: object) -> None:
    """What measures must be callable."""
    with pytest.raises(InputTypeError, match=r"length_function is .*; allowed: a callable"):
        ChunkConfig(length_function=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"max_chunk_size": 32},
        {"max_chunk_size": 10**9},
        {"min_chunk_size": 0},
        {"min_chunk_size": 1000},
        {"overlap_size": 5000},
        {"code_threshold": 0},
        {"code_threshold": 1},
        {"structure_threshold": 0},
        {"oversize_tolerance": 3},
        {"merge_boundary_level": 0},
        {"merge_boundary_level": 6},
        {"min_content_after_header": 1000},
        {"atomic_blocks": "split"},
        {"validation": "warn"},
        {"strategy": "one of the user's own"},
    ],
    ids=repr,
)
def test_edges_of_what_is_allowed(options: dict[str, object]) -> None:
    """The edges are allowed, and what is given is kept as it is."""
    config = ChunkConfig.from_dict(options)
    assert {name: getattr(config, name) for name in options} == options


@pytest.mark.parametrize(("size", "least"), [(1000, 100), (401, 100), (200, 50), (32, 8)])
def test_none_stands_for_a_minimum(size: int, least: int) -> None:
    """None means `min(100, max_chunk_size // 4)`; a value that is given is never changed."""
    config = ChunkConfig(max_chunk_size=size)
    assert (config.min_chunk_size, config.min_chunk) == (None, least)
    assert (config.min_content_after_header, config.min_content) == (None, least)
    given = ChunkConfig(max_chunk_size=size, min_chunk_size=7, min_content_after_header=0)
    assert (given.min_chunk, given.min_content) == (7, 0)


def test_to_dict_and_back() -> None:
    """A configuration goes through JSON, but for its length function, which is given again."""
    config = ChunkConfig(max_chunk_size=300, strategy="structural", length_function=str.__len__)
    options = json.loads(json.dumps(config.to_dict()))
    assert "length_function" not in options
    assert ChunkConfig.from_dict(options, length_function=str.__len__) == config
    assert ChunkConfig.from_dict(options).length_function is len


@pytest.mark.parametrize("name", ["max_size", "length_function", ""])
def test_unknown_keys_are_errors(name: str) -> None:
    """A key that is no option is refused, with the options that there are."""
    with pytest.raises(ConfigurationError, match="atomic_blocks, code_cuts, code_thr") as caught:
        ChunkConfig.from_dict({"max_chunk_size": 100, name: 5})
    assert caught.value.field == name


@pytest.mark.parametrize("options", [None, [], "max_chunk_size", 5], ids=repr)
def test_options_that_are_no_mapping(options: object) -> None:
    """What is no mapping is refused by a typed error."""
    with pytest.raises(ConfigurationError):
        ChunkConfig.from_dict(options)  # type: ignore[arg-type]


def test_configurations_are_values() -> None:
    """A configuration is frozen, takes keywords only, and is compared, hashed and copied."""
    config = ChunkConfig(max_chunk_size=300)
    with pytest.raises(FrozenInstanceError):
        config.max_chunk_size = 400  # type: ignore[misc]
    with pytest.raises(TypeError):
        ChunkConfig(300)  # type: ignore[call-arg]
    assert config == ChunkConfig(max_chunk_size=300) != ChunkConfig()
    assert len({config, ChunkConfig(max_chunk_size=300)}) == 1
    assert copy.deepcopy(config) == config == pickle.loads(pickle.dumps(config))  # noqa: S301
    assert not hasattr(config, "__dict__")


NO_SIZES = [None, "12", -1, 1.0, float("nan"), True, [1]]


@pytest.mark.parametrize("size", NO_SIZES, ids=repr)
@pytest.mark.parametrize("longest", [-1, 0, 30])
def test_what_a_length_function_returns_is_checked_for_any_text(size: object, longest: int) -> None:
    """The error names the field, the value, the text's length and what is allowed."""

    def measure(text: str) -> int:
        return len(text) if len(text) <= longest else size  # type: ignore[return-value]

    text = "# Title\n\n" + "A sentence of some words. " * 20
    for context in (None, Context()):
        with pytest.raises(ConfigurationError) as caught:
            MarkdownChunker(ChunkConfig(length_function=measure), context).chunk(text)
        assert caught.value.field == "length_function"
        assert isinstance(caught.value, InputTypeError) is (size != -1)
        message = (
            rf"length_function returned {re.escape(repr(size))} for a text of \d+ characters; "
        )
        message += "allowed: a whole number of at least 0"
        assert re.fullmatch(message, str(caught.value))


def test_integers_of_other_libraries_are_sizes() -> None:
    """They are plain numbers in what is made of them, so that JSON takes these."""

    class Number:
        def __init__(self, value: int) -> None:
            self.value = value

        def __index__(self) -> int:
            return self.value

    config = ChunkConfig(length_function=lambda text: Number(len(text)))  # type: ignore[arg-type,return-value]
    (chunk,) = MarkdownChunker(config).chunk("Text.")
    assert type(chunk.size) is int
    assert config.size_of("Text.") == 5
    with pytest.raises(ConfigurationError, match=r"returned .* for a text of 0 characters"):
        ChunkConfig(length_function=lambda text: Number(len(text) - 1))  # type: ignore[arg-type,return-value]


def test_validators_check_sizes_too() -> None:
    config = ChunkConfig(length_function=lambda text: -len(text))
    with pytest.raises(
        ConfigurationError, match="length_function returned -5 for a text of 5 char"
    ):
        InvariantValidator(config).validate(MarkdownChunker().chunk("Text."), "Text.")
