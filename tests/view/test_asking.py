"""Asking questions in a page and in an index, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys

from chunkana_cli.demonstrating.run import search
from chunkana_core import ChunkConfig, Context, HierarchicalChunkingResult, MarkdownChunker
from chunkana_retrieval import (
    SearchOptions,
    find_words,
    words_of,
)
from chunkana_view import Entry, index_html, to_html
from tests import corpora
from tests.view.browser import Browser, needs_browser, prepared, started
from tests.view.injections import DOCUMENTS, PAYLOADS
from tests.view.reading import read

pytestmark = [pytest.mark.slow, *needs_browser]
CHUNKER = MarkdownChunker(ChunkConfig(max_chunk_size=300, atomic_blocks="split"), Context())
QUESTIONS = (
    "How do I install it?",
    "table of signals",
    "der Fehler, die Regeln",
    "什么时候",
    "図書館の記録",
    "как собрать",
    "الكتب",
    "retries and merging, code-blocks or front_matter",
    "the of and",
)
TRICKY = (
    "",
    "How do I run --audio-format?",
    "東京都 and ไทย mixed-東京",
    "snake_case kebab-case-words __init__ a--b _x_",
    "don't I'll we've class's",
    "Straße ÇELİK ΣΊΣΥΦΟΣ ΟΔΟΣ é e\u0301 नमस्ते שָׁלוֹם",
    "ies ied bies tried ring ed used being stopped added buzzing falling essences s",
    "3.14 ² ½ Ⅷ x86_64 🎈ball \U00020000\U00020001",
)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from started(tmp_path_factory.mktemp("asking"))


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    yield from prepared(running)


def chunked(text: str) -> HierarchicalChunkingResult:
    return CHUNKER.chunk_hierarchical(text)


SAMPLES = {
    sample.name.removesuffix(".md"): chunked(sample.text) for sample in corpora.own_documents()
}
HANDBOOK = SAMPLES["headings_120"]


def found(results: dict[str, HierarchicalChunkingResult], question: str) -> list[tuple[str, str]]:
    """Return the documents and ids of the chunks that `chunkana ask` finds, the best first."""
    found = search([*results.values()], question, SearchOptions("lexical", fetch_k=60))
    names = [*results]
    return [(names[int(hit.document_id)], hit.node_id) for hit in found.hits]


def test_words_are_those_of_the_library(browser: Browser) -> None:
    """In every script, and whatever stands between them."""
    browser.open(to_html(HANDBOOK))
    for text in (*TRICKY, *QUESTIONS, *(result.text for result in SAMPLES.values())):
        assert browser.ask("wordsOf(arguments[0])", text) == words_of(text)


@pytest.mark.parametrize("question", QUESTIONS)
def test_words_of_a_question_are_found_where_the_library_finds_them(
    browser: Browser, question: str
) -> None:
    browser.open(to_html(HANDBOOK))
    for text in [*QUESTIONS, *(result.text[:2000] for result in SAMPLES.values())]:
        places = browser.ask("findWords(arguments[0], arguments[1])", text, question)
        assert [*map(tuple, places)] == find_words(text, question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_chunks_are_ranked_as_the_library_ranks_them(browser: Browser, question: str) -> None:
    browser.open(to_html(HANDBOOK))
    chunks = [
        {
            "id": [name, chunk.chunk_id],
            "document": name,
            "section": f"{name} {chunk.section_id}",
            "embedded": chunk.embedded,
        }
        for name, result in SAMPLES.items()
        for chunk in result.get_flat_chunks()
    ]
    ranked = browser.ask(
        "new WordIndex(arguments[0]).search(arguments[1]).map(({ id }) => id)", chunks, question
    )
    assert [*map(tuple, ranked)] == found(SAMPLES, question)
    assert bool(ranked) == (question != "the of and")


def ask(browser: Browser, question: str) -> None:
    browser.press("a", *question, Keys.ENTER)


def set_budget(browser: Browser, budget: int) -> None:
    browser.one("#budget").clear()
    browser.one("#budget").send_keys(str(budget), Keys.ENTER)


def test_a_page_shows_what_is_handed_over(browser: Browser) -> None:
    """Whole chunks within the budget, the best of those that are found, in reading order."""
    browser.open(to_html(HANDBOOK))
    assert not browser.one("#question").is_displayed()
    ask(browser, "studio booking rules")
    set_budget(browser, 1200)
    leaves = HANDBOOK.get_leaves()
    handed = browser.ask(
        "[...document.querySelectorAll('.leaf')]"
        ".flatMap((leaf, at) => leaf.classList.contains('handed') ? [at] : [])"
    )
    texts = [one.get_attribute("textContent") or "" for one in browser.all(".passage")]
    assert "".join("".join(texts).split()) == "".join(
        "".join(leaves[at].content for at in handed).split()
    )
    ranked = [chunk_id for _, chunk_id in found({"": HANDBOOK}, "studio booking rules")]
    assert {leaves[at].chunk_id for at in handed} == set(ranked[: len(handed)])
    size = sum(map(len, texts)) + 2 * (len(texts) - 1)
    assert 900 < size <= 1200
    assert len(handed) < len(ranked), "or the budget says nothing"
    status = browser.one("#handed").text
    assert status == f"{len(texts)} passages of {len(handed)} chunks, {size:,} of 1,200 characters"
    assert "by words only" in browser.one("#asking .hint").text


def test_a_passage_leads_to_its_chunks(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    ask(browser, "studio booking rules")
    browser.click(".cite")
    first = HANDBOOK.get_leaves()[browser.selected[0]]
    lines = browser.all(".cite")[0].text
    assert lines.startswith((f"lines {first.text_start_line}–", f"line {first.text_start_line}"))
    assert browser.ask("CSS.highlights.get('asked').size") > 0


def test_the_budget_and_the_end_of_a_question(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    ask(browser, "studio")
    assert len(browser.all(".handed")) > 1
    set_budget(browser, 5)
    assert browser.one("#handed").text == "Nothing is found, or not within the budget"
    assert len(browser.all("#source.asking")) == 1
    browser.press(Keys.ESCAPE)
    assert not browser.all(".asking, .handed, .passage")
    assert browser.one("#handed").text == ""


def test_an_answer_is_shown_while_a_question_is_typed(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    browser.press("a", *"studio")
    browser.wait_for("document.querySelector('.passage') !== null")
    assert browser.selected == [], "letters that are keys elsewhere are letters here"


def test_what_is_not_worth_embedding_is_not_found(browser: Browser) -> None:
    browser.open(to_html(chunked("---\ntitle: zebra\n---\n\n# Cats\n\nNo stripes.\n")))
    ask(browser, "zebra")
    assert browser.one("#handed").text.startswith("Nothing is found")


def index_of(results: dict[str, HierarchicalChunkingResult]) -> str:
    return index_html(Entry.of(f"{name}.html", name, result) for name, result in results.items())


def test_an_index_is_asked_over_all_documents(browser: Browser) -> None:
    browser.open(index_of(SAMPLES))
    question = "How do I install it?"
    ask(browser, question)
    cited = [link.get_attribute("href") or "" for link in browser.all("#passages a")]
    documents = [*dict.fromkeys(address.split("/")[-1].split(".html")[0] for address in cited)]
    ranked = found(SAMPLES, question)
    assert documents == [*dict.fromkeys(name for name, _ in ranked)][: len(documents)]
    assert len(documents) > 1
    places = {(name, chunk_id) for name, chunk_id in ranked}
    for address in cited:
        name, _, chunk_id = address.split("/")[-1].partition(".html#c-")
        assert (name, chunk_id) in places
    assert browser.one("#passages a").text.startswith(f"{documents[0]}, line")
    browser.press(Keys.ESCAPE)
    assert not browser.all(".passage")


def test_an_index_of_very_long_documents_says_that_it_cannot_be_asked(browser: Browser) -> None:
    entry = replace(Entry.of("a.html", "a.md", HANDBOOK), characters=5_000_000)
    html = index_html([entry])
    assert not [e for e in read(html).all("details") if e.attributes.get("id") == "asking"]
    assert [one["leaves"] for one in json.loads(read(html).by_id("entries").text)] == [[]]
    browser.open(html)
    browser.press("a")
    assert "too long to search here" in browser.one("main").text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_that_is_found_runs(browser: Browser, name: str) -> None:
    result = chunked(DOCUMENTS[name])
    index = index_html([Entry.of("a.html", PAYLOADS[name], result)])
    for html in (to_html(result, PAYLOADS[name]), index):
        browser.open(html)
        ask(browser, "text window harmed a b svg img")
        assert bool(browser.all(".passage")) == (name != "comment"), "which is not embedded"
        assert browser.ask("window.harmed") is None
        assert not browser.all("#asking img, #asking script, #asking svg, #asking base, iframe")
