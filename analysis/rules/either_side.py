"""Make games in which either side may be given the move at any time, as in bidding games.

`Game.either_side` gives such rules; this module has the `Game` for the engine, and what families with such rules share.
A move is twice the move of the base game, plus 1 if the second player makes it, and neither player is to move:
``to_move`` is always 1, so the values that `solve` finds for such a game are those of the first player alone on the
board. What matters are the positions: every sequence of moves by either side, until the game is over.

If the outcome does not follow from the board (in wild tic-tac-toe and notakto the player who completes a line has won
or lost, and either player could have), the bit above the planes is set in a finished state if the second player made
the last move. Symmetries leave it alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ..errors import PositionError, SpecError
from .boards import each_twice
from .fields import check_rules
from .game import LARGEST_CODE, ONGOING, Game, Rules
from .lines import LineGame, complete_lines, shared_cells

SIDES = "XO"


@dataclasses.dataclass(frozen=True)
class EitherSide(Game):
    """The game ``base``, built-in or a user's, in which either side may be given the move.

    >>> from analysis.games.mnk import TicTacToe
    >>> game = EitherSide(TicTacToe())
    >>> game.spec, game.slug
    ('tictactoe with either side to move', 'tictactoe-either_side')
    >>> [game.format_move(code) for code, _ in game.rules().moves(game.parse_position("XX? / XX? / O??"))]
    ['X 2', 'O 2', 'X 5', 'O 5', 'X 7', 'O 7', 'X 8', 'O 8']
    """

    family = "either_side"
    description = "a game in which either side may be given the move at any time"

    base: Game

    def rules(self) -> Rules:
        """Return the base game's `Game.either_side`. Raises `SpecError` without one, `RulesError` for wrong rules."""
        rules = self.base.either_side()
        if rules is None:
            raise SpecError(
                f"{self.base.spec} has no form in which either side may be given the move; "
                "tictactoe, mnk, wild, notakto, connect and hex have one"
            )
        return check_rules(rules)

    def expected_positions(self) -> list[float] | None:
        """Return the base game's `Game.expected_either_side`."""
        return self.base.expected_either_side()

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of the base game, which a specification cannot set as a parameter itself."""
        return self.base.parameters()

    @property
    def spec(self) -> str:
        """The name in messages; `load_game` does not read it."""
        return f"{self.base.spec} with either side to move"

    @property
    def slug(self) -> str:
        """The folder name of the base game, marked."""
        return f"{self.base.slug}-either_side"

    def rules_hash(self) -> str:
        """Return a SHA-256 of the base game's hash and the version of this class."""
        return hashlib.sha256(f"{self.base.rules_hash()} either side {self.rules_version}".encode()).hexdigest()

    def parse_position(self, text: str) -> int:
        """Return the state written as ``text``. Raises `PositionError`."""
        return self.base.parse_either_side(text)

    def format_position(self, state: int) -> str:
        """Return the position as the base game writes it."""
        return self.base.format_position(state)

    def format_positions(self, states: np.ndarray) -> Sequence[str]:
        """Return all positions at once."""
        return self.base.format_positions(states)

    def grid(self, state: int) -> list[list[str]] | None:
        """Return the board as the base game shows it."""
        return self.base.grid(state)

    def parse_move(self, text: str) -> int:
        """Return the code of a side and its move, such as ``X 4``. Raises `PositionError`."""
        side, _, move = text.strip().partition(" ")
        code = -1
        if side.upper() in ("X", "O") and move.strip():
            code = 2 * self.base.parse_move(move) + SIDES.index(side.upper())
        if not 0 <= code <= LARGEST_CODE:
            raise PositionError(
                f"move {text!r} is not a move of {self.spec}; write X or O and a move: X {self.base.format_move(0)}"
            )
        return code

    def format_move(self, move: int) -> str:
        """Return the side and its move."""
        return f"{SIDES[move & 1]} {self.base.format_move(move >> 1)}"


def for_both_sides(rules: Rules, outcome: Callable[[int], int], play: Callable[[int, int], int]) -> Rules:
    """Return the rules of a game in which the legal moves do not depend on who is to move, with every move for either
    side, and with this ``outcome`` and ``play``.
    """

    def to_move(state: int) -> int:
        return 1

    return dataclasses.replace(
        rules,
        max_moves=2 * rules.max_moves,
        legal_moves=each_twice(rules.legal_moves),
        play=play,
        outcome=outcome,
        to_move=to_move,
        largest_code=2 * rules.largest_code + 1,
        impartial=False,
    )


