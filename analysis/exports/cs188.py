"""Test files of Berkeley's CS188: the game tree as states by name, the actions between them, and what ends count.

Agent 0 maximizes, agent 1 minimizes, and they take turns; a state that ends the game is listed as won or lost. States
are called as positions are, unless one of these has a blank; then ``s`` and the state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import IO, Any

from analysis.errors import OptionError
from analysis.exports.graphs import node_id
from analysis.exports.part import Part, merged_edges
from analysis.machine.version import __version__
from analysis.rules.game import Game


def check_turns(game: Game) -> None:
    """Raise `OptionError` for a loopy game."""
    if game.rules().loopy:
        raise OptionError(f"{game.spec} is loopy: play can return to a position, which no CS188 test allows")


def write(part: Part, file: IO[bytes]) -> None:
    r"""Write a test of alpha-beta on the graph of classes. Raises `OptionError` for a game in which the players do not
    take turns, or the second begins, and for payoffs that are fractions.

    >>> import analysis, io
    >>> file = io.BytesIO()
    >>> write(Part(analysis.solve("nim:1-1")), file)
    >>> file.getvalue().decode().partition("successors:")[2].split("\n")[1:4]
    ['s3 1:1 s6', 's3 2:1 s6', 's6 2:1 s0']
    """
    game, check = part.solution.game, part.solution.start
    check_turns(game)
    rows, edges = list[dict[str, Any]](), list[tuple[int, str, int]]()
    for block, found in part.rows(moves=True):
        rows += found
        for edge in merged_edges(block):
            edges += [(edge.source, name, edge.target) for name in dict.fromkeys(edge.names)]
    plain = all(re.fullmatch(r"[^\s\"#]+", row["position"]) for row in rows)
    names = {row["state"]: row["position"] if plain else node_id(row["state"]) for row in rows}
    movers, inner = {row["state"]: row["to_move"] for row in rows}, {source for source, _, _ in edges}
    begins = next(row["state"] for row in rows if row["position"] == check)
    for source, _, target in [(begins, "", begins)] if begins not in inner else edges:
        if target in inner and movers[source] == movers[target]:
            raise OptionError(f"in {game.spec} the players do not take turns, as the agents of a CS188 test do")
    if movers[begins] == "O":
        raise OptionError(f"in {game.spec} the second player begins, but agent 0 of a CS188 test maximizes")
    fraction = next((row["value"] for row in rows if isinstance(row["value"], Fraction)), None)
    if fraction is not None:
        raise OptionError(f"{fraction} has no decimals that are as exact, and a CS188 test has decimals")
    ends = [row for row in rows if row["state"] not in inner]
    lines = "\n".join(_lines(names, edges, ends, begins))
    file.write(f"# gametree {__version__}: {game.spec}\n{lines}\n".encode())


def _lines(
    names: dict[int, str], edges: list[tuple[int, str, int]], ends: list[dict[str, Any]], begins: int
) -> Iterator[str]:
    won, lost = ([names[row["state"]] for row in ends if (row["value"] < 0) == below] for below in (False, True))
    yield 'class: "GraphGameTreeTest"'
    yield 'alg: "AlphaBetaAgent"'
    yield f'depth: "{(_longest(edges) + 1) // 2}"'
    yield 'num_agents: "2"'
    yield f'start_state: "{names[begins]}"'
    yield f'win_states: "{" ".join(won)}"'
    yield f'lose_states: "{" ".join(lost)}"'
    yield 'evaluation: """'
    yield from (f"{names[row['state']]} {row['value']}" for row in ends)
    yield '"""'
    yield 'successors: """'
    yield from (f"{names[source]} {'_'.join(name.split())} {names[target]}" for source, name, target in edges)
    yield '"""'


def _longest(edges: list[tuple[int, str, int]]) -> int:
    """Return the moves of the longest way between states."""
    import numpy as np

    from analysis.games.foreign.game import longest_ways

    ends = np.array([(source, target) for source, _, target in edges], np.int64).reshape(-1, 2)
    states, places = np.unique(ends, return_inverse=True)
    pairs = places.reshape(-1, 2)
    ways = longest_ways(len(states), pairs[:, 0], pairs[:, 1])
    return 0 if ways is None else int(ways.max(initial=0))
