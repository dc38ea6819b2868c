"""The rows of one file of a bidding solution, beside the boards that they should be of."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from analysis.bidding.exact_values import Value, ascending, is_small, ranks_in
from analysis.bidding.verification.played_boards import PlayedTier, Purses
from analysis.errors import VerificationError
from analysis.games.bidding import SIGN, Bidding, BiddingState

NOTHING = {pa.bool_(): False, pa.string(): ""}
"""What stands for null in arrays; 0 in others."""


def numbers(column: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """A column as an array, `NOTHING` where it is null, and where it is not."""
    there = column.is_valid().to_numpy()
    return column.fill_null(NOTHING.get(column.type, 0)).to_numpy(), there


class FileRows:
    """The rows of a file. Raises `VerificationError`, naming the first state that fails, where they are not of the next
    boards of the tier, from row ``low`` of these on, with all splits of the chips in order.
    """

    def __init__(self, game: Bidding, purses: Purses, tier: PlayedTier, low: int, table: pa.Table) -> None:
        self._game, self._purses, self._table, self.number = game, purses, table, tier.number
        self._holders = game.holders
        states, there = numbers(table["state"])
        if not there.all():
            raise VerificationError(f"tier {self.number}: {(~there).sum()} rows have no state")
        starts = (
            np.flatnonzero(np.concatenate(([True], states[1:] != states[:-1]))) if len(states) else np.empty(0, int)
        )
        self._refuse_other_boards(tier.states[low:], states[starts], tier.states)
        self.boards = slice(low, low + len(starts))
        self.over = tier.over[self.boards]
        lengths = np.diff(np.append(starts, len(states)))
        self._refuse_other_rows(states[starts], lengths)
        self._row_board = np.repeat(np.arange(len(starts)), lengths)
        self._row_column = np.arange(len(states)) - starts[self._row_board]
        self.in_play = ~self.over[self._row_board]
        self._states = states
        self._check_descriptions(tier)

    @property
    def columns(self) -> int:
        """Rows of a board where the game goes on."""
        return len(self._holders) * len(self._purses)

    def _refuse_other_boards(self, wanted: np.ndarray, found: np.ndarray, known: np.ndarray) -> None:
        """The boards have to be the next ones of the tier."""
        length = min(len(wanted), len(found))
        differs = np.flatnonzero(wanted[:length] != found[:length])
        if len(found) > len(wanted) or len(differs):
            at = int(differs[0]) if len(differs) else length
            text = self._board(int(found[at]))
            if found[at] not in known:
                raise VerificationError(f"tier {self.number}, board {text}: not canonical, or no move leads there")
            if at == length or found[at] < wanted[at]:
                raise VerificationError(f"tier {self.number}, board {text}: stored again, or out of order")
            raise VerificationError(
                f"tier {self.number}, board {self._board(int(wanted[at]))}: not stored in its place"
            )

    def _refuse_other_rows(self, states: np.ndarray, lengths: np.ndarray) -> None:
        wanted = np.where(self.over, 1, self.columns)
        wrong = np.flatnonzero(lengths != wanted)
        if len(wrong):
            text, found, rows = self._board(int(states[wrong[0]])), lengths[wrong[0]], wanted[wrong[0]]
            raise VerificationError(f"tier {self.number}, board {text}: has {found} rows, the rules say {rows}")

    def _board(self, state: int) -> str:
        return self._game.base.format_position(state) if state >= 0 else f"number {state}"

    def text(self, row: int) -> str:
        """The state of a row."""
        board, column = int(self._states[row]), int(self._row_column[row])
        if not self.in_play[row]:
            return f"board {self._board(board)}"
        holder, purse = divmod(column, len(self._purses))
        chips = int(self._purses.x[purse]), int(self._purses.o[purse])
        return "state " + self._game.format_state(BiddingState(board, *chips, self._holders[holder]))

    def refuse(self, row: int, what: str) -> NoReturn:
        """Say what is wrong with a row."""
        raise VerificationError(f"tier {self.number}, {self.text(int(row))}: {what}")

    def row_of(self, board: int, column: int) -> int:
        """The row of a state, by number of its board among those in play and by column."""
        return int(np.flatnonzero(self.in_play)[board * self.columns + column])

    # Columns that need no values --------------------------------------------------------------------------------------

    def _check_descriptions(self, tier: PlayedTier) -> None:
        """Everything but values, bids and placements."""
        everywhere, copies = np.ones(len(self._states), dtype=bool), len(self._holders)
        holds = np.array([SIGN.get(holder or "", 0) for holder in self._holders])
        self._same("tier", np.full(len(self._states), self.number), everywhere)
        self._same("terminal", ~self.in_play, everywhere)
        self._same("orbit_size", tier.orbits[self.boards][self._row_board], everywhere)
        column = np.where(self.in_play, self._row_column, 0)
        self._same("x_chips", np.tile(self._purses.x, copies)[column], self.in_play)
        self._same("o_chips", np.tile(self._purses.o, copies)[column], self.in_play)
        self._same("advantage", np.repeat(holds, len(self._purses))[column], self.in_play & (copies == 2))
        if "position" in self._table.column_names:
            texts = np.array(self._game.base.format_positions(tier.states[self.boards]), dtype=object)
            self._same("position", texts[self._row_board], everywhere)

    def _same(self, name: str, wanted: np.ndarray, there: np.ndarray) -> None:
        """Refuse a column that is not this, null where not ``there``."""
        found, valid = numbers(self._table[name])
        wrong = np.flatnonzero((valid != there) | (there & (found != wanted)))
        if len(wrong):
            row = int(wrong[0])
            pairs = ((found, valid), (wanted, there))
            shown = [values[row : row + 1].tolist()[0] if has[row] else None for values, has in pairs]
            self.refuse(row, f"{name} is {shown[0]!r}, the rules say {shown[1]!r}")

    # Values, bids and placements --------------------------------------------------------------------------------------

    def values(self) -> tuple[list[Value], np.ndarray]:
        """The values of the rows: an ascending table, and the rank of each row in it."""
        value, there = numbers(self._table["value"])
        if not there.all():
            self.refuse(int(np.argmin(there)), "value is missing")
        over, under = numbers(self._table["value_numerator"]), numbers(self._table["value_denominator"])
        pieces = [np.unique(a, return_inverse=True)[1].astype(np.int64) for a in (over[0], under[0], value)]
        code = pieces[0]
        for piece in [*pieces[1:], over[1].astype(np.int64), under[1].astype(np.int64)]:
            code = code * (1 + int(piece.max(initial=0))) + piece
        _, first, index = np.unique(code, return_index=True, return_inverse=True)
        found = []
        for row in first.tolist():
            parts = [int(a[row]) if valid[row] else None for a, valid in (over, under)]
            try:
                found.append(stored_number(float(value[row]), *parts))
            except ValueError as error:
                self.refuse(row, f"value {error}")
        table = ascending(found)
        return table, ranks_in(table, found)[index]

    def check_finished(self, payoffs: np.ndarray, table: list[Value], ranks: np.ndarray) -> None:
        """Where the game is over the value is the payoff, and nothing else is there."""
        over = np.flatnonzero(~self.in_play)
        for row in over.tolist():
            value, payoff = table[ranks[row]], int(payoffs[self._row_board[row]])
            if isinstance(value, float) or value != payoff:
                self.refuse(row, f"value is {value}, the rules say {payoff}")
        for name in ("x_bid", "o_bid", "x_mix", "o_mix", "x_move", "o_move"):
            there = self._table[name].is_valid().to_numpy()[over]
            if there.any():
                self.refuse(over[int(np.argmax(there))], f"{name} is there, and the game is over")

    def of_states(self, side: str, name: str) -> tuple[np.ndarray, np.ndarray]:
        """A side's column of this name (``bid``, without chance, or ``move``) for the states in play, int64[boards in
        play * columns], and where there is any.
        """
        found, there = numbers(self._table[f"{side.lower()}_{name}"])
        return found[self.in_play].astype(np.int64), there[self.in_play]

    def mixed(self, side: str) -> np.ndarray:
        """Which states in play have mixed bids."""
        there: np.ndarray = self._table[f"{side.lower()}_mix"].is_valid().to_numpy()[self.in_play]
        return there

    def mixes(self, side: str, states: np.ndarray) -> list[list[dict[str, Any]]]:
        """The mixed bids of some states in play, by number."""
        rows = np.flatnonzero(self.in_play)[states]
        found: list[list[dict[str, Any]]] = self._table[f"{side.lower()}_mix"].take(pa.array(rows)).to_pylist()
        return found


def stored_number(rounded: float, numerator: int | None, denominator: int | None) -> Value:
    """What three columns say. Raises `ValueError` where they do not agree.

    >>> stored_number(0.25, 1, 4), stored_number(0.25, None, None)
    (Fraction(1, 4), 0.25)
    """
    if not math.isfinite(rounded):
        raise ValueError(f"is {rounded}")
    if numerator is None and denominator is None:
        return rounded
    if numerator is None or denominator is None or denominator < 1 or math.gcd(numerator, denominator) != 1:
        raise ValueError(f"is exactly {numerator}/{denominator}, which is no fraction in lowest terms")
    exact = Fraction(numerator, denominator)
    if float(exact) != rounded or not is_small(exact):
        raise ValueError(f"is {rounded}, and exactly {exact}, which differs")
    return exact
