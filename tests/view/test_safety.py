"""Documents cannot inject markup, and the page loads and runs nothing else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

import pytest
from hypothesis import given, settings

from chunkana_core import ChunkConfig, MarkdownChunker
from chunkana_view import Entry, index_html, to_html
from tests.strategies import any_markdown
from tests.view.injections import ALL, DOCUMENTS, PAYLOADS
from tests.view.reading import Read, read

TEMPLATES = files("chunkana_view") / "templates"
ASSETS = files("chunkana_view") / "assets"
PAGE_SCRIPT = ("elements.js", "words.js", "lexical.js", "asking.js", "tree.js", "page.js")
INDEX_SCRIPT = ("elements.js", "words.js", "lexical.js", "asking.js", "index.js")
PLAIN = "# A\n\nText.\n\n## B\n\n```py\nx\n```\n"
KNOWN = {
    "lang", "charset", "http-equiv", "content", "name", "id", "class", "role", "type", "value",
    "placeholder", "autocomplete", "spellcheck", "title", "tabindex", "hidden", "open", "min",
    "viewbox", "preserveaspectratio", "x", "y", "width", "height", "x1", "x2", "y1", "y2", "method",
    "selected", "scope", "href", "max", "step", "novalidate",
}  # fmt: skip


def page_of(text: str, name: str = "") -> Read:
    config = ChunkConfig(max_chunk_size=200, atomic_blocks="split")
    return read(to_html(MarkdownChunker(config).chunk_hierarchical(text), name))


def hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def check_attributes(page: Read) -> None:
    for element in page.elements:
        for name in element.attributes:
            assert name in KNOWN or name.startswith(("aria-", "data-")), name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_adds_no_elements(name: str) -> None:
    page = page_of(DOCUMENTS[name], name=PAYLOADS[name])
    assert page.shape == page_of(PLAIN).shape
    check_attributes(page)
    inside = {e.attributes.get("role") for e in page.all("div") if "leaf" in e.classes}
    assert inside == {"article"}


@settings(max_examples=settings().max_examples // 3)  # reading a page costs more than making it
@given(any_markdown())
def test_no_markdown_adds_elements(text: str) -> None:
    page = page_of(text, name=text[:80])
    plain = page_of(PLAIN if page.leaves else "")
    assert page.shape == plain.shape
    check_attributes(page)


def test_the_template_language_of_a_document_stays_text() -> None:
    page = page_of(DOCUMENTS["template"])
    assert "{{ 7*7 }} {% for x in y %} {# c #} ${7*7}" in page.by_id("source").text


def test_the_policy_allows_what_is_inlined_and_nothing_else() -> None:
    page = page_of(ALL)
    (style,) = page.all("style")
    data, script = page.all("script")
    assert page.policy == {
        "default-src": ["'none'"],
        "script-src": [hashed(script.text)],
        "style-src": [hashed(style.text)],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    assert data.attributes["type"] == "application/json"
    assert style.text == asset("common.css") + asset("page.css")
    assert script.text == "".join(map(asset, PAGE_SCRIPT))


def test_the_data_cannot_end_their_element() -> None:
    text = page_of(ALL).by_id("chunks").text
    assert not set(text) & set("<>&\u2028\u2029")
    assert page_of(ALL).facts["chunks"]


@pytest.mark.parametrize("sign", "<>&\u2028\u2029")
def test_what_is_repeated_above_a_part_is_escaped_in_the_data(sign: str) -> None:
    """Header rows are in the data as they are written, unlike titles."""
    page = page_of(f"| a {sign} b |\n|---|\n" + "| some cell |\n" * 40)
    assert any(sign in chunk.get("above", "") for chunk in page.facts["chunks"])
    assert sign not in page.by_id("chunks").text


@pytest.mark.parametrize("word", ["innerHTML", "outerHTML", "insertAdjacent", "eval(", "</script",
                                  "document.write", "Function(", "fetch(", "href"])  # fmt: skip
def test_the_scripts_know_no_markup(word: str) -> None:
    scripts = [file for file in ASSETS.iterdir() if file.name.endswith(".js")]
    assert len(scripts) > 1
    assert not [file for file in scripts if word in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("word", ["url(", "@import", "</style", "expression("])
@pytest.mark.parametrize("sheet", ["common.css", "page.css", "index.css"])
def test_the_styles_load_nothing(word: str, sheet: str) -> None:
    assert word not in asset(sheet)


@pytest.mark.parametrize("template", ["page", "index", "asking", "result", "chunk"])
def test_the_templates_trust_nothing(template: str) -> None:
    text = (TEMPLATES / f"{template}.html.jinja").read_text(encoding="utf-8")
    assert not [word for word in ("|safe", "| safe", "autoescape", "javascript:") if word in text]


def test_the_index_links_to_its_pages_alone() -> None:
    names = [
        "a.html",
        "javascript:alert(1).html",
        "//harm.example.html",
        '"><script>.html',
        "\udcff",
    ]
    result = MarkdownChunker().chunk_hierarchical(ALL)
    page = read(index_html([Entry.of(name, f"<b>{name}", result) for name in names]))
    links = page.all("a")
    assert all(link.attributes["href"].startswith("./") for link in links)
    assert not any(sign in link.attributes["href"] for link in links for sign in ':"<>')
    assert {link.text for link in links} >= {f"<b>{name}" for name in names[:4]}
    assert not page.all("b")
    check_attributes(page)


def test_the_policy_of_the_index_allows_its_own_style_and_script() -> None:
    page = read(index_html([Entry.of("a.html", "a.md", MarkdownChunker().chunk_hierarchical(ALL))]))
    (style,) = page.all("style")
    data, script = page.all("script")
    assert page.policy["script-src"] == [hashed(script.text)]
    assert page.policy["style-src"] == [hashed(style.text)]
    assert page.policy["default-src"] == ["'none'"]
    assert not set(data.text) & set("<>&\u2028\u2029")
    assert (style.text, script.text) == (
        asset("common.css") + asset("index.css"),
        "".join(map(asset, INDEX_SCRIPT)),
    )
