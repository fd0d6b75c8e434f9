"""Parse pages as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

_VOID = {"meta", "link", "input", "br", "img", "hr"}

Attributes = dict[str, str]


@dataclass
class Element:
    """An element, and the text directly in it and below it."""

    tag: str
    attributes: Attributes
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()


class Reader(HTMLParser):
    """Collects elements; all that are open get the text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop().tag == tag

    def handle_startendtag(self, tag: str, attrs: Iterable[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.parts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


@dataclass(frozen=True)
class Read:
    """The elements of a page."""

    elements: list[Element]

    def all(self, tag: str) -> list[Element]:
        return [element for element in self.elements if element.tag == tag]

    def by_id(self, name: str) -> Element:
        (found,) = (e for e in self.elements if e.attributes.get("id") == name)
        return found

    @property
    def leaves(self) -> list[Element]:
        return [element for element in self.elements if "leaf" in element.classes]

    @property
    def rows(self) -> list[list[str]]:
        """The texts of the cells of all tables, row by row."""
        rows: list[list[str]] = []
        for element in self.elements:
            if element.tag == "tr":
                rows.append([])
            elif element.tag in ("th", "td"):
                rows[-1].append(element.text)
        return rows

    @property
    def facts(self) -> dict[str, Any]:
        """What the script reads."""
        facts: dict[str, Any] = json.loads(self.by_id("chunks").text)
        return facts

    @property
    def shape(self) -> list[str]:
        """The elements that are the same for every document, in order."""
        varying = {"option", "div", "rect", "title", "bdi"}
        return [element.tag for element in self.elements if element.tag not in varying]

    @property
    def policy(self) -> dict[str, list[str]]:
        """The Content-Security-Policy: sources by directive."""
        (meta,) = (e for e in self.all("meta") if "http-equiv" in e.attributes)
        directives = (part.split() for part in meta.attributes["content"].split(";"))
        return {name: sources for name, *sources in directives}


def read(page: str) -> Read:
    """Parse a page, after checking that every element is closed and UTF-8 can encode it."""
    page.encode("utf-8")
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return Read(reader.elements)
