"""What is fuzzed: every law, of any text in any configuration; and what a find looks like."""

from __future__ import annotations

import json
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import partial
from operator import methodcaller
from pathlib import Path
from types import FrameType
from typing import Any

from chunkana_core import ChunkConfig, Context
from chunkana_core.formats.registry import FormatSelector
from tests.core import laws
from tests.core.counting import calls, use
from tests.core.laws import Case
from tests.core.merge_laws import sound
from tests.explain.explained import explained

Law = Callable[[Case], None]
MARKDOWN = "markdown"
LONGEST_UNIT = 30  # code points; longer texts take too long to repeat often enough
SIZES = (800, 3_200, 12_800)
MOST = 7.0  # times the calls, for four times the text


def linear(case: Case) -> None:
    """L8: four times a text, repeated, takes about four times the calls.

    Once it may take more: where a second plan is needed from some size on.
    """
    if not case.text or len(case.text) > LONGEST_UNIT:
        return
    config = ChunkConfig(
        max_chunk_size=32,  # the least, of which both sizes are many times
        length_function=case.config.length_function,
        atomic_blocks=case.config.atomic_blocks,
        strategy=case.config.strategy,
    )
    use(case.text, config)  # which fills all caches that do not depend on the text
    few, many, most = (partial(calls, case.text * (n // len(case.text)), config) for n in SIZES)
    before, found = few(), many()
    if found >= MOST * before:
        after = most()
        assert after < MOST * found, f"{after} calls for {SIZES[2]} characters, {found} before"


def merge_tree_sound(case: Case) -> None:
    """L5: the merge tree has its laws, too."""
    sound(case.result, case.config, None, 64)
    sound(case.result, case.config, case.config.max_chunk_size, 2)


def cuts_explained(case: Case) -> None:
    """Each cut is explained."""
    explained(case.text, case.config, case.context)


def valid(case: Case) -> None:
    """L9: the library's own validation finds nothing, and all that a result says can be asked."""
    strict = replace(case.config, validation="strict", debug=True)
    result = replace(case, config=strict).chunked()
    result.to_tree_dict()
    json.dumps(result.to_dict(), allow_nan=False)
    result.toc()
    assert all(chunk.metadata for chunk in result.chunks)
    assert all(chunk.embedded for chunk in result.get_leaves())


LAWS: tuple[Law, ...] = (*laws.ALL, merge_tree_sound, cuts_explained, valid, linear)
LAWS_OF_FORMATS: tuple[Law, ...] = (*laws.OF_FORMATS, merge_tree_sound, valid)


@dataclass(frozen=True, slots=True)
class Input:
    """A text, the name of its format, and how it is chunked."""

    text: str
    config: ChunkConfig
    context: Context | None = None
    format: str = MARKDOWN

    def case(self) -> Case:
        """Return what laws are asked of; the text of a notebook is that of its cells."""
        if self.format == MARKDOWN:
            return Case(self.text, self.config, context=self.context)
        kind = FormatSelector().select(self.format)
        text = kind.document(self.text).text
        return Case(text, self.config, context=self.context, format=kind, file=self.text)


@dataclass(frozen=True, slots=True)
class Find:
    """An input that breaks a law.

    Attributes:
        law: which one.
        made: the input.
        what: the error.
        where: the file and line that raised it; finds with the same have one cause, probably.
    """

    law: Law
    made: Input
    what: str
    where: str

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes it from other finds."""
        return self.law.__name__, self.where

    def __str__(self) -> str:
        """Return it as an entry of `tests/data/fuzz_finds.yaml`."""
        made, values = self.made, changed(self.made.config)
        if made.context:
            values["context"] = changed(made.context)
        if made.format != MARKDOWN:
            values["format"] = made.format
        name = f"{self.law.__name__}, {self.where}: {self.what}".splitlines()[0][:160]
        lines = [f"  {key}: {json.dumps(value)}" for key, value in values.items()]
        return "\n".join([f"{quoted(name)}:", f"  text: {quoted(made.text)}", *lines])


class TooSlowError(Exception):
    """A law took so long that the input must be of a shape that is not linear."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise where the processor takes longer than that; 0 is no limit."""

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        raise TooSlowError(f"over {seconds} seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def find(made: Input, tried: Iterable[Law] = (), *, seconds: float = 0) -> Find | None:
    """Return the first law that an input breaks or takes too long to keep, None if it keeps all.

    Without laws, these are all laws of the format.
    """
    case = None
    for law in tried or (LAWS if made.format == MARKDOWN else LAWS_OF_FORMATS):
        try:
            with limited(seconds):
                case = case or made.case()
                law(case)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a find
            frame = traceback.extract_tb(error.__traceback__)[-1]
            is_slow = isinstance(error, TooSlowError)  # wherever that was noticed
            where = "time" if is_slow else f"{Path(frame.filename).name}:{frame.lineno}"
            return Find(law, made, f"{type(error).__name__}: {error}", where)
    return None


def smallest(found: Find, seconds: float = 0) -> Find:
    """Return the same find in less text and with fewer options."""
    for divide in (methodcaller("splitlines", keepends=True), list):
        pieces: list[str] = divide(found.made.text)
        count = len(pieces)
        while count:
            start = 0
            while start < len(pieces):
                fewer = pieces[:start] + pieces[start + count :]
                if again := _same(found, replace(found.made, text="".join(fewer)), seconds):
                    found, pieces = again, fewer
                else:
                    start += count
            count //= 2
    for field in fields(ChunkConfig):
        with suppress(ValueError):  # a minimum over the limit
            plainer: dict[str, Any] = {field.name: field.default}
            plain = replace(found.made, config=replace(found.made.config, **plainer))
            found = _same(found, plain, seconds) or found
    return _same(found, replace(found.made, context=None), seconds) or found


def _same(found: Find, made: Input, seconds: float) -> Find | None:
    """Return the same find of another input, None if that keeps the law."""
    again = find(made, [found.law], seconds=seconds)
    return again if again and again.key == found.key else None


def quoted(text: str) -> str:
    """Return a text as a scalar of YAML, in ASCII."""
    escaped = text.encode("unicode_escape").decode("ascii")
    return '"' + escaped.replace('"', '\\"') + '"'


def changed(thing: ChunkConfig | Context) -> dict[str, Any]:
    """Return the fields of a configuration or a context that differ from the default."""
    values = {field: getattr(thing, field.name) for field in fields(thing)}
    return {
        field.name: getattr(value, "__name__", value)
        for field, value in values.items()
        if value != field.default
    }
