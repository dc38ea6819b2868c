"""The rules and the notation of m,n,k games."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import analysis
from analysis.games.families import list_games, load_game
from analysis.games.mnk import Mnk
from analysis.rules.game import ONGOING
from tests.support.oracle import Oracle, boards


@pytest.mark.parametrize("board", boards(6), ids=str)
def test_rules(board):
    """The plain functions say what the oracle says, at every position."""
    oracle, game = Oracle(*board), Mnk(*board)
    rules = game.rules()
    for tier in oracle.tiers():
        for s in tier:
            state = game.parse_position(s)
            assert game.format_position(state) == s
            outcome = oracle.outcome(s)
            assert rules.outcome(state) == (ONGOING if outcome is None else outcome)
            assert rules.to_move(state) == (1 if oracle.to_move(s) == "X" else -1)
            moves = rules.moves(state)
            assert [code for code, _ in moves] == oracle.moves(s)
            assert [game.format_position(child) for _, child in moves] == oracle.children(s)


def test_lines_of_large_boards():
    """Line finding by shifts agrees with the list of lines on the largest board."""
    game = Mnk(5, 6, 4)
    rules, generator = game.rules(), random.Random(5)
    for line in game.lines():
        o = generator.sample([c for c in range(30) if c not in line], 3)
        state = sum(1 << c for c in line) | sum(1 << (c + 30) for c in o)
        has_o = any(set(other) <= set(o) for other in game.lines())
        assert rules.outcome(state) == 1
        assert not has_o
        assert rules.outcome(state & ~(1 << line[0]) & ~(1 << (o[0] + 30))) == ONGOING


@pytest.mark.parametrize("spec", ["mnk:rows=4,cols=4,k=4", "mnk:rows=1,cols=31,k=3", "tictactoe"])
def test_many_positions_at_once(spec):
    game = load_game(spec)
    cells = game.rules().cells
    generator = np.random.default_rng(1)
    marks = generator.integers(0, 3, size=(50, cells)).tolist()
    states = np.array([sum(1 << (c + cells * (m - 1)) for c, m in enumerate(row) if m) for row in marks])
    assert list(game.format_positions(states)) == [game.format_position(int(s)) for s in states]


def test_alias_is_the_same_game():
    alias, game = analysis.solve("tictactoe").statistics(), analysis.solve("mnk:rows=3,cols=3,k=3").statistics()
    assert alias | {"game": ""} == game | {"game": ""}


@pytest.mark.slow
def test_expected_positions_are_close():
    for spec in ("tictactoe", "mnk:rows=3,cols=4,k=3", "mnk:rows=4,cols=4,k=3", "mnk:rows=3,cols=5,k=4"):
        game = load_game(spec)
        exact = [row["positions"] for row in analysis.solve(game, counts=False).statistics()["by_ply"]]
        expected = game.expected_positions()
        assert sum(expected) == pytest.approx(sum(exact), rel=0.05)


def test_list_games():
    games = {game["name"]: game for game in list_games()}
    assert games["mnk"]["parameters"] == [
        {"name": "rows", "type": "int", "default": 3},
        {"name": "cols", "type": "int", "default": 3},
        {"name": "k", "type": "int", "default": 3},
        {"name": "misere", "type": "bool", "default": False},
    ]
    assert all(load_game(game["example"]) for game in games.values())


@pytest.mark.parametrize("board", [(2, 2, 3), (2, 3, 4), (1, 4, 5), (3, 3, 60)])
def test_a_line_longer_than_the_board_is_a_board_of_ties(board):
    """As the textbook rules have it, with every symmetry."""
    oracle = Oracle(*board)
    rows, cols, k = board
    for symmetry in ("none", "geometric", "full"):
        solution = analysis.solve(f"mnk:rows={rows},cols={cols},k={k}", symmetry=symmetry)
        assert (solution.value, solution.remoteness_plies) == (0, rows * cols)
        assert solution.games.total == solution.games.tie == math.factorial(rows * cols)
        assert solution.position_count == sum(map(len, oracle.tiers()))


@pytest.mark.parametrize(("rows", "cols", "games"), [(1, 2, 2), (2, 3, 90), (3, 4, 356232)])
def test_connect_four_on_small_boards(rows, cols, games):
    """Complete games on (n + 1) columns and n rows (A342329); four do not fit two rows of three, nor one of two."""
    solution = analysis.solve(f"connect:rows={rows},cols={cols}")
    assert solution.games.total == games
    if max(rows, cols) < 4:
        assert solution.games.tie == games


def test_notakto_needs_a_line(gametree):
    result = gametree("solve", "notakto:k=4")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert gametree("solve", "wild:rows=2,cols=2,k=3", "--format", "json").json["value"] == 0
