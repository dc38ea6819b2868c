"""Draw the six figures of a report: a board with its moves, the principal variation, growth, games by length, the moves
in rows, and the nodes that searches visit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..common.wording import in_words, with_count
from ..errors import OptionError
from ..rules.game import GameLike
from ..rules.picture import regular
from ..rules.positions import Place
from ..solving.find import find_solution
from . import charts, searches, style
from .boards import SIDE, board_sheet, changed, draw_board, least_cell, shape_of, sheet
from .charts import WIDTH, Series
from .facts import Facts, ended, gather
from .style import Picture, clean, fit, outcome_of, styled, width_of
from .words import SHORT, called, compact, is_scored, named, result, worth

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CELL, LEAST_CELL = 0.66, 0.52
"""Width of a cell in inches: the greatest, and the least for the value of a move."""
MOST = 40
"""The most moves drawn in rows."""
_NAME = 2.0
"""Inches for a move and its value, so that bars have room."""
MOST_BOARDS, MOST_LINES = 60, 15
"""The most boards of a line drawn, and rows of them."""
_SMALL_CELL, _BETWEEN, _ABOVE, _BELOW = 0.24, 0.22, 0.08, 0.56  # inches


def position(facts: Facts) -> Picture | None:
    """Draw the board, and in it the value of each move, if each has a cell of its own."""
    state = facts.solution.engine.start if facts.state is None else facts.state
    game, grid = facts.game, facts.game.grid(state)
    if grid is None or not regular(grid):
        return None
    shape = shape_of(game, grid)
    cell = min(CELL, (WIDTH - SIDE) / shape.width, 2 * WIDTH / shape.height)
    if cell < least_cell([grid]):
        return None
    cells = {divmod(row["cell"], shape.cols): row for row in facts.moves if row["cell"] is not None}
    if len(cells) < len(facts.moves) or cell < LEAST_CELL or shape.dotted:
        cells = {}
    marks_left = [[" " if (r, c) in cells else mark for c, mark in enumerate(marks)] for r, marks in enumerate(grid)]
    tints = {place: (_outcome(row).colour, style.TINT) for place, row in cells.items()}
    figure, axes = board_sheet(game, marks_left, cell, tints)
    for place, row in cells.items():
        x, y = (SIDE + cell * length for length in shape.middle(*place))
        key, plies = _outcome(row).key, row["plies_to_end"]
        value = worth(row["value"]) if is_scored(game) and key != "draw" else named(game, key, SHORT)
        lines = clean(row["name"], 8), value, f"in {plies}" if plies is not None else ""
        weight = "bold" if row["optimal"] else "normal"
        for number, (text, colour) in enumerate(zip(lines, (style.MUTED, style.INK, style.INK), strict=True)):
            look: dict[str, Any] = {"color": colour, "fontweight": weight if number else "normal"}
            shown = fit(text, 0.85 * cell)
            axes.text(x, y + 0.3 * cell * (number - 1), shown, ha="center", va="center", zorder=5, **look)
    caption = f"The board{', with each move, its value and the plies to the end, in bold if optimal' * bool(cells)}."
    return Picture("position", "Position", caption, figure)


def principal(facts: Facts) -> Picture | None:
    """Draw the line of best play, tinting what each move changed, if the game has boards of a suitable size."""
    steps, game = facts.line[:MOST_BOARDS], facts.game
    grids = [grid for row in steps if (grid := game.grid(row["state"])) is not None and regular(grid)]
    if len(steps) < 2 or len(grids) < len(steps) or len({(len(grid), len(grid[0])) for grid in grids}) > 1:
        return None
    shape = shape_of(game, grids[0])
    cell = min(max(_SMALL_CELL, least_cell(grids)), (WIDTH - 0.1) / shape.width)
    if cell < least_cell(grids) or shape.rows > 40:
        return None
    moves = [f"{row['ply']}. {clean(row['mover'], SHORT)} {clean(row['name'], 10)}" for row in steps[1:]]
    values = [result(game, row["value"], row["remoteness_plies"]) for row in steps]
    slot = min(max(shape.width * cell, *map(width_of, ("start", *moves, *values))) + _BETWEEN, WIDTH)
    columns = max(1, min(len(steps), int(WIDTH / slot + 1e-9)))
    drawn, high = min(len(steps), columns * MOST_LINES), _ABOVE + shape.height * cell + _BELOW
    figure, axes = sheet(WIDTH, -(-drawn // columns) * high)
    for number, (row, grid) in enumerate(zip(steps[:drawn], grids, strict=False)):
        middle, top = (number % columns + 0.5) * WIDTH / columns, number // columns * high + _ABOVE
        colour = style.FIRST if row["mover"] == game.players[0] else style.SECOND
        tints = dict.fromkeys(changed(grids[max(0, number - 1)], grid), (colour, style.TINT))
        draw_board(axes, cell, shape, grid, tints, (middle - shape.width * cell / 2, top))
        foot = top + shape.height * cell
        axes.text(middle, foot + 0.15, ("start", *moves)[number], color=style.INK, ha="center", va="center")
        axes.text(middle, foot + 0.33, values[number], color=_outcome(row).text, ha="center", va="center")
    undrawn = len(facts.line) - drawn
    caption = "One line of optimal play, from left to right and from top to bottom. Below each board: the move that "
    caption += "led to it, the value of the position, and the plies left to the end. What the move changed is tinted."
    caption += f" The line has {with_count(undrawn, 'more position')}." * (undrawn > 0)
    return Picture("principal", "Principal variation", caption, figure)


def growth(facts: Facts) -> Picture | None:
    """Draw the numbers of positions, classes and moves at each ply or tier, if there are several, and below them the
    shares of the positions by value.
    """
    rows, step = facts.rows, facts.step
    if not facts.sized or len(rows) < 2:
        return None
    lines = [
        Series("moves", [row["moves"] for row in rows], style.AMBER, "^", (0, (5, 1.5, 1, 1.5))),
        Series("positions", [row["positions"] for row in rows], style.INK, "o"),
        Series("classes", [row["classes"] for row in rows], style.HEAT, "s", (0, (5, 2))),
        Series("terminal", [ended(row) for row in rows], style.PURPLE, "D", (0, (1.5, 1.5))),
    ]
    columns = charts.outcome_columns(facts.game, rows, "value")
    steps, title = [row[step] for row in rows], f"number of each, by {step}"
    figure = charts.over_steps((3.0, 2.6), steps, lines, title, columns, "share of positions", step)
    caption = "Above, positions, classes of them up to symmetry, moves, and positions in which the game is over, at "
    caption += f"each {step}; zeros have no point. Below, the positions by their value under optimal play, in percent."
    caption += " A position that occurs at several plies counts at each." * facts.repeated
    return Picture("growth", f"Positions, moves and values by {step}", caption, figure)


def lengths(facts: Facts) -> Picture | None:
    """Draw how many games have each length, and who wins them, if games were counted and anything is played."""
    rows = facts.statistics["games_by_length"]
    if not rows or rows[-1]["plies"] == 0:
        return None
    plies, totals = [row["plies"] for row in rows], [row["games"] for row in rows]
    columns, lines = charts.outcome_columns(facts.game, rows, "games"), [Series("games", totals, style.INK, "o")]
    below = "share of games", "length of the game in plies"
    figure = charts.over_steps((1.7, 2.4), plies, lines, "games", columns, *below)
    caption = "Above, how many complete games, as sequences of moves, have each length. Below, who wins them, in "
    caption += "percent of the games of that length."
    return Picture("lengths", "Games by length", caption, figure)


def openings(facts: Facts) -> Picture | None:
    """Draw a row for each move, best first: its value, and bars for its games by outcome and its optimal paths, or for
    the plies to the end if those were not counted; None if the game is over.
    """
    from matplotlib.figure import Figure

    rows, undrawn = facts.moves[:MOST], len(facts.moves) - MOST
    if not rows:
        return None
    counted = rows[0]["games"] is not None
    games = [(o, [row[f"games_{o.key.lower()}"] or 0 for row in rows]) for o in style.OUTCOMES if o.key != "draw"]
    keys = {_outcome(row).key for row in rows} | {outcome.key for outcome, numbers in games if any(numbers)}
    names = [(outcome, called(facts.game, outcome.key)) for outcome in style.OUTCOMES if outcome.key in keys]
    height = 0.6 + 0.25 * len(rows) + 0.1 + 0.22 * -(-len(names) // charts.key_columns(names))
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    first, *more = figure.subplots(1, 1 + counted, squeeze=False)[0]
    if counted:
        _bars(first, "games", [[(numbers[i], outcome.look) for outcome, numbers in games] for i in range(len(rows))])
        _bars(more[0], "optimal paths", [[(row["optimal_paths"] or 0, {"facecolor": style.HEAT})] for row in rows])
    else:
        _bars(first, "plies to the end", [[(row["plies_to_end"] or 0, _outcome(row).look)] for row in rows])
    moves = [f"{clean(row['name'], 10)}: {_result(facts, row)}" for row in rows]
    first.set_yticks(range(len(rows)), [fit(move, _NAME) for move in moves])
    for label, row in zip(first.get_yticklabels(), rows, strict=True):
        label.set(color=_outcome(row).text, fontweight="bold" if row["optimal"] else "normal")
    charts.outcome_key(figure, names)
    bars = "the games that begin with it, by who wins them, and the optimal paths" if counted else "these plies"
    caption = "A row for each move, best first: its value, bold if the move is optimal, and the plies to the end, this "
    caption += f"move included. Bars: {bars}." + f" The table has {with_count(undrawn, 'more move')}." * (undrawn > 0)
    return Picture("openings", "First moves", caption, figure)


def _bars(axes: Axes, title: str, rows: Sequence[Sequence[tuple[int, dict[str, Any]]]]) -> None:
    """Draw a bar for each row, of parts with a number and a style, relative to the longest, and its sum beside it."""
    sums = [sum(number for number, _ in parts) for parts in rows]
    charts.rows_axis(axes, [""] * len(rows), [compact(number) for number in sums])
    axes.set_title(title, color=style.MUTED)
    axes.set(xlim=(0, 1), xticks=[])
    axes.spines[:].set_visible(False)
    for row, parts in enumerate(rows):
        start = 0.0
        for number, look in parts:
            part = number / max(1, *sums)
            axes.barh(row, part, 0.6, start, linewidth=0.4, **look)
            start += part


def _outcome(row: dict[str, Any]) -> style.Outcome:
    return outcome_of(row["value"], row["remoteness_plies"])


def _result(facts: Facts, row: dict[str, Any]) -> str:
    """Return the value of a move and the plies to the end, the move included."""
    return result(facts.game, row["value"], row["plies_to_end"])


FIGURES: dict[str, Callable[[Facts], Picture | None]] = {
    "position": styled(position),
    "principal": styled(principal),
    "growth": styled(growth),
    "lengths": styled(lengths),
    "openings": styled(openings),
    "pruning": searches.pruning,
}
"""Functions that draw the pictures of a report, in page order."""


def draw_figures(facts: Facts) -> dict[str, Picture]:
    """Draw the figures that have something to show, by name."""
    pictures = {name: draw(facts) for name, draw in FIGURES.items()}
    return {name: picture for name, picture in pictures.items() if picture is not None}


def plot(solution: GameLike, figure: str = "growth", position: Place | None = None) -> Figure:
    """Draw one figure of a report as a `matplotlib.figure.Figure`, to be shown or saved.

    Args:
        solution: A solution of an ordinary game, or such a game.
        figure: ``growth``, ``lengths`` or ``principal``, of the whole game; ``position``, the board of one position,
            with the value of each move that has a cell of its own; or ``openings``, all its moves in rows.
        position: The position for the last two, as ``solution[position]`` takes it (default: the start).

    Raises `OptionError` for an unknown figure, or one with nothing to show for this game, and `PositionError` for
    an unreachable position.
    """
    names = [name for name in FIGURES if name != "pruning"]
    if figure not in names:
        raise OptionError(f"unknown figure {figure!r}; choose {in_words(names)}")
    if position is not None and figure not in ("position", "openings"):
        raise OptionError(f"the figure {figure!r} is of the whole game; leave out position, or draw 'position'")
    solution = find_solution(solution)
    picture = FIGURES[figure](gather(solution, state=None if position is None else solution[position].state))
    if picture is None:
        raise OptionError(f"the figure {figure!r} of {solution.game.spec} has nothing to show")
    return picture.figure
