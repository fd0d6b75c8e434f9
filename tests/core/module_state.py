"""What modules hold, and what becomes of it: for what is held there, all threads share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

PACKAGES = frozenset({"chunkana_core", "markdown_it", "mdit_py_plugins", "mdurl", "yaml"})


@dataclass(frozen=True, slots=True)
class Held:
    """Something that a module holds, and what was in it once."""

    thing: object
    parts: dict[object, object]

    def changes(self) -> list[object]:
        """Return the names, keys or places of what is in it now and was not, or no longer is."""
        now, none = _parts(self.thing), object()
        names = self.parts.keys() | now.keys()
        return [n for n in names if self.parts.get(n, none) is not now.get(n, none)]


def held() -> list[Held]:
    """Return all that modules hold, and what is in that, however deep."""
    waiting: list[object] = [vars(m) for name, m in sys.modules.items() if _is_ours(name)]
    found: dict[int, Held] = {}
    while waiting:
        thing = waiting.pop()
        if id(thing) not in found:
            found[id(thing)] = Held(thing, _parts(thing))
            waiting += found[id(thing)].parts.values()
    return list(found.values())


def changed(task: Callable[[], object]) -> list[str]:
    """Return what modules hold that a task has changed."""
    before = held()
    task()
    return [f"{_named(h.thing)}: {list(map(str, h.changes()))}" for h in before if h.changes()]


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


def _parts(thing: object) -> dict[object, object]:
    """Return what is in a container or in an instance of a class of ours; nothing of others."""
    if isinstance(thing, Mapping):
        return {_Key(key): value for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return dict(enumerate(thing))
    if isinstance(thing, set | frozenset):
        return {_Key(member): member for member in thing}
    return dict(_attributes(thing)) if _is_ours(type(thing).__module__) else {}


@dataclass(frozen=True, slots=True)
class _Key:
    """A key that is what it is, whatever it says that it is equal to."""

    key: object

    def __hash__(self) -> int:
        return hash((type(self.key), self.key))

    def __str__(self) -> str:
        return repr(self.key)[:60]


def _attributes(thing: object) -> Iterator[tuple[object, object]]:
    yield from getattr(thing, "__dict__", {}).items()
    slots: Iterable[str] = (s for c in type(thing).__mro__ for s in getattr(c, "__slots__", ()))
    for name in slots:
        if hasattr(thing, name):
            yield name, getattr(thing, name)


def _named(thing: object) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__} {thing!s:.60}"
