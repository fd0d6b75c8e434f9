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


def kinds(text: str) -> list[tuple[BlockKind, int]]:
    """Return kind and depth of every block."""
    return [(block.kind, block.depth) for block in parse_markdown(text).blocks]


def slices(text: str) -> list[tuple[BlockKind, str]]:
    """Return kind and text of the document's own blocks."""
    return [(b.kind, text[b.start : b.end]) for b in parse_markdown(text).blocks if not b.depth]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# a\n", K.HEADING),
        ("a\n=\n", K.HEADING),
        ("a\n", K.PARAGRAPH),
        ("- a\n", K.LIST),
        ("7) a\n", K.LIST),
        ("> a\n", K.BLOCK_QUOTE),
        ("```\na\n```\n", K.FENCED_CODE),
        ("~~~~\na\n", K.FENCED_CODE),
        ("    a\n", K.INDENTED_CODE),
        ("|a|\n|-|\n", K.TABLE),
        ("$$\na\n$$\n", K.MATH),
        ("$$a$$\n", K.MATH),
        ("$$\na\n$$ (1)\n", K.MATH),
        ("<div>\n", K.HTML),
        ("<!-- a -->\n", K.HTML),
        ("***\n", K.THEMATIC_BREAK),
        ("[a]: /b\n", K.LINK_DEFINITION),
        ("[^a]: b\n", K.FOOTNOTE),
        ("---\na: b\n---\n", K.FRONT_MATTER),
    ],
)
def test_kinds(text: str, kind: BlockKind) -> None:
    """Each kind of block is told apart, in CommonMark's words."""
    first = parse_markdown(text).blocks[0]
    assert (first.kind, first.depth, first.start, first.end) == (kind, 0, 0, len(text))
    assert first.index == 0
    assert first.after == len(parse_markdown(text).blocks)


def test_every_kind_has_traits() -> None:
    assert TRAITS.keys() == set(BlockKind)


def test_what_is_inside_follows_its_container() -> None:
    """Blocks are flat: each before what it contains, with its depth."""
    text = "- a\n\n  > b\n\n- ```\n  c\n  ```\n\nd\n"
    assert kinds(text) == [
        (K.LIST, 0),
        (K.LIST_ITEM, 1),
        (K.PARAGRAPH, 2),
        (K.BLOCK_QUOTE, 2),
        (K.PARAGRAPH, 3),
        (K.LIST_ITEM, 1),
        (K.FENCED_CODE, 2),
        (K.PARAGRAPH, 0),
    ]
    assert [block.after for block in parse_markdown(text).blocks] == [7, 5, 3, 5, 5, 7, 7, 8]
    document = parse_markdown(text)
    children = [block.kind for block in document.children(document.blocks[1])]
    assert children == [K.PARAGRAPH, K.BLOCK_QUOTE]


def test_headings_in_containers_are_content() -> None:
    """A heading in an item or a quote is a block of it, and in no outline."""
    text = "- # a\n\n> # b\n\n# c\n"
    assert [e.title for e in chunk_hierarchical(text).toc()] == ["c"]
    assert [b.level for b in parse_markdown(text).blocks if b.kind is K.HEADING] == [1, 1, 1]


