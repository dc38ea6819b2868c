"""Bidding games: published numbers, facts that hold for all states, and the statistics against plain counting."""

from __future__ import annotations

import collections
import dataclasses
import functools
import itertools
import random

import pytest

from analysis.bidding.bidding_solving import solve as solve_bidding
from tests.support import bidding_oracle as oracle
from tests.support import golden
from tests.support.bidding_cases import HOLDERS, TABLES, by_table, look_up, named, purses, solved, states
from tests.support.bidding_oracle import OTHER, Rules

NUMBERS = dict(line.split(" ", 1) for line in golden.lines("bidding.txt"))

tictactoe = functools.cache(functools.partial(solve_bidding, workers=1))


# Published ------------------------------------------------------------------------------------------------------------


def test_course_rule():
    """X, who holds the advantage first, wins with 4 chips each, and nobody ever needs chance."""
    chips, value = map(int, NUMBERS["passes_value"].split(":"))
    solution = tictactoe(f"bidding:game=tictactoe,chips={chips}")
    assert solution.start.holder == "X"
    assert (solution.root.value, solution.root.saddle) == (value, True)
    stats = solution.statistics()
    assert (stats["saddle"], stats["mixed"], stats["rounded"]) == (stats["states"], 0, 0)
    in_play = int(NUMBERS["boards"]) - int(NUMBERS["boards_terminal"])
    assert stats["states"] == in_play * 2 * (2 * chips + 1)


@pytest.mark.parametrize("name", ["holder_wins", "tie"])
def test_holder_chooses(name):
    """Develin and Payne: whether the holder of the advantage, X or O, wins with equal chips, or nobody."""
    for chips in map(int, NUMBERS[f"chooses_{name}"].split()):
        values = []
        for first in "XO":
            solution = tictactoe(f"bidding:game=tictactoe,chips={chips},ties=chooses,first={first}")
            assert solution.statistics()["mixed"] == 0
            values.append(solution.root.value)
        assert values == ([1, -1] if name == "holder_wins" else [0, 0]), chips


def test_boards():
    stats = tictactoe("bidding:game=tictactoe,chips=0").statistics()
    assert stats["boards"] == int(NUMBERS["boards"])
    assert stats["classes"] == int(NUMBERS["boards_canonical"])
    assert sum(stats["terminal"].values()) == int(NUMBERS["boards_terminal"])


# Facts ----------------------------------------------------------------------------------------------------------------

SWAP = str.maketrans("XO", "OX")


@functools.cache
def some_boards(count):
    return random.Random(count).sample(sorted(oracle.reachable(Rules())), count)


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES[::4] + TABLES[3:4], ids=by_table)
@pytest.mark.parametrize("misere", [False, True])
def test_exchanged_sides(table, misere):
    """With marks, chips and advantage exchanged, X gets what O got."""
    rules = Rules(misere=misere, **table)
    solution = solved(rules, 2, 2)
    for board in some_boards(120):
        for (x, o), holder in itertools.product(purses(rules.pays, 2, 2), HOLDERS[rules.ties]):
            there = look_up(solution, (board.translate(SWAP), o, x, OTHER.get(holder)))
            assert look_up(solution, (board, x, o, holder)).value == -there.value


MORE = ["mnk:misere=true", "notakto:rows=2,cols=2,k=2", "wild:rows=2,cols=3,k=2"]


def every_row(solution):
    """The values of the states of each board in play, by holder and X's chips."""
    queue, seen = [solution.start.board], {solution.start.board}
    rules, total = solution.game.base.either_side(), sum(solution.game.budgets)
    while queue:
        board = queue.pop()
        children = {after for _, after in rules.moves(board)}
        queue += children - seen
        seen |= children
        if children:
            yield [
                [solution.lookup(board, x, total - x, holder).value for x in range(total + 1)]
                for holder in solution.game.holders
            ]


@pytest.mark.parametrize("game", MORE)
@pytest.mark.parametrize("ties", HOLDERS)
@pytest.mark.slow
def test_more_chips_never_hurt(game, ties):
    """Where the loser is paid and nobody has to bid: measured, in every state. The advantage can hurt who has to win
    ties with it, and never who may choose.
    """
    harm = 0
    for total in (1, 4):
        for row in every_row(solve_bidding(f"bidding:game={game},chips={total - 1}+1,ties={ties}", workers=1)):
            assert all(values == sorted(values) for values in row)
            harm += len(row) == 2 and any(x < o for x, o in zip(*row, strict=True))
    assert (harm > 0) == (ties == "passes")


def test_more_chips_hurt_who_has_to_bid():
    """One cell that nobody wants, and a least bid: without chips X cannot outbid O's 1; with one he ties and has to
    place, since he holds the advantage.
    """
    solution = solved(Rules(1, 1, 1, misere=True, pays="bank", least=1), 1, 1)
    assert [look_up(solution, ("?", x, 1, "X")).value for x in (0, 1)] == [1, -1]


# Statistics -----------------------------------------------------------------------------------------------------------

