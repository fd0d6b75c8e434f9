"""The steps of a regex, counted, and texts on which it may take many.

`re` does not count, so its syntax tree is matched here in the same order: with backtracking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

_parser, _compiler = import_module("re._parser"), import_module("re._compiler")

Node: TypeAlias = tuple[object, Any]  # an operator of `re` and its argument
Then: TypeAlias = Callable[[int], int | None]  # matches what follows at an offset; returns the end
Part: TypeAlias = Callable[[int, Then], int | None]  # matches a node at an offset, and what follows

REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
CHARACTERS = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
CANDIDATES = (
    *map(chr, range(48, 384)),
    *map(chr, range(48)),
    *"\u3000中。…»\ufeff\ud800\U00020000",
)
CHOICES = range(3)  # among alternatives, and characters of a set
MOST_STEPS = 300_000


class TooManyStepsError(Exception):
    """A regex takes so many steps that they are not worth counting."""


class Attack(NamedTuple):
    """A text of any size: something repeated between two others."""

    before: str
    again: str
    after: str

    def text(self, count: int) -> str:
        return self.before + self.again * count + self.after


class Matcher:
    """Matches a regex, and counts the steps of the last call."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._tree = _parser.parse(pattern, flags & ~re.UNICODE)
        self._text, self.steps = "", 0
        self._groups: dict[int | None, tuple[int, int]] = {}
        self._sets: list[Part] = []  # of the nodes of single characters
        self._match = self._sequence([*self._tree], self._tree.state.flags)

    def run(self, text: str, method: str) -> list[tuple[int, int]]:
        """Return the spans of `match`, `fullmatch` or, for other methods, of `finditer`."""
        found, start, self._text, self.steps = [], 0, text, 0
        while start <= len(text):
            end = self._match(start, _full(len(text)) if method == "fullmatch" else _end)
            if end is not None:
                found.append((start, end))
            if method in {"match", "fullmatch"}:
                break
            start = max(start + 1, end or 0)
        return found

    def _sequence(self, nodes: Sequence[Node], flags: int) -> Part:
        parts = [self._part(node, flags) for node in nodes]

        def sequence(start: int, then: Then, number: int = 0) -> int | None:
            if number == len(parts):
                return then(start)
            return parts[number](start, lambda end: sequence(end, then, number + 1))

        return parts[0] if len(parts) == 1 else sequence

    def _part(self, node: Node, flags: int) -> Part:
        name, value = str(node[0]), node[1]
        inner = [self._sequence(nodes, inside) for nodes, inside in _inner(node, flags)]
        if name in {"MAX_REPEAT", "MIN_REPEAT"}:
            return self._repeat(inner[0], value[0], value[1], 1 if name == "MAX_REPEAT" else -1)
        if name in {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}:
            least, most = (1, 1) if name == "ATOMIC_GROUP" else value[:2]
            return self._possessive(inner[0], least, most)
        if name == "BRANCH":
            return lambda start, then: _first(one(start, then) for one in inner)
        if name == "SUBPATTERN":
            return self._group(inner[0], value[0])
        if name in {"ASSERT", "ASSERT_NOT"} and value[0] > 0:
            fails = name == "ASSERT_NOT"
            return lambda start, then: (
                then(start) if (inner[0](start, _end) is None) is fails else None
            )
        return self._reference(value) if name == "GROUPREF" else self._leaf(node, flags)

    def _repeat(self, inner: Part, least: int, most: int, order: int) -> Part:
        def repeat(start: int, then: Then, count: int = 0) -> int | None:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise TooManyStepsError

            def again(end: int) -> int | None:
                return repeat(end, then, count + 1) if end > start or count < least else None

            ways = ((inner, again, count < most), (_empty, then, count >= least))[::order]
            return _first(part(start, rest) for part, rest, allowed in ways if allowed)

        return repeat

    def _possessive(self, inner: Part, least: int, most: int) -> Part:
        def possessive(start: int, then: Then) -> int | None:
            for count in range(most):
                self.steps += 1
                end = inner(start, _end)
                if end is None and count < least:
                    return None
                if end is None or (end == start and count >= least):
                    break
                start = end
            return then(start)

        return possessive

    def _group(self, inner: Part, number: int | None) -> Part:
        def group(start: int, then: Then) -> int | None:
            def close(end: int) -> int | None:
                self._groups[number] = (start, end)
                return then(end)

            return inner(start, close)

        return group

    def _reference(self, number: int) -> Part:
        def reference(start: int, then: Then) -> int | None:
            again = self._text[slice(*self._groups[number])]
            self.steps += len(again)
            return then(start + len(again)) if self._text.startswith(again, start) else None

        return reference

    def _leaf(self, node: Node, flags: int) -> Part:
        """Match a character, a place or what is before it; `re` does that in a few steps."""
        match, known = _compiled(self._tree.state, node, flags).match, dict[str, bool]()

        def place(start: int, then: Then) -> int | None:
            self.steps += 1
            return then(start) if match(self._text, start) else None

        def character(start: int, then: Then) -> int | None:
            self.steps += 1
            one = self._text[start : start + 1]
            if one not in known:
                known[one] = match(one) is not None
            return then(start + 1) if known[one] else None

        if str(node[0]) not in CHARACTERS:
            return place
        self._sets.append(character)
        return character

    def attacks(self) -> Iterator[Attack]:
        """Yield texts of what parts of the regex match, and of what they do not."""
        kinds: dict[tuple[bool, ...], str] = {}
        for self._text in CANDIDATES:
            kinds.setdefault(tuple(one(0, _end) is not None for one in self._sets), self._text)
        alphabet, nodes, flags = [*kinds.values()], [*self._tree], self._tree.state.flags
        again = {("", character) for character in alphabet}
        for choice in CHOICES:
            sample = _Sampler(self._tree.state, alphabet, choice)
            for before, one in sample.repeats(nodes, flags, ""):
                again |= {(before, one), ("", before + one), ("", before), ("", one)}
        ends = dict.fromkeys(["", "x", "\n", "\0", *alphabet[:4]])
        return (Attack(before, one, end) for before, one in sorted(again) if one for end in ends)


