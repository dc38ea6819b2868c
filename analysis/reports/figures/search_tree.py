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
    said = "; ".join([*_asked(problem), *_said(part, visits)])
    return draw_layers(problem.game, part.nodes, part.links, f"{title}\n{said}".strip(), _key(part), slide=True)


def _fitting(problem: SearchProblem, visits: Sequence[Visit]) -> _Part:
    """The whole tree or else as much of it as a slide holds: with boards, if that is more than a ply, or without."""
    plain = MOST_LEAVES, MOST_LAYERS
    whole = _tree(problem, visits, None, merged=False)
    if whole is not None and _fits(whole, plain):
        return whole
    grid = None if problem.game is None else problem.game.grid(problem.root)
    boards = [] if problem.game is None or not regular(grid) else [board_limits(problem.game, grid or [])]
    for limits, least in (*((each, 2) for each in boards), (plain, 1)):
        for depth in (None, *range(MOST_LAYERS - 1, least - 1, -1)):
            part = _tree(problem, visits, depth, merged=True)
            if part is not None and _fits(part, limits):
                return part
    part = _tree(problem, visits, 1, merged=True, most=MOST_LEAVES - 1)
    assert part is not None
    place_tree(part.nodes, part.links)
    return part


def _fits(part: _Part, limits: tuple[int, int]) -> bool:
    layers = max(node.layer for node in part.nodes) + 1
    return layers <= limits[1] and place_tree(part.nodes, part.links) <= limits[0]


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
        moves, value = problem.moves(state), visits[own[-1]].value if own else None
        spent = bool(moves) and problem.depth is not None and node.layer >= problem.depth
        node.marker = "D" if spent else "s" if not moves else "^" if problem.side(state) > 0 else "v"
        node.value = _bound(visits[own[-1]]) if own else ""
        _look(problem, node, state, seen=bool(own), best=principal)
        moves = [] if spent else moves
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


def _look(problem: SearchProblem, node: Node, state: int, *, seen: bool, best: bool) -> None:
    """What a node shows beside its value."""
    node.name, node.grid = problem.describe(state), None if problem.game is None else problem.game.grid(state)
    node.colour, node.dashed, node.fill = FIRST if best else INK if seen else TIE, not seen, PAPER
    node.width = 2.6 if best else 1.2


def _bound(visit: Visit) -> str:
    """What a visit returned: a value, or a bound of one where it lies outside of the window."""
    if visit.value is None:
        return ""
    sign = "\N{LESS-THAN OR EQUAL TO}" if visit.value <= visit.alpha else ""
    sign = "\N{GREATER-THAN OR EQUAL TO}" if visit.value >= visit.beta else sign
    return f"{'' if visit.maximizing is None else sign}{visit.value}"


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


def _asked(problem: SearchProblem) -> list[str]:
    """From where and how deep was searched, where that is not the whole game."""
    game, said = problem.game, []
    if game is not None and problem.root != game.rules().start:
        said.append(f"from {problem.describe(problem.root)}")
    if problem.depth is not None:
        worth = "0" if problem.evaluation is None else f"what {problem.evaluation} says"
        said.append(f"searched {some(problem.depth, 'ply', 'plies')} deep, where a position counts {worth}")
    return said


def _said(part: _Part, visits: Sequence[Visit]) -> list[str]:
    """What of the tree is not drawn."""
    hidden = "were not visited" if part.whole else "are not drawn"
    stubs = any(node.value.startswith(TIMES) for node in part.nodes)
    said = [f"{TIMES}N: so many children {hidden}"] if stubs else []
    if part.visits < len(visits):
        deep = "" if part.depth is None else f"{some(part.depth, 'ply', 'plies')} deep, "
        said.insert(0, f"drawn {deep}{part.visits:,} of {len(visits):,} visits")
    return said


def _key(part: _Part) -> list[Any]:
    """What the signs mean that are drawn."""
    from matplotlib.lines import Line2D

    def mark(marker: str, label: str) -> tuple[bool, Line2D]:
        drawn = any(node.marker == marker and not node.value.startswith(TIMES) for node in part.nodes)
        look: dict[str, Any] = {"marker": marker, "linestyle": "", "markerfacecolor": PAPER, "markeredgecolor": INK}
        return drawn, Line2D([], [], label=label, **look)

    dashed = Line2D([], [], color=TIE, linestyle=(0, (3, 3)), label="not visited")
    signs = [
        mark("^", "maximizing"),
        mark("v", "minimizing"),
        mark("s", "leaf"),
        mark("D", "end of the search"),
        (True, Line2D([], [], color=FIRST, linewidth=3.2, label="principal variation")),
        (any(link.dashed for link in part.links), dashed),
        (any(link.cut for link in part.links), Line2D([], [], color=SECOND, linewidth=2.2, label="cut")),
    ]
    return [line for drawn, line in signs if drawn]
