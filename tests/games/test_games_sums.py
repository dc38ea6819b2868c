"""Nim, Kayles and Grundy's game, whose positions are sums of smaller ones; dots and boxes, and Othello."""

from __future__ import annotations

import functools
import itertools
import operator
import random

import pytest

from analysis.errors import PositionError
from analysis.games.dots_and_boxes import DotsAndBoxes
from analysis.games.families import load_game
from analysis.games.grundy import Grundy
from analysis.games.kayles import Kayles
from analysis.games.nim import Nim
from analysis.games.othello import Othello
from analysis.rules.game import ONGOING
from tests.support.contract import check_states, check_symmetries
from tests.support.sum_numbers import SMALL, BruteForce, golden_lists, make_nimber

# Rules ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "position", "wanted"),
    [pytest.param(*row, marks=[pytest.mark.slow] if row[0] == "othello:size=6" else [], id=row[0]) for row in SMALL],
)
def test_golden_numbers(spec, position, wanted):
    assert BruteForce(load_game(spec), position).numbers() == wanted


@pytest.mark.parametrize("heaps", ["3-4-5", "1-1-1-1", "7", "2-6-3"])
def test_bouton(heaps):
    """The nimber of every nim position is the xor of its heaps; in misere play the end game is turned round."""
    game, misere = Nim(heaps), Nim(heaps, misere=True)
    nimber, turned = make_nimber(game.rules()), BruteForce(misere)
    for state in BruteForce(game).children:
        sizes = [int(size) for size in game.format_position(state).split()[0].split("-")]
        total = functools.reduce(operator.xor, sizes)
        assert nimber(state) == total
        mover_wins = total != 0 if max(sizes) > 1 else total == 0
        assert turned.solve(state)[0] == (1 if mover_wins else -1) * turned.rules.to_move(state)


@pytest.mark.parametrize(("name", "nimbers"), golden_lists("nim").items())
def test_nimbers_of_subtraction_games(name, nimbers):
    take = name.partition(",")[2]
    game = Nim(str(len(nimbers) - 1), take)
    nimber = make_nimber(game.rules())
    found = {}
    for state in BruteForce(game).children:
        found[int(game.format_position(state).split()[0])] = nimber(state)
    assert all(nimbers[size] == value for size, value in found.items())
    assert len(found) > len(nimbers) // 2
    steps = [int(n) for n in take.split("-")]
    if steps == list(range(1, len(steps) + 1)):
        assert nimbers == [n % (len(steps) + 1) for n in range(len(nimbers))]


@pytest.mark.slow
def test_nimbers_of_kayles_rows():
    nimbers = golden_lists("kayles")["nimbers"]
    rules = Kayles(28).rules()
    nimber = make_nimber(rules)
    assert [nimber((1 << length) - 1) for length in range(29)] == nimbers


def test_nimbers_of_grundy_heaps():
    nimbers = golden_lists("grundy")["nimbers"]
    found = [make_nimber(rules)(rules.start) for rules in (Grundy(heap).rules() for heap in range(1, 26))]
    assert [0, *found] == nimbers[:26]


@pytest.mark.parametrize(("size", "plies"), [(4, 17), (6, 5)])
@pytest.mark.slow
def test_othello_histories(size, plies):
    """Passes are plies."""
    rules, wanted = Othello(size).rules(), golden_lists("othello")[f"perft,{size}"]
    layer = {rules.start: 1}
    for ply in range(plies + 1):
        assert sum(layer.values()) == wanted[ply]
        after: dict[int, int] = {}
        for state, histories in layer.items():
            for _, child in rules.moves(state):
                after[child] = after.get(child, 0) + histories
        layer = after


def test_othello_pass():
    game = Othello(6)
    state = game.parse_position("??????/??????/OXXX??/??XX??/??????/?????? X")
    assert game.rules().moves(state) == [(36, state | 1 << 60)]
    assert game.format_move(36) == "pass"
    assert game.rules().tier(state) < game.rules().tier(state | 1 << 60)


def test_othello_ends_where_neither_side_can_move():
    """Empty cells count for nobody."""
    game = Othello(4)
    assert game.rules().outcome(game.parse_position("????/?XX?/?XX?/???X O")) == 5


