"""Nim, Kayles and Grundy's game, whose positions are sums of smaller ones; dots and boxes, and Othello."""

from __future__ import annotations

import functools
import itertools
import operator
import random

import pytest

from analysis.errors import PositionError, SpecError
from analysis.games.dots_and_boxes import DotsAndBoxes
from analysis.games.families import load_game
from analysis.games.grundy import Grundy
from analysis.games.kayles import Kayles
from analysis.games.nim import Nim
from analysis.games.othello import Othello
from analysis.rules.game import ONGOING
from analysis.rules.symmetry import permute
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
    generator = random.Random(0)
    state = rules.start
    while moves := rules.moves(state):
        for permutation in rules.symmetries:
            image = permute(state, permutation, 1)
            children = {permute(child, permutation, 1) for _, child in moves}
            assert {child for _, child in rules.moves(image)} == children
        state = generator.choice(moves)[1]


# Text -----------------------------------------------------------------------------------------------------------------

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
        state = rules.start
        while True:
            text = game.format_position(state)
            assert game.parse_position(text) == state
            assert game.parse_position(f" {text.lower()}\n") == state
            assert 0 <= state < 1 << 63
            if not (moves := rules.moves(state)):
                break
            state = generator.choice(moves)[1]
    if rules.moves(rules.start):
        assert all(game.parse_move(game.format_move(code)) == code for code in range(rules.largest_code + 1))


@pytest.mark.parametrize(
    ("game", "texts"),
    [
        (Nim("3-4-5"), ["3-4-0 O", "3 4 0 o", "3/4/0/O", "3, 4, 0 O"]),
        (Kayles(12), ["5-3-1 O", "1 3 5 o", "5/3/1 O", "0-5-3-1 O"]),
        (Grundy(10), ["5-3-2", "2 3 5", "5/2/3", " 5,3,2 "]),
        (DotsAndBoxes(1, 2), ["_./||./_. +1 O", "-./||./-. +1 O", "_. ||. _. 1 o", "_?||?_? +1 O"]),
        (Othello(4), ["????/?OX?/?XO?/???? X", "-----ox--xo-----x", "____ _OX_ .XO. .... X"]),
    ],
)
def test_spellings(game, texts):
    assert {game.format_position(game.parse_position(text)) for text in texts} == {texts[0]}


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        (Nim("3-4-5"), "", "does not end in X or O"),
        (Nim("3-4-5"), "3-4-5", "does not end in X or O"),
        (Nim("3-4-5"), "3-a-5 X", "'A' is no number"),
        (Nim("3-4-5"), "3-4 X", "has 2 heaps; nim:heaps=3-4-5,take=any has 3"),
        (Nim("3-4-5"), "4-4-5 X", "heap 1 has 4 tokens; it begins with 3"),
        (Nim("3-4-5"), "3-4-5 O", "an odd number of moves does not lead here"),
        (Nim("9", "2-5"), "8 O", "an odd number of moves"),
        (Nim("9", "2-5"), "7 X", "an even number of moves"),
        (Kayles(12), "6-6 X", "needs 13 places in a row; there are 12"),
        (Kayles(12), "11 X", "it takes 1 moves to get there, so O is to move"),
        (Kayles(5), "1-1-1 O", "it takes 2 moves to get there, so X is to move"),
        (Kayles(12), "5-3-1", "does not end in X or O"),
        (Grundy(10), "5-3", "has 8 tokens; grundy:heap=10 has 10"),
        (Grundy(10), "5-5", "equal heaps only"),
        (Grundy(10), "10-0", "'0' is no heap"),
        (Grundy(10), "5-x-2", "'x' is no heap"),
        (DotsAndBoxes(1, 1), ".|..", "does not end in margin and side to move; write it like ./../. \\+0 X"),
        (DotsAndBoxes(1, 1), ".|. 0 O", "has 3 edges"),
        (DotsAndBoxes(1, 1), "|... 0 O", "edge a1-b1 is '|'; write _ or ."),
        (DotsAndBoxes(1, 1), "./|./. 0 X", "with 1 edges and 0 complete boxes O is to move"),
        (DotsAndBoxes(1, 2), "-./||./-. -1 X", "with 4 edges and 1 complete boxes O is to move"),
        (DotsAndBoxes(1, 1), "-/||/- 0 O", r"a margin of \+0 is impossible with 1 complete boxes"),
        (DotsAndBoxes(1, 1), "-/||/- +2 O", r"a margin of \+2 is impossible"),
        (Othello(4), "????/?OX?/?XO?/????", "has to be 16 cells, 4 rows of 4, and X or O to move"),
        (Othello(4), "????/?OX?/?X??/???? X", "the four cells in the middle"),
        (Othello(4), "????/?OX?/?XZ?/???? X", "'Z' is no mark"),
        (Othello(6), "????/?OX?/?XO?/???? X", "has to be 36 cells"),
    ],
)
def test_impossible_positions(game, text, reason):
    with pytest.raises(PositionError, match=reason) as error:
        game.parse_position(text)
    assert "\n" not in str(error.value)


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


