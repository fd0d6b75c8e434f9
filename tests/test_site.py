"""The site of the documentation in a browser: read on a phone, in the dark, by keys, offline."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from tests import corpora

if not os.environ.get("CI"):  # where what is absent is an error
    pytest.importorskip("selenium")
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings")

from selenium.webdriver.common.keys import Keys

from tests.view.browser import Browser, needs_browser, prepared, started

DOCS = corpora.REPOSITORY / "docs"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DOCS.exists(), reason="there is no documentation"),
    *needs_browser,
]
PAGES = [path.stem for path in sorted(DOCS.glob("*.md"))]
DRAWINGS = [path.name for path in sorted((DOCS / "pictures").glob("*.svg"))]
CHECKS = corpora.read(Path(__file__).with_name("site_checks.js"))
PHONE, DESKTOP = 390, 1280
# What moves is in its last place, where colours are looked at.
_STILL = (
    "document.head.append(Object.assign(document.createElement('style'),"
    " {textContent: '*, *::before, *::after {transition: none !important}'}))"
)
# What is typed, and the page that is found first.
QUERIES = {
    "parquet": "scale.html",
    "max_chunk_size": "configuration.html",
    "auto-merging": "llamaindex.html",
    "spark": "scale.html",
    "notebook": "formats_notebooks.html",
    "propagate_scores": "reference.html",
    "RecursiveCharacterTextSplitter": "migration.html",
    "custom": "plugins.html",
    "callout": "plugins.html",
    "evaluation": "evaluation.html",
    "license": "dependencies.html",
}


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Log nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=corpora.REPOSITORY,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site, and return its address."""
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    yield from started(tmp_path_factory.mktemp("browser"))


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    """Use the one browser; after each test its console must be empty."""
    yield from prepared(running)


def found_by(browser: Browser, check: str, *arguments: object) -> list[str]:
    """Return what one of the checks finds wrong with the page that is open."""
    found = browser.chrome.execute_script(f"{CHECKS}\nreturn {check}(...arguments);", *arguments)
    assert isinstance(found, list)
    return found


def colour_scheme(browser: Browser, scheme: str) -> None:
    """Set the colours of the page: `default` or `slate`."""
    browser.ask("document.body.dataset.mdColorScheme = arguments[0]", scheme)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read(browser: Browser, address: str, page: str) -> None:
    """On a phone and a desktop, in both colour schemes, by eye and by ear, without the network."""
    browser.width(PHONE)
    browser.chrome.get(f"{address}{page}.html")
    browser.ask(_STILL)
    assert found_by(browser, "wideParts") == []
    assert found_by(browser, "badHeadings") == []
    assert found_by(browser, "badImages") == []
    assert found_by(browser, "foreignResources", address) == []
    for width in (PHONE, DESKTOP):
        browser.width(width)
        for scheme in ("default", "slate"):
            colour_scheme(browser, scheme)
            assert found_by(browser, "faintTexts") == [], (width, scheme)
    browser.press(Keys.TAB)  # so that the focus counts as that of keys
    assert found_by(browser, "badFocus") == []


@pytest.mark.parametrize("drawing", DRAWINGS)
def test_a_drawing_can_be_read(browser: Browser, drawing: str) -> None:
    browser.chrome.get((DOCS / "pictures" / drawing).as_uri())
    assert browser.ask("document.querySelectorAll('text').length") > 0
    assert found_by(browser, "faintDrawnTexts") == []


def test_drawings_are_large_enough_on_a_phone(browser: Browser, address: str) -> None:
    """They are about as large as they are drawn, and so is their text."""
    browser.width(PHONE)
    for page in ("index", "concepts", "configuration"):
        browser.chrome.get(f"{address}{page}.html")
        scales = browser.ask(
            "[...document.querySelectorAll('article img')]"
            ".map(image => image.getBoundingClientRect().width / image.naturalWidth)"
        )
        assert len(scales) > 2
        assert min(scales) > 0.95


def test_a_card_leads_somewhere_wherever_it_is_pressed(browser: Browser, address: str) -> None:
    """To the page of its first link; its other links lead to their own."""
    browser.width(DESKTOP)
    browser.chrome.get(f"{address}index.html")
    assert browser.ask("document.querySelectorAll('.grid.cards li').length") > 5
    assert found_by(browser, "deadCards") == []


def test_what_is_copied_of_a_session_is_its_code(browser: Browser, address: str) -> None:
    browser.chrome.get(f"{address}quick_start.html")
    copied = found_by(browser, "copiedSessions")
    assert len(copied) > 1
    for text in copied:
        assert ">>>" not in text
        compile(text, "copied", "exec")


_WRONG = """<!doctype html><title>Wrong</title><style>a:focus {outline: none}</style>
<article><h1>One</h1><h3>Three</h3><p style="color: #999">Faint.</p>
<p style="width: 3000px">Wide.</p><img src="pictures/none.svg"><a href="#a"></a></article>"""


