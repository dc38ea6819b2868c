"""First moves: on the board where each is a cell of its own, else a row for each, best first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from analysis.pictures.boards import DrawnBoard, Grid, draw_board, regular, shape_of
from analysis.pictures.style import (
    HEAT,
    INK,
    MOST_TINT,
    MUTED,
    OUTCOMES,
    TINT,
    Outcome,
    Picture,
    clean,
    fit,
    outcome_of,
    width_of,
)
from analysis.reports.figures.panels import WIDTH, boards_sheet, key_columns, outcome_key, rows_axis
from analysis.reports.findings import Findings, Opening
from analysis.reports.report_words import SHORT, WHOLE, briefly, called, compact, result
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from analysis.solution.position import Games


_LEAST_CELL, _CELL = 0.52, 0.66  # inches: three numbers in a cell, and no more than looks good
_GAP = 0.16
_LARGEST_MARK = 15.0  # points
_ROOM = 0.94
"""The width of text in a cell, in cells."""

Tints = dict[tuple[int, int], tuple[str, float]]


def draw(findings: Findings) -> Picture | None:
    """None where the game is over at its start. Moves that are no single cells of their own are rows."""
    if not findings.openings:
        return None
    grid = findings.game.grid(findings.solution.engine.start)
    if grid is None or not on_board(findings, grid):
        figure, caption = _rows(findings), _rows_caption(findings)
    else:
        figure, caption = _boards(findings, grid), _caption(findings)
    return Picture("openings", "First moves", caption, _alternative(findings), figure)


def draw_position(findings: Findings) -> Figure | None:
    """The position that findings are of, with what each of its moves is worth; of a finished game the board alone, and
    None where there is none.
    """
    state = findings.solution.engine.start if findings.state is None else findings.state
    grid = findings.game.grid(state)
    if findings.openings:
        return _rows(findings) if grid is None or not on_board(findings, grid) else _boards(findings, grid)
    if grid is None or not regular(grid):
        return None
    shape = shape_of(findings.game, grid)
    cell = min(_CELL, (WIDTH - 0.1) / shape.width)
    figure, (axes,) = boards_sheet(shape, cell, 1, 1, (_GAP, _GAP))
    draw_board(axes, cell, shape, grid, findings.game.players, {})
    return figure


def on_board(findings: Findings, grid: Grid) -> bool:
    """Whether every first move has a cell of its own on a board that is large enough when it is drawn."""
    cells = [opening.cell for opening in findings.openings]
    if not regular(grid) or None in cells or len(set(cells)) < len(cells):
        return False
    shape = shape_of(findings.game, grid)
    return not shape.dotted and shape.width * _least_cell(findings) <= WIDTH - 0.1 and shape.rows <= 12


def _least_cell(findings: Findings) -> float:
    """Inches that a cell needs for its numbers and its words for a draw or a tie; names are cut off."""
    openings = findings.openings
    texts = [compact(opening.games.total) for opening in openings if opening.games is not None]
    texts += [compact(opening.optimal_paths or 0) for opening in openings]
    texts += [f"in {opening.plies_to_end}" for opening in openings if opening.plies_to_end is not None]
    return max(_LEAST_CELL, max(map(width_of, texts)) / _ROOM)


def _layout(shape: DrawnBoard, boards: int, least: float) -> tuple[int, float]:
    """How many boards go side by side, and how wide a cell is: as many as leave cells wide enough for their numbers."""
    for across in range(boards, 0, -1):
        cell = ((WIDTH - 0.1) - _GAP * (across - 1)) / across / shape.width
        if cell >= least or across == 1:
            return across, min(cell, max(_CELL, least))
    raise AssertionError("one board always fits")


def _boards(findings: Findings, grid: Grid) -> Figure:
    """A board for each thing there is to say of the moves, and a key."""
    shape = shape_of(findings.game, grid)
    openings = {divmod(opening.cell or 0, shape.cols): opening for opening in findings.openings}
    rest = [[" " if (r, c) in openings else mark for c, mark in enumerate(row)] for r, row in enumerate(grid)]
    moves = {place: opening.move for place, opening in openings.items()}
    worth = {place: (outcome_of(move.value, move.remoteness_plies).colour, TINT) for place, move in moves.items()}
    wanted: list[tuple[str, Tints, Callable[..., None]]] = [("value, plies to end", worth, _value)]
    if findings.openings[0].games is not None:
        wanted.append(("games", {}, _games))
    if findings.openings[0].optimal_paths is not None:
        wanted.append(("optimal paths", _path_tints(openings), _paths))
    across, cell = _layout(shape, len(wanted), _least_cell(findings))
    figure, boards = boards_sheet(shape, cell, len(wanted), across, (0.3, _GAP), foot=0.3)
    for axes, (title, tints, write) in zip(boards, wanted, strict=True):
        axes.set_title(fit(title, WIDTH / across), loc="center", pad=5)
        draw_board(axes, cell, shape, rest, findings.game.players, tints, largest=_LARGEST_MARK)
        for place, opening in openings.items():
            write(axes, cell, shape.middle(*place), findings, opening)
    outcome_key(figure, _outcomes(findings), "lower center")
    return figure


def _path_tints(openings: dict[tuple[int, int], Opening]) -> Tints:
    numbers = {place: opening.optimal_paths or 0 for place, opening in openings.items()}
    greatest = max(1, *numbers.values())
    return {place: (HEAT, round(MOST_TINT * number / greatest, 3)) for place, number in numbers.items()}


def _value(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Who wins, or by how much, and the plies to the end; above it, muted, the move. The best are bold."""
    (x, y), move, plies = middle, opening.move, opening.plies_to_end
    lines = [(clean(move.name, 8), 0.31, MUTED, "normal")]
    weight, room = ("bold", _ROOM / 1.1) if move.optimal else ("normal", _ROOM)
    lines.append((fit(briefly(findings, move.value, plies), room * cell), 0.01, INK, weight))
    if plies is not None:
        lines.append((f"in {plies}", -0.29, INK, "normal"))
    for text, lift, colour, weight in lines:
        shown = fit(text, _ROOM * cell)
        axes.text(x, y - lift, shown, color=colour, fontweight=weight, ha="center", va="center", zorder=5)


