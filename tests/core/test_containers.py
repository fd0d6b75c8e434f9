"""Admonitions, alerts, directives, elements and shortcodes: which are found, and their names."""

from __future__ import annotations

import pytest

from chunkana_core import chunk_hierarchical
from chunkana_core.extending import Block, BlockKind
from chunkana_core.formats.markdown import parser
from chunkana_core.formats.markdown.front_matter import front_matter_title
from chunkana_core.formats.markdown.parser import parse_markdown

K = BlockKind


def named(text: str) -> list[Block]:
    """Return the blocks that are containers, alerts included."""
    blocks = parse_markdown(text).blocks
    return [b for b in blocks if b.kind is K.CONTAINER or (b.kind is K.BLOCK_QUOTE and b.info)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("!!! note\n    a\n", "note"),
        ('!!! Warning "Mind the gap"\n\n    a\n', "warning"),
        ("??? tip\n    a\n", "tip"),
        ("???+ tip extra\n    a\n", "tip"),
        ('!!! "Title alone"\n    a\n', ""),
        ("> [!NOTE]\n> a\n", "note"),
        (">[!Tip]\n> a\n", "tip"),
        ("> [!important]  \n>\n> a\n", "important"),
        ("> [!WARNING]\n> a\n", "warning"),
        ("> [!CAUTION]\n> a\n", "caution"),
        ("::: note\na\n:::\n", "note"),
        (":::info[A title]{#x}\na\n:::\n", "info"),
        ("::: tip My title\na\n:::\n", "tip"),
        (":::: code-group\na\n::::\n", "code-group"),
        (":::{.callout-note #x}\na\n:::\n", "callout-note"),
        (":::{#x}\na\n:::\n", "x"),
        (":::{note} A title\na\n:::\n", "note"),
        (":::{ }\na\n:::\n", ""),
        ("::::: {.box} ::::::\na\n:::::\n", "box"),
        ("::: box ::::\na\n:::\n", "box"),
        ("{{< note >}}\na\n{{< /note >}}\n", "note"),
        ('{{% tab "a" %}}\na\n{{% /tab %}}\n', "tab"),
        ("{{<a/b-c x=1>}}\na\n{{</a/b-c>}}\n", "a/b-c"),
        ("<Tabs>\n\na\n\n</Tabs>\n", "Tabs"),
        ('<Listing number="4-1">\n\na\n\n</Listing>\n', "Listing"),
        ("<details>\n<summary>x</summary>\n\na\n</details>\n", "details"),
    ],
)
def test_names(text: str, name: str) -> None:
    """A container is a block with a name, and holds what is between its lines."""
    (container,) = named(text)
    assert (container.info, container.start, container.end) == (name, 0, len(text))
    inside = parse_markdown(text).blocks[1:]
    assert K.PARAGRAPH in {block.kind for block in inside}
    assert all(block.depth for block in inside)


