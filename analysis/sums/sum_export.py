"""Write the nimbers of a sum and of the smaller games of its kind as a b-file."""

from __future__ import annotations

import re
from pathlib import Path

from analysis.errors import MissingDataError
from analysis.exports.bfile import listing
from analysis.exports.sequences import SIZES
from analysis.games.sums import SumGame
from analysis.rules.game import HasRules
from analysis.solution.storage.row_files import opened
from analysis.sums.sum_solution import SumSolution
from analysis.sums.sum_solving import find_solution


def nimber_sequence(game: SumGame) -> str | None:
    """Return the sequence of OEIS that the nimbers of the games of this kind are; None if none is known."""
    sequence, _ = SIZES.get((re.sub("=[0-9]+$", "=n", game.spec), "nimber"), (None, None))
    return sequence


def export_series(game: str | HasRules | SumSolution, out: str | Path | None = None) -> None:
    """Write the nimbers of a sum, by name, directory or solution, and of smaller games of its kind as a b-file, ``out``
    (None: to standard output). Raises `MissingDataError` if there are no smaller ones, and as `find_solution` does.
    """
    solution = game if isinstance(game, SumSolution) else find_solution(game)
    if not solution.series:
        raise MissingDataError(f"{solution.game.spec} has no smaller games of its kind, whose nimbers could be listed")
    sequence = nimber_sequence(solution.game)
    listed = "" if sequence is None else f"; OEIS {sequence}"
    title = f"{solution.game.spec} and smaller games of its kind: nimbers{listed}"
    with opened(None if out is None else Path(out)) as file:
        file.write(listing(title, solution.series))
