"""Parsing: block kinds, front matter, footnotes, math, and titles as plain text.

That blocks and headings are those of stock markdown-it-py is tested in `test_truth.py`.
"""

from __future__ import annotations

import inspect
import json
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chunkana_core import chunk_hierarchical
from chunkana_core.document.blocks import TRAITS
from chunkana_core.extending import BlockKind
from chunkana_core.formats.markdown.front_matter import front_matter_title
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.titles import inline_tokens, plain_text, plain_title

K = BlockKind


def slices(text: str) -> list[tuple[BlockKind, str]]:
    """Return kind and text of the document's own blocks."""
    return [(b.kind, text[b.start : b.end]) for b in parse_markdown(text).blocks if not b.depth]


def test_every_kind_has_traits() -> None:
    assert TRAITS.keys() == set(BlockKind)


QUOTES = " ".join(">" * depth + "block_quote" for depth in range(100))
LISTS = " ".join(">" * depth + ("list_item" if depth % 2 else "list") for depth in range(100))
OPAQUE = ">" * 100 + "opaque"
DEEP = "> " * 110


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- a\n\n  > b\n\n- ```\n  c\n  ```\n",
            "list >list_item >>paragraph >>block_quote >>>paragraph >list_item >>fenced_code",
        ),
        ("- # a\n\n> # b\n\n   # c\n", "list >list_item >>heading block_quote >heading heading"),
        ("> <!-- a -->\n> # b\n", "block_quote >html >heading"),  # of which the comment is no part
        (
            "# a\n\na\n=\n\na\n\n7) a\n\n~~~~\na\n~~~~\n\n|a|\n|-|\n\n$$a$$\n\n$$\na\n$$ (1)\n",
            "heading heading paragraph list >list_item >>paragraph fenced_code table math math",
        ),
        (
            "---\na: b\n---\n\n    a\n\n<div>\n\n<!-- a -->\n\n***\n\n[a]: /b\n",
            "front_matter indented_code html html thematic_break link_definition",
        ),
        # footnotes stay in place, and end a paragraph
        ("a[^1]\n\n[^1]: b\n\n    c\n\nd\n", "paragraph footnote >paragraph >paragraph paragraph"),
        ("text\n[^1]: note\n", "paragraph footnote >paragraph"),
        ("[^]: a\n", "link_definition"),
        ("[^a b]: c\n", "link_definition"),
        ("[^1] a\n", "paragraph"),
        ("[^1\n", "paragraph"),
        # math has no blank lines
        ("$$\na\n\nb\n$$\n", "paragraph paragraph"),
        ("> $$\n> a\n> $$\n", "block_quote >math"),
        ("$$ a\n$$ b\n\n$$\nc\n$$\n", "paragraph math"),
        # what is deeper than 100 levels is one block, which ends with its container
        (f"{DEEP}a\n{DEEP}\n{DEEP}b\n\nafter\n", f"{QUOTES} {OPAQUE} paragraph"),
        ("- " * 120 + "deep\n\n# H\n\ntext\n", f"{LISTS} {OPAQUE} heading paragraph"),
        # stock rules look for a line end after the last line, which need not have one
        (">- <pre>\n> ", "block_quote >list >>list_item >>>html"),
        # white space alone is no block, also where it is not ASCII
        *((blank, "") for blank in ("", "\n \t\n", "\u3000\n", "    \x0b\n\x0c")),
        ("\ufeff\n", "paragraph"),
        ("a\0b\n\n# c\0d\n", "paragraph heading"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_blocks_and_those_in_them(text: str, expected: str) -> None:
    """Blocks are flat: each before what it contains; all of a level's text is in them."""
    document = parse_markdown(text)
    assert " ".join(">" * block.depth + block.kind for block in document.blocks) == expected
    for block in document.blocks:
        inside = [b for b in document.blocks[block.index + 1 :] if b.start < block.end]
        assert block.after == block.index + 1 + len(inside)
        assert [*document.children(block)] == [b for b in inside if b.depth == block.depth + 1]


def test_each_definition_is_a_block() -> None:
    """The lines of its title are in it."""
    text = "[a]: /a\n[b]:\n  /b\n  'two\n  lines'\n\ntext [a]\n"
    assert slices(text) == [
        (K.LINK_DEFINITION, "[a]: /a\n"),
        (K.LINK_DEFINITION, "[b]:\n  /b\n  'two\n  lines'\n"),
        (K.PARAGRAPH, "text [a]\n"),
    ]


# Front matter


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: x\n---\n",
        "---\ntitle: x\n---\n\n## A\n",
        "\ufeff---\ntitle: x\n---\n",
        "---\r\ntitle: x\r\n---\r\n",
        "---\n# comment\ntitle: 'x'\ntags:\n  - a\n---\ntext\n",
        "---\ntext: |\n  # no heading\n\n  more\ntitle: x\n---\n",
        "---\nwhen: 2031-01-02\ntitle: x\n---\n",
        "---\nbase: &b {a: 1}\n<<: *b\nmore: {<<: [*b, *b]}\ntitle: x\n---\n",
        "---\n<<: {<<: {a: 1}}\n=: 1\ntitle: x\n---\n",
        "---\nbase 60: 1:30\ntitle: x\n---\n",
        "-----\ntitle: x\n-----\n",
        "---\n<<: a\nb: <<\nc: =\nTitle: x\n---\n",
        "---\nwhen: 2031-99-99\nmore: !!int ''\nTITLE: x\n---\n",
        "---\na: " + "9" * 5000 + '\n"title": x\n---\n',
        "+++\ntitle = 'x'\n+++\n",
        '\ufeff+++  \r\nTitle = "x"\r\n+++\t\r\n\r\n## A\r\n',
        "+++\na = [1, [2]] # {{ [[\n[b.c]\nd = '[['\n+++\n\n<h1>x</h1>\n",
        "+++\n+++\n\n# x\n",
        "+++\na = '''\n" + "[.a" * 99 + "'''\nb = '[[.a' # [\ntitle = 'x'\n+++\n",
    ],
    ids=repr,
)
def test_front_matter(text: str) -> None:
    """A YAML mapping between `---`, or TOML between `+++`, at the very start is front matter."""
    parsed = parse_markdown(text)
    assert parsed.blocks[0].kind is K.FRONT_MATTER
    assert parsed.title == "x"


