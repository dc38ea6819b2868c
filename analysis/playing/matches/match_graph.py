"""All moves of a solved game with what two levels think of them, and all games played on it at once.

A class holds a probability. In one ply it hands it on to its children, in the parts that the mover's level gives them;
where the game is over it leaves. This is the distribution of a Markov chain, ply by ply, so it does for all kinds of
games: where tiers are plies, each class is visited once; where moves lead back, play goes on to the last ply.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from analysis.engine.passes.children import find
from analysis.errors import TooLargeError
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, Workers
from analysis.playing.kernels import simulated_games as kernels
from analysis.playing.matches.simulation import Pairing, SolvedArrays

MOST_EXACT_CLASSES = 5_000
"""Classes up to which probabilities are fractions, which take a microsecond or two for each move of each ply."""

MOST_EXACT_STEPS = 60_000
"""Moves, counted once for each ply at which they are made, up to which they are."""

MOST_STEPS = 200_000_000
"""Classes, counted likewise, up to which they are found at all: some 20 seconds."""

NEGLIGIBLE = 1e-18
"""A rounded probability that games go on that is as good as none: it is below the rounding of the others."""

Number = Fraction | float

EDGE_BYTES, ROW_BYTES = 12, 50
"""Bytes of a move and of a class, while the graph is put together and played on."""


@dataclasses.dataclass
class Ends:
    """How games end: fractions, or floats where they are rounded."""

    won: list[Fraction | float]
    """The probability that X wins, that O wins, that they tie."""
    payoff: Fraction | float
    """Expected, the first player's."""
    plies: Fraction | float
    """Expected, those of unfinished games included."""
    unfinished: Fraction | float


@dataclasses.dataclass(frozen=True)
class Graph:
    """The classes of a solved game, and the moves of each one after the other."""

    root: int
    """The row that games start from."""
    begins: np.ndarray  # int64[classes], where the moves of each begin
    weighed: kernels.Weighed
    """The moves; bit 0 of their marks is for level A, bit 1 for B."""
    chances: tuple[Fraction, Fraction]
    """How often A and B move at random."""

    @classmethod
    def build(cls, arrays: SolvedArrays, pairing: Pairing, workers: Workers, progress: Progress) -> Graph:
        """Weigh all moves of all classes. Raises `TooLargeError`, and what `SolvedArrays.fault` is."""
        arrays = arrays.classes
        engine, n = arrays.engine, len(arrays.states)
        Budget.of_machine().require(ROW_BYTES * n, f"expectations over {n:,} classes")
        slices, parts, done = engine.chunks(n), [], 0
        for rows, part in zip(slices, workers.map(lambda rows: _weigh(arrays, pairing, rows), slices), strict=True):
            parts.append(part)
            done += rows.stop - rows.start
            moves = sum(len(found.rows) for found in parts)
            Budget.of_machine().require(EDGE_BYTES * moves * (n - done) / done, f"expectations over {n:,} classes")
            progress("weighing moves", done, n)
        weighed = kernels.Weighed(*map(np.concatenate, zip(*parts, strict=True)))
        begins = np.cumsum(weighed.branching, dtype=np.int64) - weighed.branching
        root = find(engine, np.array([arrays.root], dtype=np.int64), arrays.table)[0]
        return cls(int(root), begins, weighed, pairing.chances)

    def play(self, first: int, max_plies: int, progress: Progress) -> Ends:
        """How games end that level ``first`` (0 is A) begins and the other one goes second: in fractions where
        these do not take too long. Raises `TooLargeError` where doubles do.
        """
        if len(self.begins) <= MOST_EXACT_CLASSES:
            ends = self.exactly(first, max_plies)
            if ends is not None:
                return ends
        return self.rounded(first, max_plies, progress)

    def exactly(self, first: int, max_plies: int) -> Ends | None:
        """How games end, see `play`, in fractions; None where these take too long."""
        return played(self.root, lambda row: self._look(row, first), max_plies, MOST_EXACT_STEPS, Fraction(1))

    def _look(self, row: int, first: int) -> int | list[tuple[int, Fraction]]:
        return self.shares(row, first) if self.weighed.branching[row] else int(self.weighed.payoffs[row])

    def shares(self, row: int, first: int) -> list[tuple[int, Fraction]]:
        """The children of a class and how likely the mover's level goes there; a child may come several times."""
        moves = self.weighed
        level = first if moves.movers[row] > 0 else 1 - first
        begin, n = int(self.begins[row]), int(moves.branching[row])
        children = moves.rows[begin : begin + n].tolist()
        preferred = (moves.marks[begin : begin + n] >> level & 1).tolist()
        evenly, extra = self.chances[level] / n, (1 - self.chances[level]) / sum(preferred)
        shares = zip(children, (evenly + extra if chosen else evenly for chosen in preferred), strict=True)
        return [(child, share) for child, share in shares if share]

    def rounded(self, first: int, max_plies: int, progress: Progress) -> Ends:
        """How games end, see `play`, in doubles."""
        n = len(self.begins)
        mass, after = np.zeros(n), np.zeros(n)
        active, reached = np.empty(n, np.uint32), np.empty(n, np.uint32)
        sides = np.array([first, 1 - first])
        chances = np.array([float(self.chances[side]) for side in sides])
        mass[self.root], active[0], count, steps, left = 1.0, self.root, 1, 0, 1.0
        ends, plies = np.zeros(4), 0.0
        for ply in range(max_plies + 1):
            before = ends[:3].sum()
            count = kernels.advance(
                self.begins, self.weighed, sides, chances, active, count, mass, after, reached, ends
            )
            plies += ply * float(ends[:3].sum() - before)
            left = float(after[reached[:count]].sum())
            steps += count
            if left < NEGLIGIBLE:
                left = 0.0
                break
            if steps > MOST_STEPS:
                raise TooLargeError(f"it takes more than {MOST_STEPS:,} steps; only {ply} plies are done by then")
            mass, after, active, reached = after, mass, reached, active
            progress("expectations, ply", ply, max_plies)
        won = [float(share) for share in ends[:3]]
        return Ends([won[0], won[1], won[2]], float(ends[3]), plies + left * max_plies, left)


