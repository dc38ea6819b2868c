"""Boards as numbers: arrays of marks, planes for networks, masks of moves, and symmetries as permutations.

A free cell is 0, a mark of the first player 1, of the second -1 (2 is read as well), and other marks are 3, 4, ... in
alphabetical order. Where no mark is a player's own, as in wild tic-tac-toe, X counts as the first player's and O as the
second's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..errors import MissingDataError, OptionError, PositionError, SymmetryError
from .game import Game, Rules, kept, kept_rules
from .positions import BoardForm, board_form
from .symmetry import Group, find_group

FREE, FIRST, SECOND, OTHER = 0, 1, -1, 3

LINES = 64
"""Random lines of play that show where symmetries send cells and moves."""


def boards(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the boards of reachable states, int8[n, rows, cols]. Raises `MissingDataError` for a game without one."""
    form, codes = require_form(game), np.full(256, OTHER, np.int8)
    for mark, code in _codes(game).items():
        codes[ord(form.blank if mark == " " else mark)] = code
    width = form.rows * (form.cols + len(form.between)) - len(form.between)
    texts = np.array([text[:width] for text in game.format_positions(states)], dtype=f"S{width}")
    cells = texts.view(np.uint8).reshape(len(states), width)
    shown = np.arange(width) % (form.cols + len(form.between)) < form.cols
    return codes[cells[:, shown]].reshape(len(states), form.rows, form.cols)


def encode(game: Game, given: object, to_move: object = None) -> np.ndarray:
    """Return the states of boards, int64[n], -1 for a board that is no position.

    Args:
        game: The game.
        given: int8[n, rows, cols] or int8[n, cells], cell by cell as printed.
        to_move: 1 or -1, or one for each board: who moves, in games whose boards do not tell.

    Raises `MissingDataError` for a game without a board, and `OptionError` for arrays of another form.
    """
    form, marks = require_form(game), {code: mark for mark, code in _codes(game).items()}
    marks[2] = marks.get(SECOND, "")
    numbers = np.asarray(given)
    cells = form.rows * form.cols
    if numbers.shape[1:] not in ((form.rows, form.cols), (cells,)) or numbers.dtype.kind not in "iu":
        shape = "x".join(map(str, numbers.shape))
        raise OptionError(
            f"boards must be integers, n x {form.rows} x {form.cols} or n x {cells}, not {numbers.dtype} of {shape}"
        )
    if bool(form.sides) != (to_move is not None):
        needed = f"boards of {game.spec} do not tell who moves; give to_move=1 or -1"
        raise OptionError(needed if form.sides else f"boards of {game.spec} tell who moves; leave to_move out")
    numbers = numbers.reshape(len(numbers), cells)
    movers = np.broadcast_to(np.asarray(1 if to_move is None else to_move), len(numbers))
    distinct, places = np.unique(np.column_stack([numbers, movers]), axis=0, return_inverse=True)
    return np.array([_state(game, form, marks, row) for row in distinct.tolist()], dtype=np.int64)[places.ravel()]


def _state(game: Game, form: BoardForm, marks: dict[int, str], row: Sequence[int]) -> int:
    *cells, mover = row
    if not {*cells} <= marks.keys():
        return -1
    side = f" {game.players[mover < 0]}" if form.sides else ""
    try:
        return game.parse_position(form.written([marks[cell] for cell in cells]) + side)
    except PositionError:
        return -1


