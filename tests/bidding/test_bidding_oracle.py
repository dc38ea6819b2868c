"""The oracle of bidding games against games worked out by hand, and games that are solved as they are asked for."""

import dataclasses
import itertools
import json
from fractions import Fraction

import pytest

from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.plain_bidding import search_bidding
from analysis.errors import SpecError
from analysis.games.bidding import BiddingState
from tests.support.bidding_cases import purses
from tests.support.bidding_oracle import OTHER, Rules, bid_matrix, value
from tests.support.program import run_python

ONE, APART, TWO = Rules(1, 1, 1), Rules(1, 3, 2, misere=True), Rules(1, 2, 2)
FORCED = dataclasses.replace(ONE, misere=True, least=1)


def test_one_cell():
    """Who wins the bid wins; in misere, who wins it loses, and everybody bids 0."""
    for x, o in itertools.product(range(4), repeat=2):
        more = (x > o) - (x < o)
        misere = dataclasses.replace(ONE, misere=True)
        for rules, holder, wins in (
            (ONE, "X", more or 1), (ONE, "O", more or -1), (misere, "X", -1), (misere, "O", 1),
            (dataclasses.replace(misere, ties="chooses"), "X", 1),  # O has to win the bid
        ):  # fmt: skip
            assert value("?", x, o, holder, rules) == wins


@pytest.mark.parametrize(
    ("rules", "board", "chips", "holder", "wins"),
    [
        # Who places twice wins; so X needs to win both bids, the second by more money or by the advantage.
        (TWO, "??", (3, 1), "X", 0),  # O bids 1: X needs 1 for the tie, and 2 : 2 without the advantage is too little
        (TWO, "??", (4, 1), "X", 1),  # X bids 1, at worst a tie: 3 : 2
        (TWO, "??", (5, 1), "O", 0),  # X needs 2 to outbid 1, and 3 : 3 without the advantage is too little
        (TWO, "??", (6, 1), "O", 1),  # 4 : 3
        (TWO, "??", (1, 1), "X", 0),
        (TWO, "??", (0, 4), "X", -1),
        # A holder with chips has to bid 1, and loses unless the other has to outbid him.
        (FORCED, "?", (0, 2), "X", 1),
        (FORCED, "?", (2, 0), "O", -1),
        # Matching pennies: 0, 0 or 1, 1: X wins the bid and places apart; O holds the advantage and must fill the
        # middle: a tie. 0, 1 or 1, 0: O or X places apart, and X has to fill the middle next to his own: lost.
        (APART, "??X", (1, 1), "X", Fraction(-1, 2)),
    ],
)
def test_by_hand(rules, board, chips, holder, wins):
    x, o = chips
    assert value(board, x, o, holder, rules) == wins
    turned = board.translate(str.maketrans("XO", "OX"))
    assert value(turned, o, x, OTHER[holder], rules) == -wins
    if rules == TWO:
        assert value("X?", x, o, holder, rules) == (x > o or (x == o and holder == "X"))


def test_matrices_by_hand():
    assert bid_matrix("?", 2, 3, "X", FORCED) == [[-1, 1, 1], [-1, -1, 1]]
    assert bid_matrix("?", 0, 2, "X", FORCED) == [[1, 1]]  # X has nothing and bids 0; O must bid at least 1
    assert bid_matrix("??X", 1, 1, "X", APART) == [[0, -1], [-1, 0]]


GAMES = (
    "game=mnk:rows=2,cols=3,k=3,chips=4",
    "game=mnk:rows=2,cols=2,k=2,chips=3,ties=chooses",
    "game=connect:rows=2,cols=3,k=3,chips=3",
    pytest.param("game=tictactoe,chips=2", marks=pytest.mark.slow),
)


def boards(solution):
    found, waiting = set(), [solution.start.board]
    while waiting:
        board = waiting.pop()
        if board not in found:
            found.add(board)
            waiting += [child.board for moves in solution.moves_on(board).children.values() for child in moves]
    return sorted(found)


def same(solution, lazy):
    for board in boards(solution):
        for holder in "XO":
            for x, o in purses(solution.game.splits - 1, 0):
                state = BiddingState(board, x, o, holder)
                one, other = solution.lookup(*state), lazy.lookup(*state)
                assert (one.value, one.terminal, one.saddle) == (other.value, other.terminal, other.saddle), state
                assert one.bids == other.bids, state


@pytest.mark.parametrize("game", GAMES)
def test_every_state(game):
    same(solve_bidding(f"bidding:{game}"), search_bidding(f"bidding:{game}", None, None))


def test_wrong_input():
    with pytest.raises(SpecError):
        search_bidding("tictactoe", None, None)


def test_a_turn_loads_no_compiler(tmp_path):
    code = (
        "import sys, json; from analysis.bidding.bot import answer_turn; "
        "line = answer_turn('bidding-tictactoe', 'X\\nPLAY\\n1 1\\n1 0\\n__X\\n___\\n___\\n')[0]; "
        "print(json.dumps([line, sorted({'numba', 'scipy', 'pyarrow', 'pandas'} & set(sys.modules))]))"
    )
    assert json.loads(run_python(code, cwd=tmp_path)) == ["1 1", []]
