"""Hypothesis strategies that make Markdown.

`markdown_documents` composes documents from every block kind, `messy_text` throws fragments of
Markdown syntax together, and `any_markdown` does either. Long passages are repeated from a few
drawn pieces, so that a document of thousands of characters costs few choices and shrinks well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import cycle, islice
from typing import Final, TypeAlias, TypeVar, TypeVarTuple

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")
Text: TypeAlias = SearchStrategy[str]
Contents: TypeAlias = SearchStrategy[list[str]]

LONGEST: Final = 6000

WORDS: Final = (
    "tide", "harbour", "of", "Lantern", "a", "re-reads", "42", "naïve", "`code`", "**bold**",
    "(see", "x_1)",
)  # fmt: skip
# Harmless inside a line, another block at the start of one: no cut may come before them.
TRAPS: Final = (
    "# 5 is", "## b", "---", "~~~", "```", "2. x", "1. x", "7) y", "|", "- and", "+ plus", "* star",
    "> than", "===", "***", "$$", "<!--", "<div>", "[a]: b", "[^1]: c", ": d", "    far", "\ttab",
    "\\", "|-|", "&nbsp;",
)  # fmt: skip
SENTENCES: Final = (
    "The gauge was read twice.", "Why twice?", "Because nobody wrote it down!",
    "See e.g. No. 5 of the list.", "Dr. Osei said: “It is 3.5 m…”", "Version 1.2.3 follows.",
    "Вода ушла.", "Really?!", "It depends:",
)  # fmt: skip
CJK: Final = (
    "潮水在夜里上涨。", "数据每十分钟记录一次", "本当に？", "はい！", "「次の便」は……",
    "三つ、四つ。", "テスト",
)  # fmt: skip
TITLES: Final = (
    "Overview", "Overview", "Usage", "Input/Output", "a / b", "/", "C++ *and* `Rust`",
    "Итоги работы", "概要", "[link](u) title", "1. Numbered", "Ends with \\#", "# #", "👩‍🔬 Team",
    "&amp; more", "Usage {#use .note}", "Usage {x}", '<a id="use"></a>Usage',
)  # fmt: skip
# White space and controls that end no line, clusters of several code points, lone surrogates.
ODD: Final = (
    "\ufeff", "\x00", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\u3000", "\u3000\u3000",
    "\xa0", "\u200b", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇳🇴", "e\u0301", "a\u0308\u0323", "\u202eabc\u202c",
    "مرحبا", "\ud800", "\udc00", "\U0010ffff",
)  # fmt: skip
CODE_LINES: Final = (
    "x = 1", "# not a heading", "## nor this", "", "", "    return x", "\tgo()", "```", "~~~",
    "````", "> quoted", "- item", "| a | b |", "$$", "-->", "---", "// done   ", "</div>",
)  # fmt: skip
INFO_STRINGS: Final = (
    "", "", "python", "c++", "rust,ignore", " text", '{.py file="a b"}', "日本語", "~",
)  # fmt: skip
CELLS: Final = (
    "x", "", "$$x$$", "a \\| b", "`a|b`", "long cell " * 9, "naïve", "値", "<br>", "**b**",
    "w" * 70,
)  # fmt: skip
HTML_WRAPS: Final = (
    ("<!-- ", " -->"), ("<!--\n# hidden\n\n", "\n-->"), ("<!-- ", ""), ("<div>\n", "\n</div>"),
    ("<div align=center>\n\n", "\n\n</div>"), ("<div>\n```\n", "\n```\n</div>"), ("<div>\n", ""),
    ("<details>\n<summary>s</summary>\n\n", "\n\n</details>"),
    ("<details>\n```sh\n# ", "\n```\n</details>"), ("<pre>\n", "\n\n```\n</pre>"),
    ("<script>\n// ## x\n\n", "\n</script>"), ("<style>\n", ""), ("<?php ", " ?>"),
    ("<!DOCTYPE ", ">"), ("<![CDATA[\n", "\n]]>"), ("<table><tr><td>\n", "\n</td></tr></table>"),
    ("<b>\n", "\n</b>"),
)  # fmt: skip
MATH_WRAPS: Final = (
    ("$$\n", "\n$$"), ("$$", "$$"), ("$$ ", " $$"), ("$$\n", "\n$$ (1)"), ("$$ ", ""),
    ("$$\n\n", "\n\n$$"),
)  # fmt: skip
DEFINITIONS: Final = (
    "[a]: /url", '[B c]: <x y> "Title"', "[d]:\n  https://example.org/d\n  'two\n  lines'",
    "[a]: /again", "[e]: " + "u" * 90, "   [f]: #f (title)", "[not a definition]: ",
    "[g]: /url 'open",
)  # fmt: skip
BREAKS: Final = ("---", "***", "___", "- - -", " * * *  ", "_" * 40, "+++", "--")
FRONT_MATTER: Final = (
    "---\ntitle: x\ntags: [a, b]\n---",
    "---\n# comment\nwhen: 2031-01-02\ntext: |\n  # no heading\n\n  more\n---",
    "---\na: [1, 2\n---", "---\n- a list\n- no mapping\n---", "---\njust text\n---", "---\n---",
    "---\ntitle: never closed", "---\na: 1\n...", "----\na: 1\n----", "---\n\tb: tab\n---",
    "---\na: &x [*x]\n---", "---\na: !!python/name:os.system\n---",
    "+++\ntitle = 'x'\n[a]\nb = 1\n+++", "+++\na: 1\n+++", "+++\na = 1",
)  # fmt: skip
ITEM_GAPS: Final = ("\n", "\n", "\n\n")
FORMULAS: Final = ("x", "5", "\\frac{a}{b} &=", "\\\\", "# y", "h^2")
BLANKS: Final = ("", "   ", "\t", " \t ", "\u3000", "\x0c")
UNBROKEN: Final = (*ODD, "Do this:", f"![i](data:image/png;base64,{'iVBORw0K' * 90})", "w" * 700)
CONTAINER_LINES: Final = (
    ("::: note\n", "\n:::"), (":::tip[A title]\n\n", "\n\n:::"), ("::::: {.box}\n", "\n:::::"),
    (":::note\n", ""), ("", "\n:::"), ("::: a\n::: b\n", "\n:::\n"), ("<Tabs>\n\n", "\n\n</Tabs>"),
    ('<Tabs>\n<Tab name="a">\n\n', "\n\n</Tab>\n</Tabs>"), ("<details>\n\n", "\n</details>"),
    ("<div>\n\n", "\n\n</p>\n\n</div>"), ("{{< note >}}\n", "\n{{< /note >}}"),
    ('{{% tab "x" %}}\n\n', "\n\n{{% /tab %}}"), ("{{< note >}}\n", ""), ("> [!TIP]\n> ", ""),
    (" ::: note\n", "\n ::::"), ('{{< b class="' + "x" * 90 + '" >}}\n', "\n{{< /b >}}"),
)  # fmt: skip
ADMONITIONS: Final = ("!!! note", '??? tip "A title"', "???+ x", "!!!  two", "!!! note\n")
QUOTE_MARKS: Final = (("> ", "> "), ("> ", "> "), (">", ">"), ("   > ", "   > "), ("> ", ""))
LINE_BREAKS: Final = ("\n", "\n", "  \n", "\\\n", "\n   ")
JOINS: Final = (None, None, "\n", "\n\n")
GAPS: Final = ("\n\n", "\n\n", "\n\n", "\n", "\n", "\n\n\n", "\n \t\n", "\n\n    \n", "")
FRAGMENTS: Final = (
    "# ", "## ", "###### ", "#", " #\n", "- ", "* ", "+ ", "1. ", "2) ", "10. ", "[ ] ", "> ", ">",
    "```", "~~~", "````", "```c++\n", "\n", "\n", "\n", "\n\n", "\r\n", "\r", "    ", "  ", " ",
    "\t", "|", "| a | b |\n|---|---|\n", "|-", ":-:", "$$", "$", "---", "===", "\n---\n", "\n===\n",
    "***", "_", "\n[a]: b\n", "[^1]: ", "[^1]", "[", "]", "(", ")", "<!--", "-->", "<div>",
    "</div>\n", "<details>\n", "<pre>", "</pre>", "<?", "`", "``", "\\", "&", "!", ":", "a",
    "word ", "end. ", "words " * 30, "w" * 60, "日本。", "é", "\ufeff", "\x00", "\x0b", "\x0c",
    "\u2028", "\u3000", "👩‍🔬", "\ud800", "data:image/png;base64,", "5",
    "\n::: a\n", "\n:::\n", "\n{{< b >}}\n", "\n{{< /b >}}\n", "\n<C>\n\n", "\n</C>\n",
    "!!! d\n    ", "> [!NOTE]\n",
)  # fmt: skip


def _named(make: Callable[[*Arguments], Text]) -> Callable[[*Arguments], Text]:
    """Show a strategy as the call that makes it; written out in full, it has megabytes."""
    made = cache(make)

    def draw_made(draw: st.DrawFn, /, *arguments: *Arguments) -> str:
        return draw(made(*arguments))

    draw_made.__name__, draw_made.__doc__ = make.__name__, make.__doc__
    return st.composite(draw_made)


@_named
def any_markdown() -> Text:
    """Make well-formed documents or messy text."""
    return _weighted((2, markdown_documents()), (1, messy_text()))


@_named
def messy_text() -> Text:
    """Make text of fragments of Markdown syntax in any order, some of it repeated many times."""
    common, rare = st.sampled_from(FRAGMENTS[:32]), st.sampled_from(FRAGMENTS)
    fragment = st.one_of(common, rare, _characters())
    short, middle, long = (st.lists(fragment, min_size=n, max_size=3 * n + 9) for n in (0, 20, 90))
    repeated = st.builds(list[str].__mul__, middle, st.sampled_from((2, 7, 40, 150)))
    parts = _weighted((1, short), (1, middle), (1, long), (2, repeated))
    return parts.map(lambda drawn: "".join(drawn)[:LONGEST])


@_named
def markdown_documents() -> Text:
    """Make documents of front matter, preamble and sections, in any style of line ending."""
    blocks = st.lists(_piece(_blocks(2)), max_size=8).map("".join)
    start = _weighted((6, st.just("")), (1, st.just("\ufeff")), (1, _blank_lines()))
    end = st.sampled_from(("", "\n", "\n\n", "   ", "\n\t\n", "\n#", "\n\\"))
    body = _weighted((3, _sections()), (1, blocks))
    text = st.tuples(start, _front_matter(), body, end).map("".join)
    odd = st.builds(_with_insertion, text, st.sampled_from(ODD), st.integers(0, LONGEST))
    return st.builds(_with_line_ends, _weighted((4, text), (1, odd)), _line_ends())


# Documents


@_named
def _sections() -> Text:
    """Make a preamble and up to seven sections: a heading or several, and up to five blocks."""
    block = _piece(_blocks(3))
    blocks = st.lists(block, max_size=5).map("".join)
    section = st.builds(str.__add__, _piece(_headings()), blocks)
    sections = st.lists(section, max_size=7).map("".join)
    return st.builds(str.__add__, st.one_of(st.just(""), block), sections)


def _piece(block: Text) -> Text:
    """Put a gap after a block: mostly blank lines, sometimes only a line end or nothing."""
    return st.builds(str.__add__, block, st.sampled_from(GAPS))


@_named
def _blocks(depth: int) -> Text:
    """Make any block; containers nest up to `depth` deep."""
    if depth == 0:
        return _leaves()
    contents = st.lists(_blocks(depth - 1), min_size=1, max_size=3)
    containers = (_quotes, _bullet_lists, _ordered_lists, _footnotes, _containers, _admonitions)
    nested = st.one_of(*(container(contents) for container in containers))
    return _weighted((2, _leaves()), (1, nested))


@_named
def _leaves() -> Text:
    """Make any block that holds no blocks."""
    return st.one_of(
        _headings(), _paragraphs(), _fences(), _indented_code(), _tables(), _html(), _math(),
        _definitions(), _deep_nesting(), _blank_lines(), st.sampled_from(BREAKS),
    )  # fmt: skip


@_named
def _front_matter() -> Text:
    """Make front matter, valid or not, for every third document."""
    block = st.builds(str.__add__, st.sampled_from(FRONT_MATTER), st.sampled_from(("\n", "\n\n")))
    return _weighted((2, st.just("")), (1, block))


def _line_ends() -> SearchStrategy[Sequence[str]]:
    """Choose the line ends to cycle through: all alike, or mixed."""
    uniform = st.sampled_from((("\n",), ("\n",), ("\r\n",), ("\r",)))
    mixed = st.lists(st.sampled_from(("\n", "\r\n", "\r")), min_size=2, max_size=5)
    return _weighted((5, uniform), (1, mixed.map(tuple)))


def _with_insertion(text: str, inserted: str, place: int) -> str:
    place %= len(text) + 1
    return text[:place] + inserted + text[place:]


def _with_line_ends(text: str, ends: Sequence[str]) -> str:
    """Replace the line ends, taking each in turn, and cut what is longer than LONGEST."""
    *lines, last = text.split("\n")
    ended = "".join(line + end for line, end in zip(lines, cycle(ends), strict=False))
    return (ended + last)[:LONGEST]


# Headings


@_named
def _headings() -> Text:
    """Make a heading, or a run of headings without a blank line between them."""
    atx = st.builds(
        lambda indent, level, title, close: f"{indent}{'#' * level} {title}{close}",
        st.sampled_from(("", "", "", " ", "   ")),
        st.integers(1, 6),
        _titles(),
        st.sampled_from(("", "", "", " #", " ###  ")),
    )
    setext = st.builds(
        lambda title, rule, indent: f"{title}\n{indent}{rule}",
        _titles(),
        st.sampled_from(("=", "-", "=====", "----------  ")),
        st.sampled_from(("", "", "   ")),
    )
    lead = st.sampled_from(
        ('<a id="one"></a>\n', "<a name=two></a>\n\n", "<!-- a note -->\n", "<!-- a\n\nb -->\n\n")
    )
    led = st.builds(str.__add__, lead | st.builds(str.__add__, lead, lead), atx)
    run = st.lists(atx | led, min_size=2, max_size=4).map("\n".join)
    return _weighted((4, atx), (1, setext), (1, led), (1, run))


@_named
def _titles() -> Text:
    """Make titles: few, so that they repeat; sometimes none; sometimes longer than a chunk."""
    made = st.builds(stretch, _pieces(WORDS), st.just(" "), st.sampled_from((0, 30, 90, 400)))
    return _weighted((5, st.sampled_from(TITLES)), (1, made), (1, st.sampled_from(("", " ", "\t"))))


# Paragraphs


@_named
def _paragraphs() -> Text:
    """Make paragraphs of words, sentences, CJK, odd characters or block markers in mid-line."""
    passages = st.one_of(
        _passages(_pieces(WORDS), " "),
        _passages(_pieces(SENTENCES), " "),
        _passages(_pieces(WORDS + TRAPS), " "),
        _passages(_pieces(CJK), ""),
        _passages(_pieces(WORDS + ODD), " "),
        _passages(st.lists(_characters(), min_size=1, max_size=3), " "),
        st.sampled_from(UNBROKEN),
    )
    widths = st.sampled_from((0, 0, 0, 20, 72))
    return st.builds(_wrap, passages, widths, st.sampled_from(LINE_BREAKS))


def _passages(pieces: Contents, separator: str) -> Text:
    sizes = st.sampled_from((0, 0, 0, 60, 150, 400, 900))
    return st.builds(stretch, pieces, st.just(separator), sizes)


def _pieces(vocabulary: Sequence[str]) -> Contents:
    return st.lists(st.sampled_from(vocabulary), min_size=1, max_size=6)


def stretch(pieces: Sequence[str], separator: str, size: int) -> str:
    """Repeat pieces for at least `size` characters, numbering the rounds to tell them apart."""
    rounds: list[str] = []
    made = 0
    while made < size or not rounds:
        number = [str(len(rounds))] if size else []
        rounds.append(separator.join([*pieces, *number]))
        made += len(rounds[-1]) + len(separator)
    return separator.join(rounds)


def _wrap(text: str, width: int, line_end: str) -> str:
    """Break lines at the first space after `width` characters; 0 leaves them alone."""
    if not width:
        return text
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) >= width:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return line_end.join(lines)


def _characters() -> Text:
    """Make a few characters of any kind, lone surrogates and controls included."""
    return st.text(st.characters(exclude_categories=()), max_size=6)


# Code, tables, HTML, math, definitions


@_named
def _fences() -> Text:
    """Make fenced code: backticks or tildes, three to six, indented or not, closed or not."""
    indents = st.sampled_from(("", "", "", "  ", "   "))
    marks = st.builds(str.__mul__, st.sampled_from("`~"), st.integers(3, 6))
    closed = st.sampled_from((True, True, True, True, False))
    return st.builds(_fence, indents, marks, st.sampled_from(INFO_STRINGS), _code(), closed=closed)


def _fence(indent: str, mark: str, info: str, code: str, *, closed: bool) -> str:
    lines = [mark + info, *code.split("\n"), *([mark] if closed else [])]
    return "\n".join(indent + line for line in lines)


@_named
def _code() -> Text:
    separators = st.sampled_from(("\n", "\n", "\n", " "))
    return st.builds(
        stretch, _pieces(CODE_LINES), separators, st.sampled_from((0, 0, 60, 350, 1200))
    )


@_named
def _indented_code() -> Text:
    indents = st.sampled_from(("    ", "\t", "      ", "  \t"))
    return st.builds(lambda code, indent: _indent(code, indent, indent), _code(), indents)


@_named
def _tables() -> Text:
    """Make tables of one to five columns, up to 40 rows, with or without outer pipes."""
    return st.builds(
        _table,
        st.lists(st.sampled_from(("---", ":--", "-:", ":-:", "-")), min_size=1, max_size=5),
        _pieces(CELLS),
        st.sampled_from((0, 1, 2, 3, 8, 40)),
        outer=st.booleans(),
    )


def _table(aligns: Sequence[str], cells: Sequence[str], rows: int, *, outer: bool) -> str:
    width = len(aligns)
    supply = cycle(cells)
    header = [f"h{column}" for column in range(width)]
    body = [[f"r{number}", *islice(supply, width - 1)] for number in range(rows)]
    edges = ("| ", " |") if outer else ("", "")
    return "\n".join(" | ".join(row).join(edges) for row in (header, aligns, *body))


@_named
def _html() -> Text:
    """Make HTML blocks of all seven kinds, some never closed, some with fences inside."""
    return _wrapped(HTML_WRAPS, st.one_of(_code(), _passages(_pieces(SENTENCES), "\n")))


@_named
def _math() -> Text:
    """Make `$$` blocks, and paragraphs that look like them."""
    sizes = st.sampled_from((0, 0, 40, 500))
    return _wrapped(
        MATH_WRAPS, st.builds(stretch, _pieces(FORMULAS), st.sampled_from(" \n"), sizes)
    )


def _wrapped(wraps: Sequence[tuple[str, str]], inside: Text) -> Text:
    return st.builds(lambda wrap, text: text.join(wrap), st.sampled_from(wraps), inside)


@_named
def _definitions() -> Text:
    return st.lists(st.sampled_from(DEFINITIONS), min_size=1, max_size=8).map("\n".join)


@_named
def _blank_lines() -> Text:
    return st.lists(st.sampled_from(BLANKS), min_size=1, max_size=4).map("\n".join)


# Containers


@_named
def _quotes(contents: Contents) -> Text:
    """Make block quotes; a lazy one marks its first line only."""
    return st.builds(
        lambda inner, mark: _indent(inner, mark[0], mark[1], mark[1].rstrip()),
        contents.map("\n\n".join),
        st.sampled_from(QUOTE_MARKS),
    )


@_named
def _containers(contents: Contents) -> Text:
    """Make directives, elements and shortcodes, closed or not."""
    joined = st.builds(str.join, st.sampled_from(("\n", "\n\n")), contents)
    return _wrapped(CONTAINER_LINES, joined)


@_named
def _admonitions(contents: Contents) -> Text:
    """Make admonitions, most of them with a body that is indented enough."""
    return st.builds(
        lambda inner, line, indent: f"{line}\n{_indent(inner, indent, indent)}",
        contents.map("\n\n".join),
        st.sampled_from(ADMONITIONS),
        st.sampled_from(("    ", "    ", "\t", "  ")),
    )


@_named
def _bullet_lists(contents: Contents) -> Text:
    """Make bullet lists, tight or loose, with tasks, with one marker or several."""
    bullets = st.sampled_from(("-", "*", "+", "-*", "-+*"))
    tasks = st.sampled_from(("", "", "", "[ ] ", "[x] "))
    items = st.builds(_items, contents, st.sampled_from(JOINS), tasks)
    return st.builds(_bullet_list, items, bullets, st.sampled_from(ITEM_GAPS))


@_named
def _ordered_lists(contents: Contents) -> Text:
    """Make ordered lists that start anywhere; some have many more short items."""
    items = st.builds(_items, contents, st.sampled_from(JOINS))
    more = st.sampled_from((0, 0, 0, 3, 30)).map(lambda number: ["item text."] * number)
    return st.builds(
        _ordered_list,
        st.builds(list[str].__add__, items, more),
        st.sampled_from((1, 1, 0, 2, 98)),
        st.sampled_from(".)"),
        st.sampled_from(ITEM_GAPS),
    )


@_named
def _footnotes(contents: Contents) -> Text:
    """Make footnote definitions of one or several blocks."""
    labels = st.sampled_from(("1", "note", "1", "a-b"))
    return st.builds(
        lambda label, inner: _indent(inner, f"[^{label}]: ", "    "),
        labels,
        contents.map("\n\n".join),
    )


@_named
def _deep_nesting() -> Text:
    """Make quotes and lists nested up to deeper than the parser follows."""
    depths = st.sampled_from((2, 3, 6, 10, 30, 55, 110))
    marks = st.sampled_from(("> ", "- ", ">", "1. ", "> - "))
    one_line = st.builds(lambda mark, depth: mark * depth + "deep", marks, depths)
    steps = st.sampled_from(("  ", "   "))
    return st.one_of(one_line, st.builds(_ladder, steps, st.sampled_from((3, 7, 10, 25))))


def _ladder(step: str, depth: int) -> str:
    return "\n".join(f"{step * level}- level {level}" for level in range(depth))


def _items(blocks: list[str], join: str | None, task: str = "") -> list[str]:
    """Give each block an item of its own, or join all into one."""
    return [task + text for text in (blocks if join is None else [join.join(blocks)])]


def _bullet_list(items: list[str], marks: str, gap: str) -> str:
    marked = zip(cycle(marks), items, strict=False)
    return gap.join(_item(f"{mark} ", text) for mark, text in marked)


def _ordered_list(items: list[str], start: int, mark: str, gap: str) -> str:
    return gap.join(_item(f"{number}{mark} ", text) for number, text in enumerate(items, start))


def _item(marker: str, text: str) -> str:
    return _indent(text, marker, " " * len(marker))


def _indent(text: str, first: str, rest: str, blank: str = "") -> str:
    """Put `first` before the first line, `rest` before the others and `blank` on empty lines."""
    head, *tail = text.split("\n")
    return "\n".join([first + head, *(rest + line if line else blank for line in tail)])


def _weighted(*choices: tuple[int, SearchStrategy[T]]) -> SearchStrategy[T]:
    """Choose between strategies by weight, which `one_of` cannot, as it drops duplicates."""
    drawn = [strategy for weight, strategy in choices for _ in range(weight)]
    return st.sampled_from(drawn).flatmap(lambda strategy: strategy)
