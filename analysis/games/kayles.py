"""Kayles: a row of pins; a ball knocks over one pin or two that stand side by side (Dudeney 1908).

Two players in turn take one pin, or two neighbours; the player who cannot move, since no pin is left, loses. Only the
lengths of the rows of neighbours matter, so a position is a sorted set of rows: the longest first, a single gap between
two rows. The pins are the low bits of a state, the first pin lowest; the bit above them is the side to move (1: the
second player). With 12 pins::

    rows 5-3-1, O to move    ||||| ||| |       pins 0..4, 6..8 and 10 stand
                              state 0b1_010111011111

A move is ``2 * pin`` for one pin and ``2 * pin + 1`` for that one and the next, with pins counted in this arrangement;
the rows are then sorted again. Every throw at the pins is one move, so the games are those of real pins in a row,
although many positions of real pins are one state. In texts the first pin is 1: ``3`` is one pin, ``3+4`` two. The
number of moves does not follow from the pins, hence the side in the state; the tier is the number of pins taken.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any

from ..errors import PositionError
from ..rules.boards import NamedMoves, check_range, read_heaps, turn_at, write_heaps
from ..rules.game import ONGOING, Rules, popcount

MOST_PINS = 62  # 63 bits with the side to move


@dataclasses.dataclass(frozen=True)
class Kayles(NamedMoves):
    """Kayles with ``pins`` pins in one row."""

    family = "kayles"
    title = "Kayles, {pins} pins"
    goal = "Knock over one pin or two neighbours; whoever cannot move loses."
    look = "pins"
    notation = (
        "6 takes pin 6, 6+7 takes pins 6 and 7. After each move the pins are numbered anew: the longest row first."
    )
    description = "knock over one pin or two neighbours; the player who cannot move loses"
    example = "kayles:pins=12"
    sizes = "up to 62 pins; solved whole, 45 take two seconds, 62 half a minute, and counts of games fit up to 33"
    known = "the first player wins every single row; nimbers of rows: OEIS A002186"

    move_form = "one pin of 1 to {0.pins}, or two such as 3+4"

    pins: int = 12

    def __post_init__(self) -> None:
        check_range(0, MOST_PINS, pins=self.pins)

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        pins, row = self.pins, (1 << self.pins) - 1
        to_move = turn_at(pins)

        def outcome(state: int) -> int:
            return ONGOING if state & row else -to_move(state)

        def legal_moves(state: int, out: Any) -> int:
            standing = state & row
            count = 0
            while standing:
                pin = popcount((standing & -standing) - 1)
                out[count] = 2 * pin
                count += 1
                standing &= standing - 1
                if standing >> pin & 2:
                    out[count] = 2 * pin + 1
                    count += 1
            return count

        def play(state: int, move: int) -> int:
            pin = move >> 1
            standing, begin = state & row, 0  # the pins from `begin` on
            length = first_row(standing)
            while pin > begin + length:
                standing, begin = standing >> (length + 1), begin + length + 1
                length = first_row(standing)
            before = pin - begin
            after = length - before - 1 - (move & 1)
            mover = (state >> pins ^ 1) << pins
            return mover | state & ((1 << begin) - 1) | insert(standing >> (length + 1), before, after) << begin

        def tier(state: int) -> int:
            return pins - popcount(state & row)

        return Rules(
            start=row,
            max_moves=max(1, 2 * pins - 1),
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            largest_code=max(0, 2 * pins - 2),
            tier=tier,
            impartial=True,
            max_plies=pins,
        )

    def parse_position(self, text: str) -> int:
        """Return the state written as the lengths of its rows, in any order, and the side to move; ``0`` if no pin is
        left. Raises `PositionError` for more than there are.
        """
        lengths, mover = read_heaps(text, "5-3-1 X")
        rows = [length for length in lengths if length]
        if sum(rows) + len(rows) - 1 > self.pins:
            raise PositionError(
                f"position {text!r} needs {sum(rows) + len(rows) - 1} places in a row; there are {self.pins}"
            )
        standing = functools.reduce(lambda others, length: insert(others, length, 0), rows, 0)
        return standing | (mover < 0) << self.pins

    def format_position(self, state: int) -> str:
        """Return the rows, longest first, and the side to move."""
        standing = bin(state & ((1 << self.pins) - 1))[2:]
        return write_heaps(reversed([len(pins) for pins in standing.split("0") if pins]), bool(state >> self.pins))

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield one pin, ``3``, or two neighbours, ``3+4``."""
        for pin in range(1, self.pins + 1):
            yield 2 * pin - 2, str(pin)
            if pin < self.pins:
                yield 2 * pin - 1, f"{pin}+{pin + 1}"

    def cell_of(self, state: int, move: int) -> None:
        """Return None: pins are numbered, and the rows are sorted again after each throw."""

    def picture(self, state: int) -> str:
        """Draw the standing pins with their numbers below, twenty to a line."""
        lines = []
        for first in range(0, self.pins, 20):
            pins = range(first, min(first + 20, self.pins))
            standing = [pin for pin in pins if state >> pin & 1]
            if standing:
                lines += ["".join(f"{'i' if pin in standing else '':>3} " for pin in pins).rstrip()]
                lines += ["".join(f"{pin + 1 if pin in standing else '':>3} " for pin in pins).rstrip()]
        return "\n".join(lines) or "no pin is left"

    def grid(self, state: int) -> list[list[str]] | None:
        """Return the pins as numbered in moves: one row of ``i`` and blanks; None if there was never one."""
        return [["i" if state >> pin & 1 else " " for pin in range(self.pins)]] if self.pins else None


def first_row(standing: int) -> int:
    """Return the length of the row of pins at the lowest bit."""
    return popcount((standing ^ (standing + 1)) >> 1)


def insert(rows: int, first: int, second: int) -> int:
    """Insert two more rows (0: none) into an arrangement, in order."""
    longer, shorter = max(first, second), min(first, second)
    done, begin = 0, 0
    while longer:
        length = first_row(rows)
        if length > longer:
            rows >>= length + 1
        else:
            length, longer, shorter = longer, shorter, 0
        done |= ((1 << length) - 1) << begin
        begin += length + 1
    return done | rows << begin
