"""Outlines of source code: of our documents, of files with the expected one, by Python's `ast`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from chunkana_core.extending import Document
from tests import corpora

CASES = corpora.REPOSITORY / "tests" / "data" / "code"
_MARK = "----\n"


@dataclass(frozen=True, slots=True)
class OutlineCase:
    """A source, and a line of each definition in it: `3-9 method 2 Class > method`."""

    name: str
    language: str
    text: str
    expected: list[str]


@cache
def outline_cases() -> tuple[OutlineCase, ...]:
    """Return the cases of all languages."""
    cases = []
    for path in sorted(CASES.glob("*/*.txt")):
        text, _, expected = corpora.read(path).partition(_MARK)
        name = f"{path.parent.name} {path.stem}"
        cases.append(OutlineCase(name, path.parent.name, text, expected.splitlines()))
    return tuple(cases)


def outline(document: Document) -> list[str]:
    """Return a line of each section of a document."""
    lines, line_at = [], document.source.line_at
    for section in document.sections[1:]:
        span = document.trimmed_run(section.first, section.stop)
        path = " > ".join(section.path)
        where = f"{line_at(span.start)}-{line_at(span.end - 1)}"
        lines.append(f"{where} {section.kind} {section.level} {path}")
    return lines


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition of Python, its decorators included; lines count from 1."""

    kind: str
    path: tuple[str, ...]
    first_line: int
    last_line: int


def python_definitions(text: str) -> list[Definition]:
    """Return the definitions of a Python text, by `ast`."""
    found: list[Definition] = []
    waiting: list[tuple[ast.AST, tuple[str, ...], str]] = [(ast.parse(text), (), "")]
    while waiting:
        node, path, outer = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                waiting.append((child, path, outer))
                continue
            kind = "method" if outer == "class" else "function"
            kind = "class" if isinstance(child, ast.ClassDef) else kind
            first = min([child.lineno, *(d.lineno for d in child.decorator_list)])
            last = child.end_lineno or first
            found.append(Definition(kind, (*path, child.name), first, last))
            waiting.append((child, (*path, child.name), kind))
    return sorted(found, key=lambda definition: (definition.first_line, -definition.last_line))


def section_definitions(document: Document) -> Iterator[Definition]:
    """Yield the definitions of a Python document, without the comments around them."""
    lines = document.text.split("\n")
    for section in document.sections[1:]:
        span = document.trimmed_run(section.first, section.stop)
        first, last = map(document.source.line_at, (span.start, span.end - 1))
        while _is_comment(lines[first - 1]):
            first += 1
        while _is_comment(lines[last - 1]):
            last -= 1
        yield Definition(section.kind, section.path, first, last)


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")
