"""Render HTML from templates, style and script; text of documents is always escaped."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from chunkana_core import Chunk, HierarchicalChunkingResult
from chunkana_view import labels
from chunkana_view.display_text import display, on_one_line, title_of
from chunkana_view.index import Entry, address_of, collect_entries, index_details, is_askable
from chunkana_view.page import details, page_of
from chunkana_view.trees import nested, outline

_MAX_ROWS = 30  # of tables in notebooks
_FIRST_WORDS = 60  # code points
_MAX_CONTENT = 10_000  # code points of a chunk in a notebook
# Only these characters could end a script element, open a comment in it, or end a line.
_SCRIPT_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}

_PAGE_STYLE, _INDEX_STYLE = ("common.css", "page.css"), ("common.css", "index.css")
_PAGE_SCRIPT = (
    "elements.js", "words.js", "lexical.js", "asking.js", "tree.js", "page.js",
)  # fmt: skip
_INDEX_SCRIPT = ("elements.js", "words.js", "lexical.js", "asking.js", "index.js")
_ASSETS = files("chunkana_view") / "assets"
_ENVIRONMENT = Environment(
    loader=PackageLoader("chunkana_view"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals |= {name: getattr(labels, name) for name in ("counted", "lines_of", "type_of")}
_ENVIRONMENT.filters |= {"display": display, "on_one_line": on_one_line, "title_of": title_of}


def to_html(result: HierarchicalChunkingResult, name: str = "", index: str = "") -> str:
    """Return an HTML page that shows the chunks in the source, their tree and their sizes.

    The page is self-contained, and no code in the document can run.

    Args:
        result: the chunks of a document.
        name: the name of the document, such as its file name.
        index: the file name of an index in the same folder to link to, "" for none.
    """
    page = page_of(result, name)
    style, script = _read_assets(*_PAGE_STYLE), _read_assets(*_PAGE_SCRIPT)
    return _ENVIRONMENT.get_template("page.html.jinja").render(
        page=page,
        index=index and address_of(index),
        policy=_policy(style, script),
        style=style,
        script=script,
        details=_json(details(result, page)),
    )


def index_html(entries: Iterable[Entry]) -> str:
    """Return an HTML page with links to the pages of documents, sorted by name.

    The page shows sizes and totals, and searches in names, titles and headings.
    """
    style, script = _read_assets(*_INDEX_STYLE), _read_assets(*_INDEX_SCRIPT)
    listed = collect_entries(entries)
    return _ENVIRONMENT.get_template("index.html.jinja").render(
        entries=listed,
        is_askable=is_askable(listed),
        limits=sorted({entry.limit for entry in listed}),
        policy=_policy(style, script),
        style=style,
        script=script,
        details=_json(index_details(listed)),
    )


def result_fragment(result: HierarchicalChunkingResult) -> str:
    """Return a result as HTML for notebooks: the outline, and a table of the first leaves."""
    leaves = result.get_leaves()
    rows = outline(result) if leaves else ()
    return _ENVIRONMENT.get_template("result.html.jinja").render(
        title=title_of(result.title) or "Document",
        result=result,
        outline=nested(rows[:_MAX_ROWS]),
        headings=len(rows),
        leaves=[
            (
                chunk,
                title_of(" > ".join(labels.titles_of(chunk, result.title))),
                labels.flags_of(chunk),
                _first_words(chunk),
            )
            for chunk in leaves[:_MAX_ROWS]
        ],
        count=len(leaves),
        most=_MAX_ROWS,
    )


def chunk_fragment(chunk: Chunk) -> str:
    """Return a chunk as HTML for notebooks: its properties, and its content or the start of it."""
    return _ENVIRONMENT.get_template("chunk.html.jinja").render(
        chunk=chunk,
        level=labels.level_of(chunk),
        flags=labels.flags_of(chunk),
        content=chunk.content[:_MAX_CONTENT],
        left_out=max(0, len(chunk.content) - _MAX_CONTENT),
    )


def _read_assets(*names: str) -> Markup:
    """Join asset files of this package, which are inserted into the page without escaping."""
    texts = (_ASSETS.joinpath(name).read_text(encoding="utf-8") for name in names)
    return Markup("".join(texts))  # noqa: S704 - files of this package


def _policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy that allows only the page's own style and script."""
    return (
        f"default-src 'none'; script-src {_hashed(script)}; style-src {_hashed(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hashed(text: str) -> str:
    """Return the hash of a text as a source expression of a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _json(value: object) -> Markup:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.translate(_SCRIPT_ESCAPES))  # noqa: S704 - nothing left to escape


def _first_words(chunk: Chunk) -> str:
    words = on_one_line(chunk.text)
    return words if len(words) <= _FIRST_WORDS else f"{words[:_FIRST_WORDS]}…"
