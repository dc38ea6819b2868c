"""A plan: true sizes of small games, its form for programs, what fits, and what it advises."""

from __future__ import annotations

import dataclasses
import json
import shlex
import time

import pytest

import analysis
from analysis.engine import foresight
from analysis.engine.engine import make_engine
from analysis.errors import OptionError, PositionError
from analysis.games.families import load_game
from analysis.planning.costs import Span
from analysis.planning.counting import count_tiers
from analysis.planning.estimate import sizes_beyond
from analysis.planning.plan import GamePlan
from analysis.planning.sizes import EXTRAPOLATED, GREATEST, Interval

KEYS = {
    "game", "positions", "canonical", "moves", "by_tier", "memory_bytes", "out_of_core", "directory_bytes", "seconds",
    "fits",
}  # fmt: skip
SECONDS = 3.0


@pytest.fixture(scope="module")
def plan() -> GamePlan:
    return analysis.plan("tictactoe", seconds=SECONDS)


def numbers(data):
    if isinstance(data, dict):
        return [number for value in data.values() for number in numbers(value)]
    if isinstance(data, list):
        return [number for value in data for number in numbers(value)]
    return [] if isinstance(data, (str, bool)) or data is None else [data]


def test_the_form(plan):
    data = json.loads(json.dumps(plan.to_json()))
    assert data.keys() >= KEYS
    assert all(isinstance(number, int) for number in numbers(data))
    assert set(data["out_of_core"]) >= {"memory_bytes", "scratch_bytes", "worker_seconds"}
    assert data["out_of_core"]["worker_seconds"]["high"] >= data["out_of_core"]["seconds"]["high"]
    for need in ("memory_bytes", "directory_bytes", "seconds"):
        for part in (data[need], data[need]["without_counts"]):
            assert 0 <= part["low"] <= part["high"]
    assert data["fits"] == {"memory": True, "disk": True, "without_counts": {"memory": True, "disk": True}}
    for name, number in (("positions", 5478), ("canonical", 765), ("moves", 16167)):
        assert data[name]["low"] <= number <= data[name]["high"]
    assert sum(tier["canonical"]["low"] for tier in data["by_tier"]) <= 765


def test_from_a_position():
    plan = analysis.plan("tictactoe", position="XOX?O????", seconds=SECONDS)
    solution = analysis.solve("tictactoe", position="XOX?O????")
    assert plan.sizes.canonical.holds(solution.canonical)
    assert plan.sizes.positions.holds(solution.position_count)
    assert shlex.split(plan.advice)[-2:] == ["--from", "XOX?O????"]
    with pytest.raises(PositionError):
        analysis.plan("tictactoe", position="XX???????")


def test_symmetries():
    plan = analysis.plan("tictactoe", symmetry="none", seconds=SECONDS)
    assert plan.sizes.canonical.holds(5478)
    assert "--symmetry none" in plan.advice


def test_what_fits(plan):
    def with_memory(free):
        return dataclasses.replace(plan, free_memory=free)

    span = plan.counted.memory
    assert with_memory(int(span.high) + 1).fits(plan.counted)["memory"] is True
    assert with_memory(int(span.low) + 1).fits(plan.counted)["memory"] is None
    assert with_memory(int(span.low) - 1).fits(plan.counted) == {"memory": False, "disk": False}  # no task fits either
    large = plan.counted._replace(memory=Span(10**12, 10**13))
    assert plan.fits(large) == {"memory": False, "disk": True}
    assert dataclasses.replace(plan, free_disk=1).fits(large)["disk"] is False
    assert dataclasses.replace(plan, free_scratch=1).fits(large)["disk"] is False
    assert dataclasses.replace(plan, free_scratch=1).fits(plan.counted)["disk"] is True


def test_advice(plan):
    huge, large = Span(10**15, 10**16), Span(10**12, 10**12)
    assert plan.advice.endswith("gametree solve tictactoe")
    one = dataclasses.replace(plan, counted=plan.counted._replace(memory=huge, writing=huge, scratch=huge))
    assert one.advice.endswith("solve tictactoe --no-counts")
    one = dataclasses.replace(one, uncounted=plan.uncounted._replace(memory=large, writing=large))
    assert "shards" in one.advice
    given = analysis.plan("tictactoe", seconds=SECONDS, workers=1, memory="4GB", directory="a b")
    assert given.advice.endswith("solve tictactoe --out 'a b' --memory 4GB --workers 1")
    one = dataclasses.replace(one, uncounted=plan.uncounted._replace(memory=huge, writing=huge, directory=huge))
    assert "nothing fits" in one.advice
    assert "solve" not in one.advice


def test_only_what_is_expected_to_fit_is_advised(plan):
    wide = Span(1, 10**24)  # the middle is more than is free, the low end is not
    unlikely = plan.uncounted._replace(memory=wide, writing=wide, directory=wide)
    one = dataclasses.replace(plan, counted=None, uncounted=unlikely)
    assert "not expected to fit" in one.advice
    assert "solve tictactoe --no-counts --anyway" in one.advice
    assert "gametree show tictactoe" in one.advice
    one = dataclasses.replace(
        one,
        uncounted=plan.uncounted._replace(writing=Span(1, 2 * one.free_memory), directory=Span(1, 2 * one.free_disk)),
    )
    assert one.advice.startswith("it may fit, in memory: ")
    unknown = Interval(765, GREATEST, EXTRAPOLATED)
    one = dataclasses.replace(one, sizes=dataclasses.replace(plan.sizes, canonical=unknown), uncounted=unlikely)
    assert "not known" in one.advice


def test_lower_ends_hold_what_was_counted():
    """Whatever random games say of a tier, classes of it were met, and no tier is larger than all."""
    engine = make_engine(load_game("coin_grabber"), symmetry="none")
    met = count_tiers(engine, 60, most_tiers=5)
    sizes = sizes_beyond(engine, met, time.monotonic() + 1)
    by_number = {tier.number: tier for tier in sizes.tiers}
    assert met.met
    looked_at = met.met.keys() & by_number.keys()
    assert all(by_number[number].canonical.low >= met.met[number] for number in looked_at)
    assert sizes.canonical.low >= sum(met.met.values()) + sum(len(tier.states) for tier in met.tiers)
    assert all(tier.canonical.high <= sizes.canonical.high for tier in sizes.tiers)


def test_loopy_games_are_not_counted():
    data = analysis.plan("dodgem", seconds=SECONDS).to_json()
    assert data["counts"]["possible"] is False
    assert data["canonical"]["low"] <= 1963 <= data["canonical"]["high"]
    for need in ("memory_bytes", "directory_bytes", "seconds"):
        without = data[need].pop("without_counts")
        assert data[need] == without


def test_what_cannot_be_counted(monkeypatch):
    monkeypatch.setattr(foresight, "PATIENCE", 60)  # on a busy machine too
    plan = analysis.plan("chomp:rows=15,cols=15", seconds=SECONDS)
    data = plan.to_json()
    assert data["memory_bytes"]["low"] is None
    assert data["memory_bytes"]["without_counts"]["low"] > 0
    assert data["counts"]["possible"] is False
    assert data["counts"]["why_not"]


def test_bidding_games_are_refused():
    with pytest.raises(OptionError, match="by turns"):
        analysis.plan("bidding:game=tictactoe,chips=4")
