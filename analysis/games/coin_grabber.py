"""Coin Grabber: two collectors on a board of coins (CIT 594, University of Pennsylvania, spring 2015, assignment 12).

The human ``H`` and the computer ``C`` move in turn, one square up, down, left or right, never onto each other, and take
the coin that lies there. Taking the decisive coin ends the game: the player who took it loses with less than
``threshold``; otherwise more money wins. Walking over empty squares is allowed, so play may go on for ever. The course
board::

     H  5 10  5 25
     5 10 25 10  5        the decisive coin is the 1 in the centre, the threshold is 100;
    10 25  1 25 10        equal purses cannot occur, the sums differ modulo 5
     5 10 25 10  5
    25  5 10  5  C

The course leaves open: equal purses are a tie, and a player without a square to go to (possible only on a board of one
row or column) passes.

A state, from the lowest bit, with ``k`` coins, ``p`` bits for a square (row by row from the top left) and ``m`` bits
for money; on the course board 23, 5 and 10::

    coins left        k bits    coin i is the i-th of the board, row by row
    first's square    p bits
    second's square   p bits
    lead              m bits    first player's money minus the second's, plus all the money there is
    who moves         1 bit     0 first player, 1 second

The first player is the one who begins. The purses follow: together they hold the coins that are gone. Moves: 0 up, 1
down, 2 left, 3 right, 4 pass. The tier is the number of coins taken.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..errors import PositionError, SpecError
from ..rules.boards import NamedMoves, check_range, choose, rows_of, turn_at
from ..rules.game import ONGOING, Evaluation, Rules, popcount
from ..rules.picture import column_name

COURSE = "H 5 10 5 25 / 5 10 25 10 5 / 10 25 1* 25 10 / 5 10 25 10 5 / 25 5 10 5 C"
MOST_BITS = 63
WAYS = ("U", "D", "L", "R", "pass", "up", "down", "left", "right")  # as moves are written and may be typed
DECIDED = 10_000  # value of a won position in the evaluation, unless all the money is more


@dataclasses.dataclass(frozen=True)
class CoinBoard:
    """A board from a file: each square's coin or 0, where the players start, and the decisive coin."""

    rows: int
    cols: int
    values: tuple[int, ...]
    start: tuple[int, int]  # the squares of ``H`` and ``C``
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
        """Number of bits of the number of a square."""
        return (self.rows * self.cols - 1).bit_length()

    @property
    def shifts(self) -> tuple[int, int, int, int]:
        """The first bits of the first player's square, the second's, the lead and the side to move."""
        first = len(self.coins)
        second = first + self.square_bits
        lead = second + self.square_bits
        return first, second, lead, lead + (2 * self.total).bit_length()


def read_board(board: str) -> CoinBoard:
    """Return the course board, or the one in a file. Raises `SpecError`, naming the wrong line."""
    if board == "course":
        return _parse_board("the course board", COURSE.split("/"))
    try:
        lines = Path(board).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SpecError(f"board file {board} cannot be read: {reason}; board is a file, or 'course'") from None
    return _parse_board(f"board file {board}", lines)


def _parse_board(name: str, lines: list[str]) -> CoinBoard:
    rows = [marks for line in lines if (marks := line.split("#")[0].upper().split())]
    width, squares = len(rows[0]) if rows else 0, [mark for marks in rows for mark in marks]
    known = all(re.fullmatch(r"[HC.]|[0-9]{1,9}|0*[1-9][0-9]{0,8}\*", mark) for mark in squares)
    if any(len(marks) != width for marks in rows) or not known or any(squares.count(player) != 1 for player in "HC"):
        raise SpecError(
            f"{name}: write rows of as many squares each: one H, one C, and values, with * after the decisive coin"
        )
    values = tuple(int(mark.rstrip("*")) if mark[0].isdigit() else 0 for mark in squares)
    marked = [square for square, mark in enumerate(squares) if mark.endswith("*")]
    decisive = marked or [square for square, value in enumerate(values) if value == 1]
    if len(decisive) != 1:
        raise SpecError(f"{name} has {len(decisive)} decisive coins; mark exactly one with *, like 1*")
    start = squares.index("H"), squares.index("C")
    board = CoinBoard(len(rows), width, values, start, decisive[0])
    bits = board.shifts[3] + 1
    if bits > MOST_BITS:
        raise SpecError(
            f"{name} needs {bits} bits ({len(board.coins)} coins, {len(values)} squares, {board.total} cents); "
            f"at most {MOST_BITS} fit a state"
        )
    return board


