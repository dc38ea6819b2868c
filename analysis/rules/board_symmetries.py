"""Symmetries of a board as permutations of its cells and of moves."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from ..errors import SymmetryError
from .game import Game, Rules, kept_rules
from .symmetry import Group

LINES = 64
"""Random lines of play that show where symmetries send cells and moves."""


class BoardSymmetries(NamedTuple):
    """The symmetries of a board, the identity first: ``boards.reshape(n, -1)[:, cells[g]]`` are images of boards, and
    ``mask[:, moves[g]]`` of their masks of moves.
    """

    cells: np.ndarray
    """int64[order, rows * cols]: the cell whose mark comes to each cell."""
    moves: np.ndarray
    """int64[order, largest code + 1]: the move that becomes each move."""


def board_symmetries(game: Game, group: Group) -> BoardSymmetries:
    """Return the rotations and reflections in a group as permutations, as random lines of play show them; not those
    that exchange marks. Raises `MissingDataError` for a game without a board, and `SymmetryError` for one with a
    canonical() of its own, which names no symmetries, and where a code means different moves to the two players.
    """
    rules = kept_rules(game)
    if rules.canonical is not None:
        raise SymmetryError(f"{game.spec} has a canonical() of its own, which names no symmetries")
    states = _played(game)
    images = np.array([group.images(state) for state in states.tolist()], dtype=np.int64).T
    before, found = game.boards(states).reshape(len(states), -1), []
    for number, image in enumerate(images):
        cells = _cells(before, game.boards(image).reshape(len(states), -1))
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
