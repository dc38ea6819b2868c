"""The page in a notebook: a widget that asks its kernel; in a saved notebook, a page that carries its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from analysis.errors import OptionError
from analysis.machine.arguments import checked
from analysis.solution.solution import Solution

if TYPE_CHECKING:
    from analysis.web.widget import ExplorerWidget


@checked
def explore(solution: Solution, position: str | None = None, *, beside: Solution | None = None) -> ExplorerWidget:
    """Show a solution in a notebook, on the page of ``gametree explore``.

    Args:
        solution: The solution of an ordinary game.
        position: The first position (default: the start), as ``solution[position]`` takes it.
        beside: Another solution to compare it with, position by position and move by move.

    The kernel looks positions up, so a solution of any size will do. A notebook that is saved or converted to HTML
    shows the page without a kernel: with all of the game, or as many plies of it as have 10,000 classes.

    Raises `PositionError` for a position that play does not reach, and `OptionError` if anywidget is not installed.
    """
    try:
        from analysis.web.widget import ExplorerWidget
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in ("anywidget", "ipywidgets", "traitlets", "psygnal"):
            raise
        raise OptionError(
            f"explore needs {missing}, which is not installed: pip install 'gametree[notebook]'"
        ) from None
    from analysis.web.served import Site

    text = solution.start if position is None else solution[position].position
    return ExplorerWidget(Site([solution] if beside is None else [solution, beside]), text)