@pytest.mark.parametrize("indent", ["", " ", "  ", "   "])
def test_headings_may_be_indented(indent: str) -> None:
    (heading,) = parse_markdown(f"{indent}## X\n").blocks
    assert (heading.kind, heading.level, heading.info) == (K.HEADING, 2, "X")


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
        ("title:", ""),
        ("title: [a]", ""),
        ("title: {a: b}", ""),
        ("other: x", ""),
    ],
)
def test_title_of_front_matter(content: str, title: str) -> None:
    """The title is a scalar as it is written; anything else is none."""
    document = parse_markdown(f"---\n{content}\n---\n")
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
    ("text", "data"),
    [
        ("Text.\n", {}),
        ("---\n- a\n---\n", {}),
        (
            "---\ntitle: Tea\nweight: 12\nshare: 0.5\ndraft: true\nnone:\nquoted: '12'\n---\n",
            {
                "title": "Tea",
                "weight": 12,
                "share": 0.5,
                "draft": True,
                "none": None,
                "quoted": "12",
            },
        ),
        (
            "\ufeff---\r\nday: 2031-01-02\r\nat: 2031-01-02 03:04:05\r\nbad: 2031-99-99\r\n---\r\n",
            {"day": "2031-01-02", "at": "2031-01-02T03:04:05", "bad": "2031-99-99"},
        ),
        ("---\n1: a\ntrue: b\n2031-01-02: c\n---\n", {"1": "a", "true": "b", "2031-01-02": "c"}),
        ("---\na: [1, {b: [2]}]\n---\n", {"a": [1, {"b": [2]}]}),
        ("---\na: .nan\nb: -.inf\nc: 0x1f\n---\n", {"a": "nan", "b": "-inf", "c": 31}),
        (
            "---\na: !!int x\nb: !!bool y\nc: !!binary eA==\n---\n",
            {"a": "x", "b": "y", "c": "eA=="},
        ),
        (
            "---\na: !!set {b, c}\nd: !!omap [e: 1]\n---\n",
            {"a": ["b", "c"], "d": [["e", 1]]},
        ),
        ("---\na: &b {c: 1}\nd: *b\n<<: *b\n---\n", {"a": {"c": 1}, "d": "*b", "<<": "*b"}),
        ("---\na: &b [*b]\n---\n", {"a": ["*b"]}),
        ("---\na: \0\n---\n", {"a": "\ufffd"}),
        ("+++\n+++\n", {}),
        (
            "+++\nat = 2031-01-02T03:04:05Z\n[a]\nb = [2031-01-02, 12:00:00, 'c', 1, inf]\n+++\n",
            {
                "at": "2031-01-02T03:04:05+00:00",
                "a": {"b": ["2031-01-02", "12:00:00", "c", 1, "inf"]},
            },
        ),
    ],
    ids=repr,
)
def test_front_matter_is_data(text: str, data: dict[str, object]) -> None:
    """The mapping is JSON-able, new each time, and {} where there is none."""
    result = chunk_hierarchical(text)
    assert result.front_matter == data
    assert result.front_matter is not result.front_matter
    assert json.loads(json.dumps(result.front_matter, allow_nan=False)) == data


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


@pytest.mark.parametrize(
    ("toml", "title"),
    [("title = 12", "12"), ("title = [1]", ""), ("[title]\na = 1", ""), ("a = 1", "")],
)
def test_title_of_toml(toml: str, title: str) -> None:
    """The title is a scalar; anything else is none."""
    assert chunk_hierarchical(f"+++\n{toml}\n+++\n\nText.\n").title == title


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


def test_front_matter_takes_no_heading() -> None:
    document = parse_markdown("---\na: 1\n# not a heading\n---\n\n# Real\n")
    assert document.front_matter_stop == 1
    assert [section.title for section in document.sections[1:]] == ["Real"]


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


# Footnotes, definitions, math


def test_footnotes_stay_in_place() -> None:
    """A footnote's definition is a container where it stands."""
    text = "Text[^1].\n\n[^1]: A note.\n\n    More of it.\n\nAfter.\n"
    assert kinds(text) == [
        (K.PARAGRAPH, 0),
        (K.FOOTNOTE, 0),
        (K.PARAGRAPH, 1),
        (K.PARAGRAPH, 1),
        (K.PARAGRAPH, 0),
    ]


@pytest.mark.parametrize("text", ["[^]: a\n", "[^a b]: c\n", "[^1] a\n", "[^1\n"])
def test_what_is_no_footnote(text: str) -> None:
    assert all(block.kind is not K.FOOTNOTE for block in parse_markdown(text).blocks)


def test_footnote_ends_a_paragraph() -> None:
    assert [kind for kind, _ in kinds("text\n[^1]: note\n")] == [
        K.PARAGRAPH,
        K.FOOTNOTE,
        K.PARAGRAPH,
    ]


def test_definitions_are_blocks() -> None:
    """Each link definition is a block of its own, its title's lines included."""
    text = "[a]: /a\n[b]:\n  /b\n  'two\n  lines'\n\ntext [a]\n"
    assert slices(text) == [
        (K.LINK_DEFINITION, "[a]: /a\n"),
        (K.LINK_DEFINITION, "[b]:\n  /b\n  'two\n  lines'\n"),
        (K.PARAGRAPH, "text [a]\n"),
    ]


