"""Frozen dataclasses that are made, and pickled, as fast as mutable ones."""

from __future__ import annotations

from copyreg import __newobj__ as newobj  # type: ignore[attr-defined]  # as pickle knows it
from dataclasses import MISSING, Field, fields
from functools import update_wrapper
from types import FunctionType
from typing import TypeVar, cast

_T = TypeVar("_T")

_METHODS = """\
def __init__(self, {parameters}):
    if self.__class__ is not cls:
        return init(self, {arguments})
    change(self, "__class__", twin)
    {assignments}
    self.__class__ = cls


def _of_values({names}):
    self = twin()
    {assignments}
    self.__class__ = cls
    return self


def __reduce__(self):
    if self.__class__ is not cls:
        return newobj, (self.__class__,), self.__getstate__()
    return _of_values, ({values},)
"""


def fast_init(cls: type[_T]) -> type[_T]:
    """Give a frozen, slotted dataclass an `__init__` that sets its slots directly.

    What `dataclass` writes calls `object.__setattr__` for every field, which took a fifth of all
    time. Here an instance is one of a mutable twin with the same slots until it is complete;
    those of subclasses are made as `dataclass` would. Fields may have defaults, but neither
    factories nor a `__post_init__`. An instance is pickled as its values, and made of them by
    `_of_values`, for the same reason.
    """
    own = fields(cls)  # type: ignore[arg-type]  # any dataclass
    names = [field.name for field in own]
    positional = [_parameter(field) for field in own if not field.kw_only]
    by_name = [_parameter(field) for field in own if field.kw_only]
    source = _METHODS.format(
        parameters=", ".join([*positional, *(["*"] if by_name else []), *by_name]),
        arguments=", ".join(f"{f.name}={f.name}" if f.kw_only else f.name for f in own),
        names=", ".join(names),
        values=", ".join(f"self.{name}" for name in names),
        assignments="\n    ".join(f"self.{name} = {name}" for name in names),
    )
    scope: dict[str, object] = {f"default_{field.name}": field.default for field in own}
    twin = type(cls.__name__, (), {"__slots__": tuple(names)})
    scope |= {"cls": cls, "init": cls.__init__, "twin": twin, "change": object.__setattr__}
    scope["newobj"] = newobj
    exec(source, scope)  # noqa: S102  # as dataclass itself does
    made = cast("FunctionType", scope["__init__"])
    cls.__init__ = update_wrapper(made, cls.__init__)  # type: ignore[method-assign]
    of_values = cast("FunctionType", scope["_of_values"])
    of_values.__module__ = cls.__module__
    of_values.__qualname__ = f"{cls.__qualname__}._of_values"  # by which pickle finds it
    cls._of_values = staticmethod(of_values)  # type: ignore[attr-defined]
    cls.__reduce__ = scope["__reduce__"]  # type: ignore[assignment]
    return cls


def _parameter(field: Field[object]) -> str:
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"