@dataclasses.dataclass(frozen=True)
class CoinGrabber(NamedMoves):
    """Coin Grabber on the course board (``board=course``) or on one from a text file; ``first``, H or C, begins.

    A board file has a row of squares on each line: values, 0 or ``.`` without a coin, ``H``, ``C``, and ``*`` after the
    decisive coin (or, without a mark, exactly one coin of value 1); ``#`` starts a comment.

    >>> CoinGrabber().format_position(CoinGrabber().rules().start)
    'H 5 10 5 25 / 5 10 25 10 5 / 10 25 1 25 10 / 5 10 25 10 5 / 25 5 10 5 C H=0 C=0 H'
    """

    family = "coin_grabber"
    title = "Coin Grabber"
    goal = "Walk and collect coins; the decisive one ends the game: take it with {threshold} and more than the other."
    look = "coins"
    notation = "U, D, L and R (or up, down, left, right) step; pass where there is no step."
    description = "two collectors on a board of coins; the decisive coin ends it (board: a file; loopy)"
    example = "coin_grabber:first=C"
    files = (
        "board=FILE: a row of squares on each line, values apart by blanks; 0 or . is no coin, H and C begin there, * "
        "follows the decisive coin, # begins a comment"
    )
    sizes = "boards up to about 6x6; 3x3 solves at once, the course board is for searches"
    known = "CIT 594, 2015: the course program searched depth 13 in 4 to 5 s and not depth 14 in 10 s"

    move_form = "U, D, L, R (or up, down, left, right), or pass"

    board: str = "course"
    first: str = "H"
    threshold: int = 100
    layout: CoinBoard = dataclasses.field(init=False, repr=False)

    def __post_init__(self) -> None:
        choose(self, "first", ("H", "C"))
        check_range(0, 10**12, threshold=self.threshold)
        object.__setattr__(self, "layout", read_board(self.board))

    @property
    def players(self) -> tuple[str, str]:  # type: ignore[override]  # who is first is a parameter
        """The player who begins, and the other."""
        return ("H", "C") if self.first == "H" else ("C", "H")

    def rules_hash(self) -> str:
        """Return a SHA-256 of the specification, the version of the rules and the board, independent of its file."""
        return hashlib.sha256(f"{super().rules_hash()} {self.layout}".encode()).hexdigest()

    def rules(self) -> Rules:
        """Return the rules as plain functions."""
        total, side_bit = self.layout.total, 1 << self.layout.shifts[3]
        decided = max(DECIDED, total + 1)
        lead_shift, lead_mask = self.layout.shifts[2], side_bit - 1
        outcome = self._outcome()
        first, second = self.layout.start if self.first == "H" else self.layout.start[::-1]
        coins = len(self.layout.coins)
        all_coins = (1 << coins) - 1

        def tier(state: int) -> int:
            return coins - popcount(state & all_coins)

        def money(state: int) -> int:
            payoff = outcome(state)
            if payoff == ONGOING:
                return ((state & lead_mask) >> lead_shift) - total
            return payoff * decided

        has_passes = 1 in (self.layout.rows, self.layout.cols)
        return Rules(
            start=self._pack(all_coins, first, second, 0, 0),
            max_moves=4,
            legal_moves=self._legal_moves(),
            play=self._play(),
            outcome=outcome,
            to_move=turn_at(self.layout.shifts[3]),
            largest_code=4 if has_passes else 3,
            tier=tier,
            loopy=True,
            evaluations={"money": Evaluation(money, (-decided, decided))},
            heuristic="money",
        )

    def _outcome(self) -> Callable[[int], int]:
        """Make ``outcome``, which adds up money only at the end, with one popcount per different value of coins."""
        layout, threshold = self.layout, self.threshold
        decisive = 1 << layout.coins.index(layout.decisive)
        _, _, lead_shift, side_shift = layout.shifts
        side_bit, lead_mask, total = 1 << side_shift, (1 << side_shift) - 1, layout.total
        values = tuple(sorted({layout.values[square] for square in layout.coins}))
        masks = tuple(
            sum(1 << coin for coin, square in enumerate(layout.coins) if layout.values[square] == value)
            for value in values
        )

        def outcome(state: int) -> int:
            if state & decisive:
                return ONGOING
            taker = 1 if state & side_bit else -1  # the side that has just moved
            lead = taker * (((state & lead_mask) >> lead_shift) - total)
            taken = total
            for i in range(len(values)):
                taken -= values[i] * popcount(state & masks[i])
            if taken + lead < 2 * threshold or lead < 0:  # the taker's purse is half of (taken + lead)
                return -taker
            return taker if lead > 0 else 0

        return outcome

    def _legal_moves(self) -> Callable[[int, Any], int]:
        rows, cols = self.layout.rows, self.layout.cols
        first_shift, second_shift, _, side_shift = self.layout.shifts
        square_mask = (1 << self.layout.square_bits) - 1
        squares, side_bit = rows * cols, 1 << side_shift
        board, top, left = (1 << squares) - 1, (1 << cols) - 1, sum(1 << r * cols for r in range(rows))
        inside = tuple(board ^ edge for edge in (top, top << squares - cols, left, left << cols - 1))
        steps = (-cols, cols, -1, 1)

        def legal_moves(state: int, out: Any) -> int:
            square, opponent = state >> first_shift & square_mask, state >> second_shift & square_mask
            if state & side_bit:
                square, opponent = opponent, square
            count = 0
            for way in range(4):
                if inside[way] >> square & 1 and square + steps[way] != opponent:
                    out[count] = way
                    count += 1
            if count == 0:
                out[0] = 4
                return 1
            return count

        return legal_moves

    def _play(self) -> Callable[[int, int], int]:
        layout = self.layout
        first_shift, second_shift, lead_shift, side_shift = layout.shifts
        square_mask, side_bit = (1 << layout.square_bits) - 1, 1 << side_shift
        steps = (-layout.cols, layout.cols, -1, 1, 0)
        values = layout.values
        bits = tuple(1 << layout.coins.index(square) if value else 0 for square, value in enumerate(values))

        def play(state: int, move: int) -> int:
            step = steps[move]
            second = state & side_bit
            shift = second_shift if second else first_shift
            target = (state >> shift & square_mask) + step
            coin = state & bits[target]
            state = state + (step << shift) ^ side_bit
            if coin:
                gain = values[target] << lead_shift
                state += (-gain if second else gain) - coin
            return state

        return play

    def _pack(self, coins: int, first: int, second: int, lead: int, side: int) -> int:
        first_shift, second_shift, lead_shift, side_shift = self.layout.shifts
        money = lead + self.layout.total
        return coins | first << first_shift | second << second_shift | money << lead_shift | side << side_shift

    def _unpack(self, state: int) -> tuple[dict[str, int], dict[str, int], int, int]:
        """Return the squares and the purses of H and C, the coins left as bits, and the side to move (0 first)."""
        first_shift, second_shift, lead_shift, side_shift = self.layout.shifts
        coins, mask = state & ((1 << first_shift) - 1), (1 << self.layout.square_bits) - 1
        lead = (state >> lead_shift & ((1 << (side_shift - lead_shift)) - 1)) - self.layout.total
        taken = sum(self._gone(coins))
        squares = (state >> first_shift & mask, state >> second_shift & mask)
        purses = ((taken + lead) // 2, (taken - lead) // 2)
        by_player = [dict(zip(self.players, pair, strict=True)) for pair in (squares, purses)]
        return by_player[0], by_player[1], coins, state >> side_shift

    def _gone(self, coins: int) -> list[int]:
        """Return the values of the coins taken."""
        return [self.layout.values[s] for i, s in enumerate(self.layout.coins) if not coins >> i & 1]

    # Text -------------------------------------------------------------------------------------------------------------

    def grid(self, state: int) -> list[list[str]]:
        """Return the board as rows of ``H``, ``C``, values, and blanks for empty squares."""
        squares, _, coins, _ = self._unpack(state)
        marks = [" "] * (self.layout.rows * self.layout.cols)
        for i, square in enumerate(self.layout.coins):
            if coins >> i & 1:
                marks[square] = str(self.layout.values[square])
        for player, square in squares.items():
            marks[square] = player
        return rows_of(marks, self.layout.cols)

    def caption(self, state: int) -> str:
        """Return both purses, and who took the decisive coin and who wins."""
        _, purses, _, side = self._unpack(state)
        payoff, row, column = self._outcome()(state), *divmod(self.layout.decisive, self.layout.cols)
        result = f"{self.players[payoff < 0]} wins" if payoff else "a tie"
        status = f"{self.players[1 - side]} took the decisive coin: {result}"
        if payoff == ONGOING:
            coin = self.layout.values[self.layout.decisive]
            status = (
                f"the decisive coin is the {coin} at {column_name(column)}{row + 1}; it takes {self.threshold} to win"
            )
        return f"purses: H {purses['H']}, C {purses['C']}; {status}"

    def format_position(self, state: int) -> str:
        """Return the board row by row (0 for an empty square), both purses, and who is to move."""
        _, purses, _, side = self._unpack(state)
        board = " / ".join(" ".join("0" if mark == " " else mark for mark in row) for row in self.grid(state))
        return f"{board} H={purses['H']} C={purses['C']} {self.players[side]}"

    def parse_position(self, text: str) -> int:
        """Return the state written as by `format_position`; spacing, ``/``, case and ``*`` are optional, ``.`` is 0."""
        purses_text = re.search(r"\bH\s*=\s*(\d+)[\s,]*C\s*=\s*(\d+)[\s,]*([HC])\s*$", text.upper())
        if purses_text is None:
            raise PositionError(
                f"position {text!r} does not end in the purses and who moves; write them like H=15 C=20 H"
            )
        squares, coins = self._parse_squares(text, text[: purses_text.start()])
        purses = {"H": int(purses_text[1]), "C": int(purses_text[2])}
        side = self.players.index(purses_text[3])
        gone = sum(self._gone(coins))
        if sum(purses.values()) != gone:
            raise PositionError(f"position {text!r}: coins worth {gone} are gone, unlike the purses")
        first, second = self.players
        return self._pack(coins, squares[first], squares[second], purses[first] - purses[second], side)

    def _parse_squares(self, text: str, board: str) -> tuple[dict[str, int], int]:
        """Return the players' squares and the coins left."""
        rows, cols = self.layout.rows, self.layout.cols
        typed = board.replace("/", " ").split()
        marks = [mark.upper() for mark in typed]
        widths = [len(row.split()) for row in board.split("/")]
        if len(marks) != rows * cols or ("/" in board and widths != [cols] * rows):
            raise PositionError(f"position {text!r} has {len(marks)} squares; this board has {rows} rows of {cols}")
        coins = 0
        for square, mark in enumerate(marks):
            value = self.layout.values[square]
            if value and mark.rstrip("*") == str(value):
                coins |= 1 << self.layout.coins.index(square)
            elif mark not in ("H", "C", "0", "."):
                cell = f"row {square // cols + 1}, column {square % cols + 1}"
                raise PositionError(f"position {text!r}: {cell} holds {typed[square]}; write {value} or 0")
        for player in self.players:
            if marks.count(player) != 1:
                raise PositionError(f"position {text!r} has {marks.count(player)} {player}; write exactly one")
        return {player: marks.index(player) for player in self.players}, coins

    def move_names(self) -> Iterable[tuple[int, str]]:
        """Yield the letter or the word of the direction, or ``pass``."""
        return ((place % 5, way) for place, way in enumerate(WAYS))
