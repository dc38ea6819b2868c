"""What a solve takes lies in the intervals that are told for a game of its size."""

from __future__ import annotations

import pytest

import analysis
from analysis.engine import foresight
from analysis.engine.engine import make_engine
from analysis.errors import CountOverflowError
from analysis.games.families import FAMILIES, load_game
from analysis.machine.memory import Budget
from analysis.planning.costs import Span, costs_of
from analysis.planning.sizes import EXTRAPOLATED, MEASURED, GameSizes, Interval, TierSizes
from analysis.solving.resources import SizeGuard
from analysis.solving.solve import compiled_passes
from analysis.storage.store import Tables


def sizes_of(solution):
    def interval(number):
        return Interval(int(number), int(number), MEASURED)

    facts = solution.statistics()
    tiers = [TierSizes(tier.number, *[interval(len(tier))] * 3) for tier in solution.tiers]
    return GameSizes(*(interval(facts[name]) for name in ("positions", "canonical", "moves")), tuple(tiers))


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


@pytest.mark.parametrize("family", [name for name, cls in FAMILIES.items() if name != "bidding"])
def test_intervals_of_every_family(family):
    """Low ends are below high ones, and nothing takes less with counts than without, or with more classes."""
    engine = make_engine(load_game(family))
    small, large = (
        GameSizes(*[Interval(n, 10 * n, EXTRAPOLATED)] * 3, (TierSizes(0, *[Interval(n, 10 * n, EXTRAPOLATED)] * 3),))
        for n in (10**5, 10**9)
    )
    bits = Span(40, 80)
    plain, counted, more = (
        costs_of(engine, sizes, Tables(counts), bits)
        for sizes, counts in ((small, False), (small, True), (large, False))
    )
    for one, other, third in zip(plain, counted, more, strict=True):
        assert all(0 <= span.low <= span.high for span in (one, other, third))
        assert one.low <= other.low
        assert one.high <= other.high
        assert one.low <= third.low
    assert more.memory.low > 10 * plain.memory.low
    assert (plain.memory == counted.memory) == engine.loopy


def test_sizes_without_tiers():
    engine = make_engine(load_game("connect"))
    sizes = GameSizes(*[Interval(10**12, 10**13, EXTRAPOLATED)] * 3, ())
    needs = costs_of(engine, sizes, Tables(counts=False))
    assert 16e12 < needs.memory.low < needs.memory.high


def test_tables_on_request_take_more():
    engine = make_engine(load_game("connect"))
    sizes = GameSizes(*[Interval(10**6, 10**6, EXTRAPOLATED)] * 3, ())
    plain = costs_of(engine, sizes, Tables(counts=False)).directory
    more = costs_of(engine, sizes, Tables(counts=False, moves=True, text=True)).directory
    assert more.low > plain.low
    assert more.high > plain.high


def test_games_that_nobody_can_count(monkeypatch):
    monkeypatch.setattr(foresight, "PATIENCE", 60)  # on a busy machine too
    engine = make_engine(load_game("chomp:rows=15,cols=15"))
    sizes = GameSizes(*[Interval(10**6, 10**6, EXTRAPOLATED)] * 3, ())
    costs_of(engine, sizes, Tables(counts=False))
    with pytest.raises(CountOverflowError):
        costs_of(engine, sizes, Tables())


def test_as_integers_rounded_outward():
    assert Span(0.5, 1.2).to_json() == {"low": 0, "high": 2}
