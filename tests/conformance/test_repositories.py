"""A repository of mixed files in one index: found by question, kept up to date, reranked."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.conformance.frameworks import Framework, Native
from tests.conformance.models import Model
from tests.conformance.repository import FILES
from tests.conformance.texts import OVEN, QUESTION, TEA, TEXTS, assert_true, read, sources

PASSAGES = {name: text for name, text in FILES.items() if not name.endswith("ipynb")}
QUESTIONS = {
    "Where does close disconnect from the database?": ("src/app.py", "def close(self)"),
    "What does add_tax return for a price and a rate?": ("src/prices.py", "def add_tax(price"),
    "Which items does emptyBasket of the cart set?": ("web/cart.ts", "emptyBasket(): void {"),
    "Which scripts has package.json, build or test?": ("package.json", '"build": "tsc"'),
    "How many people were asked?": ("docs/notes.txt", "# of people asked: seven"),
    "How do I install it?": ("README.md", "Run make install."),
    "What do terms say that you like to do with it?": ("LICENSE", "Do with it what you like."),
}
CLOSE = "Where does close disconnect from the database?"


@pytest.fixture(scope="module")
def repository() -> Callable[..., Native]:
    """Return a function that returns a retriever over the files, made once for each framework."""
    made: dict[str, Native] = {}

    def of(framework: Framework) -> Native:
        if framework.name not in made:
            chunking = framework.chunking(250)
            made[framework.name] = framework.make(PASSAGES, Model(), chunking=chunking)
        return made[framework.name]

    return of


Repository = Callable[[Framework], Native]


@pytest.mark.parametrize("search", ["hybrid", "dense", "lexical"])
async def test_each_file_is_found_by_question(
    framework: Framework, search: str, repository: Repository
) -> None:
    made, options = repository(framework), {"search": search, "budget": 600}
    for question, (name, text) in QUESTIONS.items():
        found = framework.ask(made, question, **options)
        assert_true(found, PASSAGES)
        assert any(one.document_id == name and text in one.text for one in found), question
        assert await framework.aask(made, question, **options) == found


def test_passages_of_source_code_are_under_their_file(
    framework: Framework, repository: Repository
) -> None:
    (found,) = framework.ask(repository(framework), CLOSE, fetch_k=1, search="dense")
    path = "src/app.py > UserService\n\n    def close(self)"
    assert path in found.text
    assert found.text.count("src/app.py >") == 1
    assert json.loads(found.metadata["path"]) == ["src/app.py", "UserService", "close"]
    assert found.metadata["start_line"] == 20


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"kind": "method"}, {"src/app.py"}),
        ({"name": "add_tax"}, {"src/prices.py"}),
        ({"format": "json"}, {"package.json"}),
    ],
    ids=str,
)
def test_kinds_names_and_formats_are_filters(
    framework: Framework, wanted: dict[str, str], names: set[str], repository: Repository
) -> None:
    made, options = repository(framework), {"filter": wanted}
    for search in ("hybrid", "dense", "lexical"):
        found = framework.ask(made, "The price, the name, a user?", search=search, **options)
        assert sources(found) == names


def test_an_edit_embeds_the_function_that_changed(adapter: Framework) -> None:
    model = Model()
    made = adapter.make(FILES, model, chunking=adapter.chunking(250))
    model.clear()
    edited = {**FILES, "src/app.py": FILES["src/app.py"].replace("8080", "9090")}
    report = adapter.update(made, edited)
    assert (report.changed, report.added, report.deleted) == (["src/app.py"], [], [])
    assert [text.partition("\n")[0] for text in model.texts] == ["src/app.py > main"]
    found = adapter.ask(made, "Which port does main serve at?", budget=500)
    assert "port=9090" in read(found)
    assert "port=8080" not in read(found)


def test_passages_of_a_notebook_say_its_cells(adapter: Framework) -> None:
    made = adapter.make({"trip.ipynb": FILES["trip.ipynb"]}, search="lexical")
    (found,) = adapter.ask(made, "fare")
    assert (found.metadata["cell"], found.metadata["cell_end"]) == (1, 3)
    assert "def fare(n):" in found.text
    assert "cell_type" not in found.text


# Rerankers


def about_bread(text: str) -> float:
    """Return how much a text is about bread."""
    return 0.5 + text.count("bread")


@pytest.mark.parametrize("options", [{"k": 1}, {"budget": 80}, {"returns": "parents", "ratio": 1}])
async def test_a_reranker_decides_what_is_returned(
    adapter: Framework, options: dict[str, object]
) -> None:
    """It stands between search and assembly, as an option and for one question."""
    reranker = adapter.reranker(about_bread, [])
    made = adapter.make(TEXTS, Model(), reranker=reranker, **options)
    found = adapter.ask(made, QUESTION)
    assert "Bake the bread" in found[0].text
    assert found[0].score == 1.5
    assert await adapter.aask(made, QUESTION) == found
    without = adapter.make(TEXTS, Model(), **options)
    assert "Bake the bread" not in read(adapter.ask(without, QUESTION)[:1])
    assert adapter.ask(without, QUESTION, reranker=reranker) == found


def test_a_reranker_gets_what_was_embedded_and_may_leave_out(adapter: Framework) -> None:
    seen: list[tuple[str, Native]] = []
    reranker = adapter.reranker(lambda text: about_bread(text) - 1, seen)
    made = adapter.make(TEXTS, Model())
    (found,) = adapter.ask(made, QUESTION, reranker=reranker)
    assert found.metadata["start_line"] == OVEN.count("\n", 0, OVEN.index("## Bread")) + 1
    assert len(seen) == 5
    text, metadata = next(one for one in seen if "Bake" in one[0])
    assert text == "oven.md > Oven > Bread\n\n## Bread\n\nBake the bread for an hour."
    assert {"section_id", "parent_section_id", "content_type", "container"} <= metadata.keys()
    assert (metadata["source"], metadata["header_path"]) == ("oven.md", "/Oven/Bread")
    assert adapter.ask(adapter.make({}, search="lexical"), "tea", reranker=reranker) == []


# What is embedded, and options of the splitter


def test_what_is_embedded_is_what_the_core_embeds(framework: Framework) -> None:
    from chunkana_core import ChunkConfig, Chunker, Context

    model = Model()
    framework.make({"tea.md": TEA}, model)
    config = ChunkConfig(max_chunk_size=100, min_chunk_size=0, atomic_blocks="split")
    result = Chunker(config, Context()).chunk_hierarchical(TEA, path="tea.md")
    assert model.texts == [chunk.embedded for chunk in result.get_flat_chunks()]


def test_front_matter_is_copied_if_it_is_named(adapter: Framework) -> None:
    chunking = type(adapter.chunking())(front_matter_keys=("tags", "day"))
    text = "---\ntags: [hot]\nday: 2026-01-01\n---\n# T\n\nText.\n"
    made = adapter.make({"t.md": text}, search="lexical", chunking=chunking)
    (found,) = adapter.ask(made, "text")
    assert (found.metadata["tags"], str(found.metadata["day"])) == (["hot"], "2026-01-01")
    assert "tags" not in found.text


def test_the_size_of_parents_is_that_of_the_splitter(adapter: Framework) -> None:
    kind = type(adapter.chunking())
    size = {"chunk_size" if adapter.name == "langchain" else "max_chunk_size": 140}
    text = "# Book\n\n" + "".join(f"## S{n}\n\n{'Some words here. ' * 12}\n\n" for n in range(9))
    chunking = kind(**size, max_parent_size=400, min_chunk_size=0)
    made = adapter.make({"book.md": text}, Model(), chunking=chunking, returns="parents", ratio=0)
    spans = [
        span for one in adapter.ask(made, "some words", k=50) for span in one.metadata["spans"]
    ]
    assert 140 < max(end - start for start, end in spans) <= 400


def test_words_are_divided_by_a_function_of_the_callers(adapter: Framework) -> None:
    def parts(text: str) -> list[str]:
        return [word[:4] for word in text.lower().split()]

    texts = {"b.md": "# Boats\n\nDampfschifffahrt.\n"}
    assert adapter.ask(adapter.make(texts, search="lexical"), "Dampfer") == []
    assert adapter.ask(adapter.make(texts, search="lexical", tokenize=parts), "Dampfer")
