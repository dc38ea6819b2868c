"""Counts of more than 64 bits, where even 128 will not do, and what random games tell of it beforehand."""

import math
import random

import numpy as np
import pyarrow as pa
import pytest

import analysis
from analysis.common.memory import Budget
from analysis.engine import plan as foreseen
from analysis.engine.census import count_positions
from analysis.engine.columns import to_int
from analysis.engine.engine import make_engine
from analysis.engine.kernels import counting
from analysis.engine.passes import forward_by_ply as forward
from analysis.engine.passes import histories
from analysis.engine.passes.forward_by_ply import forward_by_ply, ranked
from analysis.engine.plan import Plan
from analysis.errors import CountOverflowError, RulesError
from analysis.games.families import load_game
from analysis.solving.to_directory import solve_to_directory
from tests.support.own_game import own_game


def limbs(numbers: list[int]) -> np.ndarray:
    return np.array([[n & (2**64 - 1), n >> 64] for n in numbers], dtype=np.uint64).reshape(-1, 2)


@pytest.mark.slow
def test_two_limbs_give_the_same_solution(monkeypatch, tmp_path):
    """A whole solve, its directory and its verification in 128 bits, by pretending that nothing fits 64."""
    wanted = analysis.solve("mnk:cols=4")
    monkeypatch.setattr(histories, "ONE_LIMB", 100)
    wide = analysis.solve("mnk:cols=4")
    assert wide.statistics() == wanted.statistics()
    assert wide["XOX?O???????"] == wanted["XOX?O???????"]
    stored = solve_to_directory("mnk:cols=4", tmp_path / "wide")
    assert stored.statistics() == wanted.statistics()
    assert stored["XOX?O???????"] == wanted["XOX?O???????"]
    assert pa.types.is_decimal(stored.tiers[3].table().schema.field("games_x").type)
    assert stored.positions(3)["games_x"].map(int).tolist() == wanted.positions(3)["games_x"].tolist()
    assert wide.positions(3)["histories"].map(int).tolist() == wanted.positions(3)["histories"].tolist()
    assert analysis.verify(tmp_path / "wide").classes == wanted.classes


def test_overflow_names_the_tier():
    engine, plan = make_engine(load_game("tictactoe")), Plan(Budget.of_machine(), True, 6)
    assert forward_by_ply(engine, plan, greatest=255168).histories.limbs == 1
    with pytest.raises(CountOverflowError, match=r"at ply 6 there are more than 50,000"):
        forward_by_ply(engine, plan, greatest=50000)


def test_keys_take_their_places_along():
    """Also those of 63 bits, which have no room for them."""
    numbers = np.random.default_rng(0)
    for top in (10, 1 << 20, 1 << 40, (1 << 63) - 1):
        keys = numbers.integers(-top if top == 10 else 0, top, 5000)
        wanted, ranks = np.unique(keys, return_inverse=True)
        n, found = ranked(keys)
        assert keys[:n].tolist() == wanted.tolist()
        assert found.tolist() == ranks.tolist()


def test_links_kept_or_made_again(monkeypatch):
    wanted = analysis.solve("tictactoe").statistics()
    monkeypatch.setattr(forward, "KEEP_SHARE", 0.0)
    assert analysis.solve("tictactoe").statistics() == wanted


@pytest.mark.parametrize("spec", ["tictactoe", "nim:heaps=3-4-5", "dodgem:n=2", "morris:variant=tapatan"])
def test_positions_are_counted_alike_by_numpy_and_compiled(monkeypatch, spec):
    """Of large tiers the compiled loop counts: values, ends, draws and remoteness of either player's turn."""
    tiers = analysis.solve(spec).tiers
    by_numpy = [count_positions(tier) for tier in tiers]
    monkeypatch.setattr("analysis.engine.census.FEW", 0)
    for wanted, found in zip(by_numpy, map(count_positions, tiers), strict=True):
        assert found.counts.tolist() == wanted.counts.tolist()
        assert found.by_remoteness.tolist() == wanted.by_remoteness.tolist()


@pytest.mark.parametrize("number", [1, 2])
def test_sums_that_do_not_fit_are_noticed(number):
    """Of one limb, and of two: along moves, and added up."""
    half = 2 ** (64 * number - 1)
    own = limbs([half, half - 1])[:, :number] if number == 2 else np.array([[half], [half - 1]], dtype=np.uint64)
    parents, rows = np.array([0, 1], dtype=np.int64), np.zeros(2, dtype=np.uint32)
    below = np.zeros((1, 2, number), dtype=np.uint64)
    assert counting.spread_plies(own[:, None], parents, rows, below, 1) == 0
    assert to_int(below[0, 1]) == 2 * half - 1
    assert counting.spread_plies(own[:, None], parents[:1], rows[:1], below, 1) == counting.OVERFLOW
    total = own[1:].copy()
    assert counting.add_histories(total, own[:1].copy()) == 0
    assert to_int(total[0]) == 2 * half - 1
    assert counting.add_histories(total, own[:1].copy()) == counting.OVERFLOW


def test_the_mean_is_the_number_of_games():
    rules, generator = load_game("tictactoe").rules(), random.Random(1)
    logs = [foreseen._log_of_games(rules, rules.start, generator, eager=False) for _ in range(4000)]
    assert math.exp(foreseen._log_of_mean(logs)) == pytest.approx(255168, rel=0.02)


@pytest.mark.parametrize("spec", ["chomp:rows=15,cols=15", "kayles:pins=62"])
def test_what_cannot_be_counted_is_refused_at_once(spec, monkeypatch):
    monkeypatch.setattr(foreseen, "PATIENCE", 60)  # on a busy machine too
    with pytest.raises(CountOverflowError, match="counts=False"):
        foreseen.refuse_uncountable(make_engine(load_game(spec)))


def test_games_that_return_to_a_position_are_told_so_and_not_to_leave_out_counts(tmp_path, gametree):
    """A token on a ring of 1,000 cells goes a step in either direction, or is taken off: most games end late."""
    code = own_game(
        "Ring", play="2000 if move == 49 else (state + 1) % 1000 if move % 2 else (state + 999) % 1000",
        legal_moves="for i in range(50):\n    out[i] = i\nreturn 50", outcome="1 if state == 2000 else ONGOING",
        max_moves="50", largest_code="49",
    )  # fmt: skip
    (tmp_path / "ring.py").write_text(code)
    with pytest.raises(RulesError, match="loopy=True"):
        foreseen.refuse_uncountable(make_engine(load_game(f"{tmp_path}/ring.py")))
    for command in (["solve", "ring.py"], ["plan", "ring.py"], ["solve", "ring.py", "--sharded"]):
        refused = gametree(*command)
        assert (refused.code, "loopy=True" in refused.err, "--no-counts" in refused.err) == (1, True, False)