@pytest.mark.parametrize(
    "text",
    [
        "---\n- a\n- b\n---\n",
        "---\njust text\n---\n",
        "---\n---\n",
        "---\n\n---\n",
        "---\na: [1, 2\n---\n",
        "---\na: 1\n",
        "\n---\na: 1\n---\n",
        " ---\na: 1\n---\n",
        "text\n---\na: 1\n---\n",
        "---\n\tb: tab\n---\n",
        "---\na: 1\nb\n---\n",
        "---\n- a: 1\n---\n",
        "---\na: !!python/name:os.system\n---\n",
        "---\na: !mine x\n---\n",
        "---\n? [a]\n: b\n---\n",
        "---\na: *unknown\n---\n",
        "---\n" + "[" * 3000 + "\n---\n",
        "--- \na: 1\n",
        "---\nText.\n" + "a: 1\n" * 20_000 + "---\n",
        "+++\na\n+++\n",
        "+++\na: 1\n+++\n",
        "+++\na = 1\n",
        "+++\na = 1\n---\n",
        "++++\na = 1\n++++\n",
        " +++\na = 1\n+++\n",
        "+++ a\nb = 1\n+++\n",
        "+++\na = 1\na = 2\n+++\n",
        "+++\na = 2031-99-99\n+++\n",
        "+++\na = " + "9" * 5000 + "\n+++\n",
        "+++\na = " + "[" * 60 + "]" * 60 + "\n+++\n",
        "+++\n" + "a." * 60 + "a = 1\n+++\n",
        "+++\n" + '"a" . ' * 60 + "a = 1\n+++\n",
        "+++\nText.\n" + "a = 1\n" * 20_000 + "+++\n",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_what_is_no_front_matter(text: str) -> None:
    """What YAML's safe loader does not read as a mapping, or starts later, is Markdown."""
    parsed = parse_markdown(text)
    assert all(block.kind is not K.FRONT_MATTER for block in parsed.blocks)
    assert parsed.title == "Document"


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("title:  spaced  ", "spaced"),
        ("title:\ttab", "tab"),
        (r'title: "\ud800"', "\ud800"),
        ("title: as far\n  as here \n   and on\nother:", "as far as here and on"),
        ("title: 2031", "2031"),
        ("title = 12", "12"),
        *((none, "") for none in ("title:", "title: [a]", "title: {a: b}", "other: x")),
        *((none, "") for none in ("title = [1]", "[title]\na = 1", "a = 1")),
    ],
)
def test_title_of_front_matter(content: str, title: str) -> None:
    """The title is a scalar as it is written; anything else is none."""
    marker = "+++" if "=" in content else "---"
    document = parse_markdown(f"{marker}\n{content}\n{marker}\n")
    assert document.blocks[0].kind is K.FRONT_MATTER
    assert (document.title, document.is_titled) == (title or "Document", bool(title))


