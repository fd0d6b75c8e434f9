"""Texts of formats and plugins in any size: deep, wide, open or empty."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

Cell = tuple[str, str]  # its type and text


def notebook(*cells: Cell, language: str = "python") -> str:
    """Return the JSON of a notebook."""
    made = [{"cell_type": kind, "source": source, "metadata": {}} for kind, source in cells]
    metadata = {"language_info": {"name": language}}
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4})


def repeated(before: str, again: str, after: str = "", between: str = "") -> Callable[[int], str]:
    """Return a function that repeats two texts a given number of times, around another."""
    return lambda size: before + again * size + between + after * size


CODE_SHAPES: dict[str, tuple[str, Callable[[int], str]]] = {
    "open brackets": ("json", repeated("", "[")),
    "open objects": ("json", repeated("", '{"a":')),
    "nested arrays": ("json", repeated("", "[", "]")),
    "nested objects": ("json", repeated("", '{"a":', "}", "1")),
    "a wide array": ("json", repeated("[", "1, ", between="1]")),
    "a wide object": ("json", repeated("{", '"a": {"b": 1},\n', between='"c": 1}')),
    "JSON lines": ("json", repeated("", '{"a": [1, "b"]}\n')),
    "commas": ("json", repeated("", ",")),
    "open brackets in code": ("python", repeated("", "[")),
    "classes in classes": ("java", repeated("", "class A {\n", "}\n")),
    "open classes": ("typescript", repeated("", "class A {\n")),
    "text between classes": (
        "java",
        repeated("class A {\n", "int x;\nclass B {\nint y;\n}\n", between="}\n"),
    ),
    "brackets alone": ("java", repeated("class A {\nint x;\n", "}\n")),
    "minified code": (
        "javascript",
        repeated("!function(){", "function a(b){c();d(b)}", between="}();"),
    ),
    "functions in functions": ("javascript", repeated("", "a(function(){b();", "});")),
    "statements in statements": ("javascript", repeated("", "if(a){b();", "}")),
    "one declaration": ("javascript", repeated("const z=1", ",a=()=>{b()}")),
    "chains": ("ruby", repeated("a", ".b(1)")),
    "calls in calls": ("ruby", repeated("", "a(", ")")),
    "operators": ("c", repeated("int x = 1", " + 1", between=";")),
    "templates": ("cpp", repeated("", "template<class T> ", between="class A {};")),
    "comments": ("python", repeated("", "# a\n")),
    "decorators": ("python", repeated("", "@a\n", between="def f(): pass\n")),
    "imports": ("go", repeated("package a\n", 'import "a"\n')),
    "methods": ("rust", repeated("impl A {\n", "#[a]\nfn f() { b(); c(); }\n", between="}\n")),
    "spaces": ("python", repeated("x = 1", " ", between="\ny = 2\n")),
    "blank lines": ("bash", repeated("a\n", "\n", between="b\n")),
}
CELLS: dict[str, Callable[[int], Sequence[Cell]]] = {
    "small cells": lambda size: [("code", "x = 1"), ("markdown", "a")] * size,
    "definitions": lambda size: [("code", "def f():\n    pass\n\n\nf()")] * size,
    "headings": lambda size: [("markdown", "## A"), ("code", "class A:\n    x = 1")] * size,
    "empty cells": lambda size: [("code", "")] * size,
    "one cell": lambda size: [("code", "def f():\n    pass\n\n" * size)],
    "raw": lambda size: [("raw", "```")] * size,
}
PLUGIN_LINES = (
    "%%% box\nx\n%%%\n",
    "%%% box\n",
    "%%% box\n@@@\n",
    "> %%% box\n> - @@@\n>   x\n",
    "@@@\nx\n@@@\n\n",
    "%%% box\n- x\n\n%%%\nx\n",
)
