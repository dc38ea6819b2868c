"""A plan: sizes, costs, what fits, what it advises, and `gametree plan`."""

import dataclasses
import json
import shlex

import numpy as np
import pytest

import analysis
from analysis.common.memory import Budget, readable
from analysis.engine import plan as foreseen
from analysis.engine.engine import make_engine
from analysis.errors import PositionError, RulesError, TooLargeError
from analysis.games.families import FAMILIES, load_game
from analysis.solution.storage.store import Tables
from analysis.solving.checks.suite import check_game
from analysis.solving.planning.costs import Span, costs_of
from analysis.solving.planning.counting import count_tiers
from analysis.solving.planning.estimate import FEW, estimate_sizes, sizes_beyond, states_like
from analysis.solving.planning.plan import GamePlan
from analysis.solving.planning.sizes import (
    BOUNDED,
    EXTRAPOLATED,
    GREATEST,
    MEASURED,
    GameSizes,
    Interval,
    TierSizes,
)
from analysis.solving.resources import SizeGuard
from analysis.solving.solve import compiled_passes, solve
from tests.support.own_game import free_cells, own_game
from tests.support.program import ROOT
from tests.support.sharding import use_small_shards

KEYS = {
    "game", "positions", "classes", "moves", "by_tier", "memory_bytes", "out_of_core", "directory_bytes", "seconds",
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
    assert set(data["out_of_core"]) >= {"memory_bytes", "scratch_bytes", "seconds"}
    for need in ("memory_bytes", "directory_bytes", "seconds"):
        for part in (data[need], data[need]["without_counts"]):
            assert 0 <= part["low"] <= part["high"]
    assert data["fits"] == {"memory": True, "disk": True, "without_counts": {"memory": True, "disk": True}}
    for name, number in (("positions", 5478), ("classes", 765), ("moves", 16167)):
        assert data[name]["low"] <= number <= data[name]["high"]
    assert sum(tier["classes"]["low"] for tier in data["by_tier"]) <= 765


def test_from_a_position():
    plan = analysis.plan("tictactoe", start="XOX?O????", seconds=SECONDS)
    solution = analysis.solve("tictactoe", start="XOX?O????")
    assert plan.sizes.classes.holds(solution.classes)
    assert plan.sizes.positions.holds(solution.position_count)
    assert shlex.split(plan.advice)[-2:] == ["--from", "XOX?O????"]
    with pytest.raises(PositionError):
        analysis.plan("tictactoe", start="XX???????")


def test_what_fits(plan):
    """What is certain, what the middle of an interval says, what nobody knows; and the advice about each."""

    def judged(costs, counted=None, **changes):
        one = dataclasses.replace(plan, counted=counted, uncounted=costs, **changes)
        data = one.to_json()["fits"]
        assert data["without_counts"] == one.fits(costs)
        return one.fits(costs), {*one.verdicts(costs).values()}, one.advice

    costs, span, free = plan.uncounted, plan.uncounted.writing, plan.free_memory
    huge, large, wide = Span(10**15, 10**16), Span(10**12, 10**12), Span(1, 10**24)
    assert judged(costs, free_memory=int(span.high) + 1)[0]["memory"] is True
    assert judged(costs, free_memory=int(span.low) + 1)[0]["memory"] is None
    assert judged(costs, free_memory=int(span.low) - 1)[0] == {"memory": False, "disk": False}  # no task fits either
    assert judged(costs, free_scratch=1)[0] == {"memory": True, "disk": False}
    assert judged(costs, free_disk=1)[0] == {"memory": False, "disk": False}
    fits, _, advice = judged(costs._replace(writing=large))
    assert fits == {"memory": False, "disk": True}
    assert "shards" in advice
    assert judged(costs, plan.counted)[2].endswith("gametree solve tictactoe")
    assert judged(costs, plan.counted._replace(writing=huge, scratch=huge))[2].endswith("solve tictactoe --no-counts")
    fits, verdicts, advice = judged(costs._replace(writing=huge, directory=huge))
    assert verdicts == {"no"}
    assert f"{readable(huge.low)} to {readable(huge.high)}" in advice
    assert "gametree solve" not in advice
    unlikely = costs._replace(writing=wide, directory=wide)
    fits, verdicts, advice = judged(unlikely)
    assert (fits, verdicts) == ({"memory": None, "disk": None}, {"unlikely"})
    for words in ("solve tictactoe --no-counts --anyway", "gametree show tictactoe"):
        assert words in advice
    fits, verdicts, advice = judged(costs._replace(writing=Span(1, 2 * free), directory=Span(1, 2 * plan.free_disk)))
    assert (fits["memory"], verdicts, advice.split()[1]) == (None, {"likely"}, "may")
    unknown = dataclasses.replace(plan.sizes, classes=Interval(765, 10**20, BOUNDED))
    fits, verdicts, advice = judged(unlikely, sizes=unknown)
    assert (fits["memory"], verdicts) == (None, {"unknown"})
    assert "more --seconds" in advice


def test_the_command_has_the_options():
    with analysis.running(workers=1):
        given = analysis.plan("tictactoe", seconds=SECONDS, memory="4GB", directory="a b")
    assert given.advice.endswith("solve tictactoe --out 'a b' --memory 4000000000B --workers 1")


def test_loopy_games_are_not_counted():
    data = analysis.plan("dodgem", seconds=SECONDS).to_json()
    assert data["counts"]["possible"] is False
    assert data["classes"]["low"] <= 1963 <= data["classes"]["high"]
    for need in ("memory_bytes", "directory_bytes", "seconds"):
        without = data[need].pop("without_counts")
        assert data[need] == without


def test_what_cannot_be_counted(monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", 60)  # on a busy machine too
    plan = analysis.plan("chomp:rows=15,cols=15", seconds=SECONDS)
    data = plan.to_json()
    assert data["memory_bytes"]["low"] is None
    assert data["memory_bytes"]["without_counts"]["low"] > 0
    assert data["counts"]["possible"] is False
    assert data["counts"]["why_not"]


@pytest.mark.parametrize(("heap", "long"), [(65_535, True), (65_534, False)])
def test_games_longer_than_the_greatest_remoteness(tmp_path, monkeypatch, heap, long):
    path = tmp_path / "heap.py"
    path.write_text(
        own_game(
            "Heap", start=str(2 * heap), legal_moves="out[0], out[1] = 1, 2\nreturn 2 if state > 3 else 1",
            play="state - 2 * move ^ 1", outcome="2 * (state & 1) - 1 if state < 2 else ONGOING",
            to_move="1 - 2 * (state & 1)", tier=f"{heap} - (state >> 1)",
        )
    )  # fmt: skip
    monkeypatch.setattr(foreseen, "LONG_GAME", 60.0)
    engine = make_engine(load_game(str(path)))
    if not long:
        foreseen.refuse_long_games(engine)
        return
    with pytest.raises(TooLargeError):
        foreseen.refuse_long_games(engine)
    planned = analysis.plan(str(path), seconds=1)
    assert planned.too_long
    assert "gametree solve" not in planned.advice
    with pytest.raises(TooLargeError):
        solve(str(path), counts=False)


def sizes_of(solution):
    def interval(number):
        return Interval(int(number), int(number), MEASURED)

    facts = solution.statistics()
    tiers = [TierSizes(tier.number, *[interval(len(tier))] * 3) for tier in solution.tiers]
    return GameSizes(*(interval(facts[name]) for name in ("positions", "classes", "moves")), tuple(tiers))


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(
    "spec",
    [
        "connect:rows=4,cols=4,k=4",
        "nim:heaps=5-6-7",
        pytest.param("hexapawn:rows=4,cols=4", marks=pytest.mark.slow),
        "dodgem",
    ],
)
def test_what_a_solve_takes(spec, counts, tmp_path):
    solution = analysis.solve(spec, directory=tmp_path / "s", counts=counts)
    engine = make_engine(load_game(spec))
    needs = costs_of(engine, sizes_of(solution), Tables(counts))
    for in_memory, span in ((True, needs.memory), (False, needs.writing)):
        budget = Budget.of_machine()
        list(compiled_passes(engine, counts, SizeGuard(engine, Tables(counts), budget, in_memory)))
        assert span.low <= budget.greatest <= span.high
    files = sum(path.stat().st_size for path in (tmp_path / "s").rglob("*") if path.is_file())
    assert needs.directory.low <= files <= needs.directory.high


EXAMPLES = f"{ROOT}/docs/how-to/examples"
QUIXO = 82_497_861, 1_435_325_616, (
    1, 2, 33, 565, 5088, 28983, 116776, 348006, 798443, 1428069, 2001104, 2171614, 1790428, 1078246, 446466, 112316,
    13104,
)  # fmt: skip
TEEKO = 171_875_046, 2_836_658_445, (1, 6, 85, 904, 9664, 66859, 443850, 2105695, 18873766)
"""Positions, moves, and classes by tier."""
FACTOR = 10
"""The greatest factor between the ends of an interval of memory, and by which the disk may be less than predicted; half
of that of seconds.
"""


@pytest.mark.parametrize(
    ("game", "facts", "asked", "touched", "scratch", "seconds"),
    [("quixo", QUIXO, 299e6, 333e6, 77e6, 44), ("teeko", TEEKO, 1708e6, 1465e6, 1858e6, 150)],
)
def test_what_loopy_games_take(game, facts, asked, touched, scratch, seconds):
    """Bytes that a solve asked for and that it touched, peak bytes on the disk in shards, and processor seconds: of two
    workers, by ``benchmarks/planning_measure.py``, where a class takes 2.8 microseconds.
    """
    positions, moves, tiers = facts
    known = [Interval(number, number, MEASURED) for number in (positions, sum(tiers), moves)]
    by_tier = [TierSizes(number, *[Interval(size, size, MEASURED)] * 3) for number, size in enumerate(tiers)]
    engine = make_engine(load_game(f"{EXAMPLES}/{game}.py"))
    needs = costs_of(engine, GameSizes(*known, tuple(by_tier), 2.8e-6), Tables(counts=False))
    assert needs.memory == needs.writing
    assert needs.memory.low <= min(asked, touched) <= max(asked, touched) <= needs.memory.high
    assert needs.memory.high <= FACTOR * needs.memory.low
    assert needs.seconds.low <= seconds <= needs.seconds.high <= 2 * FACTOR * needs.seconds.low
    assert needs.scratch.low <= scratch <= needs.scratch.high <= FACTOR * scratch


LONG = 60.0
"""Seconds that are never needed."""


def engine_of(spec, **options):
    return make_engine(load_game(spec), **options)


@pytest.mark.parametrize("spec", ["tictactoe", "dodgem", "morris", "kayles:pins=9", "dots_and_boxes", "othello:size=4"])
def test_what_is_counted_is_what_a_solve_counts(spec):
    sizes, stats = estimate_sizes(engine_of(spec), LONG), solve(spec, counts=False).statistics()
    for name in ("positions", "classes", "moves"):
        assert getattr(sizes, name) == (stats[name], stats[name], MEASURED)
    assert sum(tier.positions.low for tier in sizes.tiers) == stats["positions"]


@pytest.mark.parametrize(
    ("spec", "tiers"),
    [
        ("hex:n=3", 3),
        ("dodgem", 8),
        pytest.param("mnk:rows=3,cols=4,k=4", 6, marks=pytest.mark.slow),
        pytest.param("connect:rows=4,cols=4,k=4", 8, marks=pytest.mark.slow),
    ],
)
def test_estimates_from_some_tiers(spec, tiers):
    engine = engine_of(spec)
    truth = count_tiers(engine, LONG).tiers
    sizes = estimate_sizes(engine, 3.0, most_tiers=tiers)
    how = EXTRAPOLATED if tiers >= FEW else BOUNDED
    for name in ("positions", "classes", "moves"):
        size = getattr(sizes, name)
        assert size.how == how
        assert size.holds(sum(getattr(tier, name).low for tier in truth))
        assert all(getattr(tier, name).high <= size.high for tier in sizes.tiers)
    hows = [tier.positions.how for tier in sizes.tiers]
    assert hows == [MEASURED] * tiers + [how] * (len(hows) - tiers)
    assert (len(hows) > tiers) == (how == EXTRAPOLATED)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"start": "X???????????????????"}])
