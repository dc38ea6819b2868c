"""The page in a notebook: a frame with the page as one file, which needs no kernel."""

from __future__ import annotations

import dataclasses
import html

from ..rules.game import GameLike
from ..rules.positions import Place

FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts allow-downloads allow-modals" '
    'style="width: 100%; height: 60rem; border: 0" srcdoc="{page}"></iframe>'
)


@dataclasses.dataclass(frozen=True)
class ExplorerFrame:
    """A page that a notebook shows; get one from `analysis.explore`."""

    title: str
    page: str = dataclasses.field(repr=False)
    """The page, as HTML."""

    def _repr_html_(self) -> str:
        """Return the page in a frame, as notebooks ask for it."""
        return FRAME.format(title=html.escape(self.title), page=html.escape(self.page))


def explore(solution: GameLike, position: Place | None = None) -> ExplorerFrame:
    """Show a solution, or that of a game, in a notebook, on the page of ``gametree explore``.

    Args:
        solution: The solution of an ordinary game, or such a game.
        position: The first position (default: the start), as ``solution[position]`` takes it.

    The page carries its answers, all of the game or as many plies from the position on as have 10,000 classes, so a
    notebook that is saved or converted to HTML shows it too.

    Raises `PositionError` for a position that play does not reach, and `RulesNeededError` if the rules of a stored
    solution are not known.
    """
    from ..solving.find import find_solution
    from .pages.page_file import page_of_view
    from .served import Site

    solution = find_solution(solution)
    served = Site([solution])[0]
    text = solution.start if position is None else solution[position].position
    return ExplorerFrame(served.name, page_of_view(served, text))
