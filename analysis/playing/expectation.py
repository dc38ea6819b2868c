"""Compute the expected results of two levels without playing: exactly where the game is small, else rounded.

This is a Markov chain: in each ply a class hands its probability on to its children, in the shares that the mover's
level gives them, or out of the chain where the game is over. It works for all kinds of games: where tiers are plies,
each class is visited once; where moves lead back, play goes on to the last ply. With levels that search, each position
that play reaches is searched once.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np

from analysis.engine.passes.children import find
from analysis.errors import OptionError, RulesError, TooLargeError
from analysis.machine.memory import Budget
from analysis.machine.workers import Workers, tell_progress
from analysis.playing import kernels
from analysis.playing.levels import Depth, Perfect, PlainDepth
from analysis.playing.player import Player
from analysis.playing.results import Expectation, Number
from analysis.playing.simulation import Pairing, SolvedArrays
from analysis.rules.game import ONGOING, Game

BY_SEARCHING = "perfect play by searching prefers the quickest wins; only solved games have exact expectations"

MOST_EXACT_CLASSES = 5_000
"""Limit on classes for exact fractions, which take a microsecond or two per move and ply."""

MOST_EXACT_STEPS = 60_000
"""Limit on the moves, counted once for each ply at which they are made, for exact fractions."""

MOST_STEPS = 200_000_000
"""Limit on the classes, counted once per ply, for any expectations: some 20 seconds."""

NEGLIGIBLE = 1e-18
"""Probability below which play counts as over; the rounding of the others is larger."""

EDGE_BYTES, ROW_BYTES = 12, 50
"""Bytes of a move and of a class, while the graph is built and used."""

MOST_POSITIONS = 20_000
"""Limit on the positions searched for a level's moves: a few minutes."""

MOST_SEARCHED_STEPS = 3_000_000
"""Limit on the moves, counted once for each ply at which they are made, for probabilities in doubles."""

CHEAP = 500
"""Lines of play up to which plain Python is faster than compiled code."""


@dataclasses.dataclass(frozen=True)
class LevelExpectation(Expectation):
    """The expectations of two levels; ``payoff`` counts an unfinished game as 0, ``plies`` as ``max_plies``."""

    numbers: ClassVar[tuple[str, ...]] = ("x_wins", "o_wins", "tie", "unfinished", "payoff", "plies")

    unfinished: Number
    """The probability that a game lasts longer than ``max_plies``."""
    game: str
    position: str
    """Where games start."""
    max_plies: int


def searched_expectation(players: tuple[Player, Player], root: int, max_plies: int) -> LevelExpectation:
    """Return the expectations where the first of two players moves first, by asking both at every position (see
    `walk`). Raises `OptionError` where one is perfect by searching, which finds only the quickest wins.
    """
    game = players[0].game
    if any(isinstance(player, Perfect) and player.knowledge.solution is None for player in players):
        raise OptionError(BY_SEARCHING)
    ends = walk(players, root, bounded(game, max_plies))
    return _expectation(game, (players[0].level, players[1].level), root, ends, max_plies)


def expectation(graph: Graph, arrays: SolvedArrays, pairing: Pairing, first: int, max_plies: int) -> LevelExpectation:
    """Return the expectations where level ``first`` of a pairing (0 is A) moves first."""
    game = arrays.engine.game
    ends = graph.play(first, bounded(game, max_plies))
    return _expectation(game, (pairing.names[first], pairing.names[1 - first]), arrays.root, ends, max_plies)


def _expectation(game: Game, names: tuple[str, str], root: int, ends: Ends, max_plies: int) -> LevelExpectation:
    most = bounded(game, max_plies)
    if ends.unfinished and most < max_plies:
        raise too_long(game, most)
    return LevelExpectation(
        x=names[0],
        o=names[1],
        x_wins=ends.won[0],
        o_wins=ends.won[1],
        tie=ends.won[2],
        payoff=ends.payoff,
        plies=ends.plies,
        unfinished=ends.unfinished,
        game=game.spec,
        position=game.format_position(root),
        max_plies=max_plies,
    )


def bounded(game: Game, max_plies: int) -> int:
    """Return the limit on plies, lowered to that of the rules."""
    longest = game.rules().max_plies
    return max_plies if longest is None else min(max_plies, longest)


def too_long(game: Game, most: int) -> RulesError:
    """Return the error for a game that is longer than its rules say."""
    return RulesError(f"games of {game.spec} go on after {most} plies, but its rules say max_plies={most}")


# Solved games ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Ends:
    """How games end, in probabilities: fractions, or floats where rounded."""

    won: list[Fraction | float]
    """The probabilities of a win of X, a win of O, a tie."""
    payoff: Fraction | float
    """The first player's, expected."""
    plies: Fraction | float
    """Expected, unfinished games included."""
    unfinished: Fraction | float


