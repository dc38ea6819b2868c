"""Gather what a report says from a solution: plain data, before anything is drawn or written."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from ..engine.tiers import CountRecord
from ..pictures.style import Outcome, outcome_of
from ..rules.game import Game
from ..solution.position import Games, Move
from ..solution.solution import Solution

if TYPE_CHECKING:
    from ..search.comparison import Comparison
    from ..search.laboratory import Row


@dataclasses.dataclass(frozen=True)
class VariationStep:
    """A position of the line; move and mover are None at the start."""

    ply: int
    state: int
    position: str
    value: int
    remoteness_plies: int | None
    move: Move | None = None
    mover: str | None = None
    """``X`` or ``O``."""


def principal_variation(solution: Solution) -> list[VariationStep]:
    """Follow the line of best play from the start, see `Position.line`.

    >>> import analysis
    >>> [step.move.move for step in principal_variation(analysis.solve("mnk:rows=2,cols=2,k=2")) if step.move]
    [0, 1, 2]
    """
    rules, state, start = solution.engine.rules, solution.engine.start, solution[solution.start]
    steps = [VariationStep(0, state, start.position, start.value, start.remoteness_plies)]
    for move in start.line():
        mover, state = "X" if rules.to_move(state) > 0 else "O", dict(rules.moves(state))[move.move]
        steps.append(VariationStep(len(steps), state, move.position, move.value, move.remoteness_plies, move, mover))
    return steps


@dataclasses.dataclass(frozen=True)
class Opening:
    """A move in the start position, and facts about the games that begin with it."""

    move: Move
    cell: int | None
    """The cell that stands for it, row by row from 0; None if no single cell does."""
    games: Games | None
    """Complete games that begin with it; None if not counted."""
    optimal_paths: int | None
    """Optimal paths of the whole game that begin with it: 0 unless the move is optimal."""

    @property
    def plies_to_end(self) -> int | None:
        """Plies to the end, this move included; None in a draw, which has no end."""
        return None if self.move.remoteness_plies is None else self.move.remoteness_plies + 1

    @property
    def outcome(self) -> Outcome:
        """The outcome, with its look."""
        return outcome_of(self.move.value, self.move.remoteness_plies)


@dataclasses.dataclass(frozen=True)
class Findings:
    """The basis of a report's page, figures and tables."""

    solution: Solution
    statistics: dict[str, Any]
    """The object that ``gametree stats --format json`` prints."""
    principal: list[VariationStep]
    openings: list[Opening]
    """Best first for the player who begins; empty if the game is over at the start."""
    comparison: Comparison | None = None
    """The pruning laboratory's results, if requested."""
    state: int | None = None
    """The state whose moves are shown, if not the start."""
    puzzles: int = 0
    """How many puzzles are printed beside the page."""

    @property
    def game(self) -> Game:
        """The game that was solved."""
        return self.solution.game

    @property
    def sized(self) -> bool:
        """Whether positions are counted: classes with the same game left to play do not tell their number."""
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
    def branching(self) -> list[dict[str, Any]]:
        """Branching by ply or tier, see `branching_rows`."""
        return branching_rows(self.statistics)

    @property
    def nimber(self) -> int | None:
        """The nimber of the start, in an impartial game."""
        return self.solution.lookup(self.solution.engine.start).nimber

    @property
    def scored(self) -> bool:
        """Whether payoffs are margins."""
        least, greatest = self.game.rules().payoffs
        return least < -1 or greatest > 1

    @property
    def begins(self) -> str:
        """The player to move at the start, ``X`` or ``O``."""
        return "X" if self.solution.lookup(self.solution.engine.start).to_move > 0 else "O"

    @property
    def elsewhere(self) -> bool:
        """Whether the game was solved from another position than its own start."""
        return self.solution.engine.start != self.solution.engine.rules.start

    @property
    def over(self) -> bool:
        """Whether the game is over at the start."""
        return not self.openings

    def named(self, letter: str) -> str:
        """Return the game's name for player X or O."""
        return self.game.players["XO".index(letter)]


def gather(solution: Solution, comparison: Comparison | None = None, state: int | None = None) -> Findings:
    """Gather the facts about a solution, with the moves of one ``state`` (default: the start)."""
    game, shown = solution.game, solution.engine.start if state is None else state
    children, openings = dict(solution.engine.rules.moves(shown)), []
    for move in solution.at(shown).moves:
        record = solution.lookup_as(children[move.move], CountRecord)
        games = None if record.continuations is None else Games(*record.continuations)
        paths = None if record.optimal_paths is None else record.optimal_paths * move.optimal
        openings.append(Opening(move, game.cell_of(shown, move.move), games, paths))
    return Findings(solution, solution.statistics(), principal_variation(solution), openings, comparison, state)


def total(row: dict[str, Any], prefix: str = "") -> int:
    """Add up a row's numbers by outcome; ``prefix`` is that of their keys."""
    return int(row[f"{prefix}X"] + row[f"{prefix}O"] + row[f"{prefix}tie"])


def branching_rows(stats: dict[str, Any]) -> list[dict[str, Any]]:
    """Average the number of moves in each ply (or tier) in which a game can go on: ``moves_per_position`` over
    positions, and ``moves_per_history`` over the move sequences that lead there; None if not counted.

    >>> import analysis
    >>> branching_rows(analysis.solve("mnk:rows=2,cols=1,k=2").statistics())[0]
    {'ply': 0, 'positions': 1, 'moves_per_position': 2.0, 'moves_per_history': 2.0}
    """
    rows, step = stats["by_ply"] or stats["by_tier"], "ply" if stats["by_ply"] else "tier"
    ended = {row["plies"]: total(row) for row in stats["games_by_length"] or ()}
    found = []
    for number, row in enumerate(rows):
        alive = None if row["positions"] is None else row["positions"] - total(row, "terminal_")
        going = row["histories"] - ended.get(row["ply"], 0) if step == "ply" and row["histories"] is not None else None
        if going if alive is None else alive:
            by_position = row["moves"] / alive if alive else None
            by_history = None if going is None else rows[number + 1]["histories"] / going
            means = {"moves_per_position": by_position, "moves_per_history": by_history}
            found.append({step: row[step], "positions": alive, **means})
    return found


def was_run(comparison: Comparison, row: Row) -> bool:
    """Return whether a search began: the laboratory skips those known to be too large (giving minimax's size)."""
    return not row.stopped or 0 < row.nodes <= comparison.request.max_nodes
