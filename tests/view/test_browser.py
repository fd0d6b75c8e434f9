"""The page in a real browser: no errors, all functions work, no code of documents runs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

pytest.importorskip("selenium")

from selenium.webdriver.common.keys import Keys

from chunkana_core import ChunkConfig, Chunker, Context, HierarchicalChunkingResult, MarkdownChunker
from chunkana_view import Entry, index_html, to_html
from tests import corpora
from tests.view.browser import Browser, needs_browser, prepared, started
from tests.view.injections import ALL, DOCUMENTS, PAYLOADS

pytestmark = [pytest.mark.slow, *needs_browser]
SMALL = ChunkConfig(max_chunk_size=300, atomic_blocks="split")


def chunked(text: str) -> HierarchicalChunkingResult:
    return MarkdownChunker(SMALL).chunk_hierarchical(text)


HANDBOOK = chunked(corpora.own_document("headings_120.md"))
PYTHON = "import os\n\n\ndef name(signal):\n    # a comment\n    return 'text' + str(12)\n"
LANGUAGE = "python" if find_spec("tree_sitter") else "markdown"
SOURCE = Chunker(SMALL, Context()).chunk_hierarchical(PYTHON * 9, LANGUAGE)
CODE = chunked(corpora.own_document("long_code.md"))
TABLES = chunked(corpora.own_document("long_tables.md"))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from started(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    """Use the one browser; after each test its console must be empty."""
    yield from prepared(running)


def is_in_sight(browser: Browser, index: int) -> bool:
    """Return whether a chunk's first line is in the visible part of the source."""
    return bool(
        browser.ask(
            "((leaf, view) => leaf.top >= view.top - 1 && leaf.top < view.bottom)("
            "document.querySelectorAll('.leaf')[arguments[0]].getBoundingClientRect(),"
            "document.querySelector('main').getBoundingClientRect())",
            index,
        )
    )


def test_it_opens_with_all_chunks(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK, "handbook.md"))
    assert browser.chrome.title == "handbook.md – chunks"
    assert len(browser.all("#source .leaf")) == len(HANDBOOK.get_leaves())
    assert browser.ask("document.getElementById('source').textContent") == HANDBOOK.text
    assert browser.selected == []
    assert browser.one("#hint").is_displayed()


@pytest.mark.parametrize("sample", corpora.own_documents(), ids=lambda sample: sample.name)
def test_it_opens_every_document(browser: Browser, sample: corpora.Sample) -> None:
    chunker = MarkdownChunker(ChunkConfig(), Context(sample.name))
    result = chunker.chunk_hierarchical(sample.text)
    browser.open(to_html(result, sample.name))
    browser.press("j", "j")
    shown = browser.one("#embedded").get_attribute("textContent")
    leaves = result.get_leaves()
    assert shown == leaves[min(1, len(leaves) - 1)].embedded
    assert shown.startswith(sample.name)


def test_the_policy_is_in_force(browser: Browser) -> None:
    """What the tests below rely on: neither a script nor a style that is added would work."""
    browser.open(to_html(HANDBOOK))
    browser.ask(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.added = 1';"
        "document.body.append(s); document.body.setAttribute('style', 'color: red') })()"
    )
    assert browser.ask("window.added") is None
    complaints = browser.complaints
    assert len(complaints) == 2
    assert all("Content Security Policy" in complaint for complaint in complaints)


def test_a_click_selects(browser: Browser) -> None:
    browser.open(to_html(TABLES))
    leaves = TABLES.get_leaves()
    repeated = [leaf.content[: leaf.text_offset] for leaf in leaves]
    index = next(at for at, above in enumerate(repeated) if "|---" in above)
    browser.ask("document.querySelectorAll('.leaf')[arguments[0]].scrollIntoView()", index)
    browser.click(".leaf", index)
    assert browser.selected == [index]
    assert browser.one("#which").text == f"Chunk {index + 1} of {len(leaves)}"
    assert browser.one("#path").text == " > ".join(leaves[index].section.path)
    assert browser.one("#size").text == f"{leaves[index].size} of 300 characters"
    assert leaves[index].chunk_id in browser.one("#list").text
    assert "continued" in browser.one("#flags").text
    embedded = browser.one("#embedded").get_attribute("textContent")
    assert embedded == leaves[index].embedded
    added = browser.ask(
        "[...document.querySelectorAll('#embedded .added')].map(e => e.textContent)"
    )
    assert "|---" in added[0]
    browser.click("#close")
    assert browser.selected == []