@dataclasses.dataclass(frozen=True)
class Graph:
    """The classes of a solved game and, one after the other, the moves of each."""

    root: int
    """The row that games start from."""
    begins: np.ndarray  # int64[classes], where the moves of each begin
    weighed: kernels.Weighed
    """The moves; bit 0 of their marks is for level A, bit 1 for B."""
    chances: tuple[Fraction, Fraction]
    """Probability that A and B move at random."""

    @classmethod
    def build(cls, arrays: SolvedArrays, pairing: Pairing, workers: Workers) -> Graph:
        """Weigh all moves of all classes. Raises `TooLargeError`, and the errors of `SolvedArrays.fault`."""
        arrays = arrays.classes
        engine, n = arrays.engine, len(arrays.states)
        Budget.of_machine().require(ROW_BYTES * n, f"expectations over {n:,} classes")
        slices, parts, done = engine.chunks(n), [], 0
        for rows, part in zip(slices, workers.map(lambda rows: _weigh(arrays, pairing, rows), slices), strict=True):
            parts.append(part)
            done += rows.stop - rows.start
            moves = sum(len(found.rows) for found in parts)
            Budget.of_machine().require(EDGE_BYTES * moves * (n - done) / done, f"expectations over {n:,} classes")
            tell_progress("weighing moves", done, n)
        weighed = kernels.Weighed(*map(np.concatenate, zip(*parts, strict=True)))
        begins = np.cumsum(weighed.branching, dtype=np.int64) - weighed.branching
        root = find(engine, np.array([arrays.root], dtype=np.int64), arrays.table)[0]
        return cls(int(root), begins, weighed, pairing.chances)

    def play(self, first: int, max_plies: int) -> Ends:
        """Return how games end that level ``first`` (0 is A) begins: in fractions unless that takes too long. Raises
        `TooLargeError` where doubles take too long as well.
        """
        if len(self.begins) <= MOST_EXACT_CLASSES:
            ends = self.exactly(first, max_plies)
            if ends is not None:
                return ends
        return self.rounded(first, max_plies)

    def exactly(self, first: int, max_plies: int) -> Ends | None:
        """Return how games end in fractions, None where that takes too long."""
        return played(self.root, lambda row: self._look(row, first), max_plies, MOST_EXACT_STEPS, Fraction(1))

    def _look(self, row: int, first: int) -> int | list[tuple[int, Fraction]]:
        return self.shares(row, first) if self.weighed.branching[row] else int(self.weighed.payoffs[row])

    def shares(self, row: int, first: int) -> list[tuple[int, Fraction]]:
        """Return the children of a class and their probabilities, with repetitions."""
        moves = self.weighed
        level = first if moves.movers[row] > 0 else 1 - first
        begin, n = int(self.begins[row]), int(moves.branching[row])
        children = moves.rows[begin : begin + n].tolist()
        preferred = (moves.marks[begin : begin + n] >> level & 1).tolist()
        evenly, extra = self.chances[level] / n, (1 - self.chances[level]) / sum(preferred)
        shares = zip(children, (evenly + extra if chosen else evenly for chosen in preferred), strict=True)
        return [(child, share) for child, share in shares if share]

    def rounded(self, first: int, max_plies: int) -> Ends:
        """Return how games end in doubles."""
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
                raise TooLargeError(f"expectations take more than {MOST_STEPS:,} steps; only {ply} plies were done")
            mass, after, active, reached = after, mass, reached, active
            tell_progress("expectations, ply", ply, max_plies)
        won = [float(share) for share in ends[:3]]
        return Ends([won[0], won[1], won[2]], float(ends[3]), plies + left * max_plies, left)


def played(
    root: int, look: Callable[[int], int | list[tuple[int, Fraction]]], max_plies: int, most_steps: int, one: Number
) -> Ends | None:
    """Return how games from ``root`` end, in fractions or doubles like ``one``; None if that takes more than
    ``most_steps``. ``look`` gives the payoff where the game is over, otherwise the children and their probabilities.
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
    """Return the moves of some classes (see `kernels.weigh`)."""
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


# Levels that search ---------------------------------------------------------------------------------------------------


def walk(players: tuple[Player, Player], root: int, max_plies: int) -> Ends:
    """Return how games from ``root`` end, where the first of the pair plays the first side: in fractions unless there
    are too many moves. Raises `TooLargeError` where play reaches more than `MOST_POSITIONS`.
    """
    rules = players[0].rules
    players = (_hastened(players[0]), _hastened(players[1]))

    @functools.cache
    def look(state: int) -> int | list[tuple[int, Fraction]]:
        payoff = rules.payoff(state)
        if payoff != ONGOING:
            return int(payoff)
        asked = look.cache_info().currsize
        tell_progress("expectations, positions", asked, None)
        if asked >= MOST_POSITIONS:
            raise TooLargeError(
                f"exact expectations of levels that search need a search of each position, and more "
                f"than {MOST_POSITIONS:,} are reached"
            )
        chances = players[0 if rules.mover(state) > 0 else 1].distribution(state)
        return [(child, chances[code]) for code, child in rules.moves(state) if chances[code]]

    ends = played(root, look, max_plies, MOST_EXACT_STEPS, Fraction(1))
    ends = ends or played(root, look, max_plies, MOST_SEARCHED_STEPS, 1.0)
    if ends is None:
        raise TooLargeError(f"expectations take more than {MOST_SEARCHED_STEPS:,} steps; give a smaller --max-plies")
    return ends


def _hastened(player: Player) -> Player:
    return _EitherDepth(player) if isinstance(player, Depth) else player


class _EitherDepth(Depth):
    """Prefers the same moves as `Depth`, by the faster of two ways."""

    def __init__(self, searching: Depth) -> None:
        super().__init__(searching.game, searching.level, searching.depth)
        self._compiled, self._plain = searching, PlainDepth(searching.game, searching.level, searching.depth)

    def preferred(self, state: int) -> list[int]:
        """Return the best moves."""
        codes = [code for code, _ in self.rules.moves(state)]
        if len(codes) <= 1:
            return codes
        if len(codes) ** min(self.depth, CHEAP) <= CHEAP:
            with contextlib.suppress(OptionError):  # more lines than expected
                return self._plain.preferred(state)
        return self._compiled.preferred(state)
