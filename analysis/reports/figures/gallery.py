"""All figures of a report, including charts of positions by ply or tier, games by length, values and remoteness.

Each is a picture, a sentence if all its numbers are the same, or None if there is nothing to show.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from analysis.errors import OptionError
from analysis.pictures import style
from analysis.pictures.style import Picture, clean, outcome_of, styled
from analysis.reports.figures import moves, panels, searches
from analysis.reports.figures.panels import Series
from analysis.reports.findings import Findings, gather, total
from analysis.reports.words import LONG, WHOLE, called, compact, games_by_outcome, mean, shares, worth
from analysis.wording import listed, some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from analysis.solution.solution import Solution

SHAPES = {
    "positions": "of positions (circles)",
    "classes": "of classes of them up to symmetry (squares)",
    "terminal": "of positions in which the game is over (diamonds)",
    "moves": "of moves (triangles)",
}
"""What the caption calls each line."""

# By ply or tier -------------------------------------------------------------------------------------------------------


def growth(findings: Findings) -> Picture | str | None:
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
    if series[1].numbers == series[2].numbers:  # without symmetries the lines coincide
        del series[2]
    series = [line for line in series if any(line.numbers)]
    numbers, first = [number for line in series for number in line.numbers if number], rows[0]["positions"]
    if set(numbers) == {first}:
        there = f"{some(first, 'position')}, and {some(first, 'move')} where play goes on"
        return f"There {'is' if first == 1 else 'are'} {there}, at each {step}."
    figure = panels.line_chart(3.2, [row[step] for row in rows], step, series, f"number of each, by {step}")
    names, log = [line.name for line in series], panels.wide(numbers)
    shapes = listed([shape for name, shape in SHAPES.items() if name in names])
    caption = f"Each point is the number {shapes} at one {step}{', on a log scale' * log}; zeros have "
    caption += "no point." + " A position that occurs at several plies counts at each." * findings.repeated
    busiest, ended = max(rows, key=lambda row: row["moves"]), [row[step] for row in rows if total(row, "terminal_")]
    said = f"Line chart. {_positions(rows, step)} The most moves are at {step} {busiest[step]}: {busiest['moves']:,}."
    said += f" The first terminal positions are at {step} {ended[0]}." if ended else ""
    return Picture("growth", f"Positions and moves by {step}", caption, said, figure)


def _positions(rows: list[dict[str, Any]], step: str) -> str:
    """Describe how the number of positions develops, in a sentence.

    >>> _positions([{"ply": ply, "positions": 1, "canonical": 1} for ply in range(3)], "ply")
    'There is 1 position at each ply.'
    """
    first, last, most = rows[0], rows[-1], max(rows, key=lambda row: row["positions"])
    start = some(first["positions"], "position")
    if all(row["positions"] == most["positions"] for row in rows):
        return f"There {'is' if most['positions'] == 1 else 'are'} {start} at each {step}."
    classes = f" ({some(most['canonical'], 'class', 'classes')})" * (most["canonical"] != most["positions"])
    then = "" if most is last else f" and is {last['positions']:,} at {step} {last[step]}, the last"
    if most is first:
        return f"The number of positions is greatest at {step} {first[step]}, {start}{classes},{then}."
    peak = f"{most['positions']:,}{classes} at {step} {most[step]}"
    return f"From {start} at {step} {first[step]} the number grows to {peak}{then}."


def values(findings: Findings) -> Picture | str | None:
    """Draw the shares of positions by value at each ply or tier, if there are several."""
    rows, step = findings.rows, findings.step
    if not findings.sized or len(rows) < 2:
        return None
    columns = panels.outcome_columns(findings, rows, "value_")
    sums = {outcome.key: sum(numbers) for outcome, _, numbers in columns}
    outcomes = shares(findings, sums, "position", f" at all {'plies' if step == 'ply' else 'tiers'}")
    if len(columns) == 1:
        return f"{outcomes}."
    figure, (axes,) = panels.stack(3.2)
    panels.draw_shares(axes, [row[step] for row in rows], columns, "share of positions", step)
    caption = f"The positions at each {step} by their value under optimal play, in percent of them"
    caption += "; a position that occurs at several plies counts at each" * findings.repeated
    there = [f"{called(findings, o.key, WHOLE)} {numbers[-1]:,}" for o, _, numbers in columns if numbers[-1]]
    said = f"Stacked bars, one for each {step}. {outcomes}. At {step} {rows[-1][step]}, the last: {', '.join(there)}."
    return Picture("values", f"Values of positions by {step}", f"{caption}. The table has their numbers.", said, figure)


SAME = 0.005
"""Means that differ by less share a line: they have the same second decimals."""


def branching(findings: Findings) -> Picture | str | None:
    """Draw the number of moves at each ply or tier, if anybody can move at several."""
    rows, step, keys = findings.branching, findings.step, ("moves_per_position", "moves_per_history")
    if not findings.sized or len(rows) < 2:
        return None
    means = [mean(row[keys[0]]) for row in rows]
    if len({mean(row[key]) for row in rows for key in keys if row[key]}) == 1:
        return f"The mean is {means[0]} at each {step} in which anybody can move."
    counted = any(row[keys[1]] is not None for row in rows)
    alike = counted and all(abs(row[keys[0]] - (row[keys[1]] or 0)) < SAME for row in rows)
    series = [Series("per position", [row[keys[0]] for row in rows], style.INK, "o")]
    caption = f"Legal moves, on average over the positions of a {step} in which the game goes on"
    if alike:
        caption += (
            ". The mean over the sequences of moves that lead there and can go on, in which a position that can be "
            f"reached in more ways weighs more, is the same at every {step}: one line is both"
        )
    elif counted:
        series.append(Series("per history", [row[keys[1]] for row in rows], style.AMBER, "^", (0, (5, 2))))
        caption += " (circles), and over the sequences of moves that lead there and can go on (triangles): a position "
        caption += "that can be reached in more ways weighs more"
    steps = [row[step] for row in rows]
    figure = panels.line_chart(2.4, steps, step, series, f"legal moves, mean, by {step}", linear=True)
    over_all = sum(row[keys[0]] * row["positions"] for row in rows) / sum(row["positions"] for row in rows)
    most = max(range(len(rows)), key=lambda number: rows[number][keys[0]])
    peak = f"at most {means[most]} on average, at {step} {steps[most]}," if most else "the most,"
    said = (
        f"Line chart. {means[0]} moves at {step} {steps[0]}, {peak} and {means[-1]} at {step} {steps[-1]}, "
        f"the last in which anybody can move. Over all these positions the mean is {mean(over_all)}."
    )
    return Picture("branching", "Branching", f"{caption}.", said, figure)


# Games and values -----------------------------------------------------------------------------------------------------


def lengths(findings: Findings) -> Picture | str | None:
    """Draw how many games have each length, and who wins them, if games were counted and anything is played."""
    rows = findings.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0:
        return None
    plies, totals, outcomes = [row["plies"] for row in rows], list(map(total, rows)), games_by_outcome(findings)
    columns, several, most = panels.outcome_columns(findings, rows), len(set(totals)) > 1, max(totals)
    often, many = plies[totals.index(most)], some(most, "game")
    if len(rows) == 1:
        if len(columns) == 1:
            return f"{outcomes}, after {some(often, 'ply', 'plies')}."
        caption = "All games are of one length; who wins them, in percent."
        said = f"All games end after {some(often, 'ply', 'plies')}."
    elif several:
        scale = ", on a log scale" * panels.wide(totals)
        caption = f"Above, how many complete games, as sequences of moves, have each length{scale}. Below, who wins "
        caption += "them, in percent of the games of that length."
        said = f"Games end after {plies[0]} to {plies[-1]} plies, most often after {often} ({many})."
    else:
        caption = f"There {'is' if most == 1 else 'are'} {many} of each length; who wins them, in percent."
        said = f"Games end after {plies[0]} to {plies[-1]} plies, {many} after each."
    figure, axes = panels.stack(1.7, 2.4) if several else panels.stack(2.4)
    panels.draw_shares(axes[-1], plies, columns, "share of games", "length of the game in plies")
    if several:
        panels.number_axis(axes[0], totals, "games", marked=True)
        panels.draw_lines(axes[0], plies, [Series("games", totals, style.INK, "o")])
        panels.mark_value(axes[0], often, most)
        panels.steps_axis(axes[0], plies, "")
        axes[0].set_xlim(axes[-1].get_xlim())
    return Picture("lengths", "Games by length", caption, f"{said} {outcomes}.", figure)


def scores(findings: Findings) -> Picture | None:
    """Draw how many positions and games have each value, if payoffs are margins."""
    rows = findings.statistics["by_value"]
    if not findings.scored or findings.over or not findings.sized:
        return None
    counted = all(row["games"] is not None for row in rows) and any(row["games"] for row in rows)
    wanted, worths = ["positions", *["games"] * counted], [row["value"] for row in rows]
    figure, axes = panels.stack(*[2.0] * len(wanted))
    between = min((b - a for a, b in itertools.pairwise(worths)), default=1)
    width, most = max(0.84 * between, (worths[-1] - worths[0]) / 250), {}
    for panel, what in zip(axes, wanted, strict=True):
        numbers = [row[what] for row in rows]
        frequent = worths[numbers.index(max(numbers))]
        most[what] = f"{max(numbers):,} with {worth(frequent)}"
        panels.number_axis(panel, numbers, what, linear=True, marked=True)
        panels.steps_axis(panel, worths, "")
        panel.set_xlim(worths[0] - width, worths[-1] + width)
        for value, number in zip(worths, numbers, strict=True):
            panel.bar(value, number, width, linewidth=0.4, **outcome_of(value, 0).look)
        panels.mark_value(panel, frequent, max(numbers))
    panels.steps_axis(axes[-1], worths, f"value: by how much {clean(findings.named('X'), LONG)} wins")
    first, second = (clean(name) for name in findings.game.players)
    games = ", and how many complete games end with it" * counted
    caption = f"How many positions are worth each margin under optimal play{games}. Right of 0 {first} wins, left of "
    caption += f"it {second} (hatched); 0 is a tie."
    said = f"Bars for values from {worth(worths[0])} to {worth(worths[-1])}. The most frequent value of positions: "
    said += most["positions"] + "." + (f" Of games: {most['games']}." if counted else "")
    return Picture("scores", "Positions and games by value", caption, said, figure)


# Remoteness -----------------------------------------------------------------------------------------------------------

MOST_ROWS = 25
"""Remotenesses in a heat map; if there are more, a line chart is drawn."""

NAMES = {"win": "mover wins", "tie": "tie", "lose": "mover loses", "draw": "draw"}
_LOOKS = {
    "win": (style.HEAT, "^", "-"),
    "lose": (style.SECOND, "v", (0, (5, 2))),
    "tie": (style.TIE, "s", (0, (1.5, 1.5))),
}


def remoteness(findings: Findings) -> Picture | str | None:
    """Draw how many positions have each value and remoteness, as the player to move sees them."""
    rows = findings.statistics["by_remoteness"]
    if not rows or findings.over:
        return None
    numbers = {row[kind] for row in rows for kind in NAMES if row[kind]}
    if len(rows) > MOST_ROWS and len(numbers) == 1:
        each, last = some(max(numbers), "position"), rows[-1]["remoteness_plies"]
        return f"All nonzero numbers in this table are the same: {each}, for remotenesses up to {last}."
    caption = "Positions by the number of plies that optimal play still takes, and by what they are for the player to "
    caption += "move: the winner hurries, the loser delays."
    sums = {kind: sum(row[kind] for row in rows) for kind in NAMES if any(row[kind] for row in rows)}
    ended = [row for row in rows if row["remoteness_plies"] is not None]
    if len(ended) > MOST_ROWS:
        series = [Series(NAMES[kind], [row[kind] for row in ended], *_LOOKS[kind]) for kind in sums if kind in _LOOKS]
        steps = [row["remoteness_plies"] for row in ended]
        figure = panels.line_chart(3.2, steps, "remoteness in plies", series, "positions")
        caption += " Zeros have no point."
        caption += f" Positions without end ({some(sums['draw'], 'draw')}) are not shown." if "draw" in sums else ""
    else:
        figure = _heat_map(rows, list(sums))
        caption += " The deeper the green, the more positions (on a log scale)."
    said = f"Positions as their movers see them: {', '.join(f'{NAMES[kind]} {n:,}' for kind, n in sums.items())}."
    longest = {kind: [row for row in rows if row[kind]][-1] for kind in _LOOKS if kind in sums}
    parts = [f"{NAMES[kind]} in at most {_plies(row)} ({some(row[kind], 'position')})" for kind, row in longest.items()]
    said += f" The longest: {'; '.join(parts)}." if parts else ""
    return Picture("remoteness", "Value and remoteness", caption, said, figure)


def _heat_map(rows: list[dict[str, Any]], kinds: list[str]) -> Figure:
    """Draw a row for each remoteness and a column for each value, darker for larger numbers (by logarithm)."""
    figure, (axes,) = panels.stack(0.45 + 0.26 * max(4, len(rows)))
    greatest = max(row[kind] for row in rows for kind in kinds)
    for column, kind in enumerate(kinds):
        own = {number: row[kind] for number, row in enumerate(rows) if row[kind]}
        depths = (math.log1p(number) / math.log1p(greatest) for number in own.values())
        colours = [(style.HEAT, round(0.06 + (style.MOST_TINT - 0.06) * depth, 3)) for depth in depths]
        cells = axes.barh([*own], 1, 1, column - 0.5, color=colours, edgecolor=style.PAPER, linewidth=1.5)
        axes.bar_label(cells, [compact(number, 10**7) for number in own.values()], label_type="center")
    axes.set_xlim(-0.5, len(kinds) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(kinds)), [NAMES[kind] for kind in kinds])
    axes.set_yticks(range(len(rows)), [_plies(row) for row in rows])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_ylabel("remoteness", color=style.MUTED)
    return figure


def _plies(row: dict[str, Any]) -> str:
    plies = row["remoteness_plies"]
    return "no end" if plies is None else some(plies, "ply", "plies")


# All ------------------------------------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[[Findings], Picture | str | None]] = {
    "principal": styled(moves.principal_variation),
    "growth": styled(growth),
    "lengths": styled(lengths),
    "values": styled(values),
    "scores": styled(scores),
    "remoteness": styled(remoteness),
    "branching": styled(branching),
    "openings": styled(moves.openings),
    "pruning": searches.pruning,
}
"""Functions that draw the pictures of a report, in page order."""


def draw_figures(findings: Findings) -> dict[str, Picture | str]:
    """Draw the figures that have something to show; a sentence replaces one whose numbers are all the same.

    >>> import analysis
    >>> from analysis.reports.findings import gather
    >>> draw_figures(gather(analysis.solve("mnk:rows=1,cols=1,k=1")))["lengths"]
    'The only game: X wins, after 1 ply.'
    """
    found = {name: draw(findings) for name, draw in FIGURES.items()}
    return {name: picture for name, picture in found.items() if picture is not None}


def plot(solution: Solution, figure: str = "growth", position: str | Sequence[int | str] | None = None) -> Figure:
    """Draw one figure of a report as a `matplotlib.figure.Figure`, to be shown or saved.

    Args:
        solution: A solution of an ordinary game.
        figure: ``growth``, ``lengths``, ``values``, ``scores``, ``remoteness``, ``branching``, ``openings`` or
            ``principal``, of the whole game; or ``position``, the board of one position with the value of each move.
        position: The position for that figure, as ``solution[position]`` takes it (default: the start).

    Raises `OptionError` for an unknown figure, or one with nothing to show for this game, and `PositionError` for
    an unreachable position.
    """
    known = [*(name for name in FIGURES if name != "pruning"), "position"]
    if figure not in known:
        raise OptionError(f"unknown figure {figure!r}; choose {listed(known)}")
    if figure == "position":
        drawn = styled(moves.draw_position)(
            gather(solution, state=None if position is None else solution[position].state)
        )
    elif position is not None:
        raise OptionError(f"the figure {figure!r} is of the whole game; leave out position, or draw 'position'")
    else:
        picture = FIGURES[figure](gather(solution))
        drawn = None if picture is None or isinstance(picture, str) else picture.figure
    if drawn is None:
        raise OptionError(f"the figure {figure!r} of {solution.game.spec} has nothing to show")
    return drawn
