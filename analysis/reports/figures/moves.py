"""Figures of a position's moves, on the board or in rows, best first; and of the principal variation as boards."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.pictures import style
from analysis.pictures.boards import BoardShape, Grid, changed, draw_board, least_cell, regular, shape_of
from analysis.pictures.style import Outcome, Picture, clean, fit, outcome_of, width_of
from analysis.reports.figures.panels import WIDTH, boards_sheet, key_columns, outcome_key, rows_axis
from analysis.reports.findings import Findings, Opening
from analysis.reports.words import SHORT, WHOLE, briefly, called, compact, result
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LEAST_CELL, _CELL = 0.52, 0.66  # inches: three numbers in a cell, and no more than looks good
_GAP = 0.16
_LARGEST_MARK = 15.0  # points
_ROOM = 0.94
"""The width of text in a cell, in cells."""

PLAYED = tuple(outcome for outcome in style.OUTCOMES if outcome.key != "draw")
"""Outcomes of complete games."""

Tints = dict[tuple[int, int], tuple[str, float]]


def openings(findings: Findings) -> Picture | None:
    """Draw the first moves, unless the game is over at the start."""
    figure, found = draw_position(findings), findings.openings
    if figure is None or not found:
        return None
    counted, paths = found[0].games is not None, found[0].optimal_paths is not None
    worth, left = "bold where the move is optimal, and the plies to the end, this move included", len(found) - MOST
    if _grid(findings) is None:
        caption = f"One row for each first move, best first; its value, {worth}"
        caption += "; the games that begin with it, by who wins them; and the optimal paths among them." * counted
        caption += ", also as bars." * (not counted)
        caption += f" The table has {some(left, 'more move')}." if left > 0 else ""
    else:
        caption = f"Each first move on the cell that stands for it. Its value, {worth}"
        caption += "; the games that begin with it and, as a bar, who wins them" * counted
        caption += "; and the optimal paths that begin with it (the deeper the green, the more)" * paths
        caption += ". Numbers are rounded where they would not fit; the table has them in full."
    return Picture("openings", "First moves", caption, _best_and_worst(findings), figure)


def draw_position(findings: Findings) -> Figure | None:
    """Draw the findings' position with the worth of each move; if the game is over, only the board, if any."""
    grid = _grid(findings)
    if findings.openings:
        return _rows(findings) if grid is None else _boards(findings, grid)
    if grid is None:
        return None
    shape = shape_of(findings.game, grid)
    cell = min(_CELL, (WIDTH - 0.1) / shape.width)
    figure, (axes,) = boards_sheet(shape, cell, 1, 1, (_GAP, _GAP))
    draw_board(axes, cell, shape, grid, {})
    return figure


def _grid(findings: Findings) -> Grid | None:
    """Return the board if every move has its own cell on it and it is large enough when drawn."""
    grid = findings.game.grid(findings.solution.engine.start if findings.state is None else findings.state)
    cells = [opening.cell for opening in findings.openings]
    if grid is None or not regular(grid) or None in cells or len(set(cells)) < len(cells):
        return None
    shape = shape_of(findings.game, grid)
    fits = not shape.dotted and shape.width * _least_cell(findings) <= WIDTH - 0.1 and shape.rows <= 12
    return grid if fits or not cells else None


def _least_cell(findings: Findings) -> float:
    """Return the inches that a cell needs for its numbers and for the word draw or tie; names are cut off."""
    openings = findings.openings
    texts = [compact(opening.games.total) for opening in openings if opening.games is not None]
    texts += [compact(opening.optimal_paths or 0) for opening in openings]
    texts += [f"in {opening.plies_to_end}" for opening in openings if opening.plies_to_end is not None]
    return max(_LEAST_CELL, max(map(width_of, texts), default=0) / _ROOM)


def _outcomes(findings: Findings) -> list[tuple[Outcome, str]]:
    """Return the outcomes of first moves, or of games that begin with them, with their names."""
    keys = {opening.outcome.key for opening in findings.openings}
    for opening in findings.openings:
        if opening.games is not None:
            keys |= {key for key, number in vars(opening.games).items() if number}
    return [(outcome, called(findings, outcome.key)) for outcome in style.OUTCOMES if outcome.key in keys]