def test_what_is_embedded_stands_beside_each_chunk(browser: Browser) -> None:
    """It is shown above and below the text, which stays the source's alone."""
    browser.open(to_html(CODE))
    leaves = CODE.get_leaves()
    beside = (
        "[...document.querySelectorAll('.leaf')].map(e =>"
        " [e.previousElementSibling.dataset.above ?? '', e.dataset.below ?? ''])"
    )
    assert {*map(tuple, browser.ask(beside))} == {("", "")}
    browser.press("e")
    assert browser.one("#context").get_attribute("aria-pressed") == "true"
    shown = browser.ask(beside)
    for leaf, (above, below) in zip(leaves, shown, strict=True):
        assert above == leaf.embedded.partition(leaf.text)[0].rstrip()
        assert below == leaf.embedded.partition(leaf.text)[2].strip()
    assert any(below == "```" for _, below in shown)
    drawn = browser.ask(
        "[...document.querySelectorAll('.gap[data-above]')]"
        ".map(e => getComputedStyle(e, '::after').content)"
    )
    assert len(drawn) == sum(bool(above) for above, _ in shown) > 0
    assert browser.ask("document.getElementById('source').textContent") == CODE.text
    browser.click("#context")
    assert {*map(tuple, browser.ask(beside))} == {("", "")}


def test_contexts_are_shown_from_the_start(browser: Browser) -> None:
    result = MarkdownChunker(SMALL, Context("a.md")).chunk_hierarchical(CODE.text)
    browser.open(to_html(result))
    above = browser.ask(
        "[...document.querySelectorAll('.gap')].map(e => e.dataset.above).filter(Boolean)"
    )
    assert len(above) == len(result.get_leaves())
    assert all(text.startswith("a.md > ") for text in above)


def test_search_for_a_container(browser: Browser) -> None:
    text = "# Tea\n\n:::tip Heat\nUse hot water.\n:::\n\n# Cups\n\nWarm them.\n"
    browser.open(to_html(chunked(text)))
    browser.click("#choice option[value='container:tip']")
    assert len(browser.all(".leaf.match")) == 1
    browser.click("#next")
    assert "Container\ntip" in browser.one("#list").text


