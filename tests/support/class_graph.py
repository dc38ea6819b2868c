"""The graph of the classes of a solution, one look-up after the other."""

import networkx as nx
import pandas as pd


def class_graph(solution) -> nx.DiGraph:
    """Nodes are texts of canonical positions, edges lists of codes."""
    solution, graph = solution.of_classes, nx.DiGraph()
    engine, number = solution.engine, "ply" if solution.by_ply else "tier"
    for tier in solution.tiers:
        for each in map(solution.at, tier.states.tolist()):
            outcome = {1: "X", -1: "O", 0: "tie"}[(each.value > 0) - (each.value < 0)] if each.terminal else None
            facts = {
                "to_move": each.to_move,
                "value": each.value,
                "remoteness_plies": each.remoteness_plies,
                number: tier.number,
            }
            graph.add_node(each.position, **facts, outcome=outcome, cut=False)
            for code, child in engine.rules.moves(each.state):
                text = solution.game.format_position(engine.canonical(child))
                if not graph.has_edge(each.position, text):
                    graph.add_edge(each.position, text, moves=())
                graph.edges[each.position, text]["moves"] += (code,)
    return graph


def every_position(solution):
    """All positions that play reaches, in the order in which they are found."""
    start, moves = solution.engine.start, solution.engine.rules.moves
    reached, waiting = {start}, [start]
    for state in waiting:  # grows as it goes
        yield solution.at(state)
        new = {child for _, child in moves(state)} - reached
        reached |= new
        waiting += sorted(new)


def move_frame(solution) -> pd.DataFrame:
    """A row for each legal move of each class."""
    solution, rows = solution.of_classes, []
    for each in (solution.at(state) for tier in solution.tiers for state in tier.states.tolist()):
        keeps = {move.move: move.optimal for move in each.moves}
        moves = solution.engine.rules.moves(each.state)
        rows += [(each.state, code, solution.engine.canonical(child), keeps[code]) for code, child in moves]
    return pd.DataFrame(rows, columns=["state", "move", "child", "optimal"])
