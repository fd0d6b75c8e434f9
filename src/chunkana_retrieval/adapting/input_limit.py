"""The length of text that an embedding model reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Final

from chunkana_retrieval.errors import warn
from chunkana_retrieval.index import DocumentRecord

_SPECIAL_TOKENS: Final = 2  # that a model adds to each text
_CHARACTERS_PER_TOKEN: Final = 4  # in alphabetic scripts
_IDEOGRAPH: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class InputLimit:
    """The largest number of tokens of a text that an embedding model reads.

    Attributes:
        tokens: the number of tokens; the model does not read what follows them.
        count: returns the number of tokens of a text.
    """

    tokens: int
    count: Callable[[str], int]

    @classmethod
    def of(cls, models: Iterable[object]) -> InputLimit | None:
        """Return the limit of the first object that has one, as models of sentence-transformers do.

        Tokens are counted by the object's tokenizer if it has one, and are estimated otherwise.
        """
        for model in models:
            for name in ("max_seq_length", "max_length"):
                tokens = getattr(model, name, None)
                if isinstance(tokens, int):
                    tokenize = getattr(getattr(model, "tokenizer", None), "tokenize", None)
                    return cls(tokens, _counter(tokenize) if tokenize else estimate_tokens)
        return None

    def is_exceeded_by(self, text: str) -> bool:
        """Return whether a text has more tokens than the model reads."""
        return len(text) + _SPECIAL_TOKENS > self.tokens and self.count(text) > self.tokens


def warn_of_long_texts(
    record: Callable[[str], DocumentRecord], limit: InputLimit | None, advice: str
) -> Callable[[str], DocumentRecord]:
    """Return a function that makes records, and warns of the first one with too long a text.

    Args:
        record: makes the record of the document with an id.
        limit: the limit of the embedded texts, None for none.
        advice: what the user may do, for the warning.
    """
    warned: list[str] = []

    def checked(name: str) -> DocumentRecord:
        made = record(name)
        texts = map(made.embedded, made.leaves)
        if limit and not warned and any(map(limit.is_exceeded_by, texts)):
            warned.append(name)
            size = f"the {limit.tokens} tokens that the embedding model reads"
            longer = f"has a chunk that is longer than {size}, so its end is not embedded"
            warn(f"{name!r} {longer}: {advice}")
        return made

    return checked


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: one for each ideograph or four other characters."""
    ideographs = len(_IDEOGRAPH.findall(text))
    return ideographs + ceil((len(text) - ideographs) / _CHARACTERS_PER_TOKEN) + _SPECIAL_TOKENS


def _counter(tokenize: Callable[[str], list[object]]) -> Callable[[str], int]:
    return lambda text: len(tokenize(text)) + _SPECIAL_TOKENS
