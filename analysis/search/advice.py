"""The best move of a position by a search of limited depth, without solving the game."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

from analysis.errors import OptionError, TooLargeError
from analysis.memory import Budget
from analysis.rules import Game
from analysis.search.catalogue import ALGORITHMS
from analysis.search.games import find_game, game_subject
from analysis.search.kernels import layout
from analysis.search.laboratory import MOST_MEMORY
from analysis.search.subject import Subject, TablePolicy
from analysis.search.workspace import Workspace
from analysis.workers import Progress, no_progress

MOVE_COLUMNS = ("move", "position", "value", "optimal")


@dataclasses.dataclass(frozen=True)
class AdvisedMove:
    """A legal move and what the search says of it."""

    move: int
    position: str
    """The position after it."""
    value: int
    optimal: bool
    """No other move has a better value by this search."""


@dataclasses.dataclass(frozen=True)
class Advice:
    """What a search of limited depth says of a position."""

    game: str
    position: str
    to_move: str | None
    depth: int
    evaluation: str | None
    value: int
    best_move: int | None
    """The best move, the least code of equals; None where the game is over or the depth is 0."""
    nodes: int
    seconds: float
    moves: tuple[AdvisedMove, ...]
    """Best first for the side to move; equals by code."""
    grid: list[list[str]] | None
    """The board, if the game has one."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree show --depth D --format json`` prints it."""
        found = dataclasses.asdict(self)
        del found["grid"]
        return found


def advise(
    game: str | Game,
    position: str | None = None,
    *,
    depth: int | None,
    evaluation: str | None = None,
    progress: Progress = no_progress,
) -> Advice:
    """The value of a position and of each of its moves, ``depth`` plies deep, by alpha-beta with a table.

    Where the depth is spent a position counts 0, or what the game's evaluation of this name says. Raises what
    `games.game_subject` raises.

    >>> advise("tictactoe", "X????????", depth=2, evaluation="lines").best_move
    4
    """
    if depth is None:  # only an evaluation was given
        raise OptionError(f"an evaluation needs a depth to search to: add --depth to --evaluate {evaluation}")
    game = find_game(game)
    subject = game_subject(game, position, depth=depth, evaluation=evaluation)
    search = _Search(subject, progress)
    began = time.perf_counter()
    rules = game.rules()
    side = rules.to_move(subject.root)
    children = rules.moves(subject.root)
    if depth == 0 or not children:
        value, moves = search.value(subject.root, 0), []
    else:
        worth = {code: search.value(child, depth - 1) for code, child in children}
        value = side * max(side * number for number in worth.values())
        moves = [
            AdvisedMove(code, game.format_position(child), worth[code], worth[code] == value)
            for code, child in children
        ]
    moves.sort(key=lambda move: (-side * move.value, move.move))
    return Advice(
        game=game.spec,
        position=game.format_position(subject.root),
        to_move=None if not children else "X" if side > 0 else "O",
        depth=depth,
        evaluation=evaluation,
        value=value,
        best_move=moves[0].move if moves else None,
        nodes=search.nodes,
        seconds=round(time.perf_counter() - began, 6),
        moves=tuple(moves),
        grid=game.grid(subject.root),
    )


class _Search:
    """Alpha-beta with a table from one state after the other."""

    def __init__(self, subject: Subject, progress: Progress) -> None:
        self.subject, self.progress, self.nodes = subject, progress, 0
        self.run = ALGORITHMS["alphabeta_table"].load()

    def value(self, state: int, depth: int) -> int:
        """What a state is worth, so many plies deep."""
        subject = dataclasses.replace(self.subject, root=state, depth=depth)
        budget = Budget(min(MOST_MEMORY, Budget.of_machine().limit))
        workspace = Workspace(subject, table=TablePolicy(), budget=budget)
        value, stopped = workspace.run(self.run, lambda done: self.progress("searching", self.nodes + done, None))
        self.nodes += workspace[layout.NODES]
        if value is None:
            raise TooLargeError(f"the search of {subject.name} stopped for want of {stopped}; try a smaller --depth")
        return value
