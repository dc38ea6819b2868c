"""Find what the page cannot draw of a game in the look that it has chosen: boards, marks, and moves without a place.

The page finds the place of a move by its name, or else by `Game.cell_of`; what each look reads is in `LOOKS`.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence

from ...pictures.boards import regular
from ...rules.game import Game

GAMES, MOST_PLIES = 20, 60
"""Games played at random, and how far."""

MOST_TOKENS, LONGEST_MARK = 32, 4
"""Limits on the tokens of a heap, and on the characters of a mark; the page draws no more."""

_SQUARE = re.compile(r"(?<![a-wyz])([a-z])([0-9]{1,3})")
_HEAP = re.compile(r"([0-9]+):([0-9]+)|([0-9]+)=([0-9]+)\+[0-9]+")
_PINS = re.compile(r"[0-9]+(\+[0-9]+)?")

Misfit = tuple[str, str]
"""What does not fit in general, and an example."""


def misfits(game: Game) -> list[str]:
    """Return what does not fit the look of a game, in positions of random play, one line each with the first example.

    >>> from analysis.games.families import load_game
    >>> misfits(load_game("kayles:pins=4"))
    []
    """
    rules, numbers, found, often = game.rules(), random.Random(0), dict[str, str](), dict[str, int]()
    for _ in range(GAMES):
        state = rules.start
        for _ in range(MOST_PLIES):
            moves = rules.moves(state)
            for what, example in itertools.chain(_of_board(game, state), _of_moves(game, state, moves)):
                often[what] = often.get(what, 0) + 1
                found.setdefault(what, f"{example} in {game.format_position(state)}")
            if not moves:
                break
            state = numbers.choice(moves)[1]
    return [f"{what}: {found[what]}" + (f", and {n - 1:,} more" if n > 1 else "") for what, n in often.items()]


def _of_board(game: Game, state: int) -> Iterator[Misfit]:
    """Yield what does not fit of a board."""
    grid = game.grid(state)
    if game.look == "heaps":
        heaps = [int(size) for size in re.findall(r"[0-9]+", game.format_position(state))]
        if max(heaps, default=0) > MOST_TOKENS:
            yield f"a heap of more than {MOST_TOKENS} tokens is shown as text", str(max(heaps))
        return
    if grid is None:
        return
    if not regular(grid):
        yield "a board without equally long rows is shown as text", f"{grid!r}"[:60]
        return
    rows, cols = len(grid), len(grid[0])
    if game.look == "pins" and rows > 1:
        yield "only the first row of pins is drawn", f"{rows} rows"
    if game.look == "dots" and not (rows % 2 and cols % 2):
        yield "a board of dots has an odd number of rows and of columns", f"{rows} x {cols}"
    if game.look == "points" and (not game.joined or max(map(max, game.joined)) >= rows * cols):
        yield "`joined` names the points between which there are lines", f"{list(game.joined)} of {rows * cols} points"
    if game.in_row > max(rows, cols):
        yield "no row of the board is as long as in_row", f"{game.in_row} on {rows} x {cols}"
    for mark in itertools.chain.from_iterable(grid):
        if len(mark.strip()) > LONGEST_MARK:
            yield f"a mark is cut after {LONGEST_MARK} characters", repr(mark)


def _of_moves(game: Game, state: int, moves: list[tuple[int, int]]) -> Iterator[Misfit]:
    """Yield moves that have no place on the board; those of boards that are shown as text need none, nor a pass."""
    grid = game.grid(state)
    if game.look == "heaps":
        sizes = [int(size) for size in re.findall(r"[0-9]+", game.format_position(state))]
    elif not regular(grid):
        return
    for code, child in moves:
        name = game.format_move(code)
        if game.look == "heaps":
            fits = _fits_heaps(name, sizes)
        elif game.look == "pins":
            assert grid is not None
            fits = bool(_PINS.fullmatch(name)) and all(0 < int(pin) <= len(grid[0]) for pin in name.split("+"))
        else:
            assert grid is not None
            fits = game.cell_of(state, code) is not None or bool(_squares(game, name, len(grid), len(grid[0])))
        if game.look == "columns" and grid and _hangs(grid, game.cell_of(state, code)):
            yield "a disc does not fall to the bottom of its column", repr(name)
        if game.look == "dominoes" and fits and _beyond(game, state, code, len(grid or ()), len((grid or [[]])[0])):
            yield "a domino lies beyond the edge of the board", repr(name)
        if not fits and (grid is None or grid != game.grid(child)):
            yield "a move without a place on the board is only listed", repr(name)


def _fits_heaps(name: str, sizes: list[int]) -> bool:
    parts = _HEAP.fullmatch(name)
    if parts is None:
        return False
    heap, taken, whole, part = (int(each or 0) for each in parts.groups())
    return (heap <= len(sizes) and taken <= sizes[heap - 1]) if heap else (whole in sizes and part < whole)


def _hangs(grid: Sequence[Sequence[str]], cell: int | None) -> bool:
    """Return whether there is an empty cell below the one that a move fills."""
    row, col = divmod(cell or 0, len(grid[0]))
    return cell is not None and any(not each[col].strip() for each in grid[row + 1 :])


def _beyond(game: Game, state: int, code: int, rows: int, cols: int) -> bool:
    """Return whether the second cell of a domino that is named by its first one is not on the board."""
    name, cell = game.format_move(code), game.cell_of(state, code)
    squares = _squares(game, name, rows, cols)
    if len(squares) == 2:
        return False
    if cell is None:
        number = int(squares[0][1:])
        cell = (rows - number if game.rows_from_bottom else number - 1) * cols + ord(squares[0][0]) - ord("a")
    player = game.players[game.rules().mover(state) < 0]
    down = name.endswith("|") or (player == "V" and not name.endswith("-"))
    return cell // cols == rows - 1 if down else cell % cols == cols - 1


def _squares(game: Game, name: str, rows: int, cols: int) -> list[str]:
    """Return the squares in a name that are on the board, such as ``a2`` and ``a3`` of ``a2-a3``."""
    if game.look == "dots":
        rows, cols = (rows + 1) // 2, (cols + 1) // 2
    return [
        letter + number
        for letter, number in _SQUARE.findall(name)
        if ord(letter) - ord("a") < cols and 0 < int(number) <= rows
    ]
