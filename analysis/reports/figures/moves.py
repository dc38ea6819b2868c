"""Figures of a position: its board with the value of each move, all moves in rows, and the principal variation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...pictures import style
from ...pictures.boards import SIDE, board_sheet, changed, draw_board, least_cell, regular, shape_of, sheet
from ...pictures.style import Picture, clean, fit, outcome_of, width_of
from ...wording import some
from ..findings import Findings, VariationStep
from ..words import SHORT, briefly, called, compact, result
from .panels import WIDTH, key_columns, outcome_key, rows_axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELL, LEAST_CELL = 0.66, 0.52
"""Width of a cell in inches: the greatest, and the least for the value of a move."""

PLAYED = tuple(outcome for outcome in style.OUTCOMES if outcome.key != "draw")
"""Outcomes of complete games."""


def position(findings: Findings) -> Picture | None:
    """Draw the findings' board, and in it the value of each move, if each has a cell of its own."""
    state = findings.solution.engine.start if findings.state is None else findings.state
    grid, openings = findings.game.grid(state), findings.openings
    if grid is None or not regular(grid):
        return None
    shape = shape_of(findings.game, grid)
    cell = min(CELL, (WIDTH - SIDE) / shape.width, 2 * WIDTH / shape.height)
    if cell < least_cell([grid]):
        return None
    cells = {divmod(opening.cell, shape.cols): opening for opening in openings if opening.cell is not None}
    if len(cells) < len(openings) or cell < LEAST_CELL or shape.dotted:
        cells = {}
    rest = [[" " if (r, c) in cells else mark for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    tints = {place: (opening.outcome.colour, style.TINT) for place, opening in cells.items()}
    figure, axes = board_sheet(findings.game, rest, cell, tints)
    for place, opening in cells.items():
        x, y = (SIDE + cell * length for length in shape.middle(*place))
        move, plies = opening.move, opening.plies_to_end
        lines = clean(move.name, 8), briefly(findings, move.value, plies), f"in {plies}" if plies is not None else ""
        weight = "bold" if move.optimal else "normal"
        for number, (text, colour) in enumerate(zip(lines, (style.MUTED, style.INK, style.INK), strict=True)):
            shown = fit(text, 0.85 * cell)
            look: dict[str, Any] = {"color": colour, "fontweight": weight if number else "normal"}
            axes.text(x, y + 0.3 * cell * (number - 1), shown, ha="center", va="center", zorder=5, **look)
    moves = "; ".join(f"{clean(o.move.name)} {result(findings, o.move.value, o.plies_to_end)}" for o in cells.values())
    caption = f"The board{', with each move, its value and the plies to the end, in bold if optimal' * bool(cells)}."
    said = ", ".join(
        f"row {number}: {' '.join(clean(mark) or '-' for mark in row)}" for number, row in enumerate(grid, 1)
    )
    return Picture("position", "Position", caption, f"A board, {said}. {moves}{'.' * bool(moves)}".strip(), figure)


# Moves in rows --------------------------------------------------------------------------------------------------------

MOST = 40
"""The most moves drawn."""

_NAME = 2.0
"""Inches for a move and its value, so that bars have room."""


def openings(findings: Findings) -> Picture | None:
    """Draw a row for each move, best first: its value, and bars for its games by outcome and its optimal paths, or for
    the plies to the end if those were not counted; None if the game is over.
    """
    from matplotlib.figure import Figure

    shown, left = findings.openings[:MOST], len(findings.openings) - MOST
    if not shown:
        return None
    counted, keys = shown[0].games is not None, {opening.outcome.key for opening in shown}
    games = [{} if each.games is None else vars(each.games) for each in shown]
    keys |= {key for each in games for key, number in each.items() if number}
    key = [(outcome, called(findings, outcome.key)) for outcome in style.OUTCOMES if outcome.key in keys]
    high = 0.6 + 0.25 * len(shown) + 0.1 + 0.22 * -(-len(key) // key_columns(key))
    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    first, *more = figure.subplots(1, 1 + counted, squeeze=False)[0]
    if counted:
        _bars(first, "games", [[(each[o.key], o.look) for o in PLAYED] for each in games])
        _bars(more[0], "optimal paths", [[(each.optimal_paths or 0, {"facecolor": style.HEAT})] for each in shown])
    else:
        _bars(first, "plies to the end", [[(each.plies_to_end or 0, each.outcome.look)] for each in shown])
    values = [result(findings, each.move.value, each.plies_to_end) for each in shown]
    names = [f"{clean(each.move.name, 10)}: {value}" for each, value in zip(shown, values, strict=True)]
    first.set_yticks(range(len(shown)), [fit(name, _NAME) for name in names])
    for label, opening in zip(first.get_yticklabels(), shown, strict=True):
        label.set(color=opening.outcome.text, fontweight="bold" if opening.move.optimal else "normal")
    outcome_key(figure, key, "outside lower center")
    bars = "the games that begin with it, by who wins them, and the optimal paths" if counted else "these plies"
    caption = "A row for each move, best first: its value, bold if the move is optimal, and the plies to the end, this "
    caption += f"move included. Bars: {bars}." + f" The table has {some(left, 'more move')}." * (left > 0)
    kept = sum(opening.move.optimal for opening in findings.openings)
    said = f"{some(len(findings.openings), 'move')}, {kept} of them optimal. Best first: {', '.join(names)}."
    return Picture("openings", "First moves", caption, said, figure)


def _bars(axes: Axes, title: str, rows: Sequence[Sequence[tuple[int, dict[str, Any]]]]) -> None:
    """Draw a bar for each row, of parts with a number and a style, relative to the longest, and its sum beside it."""
    sums = [sum(number for number, _ in parts) for parts in rows]
    rows_axis(axes, [""] * len(rows), [compact(number) for number in sums])
    axes.set_title(title, color=style.MUTED)
    axes.set(xlim=(0, 1), xticks=[])
    axes.spines[:].set_visible(False)
    for row, parts in enumerate(rows):
        start = 0.0
        for number, look in parts:
            part = number / max(1, *sums)
            axes.barh(row, part, 0.6, start, linewidth=0.4, **look)
            start += part


# The principal variation ----------------------------------------------------------------------------------------------

MOST_BOARDS, MOST_LINES = 60, 15
"""The most boards drawn, and lines of them."""

_SMALL_CELL, _BETWEEN, _ABOVE, _BELOW = 0.24, 0.22, 0.08, 0.56  # inches


def principal_variation(findings: Findings) -> Picture | None:
    """Draw the line of best play, with what each move changed tinted, if the game has boards of a suitable size."""
    steps = findings.principal[:MOST_BOARDS]
    grids = [grid for step in steps if (grid := findings.game.grid(step.state)) is not None and regular(grid)]
    if len(steps) < 2 or len(grids) < len(steps) or len({(len(grid), len(grid[0])) for grid in grids}) > 1:
        return None
    shape = shape_of(findings.game, grids[0])
    cell = min(max(_SMALL_CELL, least_cell(grids)), (WIDTH - 0.1) / shape.width)
    if cell < least_cell(grids) or shape.rows > 40:
        return None
    made = ["start", *(f"{step.ply}. {_move(findings, step)}" for step in steps[1:])]
    values = [result(findings, step.value, step.remoteness_plies) for step in steps]
    slot = min(max(shape.width * cell, *map(width_of, (*made, *values))) + _BETWEEN, WIDTH)
    columns = max(1, min(len(steps), int(WIDTH / slot + 1e-9)))
    drawn, high = min(len(steps), columns * MOST_LINES), _ABOVE + shape.height * cell + _BELOW
    figure, axes = sheet(WIDTH, -(-drawn // columns) * high)
    for number, (step, grid) in enumerate(zip(steps[:drawn], grids, strict=False)):
        row, column = divmod(number, columns)
        middle, top = (column + 0.5) * WIDTH / columns, row * high + _ABOVE
        colour = style.FIRST if step.mover == "X" else style.SECOND
        tints = dict.fromkeys(changed(grids[max(0, number - 1)], grid), (colour, style.TINT))
        draw_board(axes, cell, shape, grid, tints, (middle - shape.width * cell / 2, top))
        foot, outcome = top + shape.height * cell, outcome_of(step.value, step.remoteness_plies)
        axes.text(middle, foot + 0.15, made[number], color=style.INK, ha="center", va="center")
        axes.text(middle, foot + 0.33, values[number], color=outcome.text, ha="center", va="center")
    left = len(findings.principal) - drawn
    caption = "One line of optimal play, from left to right and from top to bottom. Below each board: the move that "
    caption += "led to it, the value of the position, and the plies left to the end. What the move changed is tinted."
    caption += f" The line has {some(left, 'more position')}." * (left > 0)
    said = f"{some(drawn, 'board')}: {', '.join(made[1:drawn])}; {values[drawn - 1]}."
    return Picture("principal", "Principal variation", caption, said, figure)


def _move(findings: Findings, step: VariationStep) -> str:
    name = "" if step.move is None else clean(step.move.name, 10)
    return f"{clean(findings.named(step.mover or 'X'), SHORT)} {name}"
