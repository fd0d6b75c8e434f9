"""Mkdocs hooks of the site: the version, interactive examples and drawings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_SESSION = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Append the version of pyproject.toml to the name of the site."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    config.site_name = f"{config.site_name} {project['version']}"
    return config


def on_page_markdown(markdown: str, **_: object) -> str:
    """Mark examples with prompts as `pycon`, so that prompts and output are highlighted."""
    return _SESSION.sub("```pycon\n", markdown)


def on_page_content(html: str, **_: object) -> str:
    """Add a class to paragraphs with a drawing: a CSS selector with `:has` is slow."""
    return html.replace("<p><img", '<p class="drawing"><img')
