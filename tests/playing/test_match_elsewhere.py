"""Games of levels that search are the same wherever they are played."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pandas as pd
import pytest

from analysis.errors import StoreError
from analysis.games.mnk import Mnk
from analysis.playing import Effort, Terms, play_match

MINE = """
import dataclasses
from analysis.games.mnk import Mnk
@dataclasses.dataclass(frozen=True)
class Mine(Mnk):
    pass
"""


def games_of(executor, path, game="mnk:rows=3,cols=4,k=3", levels=("depth:2", "random")):
    result = play_match(game, *levels, Terms(games=50, swap=True, seed=7, out=path), effort=Effort(executor=executor))
    return pd.read_csv(path), result.standings


class Counting(ThreadPoolExecutor):
    tasks = 0

    def submit(self, *arguments, **options):
        self.tasks += 1
        return super().submit(*arguments, **options)


@pytest.mark.parametrize("workers", [1, 3])
def test_threads(workers, tmp_path):
    here, standings = games_of(None, tmp_path / "here.csv")
    with Counting(workers) as executor:
        there, others = games_of(executor, tmp_path / "there.csv")
        assert executor.tasks > 3
    assert there.equals(here)
    assert others == standings


@pytest.mark.slow
def test_processes_and_a_game_of_the_users(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    game = f"{tmp_path}/mine.py:Mine:rows=3,cols=4,k=3"
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        there, _ = games_of(executor, tmp_path / "there.csv", game, ("depth:3", "greedy"))
    here, _ = games_of(None, tmp_path / "here.csv", game, ("depth:3", "greedy"))
    assert there.equals(here)


def test_what_does_not_pay_is_played_here(tmp_path):
    with Counting(1) as executor:
        games_of(executor, tmp_path / "a.csv", levels=("perfect", "random"))
        games_of(executor, tmp_path / "b.csv", levels=("greedy", "random"))
        assert executor.tasks == 0


def test_a_game_that_no_other_process_can_load(tmp_path):
    class Nameless(Mnk):
        pass

    with ThreadPoolExecutor(1) as executor, pytest.raises(StoreError, match="file"):
        games_of(executor, tmp_path / "a.csv", Nameless(rows=3, cols=3, k=3))
