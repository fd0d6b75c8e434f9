"""Each page and notebook says how to install what its examples need, as long as no index has it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests import corpora
from tests.core.pages import PAGES

_EXAMPLE = re.compile(r"^```(?:python|pycon|py|console)$", re.MULTILINE)
_COMMAND = re.compile(r"(?<!%)pip install [^`\n]*")
_OF_A_CHECKOUT = re.compile(r"pip install \"?\.(?:/chunkana-rag)?[\[\" ]?")
_FROM_AN_INDEX = re.compile(r"(?<![/\w-])chunkana-rag")
_SAYS_ALL = {"README.md", "index.md"}  # how a checkout is got, and what messages mean
_LISTINGS = {"listing_langchain.md", "listing_llamaindex.md"}  # texts for after the first release
_FOR_DEVELOPERS = {"CONTRIBUTING.md", "testing.md"}
_WITH_EXAMPLES = [
    page
    for page in PAGES
    if _EXAMPLE.search(corpora.read(page)) and page.name not in _SAYS_ALL | _FOR_DEVELOPERS
]
_NOTEBOOKS = sorted((corpora.REPOSITORY / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", ["README.md", "docs/index.md"])
def test_where_one_starts_a_checkout_is_got_and_installed(name: str) -> None:
    page = corpora.read(corpora.REPOSITORY / name)
    clone = page.index("git clone https://github.com/chunkana/chunkana-rag")
    assert _OF_A_CHECKOUT.search(page, clone)
    assert "not on PyPI yet" in page
    assert "\n## Install\n" in page


@pytest.mark.parametrize("page", _WITH_EXAMPLES, ids=lambda page: page.name)
def test_a_page_with_examples_says_how_to_install_what_they_need(page: Path) -> None:
    """It says so above the first one, with a link to where a checkout is got."""
    text = corpora.read(page)
    first = _EXAMPLE.search(text)
    assert first is not None
    head = text[: first.start()]
    assert "[a checkout](index.md#install)" in head
    assert _OF_A_CHECKOUT.search(head)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_tells_nobody_to_install_from_an_index(page: Path) -> None:
    found = [x for x in _COMMAND.findall(corpora.read(page)) if _FROM_AN_INDEX.search(x)]
    assert len(found) == (page.name in _SAYS_ALL | _LISTINGS)  # the former quote messages


@pytest.mark.parametrize("path", _NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_says_how_to_install_what_it_needs(path: Path) -> None:
    first = "".join(json.loads(corpora.read(path))["cells"][0]["source"])
    (command,) = _COMMAND.findall(first)
    assert _OF_A_CHECKOUT.match(command)
    assert "in a checkout of github.com/chunkana/chunkana-rag" in command
