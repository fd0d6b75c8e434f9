"""The table of fields: names, sources and flat values."""

from __future__ import annotations

import json
from collections import Counter
from typing import get_args

import pytest

from chunkana_core import Chunk, chunk_hierarchical
from chunkana_core.fields import FIELDS, Field, FieldReader, Output
from tests import corpora

OUTPUTS: tuple[Output, ...] = get_args(Output)


@pytest.mark.parametrize("output", OUTPUTS)
def test_names_are_unique_in_an_output_and_exist(output: Output) -> None:
    names = Counter(FieldReader.of(output).names)
    assert names
    assert set(names.values()) == {1}
    for chunk in chunk_hierarchical("# A\n\nText.\n\n## B\n\nMore.\n").chunks:
        assert FieldReader.of(output).values(chunk).keys() == names.keys()
        assert FieldReader.of(output).flat_values(chunk).keys() == names.keys()


def test_every_attribute_of_a_chunk_is_in_an_output() -> None:
    """What a chunk knows is written somewhere, and each output that a row names exists."""
    read = {(field.source or field.name).partition(".")[0] for field in FIELDS}
    assert read >= {*Chunk.__struct_fields__} - {"source", "validation"}
    assert {output for field in FIELDS for output in field.outputs.split()} == {*OUTPUTS}


@pytest.mark.parametrize(
    ("field", "value", "flat"),
    [
        (Field("a", "string", "", ""), None, ""),
        (Field("a", "line", "", ""), None, 0),
        (Field("a", "count", "", "", absent=-1), None, -1),
        (Field("a", "strings", "", ""), ("é", "b"), '["é", "b"]'),
        (Field("a", "boolean", "", ""), True, True),
    ],
)
def test_flat_values(field: Field, value: object, flat: object) -> None:
    assert field.flat(value) == flat


HIERARCHY = (
    "chunk_id", "section_id", "parent_id", "children_ids", "prev_sibling_id", "next_sibling_id",
    "hierarchy_level", "is_root", "is_leaf", "indexable",
)  # fmt: skip


@pytest.mark.parametrize("name", ["deep_lists.md", "long_code.md", "tutorial_steps.md"])
def test_fields_of_the_hierarchy_are_small(name: str) -> None:
    """Their values are at most 15 % of the contents of sections of a paragraph or more."""
    chunks = chunk_hierarchical(corpora.own_document(name)).chunks
    size = sum(len(json.dumps(chunk.metadata[field])) for chunk in chunks for field in HIERARCHY)
    assert size <= 0.15 * sum(len(chunk.content) for chunk in chunks if chunk.is_leaf)
