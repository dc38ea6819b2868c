"""What a move costs: the judge compares the position before it with the position after it.

*Value lost* is what the move took from its maker: the value before minus the value after, seen by the mover, in units
of payoff. It is never negative, and a move is optimal where it is 0; any other move is a mistake.

*Remoteness lost* is how many plies an optimal move wasted by remoteness (the winner hurries, the loser delays, with
value 0 the players hurry), again never negative:

- the mover wins, or the value is 0: the remoteness after the move, plus 1, minus the remoteness before it;
- the mover loses: the remoteness before the move minus, plus 1, that after it.

There is none (None) where value was lost, and none where either position is a draw, which has no remoteness: a move
from one endless position to another wastes nothing, and one from a tie into endless play never comes to its end.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from analysis.audit.inputs import missing
from analysis.errors import PositionError
from analysis.rules import Game
from analysis.solution import Solution
from analysis.solving import find_values
from analysis.workers import Progress, no_progress

REMEMBERED = 1 << 18
"""Positions that a judge keeps before it begins anew; each takes about half a kilobyte."""

SHOWN = 12
"""Legal moves that a refusal lists."""


@dataclasses.dataclass(eq=False, slots=True)
class Visit:
    """A position, at a ply of play if it is known at which."""

    ply: int | None
    state: int
    mover: int
    """+1 the first player, -1 the second; of no meaning where the game is over."""
    value: int
    remoteness_plies: int | None
    children: dict[int, int] = dataclasses.field(repr=False)
    """The state after each legal move, by code; none where the game is over."""
    verdicts: dict[Any, Verdict] = dataclasses.field(repr=False)
    """Of the moves that were judged here, by what they were called."""

    @property
    def over(self) -> bool:
        """Whether the game is over; the value is then the payoff."""
        return not self.children


@dataclasses.dataclass(eq=False, slots=True)
class Verdict:
    """One judged move; verdicts are compared by identity, since a judge makes one for all games that share it."""

    before: Visit
    code: int
    after: Visit
    value_lost: int
    """In units of payoff, as the mover sees it; 0 or more."""
    remoteness_lost_plies: int | None

    @property
    def optimal(self) -> bool:
        """Whether the move kept the value."""
        return self.value_lost == 0

    @property
    def side(self) -> str:
        """Who moved, ``X`` or ``O``."""
        return "X" if self.before.mover > 0 else "O"


class Judge:
    """Judges moves by a complete solution.

    >>> judge = find_judge("tictactoe")
    >>> corner = judge.verdict(judge.start, 0)
    >>> edge = judge.verdict(corner.after, 1)
    >>> (corner.value_lost, edge.value_lost), judge.best_moves(corner.after.state)
    ((0, 1), (4,))
    """

    def __init__(self, solution: Solution, position: str | None = None) -> None:
        self.solution, self.game, self.rules = solution, solution.game, solution.game.rules()
        self.joined = self.rules.largest_code > 9
        """Whether the codes of a path are joined by ``-``."""
        self._visits: dict[tuple[int | None, int], Visit] = {}
        self.best_moves = functools.lru_cache(maxsize=1 << 16)(self._best_moves)
        self.position = self.game.format_position(self.game.parse_position(position or solution.start))
        """Where play begins."""
        self.start = self.visit(self.game.parse_position(self.position), 0)

    def visit(self, state: int, ply: int | None) -> Visit:
        """A position. Raises `PositionError` where the solution does not hold it."""
        known = self._visits.get((ply, state))
        if known is None:
            record = self.solution.lookup(state)
            children = {} if record.terminal else dict(self.rules.moves(state))
            known = Visit(ply, state, record.to_move, record.value, record.remoteness_plies, children, {})
            self._visits[ply, state] = known
        return known

    def verdict(self, before: Visit, move: Any) -> Verdict:
        """Judge a move given by its code, as an integer or as text, or in the game's own notation. Raises
        `PositionError` where it is no legal move, and says which are.
        """
        found = before.verdicts.get(move)
        if found is None:
            code = self.code(move)
            if code not in before.children:
                raise PositionError(self._illegal(before, move))
            found = before.verdicts.get(code) or self._judged(before, code)
            before.verdicts[move] = before.verdicts[code] = found
        return found

    def code(self, move: Any) -> int:
        """The code of a move; a text of digits is a code, all others are the game's own notation. Raises
        `PositionError`.
        """
        return move_code(self.game, move)

    def forget(self) -> None:
        """Begin anew where many positions are remembered, so that a long file does not fill the memory."""
        if len(self._visits) > REMEMBERED:
            self._visits = {(0, self.start.state): self.start}
            self.start.verdicts.clear()

    def text(self, visit: Visit) -> str:
        """The position as the game writes it."""
        return self.game.format_position(visit.state)

    def source(self) -> str:
        """Where the values come from, for people."""
        directory = self.solution.directory
        return f"the solution in {directory}" if directory is not None else "a solution made for it"

    def _judged(self, before: Visit, code: int) -> Verdict:
        after = self.visit(before.children[code], None if before.ply is None else before.ply + 1)
        value_lost = before.mover * (before.value - after.value)
        remoteness_lost = None
        if value_lost == 0 and before.remoteness_plies is not None and after.remoteness_plies is not None:
            longer = after.remoteness_plies + 1 - before.remoteness_plies
            remoteness_lost = -longer if before.mover * before.value < 0 else longer
        return Verdict(before, code, after, value_lost, remoteness_lost)

    def _best_moves(self, state: int) -> tuple[int, ...]:
        """The codes of the moves that keep the value, ascending."""
        value = self.solution.lookup(state).value
        return tuple(code for code, child in self.rules.moves(state) if self.solution.lookup(child).value == value)

    def _illegal(self, before: Visit, move: Any) -> str:
        position = self.text(before)
        if before.over:
            return f"the game is over in {position}"
        written = list(before.children) if _digits(move) else [self.game.format_move(code) for code in before.children]
        shown = " ".join(map(str, written[:SHOWN])) + (" ..." if len(written) > SHOWN else "")
        return f"move {move} is not legal in {position}; legal are {shown}"


def find_judge(game: str | Game | Solution, *, position: str | None = None, progress: Progress = no_progress) -> Judge:
    """A judge for a game or for the directory of its solution: the solution is opened if it is stored, otherwise the
    game is solved, from ``position`` on if there is one. Raises what `analysis.solve` raises: without a complete
    solution nobody can judge.
    """
    if isinstance(game, Solution):
        return Judge(game, position)
    return Judge(find_values(game, position, progress=progress), position)


def move_code(game: Game, move: Any) -> int:
    """The code of a move given as a number (``4.0``, which tables with gaps are full of, is 4), as a text of digits, or
    in the game's own notation. Raises `PositionError`.

    >>> from analysis import load_game
    >>> kayles = load_game("kayles")
    >>> move_code(kayles, "4"), move_code(kayles, 4.0), move_code(kayles, "3+4")
    (4, 4, 5)
    """
    if missing(move) or move == "":
        raise PositionError("the move is missing")
    if isinstance(move, str):
        text = move.strip().removesuffix(".0") if _digits(move.strip().removesuffix(".0")) else move
        return int(text) if _digits(text) and len(text) < 10 else game.parse_move(text)
    if isinstance(move, bool) or not hasattr(move, "__int__") or int(move) != move:
        raise PositionError(f"move {move!r} is neither a code nor text")
    return int(move)


def _digits(move: Any) -> bool:
    return not isinstance(move, str) or (move.strip().isascii() and move.strip().isdecimal())
