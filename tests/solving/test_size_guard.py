"""A solve is told soon what will not fit, and goes to the disk where memory will not do; every game's defaults."""

import time

import pytest

import analysis
from analysis.common.memory import Budget, taken_bytes
from analysis.engine.engine import make_engine
from analysis.errors import NoRoomError, TooLargeError
from analysis.games.families import BIDDING, FAMILIES, load_game
from analysis.solution.storage.store import Tables
from analysis.solving import resources
from analysis.solving.planning.sizes import BOUNDED, EXTRAPOLATED, GREATEST, GameSizes, Interval
from analysis.solving.resources import SizeGuard, check_shards
from tests.support.program import one_line

GAME = "nim:heaps=9-9-9,take=1-2-3"
LOOK = 3.0


def sized(low, high, how=EXTRAPOLATED):
    return GameSizes(*[Interval(low, high, how)] * 3, ())


HUGE = sized(10**14, 10**16)
WIDE = sized(10**6, 10**18)
"""The middle fits no machine, the low end fits any."""


@pytest.fixture
def answers(monkeypatch):
    """What the plan says, one answer after the other, the last again and again; and for how many seconds it is asked,
    at once.
    """
    said, asked = [HUGE], []

    def estimate(engine, seconds, *_):
        asked.append(seconds)
        return said[min(len(asked), len(said)) - 1]

    monkeypatch.setattr(resources, "ASKED", {0.0: LOOK, 1e-9: LOOK})
    monkeypatch.setattr(resources, "_estimate", estimate)
    return said, asked


def guard(limit):
    return SizeGuard(make_engine(load_game(GAME)), Tables(counts=False), Budget(limit), in_memory=True)


def test_it_is_asked_late_and_seldom(monkeypatch, answers):
    monkeypatch.setattr(resources, "ASKED", {5.0: 1.0, 30.0: 2.0, 120.0: 3.0})
    now, one = [100.0], guard(10**17)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    for _ in range(2000):
        one(7)
        now[0] += 0.1
    assert answers[1] == [1.0, 2.0, 3.0]
    assert one.sizes == HUGE


def test_it_looks_longer_before_what_it_expects_is_refused(answers, tmp_path):
    """A first answer that is too wide refuses nothing."""
    answers[0][:] = [WIDE, sized(10**6, 2 * 10**6)]
    one = guard(10**9)
    one(7)
    assert answers[1] == [LOOK, resources.LONGER]
    engine, places = make_engine(load_game("tictactoe")), (tmp_path, tmp_path)
    answers[0][:] = [WIDE, sized(10**6, 2 * 10**6)]
    answers[1].clear()
    check_shards(engine, Tables(), places, 10**9, "", None)
    assert answers[1] == [resources.QUICK, resources.LONGER]


def test_the_middle_decides(answers, tmp_path, gametree):
    answers[0][:] = [WIDE]
    with pytest.raises(NoRoomError, match="anyway=True"):
        analysis.solve(GAME)
    one_line(gametree("solve", GAME, "--no-counts", "--out", str(tmp_path / "s")), 1, "in shards", "--anyway", "show")
    assert not list(tmp_path.iterdir())
    assert (
        analysis.running(anyway=True)(analysis.solve)(GAME).position_count
        == analysis.running(anyway=True)(analysis.solve)(GAME, directory=tmp_path / "s").position_count
    )


def test_what_does_not_fit_is_refused(answers, tmp_path):
    with pytest.raises(NoRoomError, match="of memory"):
        analysis.solve(GAME)
    with pytest.raises(TooLargeError, match=r"of memory.*disk"):
        analysis.solve(GAME, directory=tmp_path / "s", counts=False)
    assert not (tmp_path / "s").exists()


def test_shards_at_once_where_memory_will_not_do(answers, tmp_path, caplog):
    answers[0][:] = [sized(10**9, 10**9)]
    caplog.set_level("INFO", "gametree")
    solution = analysis.solve(
        "connect:rows=4,cols=4,k=4", directory=tmp_path / "s", counts=False, memory=taken_bytes() + 1_000_000_000
    )
    assert solution.position_count == 161_029
    assert "shards" in caplog.text


def test_a_first_look_that_suffices_is_the_only_one(answers, tmp_path):
    """Even if the high end does not fit."""
    engine, places = make_engine(load_game("tictactoe")), (tmp_path, tmp_path)
    answers[0][:] = [sized(1000, 10**13)]
    check_shards(engine, Tables(), places, 10**9, "", None)
    assert answers[1] == [resources.QUICK]


def test_shards_are_refused_while_no_end_is_known(answers, tmp_path):
    answers[0][:] = [sized(1000, GREATEST, BOUNDED)]
    engine, places = make_engine(load_game("tictactoe")), (tmp_path, tmp_path)
    with pytest.raises(TooLargeError, match="anyway=True"):
        check_shards(engine, Tables(), places, 10**9, "", None)
    assert answers[1] == [resources.QUICK, resources.LONGER]
    with analysis.running(anyway=True):
        check_shards(engine, Tables(), places, 10**9, "", answers[0][0])


@pytest.mark.slow
@pytest.mark.parametrize("family", [*FAMILIES, BIDDING])
def test_solved_or_refused(family, tmp_path, gametree):
    result = gametree("solve", family, "--out", str(tmp_path / "s"), "--progress", "none")
    assert (tmp_path / "s").exists() == (result.code == 0)
    if result.code:
        one_line(result, 1, "classes", f"gametree show {family}")
