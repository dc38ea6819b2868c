"""Predict the memory of a solve, pass by pass, and whether its games can be counted, so that it can be refused before
it starts or goes on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence

from ..common.memory import Budget
from ..errors import CountOverflowError, GametreeError, RulesError, TooLargeError
from ..rules.game import Rules
from .columns import GREATEST, NEVER, PART
from .engine import Engine

LOADING, FINDING = "compiling the rules", "finding positions"
"""The first stages that a solve reports."""

STATE = 8
"""Bytes of a state."""
LABELS = 8
"""Further bytes of a solved state: mover, value, remoteness, branching, orbit size."""
LIMB = 8
"""Bytes of a limb of a count."""
LINK = 4
"""Bytes of a row of the next tier."""

LONG_GAME = 3.0
"""Seconds for finding a long game."""
DOUBT = 1e9
PATIENCE = 0.5
"""Seconds for playing single games."""
KINDS = 2
"""Ways to choose moves: evenly, or preferring those that leave many moves."""
FIRST = 6
"""Games of each kind after which to stop if the number of games is far below the greatest."""
ENOUGH = 100
"""Games of each kind that estimate the number of games."""
NEAR = 1e8
"""A mean less than the greatest number divided by this is far below it."""
LOOKED_AT = 32
"""The most moves of a position whose followers are examined to choose one."""
EAGERNESS = 4.0
"""How strongly moves that leave many moves are preferred: the power of their number."""


def no_limit(_: int) -> None:
    """Require nothing."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """The shape of a solve. Each state has ``fields`` tallies (0: nothing is counted); solved tiers stay in memory
    (``in_memory``) or are written and dropped.
    """

    budget: Budget
    in_memory: bool
    fields: int
    threads: int = 1
    tables: bool = True
    """Whether children are looked up in hash tables, two of them at a time."""
    ahead: Callable[[int], None] = no_limit
    """Called from time to time while states are found, with their number; raises `TooLargeError` if the rest cannot
    fit.
    """

    def waiting(self, limbs: int = 1) -> int:
        """Return the bytes of a state from its discovery until it is solved."""
        return STATE + LIMB * limbs * bool(self.fields)

    def solved(self, limbs: int = 1) -> int:
        """Return the bytes of a solved state."""
        return self.waiting(limbs) + LABELS + LIMB * limbs * self.fields

    def backward(self, tiers: Sequence[float], limbs: int = 1) -> float:
        """Return the peak of the backward pass over tiers of these sizes: what waits, what is solved, and two hash
        tables, one in use and one being made.
        """
        return self.peak(sum(tiers), max(tiers), limbs)

    def looking_up(self, tiers: Sequence[int]) -> float:
        """Return the peak of the backward pass over tiers of these sizes without counts, if every child is looked up: a
        tier is solved and its hash table made while the next one's is in use.
        """
        peak, waiting, solved, below = 0, sum(tiers), 0, 0
        for size in reversed(tiers):
            solved, waiting = solved + size, waiting - size
            states_held = solved if self.in_memory else size + below
            tables = table_bytes(size) + table_bytes(below)
            peak, below = max(peak, self.waiting() * waiting + self.solved() * states_held + tables), size
        return peak

    def peak(self, total: float, largest: float, limbs: int = 1) -> float:
        """Return the peak of the backward pass over tiers of ``total`` states, the largest with ``largest``."""
        tables = 2 * table_bytes(largest) * self.tables
        if self.in_memory:
            return total * self.solved(limbs) + tables
        written_at_once = min(self.threads * PART, largest)  # as arrays in Parquet's encoding, besides the tier's own
        solved = (2 * largest + written_at_once) * self.solved(limbs)
        return total * self.waiting(limbs) + solved + tables


def table_bytes(states: float) -> int:
    """Return the bytes of the hash table of a tier."""
    return 8 << table_bits(int(states))


def table_bits(states: int) -> int:
    """Return the bits of a hash table for this many states: it has two to this power of slots, and is at most half
    full.
    """
    return max(4, (2 * states - 1).bit_length())


# The length of games --------------------------------------------------------------------------------------------------


def refuse_too_long(engine: Engine, plies: int) -> None:
    """Raise `TooLargeError` if a game may be longer than the greatest remoteness."""
    if plies >= NEVER:
        raise TooLargeError(f"{engine.game.spec} has games of {NEVER:,} plies or more, which the tables do not hold")


def refuse_more_positions(engine: Engine, positions: int) -> None:
    """Raise `RulesError` if there are more positions than the rules say."""
    most = (engine.whole or engine).rules.most_positions
    if most is not None and positions > most:
        raise RulesError(f"{engine.game.spec} has {positions:,} positions or more, but most_positions={most:,}")


def refuse_long_games(engine: Engine) -> None:
    """Raise `TooLargeError` if a game that always plays the move raising the tier least is longer than the greatest
    remoteness: the passes would only notice after that many tiers. The passes report wrong rules, and handle games that
    take long to play.
    """
    rules, state, ends, passed = engine.rules, engine.start, time.monotonic() + LONG_GAME, set[int]()
    if engine.loopy or (rules.max_plies or math.inf) < NEVER:
        return
    with contextlib.suppress(GametreeError):
        while len(passed) < NEVER and state not in passed and time.monotonic() < ends:
            passed.add(state)
            children = [child for _, child in rules.moves(state)]
            if not children:
                return
            state = min(children, key=lambda child: engine.tier(child) or 0)
    refuse_too_long(engine, len(passed))


# The number of games --------------------------------------------------------------------------------------------------


def refuse_uncountable(engine: Engine, seed: int = 0) -> None:
    """Raise `CountOverflowError` for a game with too many games to count, and `RulesError` if that is because a game
    returns to a position.

    Knuth (Estimating the efficiency of backtrack programs, 1975): in a random game, the product of one over the
    probability of each move has the number of games as its mean, however the moves are chosen. By Markov's inequality,
    a mean of several such products is `DOUBT` times too great with a probability of at most 1 / `DOUBT`; by Doob's, so
    is the greatest of all means on the way, so any game may be the last. Moves are chosen evenly, or preferring those
    that leave many moves: if most random games are short, the long ones may still be nearly all games.
    """
    if most_games(engine) <= math.log(GREATEST):
        return
    limit = math.log(GREATEST) + math.log(KINDS * DOUBT)
    for number, mean in enumerate(_means(engine, seed), 1):
        if mean > limit:
            _refuse_loops(engine, seed)
            raise CountOverflowError(
                f"{engine.game.spec} has more than {GREATEST:.0e} games, which the tables do not hold (random games "
                f"say 10^{mean / math.log(10):.0f} or more); solve with --no-counts"
            )
        if number >= FIRST and mean < math.log(GREATEST / NEAR):
            return


def _refuse_loops(engine: Engine, seed: int) -> None:
    """Raise `RulesError` if one of some random games returns to a position."""
    generator, ends = random.Random(seed), time.monotonic() + PATIENCE
    for _ in range(FIRST):
        state, passed = engine.start, dict[int, int]()
        while state not in passed and time.monotonic() < ends and (moves := engine.rules.moves(state)):
            passed[state] = len(passed)
            state = generator.choice(moves)[1]
        if state in passed:
            position = engine.game.format_position(state)
            raise RulesError(
                f"position {position} occurs after {passed[state]} and after {len(passed)} plies of one game; where "
                "play can return to a position, rules say loopy=True"
            )


def likely_games(engine: Engine, seed: int = 0) -> float:
    """Return the logarithm of the number of games, as random games suggest; they tend to say too few."""
    return min(most_games(engine), max(itertools.islice(_means(engine, seed), ENOUGH), default=0.0))


def most_games(engine: Engine) -> float:
    """Return the logarithm of an upper bound on the number of games, as far as the rules give one."""
    return (engine.rules.max_plies or math.inf) * math.log(max(2, engine.rules.max_moves))


def _means(engine: Engine, seed: int) -> Iterator[float]:
    """Yield the greater of the logarithms of both means after each further game of each kind, for `PATIENCE` seconds;
    stop if the rules fail, since the passes name the position.
    """
    generator, ends = random.Random(seed), time.monotonic() + PATIENCE
    kinds: list[list[float]] = [[] for _ in range(KINDS)]
    while time.monotonic() < ends or not kinds[0]:
        try:
            for eager, logs in enumerate(kinds):
                logs.append(_log_of_games(engine.rules, engine.start, generator, ends, eager=bool(eager)))
        except GametreeError:
            return
        yield max(map(_log_of_mean, kinds))


def _log_of_games(rules: Rules, start: int, generator: random.Random, ends: float = math.inf, *, eager: bool) -> float:
    """Return the logarithm of the product of one over the probabilities of the moves of a random game; that of 0 for a
    game still going on when time ``ends``, which keeps the bound, since wrong rules may have endless games.
    """
    product, moves = 0.0, rules.moves(start)
    while moves:
        if time.monotonic() > ends:
            return -math.inf
        product += math.log(len(moves))
        if not eager:
            moves = rules.moves(generator.choice(moves)[1])
            continue
        candidates = moves if len(moves) <= LOOKED_AT else generator.sample(moves, LOOKED_AT)
        after = [rules.moves(child) for _, child in candidates]
        weights = [(len(moves_after) + 0.01) ** EAGERNESS for moves_after in after]
        chosen = generator.choices(range(len(candidates)), weights)[0]
        product += math.log(sum(weights) / weights[chosen] / len(candidates))
        moves = after[chosen]
    return product


def _log_of_mean(logs: Sequence[float]) -> float:
    greatest = max(logs)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(sum(math.exp(value - greatest) for value in logs) / len(logs))