def test_dots_and_boxes_scoring_moves_again():
    game = DotsAndBoxes(1, 2)
    rules = game.rules()
    state = game.parse_position("--/|.|/-- 0 X")
    after = rules.play(state, game.parse_move("b1-b2"))
    assert game.format_position(after) == "__/|||/__ +2 X"
    assert (rules.outcome(after), rules.to_move(after)) == (2, 1)


def test_dots_and_boxes_passes_the_move_on():
    game = DotsAndBoxes(1, 2)
    rules = game.rules()
    after = rules.play(game.parse_position("-./||./-. -1 O"), game.parse_move("c1-c2"))
    assert game.format_position(after) == "_./|||/_. -1 X"
    assert rules.outcome(after) == ONGOING


# Symmetries -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heaps", ["2-2-2", "2-3-2-2", "3-1-3-1", "1-1-1-1-1-1"])
@pytest.mark.parametrize("take", ["any", "1-3"])
def test_equal_heaps_change_places(heaps, take):
    game = Nim(heaps, take)
    rules, states = game.rules(), BruteForce(game).children
    orbits: dict[int, int] = {}
    for state in states:
        least = rules.canonical(state)
        orbits[least] = orbits.get(least, 0) + 1
        assert rules.canonical(least) == least
        assert {rules.canonical(child) for child in states[state]} == {
            rules.canonical(child) for child in states[least]
        }
        assert (rules.outcome(state), rules.tier(state)) == (rules.outcome(least), rules.tier(least))
    assert rules.canonical(rules.start) == rules.start
    assert {state: rules.orbit_size(state) for state in orbits} == orbits
    assert all(rules.orbit_size(state) == orbits[rules.canonical(state)] for state in states)


def test_heaps_without_equals_or_with_too_many_have_no_symmetry():
    assert Nim("3-4-5").rules().canonical is None
    assert Nim("-".join("1" * 18)).rules().canonical is not None  # 18! / (9! 9!) = 48620 images
    assert Nim("-".join("1" * 19)).rules().canonical is None  # 92378


@pytest.mark.parametrize(("rows", "cols", "order"), [(1, 1, 8), (1, 2, 4), (2, 2, 8), (3, 2, 4), (3, 3, 8)])
def test_symmetries_of_edges(rows, cols, order):
    game = DotsAndBoxes(rows, cols)
    rules = game.rules()
    assert len(rules.symmetries) == order
    generator, states = random.Random(0), [rules.start]
    while moves := rules.moves(states[-1]):
        states.append(generator.choice(moves)[1])
    check_symmetries(rules, states)


SPECS = [
    "nim",
    "nim:heaps=255",
    "nim:heaps=2-9-2-9,take=2-5,misere=true",
    "kayles:pins=1",
    "kayles:pins=62",
    "grundy:heap=1",
    "grundy:heap=32",
    "dots_and_boxes:rows=1,cols=1",
    "dots_and_boxes:rows=4,cols=5",
    "othello",
    "othello:size=6",
]


@pytest.mark.parametrize("spec", SPECS)
def test_positions_and_moves_round_trip(spec):
    game = load_game(spec)
    rules, generator = game.rules(), random.Random(0)
    assert load_game(game.spec) == game
    for _ in range(5):
        states = [rules.start]
        while moves := rules.moves(states[-1]):
            states.append(generator.choice(moves)[1])
        check_states(game, states)
    if len(states) > 1:
        assert all(game.parse_move(game.format_move(code)) == code for code in range(rules.largest_code + 1))


def test_exactly_the_reachable_positions_of_nim_and_kayles_are_accepted():
    for game, most in ((Nim("3-4", "2-3"), 5), (Nim("2-2-2"), 3), (Kayles(7), 8)):
        reachable = {game.format_position(state) for state in BruteForce(game).children}
        accepted = set()
        for sizes in itertools.product(range(most), repeat=2 if most == 5 else 3 if most == 3 else 4):
            for side in "XO":
                text = f"{'-'.join(map(str, sizes))} {side}"
                try:
                    accepted.add(game.format_position(game.parse_position(text)))
                except PositionError:
                    assert text not in reachable
        assert accepted == reachable
