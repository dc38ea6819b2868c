"""Bidding games on the command line, also games of one's own: what the library's tests do not see."""

import subprocess
import sys

import pytest

import analysis
from analysis.bidding import solve as solve_bidding
from analysis.games import families, user
from tests.support.own_game import free_cells, own_game
from tests.support.program import ROOT, one_line

SUM = own_game(
    "Sum",
    more="def rules(self):\n    return self.either_side()",
    method="either_side",
    play="1 + move",
    outcome="ONGOING if state == 0 else 2 * (state & 1)",
    payoffs="(0, 2)",
)
"""One move decides: 2 for the first player, nothing for the second."""


def test_an_expected_payoff_is_no_win(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM)
    found = gametree("show", "bidding:game=notakto:rows=2,cols=2,k=2,chips=2", "????")
    assert "value  -1/3: X's expected payoff under optimal play" in found.out
    found = gametree("show", f"bidding:game={tmp_path}/sum.py:Sum,chips=1+0", "0")
    assert "value  +2: X wins by 2 under optimal play" in found.out


def test_boards_that_are_not_by_plies(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM.replace("payoffs=(0, 2)", "payoffs=(0, 2), tier=outcome"))
    found = gametree("stats", f"bidding:game={tmp_path}/sum.py:Sum,chips=0")
    one_line(found, 1, "has tiers or loops; for bidding, boards must be tiered by ply")


@pytest.mark.slow
def test_stored_probabilities_are_those_of_memory(tmp_path):
    """Some do not fit the tables: numerator or denominator has more than 63 bits."""
    name, state = "bidding:game=mnk:misere=true,chips=9", "?X??O???? X=4 O=14 advantage=O"
    fresh = solve_bidding(name)[state]
    stored = analysis.bidding.solve(name, directory=tmp_path / "s")[state]
    assert stored.bids == fresh.bids
    assert any(isinstance(bid.probability, float) for bid in fresh.bids["O"])
    assert stored.to_json() == fresh.to_json()


def test_search_from_a_stored_game(gametree):
    gametree("solve", "bidding:game=mnk:rows=2,cols=2,k=2,chips=1", "--out", "there")
    found = gametree("show", "there", "X???", "--depth", "1", "--format", "json")
    assert found.json["searched"] == 1
    assert gametree("show", "there", "X???", "--depth", "1", "--evaluate", "none").code == 0
    one_line(gametree("show", "there", "X???", "--evaluate", "lines"), 2, "add --depth N")


def test_closed_standard_error():
    """What is meant for it does not go to the referee."""
    command = [sys.executable, str(ROOT / "cli.py"), "bot", "bidding-tictactoe", "--strategy", "rules", "--verbose"]
    shell = ["bash", "-c", 'exec "$@" 2>&-', "bash", *command]
    turn = "X\nBID\n\n\n___\n___\n___\n"
    found = subprocess.run(shell, input=turn, stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    assert found.stdout in {f"{bid}\n" for bid in range(5)}


def test_the_directory_is_suggested_where_it_is(gametree):
    printed = gametree("solve", "bidding:game=mnk:rows=2,cols=2,k=2,chips=1", "--out", "o/there").out
    assert "stats o/there\n" in printed
    assert "show o/there '???? X=1 O=1 advantage=X'\n" in printed


@pytest.mark.parametrize(("given", "word"), [("tictactoe,frist=X", "'frist'"), ("tictactoe,CHIPS=4", "'CHIPS'")])
def test_misspelled_parameters(gametree, given, word):
    one_line(gametree("solve", f"bidding:game={given}"), 2, f"tictactoe has no parameter {word}")


def test_other_solutions_are_not_overwritten(gametree):
    gametree("solve", "bidding:game=mnk:rows=2,cols=2,k=2,chips=1", "--out", "there")
    one_line(gametree("solve", "tictactoe", "--out", "there"), 1, "choose another directory, or use --force")
    assert gametree("solve", "tictactoe", "--out", "there", "--force").code == 0
    one_line(
        gametree("solve", "bidding:chips=1", "--out", "there"),
        1,
        "choose another directory, or replace it with --force",
    )


RACE = own_game(
    "Pair",
    fields="n: int = 3",
    more="def rules(self):\n    return self.either_side()",
    method="either_side",
    setup="n, board = self.n, (1 << self.n) - 1",
    max_moves="2 * n",
    legal_moves=free_cells("2 * n", "(state | state >> n) >> (i >> 1) & 1"),
    play="state | 1 << ((move >> 1) + n * (move & 1))",
    outcome="""
x, o = state & board, state >> n
if x & x >> 1:
    return 1
if o & o >> 1:
    return -1
return 0 if x | o == board else ONGOING
""",
)
"""Two marks side by side on a row of n cells win; bit i is X's mark on cell i, bit i + n O's."""


@pytest.fixture
def pair(tmp_path):
    path = tmp_path / "pair.py"
    path.write_text(RACE)
    return path


def test_played_by_bidding(gametree, pair):
    """The same as the built-in game of two in a row on one row."""
    own = gametree("stats", f"bidding:game={pair}:Pair:n=3,chips=2", "--format", "json")
    known = gametree("stats", "bidding:game=mnk:rows=1,cols=3,k=2,chips=2", "--format", "json", "--symmetry", "none")
    assert (own.code, own.err) == (0, "")
    for name in ("value", "boards", "terminal", "states", "saddle", "mixed", "by_value", "by_tier"):
        assert own.json[name] == known.json[name]


def test_stored_and_verified(gametree, pair):
    assert gametree("solve", f"bidding:game={pair}:Pair:n=3,chips=1", "--out", "there").code == 0
    assert gametree("show", "there", "0 X=1 O=1 advantage=X").code == 0
    assert gametree("verify", "there").code == 0
    pair.write_text(pair.read_text().replace("return 0 if x | o", "return 1 if x | o"))
    named = ("--game", f"bidding:game={pair}:Pair:n=3,chips=1")
    one_line(gametree("show", "there", "0 X=1 O=1 advantage=X", *named), 1, "have changed since there was solved")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("either_side", "other", "either side may be given the move"),
        ("        n, board =", "        return 1 // 0\n        n, board =", "in either_side(): ZeroDivisionError"),
        ("        n, board =", "        return 7\n        n, board =", "returns a int"),
        ("out[count] = i", "out[count] = 255", "move code 255"),
    ],
)
def test_mistakes(gametree, pair, old, new, words):
    pair.write_text(pair.read_text().replace(old, new))
    found = gametree("stats", f"bidding:game={pair}:Pair,chips=1")
    assert (found.code in (1, 2), found.out) == (True, "")
    assert words in found.err.splitlines()[0], found.err


def test_a_directory_runs_no_file(gametree, pair, monkeypatch):
    spec = f"bidding:game={pair}:Pair:n=3,chips=1"
    assert gametree("solve", spec, "--out", "there").code == 0
    with_rules = gametree("show", "there", "--game", spec, "--format", "json").json
    text = pair.read_text()
    monkeypatch.setattr(families, "_NAMED", {})
    monkeypatch.setattr(user, "_FILES", {})
    pair.write_text("raise SystemExit('it was run')")
    for command in (["stats"], ["show"], ["verify"], ["play"], ["match", "perfect", "random"]):
        refused = gametree(command[0], "there", *command[1:])
        one_line(refused, 1, "whose rules are needed here")
    pair.write_text(text)
    assert gametree("show", "there", "--game", spec, "--format", "json").json == with_rules
