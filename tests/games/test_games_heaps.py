"""Nim, Kayles, Grundy's game, dots and boxes, Othello: rules and engine against golden numbers, and nimbers."""

import functools
import itertools
import operator
import random
from collections import Counter

import pytest

import analysis
from analysis.games.dots_and_boxes import DotsAndBoxes
from analysis.games.families import load_game
from analysis.games.grundy import Grundy
from analysis.games.nim import Nim
from analysis.games.othello import Othello
from analysis.rules.game import ONGOING
from tests.support.contract import check_symmetries
from tests.support.graph_oracle import oracle_of
from tests.support.heap_numbers import COLUMNS, ROWS, SMALL, golden_lists, numbers_of
from tests.support.program import slow


@pytest.mark.parametrize(
    ("spec", "position", "wanted"),
    [pytest.param(*row, marks=[pytest.mark.slow] if row[0] == "othello:size=6" else [], id=row[0]) for row in SMALL],
)
def test_golden_numbers(spec, position, wanted):
    assert numbers_of(oracle_of(load_game(spec), position)) == wanted


@pytest.mark.parametrize("heaps", ["3-4-5", "1-1-1-1", "7", "2-6-3"])
def test_bouton(heaps):
    """The nimber of every nim position is the xor of its heaps; in misere play the end game is turned round."""
    game = Nim(heaps)
    oracle, misere = oracle_of(game), oracle_of(Nim(heaps, misere=True))
    for state in oracle.positions:
        sizes = [int(size) for size in game.format_position(state).split()[0].split("-")]
        total = functools.reduce(operator.xor, sizes)
        assert oracle.nimber(state) == total
        mover_wins = total != 0 if max(sizes) > 1 else total == 0
        assert misere.value(state) == (1 if mover_wins else -1) * misere.to_move(state)


@pytest.mark.parametrize(("name", "nimbers"), golden_lists("nim").items())
def test_nimbers_of_subtraction_games(name, nimbers):
    take = name.partition(",")[2]
    game = Nim(str(len(nimbers) - 1), take)
    oracle = oracle_of(game)
    found = {int(game.format_position(state).split()[0]): oracle.nimber(state) for state in oracle.positions}
    assert all(nimbers[size] == value for size, value in found.items())
    assert len(found) > len(nimbers) // 2
    steps = [int(n) for n in take.split("-")]
    if steps == list(range(1, len(steps) + 1)):
        assert nimbers == [n % (len(steps) + 1) for n in range(len(nimbers))]


@pytest.mark.parametrize(
    ("family", "sizes"), [("grundy", range(26)), pytest.param("kayles", range(29), marks=pytest.mark.slow)]
)
def test_nimbers_of_single_heaps(family, sizes):
    oracles = [oracle_of(load_game(f"{family}:{size}")) for size in sizes]
    assert [oracle.nimber(oracle.start) for oracle in oracles] == golden_lists(family)["nimbers"][: len(sizes)]


@pytest.mark.parametrize(("size", "plies"), [(4, 17), (6, 5)])
@pytest.mark.slow
def test_othello_histories(size, plies):
    """Passes are plies."""
    rules, wanted = Othello(size).rules(), golden_lists("othello")[f"perft,{size}"]
    layer = Counter({rules.start: 1})
    for ply in range(plies + 1):
        assert layer.total() == wanted[ply]
        after = Counter()
        for state, histories in layer.items():
            for _, child in rules.moves(state):
                after[child] += histories
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


@pytest.mark.parametrize(
    ("before", "move", "after", "outcome"),
    [
        ("--/|.|/-- 0 X", "b1-b2", "__/|||/__ +2 X", 2),  # who scores moves again
        ("-./||./-. -1 O", "c1-c2", "_./|||/_. -1 X", ONGOING),
    ],
)
def test_dots_and_boxes(before, move, after, outcome):
    game = DotsAndBoxes(1, 2)
    state = game.rules().play(game.parse_position(before), game.parse_move(move))
    assert (game.format_position(state), game.rules().outcome(state)) == (after, outcome)
    assert game.rules().to_move(state) == 1


@pytest.mark.parametrize("heaps", ["2-2-2", "2-3-2-2", "3-1-3-1", "1-1-1-1-1-1"])
@pytest.mark.parametrize("take", ["any", "1-3"])
def test_equal_heaps_change_places(heaps, take):
    game = Nim(heaps, take)
    rules, oracle = game.rules(), oracle_of(game)
    orbits = Counter(map(rules.canonical, oracle.positions))
    for state in oracle.positions:
        least = rules.canonical(state)
        assert rules.canonical(least) == least
        assert {*map(rules.canonical, oracle.children(state))} == {*map(rules.canonical, oracle.children(least))}
        assert (rules.outcome(state), rules.tier(state)) == (rules.outcome(least), rules.tier(least))
        assert rules.orbit_size(state) == rules.orbit_size(least) == orbits[least]
    assert rules.canonical(rules.start) == rules.start


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


QUICK = ["dots_and_boxes:rows=1,cols=1", "dots_and_boxes:rows=1,cols=3", "othello:size=4"]
ENGINE = [
    pytest.param(*row, marks=[] if row[0] in QUICK else [pytest.mark.slow], id=row[0])
    for i, row in enumerate(ROWS)
    if row not in SMALL or i % 4 == 0 or row[0].startswith(("dots", "othello"))
]
"""Of small heaps some: to compile the rules of a game takes half a second."""


@pytest.mark.parametrize(("spec", "position", "wanted"), ENGINE)
def test_engine_golden_numbers(spec, position, wanted):
    solution = analysis.solve(spec, start=position)
    stats = solution.statistics()
    terminal, games = sum(stats[f"terminal_{end}"] for end in ("x", "o", "tie")), stats["games"]
    assert {**{name: stats[name] for name in COLUMNS[:4]}, "terminal": terminal, "games": games} == wanted


@pytest.mark.parametrize("position", ["1-2-3 X", "3-2-2 X"])
def test_engine_from_a_position_with_other_symmetries(position):
    """Heaps that are equal at the start need not be so at another position."""
    plain = numbers_of(oracle_of(Nim("3-3-3"), position))
    solution = analysis.solve("nim:heaps=3-3-3", start=position)
    found = {"value": solution.value, "positions": solution.position_count, "games": solution.games}
    assert found == {name: plain[name] for name in found}


@pytest.mark.slow
def test_engine_nimbers_of_nim():
    solution = analysis.solve("nim:heaps=3-4-3")
    for sizes in itertools.product(range(4), range(5), range(4)):
        if sum(sizes) <= 6:  # after so many tokens an even number of moves is always possible
            position = f"{'-'.join(map(str, sizes))} X"
            assert solution[position].nimber == functools.reduce(operator.xor, sizes)


@pytest.mark.slow
def test_engine_nimbers_of_kayles():
    nimbers = golden_lists("kayles")["nimbers"]
    solution = analysis.solve("kayles:pins=28")
    for length, nimber in enumerate(nimbers):
        side = "O" if length == 27 else "X"
        assert solution[f"{length} {side}"].nimber == nimber


@pytest.mark.parametrize("heap", [20, *slow(2, 29)])
def test_engine_nimbers_of_grundy(heap):
    nimbers = golden_lists("grundy")["nimbers"]
    assert analysis.solve(Grundy(heap))[str(heap)].nimber == nimbers[heap]


def test_engine_misere_nim_has_no_nimbers():
    assert analysis.solve("nim:heaps=2-3,misere=true")["2-3 X"].nimber is None
