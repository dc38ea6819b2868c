"""The tree of one search on a slide: what it visited, what it cut, and the line of best play."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.pictures.boards import regular
from analysis.pictures.layers import MOST_LAYERS, MOST_LEAVES, Link, Node, board_limits, draw_layers, place_tree
from analysis.pictures.style import FIRST, INK, PAPER, SECOND, TIE, styled
from analysis.search.problem import SearchProblem
from analysis.search.visits import Visit
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIMES = "\N{MULTIPLICATION SIGN}"
MOST_NODES = 3000
"""Nodes tried for a part of the tree; a slide holds no more."""


@dataclasses.dataclass
class _Part:
    """The part of a tree to draw, its root first."""

    nodes: list[Node]
    links: list[Link]
    visits: int
    """The number of visits drawn."""
    depth: int | None
    """Plies drawn; None for all."""
    whole: bool
    """Whether all visited children are drawn, to that depth."""


@styled
def draw_tree(problem: SearchProblem, visits: Sequence[Visit], title: str) -> Figure:
    """Draw the tree below the root: visited nodes, cut ones (dashed, pale) and the principal variation (thick), with
    values, moves on the edges, and boards if they fit.

    Triangles point the way of the side to move; leaves are squares. If the tree is larger than a slide, unvisited
    children are merged, and then only the plies that fit are drawn; the title says so.
    """
    part, game, said = _fitting(problem, visits), problem.game, []
    if any(node.value.startswith(TIMES) for node in part.nodes):
        said.append(f"{TIMES}N: N children {'not visited' if part.whole else 'not drawn'}")
    if part.visits < len(visits):
        deep = "" if part.depth is None else f"{some(part.depth, 'ply', 'plies')} deep, "
        said.insert(0, f"drawn {deep}{part.visits:,} of {len(visits):,} visits")
    if problem.depth is not None:
        worth = "0" if problem.evaluation is None else f"what {problem.evaluation} says"
        said.insert(0, f"searched {some(problem.depth, 'ply', 'plies')} deep, where a position counts {worth}")
    if game is not None and problem.root != game.rules().start:
        said.insert(0, f"from {problem.describe(problem.root)}")
    title = f"{title}\n{'; '.join(said)}".strip()
    return draw_layers(game, part.nodes, part.links, title, _key(part), slide=True)


def _fitting(problem: SearchProblem, visits: Sequence[Visit]) -> _Part:
    """Return the whole tree or as much of it as fits a slide: with boards if that is more than a ply, or without."""
    plain = MOST_LEAVES, MOST_LAYERS
    grid = None if problem.game is None else problem.game.grid(problem.root)
    boards = [] if problem.game is None or not regular(grid) else [board_limits(problem.game, grid or [])]
    tries = [(plain, None, False)]  # limits, depth, and whether unvisited children are merged
    for limits, least in (*((each, 2) for each in boards), (plain, 1)):
        tries += [(limits, depth, True) for depth in (None, *range(MOST_LAYERS - 1, least - 1, -1))]
    for (leaves, layers), depth, merged in tries:
        part = _tree(problem, visits, depth, merged=merged)
        if part is None or max(node.layer for node in part.nodes) >= layers:
            continue
        if place_tree(part.nodes, part.links) <= leaves:
            return part
    part = _tree(problem, visits, 1, merged=True, most=MOST_LEAVES - 1)
    assert part is not None
    place_tree(part.nodes, part.links)
    return part


def _tree(
    problem: SearchProblem, visits: Sequence[Visit], depth: int | None, *, merged: bool, most: int | None = None
) -> _Part | None:
    """Return the nodes to a depth, with at most ``most`` children each and their last values; None if too many."""
    game, below = problem.game, dict[tuple[int | None, int | None], list[int]]()
    for number, visit in enumerate(visits):
        below.setdefault((visit.parent, visit.move), []).append(number)
    part = _Part([Node(0)], [], 0, depth, most is None)
    waiting = [(0, problem.root, [number for number, visit in enumerate(visits) if visit.parent is None], True)]
    for number, state, own, principal in waiting:  # grows as it goes
        node, last, moves = part.nodes[number], visits[own[-1]] if own else None, problem.moves(state)
        spent = bool(moves) and problem.depth is not None and node.layer >= problem.depth
        node.marker = "D" if spent else "s" if not moves else "^" if problem.side(state) > 0 else "v"
        node.value = "" if last is None else _bound(last)
        node.name, node.grid = problem.describe(state), None if game is None else game.grid(state)
        node.colour, node.width = (FIRST, 2.6) if principal else (INK if own else TIE, 1.2)
        node.dashed, moves = not own, [] if spent else moves
        part.visits += len(own)
        if moves and node.layer == depth:
            node.lines = ("…",)
            continue
        seen = {code: [n for parent in own for n in below.get((parent, code), [])] for code, _ in moves}
        equal = [found[-1] for found in seen.values() if found and last and visits[found[-1]].value == last.value]
        hidden = 0
        for place, (code, child) in enumerate(moves):
            if (merged and not seen[code] and len(moves) > 1) or (most is not None and place >= most):
                hidden += 1
                continue
            best = principal and bool(seen[code]) and seen[code][-1] == min(equal, default=None)  # the first of equals
            look: dict[str, Any] = {"colour": FIRST, "width": 3.2} if best else {"colour": INK}
            if not seen[code]:
                look = {"colour": TIE, "width": 0.9, "dashed": True, "cut": not node.dashed}
            part.nodes.append(Node(node.layer + 1))
            label = "" if game is None else game.format_move(code)
            part.links.append(Link(number, len(part.nodes) - 1, label, **look))
            waiting.append((len(part.nodes) - 1, child, seen[code], best))
        if hidden:
            part.nodes.append(Node(node.layer + 1, "", None, "s", f"{TIMES}{hidden}", colour=TIE, dashed=True))
            part.links.append(Link(number, len(part.nodes) - 1, "", TIE, 0.9, dashed=True, cut=bool(own)))
        if len(part.nodes) > MOST_NODES:
            return None
    return part


def _bound(visit: Visit) -> str:
    """Return what a visit returned: a value, or a bound if it lies outside the window."""
    if visit.value is None:
        return ""
    sign = "\N{LESS-THAN OR EQUAL TO}" if visit.value <= visit.alpha else ""
    sign = "\N{GREATER-THAN OR EQUAL TO}" if visit.value >= visit.beta else sign
    return f"{'' if visit.maximizing is None else sign}{visit.value}"


def _key(part: _Part) -> list[Any]:
    """Explain the signs drawn."""
    from matplotlib.lines import Line2D

    drawn = {node.marker for node in part.nodes if not node.value.startswith(TIMES)}
    look: dict[str, Any] = {"linestyle": "", "markerfacecolor": PAPER, "markeredgecolor": INK}
    signs = {"^": "maximizing", "v": "minimizing", "s": "leaf", "D": "end of the search"}
    lines = [Line2D([], [], marker=sign, label=label, **look) for sign, label in signs.items() if sign in drawn]
    lines.append(Line2D([], [], color=FIRST, linewidth=3.2, label="principal variation"))
    if any(link.dashed for link in part.links):
        lines.append(Line2D([], [], color=TIE, linestyle=(0, (3, 3)), label="not visited"))
    if any(link.cut for link in part.links):
        lines.append(Line2D([], [], color=SECOND, linewidth=2.2, label="cut"))
    return lines
