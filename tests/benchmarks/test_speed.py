"""The speed benchmark prints correct tables; the tests check no speeds."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.chunkers.core import BARE
from benchmarks.chunkers.timed import Timed
from benchmarks.printing import Target
from benchmarks.speed import batches, comparing
from benchmarks.speed.batches import Spent, least, repeated
from benchmarks.speed.chunkers import find
from benchmarks.speed.measuring import Rounds, expected, grown, ratio, speeds, timed_in_turn

ROOT = Path(__file__).parents[2]
TEXT = "# Kettle\n\nIt boils water.\n\n## Keys\n\nIt boils, and stops.\n"
BUSY = Timed("busy", lambda text: text.split())


@pytest.fixture(autouse=True)
def frozen() -> Iterator[None]:
    """Keep what other tests hold from the garbage collection before each measurement."""
    gc.freeze()
    yield
    gc.unfreeze()


def test_tasks_are_timed_in_turn() -> None:
    called: list[str] = []
    tasks = {name: lambda text, name=name: called.append(name + text) for name in "ab"}
    times = timed_in_turn(tasks, ["1", "2"], Rounds(2))
    assert called == ["a1", "a2", "b1", "b2"] * 2
    assert [len(taken) for taken in times.values()] == [2, 2]


def test_a_ratio_is_of_the_rounds_that_both_took_part_in() -> None:
    times = {"slow": [4.0, 9.0, 6.0], "quick": [1.0, 3.0, 2.0, 100.0]}
    assert ratio(times, "slow", "quick") == 3


def test_what_a_larger_text_will_take_goes_by_the_growth_so_far() -> None:
    assert expected({}, 10) == 0
    assert expected({10: 2.0}, 40) == 8
    assert expected({10: 2.0, 20: 8.0}, 40) == pytest.approx(32)
    assert expected({10: 2.0, 20: 2.0}, 40) == pytest.approx(4), "it may grow again"


def test_what_would_take_too_long_is_not_run() -> None:
    read: list[int] = []
    tasks = {"one": lambda text: read.append(len(text))}
    steps = dict.fromkeys((1, 2, 3), Rounds(1))
    assert list(grown(tasks, steps, "x".__mul__, longest=-1)["one"]) == []
    assert read == []
    assert list(grown(tasks, steps, "x".__mul__, longest=60)["one"]) == [1, 2, 3]
    assert read == [1, 2, 3]


def test_speeds_end_with_the_last_as_a_share_of_the_first() -> None:
    assert list(speeds({100: 1.0, 400: 8.0}, [100, 400])) == ["100", "50", "0.50"]
    assert list(speeds({100: 1.0}, [100, 400])) == ["100", "not run", "not run"]


def test_what_is_not_installed_is_left_out_and_named() -> None:
    found = find(1000, {"core": "ours", "no_such": "theirs"})
    assert found.timed[0].name == BARE
    assert found.absent == ["theirs is left out: there is no module `benchmarks.chunkers.no_such`."]


def test_all_that_is_found_makes_chunks_of_a_size() -> None:
    found = find(1000)
    named = [one.name for one in found.timed]
    assert sum(name.startswith("Chunkana") for name in named) == 3
    assert len(set(named)) == len(named)
    for one in found.timed:
        assert comparing.chunks(one, [TEXT]) in ([""] if one.count is None else ["1", "2"])


def test_one_table_has_a_row_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    (bare, *_) = find(1000, {"core": "ours"}).timed
    extent = comparing.Extent(Rounds(1), {500: Rounds(1), 1_000: Rounds(1)}, longest=60)
    comparing.compare("two texts", [TEXT * 50, TEXT], [bare, BUSY], extent)
    title, _, head, rule, *rows = capsys.readouterr().out.strip().splitlines()
    assert title.startswith("### Speed on two texts, 2,")
    assert {line.count("|") for line in (head, rule, *rows)} == {9}
    assert rows[0].startswith(f"| {BARE} | yes |  | ")
    assert rows[1].startswith("| busy | no | 561 | ")
    assert rows[0].split(" | ")[4] == "1.00"


def test_a_batch_is_as_large_as_is_asked() -> None:
    batch = repeated(["ab", "cde"], 12)
    assert [text for _, text in batch] == ["ab", "cde"] * 3
    assert len(dict(batch)) == 6


def test_two_free_processors_share_the_work_but_not_what_is_done_here() -> None:
    assert Spent(9, here=1, elsewhere=3).on_free_processors == 2
    assert Spent(9, here=3, elsewhere=1).on_free_processors == 3
    assert least([Spent(3, 5, 1), Spent(4, 2, 7)]) == Spent(3, 2, 1)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_batches_have_a_row_for_what_is_made_and_a_target_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    targets = batches.measure([TEXT], batches.Extent(1_000, 1))
    rows = capsys.readouterr().out.strip().splitlines()[4:]
    assert (len(rows), len(targets)) == (3, 2)
    assert {row.count("|") for row in rows} == {9}


def test_a_target_is_met_or_missed() -> None:
    assert str(Target("speed", 1.9, 1.8, is_least=True)) == "| speed | at least 1.8 | 1.90 | met |"
    assert str(Target("time", 1.9, 1.8, " s")) == "| time | at most 1.8 s | 1.90 s | **missed** |"


@pytest.mark.slow
@pytest.mark.parametrize("module", ["benchmarks.run", "benchmarks.adapters", "benchmarks.speed"])
def test_quick_runs_on_the_projects_own_documents(module: str, tmp_path: Path) -> None:
    source = str(ROOT / "src")
    environment = os.environ | {"CHUNKANA_SHARED": str(tmp_path), "PYTHONPATH": source}
    command = (sys.executable, "-m", module, "--quick")
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=ROOT, env=environment
    )
    assert "on the project's documents" in done.stdout
    assert done.stdout.count("### Targets") == 1
    if module == "benchmarks.speed":
        found = find(1000)
        assert all(f"\n| {one.name} | " in done.stdout for one in found.timed)
        assert all(f"\n{line}\n" in done.stdout for line in found.absent)
