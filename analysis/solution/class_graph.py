"""The graph of classes for networkx, with the attributes that files of graphs have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from analysis.engine.columns import COUNT_COLUMNS, array
from analysis.errors import RulesError
from analysis.machine.version import __version__

if TYPE_CHECKING:
    import networkx as nx

    from analysis.solution.solution import Solution

PIECE = 1 << 13
"""Rows that are read at a time."""

_SIDES = {1: "X", -1: "O"}


def class_graph(solution: Solution) -> nx.DiGraph[str]:
    """What `Solution.to_networkx` returns. Raises `RulesError` where the game gives two states the same text."""
    import networkx as nx

    engine = solution.engine.classes
    graph: nx.DiGraph[str] = nx.DiGraph(
        game=solution.game.spec, start=solution.start, value=solution.value,
        remoteness_plies=solution.remoteness_plies, symmetry=solution.symmetry, classes=solution.canonical, depth=None,
        optimal_only=False, version=f"gametree {__version__}",
    )  # fmt: skip
    texts: dict[int, str] = {}
    for text, said in _nodes(solution):
        if text in graph:
            raise RulesError(f"format_position() of {engine.game.spec} gives {text!r} for two states")
        graph.add_node(text, **said)
        texts[said["state"]] = text
    for state, text in texts.items():
        across = defaultdict(list)
        for code, child in engine.rules.moves(state):
            across[texts[engine.canonical(child)]].append(code)
        for target, codes in across.items():
            after = graph.nodes[target]
            graph.add_edge(
                text, target, move=codes[0], moves=tuple(codes), names=tuple(map(engine.game.format_move, codes)),
                value=after["value"], remoteness_plies=after["remoteness_plies"],
                optimal=after["value"] == graph.nodes[text]["value"],
            )  # fmt: skip
    return graph


def _nodes(solution: Solution) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every class by its text, with what is said of it."""
    format_positions = solution.engine.classes.game.format_positions
    for tier in solution.tiers:
        for table in tier.pieces(PIECE):
            texts = format_positions(array(table["state"]))
            for text, row in zip(texts, table.to_pylist(), strict=True):
                row |= {name: int(row[name]) for name in COUNT_COLUMNS if name in row}
                yield text, row | {"position": text} | _words(row)


def _words(row: dict[str, Any]) -> dict[str, Any]:
    """What is said in words, None where it does not apply, and whether moves are left out."""
    over, winner = row["terminal"], _SIDES.get((row["value"] > 0) - (row["value"] < 0), "tie")
    return {"to_move": None if over else _SIDES[row["to_move"]], "outcome": winner if over else None, "cut": False}
