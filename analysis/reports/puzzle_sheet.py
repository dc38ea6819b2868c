"""Make a sheet of puzzles to print: positions with the side to move and a question; solutions are on the last page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.markup import printable
from ..common.pages import environment, variables
from ..common.wording import with_count
from ..common.workers import tell_progress
from ..errors import MissingDataError
from ..rules.notation import Notation
from ..rules.picture import board_text, regular
from ..solution.searching import FoundClass
from .boards import board_sheet, least_cell, shape_of
from .page import TEMPLATES, inline
from .style import picture_bytes, styled

if TYPE_CHECKING:
    from ..solution.solution import Solution

CELL, WIDTH = 0.6, 3.2
"""The largest cell, and the least width of a puzzle on A4 paper, in inches."""


@styled
def puzzle_sheet(solution: Solution, number: int) -> bytes:
    """Make a sheet of ``number`` puzzles, as HTML without scripts: positions in which a single move keeps the value,
    those in which a random move errs most often first. The solutions are on the last page.

    Raises `MissingDataError` if there is no such position or moves are not known.
    """
    from markupsafe import Markup

    game, puzzles, width = solution.of_classes.game, [], WIDTH
    notation = Notation(game)
    for place, case in enumerate(solution.find("only_move", order="errs", limit=number), 1):
        tell_progress("boards drawn", place, number)
        puzzle, grid = make_puzzle(notation, case), game.grid(case.state)
        if grid is not None and regular(grid):
            cell = max(least_cell([grid]), min(CELL, 3 / shape_of(game, grid).width))
            figure, _ = board_sheet(game, grid, cell, {})
            texts = f"puzzle-{place}", f"Puzzle {place}", f"{puzzle['heading']}: {case.position}"
            puzzle |= {"width": figure.get_figwidth(), "svg": Markup(inline(picture_bytes(figure, "svg"), *texts))}
            width = max(width, figure.get_figwidth())
        puzzles.append(puzzle)
    if not puzzles:
        raise MissingDataError(
            f"no puzzles to print: {game.spec} has no position in which a single move keeps the value"
        )
    page = environment(TEMPLATES).get_template("puzzles.html.j2")
    return printable(page.render(game=game, puzzles=puzzles, width=width, colours=variables())).encode()


def make_puzzle(notation: Notation, case: FoundClass) -> dict[str, Any]:
    """Return the texts of a puzzle: who moves, the question and its solution, and the board with a caption.

    Raises `MissingDataError` if moves are unknown.
    """
    game, mover = notation.game, case.to_move
    if not case.best_moves or not case.best_names:
        raise MissingDataError(f"puzzles need the moves of {game.spec}, but its rules are not available")
    (code,), (name,), margin = case.best_moves, case.best_names, case.value * mover
    by, move = f" by {abs(margin)}" * (abs(margin) > 1), notation.say(case.state, code)
    if case.remoteness_plies is None:
        outcome = "a draw, play never ends"
    else:
        outcome = f"{game.players[case.value < 0]} wins{by}" if case.value else "a tie"
        outcome += f" after {with_count(case.remoteness_plies, 'ply', 'plies')}"
    aim = f"loses by no more than {-margin}" if margin < 0 else f"keeps the {case.outcome}"
    return {
        "heading": f"{game.players[mover < 0]} to move",
        "text": board_text(game, case.state),
        "caption": game.caption(case.state),
        "question": f"Which move {f'wins{by}' if margin > 0 else aim}?",
        "solution": f"{move if move == name else f'{move} ({name})'}: {outcome}",
    }