def test_the_mouse_shows_what_it_points_at(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    move = (
        "document.querySelectorAll('.leaf')[arguments[0]]"
        ".dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))"
    )
    browser.ask(move, 2)
    assert browser.one("#which").text.startswith("Chunk 3 ")
    browser.press("j")
    browser.ask(move, 4)
    assert browser.one("#which").text.startswith("Chunk 1 "), "what is selected stays"


@pytest.mark.parametrize(("down", "up"), [("j", "k"), (Keys.ARROW_DOWN, Keys.ARROW_UP)])
def test_keys_move(browser: Browser, down: str, up: str) -> None:
    browser.open(to_html(HANDBOOK))
    last = len(HANDBOOK.get_leaves()) - 1
    browser.press(down, down, down)
    assert browser.selected == [2]
    browser.press(up)
    assert browser.selected == [1]
    browser.press(Keys.END)
    assert browser.selected == [last]
    last_id = f"c-{HANDBOOK.get_leaves()[-1].chunk_id}"
    assert browser.ask("document.activeElement.id") == last_id, "what is read aloud is focused"
    browser.press(down)
    assert browser.selected == [last]
    browser.press(Keys.HOME, up)
    assert browser.selected == [0]
    browser.press(Keys.ESCAPE)
    assert browser.selected == []


def reached_by_tab(browser: Browser, count: int) -> set[str]:
    """Return the ids or classes of the elements reached by Tab, after checking they are visible."""
    reached = set()
    for _ in range(count):
        browser.press(Keys.TAB)
        name, is_marked, is_seen = browser.ask(
            "((e) => [e.id || e.className || e.tagName, getComputedStyle(e).outlineStyle != 'none',"
            " e.checkVisibility()])(document.activeElement)"
        )
        assert name == "BODY" or (is_marked and is_seen), name
        reached.add(name)
    return reached


@pytest.mark.parametrize("width", [1400, 380])
def test_everything_is_reached_without_a_mouse(browser: Browser, width: int) -> None:
    browser.width(width)
    browser.open(to_html(HANDBOOK, index="index.html"))
    assert {"query", "choice", "previous", "next"} <= reached_by_tab(browser, 5)
    if width < 1000:
        browser.ask("document.getElementById('trees-toggle').focus()")
        browser.press(Keys.ENTER)
    browser.press("a", *"studio", Keys.ENTER)
    browser.ask("document.querySelector('.tools a').focus()")
    wanted = {"context", "trees-toggle", "theme", "help-open", "go", "fold"}
    assert wanted <= reached_by_tab(browser, 24)
    browser.ask("document.getElementById('source').focus()")
    assert {"SUMMARY", "question", "budget", "cite"} <= reached_by_tab(browser, 6)
    browser.ask("document.querySelector('.cite').focus()")
    browser.press(Keys.ENTER)
    assert len(browser.selected) == 1
    assert {"close", "embedded"} <= reached_by_tab(browser, 12)
    browser.ask("document.querySelector('#outline .go').focus()")
    browser.press(Keys.ENTER)
    assert browser.selected == [0]
    assert len(browser.all(".leaf.ranged")) == len(HANDBOOK.get_leaves())


@pytest.mark.parametrize("width", [1400, 380])
def test_all_of_an_index_is_reached_without_a_mouse(browser: Browser, width: int) -> None:
    browser.width(width)
    browser.open(index_of(TEAS))
    browser.press("a", *"water", Keys.ENTER)
    browser.ask("document.activeElement.blur()")
    names = reached_by_tab(browser, 12)
    assert {"query", "SUMMARY", "question", "budget", "cite", "A"} <= names


def articles_of(browser: Browser) -> dict[str, str]:
    """Return the articles of the accessibility tree: the text in each by its label."""
    nodes = {node["nodeId"]: node for node in browser.read_aloud}

    def said(node: dict[str, Any]) -> str:
        if node["role"]["value"] == "StaticText":
            return str(node["name"]["value"])
        return "".join(said(nodes[child]) for child in node["childIds"] if child in nodes)

    articles = [node for node in nodes.values() if node["role"]["value"] == "article"]
    return {str(article["name"]["value"]): said(article) for article in articles}


def test_the_source_is_read_aloud(browser: Browser) -> None:
    """The text of each chunk is in the accessibility tree, in a labelled article."""
    browser.open(to_html(HANDBOOK))
    leaves, articles = HANDBOOK.get_leaves(), articles_of(browser)
    assert len(articles) == len(leaves) > 25
    for number, leaf in enumerate(leaves, 1):
        (said,) = (text for name, text in articles.items() if name.startswith(f"Chunk {number},"))
        assert "".join(leaf.text.split()) in "".join(said.split())


def test_in_a_large_document_what_is_selected_is_read_aloud(browser: Browser) -> None:
    """Only what is near the sight is laid out there, and thus in the accessibility tree."""
    text = "".join(f"## Head {n}\n\nText of {n}, which is short.\n\n" for n in range(600))
    config = ChunkConfig(max_chunk_size=60, min_chunk_size=0)
    result = MarkdownChunker(config).chunk_hierarchical(text)
    browser.open(to_html(result))
    browser.press("j", Keys.END)
    articles = articles_of(browser)
    last = result.get_leaves()[-1]
    said = articles[f"Chunk 600, size {last.size}, text"]
    assert "".join(last.text.split()) in "".join(said.split())
    assert len(articles) < 600


def test_the_focus_goes_along_only_while_the_source_is_read(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    browser.press("j")
    assert browser.ask("document.activeElement.matches('.leaf[aria-current]')")
    browser.press("j")
    assert browser.ask("document.activeElement.matches('.leaf[aria-current]')")
    assert len(browser.all("#source[tabindex='0'], .leaf[tabindex]")) == 1
    browser.ask("document.querySelectorAll('#outline .go')[3].focus()")
    browser.press(Keys.ENTER, "j")
    assert browser.ask("document.activeElement.className") == "go"
    browser.press(Keys.ESCAPE)
    assert browser.ask("document.activeElement.id") == "source"
    assert len(browser.all("#source[tabindex='0']")) == 1
    assert not browser.all(".leaf[tabindex]")


_SELECT = """((start, end, [from, to]) => {
  const at = (place) => document.querySelectorAll('.leaf')[place].firstChild;
  getSelection().setBaseAndExtent(at(start), from, at(end), to);
})(arguments[0], arguments[1], arguments[2])"""
CUT = chunked("One is here, and two is there. " * 60)


@pytest.mark.parametrize("result", [HANDBOOK, CUT], ids=["between lines", "inside a line"])
def test_what_is_copied_is_the_source(browser: Browser, result: HierarchicalChunkingResult) -> None:
    browser.open(to_html(result))
    leaves = result.get_leaves()
    for first, last, inside in ((0, 3, (0, 5)), (1, 2, (4, 6)), (2, 2, (3, 9))):
        browser.ask(_SELECT, first, last, inside)
        start, end = leaves[first].span.start + inside[0], leaves[last].span.start + inside[1]
        assert browser.copied == result.text[start:end]
    browser.ask("getSelection().selectAllChildren(document.getElementById('source'))")
    assert browser.copied == result.text


def test_copying_elsewhere_is_left_to_the_browser(browser: Browser) -> None:
    """A selection that only ends after the source holds no more than the source."""
    browser.open(to_html(HANDBOOK))
    browser.ask("getSelection().selectAllChildren(document.querySelector('h1'))")
    assert browser.copied == browser.one("h1").text
    browser.ask(
        "getSelection().setBaseAndExtent(document.querySelector('.leaf').firstChild, 0,"
        " document.getElementById('details'), 0)"
    )
    assert browser.copied == HANDBOOK.text[HANDBOOK.get_leaves()[0].span.start :]
    browser.ask(
        "getSelection().setBaseAndExtent(document.querySelector('h1'), 0,"
        " document.querySelector('.leaf').firstChild, 3)"
    )
    assert "chunks" in browser.copied


def test_in_long_trees_only_what_is_near_the_sight_is_made(browser: Browser) -> None:
    text = "".join(f"## Head {n}\n\nText of {n}, which is short.\n\n" for n in range(1000))
    result = MarkdownChunker(ChunkConfig(max_chunk_size=60, min_chunk_size=0)).chunk_hierarchical(
        text
    )
    browser.open(to_html(result))
    assert len(browser.all("#outline .long")) == 10
    assert 0 < len(browser.all("#outline .go")) < 500
    height = browser.ask("document.getElementById('outline').offsetHeight")
    assert 20_000 < height < 30_000, "what is not made yet has its place"
    browser.press(Keys.END)
    assert browser.one("#outline .go[aria-current] span").text == "Head 999"
    browser.ask("document.querySelector('nav').scrollTo(0, arguments[0] / 2)", height)
    browser.wait_for("document.getElementById('outline').textContent.includes('Head 500')")
    browser.ask(
        "[...document.querySelectorAll('#outline .go')]"
        ".find(e => e.textContent.startsWith('Head 500')).click()"
    )
    assert browser.selected == [500]


def test_a_hundred_thousand_headings(browser: Browser) -> None:
    """What is not in sight is not made, or not laid out, and any of it is reached."""
    text = "".join(f"## Head {n}\n\nText of {n}.\n\n" for n in range(100_000))
    config = ChunkConfig(max_chunk_size=60, min_chunk_size=0)
    result = MarkdownChunker(config).chunk_hierarchical(text)
    html = to_html(result, "log.md")
    assert len(html) < 16 * len(text)
    browser.open(html)
    assert browser.one("#which").get_attribute("textContent") == ""
    assert browser.ask("document.getElementsByTagName('*').length") < 250_000
    assert browser.ask("performance.getEntriesByName('first-contentful-paint').length") == 1
    assert browser.ask("document.getElementById('source').textContent.length") == len(text)
    browser.press(Keys.END)
    assert browser.one("#which").text == "Chunk 100,000 of 100,000"
    assert is_in_sight(browser, 99_999)
    assert browser.one("#outline .go[aria-current] span").text == "Head 99999"
    browser.press("/", *"text of 77777.", Keys.ENTER)
    assert browser.one("#which").text == "Chunk 77,778 of 100,000"
    assert browser.one("#outline .go[aria-current] span").text == "Head 77777"
    assert is_in_sight(browser, 77_777)
    assert len(browser.all("#outline .go")) < 2000


def test_search_where_there_is_no_path(browser: Browser) -> None:
    browser.open(to_html(chunked("Text without a title. " * 40)))
    browser.press("/")
    browser.press(*"undefined")
    assert browser.one("#found").text == "0 found"
    browser.press(Keys.ESCAPE, "j")
    assert browser.one("#path").text == ""


def test_search(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    texts = [
        f"{leaf.text} {' > '.join(leaf.section.path)}".lower() for leaf in HANDBOOK.get_leaves()
    ]
    found = [at for at, text in enumerate(texts) if "studio a" in text]
    assert 1 < len(found) < len(texts)
    browser.press("/")
    browser.press(*"Studio A")
    assert browser.one("#found").text == f"{len(found)} found"
    assert len(browser.all(".leaf.match")) == len(found)
    assert browser.selected == [], "letters that are keys elsewhere are letters here"
    browser.press(Keys.ENTER, Keys.ENTER)
    assert browser.selected == [found[1]]
    assert browser.one("#found").text == f"2 of {len(found)} found"
    browser.press(Keys.SHIFT + Keys.ENTER)
    assert browser.selected == [found[0]]
    browser.press(Keys.ESCAPE, "n")
    assert not browser.all(".searching, .match")
    assert browser.selected == [found[0]], "without a search there is no next match"


def test_search_for_a_kind(browser: Browser) -> None:
    browser.open(to_html(TABLES))
    continued = [at for at, leaf in enumerate(TABLES.get_leaves()) if leaf.split_index]
    browser.click("#choice option[value='flag:continued']")
    browser.click("#next")
    assert browser.selected == [continued[0]]
    browser.click("#previous")
    assert browser.selected == [continued[-1]]


def test_the_outline(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    rows = len(browser.all("#outline .go"))
    (fold, *_) = (f for f in browser.all("#outline .fold[aria-expanded='false']"))
    fold.click()
    assert fold.get_attribute("aria-expanded") == "true"
    assert len(browser.all("#outline .go")) > rows
    fold.click()
    assert fold.get_attribute("aria-expanded") == "false"
    shown = [go for go in browser.all("#outline .go") if go.is_displayed()]
    assert len(shown) == rows
    shown[8].click()
    title = shown[8].find_element("css selector", "span").text
    (first, *_) = browser.selected
    assert title in HANDBOOK.get_leaves()[first].text
    assert shown[8].get_attribute("aria-current") == "true"
    assert is_in_sight(browser, first)


def test_the_merge_tree(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    assert not browser.one("#merge").is_displayed()
    browser.click("nav summary", 1)
    entry = browser.all("#merge .go")[0]
    root = HANDBOOK.merge_tree().nodes[0]
    assert entry.find_element("css selector", "small").text == f"{len(root.text):,}"
    entry.click()
    inside = [leaf for leaf in HANDBOOK.get_leaves() if leaf.span.start < root.span.end]
    assert len(browser.all(".leaf.ranged")) == len(inside)


def test_light_and_dark(browser: Browser) -> None:
    def ground() -> int:
        colour = browser.ask("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.strip("rgb()").split(","))

    for scheme, pressed in (("light", "false"), ("dark", "true")):
        browser.media(scheme)
        browser.open(to_html(HANDBOOK))
        assert (ground() < 300) == (scheme == "dark")
        assert browser.one("#theme").get_attribute("aria-pressed") == pressed
        browser.click("#theme")
        assert (ground() < 300) == (scheme == "light")
        browser.press("d")
        assert (ground() < 300) == (scheme == "dark")


_RATIOS = """(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgb = (...colours) => {
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => colour.map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = (e) =>
    e ? [...grounds(e.parentElement), getComputedStyle(e).backgroundColor] : [];
  const ratio = (e, pseudo) => {
    const under = grounds(e);
    if (pseudo) under.push(getComputedStyle(e, pseudo).backgroundColor);
    const [a, b] = [rgb(...under, getComputedStyle(e, pseudo).color), rgb(...under)].map(light);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const parts = 'h1, .facts, figcaption, .axis, summary, summary small, .go span, .go small,'
    + ' button, #path, dt, dd, #flags li, #embedded, .added, h3 small, .leaf, a, td, th, output,'
    + ' tbody bdi, input, label, .hint, #handed, .path, .cite, .passage';
  const found = [...document.querySelectorAll(parts)].filter(e => e.checkVisibility())
    .map(e => [e.id || e.className || e.tagName, ratio(e)]);
  const marks = [...document.querySelectorAll('.leaf')].map(e => ['number', ratio(e, '::before')]);
  const beside = [...document.querySelectorAll('[data-above], [data-below]')]
    .map(e => ['embedded', ratio(e, '::after')]);
  for (const [name, ranges] of CSS.highlights) {
    if (!ranges.size) continue;
    for (const e of document.querySelectorAll('.leaf, .passage')) {
      beside.push([name, ratio(e, `::highlight(${name})`)]);
    }
  }
  return [...found, ...marks, ...beside];
})()"""


@pytest.mark.parametrize("width", [1400, 380])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_in_an_index(browser: Browser, scheme: str, width: int) -> None:
    browser.media(scheme)
    browser.width(width)
    browser.open(index_of(TEAS | {"code.md": f"```\n{'x' * 900}\n```\n"}))
    browser.press("/", *"e")
    browser.ask("document.getElementById('asking').open = true")
    browser.one("#question").send_keys("milk and water", Keys.ENTER)
    ratios = browser.ask(_RATIOS)
    assert len(ratios) > 12
    assert {name for name, _ in ratios} >= {"A", "TH", "TD", "passage", "asked", "question"}
    assert [(name, ratio) for name, ratio in ratios if ratio < 4.5] == []


@pytest.mark.parametrize("width", [1400, 380])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough(browser: Browser, scheme: str, width: int) -> None:
    """All text has a contrast of 4.5 or more to what is under it (WCAG 2.2, 1.4.3).

    Beside the text of documents that of what is embedded, found, asked for, and of source code.
    """
    browser.media(scheme)
    browser.width(width)
    browser.open(to_html(TABLES if width == 1400 else SOURCE))
    browser.click(".leaf", 1)
    if browser.one("#context").get_attribute("aria-pressed") == "false":
        browser.press("e")
    browser.press("/", *"e")
    browser.ask("document.getElementById('asking').open = true")
    browser.one("#question").send_keys("which signal is a name", Keys.ENTER)
    ratios = browser.ask(_RATIOS)
    names = {name for name, _ in ratios}
    assert names >= {"embedded", "asked", "found", "passage", "handed", "number", "path"}
    assert ("keyword" in names) == (width != 1400 and LANGUAGE == "python")
    assert [(name, ratio) for name, ratio in ratios if ratio < 4.5] == []


@pytest.mark.parametrize("width", [1400, 700, 380])
def test_nothing_is_wider_than_the_window(browser: Browser, width: int) -> None:
    browser.width(width)
    browser.open(to_html(chunked(ALL + "\n\n" + "x" * 2000), "long-" * 60))
    browser.press("j")
    for element in ("document.documentElement", "document.querySelector('main')"):
        assert browser.ask(f"{element}.scrollWidth <= {element}.clientWidth")


@pytest.mark.parametrize("width", [1400, 700, 380])
def test_an_index_is_no_wider_than_the_window(browser: Browser, width: int) -> None:
    browser.width(width)
    browser.open(index_of({"long-" * 60: ALL, "y" * 300: f"# {'x' * 300}\n\nText.\n"}))
    browser.press("/", "x")
    document = "document.documentElement"
    assert browser.ask(f"{document}.scrollWidth <= {document}.clientWidth")


def test_in_a_narrow_window_the_contents_are_opened_and_closed(browser: Browser) -> None:
    browser.width(700)
    browser.open(to_html(HANDBOOK))
    assert not browser.one("#trees").is_displayed()
    browser.click("#trees-toggle")
    assert browser.one("#trees").is_displayed()
    browser.click("#outline .go", 3)
    assert not browser.one("#trees").is_displayed()
    assert len(browser.selected) == 1


def test_the_help(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK))
    browser.press("?")
    assert browser.one("#help").is_displayed()
    browser.press("j", Keys.ESCAPE)
    assert not browser.one("#help").is_displayed()
    assert browser.selected == []


def test_an_address_names_a_chunk(browser: Browser) -> None:
    browser.open(to_html(HANDBOOK), f"#c-{HANDBOOK.get_leaves()[20].chunk_id}")
    assert browser.selected == [20]
    assert is_in_sight(browser, 20)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_that_a_document_brings_runs(browser: Browser, name: str) -> None:
    result = chunked(DOCUMENTS[name])
    browser.open(to_html(result, PAYLOADS[name]))
    leaves = result.get_leaves()
    for _ in leaves:
        browser.press("j")
    browser.click("nav summary", 1)
    assert browser.ask("window.harmed") is None
    assert len(browser.all(".leaf")) == len(leaves)
    assert browser.selected == [len(leaves) - 1]
    assert not browser.all("img, a, base, iframe, object, #source script, aside script")
    assert browser.ask("document.scripts.length") == 2


def test_the_index(browser: Browser) -> None:
    browser.open(index_html([Entry.of("a b.html", PAYLOADS["script"], chunked(ALL))]))
    assert browser.one("a").text == PAYLOADS["script"]
    assert browser.one("a").get_attribute("href").endswith("/a%20b.html")  # type: ignore[union-attr]
    assert browser.ask("window.harmed") is None


def index_of(documents: dict[str, str]) -> str:
    """Return an index of documents, without their pages."""
    return index_html(
        Entry.of(f"page-{number}.html", name, chunked(text))
        for number, (name, text) in enumerate(documents.items())
    )


TEAS = {
    "tea/green.md": "# Green tea\n\nMild.\n\n## Water\n\nUse 80 degrees.\n",
    "tea/black.md": "# Black tea\n\nStrong.\n\n## Water\n\nLet it boil.\n\n## Milk\n\nIf any.\n",
    "Cups.md": "# Cups\n\n" + "".join(f"## Cup {n}\n\nOf clay.\n\n" for n in range(8)),
}


def shown_in(browser: Browser) -> list[str]:
    """Return the visible links of an index."""
    return [link.text for link in browser.all("a") if link.is_displayed()]


def test_the_index_is_searched(browser: Browser) -> None:
    """Names, titles and headings; all words must be there, and totals are of what is shown."""
    browser.open(index_of(TEAS))
    assert shown_in(browser) == ["Cups.md", "tea/black.md", "tea/green.md"]
    browser.press("/", *"wAter")
    assert shown_in(browser) == ["tea/black.md", "Water", "tea/green.md", "Water"]
    assert browser.one("#found").text == "2 found"
    total = [cell.text for cell in browser.all("#total > *")]
    size = len(TEAS["tea/green.md"]) + len(TEAS["tea/black.md"])
    assert total[:2] == ["2 of 3 documents", str(size)]
    browser.press(*" blac")
    assert shown_in(browser) == ["tea/black.md", "Water"]
    browser.press(Keys.ESCAPE)
    assert len(shown_in(browser)) == 3
    assert browser.one("#total > *").text == "3 documents"
    browser.press(*"cup")
    headings = ["Cups", "Cup 0", "Cup 1", "Cup 2", "Cup 3"]
    assert shown_in(browser) == ["Cups.md", *headings]
    assert "… and 4 more" in browser.one("tbody").text
    browser.press(*"board")
    assert shown_in(browser) == []
    assert browser.one("#found").text == "0 found"


def test_the_index_leads_to_chunks_by_keys(browser: Browser) -> None:
    browser.open(index_of(TEAS))
    result = chunked(TEAS["tea/black.md"])
    (leaf,) = (leaf for leaf in result.get_leaves() if "## Milk" in leaf.text)
    browser.press("/", *"milk", Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    focused = browser.ask("[document.activeElement.textContent, document.activeElement.href]")
    assert focused[0] == "Milk"
    assert focused[1].endswith(f"/page-1.html#c-{leaf.chunk_id}")
    browser.press(Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP)
    assert browser.ask("document.activeElement.id") == "query"
    page = to_html(result, index="page.html")
    (browser.folder / "page-1.html").write_text(page, encoding="utf-8")
    browser.press(Keys.ENTER)
    assert browser.chrome.current_url.endswith("/page-1.html")
    browser.click("header a")
    assert browser.chrome.current_url.endswith("/page.html")


def test_an_index_without_documents_of_headings(browser: Browser) -> None:
    browser.open(index_of({"a.txt": "", "b.md": "Text."}))
    browser.press("/", *"b.m")
    assert shown_in(browser) == ["b.md"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_runs_in_an_index(browser: Browser, name: str) -> None:
    browser.open(index_of({PAYLOADS[name]: DOCUMENTS[name]}))
    browser.press("/", "a", Keys.BACKSPACE, "e")
    assert browser.ask("window.harmed") is None
    assert not browser.all("img, base, iframe, object, svg, main script, main style")
    assert all(".html" in str(link.get_attribute("href")) for link in browser.all("a"))


def test_two_megabytes(browser: Browser) -> None:
    """A page of 2 MB of Markdown opens, and what is far down is selected and in sight."""
    sections = (
        f"## Section {n}\n\n" + f"The {n}th gauge was read twice, and nobody wrote it down. " * 11
        for n in range(3300)
    )
    text = "# Log\n\n" + "\n\n".join(sections)
    result = MarkdownChunker().chunk_hierarchical(text)
    html = to_html(result, "log.md")
    leaves = result.get_leaves()
    assert len(text) > 2_000_000
    assert len(leaves) >= 2500
    assert len(html) < 3 * len(text)
    browser.open(html)
    assert browser.ask("document.querySelectorAll('.leaf').length") == len(leaves)
    browser.press(Keys.END)
    assert browser.selected == [len(leaves) - 1]
    assert is_in_sight(browser, len(leaves) - 1)
    middle = next(at for at, leaf in enumerate(leaves) if "## Section 1700\n" in leaf.text)
    browser.press("/", *"section 1700\n", Keys.ENTER)
    assert browser.selected == [middle]
    assert is_in_sight(browser, middle)