class _Sampler(NamedTuple):
    """Makes texts that nodes match: `choice` is which of several."""

    state: object
    alphabet: Sequence[str]
    choice: int

    def repeats(self, nodes: Sequence[Node], flags: int, before: str) -> Iterator[tuple[str, str]]:
        """Yield what is before each repeat, and what it repeats."""
        for node in nodes:
            for inner, inside in _inner(node, flags):
                if str(node[0]) in REPEATS:
                    yield before, self.sample(inner, inside)
                yield from self.repeats(inner, inside, before)
            before += self.sample([node], flags)

    def sample(self, nodes: Sequence[Node], flags: int) -> str:
        return "".join(self._one(node, flags) for node in nodes)

    def _one(self, node: Node, flags: int) -> str:
        name, inner = str(node[0]), _inner(node, flags)
        if name in CHARACTERS:
            one = _compiled(self.state, node, flags)
            found = [character for character in self.alphabet if one.match(character)]
            return found[self.choice % len(found)] if found else ""
        if not inner or name.startswith("ASSERT"):
            return ""
        count = node[1][0] or (self.choice + 1) % 2 if name in REPEATS else 1
        return self.sample(*inner[self.choice % len(inner)]) * count


def _inner(node: Node, flags: int) -> list[tuple[list[Node], int]]:
    """Return the nodes in a node, with their flags: several lists for a branch."""
    name, value = str(node[0]), node[1]
    if name == "BRANCH":
        return [([*one], flags) for one in value[1]]
    if name == "SUBPATTERN":
        return [([*value[3]], (flags | value[1]) & ~value[2])]
    if name == "ATOMIC_GROUP":
        return [([*value], flags)]
    return [([*value[-1]], flags)] if name in {*REPEATS, "ASSERT", "ASSERT_NOT"} else []


def _compiled(state: object, node: Node, flags: int) -> re.Pattern[str]:
    compiled: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [node]), flags)
    return compiled


def _first(ends: Iterator[int | None]) -> int | None:
    return next((end for end in ends if end is not None), None)


def _end(end: int) -> int:
    return end


def _empty(start: int, then: Then) -> int | None:
    return then(start)


def _full(size: int) -> Then:
    return lambda end: end if end == size else None