COUNTED = [
    Rules(2, 2, 2),
    Rules(1, 3, 2, True),
    Rules(1, 3, 2, True, "bank"),
    Rules(2, 2, 1, False, "bank", 1, "coin"),
    Rules(1, 3, 3, True, "loser", 1, "chooses"),
    Rules(1, 4, 2, False, "loser", 0, "coin"),
]


@pytest.mark.parametrize("rules", COUNTED, ids=named)
def test_counts(rules):
    solution = solved(rules, 2, 1)
    stats = solution.statistics()
    boards = oracle.reachable(rules)
    stones = collections.Counter(rules.rows * rules.cols - board.count("?") for board in boards)
    ended = collections.Counter(oracle.payoff(board, rules) for board in boards)
    assert stats["boards"] == len(boards)
    assert stats["terminal"] == {"X": ended[1], "O": ended[-1], "tie": ended[0]}
    playing = [state for state in states(rules, 2, 1) if oracle.payoff(state[0], rules) is None]
    values, saddles = collections.Counter(), 0
    for state in playing:
        values[oracle.value(*state, rules)] += 1
        matrix = oracle.bid_matrix(*state, rules)
        saddles += max(map(min, matrix)) == min(map(max, zip(*matrix, strict=True)))
    assert (stats["states"], stats["saddle"]) == (len(playing), saddles)
    assert (stats["mixed"], stats["rounded"]) == (len(playing) - saddles, 0)
    assert stats["by_value"] == [
        {"value": int(v) if v.denominator == 1 else float(v), "value_exact": str(v), "states": values[v]}
        for v in sorted(values)
    ]
    assert {row["tier"]: row["boards"] for row in stats["by_tier"]} == stones
    assert stats["value_exact"] == str(solution.root.value)


# The least chips ------------------------------------------------------------------------------------------------------


def least_by_recursion(rules, most):
    """By what one bid after the other forces, coins falling against X."""
    options = {"solve": lambda matrix: max(map(min, matrix)), "toss": min}
    forced = dataclasses.replace(oracle.recursion(rules), known={}, **options)
    for total, holder in itertools.product(range(most + 1), HOLDERS[rules.ties]):
        sure = [forced.value(rules.start, x, total - x, holder) for x in range(total + 1)]
        win, tie = (next((x for x, payoff in enumerate(sure) if payoff >= least), None) for least in (1, 0))
        more_never_hurts = sure == sorted(sure)
        yield {"total": total, "advantage": holder, "win": win, "tie": tie, "more_never_hurts": more_never_hurts}


LEAST = [(1, 3, 2, False), (1, 3, 2, True), (2, 2, 2, False)]


@pytest.mark.parametrize("size", LEAST, ids=str)
@pytest.mark.parametrize("table", TABLES, ids=by_table)
def test_least_chips(table, size):
    rules = Rules(*size, **table)
    assert solved(rules, 3, 2).statistics()["least_chips"] == list(least_by_recursion(rules, 5))


def test_more_chips_can_hurt(gametree):
    """X with one chip of two has to bid it, and to move, in misere tic-tac-toe."""
    name = "bidding:game=tictactoe,misere=true,chips=1,least=1"
    rows = gametree("stats", name, "--format", "json").json["least_chips"]
    assert rows[4] == {"total": 2, "advantage": "X", "win": None, "tie": 0, "more_never_hurts": False}
    assert gametree("show", name, "????????? X=1 O=1 advantage=X", "--format", "json").json["value"] == -1
    printed = gametree("stats", name).out
    assert "0*" in printed
    assert "* with some greater number of chips X forces less" in printed
    assert "*" not in gametree("stats", "bidding:chips=1").out


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES[::2], ids=by_table)
def test_least_chips_with_more_of_them(table):
    """Bids from 2 on go through other loops than 0 and 1."""
    for size, most in (((1, 3, 2, False), 13), ((1, 2, 2, True), 16), ((2, 3, 3, False), 6)):
        rules = Rules(*size, **table)
        assert solved(rules, most - 1, 1).statistics()["least_chips"] == list(least_by_recursion(rules, most))


@pytest.mark.parametrize("ties", ["passes", "chooses", "coin"])
def test_least_chips_of_tictactoe(ties):
    """Each total solved by itself: X forces what the value says, and under the coin a win is no matter of luck."""
    stats = tictactoe(f"bidding:game=tictactoe,chips=5,ties={ties}").statistics()
    for row in stats["least_chips"]:
        total, holder = row["total"], row["advantage"]
        solution = tictactoe(f"bidding:game=tictactoe,chips={total}+0,ties={ties}")
        values = [solution.lookup(solution.start.board, x, total - x, holder).value for x in range(total + 1)]
        assert row["win"] == next((x for x, value in enumerate(values) if value == 1), None)
        if ties != "coin":
            assert row["tie"] == next((x for x, value in enumerate(values) if value >= 0), None)
    assert [row["total"] for row in stats["least_chips"]] == sorted([*range(11)] * len(HOLDERS[ties]))