def expected_boards(
    cells: int, lines: Sequence[tuple[int, ...]], *, marks: int, ends: int = 1, samples: int = 2000
) -> list[float]:
    """Estimate the number of boards with each number of marks of ``marks`` kinds in any order: the number of fillings
    times the reachable share, from boards filled at random, cell by cell. A board with complete lines is reachable if
    they share a cell, and counts ``ends`` times.

    >>> [round(n) for n in expected_boards(2, [(0, 1)], marks=2)]
    [1, 4, 4]
    """
    if not lines:
        return [float(math.comb(cells, ply) * marks**ply) for ply in range(cells + 1)]
    generator, never = np.random.default_rng(0), cells + 1
    order = generator.random((samples, cells)).argsort(axis=1)
    kind, line = generator.integers(0, marks, (samples, cells)), np.array(lines)
    of_one_kind = (kind[:, line] == kind[:, line[:, :1]]).all(axis=2)
    plies = np.where(of_one_kind, order[:, line].max(axis=2) + 1, never)  # [sample, line]: ply when it is full
    by_ply = plies.argsort(axis=1)
    plies = np.take_along_axis(plies, by_ply, axis=1)
    masks = np.array([sum(1 << cell for cell in line_cells) for line_cells in lines], dtype=np.int64)
    shared = np.bitwise_and.accumulate(masks[by_ply], axis=1)
    first, too_many = plies[:, 0], np.where(shared == 0, plies, never).min(axis=1)  # too many: lines that share no cell
    shares = [np.where(ply < first, 1, np.where(ply < too_many, ends, 0)).mean() for ply in range(cells + 1)]
    return [float(share) * math.comb(cells, ply) * marks**ply for ply, share in enumerate(shares)]


@dataclasses.dataclass(frozen=True)
class EitherEnds(LineGame):
    """A family of games in which a line counts for or against the player who completes it, whatever its marks; with
    moves by either side, the text of a board does not say who did.
    """

    players = ("first", "second")
    kinds: ClassVar[int] = 2  # number of different marks

    def either_side(self) -> Rules:
        """Return the rules with moves by either side. The outcome depends on who completed the line, so a state with a
        line has one more bit, above the planes, set if the second player did.
        """
        rules, completing, above = self.rules(), self.payoff, self.kinds * self.cells
        planes = (1 << above) - 1
        outcome_of_one, play_of_one = rules.outcome, rules.play

        def outcome(state: int) -> int:
            payoff = outcome_of_one(state & planes)
            return payoff if payoff == ONGOING or payoff == 0 else completing * (1 - 2 * (state >> above))

        def play(state: int, move: int) -> int:
            after = play_of_one(state, move >> 1)
            if move & 1:
                payoff = outcome_of_one(after)
                if payoff != ONGOING and payoff != 0:
                    after |= 1 << above
            return after

        return for_both_sides(rules, outcome, play)

    def expected_either_side(self) -> list[float]:
        """Estimate the states of `either_side` by ply from random fillings of the board."""
        return expected_boards(self.cells, self.lines(), marks=self.kinds, ends=2)

    def parse_either_side(self, text: str) -> int:
        """Return the state written as `parse_position` reads it, while the game goes on. Raises `PositionError` also if
        it is over, since the text does not say who completed the line.
        """
        state = self.parse_position(text)
        if self._complete(state):
            raise PositionError(
                f"position {text!r} is over, and the text does not say who completed the {self.k} in a row; "
                "write a position in which play goes on"
            )
        return state

    def parse_position(self, text: str) -> int:
        """Return the state written row by row as its marks and ``?`` (also ``.``, ``_``, ``-``), with rows optionally
        separated by spaces or ``/``. Raises `PositionError` if it is unreachable.
        """
        state = self.pack(*self.read(text))
        if not shared_cells(self._complete(state)):
            raise PositionError(
                f"position {text!r} has moves after the end: no single mark completes all its lines of {self.k}"
            )
        return state

    def _complete(self, state: int) -> list[int]:
        """Return the complete lines of either mark, as bits."""
        lines = self.lines()
        return complete_lines(state, lines) + complete_lines(state >> self.cells, lines)
