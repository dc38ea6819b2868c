"""Find the symmetries of a board as permutations of its cells and of moves."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from ..errors import SymmetryError
from .game import Game, Rules
from .keeping import kept_rules
from .symmetry import Group

LINES = 64
"""The number of random lines of play that show where symmetries send cells and moves."""


class BoardSymmetries(NamedTuple):
    """The symmetries of a board, the identity first: ``boards.reshape(n, -1)[:, cells[g]]`` are images of boards, and
    ``mask[:, moves[g]]`` of their masks of moves.
    """

    cells: np.ndarray
    """int64[order, rows * cols]: the cell whose mark comes to each cell."""
    moves: np.ndarray
    """int64[order, largest code + 1]: the move that becomes each move."""


def board_symmetries(game: Game, group: Group) -> BoardSymmetries:
    """Return the rotations and reflections in a group as permutations, found by random lines of play; not those that
    exchange marks. Raises `MissingDataError` for a game without a board, and `SymmetryError` for one with a canonical()
    of its own, which names no symmetries, or if a code means different moves to the two players.
    """
    rules = kept_rules(game)
    if rules.canonical is not None:
        raise SymmetryError(f"{game.spec} has a canonical() of its own, which names no symmetries")
    states = _played(game)
    images = np.array([group.images(state) for state in states.tolist()], dtype=np.int64).T
    before, permutations = game.boards(states).reshape(len(states), -1), []
    for number, image in enumerate(images):
        cells = _cells(before, game.boards(image).reshape(len(states), -1))
        if cells is not None:
            permutations.append((cells, _moves(rules, group, number, states.tolist(), image.tolist())))
    return BoardSymmetries(*(np.array(part) for part in zip(*permutations, strict=True)))


def _played(game: Game) -> np.ndarray:
    """Return the states of random lines of play."""
    rules, chance, states = kept_rules(game), random.Random(0), set[int]()
    for _ in range(LINES):
        state, plies = rules.start, 0
        while (moves := rules.moves(state)) and plies < LINES:
            states.add(state)
            state, plies = chance.choice(moves)[1], plies + 1
    return np.array(sorted(states), dtype=np.int64)


def _cells(before: np.ndarray, after: np.ndarray) -> list[int] | None:
    """Return, for each column of ``after``, the equal column of ``before``; columns that are equal keep their order.
    None if one has no equal.
    """
    columns: dict[bytes, list[int]] = {}
    for number in range(before.shape[1])[::-1]:
        columns.setdefault(before[:, number].tobytes(), []).append(number)
    equals = [columns.get(after[:, number].tobytes()) for number in range(after.shape[1])]
    return [numbers.pop() for numbers in equals if numbers] if all(equals) else None


def _moves(rules: Rules, group: Group, number: int, states: list[int], images: list[int]) -> list[int]:
    """Return the move that becomes each move; moves that no line shows stay as they are."""
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
