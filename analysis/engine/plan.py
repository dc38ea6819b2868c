"""Predict what a solve will hold in memory, pass by pass, and whether its games can be counted, so that it can be
refused before it starts or goes on.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence

from analysis.engine.columns import GREATEST, PART
from analysis.engine.engine import Engine
from analysis.errors import CountOverflowError, GametreeError
from analysis.machine.memory import Budget
from analysis.rules.game import Rules

LOADING, FINDING = "compiling the rules", "finding positions"
"""What a solve says that it is doing first."""

STATE = 8
"""Bytes of a state."""
LABELS = 8
"""Bytes of what a solved state has besides: mover, value, remoteness, branching, orbit size."""
LIMB = 8
"""Bytes of a limb of a count."""

DOUBT = 1e9
PATIENCE = 0.5
"""Seconds that games are played for that are one by one."""
KINDS = 2
"""Moves are chosen evenly, or such as leave many moves."""
FIRST = 6
"""Games of each kind after which it is told whether the number of games comes near to the greatest."""
ENOUGH = 100
"""Games of each kind that say about how many games there are."""
NEAR = 1e8
"""A mean below the greatest number divided by this is far from it."""
LOOKED_AT = 32
"""Moves of a position, at most, of which one is chosen by what may follow."""
EAGERNESS = 4.0
"""How much more often moves are chosen after which there are more: a power of how many there are."""


def not_asked(_: int) -> None:
    """Say nothing of what is still to come."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """The shape of a solve. With ``fields`` tallies a state (0: nothing is counted); solved tiers stay ``in_memory`` or
    are written and dropped.
    """

    budget: Budget
    in_memory: bool
    fields: int
    threads: int = 1
    ahead: Callable[[int], None] = not_asked
    """Called now and then while states are found, with how many there are; it raises `TooLargeError` where what is to
    come cannot fit.
    """

    def waiting(self, limbs: int = 1) -> int:
        """Bytes of a state from its discovery until it is solved."""
        return STATE + LIMB * limbs * bool(self.fields)

    def solved(self, limbs: int = 1) -> int:
        """Bytes of a solved state."""
        return self.waiting(limbs) + LABELS + LIMB * limbs * self.fields

    def backward(self, tiers: Sequence[float], limbs: int = 1) -> float:
        """The peak of the backward pass over tiers of these sizes: what waits, what is solved, and two hash tables, one
        in use and one being made.
        """
        return self.peak(sum(tiers), max(tiers), limbs)

    def peak(self, total: float, largest: float, limbs: int = 1) -> float:
        """The peak of the backward pass over tiers of ``total`` states of which one has ``largest``."""
        if self.in_memory:
            return total * self.solved(limbs) + 2 * table_bytes(largest)
        written_at_once = min(self.threads * PART, largest)  # as arrays in Parquet's encoding beside the tier's own
        solved = (2 * largest + written_at_once) * self.solved(limbs)
        return total * self.waiting(limbs) + solved + 2 * table_bytes(largest)


def table_bytes(states: float) -> int:
    """Bytes of the hash table of a tier."""
    return 8 << table_bits(int(states))


def table_bits(states: int) -> int:
    """A hash table for so many states has two to this power of slots, and is at most half full."""
    return max(4, (2 * states - 1).bit_length())


# The number of games --------------------------------------------------------------------------------------------------


def refuse_uncountable(engine: Engine, seed: int = 0) -> None:
    """Raise `CountOverflowError` for a game of so many games that they cannot be counted.

    Knuth (Estimating the efficiency of backtrack programs, 1975): in a game played at random, the product of one over
    the probability of each move has the number of games as its mean, however the moves are chosen. By Markov's
    inequality a mean of several such products is `DOUBT` times too great once in that many times at most, and by Doob's
    so is the greatest of all means on the way, so that any game may be the last. Moves are chosen evenly, and such as
    leave many moves: where few games are long, these are nearly all there are.
    """
    if most_games(engine) <= math.log(GREATEST):
        return
    wanted = math.log(GREATEST) + math.log(KINDS * DOUBT)
    for number, mean in enumerate(_means(engine, seed), 1):
        if mean > wanted:
            raise CountOverflowError(
                f"{engine.game.spec} has more than {GREATEST:.0e} games, which the tables do not hold (random games "
                f"say 10^{mean / math.log(10):.0f} or more); solve with --no-counts"
            )
        if number >= FIRST and mean < math.log(GREATEST / NEAR):
            return


def likely_games(engine: Engine, seed: int = 0) -> float:
    """The logarithm of how many games random games say there are; they rather say too few than too many."""
    return min(most_games(engine), max(itertools.islice(_means(engine, seed), ENOUGH), default=0.0))


def most_games(engine: Engine) -> float:
    """The logarithm of a number that the games cannot exceed, as far as the rules bound it."""
    return (engine.rules.max_plies or math.inf) * math.log(max(2, engine.rules.max_moves))


def _means(engine: Engine, seed: int) -> Iterator[float]:
    """The greater of the logarithms of both means after one game of each kind more, for `PATIENCE` seconds; none any
    more where the rules fail: the passes name the position.
    """
    generator, ends = random.Random(seed), time.monotonic() + PATIENCE
    kinds: list[list[float]] = [[] for _ in range(KINDS)]
    while time.monotonic() < ends or not kinds[0]:
        try:
            for eager, found in enumerate(kinds):
                found.append(_log_of_games(engine.rules, engine.start, generator, ends, eager=bool(eager)))
        except GametreeError:
            return
        yield max(map(_log_of_mean, kinds))


def _log_of_games(rules: Rules, start: int, generator: random.Random, ends: float = math.inf, *, eager: bool) -> float:
    """The logarithm of the product of one over the probabilities of the moves of a random game; of 0 for one that goes
    on when time ``ends``, which keeps the bound: wrong rules may have games without an end.
    """
    product, moves = 0.0, rules.moves(start)
    while moves:
        if time.monotonic() > ends:
            return -math.inf
        product += math.log(len(moves))
        if not eager:
            moves = rules.moves(generator.choice(moves)[1])
            continue
        some = moves if len(moves) <= LOOKED_AT else generator.sample(moves, LOOKED_AT)
        after = [rules.moves(child) for _, child in some]
        weights = [(len(each) + 0.01) ** EAGERNESS for each in after]
        chosen = generator.choices(range(len(some)), weights)[0]
        product += math.log(sum(weights) / weights[chosen] / len(some))
        moves = after[chosen]
    return product


def _log_of_mean(logs: Sequence[float]) -> float:
    greatest = max(logs)
    if greatest == -math.inf:
        return greatest
    return greatest + math.log(sum(math.exp(each - greatest) for each in logs) / len(logs))
