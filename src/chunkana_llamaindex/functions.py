"""Pydantic types of functions and block rules, which are serialised by a name.

The name identifies a function in cache keys, and is the same in all processes if the function can
be pickled.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sized
from hashlib import sha256
from typing import Annotated, Any, Final
from uuid import uuid4

from llama_index.core.node_parser.node_utils import default_id_func
from pydantic import BeforeValidator, PlainSerializer

from chunkana_core import InputTypeError
from chunkana_core.extending import BlockRule
from chunkana_retrieval.adapting import warn

FunctionOrRule = Callable[..., Any] | BlockRule
_PREFIX: Final = "chunkana-function:"
_PROCESS: Final = uuid4().hex  # distinguishes functions of different processes


def name_of(function: FunctionOrRule | str) -> str:
    """Return a name that identifies a function or rule; a metadata key is its own name."""
    if isinstance(function, str):
        return function
    pickled = _pickle(function) or f"{_PROCESS}-{id(function)}".encode()
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{_PREFIX}{name}#{sha256(pickled).hexdigest()}"


def _pickle(function: FunctionOrRule) -> bytes | None:
    """Return a function or rule in pickled form, None if it cannot be pickled."""
    try:
        return pickle.dumps(function)
    except (pickle.PicklingError, AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        return None


# The functions and rules of the parsers in this process, by name. A name is never imported from a
# module: a serialised parser may come from anywhere, and could name any function to be called.
_REGISTRY: Final[dict[str, FunctionOrRule]] = {name_of(default_id_func): default_id_func}


def _resolve(value: object) -> object:
    """Return the function or rule with a name; register a function or rule by its name."""
    if isinstance(value, str) and value.startswith(_PREFIX):
        if value not in _REGISTRY:
            raise ValueError(f"{value!r} is not known in this process; give the function or rule")
        return _REGISTRY[value]
    if isinstance(value, BlockRule) or callable(value):
        _REGISTRY[name_of(value)] = value
        if _pickle(value) is None:
            warn(
                f"{value!r} cannot be pickled, so a pipeline with worker processes raises an "
                "error; define it at the top level of a module"
            )
    return value


def token_count(tokenizer: Callable[[str], Any], text: str) -> int:
    """Return the number of tokens of a text.

    Raises:
        InputTypeError: if the tokenizer does not return a sequence.
    """
    tokens = tokenizer(text)
    if not isinstance(tokens, Sized) or isinstance(tokens, str | Mapping):
        returned = f"a text of {len(text)} characters"
        allowed = "a sequence of tokens, as of tiktoken's tokenizer=encoding.encode"
        raise InputTypeError("tokenizer", tokens, allowed, returned)
    return len(tokens)


_BY_NAME: Final = PlainSerializer(name_of, return_type=str)
Function = Annotated[Callable[..., Any], BeforeValidator(_resolve), _BY_NAME]
Rule = Annotated[Any, BeforeValidator(_resolve), _BY_NAME]
KeyOrFunction = Annotated[str | Callable[..., Any], BeforeValidator(_resolve), _BY_NAME]
