"""Real-valued bids: find the share of all money above which X wins, for any board on which either side may move.

A bid may be any part of one's money. The winner of a bid pays the loser (named after D. R. Richman) or the bank
(poorman). Let ``low`` and ``high`` be the thresholds of the two boards that may follow, after X's best placement and
after O's; the threshold of the board is then

    Richman  (low + high) / 2            with the optimal bid of both  (high - low) / 2,
    poorman  high / (1 + high - low)     with the optimal bid of both  (high - low) / (1 + high - low),

with bids as shares of all money before them (Lazarus, Loeb, Propp, Stromquist and Ullman, "Combinatorial games under
auction play", Games and Economic Behavior 27, 1999). This bid keeps each side's position: on the threshold, X has
``low`` after buying the move at that price, and ``high`` after O has bought it; a dearer move of O only helps X.

Those games give both sides the same moves, so that a move never hurts. Here it can, in misere games and notakto: if
O's placement is better for X than X's own, neither wants the move, and with bids from 0 only ties would decide. So, as
in Develin and Payne ("Discrete bidding games", Electronic Journal of Combinatorics 17, 2010, R85), the bids are for the
right to decide who moves: ``low`` is the lesser of the two and ``high`` the greater, whichever side places.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.bidding.board_tiers import board_engine, find_boards
from analysis.engine.columns import column as as_column
from analysis.engine.engine import Engine
from analysis.engine.kernels.hash_table import HashTable
from analysis.engine.passes.children import build_table, link
from analysis.engine.passes.forward_by_ply import check_payoffs, sorted_distinct
from analysis.engine.plan import STATE, table_bytes
from analysis.errors import OptionError, RulesError
from analysis.games.bidding import Bidding
from analysis.games.families import load_game
from analysis.games.shared.either_side import EitherSide
from analysis.machine.memory import Budget
from analysis.machine.workers import Workers, tell_progress
from analysis.rules.game import ONGOING, Game, HasRules
from analysis.rules.positions import read_either_side
from analysis.solution.storage.parquet import ROW_GROUP
from analysis.solution.storage.row_files import row_file

MEASURES = (("richman", "O"), ("richman", "X"), ("poorman", "O"), ("poorman", "X"))
"""The columns of all arrays: how bids are paid, and which side a tie counts for."""

CHUNK_MOVES = 1 << 17
"""Moves of a chunk of boards; their arrays take 14 MB, about the size of the cache."""

GATHERED = 128
"""Bytes of a move: its four ranks, X's and O's copies, and the engine's arrays."""

NEVER = np.iinfo(np.int64).max
"""Above every rank."""


@dataclasses.dataclass(frozen=True)
class ThresholdTier:
    """The thresholds of the canonical boards after ``number`` moves, as ranks in ascending tables from 0 to 1."""

    number: int
    states: np.ndarray  # int64[n]
    ranks: np.ndarray  # int64[n, 4], one column for each of `MEASURES`
    tables: tuple[list[Fraction], ...]
    tied: bool
    """Whether any of the boards is a tie."""

    def threshold(self, row: int, column: int) -> Fraction:
        """Return the threshold of one board."""
        return self.tables[column][self.ranks[row, column]]

    def distinct(self, column: int, rows: slice) -> tuple[list[Fraction], np.ndarray]:
        """Return the thresholds of some boards as a table, and each board's index in it, int64[n]."""
        found, index = np.unique(self.ranks[rows, column], return_inverse=True)
        return [self.tables[column][rank] for rank in found.tolist()], index


def threshold_tiers(engine: Engine) -> Iterator[ThresholdTier]:
    """Yield the thresholds of every reachable board, the last tier first. Raises `TooLargeError`, `RulesError`."""
    tiers = find_boards(engine)
    done, total, largest = 0, sum(map(len, tiers)), max(map(len, tiers))
    held = STATE * total + 4 * 32 * largest + 2 * table_bytes(largest) + GATHERED * CHUNK_MOVES * engine.workers.threads
    Budget.of_machine().require(held, f"thresholds of {total:,} boards of {engine.game.spec}", "a smaller board")
    below = ThresholdTier(len(tiers), np.empty(0, np.int64), np.empty((0, 4), np.int64), ([],) * 4, False)
    while tiers:
        below = _solve_tier(engine, len(tiers) - 1, tiers.pop(), below)
        done += len(below.states)
        tell_progress("finding thresholds", done, total)
        yield below