_YAML_WORDS = (
    *"x1é$/(_-?:#'\"[{&*!|>%@`~=.,+ \t\xa0\u2028",
    *("a:", "null", "08", "1.5", "1:30", "2020-01-02", "2020-02-31", "'q'", '"q"', "<<", "---"),
    *("title:", ": ", " #", "- ", "'q r'", "http://x"),
)
_YAML_LINES = st.builds(
    lambda key, words: key + "".join(words),
    st.sampled_from(("title: ", "title:", "a-b: ", "c:", "- ", "  ", " x")),
    st.lists(st.sampled_from(_YAML_WORDS), max_size=3),
)


@given(st.lists(_YAML_LINES, min_size=1, max_size=4).map("\n".join))
def test_front_matter_has_one_title_with_and_without_libyaml(text: str) -> None:
    """The parsers in C and in Python find the same titles, but for tabs, which only C allows."""
    title = front_matter_title(text, is_toml=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        assert title == front_matter_title(text, is_toml=False) or "\t" in text


@pytest.mark.parametrize("again", ["[*a{0}, *a{0}]", "{{<<: [*a{0}, *a{0}], k{0}: 1}}"])
def test_front_matter_that_expands_is_not_expanded(again: str) -> None:
    """Aliases of aliases, and merged mappings of them, are read in linear time."""
    levels = [f"a{n + 1}: &a{n + 1} {again.format(n)}" for n in range(60)]
    content = "\n".join(["title: x", "a0: &a0 {x: 1}", *levels])
    assert parse_markdown(f"---\n{content}\n---\n").title == "x"


def test_front_matter_in_base_60_is_not_added_up() -> None:
    """A number of very many places is read in linear time, as a string."""
    result = chunk_hierarchical(f"---\nn: 1{':1' * 30_000}\nm: 1:1.5\ntitle: x\n---\n")
    assert result.title == "x"
    assert result.front_matter == {"n": f"1{':1' * 30_000}", "m": "1:1.5", "title": "x"}


@pytest.mark.parametrize(
    ("content", "data"),
    [
        ("- a", "{}"),
        (
            "title: Tea\nshare: 0.5\ndraft: true\nnone:\nquoted: '12'",
            '{"title": "Tea", "share": 0.5, "draft": true, "none": null, "quoted": "12"}',
        ),
        (
            "day: 2031-01-02\r\nat: 2031-01-02 03:04:05\r\nbad: 2031-99-99",
            '{"day": "2031-01-02", "at": "2031-01-02T03:04:05", "bad": "2031-99-99"}',
        ),
        ("1: a\ntrue: b\n2031-01-02: c", '{"1": "a", "true": "b", "2031-01-02": "c"}'),
        ("a: [1, {b: [2]}]", '{"a": [1, {"b": [2]}]}'),
        ("a: .nan\nb: -.inf\nc: 0x1f", '{"a": "nan", "b": "-inf", "c": 31}'),
        ("a: !!int x\nb: !!bool y\nc: !!binary eA==", '{"a": "x", "b": "y", "c": "eA=="}'),
        ("a: !!set {b, c}\nd: !!omap [e: 1]", '{"a": ["b", "c"], "d": [["e", 1]]}'),
        ("a: &b {c: 1}\nd: *b\n<<: *b", '{"a": {"c": 1}, "d": "*b", "<<": "*b"}'),
        ("a: &b [*b]", '{"a": ["*b"]}'),
        ("a: \0", '{"a": "\ufffd"}'),
        (
            "at = 2031-01-02T03:04:05Z\n[a]\nb = [2031-01-02, 12:00:00, inf]",
            '{"at": "2031-01-02T03:04:05+00:00", "a": {"b": ["2031-01-02", "12:00:00", "inf"]}}',
        ),
    ],
    ids=repr,
)
def test_front_matter_is_data(content: str, data: str) -> None:
    """The mapping is JSON-able, new each time, and {} where there is none."""
    marker, end = "+++" if " = " in content else "---", "\r\n" if "\r" in content else "\n"
    result = chunk_hierarchical(f"\ufeff{marker}{end}{content}{end}{marker}{end}")
    assert result.front_matter == json.loads(data)
    assert result.front_matter is not result.front_matter
    assert json.dumps(result.front_matter, allow_nan=False, ensure_ascii=False) == data


@pytest.mark.parametrize(("marker", "line"), [("---", "k@: v\n"), ("+++", "k@ = 1\n")])
@pytest.mark.parametrize("before", ["", "# a comment\n\n"])
def test_long_front_matter_is_not_looked_into(marker: str, line: str, before: str) -> None:
    """Over 65,536 characters it is a block without a title or data, whatever it says."""
    title = "title: x\n" if marker == "---" else "title = 'x'\n"
    for count in (100, 20_000):
        body = before + title + "".join(line.replace("@", str(n)) for n in range(count))
        result = chunk_hierarchical(f"{marker}\n{body}{marker}\n\nText.\n")
        assert result.get_leaves()[0].content_type == "front_matter"
        assert result.title == ("x" if count == 100 else "")
        assert len(result.front_matter) == (101 if count == 100 else 0)


def test_front_matter_is_read_alike_however_deep_its_caller_is() -> None:
    """YAML is read up to fifty levels deep, and that needs no more stack than quotations do."""
    fifty, more = (f"---\na: {'[' * n}{']' * n}\ntitle: x\n---\n" for n in (49, 60))
    assert parse_markdown(fifty).title == "x"
    assert parse_markdown(more).title == "Document"
    assert parse_markdown(more).blocks[0].kind is not K.FRONT_MATTER
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 450)
    try:
        assert parse_markdown(fifty).title == "x"
        assert parse_markdown("> " * 100 + "a\n").blocks
    finally:
        sys.setrecursionlimit(before)


