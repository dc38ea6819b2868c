"""A sheet of puzzles to print: positions with who moves and a question, and the solutions on the last page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..errors import MissingDataError
from ..machine.markup import printable
from ..machine.workers import tell_progress
from ..pictures.boards import Grid, board_sheet, least_cell, regular, shape_of
from ..pictures.style import environment, picture_bytes, styled, variables
from ..rules.game import Game
from ..rules.notation import Notation
from ..rules.picture import board_text
from ..solution.searching import FoundClass
from ..wording import some
from .page import TEMPLATES, inline

if TYPE_CHECKING:
    from ..solution.solution import Solution

CELL, WIDTH = 0.6, 3.2
"""The largest cell, and the least width of a puzzle on A4 paper, in inches."""


class Puzzle(NamedTuple):
    """A position with a question."""

    position: str
    grid: Grid | None
    """The board; None if it is shown as `text`."""
    text: str
    """The position drawn with characters."""
    caption: str
    """What the board does not show, such as a score; may be empty."""
    heading: str
    """Who moves."""
    question: str
    solution: str
    """The move and what it leads to."""


def puzzles_of(game: Game, found: Iterable[FoundClass]) -> Iterator[Puzzle]:
    """Make puzzles of positions with a single best move. Raises `MissingDataError` if moves are unknown."""
    notation = Notation(game)
    for each in found:
        if not each.best_moves or not each.best_names:
            raise MissingDataError(f"puzzles need the moves of {game.spec}, but its rules are not available")
        (code,), (name,), margin = each.best_moves, each.best_names, each.value * (1 if each.to_move == "X" else -1)
        by, said, grid = f" by {abs(margin)}" * (abs(margin) > 1), notation.say(each.state, code), game.grid(each.state)
        outcome = "a draw, play never ends"
        if each.remoteness_plies is not None:
            outcome = f"{game.players[each.value < 0]} wins{by}" if each.value else "a tie"
            outcome += f" after {some(each.remoteness_plies, 'ply', 'plies')}"
        wanted = f"wins{by}" if margin > 0 else f"keeps the {each.outcome}"
        wanted = f"loses by no more than {-margin}" if margin < 0 else wanted
        yield Puzzle(
            position=each.position,
            grid=grid if regular(grid) else None,
            text=board_text(game, each.state),
            caption=game.caption(each.state),
            heading=f"{game.players[each.to_move == 'O']} to move",
            question=f"Which move {wanted}?",
            solution=f"{said if said == name else f'{said} ({name})'}: {outcome}",
        )


@styled
def puzzle_sheet(solution: Solution, number: int) -> bytes:
    """Make a sheet of so many puzzles, as HTML without scripts: positions in which a single move keeps the value, those
    in which a random move errs most often first. The solutions are on the last page.

    Raises `MissingDataError` if there is no such position or moves are not known.
    """
    from markupsafe import Markup

    game, drawings, width = solution.classes.game, {}, WIDTH
    puzzles = list(puzzles_of(game, solution.find("only_move", order="errs", limit=number)))
    if not puzzles:
        raise MissingDataError(
            f"no puzzles to print: {game.spec} has no position in which a single move keeps the value"
        )
    for place, puzzle in enumerate(puzzles, 1):
        tell_progress("boards drawn", place, len(puzzles))
        if puzzle.grid is not None:
            cell = max(least_cell([puzzle.grid]), min(CELL, 3 / shape_of(game, puzzle.grid).width))
            figure, _ = board_sheet(game, puzzle.grid, cell, {})
            own, said = figure.get_figwidth(), f"{puzzle.heading}: {puzzle.position}"
            svg = inline(picture_bytes(figure, "svg"), f"puzzle-{place}", f"Puzzle {place}", said)
            drawings[place], width = (Markup(svg), own), max(width, own)
    page = environment(TEMPLATES).get_template("puzzles.html.j2")
    html = page.render(game=game, puzzles=puzzles, drawings=drawings, width=width, colours=variables())
    return printable(html).encode()
