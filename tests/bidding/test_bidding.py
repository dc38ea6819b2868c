"""Solved bidding games against plain recursion and published numbers; what holds for all states; statistics."""

import collections
import functools
import itertools
import json
import random
import tracemalloc
from fractions import Fraction

import pytest

from analysis.bidding.bidding_solving import solve as solve_bidding
from analysis.bidding.plain_bidding import search_bidding
from analysis.errors import TooLargeError
from tests.support import bidding_oracle as oracle
from tests.support import golden
from tests.support.bidding_cases import TABLES, by_table, look_up, named, purses, solved, spec, states
from tests.support.bidding_oracle import Recursion, Rules
from tests.support.either_side_oracle import plain
from tests.support.oracle import Oracle
from tests.support.program import run_python

SIZES = [(1, 1, 1), (1, 2, 1), (1, 2, 2), (1, 3, 1), (1, 3, 2), (1, 3, 3), (2, 2, 1), (2, 2, 2), (2, 3, 2), (2, 3, 3)]
CHIPS = [(0, 0), (1, 0), (1, 1), (1, 3), (0, 5)]


@pytest.fixture(autouse=True)
def forget():
    yield
    oracle.recursion.cache_clear()


def compare(solution, state, rules):
    """Everything known of a state: the value, who may bid what, what bids are worth, and that the bids are optimal."""
    found, value = look_up(solution, state), oracle.value(*state, rules)
    assert (found.value, type(found.value)) == (value, Fraction), state
    assert found.terminal == (oracle.payoff(state[0], rules) is not None)
    if found.terminal:
        assert (found.bids, found.matrix) == ({}, [])
        assert [found.each_bid(side) + found.placements(side) for side in "XO"] == [[], []]
        return
    legal = [list(bids) for bids in found.legal_bids()]
    assert legal == [list(oracle.bids(chips, rules)) for chips in state[1:3]]
    matrix = oracle.bid_matrix(*state, rules)
    assert found.matrix == matrix, state
    x, o = (spread(found.bids[side], bids) for side, bids in zip("XO", legal, strict=True))
    assert oracle.least(matrix, x) == value == oracle.most(matrix, o), state
    assert found.saddle == (max(map(min, matrix)) == min(map(max, zip(*matrix, strict=True)))), state
    sure = {"X": [min(row) for row in matrix], "O": [max(column) for column in zip(*matrix, strict=True)]}
    for side, bids, drawn in zip("XO", legal, (x, o), strict=True):
        rows = found.each_bid(side)
        assert [(row.bid, row.probability, row.guarantee) for row in rows] == list(
            zip(bids, drawn, sure[side], strict=True)
        )
        assert [row.placement.value for row in rows] == [
            oracle.recursion(rules).bought(*state[:3], side, bid, state[3]) for bid in bids
        ]
        if found.saddle:  # of several such bids the least
            assert found.bids[side][0].bid == bids[sure[side].index(value)]
    compare_placements(found, state, rules)


def spread(drawn, legal):
    """Probabilities of all legal bids."""
    probabilities = {bid.bid: bid.probability for bid in drawn}
    assert sorted(probabilities) == [bid.bid for bid in drawn]
    assert set(probabilities) <= set(legal)
    assert min(probabilities.values()) > 0
    assert sum(probabilities.values()) == 1
    return [probabilities.get(bid, Fraction(0)) for bid in legal]


def compare_placements(found, state, rules):
    board, *rest = state
    for side, sign in (("X", -1), ("O", 1)):
        rows = []
        for placed in found.placements(side):
            after = board[: placed.move] + side + board[placed.move + 1 :]
            assert (placed.board, placed.name) == (after, str(placed.move))
            assert placed.value == oracle.value(after, *rest, rules)
            rows.append((sign * placed.value, oracle.payoff(after, rules) is None, placed.move))
        assert rows == sorted(rows)
        assert sorted(move for *_, move in rows) == [cell for cell, mark in enumerate(board) if mark == "?"]


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("misere", [False, True])
def test_every_state_of_small_games(size, misere):
    large = size == (2, 3, 3)  # 729 boards
    for table, (x, o) in itertools.product(TABLES, CHIPS[:3] if large else CHIPS):
        rules = Rules(*size, misere, **table)
        solution = solved(rules, x, o)
        for number, state in enumerate(states(rules, x, o)):
            if number % (18 if large else 6):
                continue
            if number % (42 if large else 18):
                assert look_up(solution, state).value == oracle.value(*state, rules)
            else:
                compare(solution, state, rules)
        oracle.recursion.cache_clear()


