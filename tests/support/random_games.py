"""Random games as explicit graphs, for the engine and for the oracle.

The engine compiles the rules of a game once. Here the rules read the graph from memory whose address never changes, so
all graphs of a kind share the compiled rules: `load` puts a graph there, and it is the one until the next is loaded.
Whatever is asked of the engine about a game has to be asked before that.

The memory, in words of 64 bits::

    0 .. LABELS-1   where the record of each label begins; 0 for a label that no node has
    record          tier, mover, payoff (or ONGOING), representative, orbit size, n, then n times: code, child

A node's state is its label times `SPREAD`: states are far apart, and go from 0 to 2**63 - 1. Labels are drawn without
regard to tiers. Node 0 is where the game starts; its label is always `START`, since the rules are compiled with it.
"""

import dataclasses
import itertools
import random
from collections.abc import Sequence
from typing import Any, ClassVar

import numba
import numpy as np

from analysis.engine.kernels.raw import memory
from analysis.rules.game import ONGOING, Game, Rules
from tests.support.graph_oracle import GraphOracle

LABELS = 890
SPREAD = (2**63 - 1) // 889
START = 600
MOST_MOVES = 6
LEAST, GREATEST = -32768, ONGOING - 1

BUFFER = np.zeros(1 << 15, dtype=np.int64)
TIER, MOVER, PAYOFF, REPRESENTATIVE, ORBIT, COUNT, FIRST = range(7)


@numba.njit  # type: ignore[untyped-decorator]
def word(address: int, number: int) -> int:
    """One number of the memory; compiled, since plain Python (one state at a time) needs it too."""
    return memory(address)[number]


