"""Bidding games that are solved as they are asked for have the values and bids of those that the kernels solve."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from analysis.bidding.bidding_solving import search_bidding
from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.plain_bidding import solve_lazily
from analysis.errors import OptionError, SpecError
from analysis.games.bidding import BiddingState
from tests.support.program import ROOT

GAMES = (
    "game=mnk:rows=2,cols=3,k=3,chips=4",
    "game=mnk:rows=2,cols=2,k=2,chips=3,ties=coin",
    "game=mnk:rows=2,cols=2,k=2,chips=3,ties=chooses,pays=bank",
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
    layout = solution.layout
    for board in boards(solution):
        for holder in layout.holders:
            for x, o in zip(layout.x_chips.tolist(), layout.o_chips.tolist(), strict=True):
                state = BiddingState(board, x, o, holder)
                one, other = solution.lookup(*state), lazy.lookup(*state)
                assert (one.value, one.over, one.saddle) == (other.value, other.over, other.saddle), state
                assert one.bids == other.bids, state


@pytest.mark.parametrize("game", GAMES)
def test_every_state(game):
    same(solve_bidding(f"bidding:{game}"), solve_lazily(f"bidding:{game}"))


@pytest.mark.parametrize("depth", [1, 3])
def test_searches(depth):
    game, board = "bidding:game=tictactoe,chips=3", "X??/?O?/???"
    searched = search_bidding(game, board, depth, evaluation="lines")
    same(searched, solve_lazily(game, board, depth, evaluation="lines"))


def test_wrong_input():
    with pytest.raises(SpecError):
        solve_lazily("tictactoe")
    with pytest.raises(OptionError):
        solve_lazily("bidding:game=tictactoe,chips=3", None, 2, evaluation="none such")


def test_a_turn_loads_no_compiler(tmp_path):
    code = (
        "import sys, json; from analysis.bidding.bot import answer_turn; "
        "line = answer_turn('bidding-tictactoe', 'X\\nPLAY\\n1 1\\n1 0\\n__X\\n___\\n___\\n')[0]; "
        "print(json.dumps([line, sorted({'numba', 'scipy', 'pyarrow', 'pandas'} & set(sys.modules))]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True
    )
    line, heavy = json.loads(done.stdout)
    assert line == "1 1"
    assert heavy == []