def test_checks_find_what_is_wrong(running: Browser, address: str, site: Path) -> None:
    """Each check of a page complains about a page with its fault."""
    running.width(PHONE)
    (site / "wrong.html").write_text(_WRONG, encoding="utf-8")
    running.chrome.get(f"{address}wrong.html")
    running.press(Keys.TAB)
    assert found_by(running, "wideParts") == ["the page", 'p. "Wide."']
    assert found_by(running, "faintTexts") == ['2.85 p. "Faint."']
    assert found_by(running, "badHeadings") == ['h3. "Three"']
    assert len(found_by(running, "badImages")) == 1
    foreign = found_by(running, "foreignResources", "http://elsewhere/")
    assert f"{address}pictures/none.svg" in foreign
    assert found_by(running, "badFocus") == ['no name: a. ""', 'not seen: a. ""']
    assert running.complaints
    running.open('<svg><text y="20" fill="#999">Faint</text></svg>')
    assert len(found_by(running, "faintDrawnTexts")) == 1


def test_the_colours_are_those_of_the_system(browser: Browser, address: str) -> None:
    for media, scheme in (("light", "default"), ("dark", "slate")):
        browser.media(media)
        browser.chrome.get(f"{address}index.html")
        assert browser.ask("document.body.dataset.mdColorScheme") == scheme


def focused(browser: Browser) -> str:
    """Return the classes of what has the focus, the link that it is, or its element."""
    return str(
        browser.ask(
            "(e => e.className.replace(/\\s*focus-visible/, '') || e.getAttribute('href')"
            " || e.localName)(document.activeElement)"
        )
    )


def test_everything_is_reached_by_keys(browser: Browser, address: str) -> None:
    """First the content, then search, the tabs, the pages of a tab, text and copy buttons."""
    browser.width(DESKTOP)
    browser.chrome.get(f"{address}quick_start.html")
    reached: list[str] = []
    while "md-footer__link md-footer__link--next" not in reached:
        browser.press(Keys.TAB)
        name = focused(browser)
        assert len(reached) < 120, f"{name} after {reached}"
        reached.append(name)
    kinds = ["md-skip", "md-search__input", "md-tabs__link", "md-nav__link"]
    assert sorted(kinds, key=reached.index) == kinds
    copies = browser.ask("document.querySelectorAll('article pre').length")
    assert sum("md-code__button" in name or "md-clipboard" in name for name in reached) == copies
    links = browser.all("article p a, article li a")
    hrefs = {str(link.get_dom_attribute("href")) for link in links}
    assert hrefs <= set(reached)


def test_the_skip_link_leads_to_the_content(browser: Browser, address: str) -> None:
    browser.chrome.get(f"{address}concepts.html")
    browser.press(Keys.TAB)
    assert focused(browser) == "md-skip"
    browser.press(Keys.ENTER)
    target = browser.ask("document.querySelector(location.hash)?.closest('article') != null")
    assert target is True


@pytest.mark.parametrize(
    ("query", "is_served"),
    [*((query, True) for query in QUERIES), ("parquet", False), ("auto-merging", False)],
)
def test_search_finds(
    browser: Browser, address: str, site: Path, query: str, *, is_served: bool
) -> None:
    """From a server and, with a frame in place of a worker, from files."""
    browser.chrome.get(f"{address if is_served else site.as_uri() + '/'}index.html")
    browser.press("/", query)
    first = "document.querySelector('.md-search-result__link')?.pathname.split('/').at(-1)"
    browser.wait_for(f"{first} === '{QUERIES[query]}'")


def test_the_header_says_the_version(site: Path) -> None:
    """That of pyproject.toml, on each page and in its title."""
    project = tomllib.loads(corpora.read(corpora.REPOSITORY / "pyproject.toml"))["project"]
    for page in PAGES:
        html = corpora.read(site / f"{page}.html")
        assert re.search(rf"<title>.*Chunkana {re.escape(project['version'])}</title>", html)
        assert re.search(rf'"md-ellipsis">\s*Chunkana {re.escape(project["version"])}\s*<', html)


class Links(HTMLParser):
    """Where a page leads, and the places in it that can be led to."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.ids = {""}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note addresses and ids."""
        del tag
        for key, value in attrs:
            if key in {"href", "src"} and value:
                self.targets.append(value)
            elif key == "id" and value:
                self.ids.add(value)


def test_links_lead_somewhere(site: Path) -> None:
    """Each link within the site is to a file, and to a place in it that exists."""
    pages = {f"{page}.html": Links(corpora.read(site / f"{page}.html")) for page in PAGES}
    links = {(page, target) for page, links in pages.items() for target in links.targets}
    assert len(links) > 500
    for page, target in links:
        parts = urlsplit(urljoin(page, target))
        path = unquote(parts.path)
        if parts.scheme or path == ".":
            continue
        assert (site / path).is_file(), f"{page} links to {target}"
        if path in pages:
            assert unquote(parts.fragment) in pages[path].ids, f"{page} links to {target}"


def test_pages_are_in_the_navigation(site: Path) -> None:
    """All of them, and the site is whole without anything from elsewhere."""
    first = Links(corpora.read(site / "index.html"))
    assert {f"{page}.html" for page in PAGES} <= {urlsplit(link).path for link in first.targets}
    for page in PAGES:
        html = corpora.read(site / f"{page}.html")
        assert not re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="https?://[^"]+"', html)
