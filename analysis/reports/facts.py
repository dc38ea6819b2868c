"""Gather the facts of a report from a solution, as plain data, before anything is drawn or written."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ..engine.tiers import COUNTS
from ..rules.game import Game
from ..solution.solution import Solution

if TYPE_CHECKING:
    from ..search.comparison import Comparison
    from ..search.laboratory import Row


@dataclasses.dataclass(frozen=True)
class Facts:
    """The basis of a report's page, figures and tables."""

    solution: Solution
    statistics: dict[str, Any]
    """The object that ``gametree stats --format json`` prints."""
    line: list[dict[str, Any]]
    """The line of best play, see `line_rows`."""
    moves: list[dict[str, Any]]
    """The moves of the start, best first, see `move_rows`; empty if the game is over there."""
    comparison: Comparison | None = None
    """The nodes that searches visited, if they were compared."""
    state: int | None = None
    """The state whose moves these are, if not the start."""
    puzzles: int = 0
    """How many puzzles are printed beside the page."""

    @property
    def game(self) -> Game:
        """The game that was solved."""
        return self.solution.game

    @property
    def sized(self) -> bool:
        """Whether positions are counted; classes with the same game left to play do not show their number."""
        return self.statistics["positions"] is not None

    @property
    def step(self) -> str:
        """The unit of the rows: ``ply`` or, if plies are unknown, ``tier``."""
        return "ply" if self.statistics["by_ply"] else "tier"

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Counts by ply or tier."""
        return self.statistics[f"by_{self.step}"]  # type: ignore[no-any-return]

    @property
    def repeated(self) -> bool:
        """Whether a position counts at every ply at which it occurs."""
        return self.step == "ply" and not self.solution.by_ply

    @property
    def nimber(self) -> int | None:
        """The nimber of the start, in an impartial game."""
        return self.solution.records.of(self.solution.engine.start).nimber

    @property
    def begins(self) -> str:
        """The player to move at the start, ``X`` or ``O``."""
        return "X" if self.solution.records.of(self.solution.engine.start).to_move > 0 else "O"

    @property
    def origin(self) -> str | None:
        """The position that the game was solved from; None if that is its own start."""
        engine = self.solution.engine
        return None if engine.start == engine.rules.start else self.solution.start

    @property
    def over(self) -> bool:
        """Whether the game is over at the start."""
        return not self.moves


def gather(solution: Solution, comparison: Comparison | None = None, state: int | None = None) -> Facts:
    """Gather the facts about a solution, with the moves of one ``state`` (default: the start)."""
    moves = move_rows(solution, solution.engine.start if state is None else state)
    return Facts(solution, solution.statistics(), line_rows(solution), moves, comparison, state)


def line_rows(solution: Solution) -> list[dict[str, Any]]:
    """Follow the line of best play from the start, see `Position.line`: a row for each position, with the move that led
    to it and the name of the player who made it, None at the start.

    >>> import analysis
    >>> [row["move"] for row in line_rows(analysis.solve("mnk:rows=2,cols=2,k=2"))]
    [None, 0, 1, 2]
    """
    rules, state, start = solution.engine.rules, solution.engine.start, solution[solution.start]
    first = {"position": start.position, "value": start.value, "remoteness_plies": start.remoteness_plies}
    rows = [{"ply": 0, "state": state, "mover": None, "move": None, "name": None} | first]
    for move in start.line():
        mover, state = solution.game.players[rules.to_move(state) < 0], dict(rules.moves(state))[move.move]
        rows.append({"ply": len(rows), "state": state, "mover": mover, **vars(move)})
    return rows


def move_rows(solution: Solution, state: int) -> list[dict[str, Any]]:
    """Return a row for each move of a state, best first for the player to move: the fields of `Move`, and

    - ``plies_to_end``, this move included; None in a draw, which has no end
    - ``cell``, the cell that stands for it, row by row from 0; None if no single cell does
    - ``games``, ``games_x``, ``games_o``, ``games_tie``, complete games that begin with it; None if not counted
    - ``optimal_paths`` of the whole game that begin with it: 0 unless the move is optimal
    """
    children, rows = dict(solution.engine.rules.moves(state)), []
    for move in solution.at(state).moves:
        record, plies = solution.records.of(children[move.move], COUNTS), move.remoteness_plies
        counts = {name: getattr(record, name) for name in ("games", "games_x", "games_o", "games_tie")}
        paths = None if record.optimal_paths is None else record.optimal_paths * move.optimal
        more = {"plies_to_end": None if plies is None else plies + 1, "cell": solution.game.cell_of(state, move.move)}
        rows.append({**vars(move), **more, **counts, "optimal_paths": paths})
    return rows


def ended(row: dict[str, Any]) -> int:
    """Return the number of terminal positions in a row."""
    return int(row["terminal_x"] + row["terminal_o"] + row["terminal_tie"])


def was_run(comparison: Comparison, row: Row) -> bool:
    """Return whether a search began: the laboratory skips those known to be too large (giving minimax's size)."""
    return not row.stopped or 0 < row.nodes <= comparison.request.max_nodes