@pytest.mark.parametrize(
    ("game", "text", "reason"),
    [
        (Nim("3-4-5"), "1:4", "write heap:tokens, such as 1:1"),
        (Nim("3-4-5"), "4", "is no move of nim"),
        (Nim("9", "2-5"), "1:3", "such as 1:2"),
        (Kayles(12), "13", "one pin of 1 to 12"),
        (Kayles(12), "12+13", "one pin of 1 to 12"),
        (Kayles(12), "3+5", "two such as 3\\+4"),
        (Grundy(10), "10=5+5", "two unequal parts"),
        (Grundy(10), "9=3+5", "two unequal parts"),
        (DotsAndBoxes(), "a1-c1", "two neighbouring dots"),
        (DotsAndBoxes(), "a3-a4", "two neighbouring dots"),
        (Othello(), "17", "a cell from 0 to 15, or pass"),
        (Othello(), "c4", "a cell from 0 to 15, or pass"),
    ],
)
def test_impossible_moves(game, text, reason):
    with pytest.raises(PositionError, match=reason):
        game.parse_move(text)


def test_spellings_of_moves():
    assert Kayles(12).parse_move(" 3 + 4 ") == Kayles(12).parse_move("3+4")
    assert Grundy(10).parse_move("7=4+3") == Grundy(10).parse_move("7 = 3 + 4")
    assert DotsAndBoxes().parse_move("B1A1") == DotsAndBoxes().parse_move("a1-b1") == 0
    assert Othello().parse_move(" PASS ") == 16


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("nim:heaps=3--5", "numbers from 0 on joined by -, such as 1-2-3"),
        ("nim:heaps=-1", "numbers from 0 on"),
        ("nim:heaps=3 4 5", "numbers from 0 on"),
        ("nim:heaps=3,take=1-0", "write any, or numbers from 1 on"),
        ("nim:heaps=3-4,take=none", "write any, or numbers from 1 on"),
        ("nim:heaps=200-100", "has 300 different moves; at most 255 have a code"),
        ("nim:heaps=70000,take=1", "at most 65534 can be counted"),
        ("nim:heaps=" + "-".join("1" * 63), "needs 63 bits; at most 62 fit a state"),
        ("kayles:pins=-1", "a row has 0 to 62 pins"),
        ("kayles:pins=63", "a row has 0 to 62 pins"),
        ("grundy:heap=-1", "a heap has 0 to 32 tokens"),
        ("grundy:heap=33", "a heap has 0 to 32 tokens"),
        ("dots_and_boxes:rows=0", "rows is at least 1"),
        ("dots_and_boxes:rows=5,cols=5", "have 60 edges and need 66 bits; 62 fit"),
        ("othello:size=8", "boards are 2 x 2, 4 x 4 and 6 x 6"),
        ("othello:size=5", "boards are 2 x 2, 4 x 4 and 6 x 6"),
    ],
)
def test_impossible_parameters(spec, reason):
    with pytest.raises(SpecError, match=reason) as error:
        load_game(spec)
    assert "\n" not in str(error.value)


def test_boards_as_grids():
    assert Kayles(5).grid(0b1011) == [["i", "i", " ", "i", " "]]
    assert Othello().grid(Othello().rules().start)[1] == [" ", "O", "X", " "]
    assert DotsAndBoxes(1, 1).grid(DotsAndBoxes(1, 1).parse_position("-/|./. 0 X")) == [
        list("+-+"),
        list("|  "),
        list("+ +"),
    ]
