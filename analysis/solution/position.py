"""Describe one position: its worth, its moves, and how it is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.results import Printable
from ..common.wording import at_prompt, shortened, signed, with_count
from ..engine.columns import NEVER
from ..engine.tiers import Record
from ..errors import MissingDataError, OptionError
from ..rules.picture import DrawnBoard

if TYPE_CHECKING:
    from .solution import Solution

LONGEST = 200
"""The most plies of an endless line."""


class Worth(NamedTuple):
    """The worth of a position: its value, the first player's payoff under optimal play, and its remoteness."""

    value: int
    remoteness_plies: int | None
    """None for a draw, and if unknown."""
    known_remoteness: bool = True
    """Whether a missing remoteness means a draw."""

    @property
    def plies(self) -> int:
        """The remoteness, or `NEVER` if there is none or it is unknown."""
        return NEVER if self.remoteness_plies is None else self.remoteness_plies


def worth_of(record: Record) -> Worth:
    """Return the worth in a record."""
    return Worth(record.value, record.remoteness_plies)


@dataclasses.dataclass(frozen=True)
class Move(Printable):
    """A legal move: its code, the position after it, and that position's worth."""

    move: int
    position: str
    value: int
    remoteness_plies: int | None
    """None for a draw, and for a value found by a search of limited depth."""
    optimal: bool
    """Whether the move keeps the value."""
    nimber: int | None = None
    """The nimber of the position after it, in an impartial game."""
    name: str = ""
    """The name of the move in the game's notation."""


