"""Argument checks: what they allow, and errors that name the argument, its value and more."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from math import inf, nan
from types import NoneType

import pytest

from chunkana_core import ConfigurationError, Context, InputTypeError
from chunkana_core.extending import (
    require_callable,
    require_choice,
    require_each,
    require_known_arguments,
    require_number,
    require_type,
)

Check = Callable[[str, object], object]
TYPES: list[tuple[Check, list[object], list[object], str]] = [
    (partial(require_type, kind=str), ["", "a"], [3, None, b"a"], "a str"),
    (partial(require_type, kind=str | None), ["a", None], [3], "None or a str"),
    (partial(require_type, kind=bool), [True, False], [1, 0, None, "yes"], "True or False"),
    (partial(require_type, kind=bool | None), [True, None], [1], "None or True or False"),
    (partial(require_type, kind=int), [3], [True, 3.0], "an int"),
    (partial(require_type, kind=Context | None), [Context(), None], [{}], "None or a Context"),
    (partial(require_type, kind=Iterable), [[], "a"], [3, None], "an iterable"),
    (partial(require_type, kind=NoneType, allowed="nothing"), [None], [3], "nothing"),
    (partial(require_each, kind=str), [[], ["a"], {"a"}], ["a", {"a": 1}, 3],
     "a list, each a str"),
    (partial(require_each, kind=str, each="a name"), [["a"]], ["a"], "a list, each a name"),
    (partial(require_each, kind=str, allowed="names"), [["a"]], ["a"], "names"),
    (require_number, [3, -0.5, inf, Fraction(1, 3)], [True, "3", None], "a number"),
    (partial(require_number, kind=int), [3, -3], [True, 3.0], "a whole number"),
    (partial(require_number, least=1, kind=int), [1], ["1"], "a whole number of at least 1"),
    (partial(require_number, least=0.0, most=1.0, kind=int | float), [0, 0.5, 1.0], [Fraction(1)],
     "a number from 0.0 to 1.0"),
    (require_callable, [len, str], [None, "len"], "a callable"),
    (partial(require_callable, allowed="a function", optional=True), [len, None], [3],
     "None or a function"),
]  # fmt: skip
VALUES: list[tuple[Check, list[object], list[object], str]] = [
    (partial(require_number, least=0), [0, inf], [-1, -0.1, nan], "a number of at least 0"),
    (partial(require_number, least=0, most=6, kind=int), [0, 6], [-1, 7],
     "a whole number from 0 to 6"),
    (partial(require_number, least=1, kind=int | None), [1, None], [0],
     "None or a whole number of at least 1"),
    (partial(require_number, most=1e308, allowed="a finite number"), [1e308, -1], [inf, nan],
     "a finite number"),
    (partial(require_choice, choices=("a", "b")), ["a", "b"], ["c", None, [], True], "'a' or 'b'"),
    (partial(require_choice, choices=iter("abc")), [], ["d"], "'a', 'b' or 'c'"),
]  # fmt: skip
CASES: list[tuple[object, ...]] = [(*case, InputTypeError) for case in TYPES]
CASES += [(*case, ConfigurationError) for case in VALUES]


@pytest.mark.parametrize(("check", "allowed", "others", "description", "error"), CASES)
def test_arguments_are_checked(
    check: Check,
    allowed: list[object],
    others: list[object],
    description: str,
    error: type[ConfigurationError],
) -> None:
    """Allowed values pass; the error names the argument, another value and what is allowed."""
    for value in allowed:
        check("name", value)
    for value in others:
        with pytest.raises(ConfigurationError) as caught:
            check("name", value)
        assert type(caught.value) is error
        assert str(caught.value) == f"name is {value!r}; allowed: {description}"


def test_values_are_returned_as_a_list() -> None:
    """Values of any iterable are returned; the error names the position of one of another type."""
    assert require_each("names", iter("ab"), str) == ["a", "b"]
    with pytest.raises(InputTypeError) as caught:
        require_each("names", ["a", 3], str)
    assert str(caught.value) == "names[1] is 3; allowed: a str"


@pytest.mark.parametrize(
    ("name", "others", "meant"),
    [
        ("chunk_sise", None, "; did you mean chunk_size?"),
        ("chunk_sise", {"max_tokens": "chunk_size"}, "; did you mean chunk_size?"),
        ("max_tokens", {"max_tokens": "k or so"}, "; did you mean k or so?"),
        ("max_tokens", {}, ""),
    ],
)
def test_unknown_arguments(name: str, others: dict[str, str] | None, meant: str) -> None:
    """The first unknown argument is named, with what other tools' name for it means here."""
    require_known_arguments(["k", "chunk_size"], {"chunk_size", "k"}, others)
    with pytest.raises(InputTypeError) as caught:
        require_known_arguments(["k", name, "other"], {"k", "chunk_size"}, others)
    assert str(caught.value) == f"argument is {name!r}; allowed: chunk_size, k{meant}"
