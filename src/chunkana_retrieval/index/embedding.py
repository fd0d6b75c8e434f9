"""Embedding of texts: the model of an index, and checks of its vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunkana_core import ConfigurationError

Embed = Callable[[list[str]], Sequence[Sequence[float]]]
NEW_INDEX = "make a new index, in another folder, for another one"
_SAME = 0.99  # the cosine of two vectors of one text by the same model, which may differ slightly


@dataclass(frozen=True, slots=True)
class Embedder:
    """An embedding model.

    Attributes:
        embed: returns a vector for each of some texts.
        model_name: the name of the model.
        is_certain: whether the name is that of the model, and not only that of its class.
        argument: the name of the argument that the model was given as, for errors.
    """

    embed: Embed
    model_name: str
    is_certain: bool
    argument: str = "embed"

    @classmethod
    def of(
        cls, model: object, embed: Embed, model_name: str = "", argument: str = "embedding"
    ) -> Embedder:
        """Return the embedder of a model.

        Args:
            model: the model; its `model_name` or `model` is its name if it is a str, else the name
                of its class, or of itself if it is a function.
            embed: returns a vector for each of some texts.
            model_name: the name of the model, if the model has none.
            argument: the name of the argument that the model was given as, for errors.
        """
        attributes = (getattr(model, name, "") for name in ("model_name", "model"))
        names = [name for name in (model_name, *attributes) if name and isinstance(name, str)]
        kind = getattr(model, "__qualname__", type(model).__qualname__)
        return cls(embed, (names or [kind])[0], bool(names), argument)

    def vectors(self, texts: Mapping[bytes, str], size: int) -> dict[bytes, bytes]:
        """Return the vectors of texts, of length 1 and as little-endian float32, by their keys.

        Args:
            texts: the texts by key.
            size: the numbers that each vector has to have; 0 for any.

        Raises:
            ConfigurationError: if there is not one vector of this size for each text, or one has a
                number that is not finite, or only zeros.
        """
        given = self.embed([*texts.values()])
        try:
            found = [np.asarray(vector, np.float64) for vector in given]
        except (TypeError, ValueError) as error:
            allowed = "a model that returns a list of numbers for each text"
            raise ConfigurationError(self.argument, type(given), allowed) from error
        if len(found) != len(texts):
            allowed = f"one vector for each of {len(texts)} texts"
            raise ConfigurationError(self.argument, f"a model that returned {len(found)}", allowed)
        size = size or (found[0].size if found else 0)
        return {key: self._checked(one, size) for key, one in zip(texts, found, strict=True)}

    def _checked(self, numbers: NDArray[np.float64], size: int) -> bytes:
        if numbers.shape != (size,):
            allowed = f"the model of this index, whose vectors have {size} numbers; {NEW_INDEX}"
            given = f"a model that returned a vector of {numbers.size} numbers"
            raise ConfigurationError(self.argument, given, allowed)
        with np.errstate(over="ignore"):  # then the length is infinite
            length = float(np.linalg.norm(numbers))
        if not np.isfinite(length) or not length:
            allowed = "one whose vectors have finite numbers that are not all zero"
            given = f"a model that returned a vector with {length or 'zeros'}"
            raise ConfigurationError(self.argument, given, allowed)
        return (numbers / length).astype("<f4").tobytes()

    def require_same(self, text: str, stored: bytes, embedded: bytes) -> None:
        """Raise a ConfigurationError if the vectors of one text are by different models."""
        same = float(np.frombuffer(stored, "<f4") @ np.frombuffer(embedded, "<f4"))
        if same < _SAME:
            allowed = f"the model of this index; {NEW_INDEX}"
            given = f"a model whose vector of {text[:40]!r} has another direction ({same:.3f})"
            raise ConfigurationError(self.argument, given, allowed)
