"""Tic-tac-toe, connect-k, wild, notakto, hex, domineering and chomp: rules and engine against golden numbers."""

import collections
import itertools
import math
import random

import pytest

import analysis
from analysis.errors import TooLargeError
from analysis.games.connect import Connect
from analysis.games.families import load_game
from analysis.games.hex import Hex
from analysis.games.mnk import Mnk
from analysis.rules.game import ONGOING
from analysis.rules.lines import find_lines
from analysis.rules.symmetry import permute
from tests.support.board_numbers import (
    LARGE,
    MIDDLE,
    ODD,
    ROWS,
    SMALL,
    TIERED,
    family_of,
    other_lines,
    published_connect,
    winners,
)  # fmt: skip
from tests.support.contract import check_states
from tests.support.either_side_oracle import joined
from tests.support.graph_oracle import oracle_of
from tests.support.heap_numbers import numbers_of
from tests.support.oracle import Oracle, boards


def named(stats):
    """Statistics, also by the names that published numbers have for players."""
    kinds, players = ("terminal", "games"), {"first": "x", "second": "o"}
    return stats | {f"{kind}_{who}": stats[f"{kind}_{end}"] for kind in kinds for who, end in players.items()}


def canonical(rules, state):
    if rules.canonical is not None:
        return rules.canonical(state)
    return min([permute(state, p, rules.planes) for p in rules.symmetries] or [state])


@pytest.mark.parametrize(("spec", "known"), SMALL, ids=[spec for spec, _ in SMALL])
def test_rules(spec, known):
    """Golden numbers; and for every position: the text, the side to move, the tier, the bounds that rules declare."""
    game = load_game(spec)
    rules, oracle = game.rules(), oracle_of(game)
    found, start, orbits = numbers_of(oracle), oracle.start, collections.defaultdict(list)
    for state in oracle.positions:
        orbits[canonical(rules, state)].append(state)
        assert all(rules.to_move(child) == -rules.to_move(state) for child in oracle.children(state))
        assert game.parse_position(game.format_position(state).replace("?", ".")) == state
    found |= {"nonterminal": found["positions"] - found["terminal"], "classes": len(orbits)}
    found |= {"histories": oracle.histories().total(), "optimal_paths": oracle.optimal_paths(start)}
    found |= named(oracle.terminal() | oracle.games_by_outcome(start))
    if rules.impartial:
        found["nimber"] = oracle.nimber(start)
    assert {name: found[name] for name in known} == known
    check_states(game, oracle.positions)
    if rules.orbit_size is not None:
        assert all(rules.orbit_size(state) == len(orbit) for orbit in orbits.values() for state in orbit)


def test_connect_positions_by_ply():
    """The first plies of the standard board, by sets of states."""
    for rows, cols, k, misere, numbers in other_lines("connect", "by_ply"):
        rules = load_game(f"connect:rows={rows},cols={cols},k={k},misere={misere}").rules()
        tier = {rules.start}
        for number in itertools.takewhile(lambda n: n <= 1500, map(int, numbers.split())):
            assert len(tier) == number
            tier = {child for state in tier for _, child in rules.moves(state)}


@pytest.mark.parametrize(
    ("rows", "cols", "row", "col"), [tuple(map(int, bite)) for bite in other_lines("chomp", "bite")]
)
def test_chomp_bites(rows, cols, row, col):
    oracle = oracle_of(load_game(f"chomp:rows={rows},cols={cols}"))
    winning = [code for code, child in oracle.moves[oracle.start] if oracle.value(child) == 1]
    assert winning == [row * cols + col]


@pytest.mark.parametrize("board", [(6, 7, 4), (5, 5, 3), (2, 9, 5), (9, 2, 7), (1, 20, 2), (3, 4, 1), (7, 7, 7)])
def test_connect_finds_exactly_the_lines(board):
    """Full columns of random stones, and random boards, against the list of lines."""
    rows, cols, k = board
    game, generator = Connect(rows, cols, k), random.Random(3)
    rules, lines = game.rules(), find_lines(rows, cols, k)
    for _ in range(60):
        state, marks = 0, {}
        for c in range(cols):
            level = generator.randint(0, rows)
            stones = generator.getrandbits(level) if level else 0
            state |= (stones | 1 << level) << (c * (rows + 1))
            marks |= {(rows - 1 - i) * cols + c: stones >> i & 1 for i in range(level)}
        last = len(marks) % 2
        won = any(all(marks.get(cell) == last for cell in line) for line in lines)
        payoff = 1 if last else -1
        assert rules.outcome(state) == (payoff if won else 0 if len(marks) == rows * cols else ONGOING)
        assert rules.to_move(state) == -payoff


@pytest.mark.parametrize("n", range(1, 6))
def test_hex_floods_as_it_walks(n):
    """A full board has exactly one winner; connections by shifts and cell by cell agree, both ways."""
    generator, cells = random.Random(n), n * n
    rules, board = Hex(n).rules(), (1 << n * n) - 1

    def connected(side, stones):
        return joined(n, "".join(side if stones >> cell & 1 else "?" for cell in range(cells)), side)

    for _ in range(60):
        stones = generator.getrandbits(cells)
        rest = board & ~stones
        assert connected("X", stones) != connected("O", rest)
        odd = stones if stones.bit_count() % 2 else stones ^ 1
        even = rest if rest.bit_count() % 2 == 0 else rest ^ 1
        assert (rules.outcome(odd) == 1) == connected("X", odd)
        assert (rules.outcome(even << cells) == -1) == connected("O", even)


