"""`verify_bidding` passes what was solved, refuses what a wrong solver writes, and checks mixed bids one by one."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from analysis.bidding import bidding_induction, state_layout
from analysis.bidding.bidding_solving import bidding_to_directory, solve_bidding
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.least_chips import MOST
from analysis.bidding.verification import bid_certificates, tier_check
from analysis.bidding.verification.bid_certificates import MatrixOfBids, RefusedError, check_mixes
from analysis.bidding.verification.bidding_verify import verify_bidding
from analysis.bidding.verification.forced_chips import forced_rows
from analysis.bidding.verification.played_boards import Images, play_boards
from analysis.engine import columns
from analysis.games.families import load_game
from analysis.machine.workers import no_progress
from tests.support.bidding_forging import MIXED, PURE, refused

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
    refused(tmp_path / "s", "least_chips has not one row for each holder and total of chips up to 200")


def test_report(original):
    report = verify_bidding(original)
    assert report.to_json()["files"] == report.files
    mixed = "states, 0 of them" if report.game == PURE else "352 states, 60 of them"
    assert f"all {report.files} files are intact" in report.sentence()
    assert mixed in report.sentence()


def test_in_parts_and_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "PART", 500)
    monkeypatch.setattr(tier_check, "CHUNK", 300)
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
    sources = "".join(path.read_text() for path in Path(bid_certificates.__file__).parent.glob("*.py"))
    assert "import" in sources
    assert "kernels" not in sources
    assert "induction" not in sources


def test_progress(original):
    seen = []
    verify_bidding(original, progress=lambda what, done, total: seen.append((what, done, total)))
    assert {what for what, _, _ in seen} == {"playing", "verifying", "verifying the least chips"}
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
    monkeypatch.setitem(state_layout.RULES, rule, state_layout.RULES[other])
    bidding_to_directory(f"bidding:game=mnk:rows=2,cols=3,k=3,misere=true,chips=2,ties={rule}", tmp_path / "s")
    refused(tmp_path / "s", r"tier \d, state \S+ X=\d O=\d advantage=[XO]: [xo]_bid is ")


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


def drawn(*parts):
    """Mixed bids as the tables write them, those with a fraction exactly."""
    return [
        {"bid": bid, "probability": float(p)}
        | (
            {"numerator": None, "denominator": None}
            if isinstance(p, float)
            else {"numerator": p.numerator, "denominator": p.denominator}
        )
        for bid, p in parts
    ]


HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ONE, NO = Fraction(1), Fraction(-1)


def pennies(a=ONE, b=NO, c=NO, d=ONE):
    """Bids 0 and 1: X wins the higher bid and gets c, ties pay a and d, O wins and X gets b."""
    return MatrixOfBids({0: a, 1: c}, {0: a, 1: b}, {0: a, 1: d})


def test_mixed_bids_of_one_matrix():
    even = drawn((0, HALF), (1, HALF))
    check_mixes(pennies(), Fraction(0), {"X": even, "O": even})
    for value, x, o, reason in (
        (Fraction(0), drawn((0, THIRD), (1, 1 - THIRD)), even, "x_mix gets -1/3 where it is answered best, and not 0"),
        (Fraction(0), even, drawn((0, THIRD), (1, 1 - THIRD)), "o_mix gets 1/3 where it is answered best, and not 0"),
        (Fraction(1, 10**18), even, even, "x_mix gets 0 where"),
        (Fraction(0), drawn((0, HALF)), even, "x_mix: probabilities add up to 1/2"),
        (Fraction(0), drawn((1, HALF), (0, HALF)), even, "x_mix: bids are not in ascending order"),
        (Fraction(0), drawn((0, HALF), (2, HALF)), even, "x_mix: 2 with probability 1/2 is no bid"),
        (Fraction(0), drawn((0, ONE), (1, Fraction(0))), even, "x_mix: 1 with probability 0 is no bid"),
        (Fraction(0), drawn((0, 0.5), (1, 0.5)), even, "x_mix: the probability of 0 is exactly 1/2"),
        (Fraction(0), drawn((0, HALF), (1, 0.5)), even, "x_mix: the probability of 1 is exactly 1/2"),
        (0.0, even, even, "value is 0.0, rounded, and the rules say exactly what it is"),
        (0.0, drawn((0, 0.5), (1, 0.5)), drawn((0, 0.5), (1, 0.5)), "rounded, and the rules say exactly"),
    ):
        with pytest.raises(RefusedError, match=reason):
            check_mixes(pennies(), value, {"X": x, "O": o})
    with pytest.raises(RefusedError, match="bids without chance would do"):
        check_mixes(pennies(b=ONE), ONE, {"X": even, "O": even})


def test_mixed_bids_for_what_is_rounded():
    """Strategies for payments that are doubles miss the value by a little, and everything is a double."""
    matrix, loose = pennies(a=0.7), drawn((0, 0.5 + 1e-9), (1, 0.5 - 1e-9))
    p = 2 / 3.7
    fine = drawn((0, p), (1, 1 - p))
    value = 0.7 * p - (1 - p)
    check_mixes(matrix, value, {"X": fine, "O": fine})
    exact = drawn((0, Fraction(20, 37)), (1, Fraction(17, 37)))
    for wrong, x, reason in (
        (Fraction(value), fine, "follows from rounded ones"),
        (value, exact, "x_mix: the probability of 0 is exact, and follows from rounded values"),
        (value, loose, "x_mix gets"),
        (value + 1e-7, fine, "x_mix gets"),
        (value, drawn((0, p), (1, 1 - p + 1e-9)), "add up to"),
        (value, [{**fine[0], "probability": float("nan")}, fine[1]], "is nan"),
    ):
        with pytest.raises(RefusedError, match=reason):
            check_mixes(matrix, wrong, {"X": x, "O": fine})


def test_probabilities_that_do_not_fit():
    """Those of X need 124 bits; the value, 0, is proved by the solution of the matrix."""
    x, z = Fraction(2**61 + 1, 2**62 - 1), Fraction(3**38, 5**26)
    matrix, even = pennies(x, -x, -z, z), drawn((0, HALF), (1, HALF))
    p = z / (x + z)
    assert p.denominator > 2**100
    rounded = drawn((0, float(p)), (1, float(1 - p)))
    check_mixes(matrix, Fraction(0), {"X": rounded, "O": even})
    for value, parts, o, reason in (
        (Fraction(1, 10**17), rounded, even, "value is exactly 1/100000000000000000, the rules say 0"),
        (Fraction(0), rounded, drawn((0, 0.5), (1, 0.5)), "o_mix: the probability of 0 is exactly 1/2"),
        (Fraction(0), drawn((0, float(p) + 1e-12), (1, float(1 - p) - 1e-12)), even, "x_mix: the probability of 0"),
        (Fraction(0), drawn((0, float(p) + 1e-7), (1, float(1 - p) - 1e-7)), even, "x_mix gets"),
        (0.0, rounded, even, "value is 0.0, rounded, and the rules say exactly what it is"),
    ):
        with pytest.raises(RefusedError, match=reason):
            check_mixes(matrix, value, {"X": parts, "O": o})


def test_least_chips_against_the_solution(tmp_path):
    """What X can force is what the values say, where every state has a saddle point and ties are no half points."""
    base = "bidding:game=mnk:rows=2,cols=3,k=3"
    game = load_game(f"{base},chips=3")
    rules = game.base.either_side()
    rows = forced_rows(game, play_boards(rules, Images(rules, "none"), no_progress), 6, no_progress)
    for total in range(7):
        solution = solve_bidding(f"{base},chips={total}+0")
        for holder in "XO":
            values = [solution.lookup(rules.start, x, total - x, holder).value for x in range(total + 1)]
            for name, enough in (("win", 1), ("tie", 0)):
                least = next((x for x, value in enumerate(values) if value >= enough), None)
                assert rows[total, holder][name] == least