def test_math_has_no_blank_lines() -> None:
    """`$$` with a blank line before the next one is text."""
    assert [kind for kind, _ in kinds("$$\na\n\nb\n$$\n")] == [K.PARAGRAPH, K.PARAGRAPH]
    assert [kind for kind, _ in kinds("> $$\n> a\n> $$\n")] == [K.BLOCK_QUOTE, K.MATH]
    assert [kind for kind, _ in kinds("$$ a\n$$ b\n\n$$\nc\n$$\n")][-1] is K.MATH


# What is too deep


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_too_deep_is_one_opaque_block(mark: str) -> None:
    """What lies deeper than 100 levels is one block, that ends with its container."""
    text = mark * 120 + "deep\n\n# H\n\ntext\n"
    blocks = parse_markdown(text).blocks
    opaque = [block for block in blocks if block.kind is K.OPAQUE]
    assert [block.depth for block in opaque] == [100]
    assert text[opaque[0].start : opaque[0].end].startswith(mark)
    assert [kind for kind, text in slices(text)][1:] == [K.HEADING, K.PARAGRAPH]


def test_deep_blocks_of_several_lines() -> None:
    """Later lines of the container are in the same opaque block; blank ones at its end are not."""
    deep = "> " * 110
    text = f"{deep}a\n{deep}\n{deep}b\n\nafter\n"
    assert [kind for kind, _ in slices(text)] == [K.BLOCK_QUOTE, K.PARAGRAPH]
    opaque = next(block for block in parse_markdown(text).blocks if block.kind is K.OPAQUE)
    assert text[opaque.start : opaque.end].rstrip().endswith("b")


def test_white_space_at_the_end_is_no_error() -> None:
    """Some stock rules look for a line end after the last line, which need not have one."""
    kinds_found = [K.BLOCK_QUOTE, K.LIST, K.LIST_ITEM, K.HTML]
    assert [kind for kind, _ in kinds(">- <pre>\n> ")] == kinds_found


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


def test_titles_with_references() -> None:
    """A reference is a link where it is defined, wherever that is."""
    text = "# See [this] and [that]\n\nText.\n\n[this]: /x\n"
    assert chunk_hierarchical(text).toc()[0].title == "See this and [that]"


def test_setext_titles_of_several_lines() -> None:
    """The lines of a setext heading, and hard breaks in it, are parted by spaces."""
    assert (
        chunk_hierarchical("one\ntwo  \nthree\\\nfour\n===\n").toc()[0].title
        == "one two three four"
    )


def test_long_titles_keep_their_markup() -> None:
    """A title of over a thousand characters is not looked into: that is not linear."""
    title = "**bold** " * 200
    assert chunk_hierarchical(f"# {title}\n").toc()[0].title.startswith("**bold** **bold** ")


def test_titles_of_very_much_markup_keep_it() -> None:
    """A title of over a hundred characters of markup is not looked into, for the same reason."""
    few, many = "*a* " * 50, "*a* " * 51
    assert chunk_hierarchical(f"# {few}\n").toc()[0].title == ("a " * 50).strip()
    assert chunk_hierarchical(f"# {many}\n").toc()[0].title.startswith("*a* *a* ")


def test_info_strings() -> None:
    """A fence's info string is kept as it is, but for the white space around it."""
    document = parse_markdown("```  py title=x \n```\n\n~~~ c++\n~~~\n\n```\n```\n")
    infos = [block.info for block in document.blocks]
    assert infos == ["py title=x", "c++", ""]


@pytest.mark.parametrize("text", ["", "\n \t\n", "\u3000\n", "    \x0b\n\x0c"])
def test_white_space_is_no_block(text: str) -> None:
    """Neither a paragraph nor code is made of white space alone, not even of what is not ASCII."""
    assert parse_markdown(text).blocks == ()


def test_a_byte_order_mark_is_a_block_if_there_is_nothing_else() -> None:
    assert slices("\ufeff\n") == [(K.PARAGRAPH, "\ufeff\n")]


def test_nul_is_a_character() -> None:
    """NUL is not allowed in Markdown, but offsets count it like any other character."""
    text = "a\0b\n\n# c\0d\n"
    assert slices(text) == [(K.PARAGRAPH, "a\0b\n"), (K.HEADING, "# c\0d\n")]