LARGEST = [
    "connect:rows=8,cols=7",
    "wild:rows=1,cols=31,k=4,misere=true",
    "notakto:rows=2,cols=31,k=5",
    "hex:n=5",
    "domineering:rows=31,cols=2,first=H",
    "chomp:rows=15,cols=15",
    "nim:heaps=255",
    "nim:heaps=2-9-2-9,take=2-5,misere=true",
    "kayles:pins=62",
    "grundy:heap=32",
    "dots_and_boxes:rows=4,cols=5",
    "othello:size=6",
]


@pytest.mark.parametrize("spec", LARGEST)
def test_the_largest_boards(spec):
    """Games at random: states stay in 63 bits, and the text of every position is read back."""
    game, generator = load_game(spec), random.Random(2)
    rules = game.rules()
    assert load_game(game.spec) == game
    for _ in range(3):
        states = [rules.start]
        while moves := rules.moves(states[-1]):
            states.append(generator.choice(moves)[1])
        check_states(game, states)
        assert rules.max_plies is None or len(states) - 1 <= rules.max_plies


FEW = [row for row in MIDDLE if row not in SMALL or row in ODD]  # each row compiles a game: about 0.4 s
QUICK = [row[0] for row in FEW if family_of(row[0]) not in TIERED][::8]


@pytest.mark.parametrize(
    ("spec", "known"),
    [pytest.param(*row, marks=[] if row[0] in QUICK else [pytest.mark.slow], id=row[0]) for row in (*FEW, *LARGE)],
)
def test_engine_totals(spec, known):
    solution = analysis.solve(spec, counts=not known.keys().isdisjoint({"games", "optimal_paths", "histories"}))
    stats = solution.statistics()
    found = named(stats)
    if "nimber" in known:
        found["nimber"] = solution[solution.start].nimber
    found["nonterminal"] = stats["positions"] - sum(stats[f"terminal_{end}"] for end in ("x", "o", "tie"))
    assert {name: found[name] for name in known} == known


def test_engine_connect_by_ply():
    stats = analysis.solve("connect:rows=4,cols=4", counts=False).statistics()
    numbers = other_lines("connect", "by_ply")[0][-1].split()
    assert [row["positions"] for row in stats["by_ply"]] == [int(n) for n in numbers]


@pytest.mark.parametrize(("spec", "value"), [w for w in winners() if w[0] not in dict(ROWS)])
def test_engine_domineering_winners(spec, value):
    assert analysis.solve(spec, counts=False).value == value


@pytest.mark.parametrize("row", [row for row in published_connect() if row[6]], ids=str)
def test_connect_expects_about_as_many_positions_as_there_are(row):
    rows, cols, k, published = row[0], row[1], row[2], int(row[6])
    expected = load_game(f"connect:rows={rows},cols={cols},k={k}").expected_positions()
    assert sum(expected) == pytest.approx(published, rel=0.3 if int(cols) < 4 else 0.1)


def test_connect_too_large_is_refused_at_once():
    with pytest.raises(TooLargeError, match=r"connect:rows=6,cols=7,k=4 has about .* classes"):
        analysis.solve("connect")


@pytest.mark.parametrize("board", boards(6), ids=str)
def test_rules_of_mnk(board):
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


@pytest.mark.slow
def test_expected_positions_are_close():
    for spec in ("tictactoe", "mnk:rows=3,cols=4,k=3", "mnk:rows=4,cols=4,k=3", "mnk:rows=3,cols=5,k=4"):
        game = load_game(spec)
        exact = [row["positions"] for row in analysis.solve(game, counts=False).statistics()["by_ply"]]
        expected = game.expected_positions()
        assert sum(expected) == pytest.approx(sum(exact), rel=0.05)


@pytest.mark.parametrize("board", [(2, 2, 3), (2, 3, 4), (1, 4, 5), (3, 3, 60)])
def test_a_line_longer_than_the_board_is_a_board_of_ties(board):
    """As the textbook rules have it, with every symmetry."""
    oracle = Oracle(*board)
    rows, cols, k = board
    for symmetry in ("none", "geometric", "full"):
        solution = analysis.solve(f"mnk:rows={rows},cols={cols},k={k}", symmetry=symmetry)
        assert (solution.value, solution.remoteness_plies) == (0, rows * cols)
        assert solution.games == solution.games_tie == math.factorial(rows * cols)
        assert solution.position_count == sum(map(len, oracle.tiers()))


@pytest.mark.parametrize(("rows", "cols", "games"), [(1, 2, 2), (2, 3, 90), (3, 4, 356232)])
def test_connect_four_on_small_boards(rows, cols, games):
    """Complete games on (n + 1) columns and n rows (A342329); four do not fit two rows of three, nor one of two."""
    solution = analysis.solve(f"connect:rows={rows},cols={cols}")
    assert solution.games == games
    if max(rows, cols) < 4:
        assert solution.games_tie == games