def _best_and_worst(findings: Findings) -> str:
    """Describe the best and worst moves and what they lead to."""
    openings = findings.openings
    kept = [opening for opening in openings if opening.move.optimal]
    names = [clean(opening.move.name) for opening in kept[:12]] + ["and so on"] * (len(kept) > 12)
    if len(openings) == 1:
        return f"The only first move, {_described(findings, kept[0])}."
    said = f"{some(len(openings), 'first move')}, {len(kept)} of them optimal ({', '.join(names)}). "
    said += f"The best, {_described(findings, kept[0])}."
    return said + (f" The worst, {_described(findings, openings[-1])}." if len(kept) < len(openings) else "")


def _described(findings: Findings, opening: Opening) -> str:
    said = f"{clean(opening.move.name)}, {result(findings, opening.move.value, opening.plies_to_end, WHOLE)}"
    said += f", begins {some(opening.games.total, 'game')}" if opening.games is not None else ""
    return said + (f" and {some(opening.optimal_paths, 'optimal path')}" if opening.optimal_paths is not None else "")


# Moves on boards ------------------------------------------------------------------------------------------------------


def _boards(findings: Findings, grid: Grid) -> Figure:
    """Draw a board for each kind of number, and a key."""
    shape = shape_of(findings.game, grid)
    openings = {divmod(opening.cell or 0, shape.cols): opening for opening in findings.openings}
    rest = [[" " if (r, c) in openings else mark for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    worth: Tints = {place: (opening.outcome.colour, style.TINT) for place, opening in openings.items()}
    wanted: list[tuple[str, Tints, Callable[..., None]]] = [("value, plies to end", worth, _value)]
    if findings.openings[0].games is not None:
        wanted.append(("games", {}, _games))
    if findings.openings[0].optimal_paths is not None:
        numbers = {place: opening.optimal_paths or 0 for place, opening in openings.items()}
        greatest = max(1, *numbers.values())
        depths = {place: round(style.MOST_TINT * number / greatest, 3) for place, number in numbers.items()}
        tints: Tints = {place: (style.HEAT, depth) for place, depth in depths.items()}
        wanted.append(("optimal paths", tints, _paths))
    least = _least_cell(findings)
    wide = {n: (WIDTH - 0.1 - _GAP * (n - 1)) / n / shape.width for n in range(len(wanted), 0, -1)}  # cells of n boards
    across = next((n for n, width in wide.items() if width >= least), 1)
    cell = min(wide[across], max(_CELL, least))
    figure, boards = boards_sheet(shape, cell, len(wanted), across, (0.3, _GAP), foot=0.3)
    for axes, (title, tints, write) in zip(boards, wanted, strict=True):
        axes.set_title(fit(title, WIDTH / across), loc="center", pad=5)
        draw_board(axes, cell, shape, rest, tints, largest=_LARGEST_MARK)
        for place, opening in openings.items():
            write(axes, cell, shape.middle(*place), findings, opening)
    outcome_key(figure, _outcomes(findings), "lower center")
    return figure


def _value(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Write the move (muted), who wins or the margin, and the plies to the end; best moves are bold."""
    (x, y), move, plies = middle, opening.move, opening.plies_to_end
    weight, room = ("bold", _ROOM / 1.1) if move.optimal else ("normal", _ROOM)
    lines = [(clean(move.name, 8), 0.31, style.MUTED, "normal")]
    lines.append((fit(briefly(findings, move.value, plies), room * cell), 0.01, style.INK, weight))
    if plies is not None:
        lines.append((f"in {plies}", -0.29, style.INK, "normal"))
    for text, lift, colour, weight in lines:
        shown = fit(text, _ROOM * cell)
        axes.text(x, y - lift, shown, color=colour, fontweight=weight, ha="center", va="center", zorder=5)


def _games(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Write the number of games above a bar of who wins them."""
    (x, y), games = middle, opening.games
    if games is None or not games.total:
        return
    axes.text(x, y - 0.14, compact(games.total), ha="center", va="center", zorder=5)
    left = x - 0.4
    for outcome in PLAYED:
        part = 0.8 * getattr(games, outcome.key) / games.total
        axes.barh(y + 0.22, part, 0.2, left, linewidth=0.4, **outcome.look)
        left += part


def _paths(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    paths = opening.optimal_paths or 0
    axes.text(*middle, compact(paths), color=style.INK if paths else style.MUTED, ha="center", va="center", zorder=5)


# Moves in rows --------------------------------------------------------------------------------------------------------

MOST = 40
"""The most moves drawn."""

_NAME, _VALUE = 0.95, 1.25
"""Inches for the name of a move and for its value, so that bars have room."""


def _rows(findings: Findings) -> Figure:
    """Draw a row for each move: its name, its value, and bars for its games by outcome and its optimal paths, or for
    the plies to the end if those were not counted.
    """
    from matplotlib.figure import Figure

    shown, key, places = findings.openings[:MOST], _outcomes(findings), range(len(findings.openings[:MOST]))
    counted = all(opening.games is not None for opening in findings.openings)
    high = 0.6 + 0.25 * len(shown) + counted * (0.1 + 0.22 * -(-len(key) // key_columns(key)))
    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    names, *bars = figure.subplots(1, 2 + counted, width_ratios=[0.001, 1, 1][: 2 + counted])
    _row_values(findings, shown, names)
    if not counted:
        plies = [opening.plies_to_end or 0 for opening in shown]
        greatest = _panel(bars[0], "plies to the end", plies, [str(number or "no end") for number in plies])
        for row, (opening, number) in enumerate(zip(shown, plies, strict=True)):
            bars[0].barh(row, number / greatest, 0.6, linewidth=0.4, **opening.outcome.look)
        return figure
    games = [opening.games for opening in shown if opening.games is not None]
    greatest, lefts = _panel(bars[0], "games", [each.total for each in games]), [0.0] * len(games)
    for outcome in PLAYED:
        shares = [getattr(each, outcome.key) / greatest for each in games]
        bars[0].barh(places, shares, 0.6, lefts, linewidth=0.4, **outcome.look)
        lefts = [left + share for left, share in zip(lefts, shares, strict=True)]
    paths = [opening.optimal_paths or 0 for opening in shown]
    greatest = _panel(bars[1], "optimal\npaths", paths)
    bars[1].barh(places, [number / greatest for number in paths], 0.6, color=style.HEAT)
    outcome_key(figure, key, "outside lower center")
    return figure


def _row_values(findings: Findings, shown: Sequence[Opening], axes: Axes) -> None:
    """Write names left of a panel without width and values right of it, shortening players' names to fit."""
    _empty(axes)
    names, worths = [fit(clean(opening.move.name, 10), _NAME) for opening in shown], []
    for opening in shown:
        texts = [result(findings, opening.move.value, opening.plies_to_end, most) for most in range(SHORT, 1, -1)]
        worths.append(next((text for text in texts if width_of(text) <= _VALUE), texts[-1]))
    right = rows_axis(axes, names, worths)
    right.tick_params(pad=8)
    axes.tick_params(axis="y", pad=6 + 72 * max(0.0, width_of("move") - max(map(width_of, names))))
    axes.set_title("move  ", loc="right", color=style.MUTED)
    axes.set_title("  value", loc="left", color=style.MUTED)
    for name, worth, opening in zip(axes.get_yticklabels(), right.get_yticklabels(), shown, strict=True):
        worth.set_color(opening.outcome.text)
        for label in (name, worth):
            label.set_fontweight("bold" if opening.move.optimal else "normal")


def _panel(axes: Axes, title: str, numbers: Sequence[int], texts: Sequence[str] = ()) -> int:
    """Prepare a panel for bars, scaled to the greatest of the numbers at their right; return the greatest."""
    _empty(axes)
    rows_axis(axes, [""] * len(numbers), texts or [compact(number) for number in numbers])
    axes.set_title(title, color=style.MUTED)
    axes.set_xlim(0, 1)
    return max(1, *numbers)


def _empty(axes: Axes) -> None:
    """Remove a panel's frame."""
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)


# The principal variation ----------------------------------------------------------------------------------------------

MOST_BOARDS, MOST_LINES = 60, 15
"""The most boards drawn, and lines of them."""

_SMALL_CELL, _BETWEEN = 0.24, 0.22  # inches

Cells = list[tuple[int, int]]


def principal_variation(findings: Findings) -> Picture | None:
    """Draw the line of best play, with each last move tinted, if the game has boards of a suitable size."""
    grids = _grids(findings)
    if len(findings.principal) < 2 or not grids:
        return None
    shape = shape_of(findings.game, grids[0])
    cell = min(max(_SMALL_CELL, least_cell(grids)), (WIDTH - 0.1) / shape.width)
    if cell < least_cell(grids) or shape.rows > 40:
        return None
    steps, words = findings.principal[: len(grids)], []
    for step in steps:
        move = f"{step.ply}. {clean(findings.named(step.mover), SHORT)} " if step.mover else "start"
        move += clean(step.move.name, 10) if step.move else ""
        words.append((move, result(findings, step.value, step.remoteness_plies)))
    slot = min(max(shape.width * cell, *(width_of(said) for pair in words for said in pair)) + _BETWEEN, WIDTH)
    columns = max(1, min(len(steps), int(WIDTH / slot + 1e-9)))
    drawn = min(len(steps), columns * MOST_LINES)
    figure, panels = boards_sheet(shape, cell, drawn, columns, (0.08, 0.56))
    tints = _tints(findings, grids, shape)
    for axes, step, grid, cells, pair in zip(panels, steps, grids, tints, words, strict=False):
        tinted = dict.fromkeys(cells, (style.FIRST if step.mover == "X" else style.SECOND, style.TINT))
        draw_board(axes, cell, shape, grid, tinted)
        outcome = outcome_of(step.value, step.remoteness_plies)
        for lower, said, colour in zip((11, 24), pair, (style.INK, outcome.text), strict=True):
            axes.annotate(
                said, (0.5, 0), xycoords="axes fraction", xytext=(0, -lower), textcoords="offset points", color=colour,
                ha="center", va="center",
            )  # fmt: skip
    caption = "One line of optimal play, from left to right and from top to bottom. Below each board: the move that "
    caption += "led to it, the value of the position, and the plies left to the end."
    if (most := max(map(len, tints[:drawn]))) and shape.dotted:
        caption += " The last line is thicker, in the colour of its player."
    elif most:
        caption += f" The {'cell of the last move is' if most == 1 else 'cells of the last move are'} tinted."
    left, last = len(findings.principal) - drawn, findings.principal[-1]
    caption += f" The line has {some(left, 'more position')}." if left else ""
    made = [(step.mover, step.move.name) for step in findings.principal if step.move and step.mover]
    shown = ", ".join(f"{clean(findings.named(mover))} {clean(name)}" for mover, name in made[:MOST_BOARDS])
    said = f"{some(drawn, 'board')} of a line of {some(len(made), 'ply', 'plies')}: {shown}"
    said += " and so on. " if len(made) > MOST_BOARDS else ". "
    if last.remoteness_plies is None:
        said += "It is a draw, so it has no end."
    else:
        said += "After them" if last.remoteness_plies else "At its end"
        said += f": {result(findings, last.value, last.remoteness_plies, WHOLE)}."
    return Picture("principal", "Principal variation", caption, said, figure)


def _grids(findings: Findings) -> list[Grid]:
    """Return the first boards of the line; empty if a position has no board, or one of another shape."""
    grids: list[Grid] = []
    for step in findings.principal[:MOST_BOARDS]:
        grid = findings.game.grid(step.state)
        if grid is None or not regular(grid) or (grids and [*map(len, grid)] != [*map(len, grids[0])]):
            return []
        grids.append(grid)
    return grids


def _tints(findings: Findings, grids: list[Grid], shape: BoardShape) -> list[Cells]:
    """Return the cells of each board to tint for its move: its own cell or, if there is none, those filled or emptied.

    Where marks move about, as in a row of heaps that closes up, a board does not say what was played, and cells that
    happen to be blank now do not belong to the move.
    """
    pairs = list(itertools.pairwise(grids))
    changes = [changed(before, after) for before, after in pairs]
    if shape.dotted:
        return [[], *([(r, c) for r, c in places if (r + c) % 2] for places in changes)]
    steps = findings.principal[: len(grids)]
    cells = [[] if step.cell is None else [divmod(step.cell, shape.cols)] for step in steps]
    plain = (
        any(not any(grid[r][c].strip() for r, c in places) for grid in pair)
        for pair, places in zip(pairs, changes, strict=True)
    )
    if not all(known or own for known, own in zip(plain, cells[1:], strict=True)):
        return cells
    return [[], *(own or places for own, places in zip(cells[1:], changes, strict=True))]
