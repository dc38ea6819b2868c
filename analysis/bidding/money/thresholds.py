"""Real-valued bids, tier by tier: the share of all money above which X wins, for every board.

Bids may be any part of one's money. The winner of a bid pays the loser (named after D. R. Richman) or the bank
(poorman). Let ``low`` and ``high`` be the thresholds of the two boards that may come, after X's best placement and
after O's; the threshold of the board is then

    Richman  (low + high) / 2            with the optimal bid of both  (high - low) / 2,
    poorman  high / (1 + high - low)     with the optimal bid of both  (high - low) / (1 + high - low),

bids as shares of all money as it is before them (Lazarus, Loeb, Propp, Stromquist and Ullman, "Combinatorial games
under auction play", Games and Economic Behavior 27, 1999). With that bid each side keeps what it has: on the threshold,
X has ``low`` after buying the move at that price, and ``high`` after O has bought it; a dearer move of O only helps X.

Those games give both sides the same moves, so that a move never hurts. Here it can, in misere games and notakto: where
O's placement is better for X than X's own, neither wants the move, and with bids from 0 only ties would decide. So, as
in Develin and Payne ("Discrete bidding games", Electronic Journal of Combinatorics 17, 2010, R85), the bids are for the
right to say who moves: ``low`` is the lesser of the two and ``high`` the greater, whichever side places.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from analysis.bidding.board_tiers import find_boards
from analysis.engine.engine import Engine
from analysis.engine.kernels.hash_table import HashTable
from analysis.engine.passes.children import build_table, link
from analysis.engine.passes.forward_by_ply import check_payoffs, sorted_distinct
from analysis.engine.plan import STATE, table_bytes
from analysis.errors import RulesError
from analysis.machine.memory import Budget
from analysis.rules.game import ONGOING

MEASURES = (("richman", "O"), ("richman", "X"), ("poorman", "O"), ("poorman", "X"))
"""The columns of all arrays: how bids are paid, and whom a tie counts for."""

TIES_FOR_X = np.array([ties == "X" for _, ties in MEASURES])

CHUNK_MOVES = 1 << 17
"""A chunk is as many boards as can have this many moves: what is gathered of them takes 14 MB, near the cache."""

GATHERED = 128
"""Bytes of a move meanwhile: its four keys, those of X's and of O's, and what the engine needs."""

MOST_TIERS = 61
"""Numerators over a power of two fit an int64 for so many tiers below; for more they are Python's."""


@dataclasses.dataclass(frozen=True)
class ThresholdTier:
    """The thresholds of the canonical boards after so many moves, as integers in the same order.

    A Richman threshold is its numerator over ``2 ** depth``, the number of tiers below; a poorman threshold is its rank
    in an ascending table of its own, from 0 to 1.
    """

    number: int
    states: np.ndarray  # int64[n]
    keys: np.ndarray  # int64[n, 4], one column for each of `MEASURES`
    depth: int
    tables: tuple[list[Fraction], list[Fraction]]
    """Of the two poorman columns."""
    tied: bool
    """Whether any of the boards is a tie."""

    def threshold(self, row: int, column: int) -> Fraction:
        """The threshold of one board."""
        key = int(self.keys[row, column])
        return self.tables[column - 2][key] if column >= 2 else Fraction(key, 1 << self.depth)

    def distinct(self, column: int, rows: slice) -> tuple[list[Fraction], np.ndarray]:
        """The thresholds of some boards as a table, and the entry of each board int64[n]."""
        keys = self.keys[rows, column]
        found, index = np.unique(keys, return_inverse=True)
        if column >= 2:
            return [self.tables[column - 2][key] for key in found.tolist()], index
        return [Fraction(key, 1 << self.depth) for key in found.tolist()], index


def threshold_tiers(engine: Engine) -> Iterator[ThresholdTier]:
    """The thresholds of every board that can be reached, the last tier first. Raises `TooLargeError`, `RulesError`."""
    tiers = find_boards(engine)
    done, total, largest = 0, sum(map(len, tiers)), max(map(len, tiers))
    held = STATE * total + 4 * 32 * largest + 2 * table_bytes(largest) + GATHERED * CHUNK_MOVES * engine.workers.threads
    Budget.of_machine().require(held, f"thresholds of {total:,} boards of {engine.game.spec}", "a smaller board")
    below = ThresholdTier(len(tiers), np.empty(0, np.int64), np.empty((0, 4), np.int64), -1, ([], []), False)
    while tiers:
        below = _solve_tier(engine, len(tiers) - 1, tiers.pop(), below)
        done += len(below.states)
        engine.progress("finding thresholds", done, total)
        yield below


