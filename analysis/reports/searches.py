"""Draw searches: the nodes that each visited and the least without a table, the tree of one, or their growth."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.files import check_target, write_bytes
from ..common.wording import with_count
from ..errors import OptionError, StoreError
from . import charts, style
from .facts import Facts, was_run
from .layers import Link, Node, draw_layers, place_tree
from .style import Picture, picture_bytes, styled
from .words import WINDOW, compact

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..search.comparison import Comparison
    from ..search.laboratory import Row
    from ..search.problem import SearchProblem
    from ..search.visits import Visit

COLOURS = (style.FIRST, style.SECOND, style.HEAT, style.PURPLE, style.MUTED, style.AMBER, style.INK)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")
TIMES = "\N{MULTIPLICATION SIGN}"
LESS_EQUAL, GREATER_EQUAL = "\N{LESS-THAN OR EQUAL TO}", "\N{GREATER-THAN OR EQUAL TO}"
MOST_LEAVES, MOST_PLIES, MOST_NODES = 32, 12, 1000
"""The most leaves drawn, the depths tried if the tree has more, and the most nodes tried."""

# Files ----------------------------------------------------------------------------------------------------------------


def check_picture(path: Path | None) -> None:
    """Raise `OptionError` for a file with an unknown suffix, `StoreError` for one that cannot be written."""
    if path is None:
        return
    check_target(path, [f".{form}" for form in style.FORMATS], "a picture")
    if not os.access(path.parent, os.W_OK):
        raise StoreError(f"cannot write {path}: no permission to write to {path.parent}")


def draw_searches(results: Comparison | list[dict[str, Any]], path: Path) -> None:
    """Draw the results of ``gametree prune``: the growth, the tree of a search if requested, or the counts, in the
    format of the file's suffix.
    """
    if isinstance(results, list):
        figure = draw_growth(results)
    elif results.drawn is not None:
        title, visits = results.drawn
        figure = draw_tree(results.problem, visits, f"{results.problem.name}: {title}")
    elif not visited(results):
        raise OptionError("nothing to draw: no search visited a node")
    else:
        figure = bars(results, f"{results.problem.name}: nodes that each search visits", 8.0)
    write_bytes(path, picture_bytes(figure, path.suffix.lower().removeprefix(".")))


@styled
def draw_growth(rows: Sequence[dict[str, Any]]) -> Figure:
    """Draw nodes against depth, or against games if there is one depth, a line for each algorithm."""
    depths, games = (list(dict.fromkeys(row[key] for row in rows)) for key in ("depth", "game"))
    by_depth = len(depths) > 1
    steps = depths if by_depth else list(range(len(games)))
    lines = defaultdict[str, dict[int, dict[str, Any]]](dict)
    for row in rows:
        name = f"{row['algorithm']} {row['game']}" if by_depth and len(games) > 1 else row["algorithm"]
        lines[name][row["depth"] if by_depth else games.index(row["game"])] = row
    series = [
        charts.Series(
            name,
            [by_step[step]["nodes"] if step in by_step else None for step in steps],
            COLOURS[number % len(COLOURS)],
            MARKERS[number % len(MARKERS)],
            ("-", "--", ":")[number // len(COLOURS) % 3],
        )
        for number, (name, by_step) in enumerate(lines.items())
    ]
    figure, (axes,) = charts.stack(5.0, width=8.0)
    charts.draw_lines(axes, steps, series, "nodes visited", beside=True)
    for step, row in (pair for by_step in lines.values() for pair in by_step.items() if pair[1]["stopped"]):
        axes.annotate("stopped", (step, row["nodes"]), xytext=(4, 4), textcoords="offset points")
    axes.set_xlabel("depth in plies" if by_depth else "game")
    axes.set_xticks(steps, None if by_depth else games)
    return figure


# Nodes of each search -------------------------------------------------------------------------------------------------


def pruning(facts: Facts) -> Picture | None:
    """Draw the nodes that searches visited, if they were compared."""
    comparison = facts.comparison
    if comparison is None or not (rows := visited(comparison)):
        return None
    least = _least(comparison)
    caption = "Nodes that each search visits to find the value of the start, on a log scale, with exact numbers."
    if least is not None:
        caption += f" The dashed line is the least that a search without a table can visit on this tree {WINDOW}."
    if any(row.stopped for row in rows):
        caption += " A hollow point is a search that was stopped after so many nodes (>) or would visit them (not run)."
    return Picture("pruning", "What pruning saves", caption, bars(comparison))


def visited(comparison: Comparison) -> list[Row]:
    """Return the searches that visited a node, those with the most nodes first."""
    return sorted((row for row in comparison.rows if row.nodes > 0), key=lambda row: -row.nodes)


@styled
def bars(comparison: Comparison, title: str = "", width: float = charts.WIDTH) -> Figure:
    """Draw the nodes of each search that visited any, and the least without a table as a line, on a log scale."""
    rows, least = visited(comparison), _least(comparison)
    figure, (axes,) = charts.stack(0.8 + 0.27 * len(rows) + 0.25 * bool(title), width=width)
    charts.rows_axis(axes, row_names(rows), [_count(comparison, row) for row in rows])
    axes.set(xscale="log", xlim=(1, 1.3 * max(10, rows[0].nodes)), xlabel="nodes visited (log scale)")
    charts.powers_of_ten(axes.xaxis, 5)
    for place, row in enumerate(rows):
        colour, face, line = (style.MUTED, style.PAPER, ":") if row.stopped else (style.AMBER, style.AMBER, "-")
        axes.plot([1, row.nodes], [place, place], color=colour, linewidth=1.6, linestyle=line)
        axes.plot(row.nodes, place, "o", markersize=6.5, color=colour, markerfacecolor=face, clip_on=False, zorder=4)
    if least is not None:
        mark = axes.axvline(least, color=style.HEAT, linestyle=(0, (5, 2)), linewidth=1.6, zorder=1)
        figure.legend([mark], [f"least, no table, full window: {least:,}"], loc="outside upper center")
    axes.set_title(title)
    return figure


def _least(comparison: Comparison) -> int | None:
    """Return the fewest nodes that prove the value with the full window; None if the tree is too large to know."""
    size = comparison.least.get("full")
    return None if size is None else size.nodes


def _count(comparison: Comparison, row: Row) -> str:
    """Format a search's nodes, as a lower bound if it was stopped."""
    number = f"{row.nodes:,}" if row.nodes < 10**10 else compact(row.nodes)
    return f"> {number}" if row.stopped and was_run(comparison, row) else number


