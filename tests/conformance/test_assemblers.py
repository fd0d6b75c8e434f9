"""Assemblers: passages of what any search found, within a budget, as a model reads them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext

import pytest
from pydantic import ValidationError

from tests import corpora
from tests.conformance.adapters import Adapter, Native, Piece
from tests.conformance.repository import FILES
from tests.conformance.texts import assert_true, read

TEXT = """# Kettle

Boils water.

## Cleaning

Descale it once a month. Use vinegar for that. Rinse it twice.

| part | how often |
|------|-----------|
| lid | once a week |
| base | once a year |
| cord | never at all |
| seal | twice a year |
| spout | once a month |

## Code

```python
print("one long line that says something, and goes on")
print("another long line that says something, and more")
print("a third long line that says something, and ends")
```

## Warranty

Two years, from the day on the receipt.
"""
OWN = {sample.name: sample.text for sample in corpora.own_documents()}


def words(text: str) -> int:
    """Return the number of words."""
    return len(text.split())


def kettle(splitting: Adapter, **metadata: Native) -> list[Piece]:
    """Return the leaves of a document about a kettle."""
    made = splitting.make(max_chunk_size=170, min_chunk_size=0)
    document = splitting.document(TEXT, {"source": "kettle.md", **metadata}, "kettle.md")
    return splitting.run(made, [document]).leaves


def texts_of(leaves: list[Piece]) -> dict[str, str]:
    """Return the source of leaves by the id that they know it by."""
    return {leaves[0].document_id: TEXT}


@pytest.mark.parametrize("length", [len, words])
@pytest.mark.parametrize("has_sources", [False, True])
def test_what_is_read_never_exceeds_the_budget(
    splitting: Adapter, length: Callable[[str], int], *, has_sources: bool
) -> None:
    leaves = kettle(splitting)
    found = [*reversed(leaves[1:]), splitting.foreign("What another tool found."), leaves[0]]
    sizes = []
    for budget in range(0, 1000, 23):
        sources = texts_of(leaves) if has_sources else None
        options = {"budget": budget, "length_function": length, "sources": sources}
        sizes.append(length(read(splitting.assemble(found, **options))))
        assert sizes[-1] <= budget
    assert sizes[-1] > sizes[2] > sizes[0]


@pytest.mark.parametrize("metadata", ["short", "full"])
def test_passages_are_exact_slices_of_their_documents(splitting: Adapter, metadata: str) -> None:
    """Of Markdown, code and JSON, joined in sources and without; metadata are values of JSON."""
    sources, found = dict[str, str](), list[Piece]()
    for name, text in [*[*OWN.items()][:3], ("src/app.py", FILES["src/app.py"]),
                       ("package.json", FILES["package.json"])]:  # fmt: skip
        leaves = splitting.leaves(text, name, max_chunk_size=300, metadata=metadata)
        sources[leaves[0].document_id] = text
        found += leaves[::3][:4]
    for given in (None, sources):
        answers = splitting.assemble(found, budget=6000, sources=given)
        assert_true(answers, sources)
        assert {one.document_id for one in answers} == {*sources}
        for answer in answers:
            assert isinstance(json.loads(answer.metadata["path"]), list)
            json.dumps(answer.metadata)


def test_neighbours_are_joined_where_sources_are_given(splitting: Adapter) -> None:
    leaves = kettle(splitting)
    sources = texts_of(leaves)
    for given in (sources, sources.__getitem__):
        (passage,) = splitting.assemble(leaves, sources=given)
        assert passage.text == TEXT.rstrip()
        assert passage.metadata["chunk_ids"] == [leaf.metadata["chunk_id"] for leaf in leaves]
        assert json.loads(passage.metadata["path"]) == ["Kettle"]
    assert len(splitting.assemble(leaves)) == len(leaves)


def test_contexts_are_not_read_and_rows_and_fences_are_repeated(splitting: Adapter) -> None:
    for leaf, start in (("| spout", "| part"), ('print("a third', "```python")):
        (part,) = [one for one in kettle(splitting) if leaf in one.text]
        (passage,) = splitting.assemble([part])
        path, _, text = passage.text.partition("\n\n")
        assert path in {"Kettle > Cleaning", "Kettle > Code"}
        assert text.startswith(start)
        assert text.count("```") % 2 == 0


def test_a_parent_is_read_as_what_it_is(splitting: Adapter) -> None:
    parents = splitting.split(TEXT, max_chunk_size=170, max_parent_size=900).parents
    (passage,) = splitting.assemble(parents[:1])
    assert passage.text == TEXT.rstrip()


def test_passages_of_code_are_below_their_file_and_path(splitting: Adapter) -> None:
    leaves = splitting.leaves(
        FILES["src/app.py"], "src/app.py", max_chunk_size=250, min_chunk_size=0
    )
    (leaf,) = [one for one in leaves if "@cached" in one.text]
    (passage,) = splitting.assemble([leaf], budget=100)
    expected = "src/app.py > UserService\n\n    @cached\n    def getUser(self, name: str) -> User:"
    assert passage.text == expected
    assert passage.metadata["path"] == '["src/app.py", "UserService", "getUser"]'
    (leaf,) = [one for one in leaves if "def main" in one.text]
    assert splitting.assemble([leaf])[0].text.startswith("src/app.py\n\ndef main()")


# Metadata and scores


def test_the_documents_metadata_stay_where_leaves_share_them(splitting: Adapter) -> None:
    first, second, *_ = kettle(splitting, lang="en")
    for passage in splitting.assemble([first, splitting.changed(second, lang="fr")]):
        assert passage.metadata.keys() - {"chunkana_document_id"} == {
            "source", "spans", "lines", "start_line", "end_line", "path", "chunk_ids"
        }  # fmt: skip
        assert passage.metadata["source"] == "kettle.md"
    assert splitting.assemble([first])[0].metadata["lang"] == "en"


@pytest.mark.parametrize("key", ["path", "format", "chunk_id", "start_line"])
@pytest.mark.parametrize("metadata", ["short", "full"])
def test_a_key_that_is_the_documents_keeps_its_value(
    splitting: Adapter, key: str, metadata: str
) -> None:
    is_clashing = key != "path" or metadata == "full"
    with pytest.warns(UserWarning, match=key) if is_clashing else nullcontext():
        leaves = splitting.split(TEXT, {key: "mine"}, max_chunk_size=170, metadata=metadata).leaves
    passages = splitting.assemble(leaves)
    assert len(passages) > 2
    assert all(passage.metadata[key] == "mine" for passage in passages)


def test_where_the_place_is_the_documents_a_leaf_passes_whole(splitting: Adapter) -> None:
    with pytest.warns(UserWarning, match="prefix_chars"):
        leaves = splitting.split(TEXT, {"prefix_chars": "7"}, max_chunk_size=170).leaves
    found = splitting.assemble(leaves)
    assert all(one.text.endswith(leaf.text) for one, leaf in zip(found, leaves, strict=True))


def test_what_is_anothers_is_whole_at_its_place_or_left_out(splitting: Adapter) -> None:
    """Also a leaf of which the text was changed."""
    first, *_, last = kettle(splitting)
    foreign_text = "What another tool found."
    foreign = splitting.foreign(foreign_text)
    before, other = splitting.assemble([last, foreign])
    assert other.text == foreign_text
    small = splitting.assemble([last, foreign, first], budget=len(before.text) + 25)
    assert other not in small
    assert "# Kettle" in read(small)
    summary = splitting.changed(first, "A summary.")
    changed, same = splitting.assemble([summary, last])
    assert changed.text.endswith("A summary.")
    assert same.text == before.text


def test_scores_are_those_of_the_best_leaf(splitting: Adapter) -> None:
    leaves = kettle(splitting)
    ranked = [splitting.changed(leaf, score=0.5 - n / 10) for n, leaf in enumerate(leaves[1::-1])]
    (passage,) = splitting.assemble(ranked, sources=texts_of(leaves))
    assert passage.score == 0.5
    assert splitting.assemble(leaves)[0].score is None


async def test_asynchronously_the_same_and_of_nothing_nothing(splitting: Adapter) -> None:
    made, found = splitting.assembler(budget=300), [one.native for one in kettle(splitting)]
    assert await splitting.acompress(made, found) == splitting.compress(made, found) != []
    assert splitting.assemble([]) == []


# Options and sources


@pytest.mark.parametrize(
    ("field", "value"),
    [("budget", -1), ("budget", True), ("budget", "6000"), ("length_function", 5),
     ("sources", 5), ("sources", "text"), ("size", 1)],
)  # fmt: skip
def test_options_are_checked_by_name(splitting: Adapter, field: str, value: object) -> None:
    with pytest.raises(ValidationError, match=field):
        splitting.assembler(**{field: value})


@pytest.mark.parametrize(
    "sources",
    [lambda _: {}, lambda known: dict.fromkeys(known, "Changed."),
     lambda known: {name: text[1:] for name, text in known.items()},
     lambda _: {}.__getitem__, lambda _: lambda _: ""],
    ids=["none", "changed", "shifted", "lookup error", "empty"],
)  # fmt: skip
def test_what_is_not_in_its_source_passes_whole_with_one_warning(
    splitting: Adapter, sources: Callable[[Mapping[str, str]], Native]
) -> None:
    leaves = kettle(splitting)
    given = sources(texts_of(leaves))
    with pytest.warns(
        UserWarning, match=f"^'{leaves[0].document_id}' is not in sources, or"
    ) as caught:
        found = splitting.assemble([*leaves, splitting.foreign("More.")], sources=given)
    whole = [*(leaf.text for leaf in leaves), "More."]
    assert all(one.text.endswith(text) for one, text in zip(found, whole, strict=True))
    assert len(caught) == 1
    with pytest.warns(UserWarning, match="not in sources"):
        assert len(read(splitting.assemble(leaves, sources=given, budget=200))) <= 200


def test_leaves_above_a_change_of_the_source_are_read_in_it(splitting: Adapter) -> None:
    leaves = kettle(splitting)
    (name,) = texts_of(leaves)
    with pytest.warns(UserWarning, match=name):
        passage, last = splitting.assemble(
            leaves, sources={name: TEXT.replace("Two years", "Three years")}
        )
    assert passage.text.startswith("# Kettle\n\nBoils water.\n\n## Cleaning")
    assert last.text.endswith(leaves[-1].text)
