"""The table of formats: their names, file suffixes, media types and parsers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.util import find_spec
from os import PathLike
from pathlib import PurePath

from chunkana_core.config import AUTO
from chunkana_core.document.document import Document
from chunkana_core.errors import ConfigurationError, require_str, require_type
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.markdown.grammar import require_plugins
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.notebook import parse_notebook
from chunkana_core.formats.plain import parse_text

AnyPath = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Format:
    """A document format and its parser.

    Attributes:
        name: the name, for the argument `format`.
        parse: parses any `str` to a document, or returns None if the text is not of this format,
            such as JSON that does not load.
        suffixes: file suffixes in lower case, such as ".md".
        media_types: media types, such as "text/markdown".
        extra: the extra of this package that the parser needs, "" for none.
        module: a module that the extra installs, "" for none.
    """

    name: str
    parse: Callable[[str], Document | None]
    suffixes: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    extra: str = ""
    module: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the extra that the parser needs is installed."""
        return not self.module or find_spec(self.module) is not None

    def document(self, text: str, otherwise: Format | None = None) -> Document:
        """Parse a text.

        Args:
            text: the text.
            otherwise: the format to parse with if the text is not of this format; None for plain
                text.

        Raises:
            ImportError: if the extra that the parser needs is not installed.
        """
        if not self.is_installed:
            install = f'pip install "chunkana-rag[{self.extra}]"'
            message = f"format {self.name!r} needs {install}; without it there is format='markdown'"
            raise ImportError(message, name=self.module)
        found = self.parse(text)
        if found is None:
            found = TEXT.document(text) if otherwise is None else otherwise.document(text)
        return found


MARKDOWN = Format(
    "markdown",
    parse_markdown,
    (".md", ".markdown", ".mdown", ".mdx", ".mkd"),
    ("text/markdown", "text/x-markdown"),
)
TEXT = Format("text", parse_text, (".txt", ".text", ".log"), ("text/plain",))


def _parse_json(text: str) -> Document | None:
    """Parse JSON; tree-sitter is imported at the first call."""
    from chunkana_core.formats.code.parser import parse_json  # noqa: PLC0415  of an extra

    return parse_json(text)


def _parse_code(text: str, language: str) -> Document:
    """Parse source code; tree-sitter is imported at the first call."""
    from chunkana_core.formats.code.parser import parse_code  # noqa: PLC0415  of an extra

    return parse_code(text, language)


JSON = Format(
    "json",
    _parse_json,
    (".json", ".jsonl", ".ndjson", ".jsonc", ".geojson"),
    ("application/json", "application/jsonl", "application/x-ndjson", "application/geo+json"),
    extra="code",
    module="tree_sitter",
)
CODE = tuple(
    Format(
        language.name,
        partial(_parse_code, language=language.name),
        language.suffixes,
        language.media_types,
        extra="code",
        module="tree_sitter",
    )
    for language in LANGUAGES.values()
)
NOTEBOOK = Format(
    "notebook",
    partial(parse_notebook, parse_code=_parse_code),
    (".ipynb",),
    ("application/x-ipynb+json",),
    extra="code",
    module="tree_sitter",
)
_BUILT_IN = (MARKDOWN, TEXT, JSON, *CODE, NOTEBOOK)


@lru_cache(maxsize=64)
def _built_in(plugins: tuple[BlockRule, ...]) -> tuple[Format, ...]:
    """Return the built-in formats; the plugins apply to Markdown and to cells of notebooks."""
    if not plugins:
        return _BUILT_IN
    parse_cells = partial(parse_notebook, parse_code=_parse_code, plugins=plugins)
    markdown = replace(MARKDOWN, parse=partial(parse_markdown, plugins=plugins))
    return (markdown, *_BUILT_IN[1:-1], replace(NOTEBOOK, parse=parse_cells))


@dataclass(frozen=True, slots=True)
class FormatSelector:
    """Selects a format by its name or by a path.

    Attributes:
        registered: the user's formats; they replace built-in formats of the same name.
        plugins: the user's block rules for the built-in Markdown.
    """

    registered: tuple[Format, ...] = ()
    plugins: tuple[BlockRule, ...] = ()

    @classmethod
    def of(cls, registered: Iterable[Format], plugins: Iterable[BlockRule] = ()) -> FormatSelector:
        """Return a selector of formats and plugins; raise an error if one is invalid."""
        require_type("formats", registered, Iterable, "an iterable of formats")
        given = tuple(registered)
        for value in given:
            require_type("formats", value, Format, "instances of Format")
        return cls(given, require_plugins(plugins))

    @property
    def markdown(self) -> Format:
        """The built-in Markdown format, with the plugins."""
        return _built_in(self.plugins)[0]

    @property
    def available(self) -> dict[str, Format]:
        """All formats, by name."""
        return {found.name: found for found in (*_built_in(self.plugins), *self.registered)}

    def select(self, name: str, path: AnyPath | None = None, field: str = "format") -> Format:
        """Return the format with a name; for "auto" the format of a path, Markdown if unknown.

        Raises:
            ConfigurationError: if no format has the name.
        """
        require_str(field, name)
        if name == AUTO:
            return self.of_path(path) or self.available[MARKDOWN.name]
        if name not in self.available:
            raise ConfigurationError(field, name, ", ".join([AUTO, *self.available]))
        return self.available[name]

    def of_path(self, path: AnyPath | None) -> Format | None:
        """Return the format of a path (by its suffix) or of a media type, None if unknown."""
        if path is None:
            return None
        require_type("path", path, (str, PathLike), "None, a path or a media type")
        media_type = str(path).partition(";")[0].strip().lower()
        suffix = PurePath(path).suffix.lower()
        for found in reversed(self.available.values()):  # the user's formats first
            if suffix in found.suffixes or media_type in found.media_types:
                return found
        return None


def parse_document(
    text: str,
    format: str = AUTO,  # noqa: A002 -- the name of this option everywhere
    path: AnyPath | None = None,
    formats: Iterable[Format] = (),
    plugins: Iterable[BlockRule] = (),
) -> Document:
    r"""Parse a text of any format to a document with blocks and sections.

    Args:
        text: the text of the document.
        format: the name of a format, or "auto" for the format of `path`, Markdown if unknown.
        path: the document's path, whose suffix selects the format, or a media type.
        formats: the user's formats, in addition to the built-in ones.
        plugins: the user's block rules for Markdown.

    Raises:
        ConfigurationError: for an unknown format, and for plugins that would never be called.
        ImportError: if the extra that the format needs is not installed.

    >>> [section.path for section in parse_document("# Tea\n\n## Green\n").sections]
    [(), ('Tea',), ('Tea', 'Green')]
    """
    require_str("text", text)
    return FormatSelector.of(formats, plugins).select(format, path).document(text)


def format_of(path: AnyPath) -> str | None:
    """Return the name of the format of a path (by its suffix) or of a media type, None if unknown.

    The extra that the format needs may not be installed; see `format_names`.

    >>> format_of("docs/README.md"), format_of("text/plain; charset=utf-8"), format_of("LICENSE")
    ('markdown', 'text', None)
    """
    found = FormatSelector().of_path(path)
    return None if found is None else found.name


def format_names() -> list[str]:
    """Return the names of the built-in formats whose extra is installed.

    >>> format_names()[:2]
    ['markdown', 'text']
    """
    return [found.name for found in _BUILT_IN if found.is_installed]