@pytest.mark.parametrize("front", ["---\ntitle: {}\n---\n", "+++\ntitle = {}\n+++\n"])
def test_numbers_that_python_would_not_write_are_strings(front: str) -> None:
    """A whole number of more than 4,300 digits, which hexadecimal ones may be, is read as text."""
    number = "0x" + "f" * 5000
    result = chunk_hierarchical(front.format(number) + "\nText.\n")
    assert result.title.startswith("0xfff")
    assert json.loads(json.dumps(result.front_matter)) == {"title": number}
    assert chunk_hierarchical(front.format("0xff") + "\nText.\n").front_matter == {"title": 255}


# Quotations


def test_lazy_lines_are_looked_for_up_to_a_point() -> None:
    """Where lines were looked at in vain too often, only marked lines are in a quotation.

    A heading of the document itself ends that.
    """
    vain, lazy = "> # a\nx\n", "> text\ngoes on\n"

    def starts_block(text: str) -> bool:
        document = parse_markdown(text)
        return any(document.text.startswith("goes on", block.start) for block in document.blocks)

    assert not starts_block(vain * 10 + lazy + vain * 10)
    assert starts_block(vain * 500 + lazy + vain * 500)
    assert not starts_block(f"{vain * 500}\n# b\n\n{lazy}{vain * 10}")