def test_residual_classes_are_no_more_than_positions(options):
    """Random games among classes know no end: 72,175,791 of 6.8e8 positions."""
    plan = analysis.plan("mnk:rows=4,cols=5,k=4", symmetry="residual", seconds=10, **options).to_json()
    assert plan["classes"]["low"] <= 72_175_791
    assert plan["classes"]["high"] < 1e12  # the sooner the time is over, the wider


SMALL = {
    "tictactoe": "", "mnk": "rows=2,cols=6,k=3", "wild": "rows=2,cols=4,k=3", "notakto": "rows=3,cols=4,k=3",
    "connect": "rows=3,cols=5,k=3", "hex": "n=3", "domineering": "rows=4,cols=4", "chomp": "rows=5,cols=6",
    "nim": "heaps=5-6-7", "kayles": "pins=20", "grundy": "heap=20", "dots_and_boxes": "rows=1,cols=4",
    "othello": "size=4", "hexapawn": "rows=4,cols=3", "dodgem": "n=3", "morris": "", "coin_grabber": "board=",
}  # fmt: skip
"""A small game of every family."""


@pytest.mark.parametrize("family", FAMILIES)
def test_intervals_hold_the_truth_within_the_bounds(family, tmp_path):
    """From one of its tiers, from two, and from half."""
    coins = tmp_path / "board.txt"
    coins.write_text("H 5 25\n10 1 5\n5 10 C\n")
    engine = engine_of(f"{family}:{SMALL[family]}{coins if family == 'coin_grabber' else ''}".rstrip(":"))
    engine.prepare()
    whole = count_tiers(engine, LONG)
    most = states_like(engine, np.concatenate(whole.states))
    truth = [sum(getattr(tier, name).low for tier in whole.tiers) for name in ("positions", "classes")]
    assert all(number <= bound for number, bound in zip(truth, most, strict=True))
    for tiers in {1, 2, len(whole.tiers) // 2}:
        counted = count_tiers(engine, LONG, tiers)
        sizes, met = sizes_beyond(engine, counted), sum(map(len, counted.met.values()))
        assert sizes.classes.low >= met + sum(map(len, counted.states))
        for interval, number, bound in zip((sizes.positions, sizes.classes), truth, most, strict=True):
            assert interval.low <= number <= interval.high <= bound or interval.high == GREATEST


def test_bounds_of_boards_are_near():
    """Quixo by the ways to mark its cells; see `test_what_loopy_games_take`."""
    engine = engine_of(f"{EXAMPLES}/quixo.py")
    sizes = estimate_sizes(engine, 1.0)
    assert 82_497_861 <= sizes.positions.high <= 2 * 3**16 + 1  # rounded up
    assert 10_339_244 <= sizes.classes.high < 1.05 * 10_339_244


SUBSETS = {"play": "state | 1 << move", "outcome": "ONGOING if state != 4095 else 0",
           "legal_moves": free_cells(12, "state >> i & 1"), "max_moves": "12"}  # fmt: skip


@pytest.mark.parametrize("most", [4096, 4095])
def test_most_positions(most, tmp_path, monkeypatch):
    """4,096 sets of 12 cells; a bound below that is a broken promise, wherever it is noticed."""
    path = tmp_path / "subsets.py"
    path.write_text(own_game("Subsets", most_positions=str(most), to_move="1 - popcount(state) % 2 * 2", **SUBSETS))
    engine = engine_of(str(path))
    sizes = sizes_beyond(engine, count_tiers(engine, LONG, 7))
    assert sizes.positions.high <= most
    use_small_shards(monkeypatch)
    ways = (
        lambda: estimate_sizes(engine, LONG),
        lambda: solve(str(path)),
        lambda: analysis.running(sharded=True)(analysis.solve)(str(path), directory=tmp_path / "s"),
    )
    for way in ways:
        if most < 4096:
            with pytest.raises(RulesError, match=f"most_positions={most:,}"):
                way()
        else:
            way()
    assert check_game(str(path), every=True).passed == (most == 4096)


QUICK = ("--seconds", "2")


def test_as_json_and_csv(gametree):
    data = gametree("plan", "tictactoe", *QUICK, "--format", "json").json
    assert data["classes"]["low"] <= 765 <= data["classes"]["high"]
    rows = gametree("plan", "tictactoe", *QUICK, "--format", "csv").rows
    assert [int(row["tier"]) for row in rows] == [tier["tier"] for tier in data["by_tier"]]
    assert [int(row["classes_low"]) for row in rows] == [tier["classes"]["low"] for tier in data["by_tier"]]


def test_a_game_that_expects_its_positions():
    """OEIS A212693: 4,531,985,219,092, of which each class has at most two."""
    plan = analysis.plan("connect:rows=6,cols=7", seconds=2).to_json()
    assert 4_531_985_219_092 / 2 < plan["positions"]["low"] <= 4_531_985_219_092 <= plan["positions"]["high"] < 1e13
    assert plan["classes"]["low"] < 4_531_985_219_092 / 2 < plan["classes"]["high"] < 5e12
    assert all(tier["positions"]["high"] <= plan["positions"]["high"] for tier in plan["by_tier"])
