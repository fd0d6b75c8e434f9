"""Pydantic types of functions and block rules, which are serialised by a name.

The name identifies a function in cache keys, and is the same in all processes if the function can
be pickled.
"""

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

FunctionOrName = Callable[..., Any] | BlockRule | str
_PROCESS: Final = uuid4().hex  # distinguishes functions of different processes
_DIGEST_LENGTH = 16  # hex digits
_TOKENIZER_HINT = (
    "a function that returns the tokens of a text: tokenizer=encoding.encode, with "
    'encoding = tiktoken.get_encoding("cl100k_base")'
)
# Matches the names that `name_of` returns.
_NAME_PATTERN = re.compile(r"[^:]+:.+#[0-9a-f]+(?:-[0-9]+)?", re.DOTALL)


def name_of(function: FunctionOrName | None) -> str | None:
    """Return a name that identifies a function or rule, in all processes if it can be pickled."""
    if function is None or isinstance(function, str):
        return function
    module = getattr(function, "__module__", None) or type(function).__module__
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    pickled = _pickle(function)
    digest = (
        sha256(pickled).hexdigest()[:_DIGEST_LENGTH] if pickled else f"{_PROCESS}-{id(function)}"
    )
    return f"{module}:{name}#{digest}"


def _pickle(function: FunctionOrName) -> bytes | None:
    """Return a function or rule in pickled form, None if it cannot be pickled."""
    try:
        return pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None


# The functions and rules of the parsers in this process, by name. A name is never imported from a
# module: a serialised parser may come from anywhere, and could name any function to be called.
_REGISTRY: Final[dict[str, FunctionOrName]] = {str(name_of(default_id_func)): default_id_func}


def _resolve(value: object) -> object:
    """Resolve a name or register a function or rule; return any other value unchanged."""
    if isinstance(value, str | BlockRule) or callable(value):
        return _resolve_or_register(value)
    return value


def _resolve_tokenizer(value: object) -> object:
    """Resolve or register a tokenizer.

    Raises:
        ValueError: for anything else, such as a tokenizer object, whose method is to be given.
    """
    is_named = isinstance(value, str) and _NAME_PATTERN.fullmatch(value)
    if value is None or is_named or callable(value):
        return _resolve(value)
    shown = repr(value) if isinstance(value, str | int | float) else type(value)
    raise ValueError(f"tokenizer is {shown}; allowed: None or {_TOKENIZER_HINT}")


def _resolve_or_register(value: FunctionOrName) -> object:
    """Return the registered function or rule with a name, or register a function or rule."""
    if isinstance(value, str):
        if value not in _REGISTRY:
            raise ValueError(
                f"{value!r} cannot be found by its name; give the function or rule itself"
            )
        return _REGISTRY[value]
    _REGISTRY[str(name_of(value))] = value
    if _pickle(value) is None:
        warn(
            f"{value!r} cannot be pickled, so a pipeline with worker processes raises an error; "
            "define it at the top level of a module"
        )
    return value


def _resolve_label(value: object) -> object:
    """Return a metadata key unchanged; resolve or register a function."""
    is_key = isinstance(value, str) and not _NAME_PATTERN.fullmatch(value)
    return value if is_key else _resolve(value)


def token_count(tokenizer: Callable[[str], Any], text: str) -> int:
    """Return the number of tokens of a text.

    Raises:
        InputTypeError: if the tokenizer does not return a sequence.
    """
    tokens = tokenizer(text)
    if not isinstance(tokens, Sized) or isinstance(tokens, str | Mapping):
        returned = f"a text of {len(text)} characters"
        allowed = f"a sequence of tokens, of {_TOKENIZER_HINT}"
        raise InputTypeError("tokenizer", tokens, allowed, returned)
    return len(tokens)


Function = Annotated[
    Callable[..., Any],
    BeforeValidator(_resolve),
    PlainSerializer(name_of, return_type=str | None),
]
Tokenizer = Annotated[
    Callable[..., Any],
    BeforeValidator(_resolve_tokenizer),
    PlainSerializer(name_of, return_type=str | None),
]
Rule = Annotated[Any, BeforeValidator(_resolve), PlainSerializer(name_of, return_type=str)]
LabelFunction = Annotated[
    str | Callable[..., Any],
    BeforeValidator(_resolve_label),
    PlainSerializer(name_of, return_type=str | None),
]