def played(
    root: int, look: Callable[[int], int | list[tuple[int, Fraction]]], max_plies: int, most_steps: int, one: Number
) -> Ends | None:
    """How games end that start from ``root``, in fractions or in doubles as ``one`` is; None where it takes more than
    so many steps. ``look`` tells the payoff where the game is over, and else where play goes on and how likely.
    """
    mass, steps = {root: one}, 0
    none = one - one
    ends, left = Ends([none] * 3, none, none, none), none
    for ply in range(max_plies + 1):
        after: dict[int, Number] = defaultdict(type(none))
        left = none
        for state, here in mass.items():
            found = look(state)
            if isinstance(found, int):
                ends.won[0 if found > 0 else 1 if found < 0 else 2] += here
                ends.payoff += here * found
                ends.plies += here * ply
                continue
            steps += len(found)
            left += here
            for child, share in found:
                after[child] += here * share
        if steps > most_steps:
            return None
        if left <= (0 if isinstance(one, Fraction) else NEGLIGIBLE):
            left = none
            break
        mass = after
    ends.unfinished = left
    ends.plies += left * max_plies
    return ends


def _weigh(arrays: SolvedArrays, pairing: Pairing, rows: slice) -> kernels.Weighed:
    """The moves of some classes, see `kernels.weigh`."""
    engine, states = arrays.engine, arrays.states[rows]
    n, most = len(states), engine.rules.max_moves
    found = kernels.Weighed(
        np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int16),
        np.empty(n * most, np.uint32), np.empty(n * most, np.uint8),
    )  # fmt: skip
    trouble = np.zeros(1, np.int64)
    total = engine.call(
        states, kernels.weigh,
        engine.compiled.successors, engine.successors, engine.compiled.to_move, states, most, arrays.known,
        pairing.kinds, found, trouble,
    )  # fmt: skip
    if total < 0:
        raise arrays.fault(total, int(trouble[0]))
    return found._replace(rows=found.rows[:total].copy(), marks=found.marks[:total].copy())