def _solve_tier(engine: Engine, number: int, states: np.ndarray, below: ThresholdTier) -> ThresholdTier:
    """Solve a tier from the one below it."""
    table = build_table(below.states)
    size = max(1, CHUNK_MOVES // engine.rules.max_moves)
    chunks = [states[low : low + size] for low in range(0, len(states), size)]
    found = list(engine.workers.map(lambda chunk: _neighbours(engine, chunk, table, below), chunks))
    payoffs, low, high = (np.concatenate(parts) for parts in zip(*found, strict=True))
    over, tables = payoffs != ONGOING, []
    ranks = np.empty((len(states), len(MEASURES)), np.int64)
    for column, (rule, ties) in enumerate(MEASURES):
        values, ranks[~over, column] = _between(rule, below.tables[column], low[:, column], high[:, column])
        ranks[over, column] = np.where(payoffs[over] + (ties == "X") > 0, 0, len(values) - 1)
        tables.append(values)
    return ThresholdTier(number, states, ranks, tuple(tables), bool((payoffs == 0).any()))


def _neighbours(
    engine: Engine, states: np.ndarray, table: HashTable, below: ThresholdTier
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the payoffs of some boards, int16[n], `ONGOING` while play goes on, and for those in play the ranks of the
    lesser and the greater of the two thresholds that may follow, [m, 4].
    """
    links = link(engine, states, table)
    check_payoffs(engine, states, links.branching, links.payoffs)
    playing = np.flatnonzero(links.branching)
    payoffs = np.where(links.branching > 0, ONGOING, links.payoffs)
    if len(playing) == 0:
        return payoffs, below.ranks[:0], below.ranks[:0]
    _, codes, _ = engine.expand_moves(states)
    by_x = (codes & 1 == 0)[:, None]
    branching = links.branching[playing].astype(np.int64)
    begins = np.cumsum(branching) - branching
    ranks = below.ranks[links.rows]
    x = np.minimum.reduceat(np.where(by_x, ranks, NEVER), begins, axis=0)
    o = np.maximum.reduceat(np.where(by_x, -1, ranks), begins, axis=0)
    for side, without in (("X", x[:, 0] == NEVER), ("O", o[:, 0] == -1)):
        if without.any():
            position = engine.game.format_position(int(states[playing[np.argmax(without)]]))
            raise RulesError(f"position {position} has no move for {side}, but outcome() says that the game goes on")
    return payoffs, np.minimum(x, o), np.maximum(x, o)


def _between(
    rule: str, below: list[Fraction], lows: np.ndarray, highs: np.ndarray
) -> tuple[list[Fraction], np.ndarray]:
    """Return a tier's table, and the ranks of the boards in play; each pair that occurs is computed once."""
    pairs = highs * len(below) + lows
    distinct = sorted_distinct(pairs.copy())
    bounds = ((below[pair % len(below)], below[pair // len(below)]) for pair in distinct.tolist())
    values = [(low + high) / 2 if rule == "richman" else high / (1 + high - low) for low, high in bounds]
    by_ratio = {value.as_integer_ratio(): value for value in (Fraction(0), Fraction(1), *values)}
    table = sorted(by_ratio.values(), key=lambda value: (float(value), value))  # floats first: they compare faster
    rank = {value.as_integer_ratio(): i for i, value in enumerate(table)}
    ranks = np.array([rank[value.as_integer_ratio()] for value in values], dtype=np.int64)
    return table, ranks[np.searchsorted(distinct, pairs)]


def optimal_bid(rule: str, low: Fraction, high: Fraction) -> Fraction:
    """Return the bid of both sides on a board between two thresholds, as a share of all money."""
    return (high - low) / 2 if rule == "richman" else (high - low) / (1 + high - low)


SUFFIXES = (".parquet", ".csv")

SCHEMA = pa.schema(
    [("state", pa.int64()), ("position", pa.string()), ("ply", pa.int16()), ("orbit_size", pa.uint16())]
    + [
        (f"{rule}_ties_{ties.lower()}{suffix}", kind)
        for rule, ties in MEASURES
        for suffix, kind in (("", pa.string()), ("_float", pa.float64()))
    ]
)
"""The tables of all boards. A ply is a move by either side, counted from the position: on the empty board from
0, so that it is the number of stones. A threshold is exact text such as ``133/256``, and rounded as ``..._float``."""

# What is found --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class PlacementThreshold:
    """A placement of one side, and X's threshold after it."""

    move: int
    """The base game's move code."""
    name: str
    position: str
    threshold: Fraction

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        return {"move": self.move, "name": self.name, "position": self.position, **exact("threshold", self.threshold)}


@dataclasses.dataclass(frozen=True)
class Threshold:
    """The share of all money above which X wins, and below which O prevents it; ties count for one of them."""

    rule: str
    """``richman``: the winner of a bid pays the loser; ``poorman``: the bank."""
    ties: str
    """``X`` if a tie counts as a win for X, ``O`` if not."""
    threshold: Fraction
    bid: Fraction | None
    """The optimal bid of both, as a share of all money; None if the game is over."""
    winner_places: bool | None
    """Whether the winner of a bid places; False where moves only hurt, so that the winner makes the other side move."""
    placements: dict[str, tuple[PlacementThreshold, ...]]
    """Of ``X``, the least threshold first; of ``O``, the greatest first; then by code."""

    @property
    def pays(self) -> str:
        """Whom the winner of a bid pays, ``loser`` or ``bank``."""
        return {"richman": "loser", "poorman": "bank"}[self.rule]

    @property
    def ratio(self) -> Fraction | None:
        """X's money for each unit of O's; None if the threshold is all money."""
        return None if self.threshold == 1 else self.threshold / (1 - self.threshold)

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        placements = {side: [p.to_json() for p in found] for side, found in self.placements.items()}
        return {**self.row(), "placements": placements}

    def row(self) -> dict[str, Any]:
        """Return what the command line prints, without the placements."""
        numbers = exact("threshold", self.threshold) | exact("ratio", self.ratio) | exact("bid", self.bid)
        names = {"rule": self.rule, "pays": self.pays, "ties": self.ties}
        return {**names, **numbers, "winner_places": self.winner_places}


@dataclasses.dataclass(frozen=True)
class Thresholds:
    """The four thresholds of a position, in the order of `MEASURES`."""

    game: Game
    state: int
    position: str
    boards: int
    """Number of classes of reachable boards."""
    tied: bool
    """Whether any of them is a tie."""
    over: bool
    thresholds: tuple[Threshold, ...]

    def __getitem__(self, measure: tuple[str, str]) -> Threshold:
        """Return one of the four, such as ``found["poorman", "O"]``."""
        return self.thresholds[MEASURES.index(measure)]

    def to_json(self) -> dict[str, Any]:
        """Return what the command line prints."""
        return {
            "game": self.game.spec,
            "position": self.position,
            "over": self.over,
            "boards": self.boards,
            "tie_possible": self.tied,
            "thresholds": [threshold.to_json() for threshold in self.thresholds],
        }


def exact(name: str, number: Fraction | None) -> dict[str, Any]:
    """Return a number as text and as a float, by ``name``."""
    texts = (None, None) if number is None else (spell(number), float(number))
    return dict(zip((name, f"{name}_float"), texts, strict=True))


def spell(number: Fraction) -> str:
    """Return a fraction as text, also with more digits than ``str`` takes (4,300), as poorman thresholds may have.

    >>> spell(Fraction(133, 256)), spell(Fraction(1)), len(spell(Fraction(1, 10**5000)))
    ('133/256', '1', 5003)
    """
    numerator, denominator = (f"{Decimal(part):f}" for part in number.as_integer_ratio())
    return numerator if denominator == "1" else f"{numerator}/{denominator}"


# One position ---------------------------------------------------------------------------------------------------------


def find_thresholds(
    game: str | HasRules,
    position: str | None = None,
    *,
    out: Path | None = None,
    symmetry: str = "geometric",
) -> Thresholds:
    """Return the thresholds of a position (default: the start): the share of all money that X needs to win from there.

    ``game`` is a specification or a `Game` in which either side may be given the move; of a bidding game, the game on
    the board counts. The thresholds of every board from the ``position`` on are also written to ``out``, a .parquet or
    .csv file with the columns of `SCHEMA`. ``symmetry`` is one of ``geometric``, ``full`` and ``none``. Raises
    `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, `StoreError`, and `TooLargeError` if
    memory does not suffice.

    >>> found = find_thresholds("tictactoe")
    >>> found["richman", "O"].threshold, found["richman", "X"].threshold, found["poorman", "O"].threshold
    (Fraction(133, 256), Fraction(123, 256), Fraction(396925, 786688))
    """
    base = load_game(game)
    if isinstance(base, Bidding):
        if position is not None:  # the chips of a state do not matter here
            position = base.base.format_position(base.parse_state(position).board)
        base = base.base
    if out is not None and out.suffix.lower() not in SUFFIXES:
        raise OptionError(f"--out {out}: thresholds are written as {' or '.join(SUFFIXES)}; choose one of them")
    EitherSide(base).rules()  # refuses a game without such rules before its positions are read
    board = None if position is None else read_either_side(base, position)
    writing: Any = contextlib.nullcontext() if out is None else row_file(out, SCHEMA)
    boards, tied = 0, False
    last: collections.deque[ThresholdTier] = collections.deque(maxlen=2)
    with writing as write, Workers() as pool:
        engine = board_engine(base, board=board, symmetry=symmetry, workers=pool)
        for tier in threshold_tiers(engine):
            last.append(tier)
            boards, tied = boards + len(tier.states), tied or tier.tied
            for table in () if write is None else _tables(engine, tier):
                write(table)
    thresholds = _thresholds(base, engine, last[-1], last[0])
    text = base.format_position(engine.start)
    return Thresholds(base, engine.start, text, boards, tied, thresholds[0].bid is None, thresholds)


def _thresholds(base: Game, engine: Engine, tier: ThresholdTier, below: ThresholdTier) -> tuple[Threshold, ...]:
    """Return the thresholds of the start, alone in its tier, with its placements, which lead to the tier below."""
    moves = engine.rules.moves(engine.start)
    rows = [int(np.searchsorted(below.states, engine.canonical(child))) for _, child in moves]
    found = []
    for number, (rule, ties) in enumerate(MEASURES):
        sides: dict[str, list[PlacementThreshold]] = {"X": [], "O": []}
        for (code, child), row in zip(moves, rows, strict=True):
            name, text = base.format_move(code >> 1), base.format_position(child)
            sides["XO"[code & 1]].append(PlacementThreshold(code >> 1, name, text, below.threshold(row, number)))
        sides["X"].sort(key=lambda p: p.threshold)
        sides["O"].sort(key=lambda p: -p.threshold)
        bid = places = None
        if sides["X"]:
            by_x, by_o = (sides[side][0].threshold for side in "XO")
            bid, places = optimal_bid(rule, min(by_x, by_o), max(by_x, by_o)), by_x <= by_o
        placements = {side: tuple(after) for side, after in sides.items()}
        found.append(Threshold(rule, ties, tier.threshold(0, number), bid, places, placements))
    return tuple(found)


# Tables ---------------------------------------------------------------------------------------------------------------


def _tables(engine: Engine, tier: ThresholdTier) -> Iterator[pa.Table]:
    """Yield the rows of a tier in blocks."""
    for low in range(0, len(tier.states), ROW_GROUP):
        rows = slice(low, min(low + ROW_GROUP, len(tier.states)))
        states = tier.states[rows]
        columns = [
            as_column(states),
            pa.array(list(engine.game.format_positions(states)), pa.string()),
            as_column(np.full(len(states), tier.number, np.int16)),
            as_column(engine.orbit_sizes(states)),
        ]
        for number in range(len(MEASURES)):
            values, index = tier.distinct(number, rows)
            columns.append(pa.array([spell(value) for value in values], pa.string()).take(as_column(index)))
            columns.append(as_column(np.array([float(value) for value in values])[index]))
        yield pa.table(columns, schema=SCHEMA)
