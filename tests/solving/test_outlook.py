"""A solve is told after seconds what will not fit, and goes to the disk where memory will not do."""

from __future__ import annotations

import time

import pytest

import analysis
from analysis.engine.engine import make_engine
from analysis.errors import NoRoomError, TooLargeError
from analysis.games.families import load_game
from analysis.machine.memory import Budget, taken_bytes
from analysis.planning.sizes import EXTRAPOLATED, GREATEST, GameSizes, Interval
from analysis.solving import outlook
from analysis.solving.outlook import Outlook, check_shards
from analysis.storage.store import Tables
from tests.support.program import one_line

GAME = "nim:heaps=9-9-9,take=1-2-3"


def huge(engine, seconds, progress=None):
    return GameSizes(*[Interval(10**14, 10**16, EXTRAPOLATED)] * 3, ())


@pytest.fixture
def at_once(monkeypatch):
    """Asked at once; whatever game it is, it is huge."""
    monkeypatch.setattr(outlook, "ASKED", ((0.0, 0.1),))
    monkeypatch.setattr(outlook, "_estimate", huge)


def test_it_is_asked_late_and_seldom(monkeypatch):
    asked = []
    monkeypatch.setattr(outlook, "_estimate", lambda engine, seconds, _: asked.append(seconds) or huge(engine, seconds))
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    one = Outlook(make_engine(load_game(GAME)), Tables(counts=False), Budget(10**17), in_memory=True)
    for _ in range(2000):
        one(7)
        now[0] += 0.1
    assert asked == [seconds for _, seconds in outlook.ASKED]
    assert one.sizes == huge(None, 0)


def test_it_is_not_asked_again_where_the_high_end_fits(monkeypatch):
    asked = []
    monkeypatch.setattr(outlook, "ASKED", ((0.0, 0.1), (0.0, 0.1)))
    monkeypatch.setattr(outlook, "_estimate", lambda engine, seconds, _: asked.append(seconds) or huge(engine, seconds))
    one = Outlook(make_engine(load_game(GAME)), Tables(counts=False), Budget(10**30), in_memory=True)
    for _ in range(3):
        one(7)
    assert asked == [0.1]


WIDE = GameSizes(*[Interval(10**6, 10**18, EXTRAPOLATED)] * 3, ())
"""The middle fits no machine, the low end fits any."""


def test_the_middle_decides(monkeypatch, tmp_path, gametree):
    monkeypatch.setattr(outlook, "ASKED", ((0.0, 0.1),))
    monkeypatch.setattr(outlook, "_estimate", lambda *_: WIDE)
    with pytest.raises(NoRoomError, match="--anyway"):
        analysis.solve(GAME)
    one_line(gametree("solve", GAME, "--no-counts", "--out", str(tmp_path / "s")), 1, "in shards", "--anyway", "show")
    assert not list(tmp_path.iterdir())
    assert (
        analysis.solve(GAME, anyway=True).position_count
        == analysis.solve(GAME, directory=tmp_path / "s", anyway=True).position_count
    )


def test_no_low_end_is_below_what_was_found():
    sizes = WIDE.at_least(10**7)
    assert sizes.canonical == Interval(10**7, 10**18, EXTRAPOLATED)
    assert sizes.at_least(10**19).positions == Interval(10**19, 10**19, EXTRAPOLATED)


def test_what_does_not_fit_is_refused(at_once):
    with pytest.raises(NoRoomError, match="of memory"):
        analysis.solve(GAME)


@pytest.mark.parametrize("command", ["stats", "paths", "report", "export --out all.csv"])
def test_commands_are_refused(command, at_once, gametree):
    name, *more = command.split()
    one_line(gametree(name, GAME, *more), 1, "classes", "memory")


def test_of_one_position_something_is_told_all_the_same(at_once, gametree):
    assert gametree("show", GAME, "--seconds", "0.5").code == 0


def test_the_disk_is_too_small_as_well(at_once, tmp_path):
    with pytest.raises(TooLargeError, match=r"of memory.*of disk"):
        analysis.solve(GAME, directory=tmp_path / "s", counts=False)
    assert not (tmp_path / "s").exists()


def test_shards_at_once_where_memory_will_not_do(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(outlook, "ASKED", ((0.0, 0.1),))
    monkeypatch.setattr(outlook, "_estimate", lambda *_: sizes)
    sizes = GameSizes(*[Interval(10**9, 10**9, EXTRAPOLATED)] * 3, ())
    caplog.set_level("INFO", "gametree")
    solution = analysis.solve(
        "connect:rows=4,cols=4,k=4", directory=tmp_path / "s", counts=False, memory=taken_bytes() + 1_000_000_000
    )  # fmt: skip
    assert solution.position_count == 161_029
    assert "shards" in caplog.text


def test_what_shards_take_is_told(tmp_path):
    engine = make_engine(load_game("tictactoe"))
    assert "disk" in check_shards(engine, Tables(), (tmp_path, tmp_path), 10**9, "", None)
    with pytest.raises(TooLargeError, match="--memory"):
        check_shards(engine, Tables(), (tmp_path, tmp_path), 10, "", None)
    with pytest.raises(TooLargeError, match="of disk"):
        check_shards(engine, Tables(counts=False), (tmp_path, tmp_path), 10**9, "", huge(engine, 1))


def test_shards_are_refused_while_no_end_is_known(monkeypatch, tmp_path):
    asked = []
    unknown = GameSizes(*[Interval(1000, GREATEST, EXTRAPOLATED)] * 3, ())
    monkeypatch.setattr(outlook, "_estimate", lambda engine, seconds, _: asked.append(seconds) or unknown)
    engine = make_engine(load_game("tictactoe"))
    with pytest.raises(TooLargeError, match="--anyway"):
        check_shards(engine, Tables(), (tmp_path, tmp_path), 10**9, "", None)
    assert asked == list(outlook.PATIENCE)
    assert "not known" in check_shards(engine, Tables(), (tmp_path, tmp_path), 10**9, "", unknown, anyway=True)
