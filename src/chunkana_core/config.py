"""Chunking options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from math import inf
from typing import Final, Literal

from chunkana_core.arguments import (
    require_callable,
    require_choice,
    require_number,
    require_size,
    require_type,
)
from chunkana_core.errors import ConfigurationError

LengthFunction = Callable[[str], int]
AUTO: Final = "auto"
_RANGES: Mapping[str, tuple[int, float]] = {
    "max_chunk_size": (32, inf),  # below it, not even a word and its header stack fit
    "overlap_size": (0, inf),
    "structure_threshold": (0, inf),
    "merge_boundary_level": (0, 6),
}
_FRACTIONS = {"code_threshold": 1.0, "oversize_tolerance": 1e9}
_CHOICES = {
    "atomic_blocks": ("keep", "split"),
    "code_cuts": ("lines", "syntax"),
    "validation": ("off", "warn", "strict"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkConfig:
    """Chunking options; sizes are in units of `length_function`, code points by default.

    Attributes:
        max_chunk_size: the largest size of a chunk's `embedded` text, at least 32.
        min_chunk_size: smaller drafts are merged with a neighbour under the same parent; None is
            `min(100, max_chunk_size // 4)`.
        overlap_size: the largest size of `previous_content` and `next_content`.
        length_function: returns the size of a text; it need not be additive.
        strategy: "auto" or the name of a registered strategy.
        code_threshold: the least `code_ratio` for which "auto" selects `code_aware`, 0.0 to 1.0.
            A single code block or table also selects it, so that in practice only 0 matters: it
            selects `code_aware` for documents without code or tables.
        structure_threshold: the least number of headings for which "auto" selects `structural`,
            which keeps sections apart; below it, `fallback` fills chunks across headings below H2.
        atomic_blocks: "keep" never splits code, tables and math, "split" splits what is too large.
        code_cuts: where to split fenced code: "lines" prefers blank lines, "syntax" prefers places
            between statements, in the languages of the extra `code`.
        oversize_tolerance: keeps a section whole up to `max_chunk_size * (1 + tolerance)`.
        merge_boundary_level: small drafts are not merged across headings of this level or above.
        min_content_after_header: parts with less text below their headings are avoided; None is
            `min(100, max_chunk_size // 4)`.
        include_document_summary: whether the root's content has a summary below the title.
        validation: "off", "warn" or "strict": what to do if chunks violate laws.
        debug: adds the result of validation to the metadata of every chunk.

    Raises:
        ConfigurationError: naming the field, the value and what is allowed.
        ImportError: for "syntax" without the extra `code`.

    >>> ChunkConfig(max_chunk_size=500).min_chunk
    100
    """

    max_chunk_size: int = 1000
    min_chunk_size: int | None = None
    overlap_size: int = 0
    length_function: LengthFunction = len
    strategy: str = AUTO
    code_threshold: float = 0.3
    structure_threshold: int = 3
    atomic_blocks: Literal["keep", "split"] = "keep"
    code_cuts: Literal["lines", "syntax"] = "lines"
    oversize_tolerance: float = 0.0
    merge_boundary_level: int = 2
    min_content_after_header: int | None = None
    include_document_summary: bool = True
    validation: Literal["off", "warn", "strict"] = "off"
    debug: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        for name, (least, most) in _RANGES.items():
            require_number(name, getattr(self, name), least, most, kind=int)
        for name, largest in _FRACTIONS.items():
            require_number(name, getattr(self, name), 0.0, largest, kind=int | float)
        for name in ("min_chunk_size", "min_content_after_header"):
            require_number(name, getattr(self, name), 0, self.max_chunk_size, kind=int | None)
        require_type("strategy", self.strategy, str, '"auto" or the name of a strategy')
        for name in ("include_document_summary", "debug"):
            require_type(name, getattr(self, name), bool)
        for name, choices in _CHOICES.items():
            require_choice(name, getattr(self, name), choices)
        if self.code_cuts == "syntax" and find_spec("tree_sitter") is None:
            install = 'pip install "chunkana-rag[code]"'
            raise ImportError(f"code_cuts='syntax' needs {install}", name="tree_sitter")
        allowed = "a callable that returns a whole number for a str"
        require_callable("length_function", self.length_function, allowed)
        self.size_of("")

    def size_of(self, text: str) -> int:
        """Return the size of a text by `length_function`.

        Raises:
            ConfigurationError: if that returns anything but a whole number of at least 0.
        """
        return require_size("length_function", self.length_function(text), text)

    @property
    def min_chunk(self) -> int:
        """`min_chunk_size`, or its default for None."""
        return self._or_default(self.min_chunk_size)

    @property
    def min_content(self) -> int:
        """`min_content_after_header`, or its default for None."""
        return self._or_default(self.min_content_after_header)

    def _or_default(self, minimum: int | None) -> int:
        return min(100, self.max_chunk_size // 4) if minimum is None else minimum

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a JSON-able dict, without `length_function`."""
        return {name: getattr(self, name) for name in _names()}

    @classmethod
    def from_dict(
        cls, options: Mapping[str, object], length_function: LengthFunction = len
    ) -> ChunkConfig:
        """Return a configuration from the result of `to_dict()`.

        Raises:
            ConfigurationError: for an unknown key or a value that is not allowed.
        """
        require_type("options", options, Mapping, "a mapping of options to values")
        for name, value in options.items():
            if name not in _names():
                raise ConfigurationError(name, value, ", ".join(sorted(_names())))
        return cls(**dict(options), length_function=length_function)  # type: ignore[arg-type]


def _names() -> list[str]:
    return [field.name for field in fields(ChunkConfig) if field.name != "length_function"]
