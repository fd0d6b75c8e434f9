"""Functions as fields: they have to survive processes, and to be told apart in cache keys."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Mapping, Sized
from hashlib import sha256
from typing import Annotated, Any, Final
from uuid import uuid4

from llama_index.core.node_parser.node_utils import default_id_func
from pydantic import BeforeValidator, PlainSerializer

from chunkana_core import InputTypeError
from chunkana_core.extending import BlockRule
from chunkana_retrieval.errors import warn

Named = Callable[..., Any] | BlockRule | str
_RUN: Final = uuid4().hex  # tells this process's functions from another's
_DIGEST = 16  # characters
_TOKENIZER = (
    "a function that returns the tokens of a text: tokenizer=encoding.encode, with "
    'encoding = tiktoken.get_encoding("cl100k_base")'
)
_NAME = re.compile(r"[^:]+:.+#[0-9a-f]+(?:-[0-9]+)?", re.DOTALL)  # as `name_of` makes it


def name_of(function: Named | None) -> str | None:
    """Return what tells a function or rule apart, in every process if it can be pickled."""
    if function is None or isinstance(function, str):
        return function
    module = getattr(function, "__module__", None) or type(function).__module__
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    pickled = _pickled(function)
    digest = sha256(pickled).hexdigest()[:_DIGEST] if pickled else f"{_RUN}-{id(function)}"
    return f"{module}:{name}#{digest}"


def _pickled(function: Named) -> bytes | None:
    """Return what a function or rule is sent to other processes as, None if it cannot be."""
    try:
        return pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None


# Functions and rules that parsers of this process have, by name. A name alone is not looked up in
# modules: a serialised parser may come from anywhere, and could name any function to be called.
_GIVEN: Final[dict[str, Named]] = {str(name_of(default_id_func)): default_id_func}


def _function(value: object) -> object:
    """Return a function or rule that this process knows by its name, or keep one for later."""
    return _known(value) if isinstance(value, str | BlockRule) or callable(value) else value


def _tokenizer(value: object) -> object:
    """Return a function as above; raise a ValueError that says where tokenizers have one."""
    is_named = isinstance(value, str) and _NAME.fullmatch(value)
    if value is None or is_named or callable(value):
        return _function(value)
    shown = repr(value) if isinstance(value, str | int | float) else type(value)
    raise ValueError(f"tokenizer is {shown}; allowed: None or {_TOKENIZER}")


def _known(value: Named) -> object:
    """Return what this process knows by its name, or keep something for later."""
    if isinstance(value, str):
        if value not in _GIVEN:
            raise ValueError(
                f"{value!r} cannot be found by its name; give the function itself, or the rule"
            )
        return _GIVEN[value]
    _GIVEN[str(name_of(value))] = value
    if _pickled(value) is None:
        warn(
            f"{value!r} cannot be pickled: worker processes would do without it, and so it is "
            "refused there; define it at the top level of a module"
        )
    return value


def _key_or_function(value: object) -> object:
    """Return a key as it is, and a function as above; functions' names do not look like keys."""
    is_key = isinstance(value, str) and not _NAME.fullmatch(value)
    return value if is_key else _function(value)


def token_count(tokenizer: Callable[[str], Any], text: str) -> int:
    """Return how many tokens a text has.

    Raises:
        InputTypeError: if the tokenizer returns no sequence.
    """
    tokens = tokenizer(text)
    if not isinstance(tokens, Sized) or isinstance(tokens, str | Mapping):
        returned = f"a text of {len(text)} characters"
        allowed = f"a sequence of tokens, of {_TOKENIZER}"
        raise InputTypeError("tokenizer", tokens, allowed, returned)
    return len(tokens)


Function = Annotated[
    Callable[..., Any],
    BeforeValidator(_function),
    PlainSerializer(name_of, return_type=str | None),
]
Tokenizer = Annotated[
    Callable[..., Any],
    BeforeValidator(_tokenizer),
    PlainSerializer(name_of, return_type=str | None),
]
Rule = Annotated[Any, BeforeValidator(_function), PlainSerializer(name_of, return_type=str)]
LabelFunction = Annotated[
    str | Callable[..., Any],
    BeforeValidator(_key_or_function),
    PlainSerializer(name_of, return_type=str | None),
]
