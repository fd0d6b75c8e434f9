"""The fuzz target runs, finds nothing, and would find what is broken."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings

from chunkana_core import ChunkConfig, Context
from tests import corpora
from tests.core import laws
from tests.core.laws import Case
from tests.fuzz import session as fuzz
from tests.fuzz.inputs import inputs, utf8
from tests.fuzz.target import Find, Input, TooSlowError, find, linear, smallest

MADE = settings(database=None, suppress_health_check=list(HealthCheck))


@settings(MADE, max_examples=15)
@given(inputs())
def test_a_few_inputs_keep_all_laws(made: Input) -> None:
    """A few inputs of every kind keep all laws."""
    assert find(made) is None


@pytest.mark.slow
@settings(MADE, max_examples=300)
@given(inputs())
def test_hundreds_of_inputs_keep_all_laws(made: Input) -> None:
    """Hundreds of inputs keep all laws."""
    assert find(made) is None


def test_bytes_become_inputs(tmp_path: Path) -> None:
    """Any bytes that are enough become a text and a configuration, always the same."""
    session = fuzz.Session(float("inf"), tmp_path)
    bytes_of = random.Random(5).randbytes
    for _ in range(10):
        session.one_input(bytes_of(8192))
    assert session.tried == 10
    assert session.characters > 1000
    assert not session.finds
    session.one_input(b"")
    assert session.tried == 10


def breaks(case: Case) -> None:
    """Demand what is no law."""
    assert all("\t- " not in chunk.text for chunk in case.leaves), "a tab before an item"


def test_a_find_is_made_small() -> None:
    """What is left of a find is what it takes, as a case that can be pasted into a file."""
    text = corpora.own_document("no_headings.md")[:1500] + "\n\n\t- x\n\nThe end.\n"
    config = ChunkConfig(max_chunk_size=64, overlap_size=7, length_function=utf8)
    found = find(Input(text, config, Context("of it")), [breaks])
    assert found
    small = smallest(found)
    assert small.made == Input("\t- x", ChunkConfig())
    assert yaml.safe_load(str(small)) == {
        f"breaks, {small.where}: AssertionError: a tab before an item": {"text": "\t- x"}
    }
    config = ChunkConfig(max_chunk_size=64, strategy="fallback", length_function=laws.tokens)
    text = '\ud800\x85\ufeff\\n"😀"\r\n'
    found = Find(breaks, Input(text, config, Context("a", introduction=False), "python"), "", "")
    assert yaml.safe_load(str(found)) == {
        "breaks, : ": {
            "text": text,
            "max_chunk_size": 64,
            "strategy": "fallback",
            "length_function": "tokens",
            "context": {"label": "a", "introduction": False},
            "format": "python",
        }
    }


def test_a_find_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A chunker that loses text is found, printed and saved, and of each kind one."""
    text = "# A\n\nText.\n\n# B\n\nText.\n"
    session = fuzz.Session(float("inf"), tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chunkana_core.stages.prevent_dangling", lambda drafts, _: drafts[1:])
        session.try_one(Input(text, ChunkConfig()))
        session.try_one(Input(text + "More.\n", ChunkConfig()))
    assert session.finds
    saved = [path.read_text("utf-8") for path in tmp_path.iterdir()]
    assert capsys.readouterr().out == "".join(saved)
    assert len(saved) == 1


def test_work_that_grows_too_fast_is_found() -> None:
    """A measure whose work grows with all that was measured before is not linear."""
    seen: list[str] = []

    def is_text(thing: object) -> bool:
        return isinstance(thing, str)

    def measure(text: str) -> int:
        seen.append(text)
        return len(text) * all(is_text(each) for each in seen[::8])

    with pytest.raises(AssertionError, match="calls"):
        linear(Case("a b. ", ChunkConfig(length_function=measure)))


def test_what_takes_too_long_is_found() -> None:
    """What does not end is stopped, and is a find."""

    def endless(_: Case) -> None:
        while True:
            pass

    found = find(Input("x", ChunkConfig()), [endless], seconds=0.01)
    assert found
    assert (found.where, found.what) == ("time", f"{TooSlowError.__name__}: over 0.01 seconds")
