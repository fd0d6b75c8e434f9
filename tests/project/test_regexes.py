"""L8: the regexes of all packages take linear time, on the texts that are worst for them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import pytest

from tests import corpora
from tests.project.regex_steps import Attack, Matcher, TooManyStepsError

SRC = corpora.REPOSITORY / "src"
SIZES = (6, 30)
AnyRegex: TypeAlias = re.Pattern[str] | re.Pattern[bytes]
LARGE_SIZES = (100, 500)  # far above the numbers in a regex
MOST = 8.0  # times the steps, for five times the text
METHODS = dict.fromkeys(("search", "split", "findall", "finditer", "sub"), "finditer") | {
    "match": "match",
    "fullmatch": "fullmatch",
}  # and what they do with a text


@pytest.fixture(autouse=True)
def _deep_recursion() -> Iterator[None]:
    """Let a matcher be some calls deep for each character, to which it may have to go back."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(before)


def is_call(node: ast.AST | None, name: str) -> bool:
    """Return whether a node is a call of a function of `re`."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == f"re.{name}"


def regexes_of(path: Path) -> Iterator[tuple[str, str, AnyRegex]]:
    """Yield the name and method of each use of a regex of a module, and the regex.

    Only constants of a module, and literals, are seen by these tests; others are an error.
    """
    nodes = [*ast.walk(tree := ast.parse(path.read_bytes()))]
    constants = {
        ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and is_call(node.value, "compile")
    }
    assert len(constants) == sum(is_call(node, "compile") for node in nodes), "not all are seen"
    name = ".".join(path.with_suffix("").parts[len(SRC.parts) :])
    for constant in sorted(constants):
        regex = getattr(import_module(name), constant)
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        uses = {node.attr for node in attributes if ast.unparse(node.value) == constant}
        for method in {METHODS[use] for use in uses & METHODS.keys()} or {*METHODS.values()}:
            yield f"{name}.{constant}.{method}", method, regex
    for node in nodes:
        for function, method in METHODS.items():
            if is_call(node, function):
                assert isinstance(node, ast.Call)
                yield f"{name}:{node.lineno}", method, re.compile(ast.literal_eval(node.args[0]))


def slow_text(regex: AnyRegex, method: str) -> Attack | None:
    """Return a text on which a regex takes more than linear time, None if none is found."""
    pattern = regex.pattern if isinstance(regex.pattern, str) else regex.pattern.decode()
    matcher = Matcher(pattern, regex.flags)

    def grows(attack: Attack, sizes: tuple[int, int]) -> bool:
        steps = []
        for size in sizes:
            try:
                matcher.run(attack.text(size), method)
            except TooManyStepsError:
                return True
            steps.append(matcher.steps)
        return steps[1] > MOST * steps[0]

    suspects = (attack for attack in matcher.attacks() if grows(attack, SIZES))
    return next((attack for attack in suspects if grows(attack, LARGE_SIZES)), None)


@pytest.mark.slow
def test_all_regexes_are_linear() -> None:
    """Of the constants of all modules, as they are used, and of the literals."""
    found = [use for path in sorted(SRC.rglob("*.py")) for use in regexes_of(path)]
    assert len(found) > 100
    slow = {name: slow_text(regex, method) for name, method, regex in found}
    assert {name: text for name, text in slow.items() if text} == {}


@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"[\d.]+$", "finditer"),
        (r"\(\s*(?:\w+\s+)?\*?\s*(\w+)[^()]*\)", "fullmatch"),
        (r"(?:\w+[,;]?)*:", "match"),
        (r"([`~]+).*\1\r", "match"),
        (r"(?i:a|b)*(?>b*)(?=.*c)", "finditer"),
    ],
)
def test_regexes_that_are_not_linear_are_found(pattern: str, method: str) -> None:
    """Some look again and again at what follows each start, others try to divide it anew."""
    assert slow_text(re.compile(pattern), method)


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?i)[a-f]{2,4}?|(?s:x.)\b",
        r"(`{2,}+|~)(?:\d|\1)*?(?<!x)$",
        r"(?m)^(?>\s*)(?!\S\w)[^\W\d]++",
        r"(?:a|ab)(?:c|bcd)?(d*)",
    ],
)
def test_steps_are_counted_of_the_same_matches(pattern: str) -> None:
    """What counts steps finds what `re` finds, on all texts that are tried."""
    regex = re.compile(pattern)
    matcher = Matcher(pattern, regex.flags)
    for attack in matcher.attacks():
        for text in (attack.text(1), attack.text(5), attack.text(2) + attack.text(3)):
            assert matcher.run(text, "finditer") == [f.span() for f in regex.finditer(text)]
            for method in ("match", "fullmatch"):
                found = getattr(regex, method)(text)
                assert matcher.run(text, method) == ([found.span()] if found else [])


def test_regexes_that_are_not_seen_are_an_error(tmp_path: Path) -> None:
    """A regex has to be a constant of its module or a literal."""
    path = tmp_path / "module.py"
    path.write_bytes(b"import re\n\ndef f(a):\n    return re.compile(a)\n")
    with pytest.raises(AssertionError, match="seen"):
        [*regexes_of(path)]