def _games(axes: Axes, cell: float, middle: tuple[float, float], findings: Findings, opening: Opening) -> None:
    """Their number above a bar of who wins them."""
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
    axes.text(*middle, compact(paths), color=INK if paths else MUTED, ha="center", va="center", zorder=5)


# Words ----------------------------------------------------------------------------------------------------------------


def _caption(findings: Findings) -> str:
    """How to read the boards."""
    said = (
        "Each first move on the cell that stands for it. Its value, bold where the move is optimal, and the plies to "
        "the end, this move included"
    )
    if findings.openings[0].games is not None:
        said += "; the games that begin with it and, as a bar, who wins them"
    if findings.openings[0].optimal_paths is not None:
        said += "; and the optimal paths that begin with it, the deeper the green the more"
    return said + ". Numbers are rounded where they would not fit; the table has them in full."


def _alternative(findings: Findings) -> str:
    """The best moves, and what they and all first moves lead to."""
    openings = findings.openings
    kept = [opening for opening in openings if opening.move.optimal]
    names = [clean(opening.move.name) for opening in kept[:12]] + (["and so on"] if len(kept) > 12 else [])
    if len(openings) == 1:
        return f"The only first move, {_described(findings, kept[0])}."
    said = f"{some(len(openings), 'first move')}, {len(kept)} of them optimal ({', '.join(names)}). "
    said += f"The best, {_described(findings, kept[0])}."
    if len(kept) < len(openings):
        said += f" The worst, {_described(findings, openings[-1])}."
    return said


def _described(findings: Findings, opening: Opening) -> str:
    """A move with its value and counts."""
    move = opening.move
    said = f"{clean(move.name)}, {result(findings, move.value, opening.plies_to_end, WHOLE)}"
    if opening.games is not None:
        said += f", begins {some(opening.games.total, 'game')}"
    if opening.optimal_paths is not None:
        said += f" and {some(opening.optimal_paths, 'optimal path')}"
    return said


MOST = 40
"""Moves that are drawn."""

PLAYED = tuple(outcome for outcome in OUTCOMES if outcome.key != "draw")
"""Outcomes that complete games have."""

_NAME, _VALUE = 0.95, 1.25
"""Inches for the name of a move and for its value, so that bars have room."""