@pytest.mark.parametrize(
    "text",
    [
        "!!! note\n",
        "!!! note\n\n\n    code\n",
        "!!! note\nno body\n",
        "!!!\n    a\n",
        "?? note\n    a\n",
        "> [!NOTE] and text\n",
        "> [!TODO]\n> a\n",
        "::: note\na\n",
        "a\n:::\n",
        "::note\na\n::\n",
        ":::image type=icon src=a.png:::\na\n:::\n",
        ":::row:::\na\n:::\n",
        "    ::: note\n    a\n    :::\n",
        "```\n::: note\na\n:::\n```\n",
        "`::: note\na\n:::`\n",
        "::: note\n\n- a\n  :::\n",
        "> ::: note\n\n:::\n",
        '{{< ref "a" >}}\n',
        "{{< a />}}\na\n{{< /a >}}\n",
        "{{< a %}}\na\n{{< /a >}}\n",
        "{{</* a */>}}\na\n{{</* /a */>}}\n",
        "text {{< a >}}\na\n{{< /a >}}\n",
        "`{{< a >}}`\na\n`{{< /a >}}`\n",
        "<details>\na\n</details>\n",
        "<details>\n\na\n",
        "a\n\n</details>\n",
        "<p>\n\na\n\n</p>\n",
        "<!-- <div> -->\n\na\n\n</div>\n",
        "<div>\n\na\n\n</div> b\n",
    ],
)
def test_what_is_no_container(text: str) -> None:
    """What is unclosed, inline, in code or of one block is Markdown."""
    assert named(text) == []
    assert not any(block.kind is K.MARKER for block in parse_markdown(text).blocks)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        # A heading in an admonition, an alert or a directive is in no outline.
        ("# a\n\n!!! note\n    # b\n\n# c\n", "ac"),
        ("# a\n\n> [!NOTE]\n> # b\n\n# c\n", "ac"),
        ("# a\n\n::: note\n# b\n:::\n\n# c\n", "ac"),
        ("# a\n\n<div>\n\n::: note\n# b\n:::\n\n</div>\n\n# c\n", "ac"),
        ("# a\n\n{{< x >}}\n::: note\n# b\n:::\n{{< /x >}}\n\n# c\n", "ac"),
        # An element or a shortcode around a heading is no container.
        ("<div>\n\n# b\n\n</div>\n", "b"),
        ("<Tabs>\n\n<div>\n\n# b\n\n</div>\n\n</Tabs>\n", "b"),
        ("<Tabs>\n\n<div>\n\n# b\n\n</Tabs>\n", "b"),
        ("{{< x >}}\n# b\n\n{{< /x >}}\n", "b"),
        ("{{< x >}}\n{{% y %}}\n# b\n\n{{% /y %}}\n{{< /x >}}\n", "b"),
    ],
)
def test_headings_in_containers(text: str, titles: str) -> None:
    assert [entry.title for entry in chunk_hierarchical(text).toc()] == [*titles]
    assert bool(named(text)) is (titles != "b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Colons close the innermost directive of as many, or else of fewer; others stay open.
        (":::: a\n::: b\n:::: c\nx\n::::\n:::::\n:::\n", [("b", 0), ("c", 1)]),
        ("::: a\n\n<div>\n\n:::\n\n</div>\n", [("a", 0)]),
        # One block may open several elements, and is the container of the outermost.
        ("<Tabs>\n<Tab>\n\na\n\n</Tab>\n<Tab>\n\nb\n\n</Tab>\n</Tabs>\n", [("Tabs", 0)]),
        ("<div>\n\n<DIV>\n\na\n\n</DIV>\n\n</div>\n", [("div", 0), ("DIV", 1)]),
        # What is in quotes ends no tag and opens no element.
        ('<L caption="Saving a `H<T>` for each">\n\nx\n\n</L>\n\ny\n', [("L", 0)]),
        ("<L a='>' b=\"<L>\">\n\nx\n\n</L>\n\ny\n", [("L", 0)]),
        ('<L caption="it\'s">\n\nx\n\n</L>\n\ny\n', [("L", 0)]),
        ('<L a="x" b">\n\nx\n\n</L>\n\ny\n', []),  # no tag by CommonMark
        ("- ::: a\n  > <b>\n  >\n  > x\n  >\n  > </b>\n  :::\n", [("a", 2), ("b", 4)]),
        # Where lines pair only because of others that do not, all are Markdown.
        ("- a\n::: b\n  ::: c\nd\n:::\n", []),
        # An element that holds a heading is no container, whatever closes it in whose stead.
        ("<div>\n\n# a\n\n::: note\nx\n\n</div>\n\n:::\n", [("note", 0)]),
        ("{{% x %}}\n<div>\n\n::: a\n\n# a\n\n</div>\n\n{{% /x %}}\n", []),
        ("::: note\n\n<div>\n\n# a\n\n</div>\n\n:::\n", [("note", 0)]),
    ],
)
def test_what_opens_and_closes(text: str, expected: list[tuple[str, int]]) -> None:
    """The names of the containers of a text, and how deep they lie."""
    assert [(block.info, block.depth) for block in named(text)] == expected


def test_nesting_has_a_limit() -> None:
    """What lies deeper than a hundred containers is no container."""
    text = "::: a\n" * 150 + "x\n" + ":::\n" * 150
    assert len(named(text)) == 100
    assert len(named("::: a\n" * 10_000 + "x\n")) == 0


@pytest.mark.parametrize(("size", "is_closed"), [(65_500, True), (65_600, False)])
def test_the_end_of_a_shortcode_is_within_65536_characters(size: int, *, is_closed: bool) -> None:
    """Beyond 65,536 characters nobody looks for it."""
    text = f"{{{{< note >}}}}\n{'x' * size}\n{{{{< /note >}}}}\n"
    assert [block.info for block in named(text)] == ["note"] * is_closed


def test_front_matter_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a text is read again, its title is known."""
    asked: list[str] = []

    def title_of(content: str, *, is_toml: bool) -> str | None:
        asked.append(content)
        return front_matter_title(content, is_toml=is_toml)

    monkeypatch.setattr(parser, "front_matter_title", title_of)
    document = parse_markdown("---\ntitle: Tea\n---\na\n:::\nb\n")
    assert (document.title, asked) == ("Tea", ["title: Tea"])
    assert [block.kind for block in document.blocks] == [K.FRONT_MATTER, K.PARAGRAPH]


def test_a_text_is_read_so_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A marker that then is still no container's is a block by itself."""
    monkeypatch.setattr(parser, "_MAX_PASSES", 1)
    assert [block.kind for block in parse_markdown("a\n:::\nb\n").blocks] == [
        K.PARAGRAPH,
        K.MARKER,
        K.PARAGRAPH,
    ]
