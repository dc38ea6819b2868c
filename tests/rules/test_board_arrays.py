"""Boards as arrays agree with boards as texts, and their symmetries with the solver's."""

import numpy as np
import pytest

from analysis import load_game
from analysis.errors import MissingDataError, OptionError, SymmetryError
from analysis.rules.board_symmetries import board_symmetries
from analysis.rules.symmetry import find_group

TELL = ["tictactoe", "connect:rows=3,cols=4,k=3", "notakto", "wild", "hex:2", "domineering:rows=3,cols=3"]
ASK = ["dodgem:n=3", "hexapawn", "chomp:rows=2,cols=3"]


def played(game, plies=40):
    """Every state of some random games."""
    chance, rules, seen = np.random.default_rng(0), game.rules(), set()
    for _ in range(20):
        state = rules.start
        for _ in range(plies):
            seen.add(state)
            if not (moves := rules.moves(state)):
                break
            state = moves[chance.integers(len(moves))][1]
    return np.array(sorted(seen))


@pytest.mark.parametrize("spec", TELL + ASK)
def test_there_and_back(spec):
    game = load_game(spec)
    states, rules = played(game), game.rules()
    boards = game.boards(states)
    assert boards.dtype == np.int8
    to_move = [rules.to_move(state) for state in states.tolist()] if spec in ASK else None
    assert (game.encode(boards, to_move) == states).all()
    twos = np.where(boards == -1, 2, boards).reshape(len(states), -1)
    assert (game.encode(twos, to_move) == states).all()


@pytest.mark.parametrize("spec", ["tictactoe", "connect:rows=3,cols=4,k=3", "hex:2", "dodgem:n=3"])
def test_planes(spec):
    game = load_game(spec)
    states, rules = played(game), game.rules()
    planes = game.planes(states)
    for state, shown, (own, other, rest, first) in zip(states.tolist(), game.boards(states), planes, strict=True):
        mover = rules.to_move(state)
        grid = [["." if mark == " " else mark for mark in row] for row in game.grid(state)]
        assert [[".XO"[number] for number in row] for row in shown.tolist()] == grid
        assert (own == (shown == mover)).all()
        assert (other == (shown == -mover)).all()
        assert not rest.any()
        assert (first == (mover == 1)).all()


def test_marks_of_nobody():
    assert load_game("wild").boards([0b10_000000001]).tolist() == [[[1, -1, 0], [0, 0, 0], [0, 0, 0]]]
    assert load_game("domineering:rows=2,cols=2").boards([0b0101]).tolist() == [[[3, 0], [3, 0]]]


def test_no_positions():
    game = load_game("tictactoe")
    assert (
        game.encode([[[1, 1, 1]] * 3, [[-1, 0, 0]] + [[0] * 3] * 2, [[7, 0, 0]] + [[0] * 3] * 2]).tolist() == [-1] * 3
    )
    for wrong in ([1, 2], [[0.5] * 9], [[0] * 8], "XO"):
        with pytest.raises(OptionError):
            game.encode(wrong)
    with pytest.raises(OptionError):
        game.encode([[0] * 9], to_move=1)
    with pytest.raises(OptionError):
        load_game("hexapawn").encode([[0] * 9])


@pytest.mark.parametrize("spec", ["nim:3-2", "grundy", "kayles:pins=5", "((1 2) 3)"])
def test_no_board(spec):
    game = load_game(spec)
    for call in (game.boards, game.planes, game.encode):
        with pytest.raises(MissingDataError):
            call([game.rules().start])


def test_legal_moves():
    for spec in (*TELL, *ASK, "nim:3-2"):
        game = load_game(spec)
        states, rules = played(game), game.rules()
        legal = [{*row.nonzero()[0].tolist()} for row in game.legal_mask(states)]
        assert legal == [{code for code, _ in rules.moves(state)} for state in states.tolist()]


@pytest.mark.parametrize(
    ("spec", "order"),
    [
        ("tictactoe", 8),
        ("connect:rows=3,cols=4,k=3", 2),
        ("wild", 8),
        ("hex:2", 2),
    ],
)
def test_symmetries(spec, order):
    game = load_game(spec)
    states = played(game)
    boards, mask = game.boards(states).reshape(len(states), -1), game.legal_mask(states)
    found = board_symmetries(game, find_group(game.rules(), "geometric"))
    assert len(found.cells) == len(found.moves) == order
    assert len({tuple(row) for row in found.cells.tolist()}) == order
    shape = game.boards(states[:1]).shape[1:]
    for cells, moves in zip(found.cells, found.moves, strict=True):
        images = game.encode(boards[:, cells].reshape(-1, *shape))
        assert (images >= 0).all()
        assert (game.legal_mask(images) == mask[:, moves]).all()
        for state, image in zip(states.tolist(), images.tolist(), strict=True):
            after, there = dict(game.rules().moves(state)), dict(game.rules().moves(image))
            for code, child in there.items():
                own = game.boards([after[int(moves[code])]]).reshape(-1)
                assert (own[cells] == game.boards([child]).reshape(-1)).all()


def test_symmetries_that_have_no_names():
    for spec in ("chomp:rows=3,cols=3", "domineering:rows=3,cols=3"):
        game = load_game(spec)
        group = find_group(game.rules(), "geometric")
        with pytest.raises(SymmetryError):
            board_symmetries(game, group)