@dataclasses.dataclass(frozen=True)
class Position(Printable):
    """A solved position. Its games are those from here on; ``histories`` times as many games pass through it.

    >>> import analysis
    >>> position = analysis.solve("tictactoe")["XOX?O????"]
    >>> after = position.play(7)
    >>> after.position, after.value, [move.name for move in after.line()]
    ('XOX?O??X?', 0, ['3', '5', '8', '6'])
    >>> position
    <Position XOX?O????: X to move, value 0, remoteness 5
     5 moves, 1 of which keep it: 7
     4 histories, 92 games>
    >>> print(after.board)
     X | O | X
    ---+---+---
       | O |
    ---+---+---
       | X |
    """

    position: str
    to_move: int
    """1 for X, -1 for O, also if the game is over."""
    value: int
    remoteness_plies: int | None
    histories: int | None
    games_x: int | None
    games_o: int | None
    games_tie: int | None
    nimber: int | None
    """Sprague-Grundy value, in an impartial game."""
    moves: tuple[Move, ...]
    """Best first for the mover: by value, then remoteness (a win fast, a loss slow, a tie fast), then code."""
    state: int = dataclasses.field(default=0, repr=False)
    """The position as a state of the rules."""
    board: DrawnBoard | None = dataclasses.field(default=None, repr=False, compare=False)
    """Rows of marks; None if the game has no board."""
    _solution: Solution | None = dataclasses.field(default=None, repr=False, compare=False)

    def play(self, *moves: int | str | Move) -> Position:
        """Return the position after these moves, each a code, a text in the game's notation, or one of `moves`.

        Raises `PositionError` for an illegal move, and `MissingDataError` if the position has no solution, as after
        unpickling.
        """
        if not moves:
            return self
        solution = self._required_solution()
        from ..rules.positions import play_on  # loads notation, which look-ups do without

        return solution.at(play_on(solution.game, self.state, moves))

    def line(self, plies: int | None = None) -> tuple[Move, ...]:
        """Return the line of best play: always the first of the best moves, to the end or for ``plies`` plies.

        A line without an end stops when it returns to one of its positions, or after `LONGEST` plies. Raises
        `MissingDataError` as `play` does, and `OptionError` for a negative number.
        """
        if plies is not None and plies < 0:
            raise OptionError(f"a line cannot have {plies} plies; give 0 or more")
        self._required_solution()
        position, line, visited = self, list[Move](), set[int]()
        while position.moves and position.state not in visited and len(line) != plies:
            if position.remoteness_plies is None and len(line) == LONGEST:
                break
            visited.add(position.state)
            line.append(position.moves[0])
            position = position.play(position.moves[0])
        return tuple(line)

    def errs(self) -> tuple[Fraction | None, ...]:
        """Return, for each of `moves`, the share of the opponent's replies that lose value; None if the opponent is not
        to move. Raises `MissingDataError` as `play` does.

        >>> import analysis
        >>> [str(share) for share in analysis.solve("tictactoe")["4"].errs()]
        ['0', '0', '0', '0', '1/7', '1/7', '1/7', '1/7']
        """
        replies = [(after.to_move, after.moves) for after in map(self.play, self.moves)]
        return tuple(
            None
            if mover == self.to_move or not moves
            else Fraction(sum(not reply.optimal for reply in moves), len(moves))
            for mover, moves in replies
        )

    @property
    def games(self) -> int | None:
        """The number of complete games from here on; None if not counted."""
        return None if self.games_x is None else self.games_x + (self.games_o or 0) + (self.games_tie or 0)

    @property
    def terminal(self) -> bool:
        """Whether the game is over."""
        return self.remoteness_plies == 0

    @property
    def moves_known(self) -> bool:
        """Whether the moves are known; without rules they are not, see `analysis.open_solution`."""
        return self.terminal or bool(self.moves)

    def _required_solution(self) -> Solution:
        if self._solution is None:
            raise MissingDataError("this position has no solution; look it up in one to play on from it")
        return self._solution

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_solution": None}

    def __copy__(self) -> Position:
        return self  # immutable, and keeps its solution

    def __deepcopy__(self, memo: object) -> Position:
        return self

    def __repr__(self) -> str:
        plies = "" if self.remoteness_plies is None else f", remoteness {self.remoteness_plies}"
        mover = "over" if self.terminal else f"{'X' if self.to_move > 0 else 'O'} to move"
        lines = [f"Position {self.position}: {mover}, value {signed(self.value)}{plies}"]
        keeping = [move.name or str(move.move) for move in self.moves if move.optimal]
        if keeping:
            lines.append(
                f"{with_count(len(self.moves), 'move')}, {len(keeping)} of which keep it: {shortened(keeping)}"
            )
        counts = [with_count(self.histories, "history", "histories")] if self.histories is not None else []
        counts += [with_count(self.games, "game")] if self.games is not None else []
        lines += [", ".join(counts)] if counts else []
        return at_prompt(lines)

    def __str__(self) -> str:
        drawn = f"{self.board}\n\n" if self.board else ""
        plies = "" if self.remoteness_plies is None else f", remoteness {self.remoteness_plies}"
        return f"{drawn}{self.position}: value {signed(self.value)}{plies}"

    @property
    def best_moves(self) -> tuple[int, ...]:
        """The codes of the moves that keep the value, best first."""
        return tuple(move.move for move in self.moves if move.optimal)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree show --format json`` prints."""
        return {name: getattr(self, name) for name in JSON_FIELDS} | {
            "moves": self.csv_rows() if self.moves_known else None
        }

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a move."""
        return [field.name for field in dataclasses.fields(Move)]

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each move."""
        return [move.to_json() for move in self.moves]


JSON_FIELDS = (
    "position", "to_move", "terminal", "value", "remoteness_plies", "histories", "games", "games_x", "games_o",
    "games_tie", "nimber",
)  # fmt: skip
"""The fields of a position that are printed besides its moves."""


def preference(mover: int, worth: Worth | None, code: int) -> tuple[bool, int, int, int]:
    """Return the sort key of a move by the worth of the position after it, best first for the mover.

    Unknown moves come last, and among equal values those of unknown remoteness.
    """
    if worth is None:
        return True, 0, 0, code
    value = mover * worth.value
    late = value >= 0 or worth.remoteness_plies is None
    return False, -value, worth.plies if late else -worth.plies, code


class JudgedMove(NamedTuple):
    """A legal move and the worth of the position after it, if known."""

    code: int
    worth: Worth | None
    optimal: bool
    """Whether it is known to keep the value."""


def best_first(moves: list[JudgedMove], side: int) -> list[JudgedMove]:
    """Sort moves by the preference of the side to move; see `preference`."""
    return sorted(moves, key=lambda move: preference(side, move.worth, move.code))
