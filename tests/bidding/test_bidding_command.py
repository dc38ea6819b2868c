"""Bidding games on the command line: what the library's tests do not see."""

from __future__ import annotations

import subprocess
import sys

import pytest

from analysis.bidding import solve as solve_bidding
from analysis.bidding.bidding_solving import bidding_to_directory
from tests.support.program import ROOT, one_line

SUM = """
import dataclasses

from analysis import ONGOING, Rules


@dataclasses.dataclass(frozen=True)
class Sum:
    \"\"\"One move decides: 2 for the first player, nothing for the second.\"\"\"

    def rules(self):
        return self.either_side()

    def either_side(self):
        def outcome(state):
            return ONGOING if state == 0 else 2 * (state & 1)

        def legal_moves(state, out):
            out[0], out[1] = 0, 1
            return 2

        def play(state, move):
            return 1 + move

        def to_move(state):
            return 1

        return Rules(start=0, max_moves=2, legal_moves=legal_moves, play=play, outcome=outcome, to_move=to_move,
                     payoffs=(0, 2))
"""


def test_an_expected_payoff_of_one_is_no_win(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM)
    found = gametree("show", f"bidding:game={tmp_path}/sum.py:Sum,chips=0,ties=coin", "0")
    assert "value  +1: X's expected payoff under optimal play" in found.out
    found = gametree("show", f"bidding:game={tmp_path}/sum.py:Sum,chips=1+0,ties=coin", "0")
    assert "value  +2: X wins by 2 under optimal play" in found.out


def test_boards_that_are_not_by_plies(gametree, tmp_path):
    (tmp_path / "sum.py").write_text(SUM.replace("payoffs=(0, 2)", "payoffs=(0, 2), tier=outcome"))
    for command in (["stats", f"bidding:game={tmp_path}/sum.py:Sum,chips=0"], ["richman", f"{tmp_path}/sum.py:Sum"]):
        one_line(gametree(*command), 1, "names a tier or loops; boards have to be by plies")


@pytest.mark.slow
def test_stored_probabilities_are_those_of_memory(tmp_path):
    """Some do not fit the tables: numerator or denominator has more than 63 bits."""
    name, state = "bidding:game=mnk:misere=true,chips=9", "?X??O???? X=4 O=14 advantage=O"
    fresh = solve_bidding(name)[state]
    stored = bidding_to_directory(name, tmp_path / "s")[0][state]
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


def test_thresholds_of_a_pasted_state(gametree):
    pasted = gametree("richman", "bidding:chips=4", "X???????? X=3 O=5 advantage=O", "--format", "csv")
    assert pasted.out == gametree("richman", "tictactoe", "X????????", "--format", "csv").out


@pytest.mark.parametrize(("given", "word"), [("tictactoe,frist=X", "'frist'"), ("tictactoe,CHIPS=4", "'CHIPS'")])
def test_misspelled_parameters(gametree, given, word):
    one_line(gametree("solve", f"bidding:game={given}"), 2, f"tictactoe has no parameter {word}")


def test_other_solutions_are_not_overwritten(gametree):
    gametree("solve", "bidding:game=mnk:rows=2,cols=2,k=2,chips=1", "--out", "there")
    one_line(gametree("solve", "tictactoe", "--out", "there"), 1, "another game; choose another --out, or use --force")
    assert gametree("solve", "tictactoe", "--out", "there", "--force").code == 0
    one_line(
        gametree("solve", "bidding:chips=1", "--out", "there"), 1, "choose another --out, or replace it with --force"
    )
