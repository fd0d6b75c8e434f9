"""Sources hold nothing that only POSIX systems have, and write files as bytes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

import pytest

from tests import corpora

_SOURCES = sorted((corpora.REPOSITORY / "src").rglob("*.py"))
_POSIX_ONLY = {
    "curses", "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios",
    "tty",
}  # fmt: skip
_TEXT_MODES = {"w", "a", "x", "wt", "at", "xt", "w+", "a+", "r+", "x+"}


def posix_imports(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of POSIX alone that code imports on every system."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "sys.platform == 'win32'":
            for part in node.body:
                yield from posix_imports(ast.Module([part], []))
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in _POSIX_ONLY)
        elif isinstance(node, ast.ImportFrom) and node.module in _POSIX_ONLY:
            yield node.module
        yield from posix_imports(node)


def text_writes(tree: ast.AST) -> Iterator[str]:
    """Yield the calls that write texts to files, of which Windows changes the line ends."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
        given = [*node.args, *(word.value for word in node.keywords if word.arg == "mode")]
        modes = [x.value for x in given if isinstance(x, ast.Constant) and isinstance(x.value, str)]
        is_text = name == "open" and not _TEXT_MODES.isdisjoint(modes)
        if name == "write_text" or is_text:
            yield ast.unparse(node)


@pytest.mark.parametrize("finder", [posix_imports, text_writes])
def test_sources_have_nothing_of_it(finder: Callable[[ast.AST], Iterator[str]]) -> None:
    found = {str(path): [*finder(ast.parse(path.read_bytes()))] for path in _SOURCES}
    assert len(found) > 200
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("finder", "code", "count"),
    [
        (posix_imports, "import fcntl", 1),
        (posix_imports, "def f():\n    from termios import ECHO", 1),
        (posix_imports, "import sys\nif sys.platform == 'win32':\n    import resource", 1),
        (
            posix_imports,
            "import sys\nif sys.platform == 'win32':\n    1\nelse:\n    import fcntl",
            0,
        ),
        (posix_imports, "import os, stat", 0),
        (text_writes, "p.write_text('a', encoding='utf-8')", 1),
        (text_writes, "open('a', 'w', encoding='utf-8')", 1),
        (text_writes, "p.open(mode='x', encoding='utf-8')", 1),
        (text_writes, "p.open('wb')", 0),
        (text_writes, "p.open()", 0),
    ],
)
def test_each_is_found(finder: Callable[[ast.AST], Iterator[str]], code: str, count: int) -> None:
    assert len([*finder(ast.parse(code))]) == count