def test_every_state_where_bids_are_drawn():
    """Misere on a row of three, two in a row lose: there are states without a saddle point."""
    rules = Rules(1, 3, 2, misere=True)
    solution = solved(rules, 2, 2)
    for state in states(rules, 2, 2):
        compare(solution, state, rules)
    assert solution.statistics()["mixed"] > 0


SHELF = [("wild", 2, 2, 2), ("wild", 1, 3, 2, True), ("notakto", 2, 2, 2), ("connect", 3, 2, 2), ("hex", 2, 2)]


def compare_boards(game, table, x, o):
    """Every state, board by board: those of wild and notakto that are over cannot be written as text."""
    board = plain(*game)
    bidding = ",".join(f"{name}={value}" for name, value in table.items())
    solution = solve_bidding(f"bidding:game={board.spec},chips={x}+{o},{bidding}", workers=1)
    rules = solution.game.base.either_side()
    (start,) = board.plies[0]
    found, left = {start: solution.start.board}, [start]
    while left:
        state = left.pop()
        for side, move, after in board.successors(state):
            code = rules.play(found[state], 2 * move + "XO".index(side))
            if found.setdefault(after, code) == code and after not in left:
                left.append(after)
    recursion = Recursion(
        lambda state: state[1],
        lambda state, side: [after for mover, _, after in board.successors(state) if mover == side],
        **table,
    )
    for state, chips, holder in itertools.product(found, purses(x, o), "XO"):
        known = solution.lookup(found[state], *chips, holder)
        assert known.value == recursion.value(state, *chips, holder), (state, chips, holder)
        assert known.terminal == (state[1] is not None)
        assert known.terminal or known.matrix == recursion.matrix(state, *chips, holder)


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, marks=[pytest.mark.slow] * (game[0] in ("wild", "connect")), id=str(game)) for game in SHELF],
)
def test_other_games(game):
    for table in TABLES[::3]:
        compare_boards(game, table, 1, 1)


def depth_limited(rules, start, depth, worth):
    """Plain recursion that stops ``depth`` moves after ``start``, where boards are ``worth`` something."""

    def payoff(board):
        over = oracle.payoff(board, rules) is not None or start.count("?") - board.count("?") == depth
        return worth(board) if over else None

    return Recursion(payoff, oracle.placements, rules.least, rules.ties)


@pytest.mark.parametrize("table", TABLES[::3], ids=by_table)
@pytest.mark.parametrize(("start", "depth"), [("??????", 2), ("X??O??", 3), ("XO?OX?", 1)])
def test_search_with_evaluation(table, start, depth):
    for rules in (Rules(2, 3, 2, **table), Rules(2, 3, 3, misere=True, **table)):
        if oracle.payoff(start, rules) is not None:
            continue
        recursion = depth_limited(rules, start, depth, Oracle(rules.rows, rules.cols, rules.k, rules.misere).evaluate)
        solution = search_bidding(spec(rules, 2, 1), start, depth, evaluation="lines")
        assert solution.root.value == recursion.value(start, *solution.start[1:])
        for chips, holder in itertools.product(purses(2, 1), "XO"):
            for board in (start, *oracle.placements(start, "X"), *oracle.placements(start, "O")):
                found = look_up(solution, (board, *chips, holder))
                assert found.value == recursion.value(board, *chips, holder), (board, chips, holder)
                assert found.terminal or found.matrix == recursion.matrix(board, *chips, holder)


def everything(solution, rules, x, o):
    return [look_up(solution, state).to_json() for state in states(rules, x, o)]


@pytest.mark.parametrize("rules", [Rules(2, 2, 2, True), Rules(1, 3, 2, True), Rules(1, 4, 2)], ids=named)
def test_symmetries(rules):
    """Fewer boards to solve, nothing else; of equal mixed bids too, since the matrix is the same."""
    by_kind = {kind: solved(rules, 2, 1, symmetry=kind) for kind in ("none", "geometric", "full")}
    every = {kind: everything(solution, rules, 2, 1) for kind, solution in by_kind.items()}
    assert every["none"] == every["geometric"] == every["full"]
    stats = {kind: solution.statistics() for kind, solution in by_kind.items()}
    assert stats["none"]["classes"] > stats["geometric"]["classes"] >= stats["full"]["classes"]
    for of_kind in stats.values():
        for row in (of_kind, *of_kind["by_tier"]):
            del row["classes"]
        del of_kind["symmetry"], of_kind["symmetry_order"]
    assert stats["none"] == stats["geometric"] == stats["full"]