def planes(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the boards of reachable states as planes, uint8[n, 4, rows, cols]; see `Game.planes`."""
    shown, to_move = boards(game, states), movers(game, states)[:, None, None]
    own = to_move if _owned(game) else 1
    first = np.broadcast_to(to_move == 1, shown.shape)
    return np.stack([shown == own, shown == -own, shown >= OTHER, first], axis=1).astype(np.uint8)


def movers(game: Game, states: np.ndarray) -> np.ndarray:
    """Return who moves in each state, int8[n]: 1 or -1."""
    return np.array([kept_rules(game).mover(state) for state in states.tolist()], dtype=np.int8)


def legal_mask(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the legal moves of reachable states, bool[n, largest code + 1]."""
    rules = kept_rules(game)
    mask = np.zeros((len(states), rules.largest_code + 1), dtype=bool)
    for row, state in enumerate(states.tolist()):
        mask[row, [code for code, _ in rules.moves(state)]] = True
    return mask


class BoardSymmetries(NamedTuple):
    """The symmetries of a board, the identity first: ``boards.reshape(n, -1)[:, cells[g]]`` are images of boards, and
    ``mask[:, moves[g]]`` of their masks of moves.
    """

    cells: np.ndarray
    """int64[order, rows * cols]: the cell whose mark comes to each cell."""
    moves: np.ndarray
    """int64[order, largest code + 1]: the move that becomes each move."""


@kept
def symmetries(game: Game) -> BoardSymmetries:
    """Return the rotations and reflections of a game's board, as random lines of play show them; not those that
    exchange marks. Raises `MissingDataError` for a game without a board, and `SymmetryError` for one with a canonical()
    of its own, which names no symmetries.
    """
    rules = kept_rules(game)
    if rules.canonical is not None:
        raise SymmetryError(f"{game.spec} has a canonical() of its own, which names no symmetries")
    group, states = find_group(rules, "geometric"), _played(game)
    images = np.array([group.images(state) for state in states.tolist()], dtype=np.int64).T
    before, found = boards(game, states).reshape(len(states), -1), []
    for number, image in enumerate(images):
        cells = _cells(before, boards(game, image).reshape(len(states), -1))
        if cells is not None:
            found.append((cells, _moves(rules, group, number, states.tolist(), image.tolist())))
    return BoardSymmetries(*(np.array(each) for each in zip(*found, strict=True)))


def _played(game: Game) -> np.ndarray:
    """Return the states of random lines of play."""
    rules, chance, seen = kept_rules(game), random.Random(0), set[int]()
    for _ in range(LINES):
        state, plies = rules.start, 0
        while (moves := rules.moves(state)) and plies < LINES:
            seen.add(state)
            state, plies = chance.choice(moves)[1], plies + 1
    return np.array(sorted(seen), dtype=np.int64)


def _cells(before: np.ndarray, after: np.ndarray) -> list[int] | None:
    """Return the column of ``before`` that is each column of ``after``; equal ones keep their order. None if there is
    no such column.
    """
    columns: dict[bytes, list[int]] = {}
    for number in range(before.shape[1])[::-1]:
        columns.setdefault(before[:, number].tobytes(), []).append(number)
    found = [columns.get(after[:, number].tobytes()) for number in range(after.shape[1])]
    return [each.pop() for each in found if each] if all(found) else None


def _moves(rules: Rules, group: Group, number: int, states: list[int], images: list[int]) -> list[int]:
    """Return the move that becomes each move; those that no line shows stay."""
    possible: dict[int, set[int]] = {}
    for state, image in zip(states, images, strict=True):
        codes: dict[int, set[int]] = {}
        for code, child in rules.moves(state):
            codes.setdefault(group.images(child)[number], set()).add(code)
        for code, child in rules.moves(image):
            possible[code] = possible.get(code, codes[child]) & codes[child]
    if set() in possible.values():
        raise SymmetryError(
            "a symmetry sends a code of a move to different codes, so that it is no permutation of codes"
        )
    return [min(possible.get(code, {code})) for code in range(rules.largest_code + 1)]


def require_form(game: Game) -> BoardForm:
    """Return how a game writes its boards. Raises `MissingDataError` for a game without boards of single marks."""
    form = board_form(game)
    if form is None or any(len(mark) != 1 for mark in form.marks.values()):
        raise MissingDataError(f"{game.spec} has no board whose text is its marks, row by row")
    return form


def _owned(game: Game) -> bool:
    """Return whether marks are players' own."""
    return bool({*require_form(game).marks.values()} & {*game.players})


def _codes(game: Game) -> dict[str, int]:
    """Return the number of each mark."""
    first, second = game.players if _owned(game) else ("X", "O")
    others = sorted({*require_form(game).marks.values()} - {" ", first, second})
    return {" ": FREE, first: FIRST, second: SECOND, **{mark: OTHER + place for place, mark in enumerate(others)}}