def _solve_tier(engine: Engine, number: int, states: np.ndarray, below: ThresholdTier) -> ThresholdTier:
    """A tier from the one below it."""
    table = build_table(below.states)
    size = max(1, CHUNK_MOVES // engine.rules.max_moves)
    chunks = [states[low : low + size] for low in range(0, len(states), size)]
    found = list(engine.workers.map(lambda chunk: _neighbours(engine, chunk, table, below), chunks))
    payoffs, low, high = (np.concatenate(parts) for parts in zip(*found, strict=True))
    over = payoffs != ONGOING
    depth = below.depth + 1
    dtype: type = np.int64 if depth <= MOST_TIERS else object
    one: np.ndarray = np.array([1 << depth, 1 << depth, 0, 0], dtype)
    keys: np.ndarray = np.empty((len(states), 4), dtype)
    keys[~over, :2] = low[:, :2] + high[:, :2]
    tables = []
    for column in (2, 3):
        values, keys[~over, column] = _poorman(below.tables[column - 2], low[:, column], high[:, column])
        one[column] = len(values) - 1
        tables.append(values)
    won = payoffs[over, None] + TIES_FOR_X > 0
    keys[over] = np.where(won, 0, one)
    return ThresholdTier(number, states, keys, depth, (tables[0], tables[1]), bool((payoffs == 0).any()))


def _neighbours(
    engine: Engine, states: np.ndarray, table: HashTable, below: ThresholdTier
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of some boards: the payoffs int16[n], `ONGOING` where play goes on; and, where it does, the keys of the lesser
    and of the greater of the two thresholds that may come [m, 4].
    """
    links = link(engine, states, table)
    check_payoffs(engine, states, links.branching, links.payoffs)
    playing = np.flatnonzero(links.branching)
    payoffs = np.where(links.branching > 0, ONGOING, links.payoffs)
    if len(playing) == 0:
        return payoffs, below.keys[:0], below.keys[:0]
    _, codes, _ = engine.expand_moves(states)
    by_x = (codes & 1 == 0)[:, None]
    branching = links.branching[playing].astype(np.int64)
    begins = np.cumsum(branching) - branching
    keys = below.keys[links.rows]
    never = max(2 << below.depth, 1 << 32)
    x = np.minimum.reduceat(np.where(by_x, keys, never), begins, axis=0)
    o = np.maximum.reduceat(np.where(by_x, -1, keys), begins, axis=0)
    _refuse_one_sided(engine, states[playing], x[:, 0] == never, o[:, 0] == -1)
    return payoffs, np.minimum(x, o), np.maximum(x, o)


def _refuse_one_sided(engine: Engine, states: np.ndarray, without_x: np.ndarray, without_o: np.ndarray) -> None:
    """Raise `RulesError` where play goes on, but a side that buys the move has none."""
    for side, without in (("X", without_x), ("O", without_o)):
        if without.any():
            position = engine.game.format_position(int(states[np.argmax(without)]))
            raise RulesError(f"position {position} has no move for {side}, but outcome() says that the game goes on")


def _poorman(below: list[Fraction], low: np.ndarray, high: np.ndarray) -> tuple[list[Fraction], np.ndarray]:
    """The table of a tier, and the ranks of the boards in play; each pair that occurs is computed once."""
    pairs = high.astype(np.int64) * len(below) + low.astype(np.int64)
    distinct = sorted_distinct(pairs.copy())
    values = [poorman_threshold(below[pair % len(below)], below[pair // len(below)]) for pair in distinct.tolist()]
    by_ratio = {value.as_integer_ratio(): value for value in (Fraction(0), Fraction(1), *values)}
    table = sorted(by_ratio.values(), key=lambda value: (float(value), value))  # floats first: they compare faster
    rank = {value.as_integer_ratio(): i for i, value in enumerate(table)}
    ranks = np.array([rank[value.as_integer_ratio()] for value in values], dtype=np.int64)
    return table, ranks[np.searchsorted(distinct, pairs)]


def poorman_threshold(low: Fraction, high: Fraction) -> Fraction:
    """The poorman threshold of a board between two.

    >>> poorman_threshold(Fraction(0), Fraction(1)), poorman_threshold(Fraction(1, 3), Fraction(1))
    (Fraction(1, 2), Fraction(3, 5))
    """
    return high / (1 + high - low)


def optimal_bid(rule: str, low: Fraction, high: Fraction) -> Fraction:
    """What both bid on a board between two thresholds, as a share of all money.

    >>> optimal_bid("richman", Fraction(0), Fraction(1)), optimal_bid("poorman", Fraction(1, 3), Fraction(1))
    (Fraction(1, 2), Fraction(2, 5))
    """
    return (high - low) / 2 if rule == "richman" else (high - low) / (1 + high - low)
