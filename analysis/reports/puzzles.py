"""Positions that a query matches as puzzles: who moves, what is asked, and the solution."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from analysis.errors import MissingDataError
from analysis.pictures.boards import Grid, regular
from analysis.rules.game import Game
from analysis.rules.notation import Notation
from analysis.rules.picture import board_text, column_name, row_name
from analysis.solution.searching import FoundClass
from analysis.wording import some


@dataclasses.dataclass(frozen=True)
class Puzzle:
    """A position with a question."""

    number: int
    """From 1."""
    position: str
    grid: Grid | None
    """Its board; None where it is to be shown as `text`."""
    text: str
    """The position drawn with characters."""
    caption: str
    """What the board does not show, such as a score; may be empty."""
    heading: str
    """Who moves."""
    question: str
    solution: str
    """The moves, and what they lead to."""


_COORDINATE = re.compile(r"[a-z]{1,2}[0-9]")


class Coordinates:
    """The names of rows and columns, in a game whose moves are said by them."""

    def __init__(self, game: Game) -> None:
        notation = Notation(game)
        said = [notation.say(notation.first, move.code) for move in notation.first_moves]
        self._from_bottom = game.rows_from_bottom
        self._named = not notation.own_coordinates and any(map(_COORDINATE.search, said))

    def of(self, rows: int, columns: int) -> tuple[list[str], list[str]]:
        """The names of so many columns and rows; none where moves are not said so."""
        if not self._named:
            return [], []
        return [*map(column_name, range(columns))], [row_name(row, rows, self._from_bottom) for row in range(rows)]


def puzzles_of(game: Game, found: Iterable[FoundClass]) -> Iterator[Puzzle]:
    """Puzzles of the positions in which some moves keep the value, and others do not. Raises `MissingDataError` where
    the moves are not known.
    """
    notation, number = Notation(game), 0
    for each in found:
        if each.best_moves is None:
            raise MissingDataError(f"puzzles need the moves of {game.spec}, which only its rules tell")
        if each.to_move is None or not 0 < len(each.best_moves) < (each.moves or 0):
            continue
        number += 1
        grid = game.grid(each.state)
        yield Puzzle(
            number=number,
            position=each.position,
            grid=grid if regular(grid) else None,
            text=board_text(game, each.state),
            caption=game.caption(each.state),
            heading=f"{_mover(game, each)} to move",
            question=f"Which {_moves(len(each.best_moves))} {_wanted(each, len(each.best_moves))}?",
            solution=f"{_said(notation, each)}: {_outcome(game, each)}",
        )


def _mover(game: Game, each: FoundClass) -> str:
    return game.players[each.to_move == "O"]


def _moves(number: int) -> str:
    return "move" if number == 1 else f"{number} moves"


def _wanted(each: FoundClass, number: int) -> str:
    """What the best moves do."""
    margin = each.value * (1 if each.to_move == "X" else -1)
    by, one = f" by {abs(margin)}" if abs(margin) > 1 else "", "s" if number == 1 else ""
    if margin > 0:
        return f"win{one}{by}"
    if margin < 0:
        return f"lose{one} by no more than {-margin}"
    return f"keep{one} the {each.outcome}"


def _said(notation: Notation, each: FoundClass) -> str:
    """The best moves as they are said, and as tables have them where that is something else."""
    said = (notation.say(each.state, code) for code in each.best_moves or ())
    pairs = zip(said, each.best_names or (), strict=True)
    return ", ".join(said if said == name else f"{said} ({name})" for said, name in pairs)


def _outcome(game: Game, each: FoundClass) -> str:
    """What best play leads to."""
    if each.remoteness_plies is None:
        return "a draw, play never ends"
    by = f" by {abs(each.value)}" if abs(each.value) > 1 else ""
    winner = f"{game.players[each.value < 0]} wins{by}" if each.value else "a tie"
    return f"{winner} after {some(each.remoteness_plies, 'ply', 'plies')}"