@dataclasses.dataclass(frozen=True)
class ExplicitGame(Game):
    """Whatever graph of this kind was loaded last."""

    family: ClassVar[str] = "explicit"

    loopy: bool = False
    tiered: bool = False
    impartial: bool = False
    symmetric: bool = False

    def rules(self) -> Rules:
        buffer = int(BUFFER.ctypes.data)

        def field(state: int, number: int) -> int:
            return word(buffer, word(buffer, state // SPREAD) + number)

        def tier(state: int) -> int:
            return field(state, TIER)

        def to_move(state: int) -> int:
            return field(state, MOVER)

        def outcome(state: int) -> int:
            return field(state, PAYOFF)

        def canonical(state: int) -> int:
            return field(state, REPRESENTATIVE)

        def orbit_size(state: int) -> int:
            return field(state, ORBIT)

        def legal_moves(state: int, out: Any) -> int:
            n = field(state, COUNT)
            for i in range(n):
                out[i] = field(state, FIRST + 2 * i)
            return n

        def play(state: int, move: int) -> int:
            i = 0
            while field(state, FIRST + 2 * i) != move:
                i += 1
            return field(state, FIRST + 2 * i + 1)

        return Rules(
            start=START * SPREAD,
            max_moves=MOST_MOVES,
            legal_moves=legal_moves,
            play=play,
            outcome=outcome,
            to_move=to_move,
            tier=tier if self.tiered else None,
            loopy=self.loopy,
            impartial=self.impartial,
            canonical=canonical if self.symmetric else None,
            orbit_size=orbit_size if self.symmetric else None,
            payoffs=(-1, 1) if self.loopy or self.impartial else (LEAST, GREATEST),
        )


@dataclasses.dataclass(frozen=True)
class Node:
    """A position: codes (ascending) and children as numbers of nodes; the payoff counts where there is no move."""

    moves: tuple[tuple[int, int], ...]
    mover: int
    payoff: int
    tier: int = 0


@dataclasses.dataclass(frozen=True)
class Graph:
    """A game as an explicit graph. ``twins`` pairs nodes that a symmetry exchanges; the second stands for both."""

    kind: ExplicitGame
    nodes: tuple[Node, ...]
    labels: tuple[int, ...]
    twins: tuple[tuple[int, int], ...] = ()

    def state(self, node: int) -> int:
        """The state that stands for a node."""
        return self.labels[node] * SPREAD

    def oracle(self, start: int = 0, *, by_rounds: bool = False) -> GraphOracle:
        """The oracle from a node on; its states are the engine's."""
        moves = {self.state(i): [(c, self.state(to)) for c, to in node.moves] for i, node in enumerate(self.nodes)}
        payoffs = {self.state(i): node.payoff for i, node in enumerate(self.nodes)}
        movers = {self.state(i): node.mover for i, node in enumerate(self.nodes)}
        return GraphOracle(self.state(start), moves, payoffs, movers, by_rounds=by_rounds)


def load(graph: Graph) -> ExplicitGame:
    """Make the graph the one that the rules of its kind see."""
    representatives = {node: node for node in range(len(graph.nodes))}
    for first, second in graph.twins:
        representatives[first] = second
    paired = {node for pair in graph.twins for node in pair}
    BUFFER[:LABELS] = 0
    at = LABELS
    for i, node in enumerate(graph.nodes):
        moves = [number for code, child in node.moves for number in (code, graph.state(child))]
        payoff = ONGOING if node.moves else node.payoff
        orbit = 2 if i in paired else 1
        record = [node.tier, node.mover, payoff, graph.state(representatives[i]), orbit, len(node.moves), *moves]
        BUFFER[graph.labels[i]] = at
        BUFFER[at : at + len(record)] = record
        at += len(record)
    return graph.kind


# Random graphs --------------------------------------------------------------------------------------------------------


def layered(rng: random.Random, size: int) -> Graph:
    """Every move leads to the next ply; some nodes are reached by no play."""
    layers = [range(1)]
    while layers[-1].stop < size:
        first = layers[-1].stop
        layers.append(range(first, min(size, first + rng.randint(1, 5))))
    worth = _payoffs(rng)
    nodes = [
        _node(rng, below, worth, moves=rng.randint(1, MOST_MOVES))
        for layer, below in itertools.pairwise([*layers, range(0)])
        for _ in layer
    ]
    return _graph(rng, ExplicitGame(), nodes)


def skipping(rng: random.Random, size: int) -> Graph:
    """Every move raises the tier, by any amount; tier numbers have gaps, and begin anywhere."""
    tiers, worth, reach = _tiers(rng, size, 12), _payoffs(rng), rng.choice((3, 6, size))
    nodes = []
    for i, tier in enumerate(tiers):
        above = [j for j, other in enumerate(tiers) if other > tier]
        nodes.append(_node(rng, _near(i, above, reach), worth, tier, moves=rng.randint(1, MOST_MOVES)))
    return _graph(rng, ExplicitGame(tiered=True), nodes)


def looping(rng: random.Random, size: int, *, tiered: bool) -> Graph:
    """Moves lead anywhere (``tiered``: but never to a lower tier), also to the same position."""
    tiers = _tiers(rng, size, rng.randint(2, 4)) if tiered else [0] * size
    worth = rng.choice(((-1, 0, 1), (-1, 1), (-1, 1), (1,), (-1,), (-1, 0), (0, 1), (0,)))
    reach, over, most = rng.choice((4, size)), rng.choice((5, 20, 40)), rng.choice((2, 3, MOST_MOVES))
    nodes = []
    for i, tier in enumerate(tiers):
        ahead = [j for j, other in enumerate(tiers) if other >= tier and (j != i or rng.randint(1, 5) == 1)]
        later = [j for j in ahead if (tiers[j] > tier if tiered else j > i)]
        targets = [*_near(i, ahead, reach), *_near(i, later, reach) * rng.choice((0, 1, 3))]
        ends = 0 if i == 0 else over if later else 60  # without ends in the last tier, most of the game is drawn
        nodes.append(_node(rng, targets, worth, tier, moves=rng.randint(1, most), over=ends))
    return _graph(rng, ExplicitGame(loopy=True, tiered=tiered), nodes)


def impartial(rng: random.Random, size: int, *, tiered: bool) -> Graph:
    """Both players have the same moves, and whoever has none loses. Node 2p is position p with the first player to
    move, node 2p + 1 the same with the second.
    """
    base = skipping(rng, size) if tiered else layered(rng, size)
    nodes = []
    for node in base.nodes:
        for other, mover in enumerate((1, -1)):
            moves = tuple((code, 2 * child + 1 - other) for code, child in node.moves)
            nodes.append(Node(moves, mover, -mover, node.tier))
    return _graph(rng, dataclasses.replace(base.kind, impartial=True), nodes)


def mirrored(rng: random.Random, base: Graph) -> Graph:
    """The graph with every node but the start doubled, and each move to a node made once to either twin or to both."""
    nodes: list[Node] = []
    for i, node in enumerate(base.nodes):
        ways = [(child, rng.choice(("same", "other", "both"))) for _, child in node.moves[: MOST_MOVES // 2]]
        for side in (0, 1) if i else (0,):
            children: list[int] = []
            for child, way in ways:
                both = way == "both" or i == 0
                children += [_twin(child, s) for s in ((0, 1) if both else (side,) if way == "same" else (1 - side,))]
            nodes.append(dataclasses.replace(node, moves=_coded(rng, children)))
    sides = [rng.randint(0, 1) for _ in base.nodes]
    twins = tuple((_twin(i, sides[i]), _twin(i, 1 - sides[i])) for i in range(1, len(base.nodes)))
    return dataclasses.replace(_graph(rng, dataclasses.replace(base.kind, symmetric=True), nodes), twins=twins)


def _twin(node: int, side: int) -> int:
    return 2 * node - 1 + side if node else 0


def _graph(rng: random.Random, kind: ExplicitGame, nodes: list[Node]) -> Graph:
    ends = (*range(60), *range(LABELS - 60, LABELS))  # so that the least and the greatest state often occur
    pool = rng.choice((ends, [label for label in range(LABELS) if label != START]))
    labels = rng.sample(pool, len(nodes) - 1)
    return Graph(kind, tuple(nodes), (START, *labels))


def _tiers(rng: random.Random, size: int, most: int) -> list[int]:
    """A tier for each node, ascending but for the start, whose tier need not be the least."""
    numbers = sorted(rng.sample(range(40), most))
    return [rng.choice(numbers[:2]), *sorted(rng.choice(numbers) for _ in range(size - 1))]


def _payoffs(rng: random.Random) -> tuple[int, ...]:
    """Few different payoffs, so that many moves keep the value."""
    return rng.choice(((-1, 0, 1), (-1, 1), (0,), (2, 3), (-7, -3), (-5, 0, 4), (LEAST, GREATEST), (LEAST, 0, 1)))


def _near(node: int, targets: Sequence[int], reach: int) -> list[int]:
    """The few targets whose numbers are next to the node's: then some lines of play are long."""
    return sorted(targets, key=lambda other: abs(other - node))[:reach]


def _node(
    rng: random.Random, targets: Sequence[int], payoffs: Sequence[int], tier: int = 0, *, moves: int, over: int = 8
) -> Node:
    """A node with moves to some of the targets, often several to the same; in ``over`` of 100 cases without."""
    mover = rng.choice((1, -1))
    if not targets or rng.randint(1, 100) <= over:
        return Node((), mover, rng.choice(payoffs), tier)
    return Node(_coded(rng, [rng.choice(targets) for _ in range(moves)]), mover, 0, tier)


def _coded(rng: random.Random, children: list[int]) -> tuple[tuple[int, int], ...]:
    codes = sorted(rng.sample(rng.choice((range(8), range(20), range(255))), len(children)))
    return tuple(zip(codes, children, strict=True))
