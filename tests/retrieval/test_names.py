"""Names of documents and sections: patterns, similar names, and what a section may be called."""

from __future__ import annotations

import pytest

from chunkana_core import Chunker, ConfigurationError, format_names
from chunkana_retrieval import Index, UnknownNameError
from chunkana_retrieval.index import matching_names, parse_lines, section_names
from chunkana_retrieval.index.names import similar_names

NAMES = ["README.md", "docs/guide.md", "docs/api/guide.md", "src/tea_pot.py", "src/[slug].ts"]


# Names of documents


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", NAMES),
        ("", NAMES),
        (".", NAMES),
        ("./", NAMES),
        ("docs", NAMES[1:3]),
        ("docs/", NAMES[1:3]),
        ("./docs/api", [NAMES[2]]),
        ("docs/guide.md", [NAMES[1]]),
        ("docs/guide.md/", [NAMES[1]]),
        ("*guide.md", NAMES[1:3]),
        ("docs/*", NAMES[1:3]),
        ("src/[t]*.py", [NAMES[3]]),
        ("src/[slug].ts", [NAMES[4]]),
        ("src/tea?pot.py", [NAMES[3]]),
    ],
)
def test_a_folder_a_name_or_a_pattern_matches(pattern: str, names: list[str]) -> None:
    assert matching_names(pattern, NAMES) == names


@pytest.mark.parametrize("pattern", ["", ".", "./", "*"])
def test_an_index_without_documents_has_no_names(pattern: str) -> None:
    assert matching_names(pattern, []) == []
    with pytest.raises(UnknownNameError):
        matching_names("docs", [])


@pytest.mark.parametrize("pattern", ["doc", "guide.md", "DOCS", "docs/guide"])
def test_part_of_a_name_does_not_match(pattern: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        matching_names(pattern, NAMES)
    assert (error.value.kind, error.value.name) == ("document", pattern)
    assert {*error.value.nearest} <= {*NAMES}


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("old/guide.md", ["docs/guide.md", "docs/api/guide.md"]),  # moved to another folder
        ("guide.md", ["docs/guide.md", "docs/api/guide.md"]),
        ("docs/guides.md", ["docs/guide.md"]),
        ("docs/GUIDE.md", ["docs/guide.md", "docs/api/guide.md"]),
        ("readme.md", ["README.md"]),
        ("src/teapot.py", ["src/tea_pot.py"]),
    ],
)
def test_similar_names_are_proposed(name: str, first: list[str]) -> None:
    found = similar_names(name, NAMES)
    assert [*found[: len(first)]] == first
    assert len({*found}) == len(found) <= 6


def test_unlike_names_are_not_proposed() -> None:
    assert similar_names("xyz", NAMES) == []
    with pytest.raises(UnknownNameError, match=r"^there is no document 'xyz'$"):
        matching_names("xyz", NAMES)


# Names of sections

REPEATED = """# Tea

## Green

### Time

Two minutes.

## Black

### Time

Five minutes.

## time

Now.
"""
POT = """class Pot:
    def boil(self):
        return 100


class Kettle:
    def boil(self):
        return 99
"""


PROPERTY = """class Pot:
    @property
    def lid(self):
        return self._lid

    @lid.setter
    def lid(self, lid):
        self._lid = lid


def lid():
    return None
"""
EMPTY = "#\n\nOne.\n\n##\n\nTwo.\n\n<a id='x'></a>\n# A\n\n<a id='x'></a>\n# B\n"
KEYS = """{
  "a.b": {
    "c": 1
  },
  "a": {
    "b": {
      "c": 2
    }
  }
}
"""
needs_python = pytest.mark.skipif("python" not in format_names(), reason="needs the extra code")


def index_of(name: str, text: str, form: str) -> Index:
    """Return an index of one document."""
    index = Index()
    index.update_chunks({name: Chunker().chunk_hierarchical(text, form)})
    return index


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("time", 5),  # the anchors of the others have numbers
        ("time-1", 11),
        ("time-2", 15),
        ("Time", 5),  # the first of equal titles
        ("TIME", 5),
        ("/Tea/Green/Time", 5),
        ("/Tea/Black/Time", 11),
        ("Tea > Black > Time", 11),
        ("tea > black > TIME", 11),
        ("Tea.Black.Time", 11),
        ("/Tea/time", 15),
        ("Black", 9),
    ],
)
def test_sections_whose_titles_repeat(name: str, line: int) -> None:
    with index_of("tea.md", REPEATED, "markdown") as index:
        assert index.read("tea.md", section=name).start_line == line


@pytest.mark.parametrize(
    ("text", "form", "count"),
    [
        (REPEATED, "markdown", 6),
        (EMPTY, "markdown", 4),
        (KEYS, "json", 6),
        pytest.param(PROPERTY, "python", 4, marks=needs_python),
    ],
)
def test_each_section_is_read_by_the_name_that_is_shown(text: str, form: str, count: int) -> None:
    with index_of("given", text, form) as index:
        outline = index.outline("given")
        names = section_names(outline)
        assert len({*names}) == len(outline) == count
        for section, entry in zip(names, outline, strict=True):
            for given in (section, entry.section_id):
                found = index.read("given", section=given)
                assert (found.start_line, found.end_line) == (entry.start_line, entry.end_line)


@needs_python
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Pot", (1, 3)),
        ("Pot.boil", (2, 3)),
        ("Kettle.boil", (7, 8)),
        ("kettle.BOIL", (7, 8)),
        ("Kettle > boil", (7, 8)),
    ],
)
def test_definitions_are_named_as_in_their_language(name: str, lines: tuple[int, int]) -> None:
    with index_of("pot.py", POT, "python") as index:
        found = index.read("pot.py", section=name)
        assert (found.start_line, found.end_line) == lines
        names = section_names(index.outline("pot.py"))
        assert names == ["Pot", "Pot.boil", "Kettle", "Kettle.boil"]


def test_a_section_that_is_gone_proposes_similar_ones_once() -> None:
    with index_of("tea.md", REPEATED, "markdown") as index:
        with pytest.raises(UnknownNameError) as error:
            index.read("tea.md", section="greens")
        assert (error.value.kind, error.value.nearest[0]) == ("section", "green")
        assert len({*error.value.nearest}) == len(error.value.nearest)
        with pytest.raises(UnknownNameError, match=r"^there is no section 'xyz'$"):
            index.read("tea.md", section="xyz")


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", None), ("12", (12, 12)), ("12-30", (12, 30)), ("0-1", (0, 1)), ("9-3", (9, 3))],
)
def test_lines_are_parsed(text: str, lines: tuple[int, int] | None) -> None:
    assert parse_lines(text) == lines


@pytest.mark.parametrize("text", ["a", "1-", "-1", "1-2-3", "1 - 2", "١", "1\n", "1" * 10])
def test_other_texts_are_no_lines(text: str) -> None:
    with pytest.raises(ConfigurationError, match="such as 12-30"):
        parse_lines(text)
