"""The core's blocks and headings are those of stock markdown-it-py.

Stock means: the "commonmark" preset with tables, nesting up to 100, and the plugins for front
matter (if YAML reads a mapping), footnotes in place and dollar math without blank lines inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunkana_core import chunk_hierarchical
from chunkana_core.formats.markdown.parser import parse_markdown
from tests import corpora
from tests.core.stock import BOM, limited_blocks, stock_blocks, top
from tests.corpora import Sample
from tests.strategies import any_markdown, markdown_documents, messy_text

_SIMPLE_TITLE = re.compile(r"(?:[^\W_]|[ ,.;:'()\-–—?/+=%@\"“”«»])*")
_SPACES = re.compile(r"\s+")
LONGEST_TITLE = 200


def _documents() -> Iterator[ParameterSet]:
    quick = {sample.name for sample in corpora.some_documents()}
    for sample in (*corpora.own_documents(), *corpora.corpus()):
        marks = [] if sample.name in quick else [pytest.mark.slow]
        yield pytest.param(sample, id=sample.name, marks=marks)


@pytest.mark.no_cover
@pytest.mark.parametrize("sample", [*_documents()])
def test_blocks_and_headings_of_documents_are_stock(sample: Sample) -> None:
    """A document has the blocks, however deep, and the headings that the stock parser finds."""
    assert limited_blocks(sample.text) is not None
    _same_nested_blocks(sample.text)
    _same_headings(sample.text)


@pytest.mark.no_cover
@pytest.mark.skipif(not corpora.spec_examples(), reason=f"no examples in {corpora.SHARED}")
def test_blocks_and_headings_of_the_commonmark_examples_are_stock() -> None:
    """Every example of the CommonMark specification is read as the stock parser reads it."""
    for sample in corpora.spec_examples():
        _same_nested_blocks(sample.text)
        _same_headings(sample.text)


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n| c |\n\u3000\nd\n",
        "| a | b |\n|---|---|\n\xa0c |\n- d\n",
        "- | a |\n  |---|\n  | b |\nc | d\n",
        "|a|\n|-|\n|\n||\n\nb\n",
        "a\n|b|\n|-|\n",
        "|a" * 300 + "\n" + "|-" * 300 + "\n" + "b\n" * 400,
        "a\n  b\n     c\n   ===\n",
        "- a\n===\n",
        "> a\n===\n> ---\n",
        "$\n---\n- $$\n# a\n$$\n",
        "$$a$$ b\n# c\n$$\nd\n$$\n",
        "> $$\n> [^1]: a\n> [^1]: 1.\n$$ b\n>\n> $$\n",
        "> $$ a\n> > - >```\n$$ b\n# c\n$$ (1)\n",
        "$$ a\n# b\n$$ c\n\u3000\n# d\n$$ e\n$$\n",
        "#\n##\ta\t##\n# b#\n## # ##\n####### c\n#d\n",
        "***\n* * *\n- -\t-\n__ _ \n_ _\n+ + +\n**-\n",
        "-\ta\n -\t\tb\n1.\t c\n>-\td\n>\t- e\n",
        "-      a\n- \n- b\n-\n\n  c\n-\n  d\n",
        "1234567890. a\n123456789. b\n2) c\n3. d\n+ e\n- f\n",
        "a\n2. b\n1. c\nd\n-\n- e\nf\n01. g\n",
        "- a\n - b\n  - c\n   - d\n    - e\n     - f\n",
        "- a\n  - | b |\n    |---|\n- | c\n- -\n",
        "```a`b\n~~~ c`d\n~~\n~~~~  \n```\n````x\n    ```\n ````",
        "> ```\n>",
        "a\\|b\n|-|\nc\n\na\\|b\n--\n\n|\n|-\n\n| d\n-\n\ne|f\n- |-\n",
        "||a|\n|-|-|\n\nb |\\\n:-:\n\n|c|d\\|\n-|-\n\n|e|\n||-|\n\nf|\n-\n",
        "<pre>a\n\nb</pre>\n<!-- c -->\n<?d\n\n?>\n<!E\n>\n<![CDATA[\n\n]]>f\ng\n",
        "- <!--\n\nno more\n- <div>\nb\n- <b>\n\n  <x-y>\nz\n<b>\n<p>\n",
        "> <div>\n> a\n>\n> b\n<p\n<pre",
        "> ```\n> ",
        "- ```\n  a\nb\n- ~~~\n\n   ~~~\t\n",
        "[a\\]: /b\n[a][b]: /c\n[d\n]: /e\n\n[\\[f]: /g\n[h] i\n",
        "- a\n\n\n- b\n\n      c\n\n  d\n> e\nf\n",
        "a\n::: b\n# c\n:::\nd\n",
        "::: a\n::: b\nc\n:::\n---\n",
        ":::: a\n::: b\nc\n::::\n:::\n::::::\n",
        "- ::: a\n  b\n  ```\n  :::\n  ```\n  :::\n  c\n- :::\n",
        "> ::: a\nb\n> :::\n\n> ::: c\n> - d\n> :::\n",
        "- a\n::: b\n  ::: c\nd\n:::\n",
        "::: a | b\n|-|-|\nc\n:::\n::: d\n:::\n",
        '{{< a >}}\n{{% b c="}" %}}\n- d\n{{% /b %}}\n{{< /a >}}\n`{{< a >}}`\n',
        "{{< a >}}\n# b\n{{< /a >}}\n    c\n{{< d />}}\n{{< /d >}}\n",
        "{{< a >}}\n::: b\n# c\n:::\n{{< /a >}}\n",
        "<a>\n\n<b>\n\nc\n\n</b>\n</a>\n\n</a>\n",
        "<Tabs>\n<Tab>\n\na\n\n</Tab>\n<Tab>\n\nb\n\n</Tab>\n</Tabs>\n",
        "<div>\n\n<br>\n\n</DIV>\n\n<div>\n\n# a\n\n</div>\n\n<!-- <div> -->\n\n</div>\n",
        "<details><summary>a</summary>\n\n- b\n  </details>\n\n</details> c\n\n</details>\n",
        "<x>\n\n<y>\n\n# a\n\n</y>\n\n</x>\n\n> <z>\n>\n> b\n>\n> </z>\n",
        "".join(f"<c{n}>\n\n" for n in range(120))
        + "a\n\n"
        + "".join(f"</c{n}>\n\n" for n in reversed(range(120))),
        "::: a\n" * 120 + "b\n" + ":::\n" * 120,
        "!!! note\n    a\n\n    # b\n\n\n    c\n",
        "a\n!!! b\n\n    c\n??? d\n\n\n    e\n???+ f\n   g\n!!!  h\n     i\n!!! j",
        "- !!! a\n      b\n  !!! c\n      d\n> !!! e\n>     f\n>\n> g\n",
        "!!! a\n    !!! b\n        ::: c\n        d\n        :::\n    e\n",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_blocks_of_odd_texts_are_stock(text: str) -> None:
    """So is what our own rules, which look at fewer characters, could get wrong."""
    _same_nested_blocks(text)


@settings(max_examples=2 * settings().max_examples)
@given(any_markdown() | messy_text())
def test_blocks_and_headings_of_made_markdown_are_stock(text: str) -> None:
    """Blocks, those inside lists, quotes and footnotes too, are read as the stock parser does."""
    assume(_is_comparable(text))
    _same_nested_blocks(text)
    _same_headings(text)


_MARKS = st.lists(st.sampled_from(("> ", ">", "- ", "1. ", "+   ")), min_size=1, max_size=3)
_INSIDE = st.sampled_from(("", "text", "# H", "```", "<div>", "$$ x", "| a |", "    code", "- i"))


@given(_MARKS, st.integers(50, 150), _INSIDE, markdown_documents())
def test_what_is_too_deep_ends_with_its_container(
    marks: list[str], depth: int, inside: str, after: str
) -> None:
    """Whatever lies too deep, the blocks around it are those of a parser without a limit."""
    assume(limited_blocks(after) is not None)
    text = f"{''.join(marks) * depth}{inside}\n\n# After\n\n{after}"
    expected = [(b.kind, text[b.start : b.end].rstrip()) for b in top(stock_blocks(text))]
    found = [b for b in parse_markdown(text).blocks if b.depth == 0]
    assert [(b.kind.value, text[b.start : b.end].rstrip()) for b in found] == expected
    _same_headings(text)


def _is_comparable(text: str) -> bool:
    """Tell whether the parser's limit does not matter, and there is more than a BOM, to cover."""
    return limited_blocks(text) is not None and bool(text.removeprefix(BOM).strip())


def _same_nested_blocks(text: str) -> None:
    expected = [
        (b.kind, b.depth, b.start, b.end, b.level, not b.is_closed) for b in stock_blocks(text)
    ]
    found = parse_markdown(text).blocks
    assert [(b.kind.value, b.depth, b.start, b.end, b.level, b.is_open) for b in found] == expected


def _same_headings(text: str) -> None:
    stock = [block for block in top(stock_blocks(text)) if block.kind == "heading"]
    toc = chunk_hierarchical(text).toc()
    assert [(e.level, e.line) for e in toc] == [(b.level, b.line + 1) for b in stock]
    for entry, block in zip(toc, stock, strict=True):
        if _SIMPLE_TITLE.fullmatch(block.markup):
            whole = _SPACES.sub(" ", block.markup).strip()
            is_cut = len(whole) > LONGEST_TITLE
            assert entry.title == whole or (is_cut and whole.startswith(entry.title[:-1]))