def row_names(rows: Sequence[Row]) -> list[str]:
    """Name each row by its algorithm and the settings that differ between rows of one algorithm."""
    differing = [
        key
        for key in ("order", "window", "table", "symmetry")
        if len({(row.algorithm, getattr(row, key)) for row in rows}) > len({row.algorithm for row in rows})
    ]
    return [", ".join([row.algorithm, *(str(getattr(row, key)) for key in differing)]) for row in rows]


# The tree of one search -----------------------------------------------------------------------------------------------


@styled
def draw_tree(problem: SearchProblem, visits: Sequence[Visit], title: str) -> Figure:
    """Draw the tree below the root: visited nodes, cut ones (dashed, pale) and the principal variation (thick), with
    values, and moves on the edges.

    Triangles point the way of the side to move; leaves are squares. If the tree has too many leaves, unvisited children
    are merged, and then only some plies are drawn; the title says so.
    """
    below: dict[tuple[int | None, int | None], list[int]] = {}
    for number, visit in enumerate(visits):
        below.setdefault((visit.parent, visit.move), []).append(number)
    nodes, links, depth, drawn, notes = list[Node](), list[Link](), None, 0, list[str]()
    for depth, merged in ((None, False), *((depth, True) for depth in (None, *range(MOST_PLIES, -1, -1)))):
        nodes, links, drawn = _tree(problem, visits, below, depth, merged)
        if len(nodes) <= MOST_NODES and place_tree(nodes, links) <= MOST_LEAVES:
            break
    if problem.game is not None and problem.root != problem.game.rules().start:
        notes.append(f"from {problem.describe(problem.root)}")
    if drawn < len(visits):
        deep = "" if depth is None else f"{with_count(depth, 'ply', 'plies')} deep, "
        notes.append(f"drawn {deep}{drawn:,} of {len(visits):,} visits")
    if any(node.value.startswith(TIMES) for node in nodes):
        notes.append(f"{TIMES}N: N children not visited")
    return draw_layers(problem.game, nodes, links, f"{title}\n{'; '.join(notes)}".strip(), _key(nodes, links))


