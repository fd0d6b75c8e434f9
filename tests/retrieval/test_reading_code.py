"""What is read of source code and JSON: exact slices, the file and signatures once."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from chunkana_core import ChunkConfig, Chunker, Span
from chunkana_retrieval import Hit, assemble
from chunkana_retrieval.adapting import count_contained_titles
from chunkana_retrieval.index import Relation, add_related_leaves, record_document

pytest.importorskip("tree_sitter")

_NAME = re.compile(r"(?:class |number_)(\w+)")
CODE = '''"""Tea, and how to brew it."""


class Tea:
    """A kind of tea."""

    degrees = 80

    @timed
    def brew(self, water: Water) -> Cup:
        """Return a cup."""
        water.heat(self.degrees)
        pot = Pot(water, leaves=self.leaves)

        for minute in range(3):
            pot.wait(minutes=1, until=minute)
        # Done
        return pot.pour(into=Cup())

    def taste(self) -> str:
        """Return what it is like."""
        return "```"
'''
DATA = """{
  "teas": [
    {"name": "green", "degrees": 80, "minutes": 3},
    {"name": "black", "degrees": 95, "minutes": 4},
    {"name": "white", "degrees": 70, "minutes": 2}
  ]
}
"""


def hits(text: str, path: str, size: int = 160) -> list[Hit]:
    """Return all chunks of a file as hits, as an index has them."""
    config = ChunkConfig(max_chunk_size=size, min_chunk_size=0)
    result = Chunker(config).chunk_hierarchical(text, path=path)
    record = record_document(path, result, {}, "")
    direct = [Hit.of_chunk(chunk, 1.0, path) for chunk in result.get_flat_chunks()]
    indexed = [replace(record.hit(leaf, 1.0), parent_id=None) for leaf in record.leaves]
    assert indexed == direct
    return indexed


def of_function(name: str) -> list[Hit]:
    """Return the hits of a function."""
    return [hit for hit in hits(CODE, "tea.py") if hit.path[-1:] == (name,)]


def read(chosen: list[Hit], text: str = CODE, budget: int = 4000) -> list[str]:
    """Return what is read of hits, with the text of their file."""
    passages = assemble(chosen, budget, sources=lambda _: text)
    for passage in passages:
        for span in passage.spans:
            assert text[span.start : span.end] in passage.text
    return [passage.text for passage in passages]


def test_a_definition_says_its_own_title() -> None:
    begun, *_ = of_function("brew")
    (text,) = read([begun])
    assert text.startswith("Tea\n\n    @timed\n    def brew(self, water: Water) -> Cup:")


def test_a_part_of_a_definition_is_read_below_its_signature() -> None:
    _, inside, *_ = of_function("brew")
    signature = "    def brew(self, water: Water) -> Cup:"
    assert (inside.signature, inside.contained_titles, inside.repeated) == (signature, 1, "")
    assert read([inside]) == [f"Tea\n\n{signature}\n\n…\n\n{inside.text}"]


def test_a_signature_is_read_once() -> None:
    parts = [hit for hit in hits(CODE, "tea.py", 120) if hit.path[-1:] == ("brew",)]
    assert len(parts) > 3
    (text,) = read([parts[1], parts[3]])
    assert text.count("def brew") == 1
    (text,) = read([parts[0], parts[3]])
    assert text.count("def brew") == 1
    (text,) = read(parts)
    assert "…" not in text


def test_parts_of_a_function_follow_its_class_in_one_passage() -> None:
    parts = hits(CODE, "tea.py", 120)
    (tea,) = [hit for hit in parts if hit.path == ("Tea",)]
    begun, _, last, *_ = [hit for hit in parts if hit.path[-1:] == ("brew",)]
    (text,) = read([tea, begun, last])
    assert text.startswith("class Tea:")
    assert text.count("…") == text.count("def brew") == 1


def test_methods_of_a_class_are_read_in_one_passage() -> None:
    begun, *_ = of_function("brew")
    (taste,) = of_function("taste")
    (text,) = read([taste, begun])
    assert text.startswith("Tea\n\n    @timed\n")
    assert text.count("…") == 1
    assert text.endswith('return "```"')


def test_no_fence_is_closed_in_source_code() -> None:
    (taste,) = of_function("taste")
    start = CODE.index("    def taste")
    document = Hit("all", 1.0, span=Span(start, len(CODE)), text=CODE[start:], format="python")
    assert read([taste])[0].endswith('return "```"')
    overlapping = Hit("x", 0.5, span=Span(0, start + 10), text=CODE[: start + 10], format="python")
    (text,) = read([document, overlapping])
    assert text == CODE


def test_source_code_is_cut_after_lines() -> None:
    begun, *_ = of_function("brew")
    (text,) = read([begun], budget=90)
    assert text == (
        'Tea\n\n    @timed\n    def brew(self, water: Water) -> Cup:\n        """Return a cup."""'
    )


def test_what_overlaps_a_part_needs_no_signature() -> None:
    _, inside, *_ = of_function("brew")
    span = Span(0, inside.span.start + 8)
    before = Hit("before", 1.0, document_id="tea.py", span=span, format="python")
    (text,) = read([before, inside])
    assert text.count("def brew") == 1


def test_elements_of_json_are_read_under_their_path() -> None:
    found = [hit for hit in hits(DATA, "teas.json", 70) if hit.path[-1:] in {("[1]",), ("[2]",)}]
    assert read(found[:1], DATA)[0].startswith("root > teas > [1]\n\n    {")
    assert read(found, DATA)[0].startswith("root > teas\n\n    {")


def test_paths_of_a_document_with_a_label_begin_with_it() -> None:
    result = Chunker(ChunkConfig(max_chunk_size=160)).chunk_hierarchical(CODE, path="tea.py")
    record = record_document("tea.py", result, {}, "", label="src/tea.py")
    hit = record.hit(record.leaves[-1], 1.0)
    assert hit.path == ("src/tea.py", "Tea", "taste")
    assert read([hit])[0].startswith("src/tea.py > Tea\n\n    def taste")


@pytest.mark.parametrize("field", ["format", "kind", "name"])
def test_the_id_of_a_leaf_says_what_it_is_of_source_code(field: str) -> None:
    result = Chunker().chunk_hierarchical("Tea.\n", path="tea.md")
    other = Chunker().chunk_hierarchical("def tea():\n    Tea\n", path="tea.py")
    (leaf,) = record_document("tea", result, {}, "").leaves
    (code,) = record_document("tea", other, {}, "").leaves
    assert leaf.metadata[field] != code.metadata[field]
    assert leaf.leaf_id != code.leaf_id


@pytest.mark.parametrize(
    ("path", "name", "signature", "is_continued", "expected"),
    [
        (("A", "f"), "f", "", False, 1),
        (("A", "f"), "A", "", False, 2),
        (("A",), "f", "", False, 0),  # of several, the first one
        (("A", "f"), "f", "def f():", True, 1),
        (("A", "f"), "f", "", True, 0),  # there was no room for it
        (("f", "f"), "f", "", False, 1),
        (("A",), "", "", False, 0),
    ],
)
def test_titles_that_source_code_says_itself(
    path: tuple[str, ...], name: str, signature: str, *, is_continued: bool, expected: int
) -> None:
    assert count_contained_titles(path, name, signature, is_continued=is_continued) == expected


METHOD = "    def number_{0}(self) -> int:\n        return {0} * self.factor + {0}\n\n"
CLASS = "class Numbers:\n    factor = 2\n\n" + "".join(map(METHOD.format, range(30)))
ELEMENTS = (f'{{"id": "number_{n}", "of": "a row of numbers"}}' for n in range(3000))
ARRAY = "[\n" + ",\n".join(ELEMENTS) + "\n]"


@pytest.mark.parametrize(
    ("text", "path", "number", "around", "expected"),
    [
        (CLASS, "numbers.py", 20, ["siblings"], [20, 19, 21, 18, 22, 17]),
        (CLASS, "numbers.py", 0, ["siblings"], [0, 1, 2, 3, 4, 5]),
        (CLASS, "numbers.py", 29, ["siblings"], [29, 28, 27, 26, 25, 24]),
        (CLASS, "numbers.py", 20, ["siblings", "parent"], [20, "Numbers", 19, 21, 18, 22]),
        (CLASS, "numbers.py", "Numbers", ["children"], ["Numbers", 0, 1, 2, 3, 4]),
        (ARRAY, "numbers.json", 1234, ["siblings"], [1234, 1233, 1235, 1232, 1236, 1231]),
    ],
)
def test_the_leaves_around_a_hit_are_added_from_the_nearest_on(
    text: str, path: str, number: object, around: list[Relation], expected: list[object]
) -> None:
    config = ChunkConfig(max_chunk_size=80, min_chunk_size=0)
    record = record_document(path, Chunker(config).chunk_hierarchical(text, path=path), {}, "")
    names = {leaf.chunk_id: _NAME.findall(record.embedded(leaf))[0] for leaf in record.leaves}
    (found,) = (leaf for leaf in record.leaves if names[leaf.chunk_id] == str(number))
    hits = add_related_leaves([record.hit(found, 1.0)], {record.document_id: record}, around)
    assert [names[hit.node_id] for hit in hits[:6]] == [str(name) for name in expected]
    (passage,) = assemble(hits[:6], 1000, sources={path: text})
    assert {*map(str, expected)} <= {*_NAME.findall(passage.text)}