SCRIPT = """
import json, sys
from analysis.bidding.bidding_solving import solve as solve_bidding
found = {}
for spec in sys.argv[1:]:
    solution = solve_bidding(spec, workers=2)
    found[spec] = [solution.statistics(), solution.root.to_json()]
print(json.dumps(found))
"""


@pytest.mark.slow
def test_without_jit():
    specs = [spec(Rules(1, 3, 2, True, **table), 2, 1) for table in TABLES]
    for name, (stats, root) in json.loads(run_python(SCRIPT, *specs, NUMBA_DISABLE_JIT="1")).items():
        solution = solve_bidding(name, workers=1)
        assert [solution.statistics(), solution.root.to_json()] == [stats, root]


@pytest.mark.parametrize(("game", "free"), [("bidding:chips=10000", 10**9)])
def test_what_does_not_fit_is_refused_at_once(game, free, monkeypatch):
    """Without taking the memory."""
    monkeypatch.setattr("analysis.common.memory.available_bytes", lambda: free)
    solve_bidding("bidding:chips=1")  # compiled
    tracemalloc.start()
    try:
        with pytest.raises(TooLargeError, match=r"needs about .* of memory"):
            solve_bidding(game)
        assert tracemalloc.get_traced_memory()[1] < 2 * 10**7
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("game", ["connect:rows=6,cols=7,k=4", "hex:n=5"])
def test_boards_that_do_not_fit_are_refused_at_once(game):
    with pytest.raises(TooLargeError, match="with either side to move has about"):
        solve_bidding(f"bidding:game={game},chips=1")


NUMBERS = dict(line.split(" ", 1) for line in golden.lines("bidding.txt"))

tictactoe = functools.cache(functools.partial(solve_bidding, workers=1))


def test_course_rule():
    """X, who holds the advantage first, wins with 4 chips each, and nobody ever needs chance."""
    chips, value = map(int, NUMBERS["passes_value"].split(":"))
    solution = tictactoe(f"bidding:game=tictactoe,chips={chips}")
    assert solution.start.holder == "X"
    assert (solution.root.value, solution.root.saddle) == (value, True)
    stats = solution.statistics()
    assert (stats["saddle"], stats["mixed"], stats["rounded"]) == (stats["states"], 0, 0)
    found = (stats["boards"], stats["classes"], sum(stats[f"terminal_{outcome}"] for outcome in ("x", "o", "tie")))
    assert found == tuple(int(NUMBERS[name]) for name in ("boards", "boards_canonical", "boards_terminal"))
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


SWAP = str.maketrans("XO", "OX")


@functools.cache
def some_boards(count):
    return random.Random(count).sample(sorted(oracle.reachable(Rules())), count)


def test_more_chips_hurt_who_has_to_bid():
    """One cell that nobody wants, and a least bid: without chips X cannot outbid O's 1; with one he ties and has to
    place, since he holds the advantage.
    """
    solution = solved(Rules(1, 1, 1, misere=True, least=1), 1, 1)
    assert [look_up(solution, ("?", x, 2 - x, "X")).value for x in (0, 1)] == [1, -1]


COUNTED = [
    Rules(2, 2, 2),
    Rules(1, 3, 2, True),
    Rules(2, 2, 1, False, 1),
    Rules(1, 3, 3, True, 1, "chooses"),
    Rules(1, 4, 2, False, 0, "chooses"),
]


@pytest.mark.parametrize("rules", COUNTED, ids=named)
def test_counts(rules):
    solution = solved(rules, 2, 1)
    stats = solution.statistics()
    boards = oracle.reachable(rules)
    stones = collections.Counter(rules.rows * rules.cols - board.count("?") for board in boards)
    ended = collections.Counter(oracle.payoff(board, rules) for board in boards)
    assert stats["boards"] == len(boards)
    assert [stats[f"terminal_{outcome}"] for outcome in ("x", "o", "tie")] == [ended[1], ended[-1], ended[0]]
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
