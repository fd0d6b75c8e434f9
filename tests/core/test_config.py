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


NAN = float("nan")
COUNT, SHARE = "a whole number of at least 0", "a number from 0.0 to 1.0"
MINIMUM, SWITCH = "None or a whole number from 0 to 1000", "True or False"
# By field: what is allowed, values of the right type that are not, and values of other types.
REFUSED: dict[str, tuple[str, list[object], list[object]]] = {
    "max_chunk_size": ("a whole number of at least 32", [31, 0, -1], ["1000", 1000.0, True, None]),
    "min_chunk_size": (MINIMUM, [-1, 1001], ["10", 10.5]),
    "min_content_after_header": (MINIMUM, [-1, 1001], [[1]]),
    "overlap_size": (COUNT, [-1], [None, False]),
    "strategy": ('"auto" or the name of a strategy', [], [None, 1]),
    "structure_threshold": (COUNT, [-1], [3.0]),
    "merge_boundary_level": ("a whole number from 0 to 6", [-1, 7], ["2"]),
    "code_threshold": (SHARE, [-0.1, 1.1, NAN], ["0.3", True, None]),
    "oversize_tolerance": ("a number from 0.0 to 1000000000.0", [-0.1, float("inf"), NAN], ["0"]),
    "atomic_blocks": ("'keep' or 'split'", ["keeps", True, ["keep"], {"keep": 1}, {"keep"}], []),
    "code_cuts": ("'lines' or 'syntax'", ["words", None], []),
    "validation": ("'off', 'warn' or 'strict'", ["strictly", None, ["off"]], []),
    "include_document_summary": (SWITCH, [], [1, None]),
    "debug": (SWITCH, [], [0, "yes"]),
}


@pytest.mark.parametrize("field", REFUSED)
def test_values_that_are_not_allowed(field: str) -> None:
    """An error names the field, the value, and what is allowed; one of the type is a TypeError."""
    allowed, values, of_other_types = REFUSED[field]
    for value in (*values, *of_other_types):
        with pytest.raises(ConfigurationError) as caught:
            ChunkConfig.from_dict({field: value})
        error = caught.value
        assert (error.field, error.allowed) == (field, allowed)
        assert error.value is value
        assert str(error) == f"{field} is {value!r}; allowed: {allowed}"
        is_of_type = any(value is other for other in values)
        assert isinstance(error, InputTypeError) is isinstance(error, TypeError) is not is_of_type


def test_every_option_refuses_something() -> None:
    assert REFUSED.keys() == DEFAULTS.keys()


@pytest.mark.parametrize("value", [None, 4, "len"])
def test_length_function_is_callable(value: object) -> None:
    """What measures must be callable."""
    with pytest.raises(InputTypeError, match=r"length_function is .*; allowed: a callable"):
        ChunkConfig(length_function=value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("max_chunk_size", [32, 10**9]),
        ("min_chunk_size", [0, 1000]),
        ("min_content_after_header", [0, 1000]),
        ("overlap_size", [0, 5000]),
        ("code_threshold", [0, 1]),
        ("structure_threshold", [0]),
        ("oversize_tolerance", [3, 10**9]),
        ("merge_boundary_level", [0, 6]),
        ("atomic_blocks", ["keep", "split"]),
        ("validation", ["off", "warn", "strict"]),
        ("strategy", ["one of the user's own"]),
    ],
)
def test_edges_of_what_is_allowed(field: str, values: list[object]) -> None:
    """The edges are allowed, and what is given is kept as it is."""
    assert [getattr(ChunkConfig.from_dict({field: v}), field) for v in values] == values


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
