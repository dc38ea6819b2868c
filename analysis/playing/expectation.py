"""Compute the expected results of two levels without playing: exactly where the game is small, else rounded.

This is a Markov chain: in each ply a class hands its probability on to its children, in the shares that the mover's
level gives them, or out of the chain where the game is over. It works for all kinds of games: where tiers are plies,
each class is visited once; where moves lead back, play goes on to the last ply. With levels that search, each position
that play reaches is searched once.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..common.memory import Budget
from ..common.workers import Workers, tell_progress
from ..engine.kernels.hash_table import Links
from ..errors import OptionError, RulesError, TooLargeError
from ..rules.game import ONGOING, Game
from .chain import MOST_EXACT_CLASSES, MOST_EXACT_STEPS, NEGLIGIBLE, Ends, Number, played
from .levels import Perfect
from .player import Player
from .results import Expectation
from .simulation import GREEDY, Ahead, Pairing, SolvedArrays, begins_of, ends_of, gains_of

if TYPE_CHECKING:
    from scipy.sparse import csc_array  # type: ignore[import-untyped]

BY_SEARCHING = "perfect play by searching prefers the quickest wins; only solved games have exact expectations"

MOST_STEPS = 200_000_000
"""Limit on the classes, counted once per ply, for any expectations: some 20 seconds."""

FEW = 16
"""If less than one class in so many has a probability, only its moves are followed."""

EDGE_BYTES, ROW_BYTES = 32, 80
"""Bytes of a move and of a class, while the graph is built and used."""

MOST_POSITIONS = 20_000
"""Limit on the positions searched for a level's moves: a few minutes."""

MOST_SEARCHED_STEPS = 3_000_000
"""Limit on the moves, counted once for each ply at which they are made, for probabilities in doubles."""


def expectation(game: Game, levels: tuple[str, str], max_plies: int, play: Callable[[int], Ends]) -> Expectation:
    """Return the expectations of two levels, the first of which moves first. ``play`` returns how games end that have
    at most so many plies.
    """
    most = bounded(game, max_plies)
    ends = play(most)
    if ends.unfinished and most < max_plies:
        raise too_long(game, most)
    x_wins, o_wins, tie = ends.won
    return Expectation(*levels, x_wins, o_wins, tie, ends.payoff, ends.plies, unfinished=ends.unfinished)


def searched_expectation(players: tuple[Player, Player], root: int, max_plies: int) -> Expectation:
    """Return the expectations where the first of two players moves first, by asking both at every position (see
    `walk`). Raises `OptionError` where one is perfect by searching, which finds only the quickest wins.
    """
    if any(isinstance(player, Perfect) and player.knowledge.solution is None for player in players):
        raise OptionError(BY_SEARCHING)
    levels = players[0].level, players[1].level
    return expectation(players[0].game, levels, max_plies, functools.partial(walk, players, root))


def bounded(game: Game, max_plies: int) -> int:
    """Return the limit on plies, lowered to that of the rules."""
    longest = game.rules().max_plies
    return max_plies if longest is None else min(max_plies, longest)


def too_long(game: Game, most: int) -> RulesError:
    """Return the error for a game that is longer than its rules say."""
    return RulesError(f"games of {game.spec} go on after {most} plies, but its rules say max_plies={most}")


