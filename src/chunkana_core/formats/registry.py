"""The table of formats: their names, file suffixes, media types and parsers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from importlib.util import find_spec
from os import PathLike

from chunkana_core.arguments import require_each, require_type
from chunkana_core.config import AUTO
from chunkana_core.document.document import Document
from chunkana_core.errors import ConfigurationError
from chunkana_core.formats.code.languages.table import LANGUAGES
from chunkana_core.formats.markdown.grammar import require_plugins
from chunkana_core.formats.markdown.parser import parse_markdown
from chunkana_core.formats.markdown.rule_table import BlockRule
from chunkana_core.formats.notebook import parse_notebook
from chunkana_core.formats.plain import parse_text
from chunkana_core.text.file_names import AnyPath, file_name, is_file_suffix, suffix_of

# Suffixes of files that loaders convert to Markdown or to text with much of its markup.
_CONVERTED = frozenset(
    {".doc", ".docx", ".epub", ".htm", ".html", ".odp", ".ods", ".odt", ".pdf", ".ppt", ".pptx",
     ".rtf", ".xhtml", ".xls", ".xlsx"}
)  # fmt: skip
# Files without a suffix whose formats are none of those below.
_FILE_NAMES = frozenset(
    {"BUILD", "Brewfile", "Caddyfile", "Containerfile", "Dockerfile", "GNUmakefile", "Gemfile",
     "Jenkinsfile", "Justfile", "Kconfig", "Makefile", "Pipfile", "Podfile", "Procfile", "Rakefile",
     "SConstruct", "Tiltfile", "Vagrantfile", "WORKSPACE", "justfile", "makefile"}
)  # fmt: skip


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
        file_names: names of files without a suffix, such as "LICENSE".
    """

    name: str
    parse: Callable[[str], Document | None]
    suffixes: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    extra: str = ""
    module: str = ""
    file_names: tuple[str, ...] = ()

    @property
    def is_installed(self) -> bool:
        """Whether the extra that the parser needs is installed."""
        return not self.module or find_spec(self.module) is not None

    def document(self, text: str, fallback: Format | None = None) -> Document:
        """Parse a text.

        Args:
            text: the text.
            fallback: the format to parse with if the text is not of this format; None for plain
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
            found = TEXT.document(text) if fallback is None else fallback.document(text)
        return found


MARKDOWN = Format(
    "markdown",
    parse_markdown,
    (".md", ".markdown", ".mdown", ".mdx", ".mkd"),
    ("text/markdown", "text/x-markdown"),
)
TEXT = Format(
    "text",
    parse_text,
    (".txt", ".text", ".log"),
    ("text/plain",),
    file_names=("AUTHORS", "CODEOWNERS", "CONTRIBUTORS", "COPYING", "COPYRIGHT", "LICENCE",
                "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "MAINTAINERS", "NOTICE", "PATENTS"),
)  # fmt: skip


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


HEADED_FORMATS = frozenset({MARKDOWN.name, NOTEBOOK.name})
"""The names of the built-in formats with headings, whose documents may have a title."""
PROSE_FORMATS = HEADED_FORMATS | {TEXT.name}
"""The names of the built-in formats other than code and data."""


@lru_cache(maxsize=64)
def _built_in(plugins: tuple[BlockRule, ...]) -> tuple[Format, ...]:
    """Return the built-in formats; the plugins apply to Markdown and to cells of notebooks."""
    if not plugins:
        return _BUILT_IN
    parse_cells = partial(parse_notebook, parse_code=_parse_code, plugins=plugins)
    with_plugins = {
        MARKDOWN.name: replace(MARKDOWN, parse=partial(parse_markdown, plugins=plugins)),
        NOTEBOOK.name: replace(NOTEBOOK, parse=parse_cells),
    }
    return tuple(with_plugins.get(found.name, found) for found in _BUILT_IN)


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
        return cls(tuple(require_each("formats", registered, Format)), require_plugins(plugins))

    @property
    def markdown(self) -> Format:
        """The built-in Markdown format, with the plugins."""
        return _built_in(self.plugins)[0]

    @property
    def available(self) -> dict[str, Format]:
        """All formats, by name."""
        return {found.name: found for found in (*_built_in(self.plugins), *self.registered)}

    def named(self, name: str, field: str = "format") -> Format:
        """Return the format with a name; raise a ConfigurationError if there is none."""
        require_type(field, name, str)
        known = self.available
        if name not in known:
            automatic = (AUTO,) if field == "format" else ()
            raise ConfigurationError(field, name, ", ".join([*automatic, *known]))
        return known[name]

    def select(self, name: str, path: AnyPath | None = None, fallback: Format = TEXT) -> Format:
        """Return the format with a name; for "auto" the format of a path.

        Args:
            name: the name of a format, or "auto".
            path: a path, a URL, a media type, or any other name of a document.
            fallback: the format of a path whose suffix or file name is of no known format.

        Raises:
            ConfigurationError: if no format has the name.
        """
        require_type("format", name, str)
        if name != AUTO:
            return self.named(name)
        found = self.of_path(path)
        return found or (fallback if unknown_file_type(path) else self.available[MARKDOWN.name])

    def of_path(self, path: AnyPath | None) -> Format | None:
        """Return the format that has a path's suffix, file name or media type, None if unknown."""
        if path is None:
            return None
        require_type("path", path, str | PathLike, "None, a path or a media type")
        media_type = str(path).partition(";")[0].strip().lower()
        suffix, name = suffix_of(path), file_name(path)
        for found in reversed(self.available.values()):  # the user's formats first
            if (
                suffix in found.suffixes
                or name in found.file_names
                or media_type in found.media_types
            ):
                return found
        return None


