"""Shapes of input that make one parser or another take more than linear time, by their size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, cycle, islice, repeat, takewhile
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
    "one title of half the text": lambda size: (
        f"# {'w' * (size // 2)}\n" + _repeat("## b\n\nx\n\n")(size // 2)
    ),
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
    "elements in one line": _wrapped("<div>", "<p>x</p>", "</div>\n"),
    "open elements in one line": _wrapped("<div>", "<i>", "\n"),
    "comments in one line": _wrapped("<div>", "<!-- x -->", "\n"),
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

_FLOW: Final = "---\na: "  # the start of front matter

HOSTILE: Final[dict[str, Shape]] = {
    # deep nesting of every container
    "ordered lists in one line": _repeat("1. " * 90 + "x\n"),
    "lists of all kinds in one line": _repeat("- 1. > * 1) + " * 16 + "x\n"),
    "footnotes in one line": _repeat("[^1]: "),
    "footnotes in footnotes": lambda size: _staircase("    ", "[^1]: a\n", size),
    "quotes, each one deeper": lambda size: _staircase(">", " x\n", size),
    "lists, each one deeper": lambda size: _staircase("  ", "- x\n", size),
    "lists, each one less deep": lambda size: "".join(
        reversed(_staircase("  ", "- x\n", size).splitlines(keepends=True))
    ),
    "indentations, each one deeper": lambda size: _staircase(" ", "x\n", size),
    # lines that would go on with a paragraph, but none is open
    "headings in quotes, and lazy lines": _repeat("> # a\nx\n"),
    "fences in quotes, and lazy lines": _repeat("> ```\nx\n"),
    "headings in two quotes, and lazy lines": _repeat("> > # a\n> x\n"),
    "many headings in a quote, and a lazy line": _repeat(">#\n" * 50 + "x\n"),
    "comments in quotes, and lazy lines": _repeat("> <!-- x\ny\n"),
    # containers that are closed by a line
    "directives never closed": _repeat("::: a\n"),
    "directives in directives": lambda size: "::: a\n" * (size // 10) + ":::\n" * (size // 10),
    "directives, each of one colon more": lambda size: _staircase(":", "::: a\n", size),
    "directives, each of one colon less": lambda size: "".join(
        reversed(_staircase(":", ":::\n", size).splitlines(keepends=True))
    ),
    "directives closed too often": _repeat("::: a\n:::\n:::\n"),
    "directives with headings": _repeat("::: a\n# b\n"),
    "directives of many blocks": _wrapped("::: a\n", "b\n\n", ":::\n"),
    "directives in quotes, and lazy lines": _repeat("> ::: a\nb\n"),
    "colons": _wrapped("", ":", " a\n"),
    "titles of directives": _repeat(f"::: a {'b :::' * 200}c\n"),
    "braces of directives": _repeat(f"::: {'{' * 990}\n"),
    "shortcodes never closed": _repeat("{{< a >}}\n"),
    "shortcodes in shortcodes": lambda size: (
        "{{< a >}}\n" * (size // 21) + "{{< /a >}}\n" * (size // 21)
    ),
    "shortcodes with headings": _repeat("{{< a >}}\n# b\n"),
    "shortcodes of braces": _repeat(f"{{{{< a {'}' * 990}\n"),
    "quotes in tags": _repeat("<a b=\"<c d='"),
    "quotes in tags never closed": _repeat("<a =''='"),
    "scripts never closed": _repeat("<script></script "),
    "elements never closed": _numbered("<a@>\n\n"),
    "elements in elements": lambda size: "<a>\n\n" * (size // 11) + "</a>\n\n" * (size // 11),
    "elements closed by others": lambda size: "<a>\n\n" * (size // 11) + "</b>\n\n" * (size // 11),
    "elements opened in one block": lambda size: (
        "<div>\n" + "<a>\n" * (size // 9) + "\n" + "</a>\n\n" * (size // 9)
    ),
    "admonitions without a body": _repeat("!!! a\n"),
    "admonitions, each one deeper": lambda size: _staircase("    ", "!!! a\n", size),
    "alerts": _repeat("> [!NOTE]\n\n"),
    # never closed
    "unclosed comments in paragraphs": _repeat("<!-- x\n\n"),
    "unclosed comments in quotes": _repeat("> <!-- x\n"),
    "unclosed elements": _repeat("<pre>\n\n"),
    "unclosed instructions": _repeat("<? \n\n"),
    "unclosed CDATA": _repeat("<![CDATA[\n\n"),
    "unclosed declarations": _repeat("<!X\n\n"),
    "other elements": _repeat("<b>\n"),
    "unclosed fences in items": _repeat("- ```\n"),
    "fences, each one longer": lambda size: _staircase("`", "```\n", size),
    "unclosed math in quotes": _repeat("> $$ x\n"),
    "unclosed math in items": _repeat("- $$\n"),
    "unclosed links": _repeat("[a]("),
    "unclosed images": _repeat("![a](<b "),
    "unclosed notes": _repeat("[^a"),
    "unclosed parentheses of a definition": _wrapped("[a]: ", "(", "\n"),
    "unclosed targets of definitions": _repeat("[a]: <b\n"),
    "unclosed titles of definitions, paragraphs": _repeat('[a]: /u "x\n\n'),
    # titles, whose inline text is parsed
    "titles of brackets": _repeat(f"# {'[' * 990}\n"),
    "titles of images": _repeat(f"# {'![' * 490}\n"),
    "titles of notes": _repeat(f"# {'^[' * 490}\n"),
    "titles of emphasis": _repeat(f"# {'*a_ ' * 240}\n"),
    "titles of images in images": _repeat(f"# {'![' * 160}a{'](b)' * 160}\n"),
    "titles of a hundred images": _repeat(f"# {'![' * 100}{'a ' * 380}\n"),
    "titles of CDATA": _repeat(f"# {'<![CDATA[' * 100}\n"),
    "titles of attributes": _repeat(f"# a {'{#b .c' * 140}}}\n"),
    "titles of anchors": _repeat(f"# {'<a id=b ' * 120}\n"),
    "anchors before headings": _repeat("<a id=a></a>\n\n# b\n"),
    "anchors, never a heading": _repeat("<a id=a></a>\n\n"),
    "anchors in one block before a heading": _repeat(f"{'<a id=a ' * 40}\n# b\n"),
    "HTML titles never closed": _repeat("<h1>\n\n"),
    # tables
    "a table's rows, shorter than its header": lambda size: (
        f"{'|a' * (size // 8)}|\n{'|-' * (size // 8)}|\n" + "|x\n" * (size // 6)
    ),
    "pipes alone": _repeat("|"),
    "headers without rows": _repeat("a | b\n--|--\n"),
    # front matter
    "front matter of brackets": _wrapped(_FLOW, "[", "\n---\n"),
    "front matter of braces": _wrapped(_FLOW, "{", "\n---\n"),
    "front matter, each key one deeper": lambda size: (
        "---\n" + _staircase(" ", "a:\n", size) + "---\n"
    ),
    "front matter of merges": _wrapped("---\na: &a {b: c}\n", "<<: *a\n", "---\n"),
    "front matter of digits": _wrapped(_FLOW, "9", "\n---\n"),
    "front matter of parts in base 60": _wrapped(_FLOW, "1:", "1.5\n---\n"),
    "front matter of numbers that have one hash": lambda size: (
        "---\n" + "".join(f"{n * (2**61 - 1)}: v\n" for n in range(size // 23)) + "---\n"
    ),
    "front matter of aliases": _wrapped("---\na: &a b\nc:\n", "- *a\n", "---\n"),
    "TOML": _wrapped("+++\n", "[[a]]\n", "+++\n"),
    "TOML of dotted keys": _wrapped("+++\n", "a.", "a = 1\n+++\n"),
    "TOML of brackets": _wrapped("+++\na = ", "[", "\n+++\n"),
    "TOML of quotes": _wrapped("+++\na = ", '\\"""', "\n+++\n"),
    "unclosed TOML": _wrapped("+++\n", "a = 1\n", ""),
    # odd characters and line ends
    "NULs": _repeat("\0"),
    "lines of NULs": _repeat("\0\n"),
    "lone surrogates": _repeat("\ud800"),
    "words of lone surrogates": _repeat("\ud800 \udc00 "),
    "mixed line ends": _repeat("a\r\nb\rc\nd\n\r"),
    "line ends alone": _repeat("\r\r\n\n\r"),
    "tabs": _repeat("\tx\n"),
}


def _staircase(step: str, end: str, size: int) -> str:
    """Make lines, each longer than the one before it by a step."""
    lines = accumulate(repeat(step), initial="")
    total = accumulate((len(line) + len(end) for line in lines), initial=0)
    count = sum(1 for _ in takewhile(lambda reached: reached < size, total))
    return "".join(f"{step * number}{end}" for number in range(count))


def _runs() -> Iterator[tuple[str, Shape]]:
    for char in _RUNS:
        yield f"run of {char!r}", _repeat(char)
        yield f"words of {char!r}", _repeat(f"{char} ")
        yield f"lines of {char!r}", _repeat(f"{char}\n")
        yield f"paragraphs of {char!r}", _repeat(f"{char}a\n\n")


RUNS: Final[dict[str, Shape]] = dict(_runs())  # of one character
SHAPES.update(RUNS)