# Titles


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("plain", "plain"),
        ("**bold** and *it* and `code`", "bold and it and code"),
        ("a [link](/u 'title') b", "a link b"),
        ("a ![picture *of* it](/u) b", "a picture of it b"),
        ("<b>raw</b> text", "raw text"),
        ("<https://example.org>", "https://example.org"),
        ("AT&amp;T &copy; &#65;", "AT&T © A"),
        (r"\# not \*markup\*", "# not *markup*"),
        ("a  \t b", "a b"),
        ("~~gone~~", "gone"),
        ("$x^2$ in math", "x^2 in math"),
        ("closed ##", "closed"),
        ("a_b_c", "a_b_c"),
        ("2 < 3 > 1", "2 < 3 > 1"),
        ("[not a link]", "[not a link]"),
        ("", ""),
        ("`` ` ``", "`"),
        ("See [this] and [that]\n\n[this]: /x", "See this and [that]"),
        ("*a* " * 50, ("a " * 50).strip()),
        ("*a* " * 51, ("*a* " * 51)[:199] + "…"),  # of more markup, a title is not looked into
        (f"**b** {'a' * 1000}", f"**b** {'a' * 193}…"),  # nor is one over a thousand characters
    ],
)
def test_titles_are_plain_text(markup: str, title: str) -> None:
    """A title is what a reader sees of it."""
    assert chunk_hierarchical(f"# {markup}\n\nText.\n").toc()[0].title == title


@pytest.mark.parametrize(
    ("markup", "is_plain", "is_plain_if_undefined"),
    [
        ("plain, really!", True, True),
        ("`code` and snake_case_name", True, True),
        ("a & b", True, True),
        ("[2.5.0] - 2031", False, True),
        ("axios(url[, config])", False, True),
        ("a [b](c)", False, False),
        ("a[^1] and ^[b]", False, False),
        ("_a_", False, False),
        ("a[_b_", False, False),
        ("` a`", False, False),
        ("`a``b`", False, False),
        ("&amp;", False, False),
        ("a <b>", False, False),
        ("**a**", False, False),
    ],
)
def test_titles_that_need_no_parser(
    markup: str,
    is_plain: bool,  # noqa: FBT001
    is_plain_if_undefined: bool,  # noqa: FBT001
) -> None:
    """Titles without markup, and those with brackets where nothing is defined, are not parsed."""
    assert (plain_title(markup) is not None) == is_plain
    assert (plain_title(markup, may_link=False) is not None) == is_plain_if_undefined


_TITLE_PARTS = (
    *"aÖ_`&!](.^|$=\\*~<#[ \u3000\u0301¹",
    *("b1", "__", "``", "`c`", "&amp;", "&;", "[a]", "![", "]:", "][", "x_y", "  "),
)


@given(st.lists(st.sampled_from(_TITLE_PARTS), min_size=1, max_size=8).map("".join))
def test_titles_that_need_no_parser_are_what_it_says(markup: str) -> None:
    """Without definitions, a parser says the same of brackets."""
    markup = markup.strip()
    read = " ".join(plain_text(inline_tokens(markup, {})).split())
    assert plain_title(markup) in (None, read)
    assert plain_title(markup, may_link=False) in (None, read)


def test_setext_titles_of_several_lines() -> None:
    """The lines of a setext heading, and hard breaks in it, are parted by spaces."""
    assert (
        chunk_hierarchical("one\ntwo  \nthree\\\nfour\n===\n").toc()[0].title
        == "one two three four"
    )


def test_info_strings() -> None:
    """A fence's info string is kept as it is, but for the white space around it."""
    document = parse_markdown("```  py title=x \n```\n\n~~~ c++\n~~~\n\n```\n```\n")
    infos = [block.info for block in document.blocks]
    assert infos == ["py title=x", "c++", ""]
