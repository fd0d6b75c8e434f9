"""Short metadata are a part of the full ones and enough to read; passages are those of hits."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from chunkana_core import ChunkConfig, Chunker, Context
from chunkana_retrieval import Hit, assemble
from tests import corpora
from tests.conformance.adapters import Adapter, Native, Piece
from tests.conformance.frameworks import Framework
from tests.conformance.models import Model

CODE = '"""How tea is made."""\n\n\nclass Tea:\n' + "".join(
    f'    def boil{n}(self):\n        """Boil {n}."""\n        return {n}\n\n' for n in range(9)
)
MADE = {
    "tea.py": CODE,
    "long.md": "# A\n\n## B/C\n\n" + "Some words of it here. " * 60 + "\n\n### D\n\nThe end.\n",
    "empty.md": "#\n\nWords of it.\n\n##\n\nMore of these words.\n\n# Tea\n\n### \n\nLast words.\n",
    "trip.ipynb": corpora.NOTEBOOK,
    "prices.json": json.dumps({"prices": [{"name": f"tea {n}", "price": n} for n in range(40)]}),
}
TEXTS = {sample.name: sample.text for sample in corpora.own_documents()} | MADE
# Beside contents, over this project's pages; with all keys it is 102 % and 80 %.
BARS = {"langchain": 0.83, "llamaindex": 0.57}
FRAMEWORKS = {"langchain": "LangChain", "llamaindex": "LlamaIndex"}


def split(splitting: Adapter, texts: Mapping[str, str], **options: Native) -> list[Piece]:
    documents = [splitting.document(texts[name], {"source": name}, name) for name in texts]
    return splitting.run(splitting.make(**options), documents).leaves


def split_both(
    splitting: Adapter, size: int, texts: Mapping[str, str] = TEXTS
) -> list[list[Piece]]:
    """Return leaves with short metadata, and the same with full ones."""
    forms = ("short", "full")
    return [split(splitting, texts, max_chunk_size=size, metadata=form) for form in forms]


def test_short_metadata_are_a_part_of_the_full_ones(splitting: Adapter) -> None:
    for a, b in zip(*split_both(splitting, 300), strict=True):
        assert (a.id, a.parent_id, a.text, a.embedded) == (b.id, b.parent_id, b.text, b.embedded)
        assert a.metadata.items() < b.metadata.items()
        assert ("cell" in a.metadata) is (a.metadata["format"] == "notebook")


def test_metadata_are_short_beside_contents(splitting: Adapter) -> None:
    """With all defaults, over the pages of this project's documentation."""
    pages = sorted((corpora.REPOSITORY / "docs").glob("*.md"))
    leaves = split(splitting, {page.name: corpora.read(page) for page in pages})
    contents = sum(len(leaf.embedded.encode()) for leaf in leaves)
    shown = ({k: v for k, v in leaf.metadata.items() if k != "context"} for leaf in leaves)
    written = sum(len(json.dumps(one, ensure_ascii=False).encode()) for one in shown)
    assert written / contents < BARS.get(splitting.name, 1)


def test_short_metadata_are_enough_to_read_leaves_and_to_split_them_again(
    splitting: Adapter,
) -> None:
    short, full = split_both(splitting, 300)
    for start, budget in ((0, 400), (1, 400), (2, 3000)):
        some, same = short[start::5], full[start::5]
        assert splitting.assemble(some, budget=budget) == splitting.assemble(same, budget=budget)
    # A part of JSON or a notebook is none, which is warned of.
    texts = {name: TEXTS[name] for name in TEXTS if not name.endswith((".json", ".ipynb"))}
    short, full = (
        splitting.run(
            splitting.make(max_chunk_size=120, metadata="full"),
            [leaf.native for leaf in leaves if len(leaf.embedded) > 300],
        ).leaves
        for leaves in split_both(splitting, 600, texts)
    )
    assert len(short) > 100
    for a, b in zip(short, full, strict=True):
        assert (a.id, a.text, a.embedded) == (b.id, b.text, b.embedded)
        assert {key: b.metadata[key] for key in a.metadata} == a.metadata


def test_indexes_answer_the_same_with_both(adapter: Framework) -> None:
    """Before and after an update, passages and parents."""

    def answered(metadata: str) -> list[Any]:
        chunking = type(adapter.chunking())(metadata=metadata)
        retriever = adapter.make(MADE, Model(), chunking=chunking)
        answers: list[Any] = []
        for texts in ({}, {"tea.py": CODE.replace("Boil", "Heat")}):
            answers.append(retriever.update(adapter.documents(texts)).changed)
            for returns in ("passages", "parents"):
                answers += adapter.ask(retriever, "words of tea", returns=returns)
        return answers

    assert answered("short") == answered("full")


@pytest.mark.parametrize("has_sources", [False, True])
@pytest.mark.parametrize("budget", [300, 2000, 100_000])
def test_passages_of_leaves_are_those_of_the_same_hits(
    splitting: Adapter, budget: int, *, has_sources: bool
) -> None:
    found: list[Piece] = []
    hits: list[Hit] = []
    sources: dict[str, str] = {}
    for sample in corpora.own_documents()[:4]:
        config = ChunkConfig(max_chunk_size=400, min_chunk_size=0, atomic_blocks="split")
        result = Chunker(config, Context()).chunk_hierarchical(sample.text, "markdown")
        document = splitting.document(sample.text, {"source": sample.name}, sample.name)
        leaves = splitting.of_result(result, document)
        assert len(leaves) == len(result.get_flat_chunks())
        found += leaves[::3]
        name = leaves[0].document_id
        hits += [Hit.of_chunk(chunk, 0.5, name) for chunk in result.get_flat_chunks()[::3]]
        sources[name] = sample.text
    given = sources if has_sources else None
    expected = assemble(hits, budget, sources=given)
    answers = splitting.assemble(found, budget=budget, sources=given)
    assert [one.text for one in answers] == [one.text for one in expected]
    spans = [[[span.start, span.end] for span in one.spans] for one in expected]
    assert [one.metadata["spans"] for one in answers] == spans


def test_the_page_says_which_keys_are_short(splitting: Adapter) -> None:
    """Its table has the keys of both adapters, of each one, and those of the full form."""
    if splitting.name not in FRAMEWORKS:
        pytest.skip("the page has the keys of the default")
    page = corpora.read(corpora.REPOSITORY / "docs" / "splitters.md")
    table = re.search(r"^\| key \| of the core \|(?:.|\n)*?\n\n", page, re.MULTILINE)
    assert table is not None
    groups: dict[str, set[str]] = {}
    group = groups.setdefault("both", set())
    for row in table[0].strip().splitlines()[2:]:
        cell = row.split("|")[1].strip()
        if cell.endswith(":"):
            group = groups.setdefault(cell.strip(":"), set())
        elif "(" not in cell or FRAMEWORKS[splitting.name] in cell:
            group.update(re.findall(r"`(\w+)`", cell))
    leaves = (found[-1] for found in split_both(splitting, 300, {"long.md": MADE["long.md"]}))
    short, full = (set(leaf.metadata) - {"source"} for leaf in leaves)
    cells = {key for key in groups["both"] if key.startswith("cell")}
    own = groups[f"in {FRAMEWORKS[splitting.name]}"] - {"start_index"}
    assert (groups["both"] - cells) | own == short
    assert groups['with `metadata="full"`'] == full - short - cells