def _tree(
    problem: SearchProblem,
    visits: Sequence[Visit],
    below: dict[tuple[int | None, int | None], list[int]],
    depth: int | None,
    merged: bool,
) -> tuple[list[Node], list[Link], int]:
    """Return the nodes to a depth, the root first and with their last values, the links, and how many visits they show;
    only a part of a tree that is too large.
    """
    game, nodes, links, drawn = problem.game, [Node(0)], list[Link](), 0
    waiting = [(0, problem.root, [number for number, visit in enumerate(visits) if visit.parent is None], True)]
    for number, state, calls, principal in waiting:  # grows as it goes
        node, last, moves = nodes[number], visits[calls[-1]] if calls else None, problem.moves(state)
        at_limit = bool(moves) and problem.depth is not None and node.layer >= problem.depth
        node.marker = "D" if at_limit else "s" if not moves else "^" if problem.side(state) > 0 else "v"
        node.value = "" if last is None else _bound(last)
        node.name, node.grid = problem.describe(state), None if game is None else game.grid(state)
        node.colour, node.width = (style.FIRST, 2.6) if principal else (style.INK if calls else style.TIE, 1.2)
        node.dashed, moves = not calls, [] if at_limit else moves
        drawn += len(calls)
        if moves and node.layer == depth:
            node.lines = ("…",)
            continue
        later = {code: [n for parent in calls for n in below.get((parent, code), [])] for code, _ in moves}
        equal = [places[-1] for places in later.values() if places and last and visits[places[-1]].value == last.value]
        hidden = [code for code, places in later.items() if merged and not places] if len(moves) > 1 else []
        for code, child in moves:
            if code in hidden:
                continue
            best = principal and bool(later[code]) and later[code][-1] == min(equal, default=None)  # first of equals
            look: dict[str, Any] = {"colour": style.FIRST, "width": 3.2} if best else {}
            if not later[code]:
                look = {"colour": style.TIE, "width": 0.9, "dashed": True, "cut": not node.dashed}
            waiting.append((len(nodes), child, later[code], best))
            links.append(Link(number, len(nodes), "" if game is None else game.format_move(code), **look))
            nodes.append(Node(node.layer + 1))
        if hidden:
            links.append(Link(number, len(nodes), "", style.TIE, 0.9, dashed=True, cut=bool(calls)))
            value = f"{TIMES}{len(hidden)}"
            nodes.append(Node(node.layer + 1, marker="s", value=value, colour=style.TIE, dashed=True))
        if len(nodes) > MOST_NODES:
            break
    return nodes, links, drawn


def _bound(visit: Visit) -> str:
    """Return the text of what a visit returned: a value, or a bound if it lies outside the window."""
    if visit.value is None or visit.maximizing is None:
        return "" if visit.value is None else str(visit.value)
    sign = LESS_EQUAL if visit.value <= visit.alpha else GREATER_EQUAL if visit.value >= visit.beta else ""
    return f"{sign}{visit.value}"


def _key(nodes: Sequence[Node], links: Sequence[Link]) -> list[Any]:
    """Explain the signs drawn."""
    from matplotlib.lines import Line2D

    drawn = {node.marker for node in nodes if not node.value.startswith(TIMES)}
    look: dict[str, Any] = {"linestyle": "", "markerfacecolor": style.PAPER, "markeredgecolor": style.INK}
    signs = {"^": "maximizing", "v": "minimizing", "s": "leaf", "D": "end of the search"}
    lines = [Line2D([], [], marker=sign, label=label, **look) for sign, label in signs.items() if sign in drawn]
    lines.append(Line2D([], [], color=style.FIRST, linewidth=3.2, label="principal variation"))
    if any(link.dashed for link in links):
        lines.append(Line2D([], [], color=style.TIE, linestyle=(0, (3, 3)), label="not visited"))
        lines.append(Line2D([], [], color=style.SECOND, linewidth=2.2, label="cut"))
    return lines
