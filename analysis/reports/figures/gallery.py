"""All figures of a report, including charts of positions by ply or tier, and of games by length."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...errors import OptionError
from ...pictures import style
from ...pictures.style import Picture, styled
from ...rules.game import GameLike
from ...rules.positions import Place
from ...solving.find import find_solution
from ...wording import listed, some
from ..findings import Findings, gather, total
from ..words import games_by_outcome, shares
from . import moves, panels, searches
from .panels import Series

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def growth(findings: Findings) -> Picture | None:
    """Draw the numbers of positions, classes and moves at each ply or tier, if there are several."""
    rows, step = findings.rows, findings.step
    if not findings.sized or len(rows) < 2:
        return None
    series = [
        Series("moves", [row["moves"] for row in rows], style.AMBER, "^", (0, (5, 1.5, 1, 1.5))),
        Series("positions", [row["positions"] for row in rows], style.INK, "o"),
        Series("classes", [row["canonical"] for row in rows], style.HEAT, "s", (0, (5, 2))),
        Series("terminal", [total(row, "terminal_") for row in rows], style.PURPLE, "D", (0, (1.5, 1.5))),
    ]
    figure, (axes,) = panels.stack(3.2)
    panels.draw_lines(axes, [row[step] for row in rows], series, f"number of each, by {step}")
    panels.steps_axis(axes, [row[step] for row in rows], step)
    caption = (
        f"Positions, classes of them up to symmetry, moves, and positions in which the game is over, at each {step}"
    )
    caption += "; a position that occurs at several plies counts at each" * findings.repeated
    most, busiest = (max(rows, key=lambda row: row[what]) for what in ("positions", "moves"))
    said = f"Line chart. The most positions are at {step} {most[step]}: {some(most['positions'], 'position')}, "
    said += f"{some(most['canonical'], 'class', 'classes')}. The most moves are at {step} {busiest[step]}: "
    said += f"{busiest['moves']:,}."
    return Picture("growth", f"Positions and moves by {step}", f"{caption}. Zeros have no point.", said, figure)


def values(findings: Findings) -> Picture | None:
    """Draw the shares of positions by value at each ply or tier, if there are several."""
    rows, step = findings.rows, findings.step
    if not findings.sized or len(rows) < 2:
        return None
    columns = panels.outcome_columns(findings, rows, "value_")
    sums = {outcome.key: sum(numbers) for outcome, _, numbers in columns}
    figure, (axes,) = panels.stack(3.2)
    panels.draw_shares(axes, [row[step] for row in rows], columns, "share of positions", step)
    caption = f"The positions at each {step} by their value under optimal play, in percent of them"
    caption += "; a position that occurs at several plies counts at each" * findings.repeated
    said = f"Stacked bars, one for each {step}. {shares(findings, sums, 'position')}."
    return Picture("values", f"Values of positions by {step}", f"{caption}. The table has their numbers.", said, figure)


def lengths(findings: Findings) -> Picture | None:
    """Draw how many games have each length, and who wins them, if games were counted and anything is played."""
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0:
        return None
    plies, totals = [row["plies"] for row in rows], list(map(total, rows))
    figure, axes = panels.stack(1.7, 2.4)
    columns = panels.outcome_columns(findings, rows)
    panels.draw_shares(axes[1], plies, columns, "share of games", "length of the game in plies")
    panels.draw_lines(axes[0], plies, [Series("games", totals, style.INK, "o")], "games")
    panels.steps_axis(axes[0], plies, "")
    axes[0].set_xlim(axes[1].get_xlim())
    caption = "Above, how many complete games, as sequences of moves, have each length. Below, who wins them, in "
    caption += "percent of the games of that length."
    span = f"{plies[0]} to " * (len(plies) > 1) + some(plies[-1], "ply", "plies")
    often = f"{plies[totals.index(max(totals))]} ({some(max(totals), 'game')})"
    said = f"Games end after {span}, most often after {often}. {games_by_outcome(findings)}."
    return Picture("lengths", "Games by length", caption, said, figure)


FIGURES: dict[str, Callable[[Findings], Picture | None]] = {
    "position": styled(moves.position),
    "principal": styled(moves.principal_variation),
    "growth": styled(growth),
    "lengths": styled(lengths),
    "values": styled(values),
    "openings": styled(moves.openings),
    "pruning": searches.pruning,
}
"""Functions that draw the pictures of a report, in page order."""


def draw_figures(findings: Findings) -> dict[str, Picture]:
    """Draw the figures that have something to show, by name."""
    found = {name: draw(findings) for name, draw in FIGURES.items()}
    return {name: picture for name, picture in found.items() if picture is not None}


def plot(solution: GameLike, figure: str = "growth", position: Place | None = None) -> Figure:
    """Draw one figure of a report as a `matplotlib.figure.Figure`, to be shown or saved.

    Args:
        solution: A solution of an ordinary game, or such a game.
        figure: ``growth``, ``lengths``, ``values`` or ``principal``, of the whole game; ``position``, the board of one
            position, with the value of each move that has a cell of its own; or ``openings``, all its moves in rows.
        position: The position for the last two, as ``solution[position]`` takes it (default: the start).

    Raises `OptionError` for an unknown figure, or one with nothing to show for this game, and `PositionError` for
    an unreachable position.
    """
    known = [name for name in FIGURES if name != "pruning"]
    if figure not in known:
        raise OptionError(f"unknown figure {figure!r}; choose {listed(known)}")
    if position is not None and figure not in ("position", "openings"):
        raise OptionError(f"the figure {figure!r} is of the whole game; leave out position, or draw 'position'")
    solution = find_solution(solution)
    picture = FIGURES[figure](gather(solution, state=None if position is None else solution[position].state))
    if picture is None:
        raise OptionError(f"the figure {figure!r} of {solution.game.spec} has nothing to show")
    return picture.figure
