"""What the site says beyond its pages: the version, and what is a drawing; mkdocs loads it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

_PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Append the version of pyproject.toml to the name of the site."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    config.site_name = f"{config.site_name} {project['version']}"
    return config


def on_page_content(html: str, **_: object) -> str:
    """Mark paragraphs that are drawings: a selector with `:has` makes large pages slow."""
    return html.replace("<p><img", '<p class="drawing"><img')
