"""Texts on which a regex may take many steps: what it repeats, between what it matches or not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

_parser, _compiler = import_module("re._parser"), import_module("re._compiler")

Node: TypeAlias = tuple[object, Any]  # an operator of `re` and its argument

REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
CHARACTERS = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
CANDIDATES = (
    *map(chr, range(48, 384)),
    *map(chr, range(48)),
    *"\u3000中。…»\ufeff\ud800\U00020000",
)
CHOICES = range(3)  # among alternatives, and characters of a set


class Attack(NamedTuple):
    """A text of any size: something repeated between two others."""

    before: str
    again: str
    after: str

    def text(self, count: int) -> str:
        return self.before + self.again * count + self.after


def attacks(pattern: str, flags: int) -> Iterator[Attack]:
    """Yield texts of what parts of a regex match, and of what they do not."""
    tree = _parser.parse(pattern, flags & ~re.UNICODE)
    nodes, flags = [*tree], tree.state.flags
    sets = [
        _compiled(tree.state, *one) for one in _all(nodes, flags) if _name(one[0]) in CHARACTERS
    ]
    kinds: dict[tuple[bool, ...], str] = {}
    for character in CANDIDATES:
        kinds.setdefault(tuple(one.match(character) is not None for one in sets), character)
    alphabet = [*kinds.values()]
    again = {("", character) for character in alphabet}
    for choice in CHOICES:
        sample = _Sampler(tree.state, alphabet, choice)
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
                if _name(node) in REPEATS:
                    yield before, self.sample(inner, inside)
                yield from self.repeats(inner, inside, before)
            before += self.sample([node], flags)

    def sample(self, nodes: Sequence[Node], flags: int) -> str:
        return "".join(self._one(node, flags) for node in nodes)

    def _one(self, node: Node, flags: int) -> str:
        name, inner = _name(node), _inner(node, flags)
        if name in CHARACTERS:
            one = _compiled(self.state, node, flags)
            found = [character for character in self.alphabet if one.match(character)]
            return found[self.choice % len(found)] if found else ""
        if not inner or name.startswith("ASSERT"):
            return ""
        count = node[1][0] or (self.choice + 1) % 2 if name in REPEATS else 1
        return self.sample(*inner[self.choice % len(inner)]) * count


def _name(node: Node) -> str:
    return str(node[0])


def _all(nodes: Sequence[Node], flags: int) -> Iterator[tuple[Node, int]]:
    """Yield nodes and those in them, with their flags."""
    for node in nodes:
        yield node, flags
        for inner, inside in _inner(node, flags):
            yield from _all(inner, inside)


def _inner(node: Node, flags: int) -> list[tuple[list[Node], int]]:
    """Return the nodes in a node, with their flags: several lists for a branch."""
    name, value = _name(node), node[1]
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
