"""Frozen dataclasses that are made, and pickled, as fast as mutable ones."""

from __future__ import annotations

from collections.abc import Callable
from copyreg import __newobj__ as newobj  # type: ignore[attr-defined]  # as pickle knows it
from dataclasses import MISSING, Field, fields
from functools import update_wrapper
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

_T = TypeVar("_T")
_P = ParamSpec("_P")

_INIT = """\
def written(self, {parameters}):
    if self.__class__ is not cls:
        return init(self, {arguments})
    change(self, "__class__", twin)
    {assignments}
    self.__class__ = cls
"""
_MAKE = """\
def written({parameters}):
    self = twin()
    {assignments}
    self.__class__ = cls
    return self
"""
_MAKE_OF_ALL = """\
def written({names}):
    self = twin()
    {assignments}
    self.__class__ = cls
    return self
"""
_REDUCE = """\
def written(self):
    if self.__class__ is not cls:
        return newobj, (self.__class__,), self.__getstate__()
    return of_values, ({values},)
"""


def fast_init(cls: type[_T]) -> type[_T]:
    """Give a frozen, slotted dataclass an `__init__` that sets its slots directly.

    What `dataclass` writes calls `object.__setattr__` for every field, which took a fifth of all
    time. Here an instance is one of a mutable twin with the same slots until it is complete;
    those of subclasses are made as `dataclass` would. Fields may have defaults, but neither
    factories nor a `__post_init__`. An instance is pickled as its values, and made of them by
    `_of_values`, for the same reason.
    """
    made = _written(_INIT, cls, {"init": cls.__init__, "change": object.__setattr__})
    cls.__init__ = update_wrapper(made, cls.__init__)  # type: ignore[method-assign]
    of_values = _written(_MAKE_OF_ALL, cls, {})
    of_values.__module__ = cls.__module__
    of_values.__qualname__ = f"{cls.__qualname__}._of_values"  # by which pickle finds it
    cls._of_values = staticmethod(of_values)  # type: ignore[attr-defined]
    scope = {"newobj": newobj, "of_values": of_values}
    cls.__reduce__ = _written(_REDUCE, cls, scope)  # type: ignore[method-assign]
    return cls


def maker(cls: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a function that makes instances of a class with `fast_init` in half of its time.

    For where many are made: calling the class makes an instance of it and then turns that into
    one of the twin, while this starts with the twin.
    """
    return cast("Callable[_P, _T]", _written(_MAKE, cast("type[_T]", cls), {}))


def _written(code: str, cls: type[_T], scope: dict[str, object]) -> FunctionType:
    """Return a function with the fields of a class for parameters."""
    own = fields(cls)  # type: ignore[arg-type]  # any dataclass
    names = [field.name for field in own]
    positional = [_parameter(field) for field in own if not field.kw_only]
    by_name = [_parameter(field) for field in own if field.kw_only]
    source = code.format(
        parameters=", ".join([*positional, *(["*"] if by_name else []), *by_name]),
        arguments=", ".join(f"{f.name}={f.name}" if f.kw_only else f.name for f in own),
        names=", ".join(names),
        values=", ".join(f"self.{name}" for name in names),
        assignments="\n    ".join(f"self.{name} = {name}" for name in names),
    )
    scope |= {f"default_{field.name}": field.default for field in own}
    scope |= {"cls": cls, "twin": type(cls.__name__, (), {"__slots__": tuple(names)})}
    exec(source, scope)  # noqa: S102  # as dataclass itself does
    return cast("FunctionType", scope["written"])


def _parameter(field: Field[object]) -> str:
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"
