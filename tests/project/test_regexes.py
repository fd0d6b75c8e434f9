"""L8: the regexes of all packages take linear time, on the texts that are worst for them."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import TypeAlias

import pytest

from tests import corpora
from tests.project.regex_attacks import Attack, attacks

SRC = corpora.REPOSITORY / "src"
AnyRegex: TypeAlias = re.Pattern[str] | re.Pattern[bytes]
# At 30,000 repetitions a linear regex takes about a millisecond, one that is not half a second;
# the counts before find those that would take minutes at the next.
COUNTS = (12, 25, 200, 2_000)
LARGE_COUNT = 30_000
SUSPECT, MOST = 0.0008, 0.1  # seconds of the processor, whatever else it does
METHODS = dict.fromkeys(("search", "split", "findall", "finditer", "sub"), "finditer") | {
    "match": "match",
    "fullmatch": "fullmatch",
}  # and what they do with a text


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
    source = regex.pattern if isinstance(regex.pattern, str) else regex.pattern.decode()
    same = re.compile(source, regex.flags & ~re.UNICODE)

    def is_slow(attack: Attack) -> bool:
        for count in COUNTS:
            if (spent := seconds(same, method, attack.text(count))) > MOST:
                return True
        return spent > SUSPECT and seconds(same, method, attack.text(LARGE_COUNT)) > MOST

    return next(filter(is_slow, attacks(source, regex.flags)), None)


def seconds(regex: re.Pattern[str], method: str, text: str) -> float:
    """Return the processor time that a regex takes for all of a text."""
    start = process_time()
    found = getattr(regex, method)(text)
    deque(found if method == "finditer" else (), maxlen=0)
    return process_time() - start


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
        (r"(?i:a|b)*(?>b*)(?=.*c)", "finditer"),
    ],
)
def test_regexes_that_are_not_linear_are_found(pattern: str, method: str) -> None:
    """Some look again and again at what follows each start, others try to divide it anew."""
    assert slow_text(re.compile(pattern), method)


def test_regexes_that_are_not_seen_are_an_error(tmp_path: Path) -> None:
    """A regex has to be a constant of its module or a literal."""
    path = tmp_path / "module.py"
    path.write_bytes(b"import re\n\ndef f(a):\n    return re.compile(a)\n")
    with pytest.raises(AssertionError, match="seen"):
        [*regexes_of(path)]