def registered_format_of(path: AnyPath) -> str | None:
    """Return the name of the built-in format of a path or media type, None if there is none.

    Formats are found by suffix, file name and media type.

    >>> [registered_format_of(path) for path in ("docs/README.md", "report.pdf", "tea.brew")]
    ['markdown', None, None]
    """
    found = FormatSelector().of_path(path)
    return None if found is None else found.name


def unknown_file_type(path: AnyPath | None) -> str:
    """Return the suffix or file name of a file of a format that is not built in, "" for all else.

    All else is text that is Markdown unless its format is known: what has no suffix, such as a web
    page, a title or an id, and what tools convert to Markdown, such as a PDF.

    >>> unknown_file_type("tea.brew"), unknown_file_type("src/Dockerfile")
    ('.brew', 'Dockerfile')
    >>> [unknown_file_type(path) for path in ("tea.pdf", "tea.md", "Tea")]
    ['', '', '']
    """
    if path is None or registered_format_of(path):
        return ""
    suffix, name = suffix_of(path), file_name(path)
    if name in _FILE_NAMES:
        return name
    return suffix if is_file_suffix(suffix) and suffix not in _CONVERTED else ""


def parse_document(  # noqa: PLR0913 -- the same arguments as chunking
    text: str,
    format: str = AUTO,  # noqa: A002 -- the name of this option everywhere
    path: AnyPath | None = None,
    *,
    formats: Iterable[Format] = (),
    plugins: Iterable[BlockRule] = (),
    fallback: str = TEXT.name,
) -> Document:
    r"""Parse a text of any format to a document with blocks and sections.

    Args:
        text: the text of the document.
        format: the name of a format, or "auto" for the format of `path`, Markdown without one.
        path: the document's path or URL, or a media type.
        formats: the user's formats, in addition to the built-in ones.
        plugins: the user's block rules for Markdown.
        fallback: the name of the format of other files, and of what is not valid in its format.

    Raises:
        ConfigurationError: for an unknown format, and for plugins that would never be called.
        ImportError: if the extra that the format needs is not installed.

    >>> [section.path for section in parse_document("# Tea\n\n## Green\n").sections]
    [(), ('Tea',), ('Tea', 'Green')]
    """
    require_type("text", text, str)
    selector = FormatSelector.of(formats, plugins)
    other = selector.named(fallback, "fallback")
    return selector.select(format, path, other).document(text, other)


def format_of(path: AnyPath) -> str:
    """Return the name of the format of a path, a URL or a media type.

    It follows from a known suffix, file name or media type. Other files are plain text; a name
    without a suffix, such as that of a web page, and files that tools convert to Markdown, such as
    PDF, are Markdown. The extra that the format needs may not be installed; see `format_names`.

    >>> [format_of(path) for path in ("docs/README.md", "LICENSE", "tea.brew", "text/x-python")]
    ['markdown', 'text', 'text', 'python']
    >>> [format_of(path) for path in ("https://example.com/docs/v1.2", "report.pdf", "Dr. Smith")]
    ['markdown', 'markdown', 'markdown']
    """
    return FormatSelector().select(AUTO, path).name


def format_names() -> list[str]:
    """Return the names of the built-in formats whose extra is installed.

    >>> format_names()[:2]
    ['markdown', 'text']
    """
    return [found.name for found in _BUILT_IN if found.is_installed]


def is_installed(name: str) -> bool:
    """Return whether a format is built in and its extra is installed."""
    return any(found.name == name and found.is_installed for found in _BUILT_IN)
