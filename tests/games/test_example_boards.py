"""Boards among the examples, beside solvers of a few lines and what is published."""

import functools

import pytest

import analysis
from tests.support.program import ROOT

EXAMPLES = f"{ROOT}/docs/how-to/examples"
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def full_board(rows: int, cols: int) -> frozenset:
    """Cells with their stones."""
    return frozenset(((r, c), "XO"[(r + c) % 2]) for r in range(rows) for c in range(cols))


@functools.cache
def clobber(board: frozenset, side: str) -> bool:
    """Whether the side to move wins."""
    stones = dict(board)
    for (r, c), mark in board:
        for down, right in STEPS:
            there = (r + down, c + right)
            if mark == side and stones.get(there, side) != side:
                after = {place: m for place, m in board if place not in ((r, c), there)} | {there: side}
                if not clobber(frozenset(after.items()), "XO"[side == "X"]):
                    return True
    return False


@pytest.mark.parametrize("cols", [2, 4, 6, 8, 10, 12])
def test_linear_clobber(cols):
    """The first player wins unless there are six stones: conjectured by Albert, Grossman, Nowakowski and Wolfe in 2004,
    proved by Chen and others in 2025.
    """
    solution = analysis.solve(f"{EXAMPLES}/clobber.py:Clobber:rows=1,cols={cols}", counts=False)
    assert solution.value == (-1 if cols == 6 else 1)


@pytest.mark.parametrize(("rows", "cols"), [(2, 4), (3, 3), (2, 5), (3, 4)])
def test_clobber(rows, cols):
    solution = analysis.solve(f"{EXAMPLES}/clobber.py:Clobber:rows={rows},cols={cols}", counts=False)
    assert solution.value == (1 if clobber(full_board(rows, cols), "X") else -1)


def after_jumps(board: frozenset, side: str):
    """Boards after each jump."""
    stones = dict(board)
    for (r, c), mark in board:
        for down, right in STEPS if mark == side else ():
            taken, (row, col) = [(r, c)], (r, c)
            while (
                stones.get((row + down, col + right), side) != side and (row + 2 * down, col + 2 * right) not in stones
            ):
                taken.append((row + down, col + right))
                row, col = row + 2 * down, col + 2 * right
                yield frozenset({p: m for p, m in board if p not in taken}.items()) | {((row, col), side)}


def konane(rows: int, cols: int) -> int:
    """The value by a search that keeps within the board."""

    @functools.cache
    def wins(board: frozenset, side: str) -> bool:
        inside = [
            each
            for each in after_jumps(board, side)
            if all(r in range(rows) and c in range(cols) for (r, c), _ in each)
        ]
        return any(not wins(after, "XO"[side == "X"]) for after in inside)

    board = full_board(rows, cols)
    middle = {((r, c), "X") for r in ((rows - 1) // 2, rows // 2) for c in ((cols - 1) // 2, cols // 2)}
    corners = {((r, c), "X") for r in (0, rows - 1) for c in (0, cols - 1)}
    value = -1
    for gap in (middle | corners) & board:
        replies = [stone for stone in board if abs(stone[0][0] - gap[0][0]) + abs(stone[0][1] - gap[0][1]) == 1]
        if not any(not wins(board - {gap, stone}, "X") for stone in replies):
            value = 1
    return value


@pytest.mark.parametrize(
    ("rows", "cols", "plies", "positions"),
    [(4, 4, 6, 3_863), (4, 5, 6, 56_120), (5, 5, 15, 2_160_386), (4, 6, 8, 1_821_213)],
)
def test_konane(rows, cols, plies, positions):
    solution = analysis.solve(f"{EXAMPLES}/konane.py:Konane:rows={rows},cols={cols}", counts=False)
    assert (solution.value, solution.remoteness_plies) == (konane(rows, cols), plies)
    assert solution.position_count == positions


def test_clobber_on_four_by_five():
    """Too large for the solver above: what it was when it was solved first."""
    solution = analysis.solve(f"{EXAMPLES}/clobber.py:Clobber:rows=4,cols=5", counts=False)
    assert (solution.value, solution.remoteness_plies, solution.position_count) == (1, 15, 26_787_440)
