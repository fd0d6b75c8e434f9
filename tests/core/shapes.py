"""Shapes of input that make one parser or another take more than linear time, by their size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Final

Shape = Callable[[int], str]

_RUNS: Final = "[`$|>*_~#-=+<!(\\&:^\"'\u3000\x0b"


def _repeat(unit: str) -> Shape:
    return lambda size: unit * (size // len(unit))


def _numbered(unit: str) -> Shape:
    """Repeat a unit in which `@` stands for its number."""
    length = len(unit) + 3
    return lambda size: "".join(unit.replace("@", str(i)) for i in range(size // length))


def _wrapped(start: str, unit: str, end: str) -> Shape:
    return lambda size: start + unit * (size // len(unit)) + end


def _ladder(size: int) -> str:
    """Nest lists 40 deep, over and over."""
    rungs = ("  " * depth + "- rung\n" for depth in cycle(range(40)))
    return "".join(islice(rungs, size // 50))


def _sections(size: int) -> str:
    """Nest headings 1 to 6, each with a little text."""
    made = (
        f"{'#' * level} Title {level}\n\nSome text of it.\n\n"
        for level in cycle((1, 2, 3, 4, 5, 6))
    )
    return "".join(islice(made, size // 36))


def _wide_table(size: int) -> str:
    """Make a table of three rows and ever more columns."""
    columns = size // 16
    row = "| x " * columns + "|\n"
    return row + "|---" * columns + "|\n" + row + row


_YAML = _numbered("key@: value\n")

SHAPES: Final[dict[str, Shape]] = {
    "paragraphs": _repeat("A paragraph of some words, not many.\n\n"),
    "one line of words": _repeat("word "),
    "one line of sentences": _repeat("A sentence ends here. "),
    "one word": _repeat("w"),
    "one line of Chinese": _repeat("潮水在夜里上涨。数据每十分钟记录一次，"),
    "lines of a paragraph": _repeat("a line of text\n"),
    "hard breaks": _repeat("a line  \n"),
    "soft hyphenless markers mid-line": _repeat("- x # y 1. z > q "),
    "headings alone": _repeat("# h\n"),
    "headings of all levels": _sections,
    "bare headings, then text": _wrapped("", "## h\n", "\ntext\n"),
    "bare headings of all levels": _repeat("# a\n## b\n### c\n#### d\n##### e\n###### f\n"),
    "setext headings": _repeat("a\n=\n\nb\n-\n\n"),
    "one long heading": _wrapped("# ", "word ", "\n\ntext\n"),
    "small sections": _numbered("### h@\n\nx\n\n"),
    "list": _repeat("- an item\n"),
    "loose list": _repeat("- an item\n\n"),
    "ordered list": _numbered("@. an item\n"),
    "a list per line": _repeat("- a\n* b\n"),
    "empty items": _repeat("-\n"),
    "nested lists": _ladder,
    "item of many paragraphs": _wrapped("- first\n\n", "  more text here\n\n", ""),
    "quote": _repeat("> a line\n"),
    "quoted paragraphs": _repeat("> a line\n>\n"),
    "quote per block": _repeat("> a line\n\n"),
    "lazy quote": _wrapped("> a line\n", "lazy\n", ""),
    "quotes in one line": _repeat("> "),
    "quotes and lists in one line": _repeat("> - "),
    "lists in one line": _repeat("- "),
    "fences": _repeat("```py\nx = 1\n```\n\n"),
    "one fence": _wrapped("```py\n", "x = 1\n", "```\n"),
    "one fence with blank lines": _wrapped("```py\n", "x = 1\n\n", "```\n"),
    "one line in a fence": _wrapped("```py\n", "x = 1; ", "\n```\n"),
    "unclosed fences in quotes": _repeat("> ```\n> x\n\n"),
    "fences between text": _repeat("Explained so:\n\n```py\nx = 1\n```\n\nand so on.\n\n"),
    "indented code": _repeat("    x = 1\n"),
    "table": _wrapped("| a | b |\n|---|---|\n", "| x | y |\n", ""),
    "tables": _repeat("| a |\n|---|\n| x |\n\n"),
    "wide table": _wide_table,
    "rows without a delimiter": _repeat("| a | b |\n"),
    "delimiter rows": _repeat("|-|\n"),
    "html": _repeat("<div>\n\n</div>\n\n"),
    "one html block": _wrapped("<div>\n", "<p>x</p>\n", "</div>\n"),
    "html block with fences": _wrapped("<div>\n", "```\n", "</div>\n"),
    "unclosed comments": _repeat("<!-- x\n"),
    "math": _repeat("$$\nx\n$$\n\n"),
    "unclosed math": _repeat("$$ x\n"),
    "unclosed math in paragraphs": _repeat("$$ x\n\n"),
    "link definitions": _numbered("[a@]: /url\n"),
    "unclosed labels": _repeat("[a\n"),
    "unclosed definition titles": _repeat("[a]: /u 'x\n"),
    "footnotes": _numbered("[^@]: A note.\n\n"),
    "one footnote": _wrapped("[^1]: A note.\n\n", "    more of it\n\n", ""),
    "front matter": lambda size: "---\n" + _YAML(size) + "---\n\n# H\n",
    "unclosed front matter": lambda size: "---\n" + _YAML(size),
    "breaks": _repeat("---\n\n"),
    "equal sections": _repeat("# Same\n\nSame text.\n\n"),
    "white space": _repeat("  \t\n"),
    "ideographic spaces": _repeat("\u3000\n\n"),
    "CRLF": _repeat("text\r\n\r\n# h\r\n\r\n"),
    "CR": _repeat("text\r\r# h\r\r"),
    "data URI": _wrapped("![i](data:image/png;base64,", "iVBORw0K", ")\n"),
    "combining characters": _repeat("e\u0301"),
    "joined emoji": _repeat("👩\u200d🔬"),
    "misread words": _repeat("# 5 is "),
    "underlines in a paragraph": _repeat("a | b\n= -\n"),
    "sentence ends": _repeat("."),
    "full stops": _repeat("。"),
}


def _runs() -> Iterator[tuple[str, Shape]]:
    for char in _RUNS:
        yield f"run of {char!r}", _repeat(char)
        yield f"words of {char!r}", _repeat(f"{char} ")
        yield f"lines of {char!r}", _repeat(f"{char}\n")
        yield f"paragraphs of {char!r}", _repeat(f"{char}a\n\n")


SHAPES.update(_runs())
