"""Connect-k, wild tic-tac-toe, notakto, hex, domineering and chomp: rules, notation, golden numbers."""

from __future__ import annotations

import contextlib
import functools
import itertools
import random

import pytest

from analysis.errors import PositionError
from analysis.games.connect import Connect
from analysis.games.families import load_game
from analysis.games.hex import Hex
from analysis.games.shared.lines import find_lines, line_test
from analysis.rules.game import ONGOING
from analysis.rules.symmetry import permute
from tests.support.board_numbers import SMALL, other_lines, winners
from tests.support.contract import check_states
from tests.support.sum_numbers import BruteForce, make_nimber

# The rules, as plain Python -------------------------------------------------------------------------------------------


def brute_force(game):
    """The numbers of a small game, from its plain rules by recursion."""
    found = BruteForce(game)
    rules, children = found.rules, found.children

    @functools.cache
    def totals(state):
        """Histories, and games by payoff."""
        if not children[state]:
            payoff = rules.outcome(state)
            return 1, int(payoff == 1), int(payoff == -1), int(payoff == 0)
        below = [totals(child) for child in children[state]]
        return 1 + sum(one[0] for one in below), *(sum(one[i] for one in below) for i in (1, 2, 3))

    @functools.cache
    def optimal_paths(state):
        best = [child for child in children[state] if found.solve(child)[0] == found.solve(state)[0]]
        return sum(map(optimal_paths, best)) if children[state] else 1

    ends = [rules.outcome(state) for state in children]
    games = dict(zip(("histories", "games_first", "games_second", "games_tie"), totals(rules.start), strict=True))
    return children, {
        **found.numbers(),
        "nonterminal": ends.count(ONGOING),
        "terminal_first": ends.count(1),
        "terminal_second": ends.count(-1),
        "terminal_tie": ends.count(0),
        "canonical": len({canonical(rules, state) for state in children}),
        **games,
        "optimal_paths": optimal_paths(rules.start),
    } | ({"nimber": make_nimber(rules)(rules.start)} if rules.impartial else {})


def canonical(rules, state):
    if rules.canonical is not None:
        return rules.canonical(state)
    return min([permute(state, p, rules.planes) for p in rules.symmetries] or [state])


@pytest.mark.parametrize(("spec", "known"), SMALL, ids=[spec for spec, _ in SMALL])
def test_rules(spec, known):
    """Golden numbers; and for every position: the text, the side to move, the tier, the bounds that rules declare."""
    game = load_game(spec)
    rules = game.rules()
    states, found = brute_force(game)
    assert {name: found[name] for name in known} == known
    check_states(game, states)
    orbits = {}
    for state in states:
        orbits.setdefault(canonical(rules, state), []).append(state)
        assert all(rules.to_move(child) == -rules.to_move(state) for _, child in rules.moves(state))
        assert game.parse_position(game.format_position(state).replace("?", ".")) == state
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


@pytest.mark.parametrize(("spec", "value"), [w for w in winners() if w[0] in dict(SMALL)])
def test_domineering_winners(spec, value):
    assert dict(SMALL)[spec]["value"] == value  # which test_rules has compared with the rules


@pytest.mark.parametrize(
    ("rows", "cols", "row", "col"), [tuple(map(int, bite)) for bite in other_lines("chomp", "bite")]
)
def test_chomp_bites(rows, cols, row, col):
    rules = load_game(f"chomp:rows={rows},cols={cols}").rules()

    @functools.cache
    def mover_wins(state):
        return any(not mover_wins(child) for _, child in rules.moves(state))

    winning = [code for code, child in rules.moves(rules.start) if not mover_wins(child)]
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


@pytest.mark.parametrize("board", [(3, 3, 3), (4, 5, 4), (2, 6, 3), (1, 5, 2), (5, 1, 5), (3, 3, 1)])
def test_line_test(board):
    rows, cols, k = board
    has_line, lines, generator = line_test(rows, cols, k), find_lines(rows, cols, k), random.Random(1)
    for _ in range(200):
        marks = generator.getrandbits(rows * cols) | generator.getrandbits(rows * cols)
        assert bool(has_line(marks)) == any(all(marks >> cell & 1 for cell in line) for line in lines)


