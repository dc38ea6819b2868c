"""`verify_bidding` passes what was solved, refuses what a wrong solver writes, and checks mixed bids one by one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from analysis.bidding import bidding_induction, bidding_rules, bidding_verify
from analysis.bidding.bidding_solving import bidding_to_directory
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.bidding_verify import certified
from analysis.bidding.bidding_verify import verify as verify_bidding
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.least_chips import MOST
from analysis.engine import columns
from tests.support.bidding_forging import MIXED, PURE, refused
from tests.support.forging import forge_manifest, manifest_of

FAST = [
    "mnk:rows=2,cols=3,k=3,chips=4",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=4+3,pays=bank",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=3,pays=bank,ties=coin",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=2,ties=chooses,pays=bank,least=1",
]
SLOW = [
    "tictactoe,chips=6,pays=bank,least=1",
    "mnk:rows=2,cols=3,k=3,misere=true,chips=3+1,first=O",
    "mnk:rows=2,cols=2,k=2,chips=3",
    "mnk:rows=2,cols=3,k=3,chips=4,least=1",
    "mnk:rows=2,cols=3,k=2,chips=3,ties=coin",
    "mnk:rows=2,cols=3,k=3,chips=5,ties=chooses",
    "mnk:rows=1,cols=1,k=1,chips=0",
    "mnk:rows=2,cols=2,k=2,chips=0+3",
    "connect:rows=2,cols=3,k=2,chips=3",
    "wild:rows=2,cols=2,k=2,chips=3,ties=chooses",
    "notakto:rows=2,cols=2,k=2,chips=4",
    "hex:n=2,chips=3",
    "tictactoe,chips=4",
]


@pytest.fixture(scope="module", params=[PURE, MIXED], ids=["pure", "mixed"])
def original(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("bidding") / "s"
    bidding_to_directory(request.param, directory, text=True)
    return directory


# Solved directories ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [*FAST, *(pytest.param(game, marks=pytest.mark.slow) for game in SLOW)])
def test_intact(tmp_path, game):
    solution, _ = bidding_to_directory(f"bidding:game={game}", tmp_path / "s")
    stats, report = solution.statistics(), verify_bidding(tmp_path / "s")
    assert (report.boards, report.states, report.mixed) == (stats["boards"], stats["states"], stats["mixed"])
    assert report.game == solution.game.spec
    assert report.totals == sum(solution.game.budgets) + 1
    assert report.files == 1 + 2 * len(solution.totals)


@pytest.mark.parametrize("symmetry", ["none", "full"])
def test_other_symmetries(tmp_path, symmetry):
    bidding_to_directory("bidding:game=mnk:rows=2,cols=3,k=3,chips=2", tmp_path / "s", symmetry=symmetry, text=True)
    assert verify_bidding(tmp_path / "s").boards == 725


@pytest.mark.slow
def test_least_chips_are_tabulated_up_to_a_bound(tmp_path, monkeypatch):
    game = "bidding:game=mnk:rows=1,cols=1,k=1,chips=0+400,pays=bank"
    bidding_to_directory(game, tmp_path / "s")
    assert verify_bidding(tmp_path / "s").totals == 201
    monkeypatch.setitem(MOST, "bank", 100)
    bidding_to_directory(game, tmp_path / "s", force=True)
    assert verify_bidding(tmp_path / "s").totals == 101
    monkeypatch.undo()
    refused(tmp_path / "s", r"least_chips\[202\] is nothing, the rules say .*101")


@pytest.mark.slow
def test_least_chips_of_every_total(tmp_path):
    bidding_to_directory("bidding:game=mnk:rows=1,cols=1,k=1,chips=101", tmp_path / "s")
    assert verify_bidding(tmp_path / "s").totals == 203
    manifest = manifest_of(tmp_path / "s")
    row = next(row for row in manifest["least_chips"] if row["total"] == 201)
    row["win"] += 1
    forge_manifest(tmp_path / "s", manifest)
    refused(tmp_path / "s", rf"least_chips\[402\].win is {row['win']}, the rules say {row['win'] - 1}")


def test_report(original):
    report = verify_bidding(original)
    assert report.to_json()["files"] == report.files
    mixed = "states, 0 of them" if report.game == PURE else "352 states, 60 of them"
    assert f"all {report.files} files are intact" in report.sentence()
    assert mixed in report.sentence()


def test_in_parts_and_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "PART", 500)
    bidding_to_directory("bidding:game=tictactoe,chips=2", tmp_path / "s")
    assert len(list((tmp_path / "s" / "positions").glob("tier-0005-*"))) > 3
    assert verify_bidding(tmp_path / "s").boards == 18753
    first, second = sorted((tmp_path / "s" / "positions").glob("tier-0005-*"))[:2]
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    refused(tmp_path / "s", "damaged")


def test_nothing_of_the_solver_is_used(original, monkeypatch):
    def used(*_):
        raise RuntimeError("verification uses the solver")

    patched = 0
    for module in (kernels, bidding_induction):
        for name, value in list(vars(module).items()):
            if (
                callable(value)
                and getattr(value, "__module__", None) == module.__name__
                and not isinstance(value, type)
            ):
                monkeypatch.setattr(module, name, used)
                patched += 1
    assert patched > 8
    assert verify_bidding(original).files > 0
    sources = Path(bidding_verify.__file__).read_text()
    assert "import" in sources
    assert "saddles" not in sources
    assert "induction" not in sources


def test_progress(original):
    seen = []
    verify_bidding(original, progress=lambda what, done, total: seen.append((what, done, total)))
    assert {what for what, _, _ in seen} == {"playing", "verifying", "least chips"}
    assert all(0 <= done <= total for _, done, total in seen)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        "tictactoe:misere=true,chips=6,pays=bank",  # has values that are rounded
        "tictactoe,chips=30,ties=coin",
        "tictactoe,chips=10,pays=bank,least=1",
        "hex:n=3,chips=6,ties=chooses",
        "mnk:rows=2,cols=2,k=2,chips=110",
    ],
)
def test_larger(tmp_path, game):
    solution, _ = bidding_to_directory(f"bidding:game={game}", tmp_path / "s")
    assert verify_bidding(tmp_path / "s").states == solution.statistics()["states"]


# A solver that is wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rule", "other"), [("passes", "chooses"), ("chooses", "passes")])
def test_another_tie_rule(tmp_path, monkeypatch, rule, other):
    monkeypatch.setitem(bidding_rules.RULES, rule, bidding_rules.RULES[other])
    bidding_to_directory(f"bidding:game=mnk:rows=2,cols=3,k=3,misere=true,chips=2,ties={rule}", tmp_path / "s")
    refused(tmp_path / "s", r"tier \d, state \S+ X=\d O=\d advantage=[XO]: (value|[xo]_bid) is ")


def test_any_optimal_placement_will_not_do(tmp_path, monkeypatch):
    """Of equally good placements the first is written; the last is refused."""
    found = bidding_induction._best

    def last(side, *rest):
        turned = type(side)(side.offsets, side.rows.copy(), side.moves.copy())
        for low, high in zip(side.offsets[:-1], side.offsets[1:], strict=True):
            for array in (turned.rows, turned.moves):
                array[low:high] = array[low:high][::-1].copy()
        return found(turned, *rest)

    monkeypatch.setattr(bidding_induction, "_best", last)
    bidding_to_directory("bidding:game=tictactoe,chips=1", tmp_path / "s")
    refused(tmp_path / "s", r"tier \d, state .*: x_move is \d, the rules say \d")


# Mixed bids, one matrix -----------------------------------------------------------------------------------------------


HALF, THIRD, ONE = Fraction(1, 2), Fraction(1, 3), Fraction(1)


def exactly(number, *names):
    """A number as the tables write it."""
    parts = (None, None) if isinstance(number, float) else (number.numerator, number.denominator)
    return dict(zip(names, (float(number), *parts), strict=True))


def found(matrix, value, x, o):
    """What is found of a state with bids from 0 on, which mix so; where it is refused, why."""
    row = exactly(value, "value", "value_numerator", "value_denominator")
    for side, mix in (("x", x), ("o", o)):
        row[f"{side}_mix"] = [
            {"bid": bid, **exactly(p, "probability", "numerator", "denominator")} for bid, p in enumerate(mix) if p
        ]
    try:
        return certified(matrix, (range(2), range(2)), row).value
    except ValueError as error:
        return str(error)


def test_mixed_bids_of_one_matrix():
    pennies, even, odd = [[ONE, -ONE], [-ONE, ONE]], (HALF, HALF), (THIRD, 1 - THIRD)
    rounded = (0.5, 0.5)
    assert found(pennies, Fraction(0), even, even) == 0
    for value, x, o, reason in (
        (Fraction(0), odd, even, "x_mix gets -1/3 where it is answered best, and not 0"),
        (Fraction(0), even, odd, "o_mix gets 1/3 where it is answered best, and not 0"),
        (Fraction(1, 10**18), even, even, "x_mix gets 0 where"),
        (Fraction(0), (HALF,), even, "x_mix has no probabilities of legal bids that add up to 1"),
        (Fraction(0), (HALF, 0, HALF), even, "x_mix has no probabilities of legal bids that add up to 1"),
        (Fraction(0), (3 * HALF, -HALF), even, "x_mix has no probabilities of legal bids that add up to 1"),
        (Fraction(0), rounded, even, "x_mix has rounded probabilities, the rules say [Fraction(1, 2)"),
        (Fraction(0), (HALF, 0.5), even, "x_mix has rounded probabilities, the rules say [Fraction(1, 2)"),
        (0.0, even, even, "value is 0.0, the rules say exactly 0"),
        (0.0, rounded, rounded, "value is 0.0, the rules say exactly 0"),
        (float("nan"), rounded, rounded, "x_mix gets"),
    ):
        assert found(pennies, value, x, o).startswith(reason)


def test_mixed_bids_for_what_is_rounded():
    """Strategies for payments that are doubles miss the value by a little, and everything is a double."""
    matrix, p = [[0.7, -ONE], [-ONE, ONE]], 2 / 3.7
    fine, value = (p, 1 - p), 0.7 * p - (1 - p)
    assert found(matrix, value, fine, fine) == value
    for wrong, x, reason in (
        (Fraction(value), fine, "value, x_mix or o_mix has an exact number"),
        (value, (Fraction(20, 37), Fraction(17, 37)), "value, x_mix or o_mix has an exact number"),
        (value, (0.5 + 1e-9, 0.5 - 1e-9), "x_mix gets"),
        (value + 1e-7, fine, "x_mix gets"),
        (value, (p, 1 - p + 1e-9), "x_mix has no probabilities"),
        (value, (float("nan"), 1 - p), "x_mix has no probabilities"),
    ):
        assert found(matrix, wrong, x, fine).startswith(reason)


def test_probabilities_that_do_not_fit():
    """Those of X need 124 bits; the value, 0, is proved by the solution of the matrix."""
    x, z = Fraction(2**61 + 1, 2**62 - 1), Fraction(3**38, 5**26)
    matrix, even = [[x, -x], [-z, z]], (HALF, HALF)
    p = z / (x + z)
    assert p.denominator > 2**100
    rounded = (float(p), float(1 - p))
    assert found(matrix, Fraction(0), rounded, even) == 0
    for value, parts, o, reason in (
        (Fraction(1, 10**17), rounded, even, "value is 1/100000000000000000, the rules say exactly 0"),
        (Fraction(0), rounded, (0.5, 0.5), "o_mix has rounded probabilities"),
        (Fraction(0), (float(p) + 1e-12, float(1 - p) - 1e-12), even, "x_mix has rounded probabilities"),
        (Fraction(0), (float(p) + 1e-7, float(1 - p) - 1e-7), even, "x_mix gets"),
        (0.0, rounded, even, "value is 0.0, the rules say exactly 0"),
    ):
        assert found(matrix, value, parts, o).startswith(reason)


@pytest.mark.parametrize("pays", ["loser", "bank"])
def test_least_chips_against_the_solution(tmp_path, pays):
    """What X can force is what the values say, where every state has a saddle point and ties are no half points."""
    base = f"bidding:game=mnk:rows=2,cols=3,k=3,pays={pays}"
    solution, _ = bidding_to_directory(f"{base},chips=3", tmp_path / "s")
    verify_bidding(tmp_path / "s")
    for row in solution.least_chips:
        smaller = solve_bidding(f"{base},chips={row.total}+{row.total if pays == 'bank' else 0}")
        splits = range(row.total + 1)
        values = [smaller.lookup(smaller.start.board, x, row.total - x, row.advantage).value for x in splits]
        for least, enough in ((row.win, 1), (row.tie, 0)):
            assert least == next((x for x, value in enumerate(values) if value >= enough), None)
