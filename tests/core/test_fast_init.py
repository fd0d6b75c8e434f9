"""Frozen types that are made quickly are in all else what `dataclass` makes of them."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace

import pytest

from chunkana_core.fast_init import fast_init, maker


@dataclass(frozen=True, slots=True)
class Plain:
    """As dataclass makes it."""

    first: int
    second: str = "b"
    third: tuple[int, ...] = field(default=(), kw_only=True)


@fast_init
@dataclass(frozen=True, slots=True)
class Quick:
    """The same, made quickly."""

    first: int
    second: str = "b"
    third: tuple[int, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True)
class Derived(Quick):
    """With a field of its own."""

    fourth: float = 0.5


@pytest.mark.parametrize("made", [Quick(1), Quick(1, "x", third=(3,)), Quick(second="y", first=2)])
def test_values_class_and_equality(made: Quick) -> None:
    values = {f.name: getattr(made, f.name) for f in fields(made)}
    plain = Plain(**values)
    assert type(made) is Quick
    assert repr(made) == repr(plain).replace("Plain", "Quick")
    assert made == Quick(**values)
    assert hash(made) == hash(plain)
    assert made != replace(made, first=-1)


def test_frozen_and_slotted() -> None:
    made = Quick(1)
    with pytest.raises(FrozenInstanceError):
        made.first = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.first
    assert not hasattr(made, "__dict__")


class Named(Quick):
    """Without a decorator, with a dict."""


@pytest.mark.parametrize(
    "first", [Quick(1, third=(2, 3)), Derived(1, "c", 2.5, third=(4,)), Named(7)]
)
def test_copies_are_equal_and_frozen(first: Quick) -> None:
    for made in (copy.copy(first), copy.deepcopy(first), pickle.loads(pickle.dumps(first))):  # noqa: S301
        assert type(made) is type(first)
        assert made == first
        with pytest.raises(FrozenInstanceError):
            made.second = "z"  # type: ignore[misc]


def test_signature_and_errors_are_those_of_dataclass() -> None:
    assert str(inspect.signature(Quick)) == str(inspect.signature(Plain))
    for wrong in ((), (1, "b", ())):
        with pytest.raises(TypeError):
            Quick(*wrong)
    with pytest.raises(TypeError, match="fifth"):
        Quick(1, fifth=5)  # type: ignore[call-arg]


def test_a_subclass_is_made_by_its_own_init() -> None:
    made = Derived(1, "c", 2.5, third=(4,))
    assert (type(made), made.first, made.fourth, made.third) == (Derived, 1, 2.5, (4,))
    with pytest.raises(FrozenInstanceError):
        made.first = 2  # type: ignore[misc]


def test_a_plain_subclass_keeps_its_class() -> None:
    made = Named(7)
    made_dict = made.__dict__
    assert (type(made), made.first, made_dict) == (Named, 7, {})


def test_a_maker_makes_the_same() -> None:
    """What it makes is an instance of the class like any other, frozen too."""
    new = maker(Quick)
    for made, expected in (
        (new(1), Quick(1)),
        (new(1, "x", third=(3,)), Quick(1, "x", third=(3,))),
        (new(second="y", first=2), Quick(2, "y")),
    ):
        assert type(made) is Quick
        assert made == expected
        with pytest.raises(FrozenInstanceError):
            made.first = 2  # type: ignore[misc]


def test_a_maker_wants_the_arguments_of_its_class() -> None:
    new = maker(Quick)
    for wrong in ((), (1, "b", ())):
        with pytest.raises(TypeError):
            new(*wrong)
