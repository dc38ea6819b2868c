"""Boards of coins, as text files say them: a row of squares on each line, with values, ``H``, ``C`` and ``*``."""

from __future__ import annotations

import dataclasses
import functools
import re
from pathlib import Path

from analysis.errors import SpecError

COURSE = "H 5 10 5 25 / 5 10 25 10 5 / 10 25 1* 25 10 / 5 10 25 10 5 / 25 5 10 5 C"
MOST_BITS = 63


@dataclasses.dataclass(frozen=True)
class CoinBoard:
    """A board as its file says: for each square a coin's value or 0, where the players start, and the decisive coin."""

    rows: int
    cols: int
    values: tuple[int, ...]
    start: tuple[int, int]
    """The squares of ``H`` and ``C``."""
    decisive: int

    @functools.cached_property
    def coins(self) -> tuple[int, ...]:
        """The squares that hold coins."""
        return tuple(square for square, value in enumerate(self.values) if value)

    @property
    def total(self) -> int:
        """All the money."""
        return sum(self.values)

    @property
    def square_bits(self) -> int:
        """How many bits the number of a square takes."""
        return (self.rows * self.cols - 1).bit_length()

    @property
    def shifts(self) -> tuple[int, int, int, int]:
        """Where first's square, second's square, the lead and the side to move begin in a state."""
        first = len(self.coins)
        second = first + self.square_bits
        lead = second + self.square_bits
        return first, second, lead, lead + (2 * self.total).bit_length()


def read_board(board: str) -> CoinBoard:
    """The course board, or the one in a file. Raises `SpecError` with the line that is wrong."""
    if board == "course":
        return _parse_board("the course board", COURSE.split("/"))
    try:
        lines = Path(board).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise SpecError(f"board file {board} cannot be read: {reason}; board is a file, or 'course'") from None
    return _parse_board(f"board file {board}", lines)


def _parse_board(name: str, lines: list[str]) -> CoinBoard:
    width = 0
    values: list[int] = []
    players: dict[str, int] = {}
    marked: list[int] = []
    for number, line in enumerate(lines, start=1):
        marks = line.split("#")[0].upper().split()
        if width and marks and len(marks) != width:
            raise SpecError(f"{name}, line {number}: {len(marks)} squares, but the rows above have {width}")
        width = len(marks) or width
        for mark in marks:
            if mark in ("H", "C") and mark in players:
                raise SpecError(f"{name}, line {number}: a second {mark}; each player stands on one square")
            if mark in ("H", "C"):
                players[mark] = len(values)
            elif not re.fullmatch(r"[0-9]{1,9}|[0-9]{1,9}\*|\.", mark) or mark.strip("0") == "*":
                raise SpecError(f"{name}, line {number}: {mark!r} is no square; write a value, 1* to mark, 0, H or C")
            elif mark.endswith("*"):
                marked.append(len(values))
            values.append(int(mark.rstrip("*")) if mark[0].isdigit() else 0)
    return _checked(name, width, tuple(values), players, marked)


def _checked(name: str, width: int, values: tuple[int, ...], players: dict[str, int], marked: list[int]) -> CoinBoard:
    for player in ("H", "C"):
        if player not in players:
            raise SpecError(f"{name} has no {player}; each player stands on one square")
    ones = [square for square, value in enumerate(values) if value == 1]
    decisive = marked or ones
    if len(decisive) != 1:
        found = f"{len(marked)} decisive coins" if marked else f"no * and {len(ones)} coins of value 1"
        raise SpecError(f"{name} has {found}; mark exactly one coin with *, like 1*")
    board = CoinBoard(len(values) // width, width, values, (players["H"], players["C"]), decisive[0])
    bits = board.shifts[3] + 1
    if bits > MOST_BITS:
        raise SpecError(
            f"{name} needs {bits} bits ({len(board.coins)} coins, {len(values)} squares, {board.total} cents); "
            f"at most {MOST_BITS} fit a state"
        )
    return board