def connected(n, side, stones):
    """Whether the stones join top and bottom (X) or left and right (O), walking from cell to cell."""
    cells = {divmod(cell, n) for cell in range(n * n) if stones >> cell & 1}
    axis = 0 if side == "X" else 1
    found = [cell for cell in cells if cell[axis] == 0]
    cells.difference_update(found)
    for r, c in found:  # grows while it is read
        around = {(r, c - 1), (r, c + 1), (r - 1, c), (r - 1, c + 1), (r + 1, c), (r + 1, c - 1)} & cells
        cells -= around
        found.extend(around)
    return any(cell[axis] == n - 1 for cell in found)


@pytest.mark.parametrize("n", range(1, 6))
def test_hex_floods_as_it_walks(n):
    """A full board has exactly one winner; connections by shifts and cell by cell agree, both ways."""
    generator, cells = random.Random(n), n * n
    rules, board = Hex(n).rules(), (1 << n * n) - 1
    for _ in range(60):
        stones = generator.getrandbits(cells)
        rest = board & ~stones
        assert connected(n, "X", stones) != connected(n, "O", rest)
        odd = stones if stones.bit_count() % 2 else stones ^ 1
        even = rest if rest.bit_count() % 2 == 0 else rest ^ 1
        assert (rules.outcome(odd) == 1) == connected(n, "X", odd)
        assert (rules.outcome(even << cells) == -1) == connected(n, "O", even)


# Text and parameters --------------------------------------------------------------------------------------------------

REACHABLE_EXACTLY = [
    ("wild:rows=2,cols=3,k=2", "?XO"),
    ("wild:rows=2,cols=3,k=3", "?XO"),
    ("notakto:rows=3,cols=3,k=3", "?X"),
    ("notakto:rows=1,cols=9,k=3", "?X"),
    ("notakto:rows=2,cols=3,k=2", "?X"),
    ("hex:n=2", "?XO"),
]


@pytest.mark.parametrize(("spec", "marks"), REACHABLE_EXACTLY, ids=[spec for spec, _ in REACHABLE_EXACTLY])
def test_exactly_the_reachable_positions_are_accepted(spec, marks):
    game = load_game(spec)
    states = BruteForce(game).children.keys()
    size = len(game.format_position(game.rules().start).replace("/", ""))
    accepted = set()
    for text in map("".join, itertools.product(marks, repeat=size)):
        with contextlib.suppress(PositionError):
            accepted.add(game.parse_position(text))
    assert accepted == states


@pytest.mark.parametrize("spec", ["chomp:rows=3,cols=3", "chomp:rows=2,cols=4", "chomp:rows=1,cols=3"])
def test_exactly_the_bars_that_can_be_are_accepted(spec):
    game = load_game(spec)
    states = BruteForce(game).children.keys()
    accepted = set()
    for squares in itertools.product("#?", repeat=game.rows * game.cols - 1):
        for mover in ("first", "second"):
            with contextlib.suppress(PositionError):
                accepted.add(game.parse_position(f"P{''.join(squares)} {mover}"))
    assert accepted == states


@pytest.mark.parametrize("spec", ["connect:rows=2,cols=3,k=2", "domineering:rows=2,cols=4"])
def test_every_reachable_position_is_accepted_and_no_text_twice(spec):
    game = load_game(spec)
    states = BruteForce(game).children.keys()
    assert {game.parse_position(game.format_position(state)) for state in states} == states
    assert len({game.format_position(state) for state in states}) == len(states)


LARGEST = [
    "connect:rows=8,cols=7",
    "connect:rows=62,cols=1,k=5",
    "connect:rows=1,cols=31,k=5",
    "wild:rows=1,cols=31,k=4,misere=true",
    "notakto:rows=2,cols=31,k=5",
    "hex:n=5",
    "domineering:rows=31,cols=2,first=H",
    "chomp:rows=15,cols=15",
    "chomp:rows=1,cols=255",
    "chomp:rows=3,cols=85",
]


@pytest.mark.parametrize("spec", LARGEST)
def test_the_largest_boards(spec):
    """Games at random: states stay in 63 bits, and the text of every position is read back."""
    game, generator = load_game(spec), random.Random(2)
    rules = game.rules()
    for _ in range(3):
        states = [rules.start]
        while moves := rules.moves(states[-1]):
            states.append(generator.choice(moves)[1])
        check_states(game, states)
        assert len(states) - 1 <= rules.max_plies


def test_players_of_domineering():
    assert load_game("domineering").players == ("V", "H")
    assert load_game("domineering:first=H").players == ("H", "V")