# Solved games ---------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class WeighedMoves:
    """The classes of a solved game and, one after the other, the moves of each."""

    root: int
    """The row that games start from."""
    begins: np.ndarray  # int64[classes], where the moves of each begin
    links: Links
    preferred: tuple[np.ndarray, np.ndarray]  # bool[moves], which moves A and B prefer
    chances: tuple[Fraction, Fraction]
    """Probability that A and B move at random."""

    @classmethod
    def build(cls, arrays: SolvedArrays, pairing: Pairing, workers: Workers) -> WeighedMoves:
        """Weigh all moves of all classes. Raises `TooLargeError`, `RulesError` and `StoreError`."""
        arrays = arrays.classes
        engine, n = arrays.engine, len(arrays.states)
        Budget.of_machine().require(ROW_BYTES * n, f"expectations over {n:,} classes")
        engine.prepare()  # here, since rules are tried only in the main thread
        slices, parts, done = engine.chunks(n), [], 0
        for rows, part in zip(slices, workers.map(lambda rows: _linked(arrays, rows), slices), strict=True):
            parts.append(part)
            done += rows.stop - rows.start
            moves = sum(len(part.rows) for part in parts)
            Budget.of_machine().require(EDGE_BYTES * moves * (n - done) / done, f"expectations over {n:,} classes")
            tell_progress("weighing moves", done, n)
        links = Links(*map(np.concatenate, zip(*parts, strict=True)))
        gains = gains_of(links)
        ahead = Ahead.of(links, gains, gains[links.rows]) if GREEDY in pairing.kinds else None
        a, b = (arrays.preferred(kind, links, ahead if kind == GREEDY else None) for kind in pairing.kinds)
        root = arrays.rows(np.array([arrays.root]))[0]
        return cls(int(root), begins_of(links), links, (a, b), pairing.chances)

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
        look = functools.partial(self._look, first)
        return played(self.root, look, max_plies, MOST_EXACT_STEPS, Fraction(1))

    def _look(self, first: int, row: int) -> int | list[tuple[int, Number]]:
        """Return the payoff of a class, or its children and their probabilities, with repetitions."""
        moves = self.links
        begin, n = int(self.begins[row]), int(moves.branching[row])
        if n == 0:
            return int(moves.payoffs[row])
        level = first if moves.movers[row] > 0 else 1 - first
        children = moves.rows[begin : begin + n].tolist()
        preferred = self.preferred[level][begin : begin + n].tolist()
        evenly, extra = self.chances[level] / n, (1 - self.chances[level]) / sum(preferred)
        shares = zip(children, (evenly + extra if chosen else evenly for chosen in preferred), strict=True)
        return [(child, share) for child, share in shares if share]

    def rounded(self, first: int, max_plies: int) -> Ends:
        """Return how games end in doubles."""
        onward, over = self._onward(first), np.flatnonzero(self.links.branching == 0)
        payoffs = self.links.payoffs[over]
        kinds = ends_of(payoffs)
        mass, won, payoff, plies, steps, left = np.zeros(len(self.begins)), np.zeros(3), 0.0, 0.0, 0, 1.0
        mass[self.root] = 1.0
        for ply in range(max_plies + 1):
            ended = mass[over]
            won += np.bincount(kinds, ended, 3)
            payoff += float(ended @ payoffs)
            plies += ply * float(ended.sum())
            active = np.flatnonzero(mass)
            steps += len(active)
            mass = onward[:, active] @ mass[active] if FEW * len(active) < len(mass) else onward @ mass
            left = float(mass.sum())
            if left < NEGLIGIBLE:
                left = 0.0
                break
            if steps > MOST_STEPS:
                raise TooLargeError(f"expectations take more than {MOST_STEPS:,} steps; only {ply} plies were done")
            tell_progress("expectations, ply", ply, max_plies)
        return Ends([*won.tolist()], payoff, plies + left * max_plies, left)

    def _onward(self, first: int) -> csc_array:
        """Return the probability of each child [child, class]."""
        from scipy.sparse import csc_array  # slow to import

        moves, n = self.links, len(self.begins)
        levels = np.where(moves.movers > 0, first, 1 - first).astype(np.uint8)
        parents = np.repeat(np.arange(n, dtype=np.int32), moves.branching)
        preferred = np.where(levels[parents] == 0, *self.preferred)
        blunders = np.array([float(chance) for chance in self.chances])[levels]
        with np.errstate(divide="ignore", invalid="ignore"):  # where the game is over
            evenly, extra = blunders / moves.branching, (1 - blunders) / np.bincount(parents, preferred, n)
        shares = extra[parents]
        shares *= preferred
        shares += evenly[parents]
        begins = np.append(self.begins, len(parents))
        return csc_array((shares, moves.rows.view(np.int32), begins), shape=(n, n))


def _linked(arrays: SolvedArrays, rows: slice) -> Links:
    """Return the moves of some classes. Raises `RulesError`, and `StoreError` where a child is missing."""
    moves = arrays.engine.expand(arrays.states[rows])
    return Links(*moves[:3], arrays.rows(moves.children))


# Levels that search ---------------------------------------------------------------------------------------------------


def walk(players: tuple[Player, Player], root: int, max_plies: int) -> Ends:
    """Return how games from ``root`` end, where the first of the pair plays the first side: in fractions unless there
    are too many moves. Raises `TooLargeError` where play reaches more than `MOST_POSITIONS`.
    """
    rules = players[0].rules

    @functools.cache
    def look(state: int) -> int | list[tuple[int, Number]]:
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