def _rows(findings: Findings) -> Figure:
    """A figure with the name of each move, its value, and bars of its games by outcome and of its optimal paths; of the
    plies to the end where those were not counted.
    """
    from matplotlib.figure import Figure

    shown = findings.openings[:MOST]
    counted = all(opening.games is not None for opening in findings.openings)
    key = _outcomes(findings)
    high = 0.6 + 0.25 * len(shown) + counted * (0.1 + 0.22 * -(-len(key) // key_columns(key)))
    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    names, *bars = figure.subplots(1, 2 + counted, width_ratios=[0.001, 1, 1][: 2 + counted])
    _row_values(findings, shown, names)
    if counted:
        _row_games(bars[0], [opening.games for opening in shown if opening.games is not None])
        _row_paths(bars[1], shown)
        outcome_key(figure, key, "outside lower center")
    else:
        _row_plies(bars[0], shown)
    return figure


def _rows_caption(findings: Findings) -> str:
    """How to read the rows."""
    said = "One row for each first move, best first; its value, bold where the move is optimal, and the plies to the "
    said += "end, this move included"
    if findings.openings[0].games is None:
        said += ", also as bars."
    else:
        said += "; the games that begin with it, by who wins them; and the optimal paths among them."
    left = len(findings.openings) - MOST
    return said + (f" The table has {some(left, 'more move')}." if left > 0 else "")


def _outcomes(findings: Findings) -> list[tuple[Outcome, str]]:
    """The outcomes that first moves have, or games that begin with them, with their names."""
    keys = {outcome_of(o.move.value, o.move.remoteness_plies).key for o in findings.openings}
    for opening in findings.openings:
        if opening.games is not None:
            keys |= {key for key, number in vars(opening.games).items() if number}
    return [(outcome, called(findings, outcome.key)) for outcome in OUTCOMES if outcome.key in keys]


def _row_values(findings: Findings, shown: Sequence[Opening], axes: Axes) -> None:
    """Names to the left of a panel without width, values to its right, in the colour of the outcome."""
    _empty(axes)
    names = [fit(clean(opening.move.name, 10), _NAME) for opening in shown]
    right = rows_axis(axes, names, [_worth(findings, opening) for opening in shown])
    right.tick_params(pad=8)
    axes.tick_params(axis="y", pad=6 + 72 * max(0.0, width_of("move") - max(map(width_of, names))))
    axes.set_title("move  ", loc="right", color=MUTED)
    axes.set_title("  value", loc="left", color=MUTED)
    for name, worth, opening in zip(axes.get_yticklabels(), right.get_yticklabels(), shown, strict=True):
        worth.set_color(outcome_of(opening.move.value, opening.move.remoteness_plies).text)
        for label in (name, worth):
            label.set_fontweight("bold" if opening.move.optimal else "normal")


def _worth(findings: Findings, opening: Opening) -> str:
    """The value, with as much of a player's name as there is room for."""
    texts = [result(findings, opening.move.value, opening.plies_to_end, most) for most in range(SHORT, 1, -1)]
    return next((text for text in texts if width_of(text) <= _VALUE), texts[-1])


def _row_games(axes: Axes, games: Sequence[Games]) -> None:
    """How many games begin with each move, in parts by outcome."""
    greatest = _panel(axes, "games", [each.total for each in games])
    lefts = [0.0] * len(games)
    for outcome in PLAYED:
        shares = [getattr(each, outcome.key) / greatest for each in games]
        axes.barh(range(len(games)), shares, 0.6, lefts, linewidth=0.4, **outcome.look)
        lefts = [left + share for left, share in zip(lefts, shares, strict=True)]


def _row_paths(axes: Axes, shown: Sequence[Opening]) -> None:
    numbers = [opening.optimal_paths or 0 for opening in shown]
    greatest = _panel(axes, "optimal\npaths", numbers)
    axes.barh(range(len(shown)), [number / greatest for number in numbers], 0.6, color=HEAT)


def _row_plies(axes: Axes, shown: Sequence[Opening]) -> None:
    """Where nothing was counted: how long the game takes with each move."""
    numbers = [opening.plies_to_end or 0 for opening in shown]
    greatest = _panel(axes, "plies to the end", numbers, [str(number) if number else "no end" for number in numbers])
    for row, (opening, number) in enumerate(zip(shown, numbers, strict=True)):
        outcome = outcome_of(opening.move.value, opening.move.remoteness_plies)
        axes.barh(row, number / greatest, 0.6, linewidth=0.4, **outcome.look)


def _panel(axes: Axes, title: str, numbers: Sequence[int], texts: Sequence[str] = ()) -> int:
    """Prepare a panel for bars of these numbers, which stand to its right, as parts of the greatest; returns that."""
    _empty(axes)
    rows_axis(axes, [""] * len(numbers), texts or [compact(number) for number in numbers])
    axes.set_title(title, color=MUTED)
    axes.set_xlim(0, 1)
    return max(1, *numbers)


def _empty(axes: Axes) -> None:
    """A panel without a frame."""
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    axes.patch.set_visible(False)
