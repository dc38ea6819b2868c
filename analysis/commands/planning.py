"""What solving a game would take: plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from analysis.commands.app import (
    SOLVE,
    Format,
    Game,
    Here,
    Position,
    Symmetry,
    Wide,
    Workers,
    command,
    one_position,
    option,
)
from analysis.commands.display.printing import check_format
from analysis.commands.display.printing import show as print_answer
from analysis.commands.kinds import kind_of
from analysis.commands.progress import ProgressBar


@command("gametree plan connect:rows=6,cols=7,k=4 --symmetry none", SOLVE, waits=True, pages=True)
def plan(
    game: Game,
    position: Position = None,
    start: Here = None,
    seconds: Annotated[float, option("--seconds SECONDS", "What it may take to find out.")] = 20.0,
    symmetry: Symmetry = None,
    workers: Workers = None,
    memory: Annotated[
        str | None, option("--memory SIZE", "What a solve may take in all, such as 4GB; by default what is free.")
    ] = None,
    out: Annotated[Path | None, option("--out DIR", "Where the solution would go; by default data/GAME.")] = None,
    scratch: Annotated[
        Path | None, option("--scratch DIR", "Where shards would lie; by default with the solution.")
    ] = None,
    formulas: Annotated[
        bool, option("--formulas/--no-formulas", "Use a formula for the size of a game, if there is one.")
    ] = True,
    form: Format = "table",
    wide: Wide = False,
) -> None:
    """Tell what solving a game would take, before it is tried: how large it is, memory, disk and time.

    All numbers are intervals: exact where the family has a formula, measured where all positions are counted,
    extrapolated from random games beyond. The command to run is told, or why nothing fits.
    """
    check_format(form)
    from analysis.planning.plan import PlanOptions

    options = PlanOptions(symmetry or "geometric", seconds, workers, memory, out, scratch, formulas)
    with ProgressBar() as progress:
        answer = kind_of(game).plan(game, one_position(position, start), options, progress)
    print_answer(form, answer, wide=wide)
