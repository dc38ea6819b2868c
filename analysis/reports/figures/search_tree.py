"""The tree of one search on a slide: what it visited, what it cut, and the line of best play."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from analysis.pictures.layers import MOST_LAYERS, MOST_LEAVES, Link, Node, draw_layers, place_tree
from analysis.pictures.style import FIRST, INK, PAPER, SECOND, TIE, styled
from analysis.search.problem import SearchProblem
from analysis.search.visits import Visit
from analysis.wording import some

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIMES = "\N{MULTIPLICATION SIGN}"
MOST_NODES = 3000
"""Nodes of a part of the tree that is tried; no more fit a slide."""


@dataclasses.dataclass
class _Part:
    """As much of a tree as is drawn, its root first."""

    nodes: list[Node]
    links: list[Link]
    visits: int
    """How many of the search's visits are drawn."""
    depth: int | None
    """Plies that are drawn; None: all."""
    whole: bool
    """Whether all children that were visited are drawn, as deep as that."""


@styled
def draw_tree(problem: SearchProblem, visits: Sequence[Visit], title: str) -> Figure:
    """The tree below the root: nodes that were visited, those that were cut (dashed, pale) and the principal variation
    (thick), with values, moves on the edges, and boards where they fit. Triangles point the way of the side to move,
    leaves are squares. Of a tree that is larger than a slide, children that were not visited are drawn together, and
    then only the plies that fit; the title says so.
    """
    part = _fitting(problem, visits)
    return draw_layers(problem.game, part.nodes, part.links, title + _said(part, visits), _key(), slide=True)


def _fitting(problem: SearchProblem, visits: Sequence[Visit]) -> _Part:
    """The whole tree or else as much of it as a slide holds."""
    whole = _tree(problem, visits, None, merged=False)
    if whole is not None and _fits(whole):
        return whole
    for depth in (None, *range(MOST_LAYERS - 1, 0, -1)):
        part = _tree(problem, visits, depth, merged=True)
        if part is not None and _fits(part):
            return part
    part = _tree(problem, visits, 1, merged=True, most=MOST_LEAVES - 1)
    assert part is not None
    place_tree(part.nodes, part.links)
    return part


def _fits(part: _Part) -> bool:
    layers = max(node.layer for node in part.nodes) + 1
    return layers <= MOST_LAYERS and place_tree(part.nodes, part.links) <= MOST_LEAVES


def _tree(
    problem: SearchProblem, visits: Sequence[Visit], depth: int | None, *, merged: bool, most: int | None = None
) -> _Part | None:
    """The nodes below the root, so many plies deep and ``most`` children of each; one that was visited more than once
    has the value of its last visit. None where they are too many.
    """
    below: dict[tuple[int | None, int | None], list[int]] = {}
    for number, visit in enumerate(visits):
        below.setdefault((visit.parent, visit.move), []).append(number)
    part = _Part([Node(0)], [], 0, depth, most is None)
    waiting = [(0, problem.root, [number for number, visit in enumerate(visits) if visit.parent is None], True)]
    for number, state, own, principal in waiting:  # grows as it goes
        node = part.nodes[number]
        over = problem.depth is not None and node.layer >= problem.depth
        moves = [] if over else problem.moves(state)
        value = visits[own[-1]].value if own else None
        _look(
            problem, node, state, side=problem.side(state) if moves else 0, value=value, seen=bool(own), best=principal
        )
        part.visits += len(own)
        if moves and node.layer == depth:
            node.lines = ("…",)
            continue
        seen = {code: [n for parent in own for n in below.get((parent, code), [])] for code, _ in moves}
        equal = [numbers[-1] for numbers in seen.values() if numbers and visits[numbers[-1]].value == value]
        hidden = 0
        for place, (code, child) in enumerate(moves):
            numbers = seen[code]
            if (merged and not numbers and len(moves) > 1) or (most is not None and place >= most):
                hidden += 1
                continue
            best = principal and bool(numbers) and numbers[-1] == min(equal, default=None)  # the first of equals
            waiting.append((_child(problem, part, number, code, seen=bool(numbers), best=best), child, numbers, best))
        if hidden:
            part.nodes.append(Node(node.layer + 1, "", None, "s", f"{TIMES}{hidden}", colour=TIE, dashed=True))
            part.links.append(Link(number, len(part.nodes) - 1, "", TIE, 0.9, dashed=True, cut=bool(own)))
        if len(part.nodes) > MOST_NODES:
            return None
    return part


def _look(
    problem: SearchProblem, node: Node, state: int, *, side: int, value: int | None, seen: bool, best: bool
) -> None:
    """What a node shows."""
    node.name, node.grid = problem.describe(state), None if problem.game is None else problem.game.grid(state)
    node.marker, node.value = {1: "^", -1: "v", 0: "s"}[side], "" if value is None else str(value)
    node.colour, node.dashed, node.fill = FIRST if best else INK if seen else TIE, not seen, PAPER
    node.width = 2.6 if best else 1.2


def _child(problem: SearchProblem, part: _Part, parent: int, code: int, *, seen: bool, best: bool) -> int:
    """A new node below another, with the edge to it; returns its number."""
    label = "" if problem.game is None else problem.game.format_move(code)
    look: dict[str, Any] = {"colour": INK}
    if best:
        look = {"colour": FIRST, "width": 3.2}
    elif not seen:
        look = {"colour": TIE, "width": 0.9, "dashed": True, "cut": not part.nodes[parent].dashed}
    part.nodes.append(Node(part.nodes[parent].layer + 1))
    part.links.append(Link(parent, len(part.nodes) - 1, label, **look))
    return len(part.nodes) - 1


def _said(part: _Part, visits: Sequence[Visit]) -> str:
    """What of the tree is not drawn, below the title."""
    hidden = "were not visited" if part.whole else "are not drawn"
    stubs = any(node.value.startswith(TIMES) for node in part.nodes)
    said = [f"{TIMES}N: so many children {hidden}"] if stubs else []
    if part.visits < len(visits):
        deep = "" if part.depth is None else f"{some(part.depth, 'ply', 'plies')} deep, "
        said.insert(0, f"drawn {deep}{part.visits:,} of {len(visits):,} visits")
    return "\n" + "; ".join(said) if said else ""


def _key() -> list[Any]:
    from matplotlib.lines import Line2D

    def mark(marker: str, label: str) -> Line2D:
        return Line2D([], [], marker=marker, linestyle="", markerfacecolor=PAPER, markeredgecolor=INK, label=label)

    return [
        mark("^", "maximizing"),
        mark("v", "minimizing"),
        mark("s", "leaf"),
        Line2D([], [], color=FIRST, linewidth=3.2, label="principal variation"),
        Line2D([], [], color=TIE, linestyle=(0, (3, 3)), label="not visited"),
        Line2D([], [], color=SECOND, linewidth=2.2, label="cut"),
    ]
