"""Shapes of input that make one parser or another take more than linear time, by their size.

Those that are a text repeated are in `tests/data/shapes.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate, cycle, islice, repeat, takewhile
from typing import Final

import yaml

from tests import corpora

Shape = Callable[[int], str]


def _repeated(start: str, unit: str, end: str, size: int) -> str:
    """Repeat a unit between a start and an end; `@` in it stands for its number."""
    if "@" not in unit:
        return start + unit * (size // len(unit)) + end
    numbers = range(size // (len(unit) + 3))
    return start + "".join(unit.replace("@", str(number)) for number in numbers) + end


def _repeat(unit: str) -> Shape:
    return partial(_repeated, "", unit, "")


def _nested(opening: str, closing: str, size: int) -> str:
    """Open as many as are closed."""
    count = size // len(opening + closing)
    return opening * count + closing * count


def _staircase(step: str, end: str, size: int) -> str:
    """Make lines, each longer than the one before it by a step."""
    lines = accumulate(repeat(step), initial="")
    total = accumulate((len(line) + len(end) for line in lines), initial=0)
    count = sum(1 for _ in takewhile(lambda reached: reached < size, total))
    return "".join(f"{step * number}{end}" for number in range(count))


def _stairs_down(step: str, end: str, size: int) -> str:
    """Make lines, each shorter than the one before it by a step."""
    return "".join(reversed(_staircase(step, end, size).splitlines(keepends=True)))


def _ladder(size: int) -> str:
    """Nest lists 40 deep, over and over."""
    rungs = ("  " * depth + "- rung\n" for depth in cycle(range(40)))
    return "".join(islice(rungs, size // 50))


def _sections(size: int) -> str:
    """Nest headings 1 to 6, each with a little text."""
    made = (f"{'#' * n} Title {n}\n\nSome text of it.\n\n" for n in cycle((1, 2, 3, 4, 5, 6)))
    return "".join(islice(made, size // 36))


def _wide_table(size: int) -> str:
    """Make a table of three rows and ever more columns."""
    columns = size // 16
    row = "| x " * columns + "|\n"
    return row + "|---" * columns + "|\n" + row + row


def _shapes(kind: str) -> Iterator[tuple[str, Shape]]:
    """Yield the shapes of a kind that are in a file."""
    path = corpora.REPOSITORY / "tests" / "data" / "shapes.yaml"
    for name, unit in yaml.safe_load(corpora.read(path))[kind].items():
        parts = ("", unit, "") if isinstance(unit, str) else unit
        yield name, partial(_repeated, *parts)


def _runs() -> Iterator[tuple[str, Shape]]:
    for char in "[`$|>*_~#-=+<!\\:\u3000\x0b":
        yield f"run of {char!r}", _repeat(char)
        yield f"words of {char!r}", _repeat(f"{char} ")
        yield f"lines of {char!r}", _repeat(f"{char}\n")
        yield f"paragraphs of {char!r}", _repeat(f"{char}a\n\n")


_keys = partial(_repeated, "---\n", "key@: value\n")
RUNS: Final[dict[str, Shape]] = dict(_runs())  # of one character
SHAPES: Final[dict[str, Shape]] = {
    **dict(_shapes("shapes")),
    "headings of all levels": _sections,
    "one title of half the text": lambda size: (
        f"# {'w' * (size // 2)}\n" + _repeat("## b\n\nx\n\n")(size // 2)
    ),
    "nested lists": _ladder,
    "wide table": _wide_table,
    "front matter": partial(_keys, "---\n\n# H\n"),
    "unclosed front matter": partial(_keys, ""),
    **RUNS,
}
HOSTILE: Final[dict[str, Shape]] = {
    **dict(_shapes("hostile")),
    # deep nesting of every container
    "ordered lists in one line": _repeat("1. " * 90 + "x\n"),
    "lists of all kinds in one line": _repeat("- 1. > * 1) + " * 16 + "x\n"),
    "footnotes in footnotes": partial(_staircase, "    ", "[^1]: a\n"),
    "quotes, each one deeper": partial(_staircase, ">", " x\n"),
    "lists, each one deeper": partial(_staircase, "  ", "- x\n"),
    "lists, each one less deep": partial(_stairs_down, "  ", "- x\n"),
    "indentations, each one deeper": partial(_staircase, " ", "x\n"),
    "many headings in a quote, and a lazy line": _repeat(">#\n" * 50 + "x\n"),
    "directives in directives": partial(_nested, "::: a\n", ":::\n"),
    "directives, each of one colon more": partial(_staircase, ":", "::: a\n"),
    "directives, each of one colon less": partial(_stairs_down, ":", ":::\n"),
    "shortcodes in shortcodes": partial(_nested, "{{< a >}}\n", "{{< /a >}}\n"),
    "elements in elements": partial(_nested, "<a>\n\n", "</a>\n\n"),
    "elements closed by others": partial(_nested, "<a>\n\n", "</b>\n\n"),
    "elements opened in one block": lambda size: (
        "<div>\n" + "<a>\n" * (size // 9) + "\n" + "</a>\n\n" * (size // 9)
    ),
    "admonitions, each one deeper": partial(_staircase, "    ", "!!! a\n"),
    "fences, each one longer": partial(_staircase, "`", "```\n"),
    # lines and titles that are long, whose inline text is parsed
    "titles of directives": _repeat(f"::: a {'b :::' * 200}c\n"),
    "braces of directives": _repeat(f"::: {'{' * 990}\n"),
    "shortcodes of braces": _repeat(f"{{{{< a {'}' * 990}\n"),
    "titles of brackets": _repeat(f"# {'[' * 990}\n"),
    "titles of images": _repeat(f"# {'![' * 490}\n"),
    "titles of notes": _repeat(f"# {'^[' * 490}\n"),
    "titles of emphasis": _repeat(f"# {'*a_ ' * 240}\n"),
    "titles of images in images": _repeat(f"# {'![' * 160}a{'](b)' * 160}\n"),
    "titles of a hundred images": _repeat(f"# {'![' * 100}{'a ' * 380}\n"),
    "titles of CDATA": _repeat(f"# {'<![CDATA[' * 100}\n"),
    "titles of attributes": _repeat(f"# a {'{#b .c' * 140}}}\n"),
    "titles of anchors": _repeat(f"# {'<a id=b ' * 120}\n"),
    "anchors in one block before a heading": _repeat(f"{'<a id=a ' * 40}\n# b\n"),
    "a table's rows, shorter than its header": lambda size: (
        f"{'|a' * (size // 8)}|\n{'|-' * (size // 8)}|\n" + "|x\n" * (size // 6)
    ),
    "front matter, each key one deeper": lambda size: (
        "---\n" + _staircase(" ", "a:\n", size) + "---\n"
    ),
    "front matter of numbers that have one hash": lambda size: (
        "---\n" + "".join(f"{n * (2**61 - 1)}: v\n" for n in range(size // 23)) + "---\n"
    ),
}
