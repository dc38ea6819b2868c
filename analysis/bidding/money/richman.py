"""Real-valued bids: what share of all money X needs to win, on any board of a game in which either side may move.

`find_thresholds` answers for one position, with the optimal bids and every placement; `all_thresholds` gives the tables
of every board. `analysis.bidding.money.thresholds` has the theory.
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

from analysis.bidding.board_tiers import board_engine
from analysis.bidding.money.thresholds import MEASURES, ThresholdTier, optimal_bid, threshold_tiers
from analysis.engine.columns import column
from analysis.engine.engine import Engine
from analysis.errors import OptionError
from analysis.games.bidding import Bidding
from analysis.games.families import load_game
from analysis.games.shared.either_side import EitherSide
from analysis.machine.arguments import checked
from analysis.machine.workers import Progress, Workers, no_progress
from analysis.rules.game import Game, HasRules
from analysis.rules.positions import read_either_side
from analysis.storage.parquet import ROW_GROUP
from analysis.storage.row_files import Write, row_file

SUFFIXES = (".parquet", ".csv")

PAYS = {"richman": "loser", "poorman": "bank"}
"""Whom the winner of a bid pays."""

SCHEMA = pa.schema(
    [("state", pa.int64()), ("position", pa.string()), ("ply", pa.int16()), ("orbit_size", pa.uint16())]
    + [
        (f"{rule}_ties_{ties.lower()}{suffix}", kind)
        for rule, ties in MEASURES
        for suffix, kind in (("", pa.string()), ("_float", pa.float64()))
    ]
)
"""The tables of `all_thresholds`. A ply is a move by either side, counted from the position: on the empty board from
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
        """As the command line prints it."""
        return {"move": self.move, "name": self.name, "position": self.position, **exact("threshold", self.threshold)}


@dataclasses.dataclass(frozen=True)
class Threshold:
    """With more than this share of all money X wins, with less O stops him; ties count for one of them."""

    rule: str
    """``richman``: the winner of a bid pays the loser; ``poorman``: the bank."""
    ties: str
    """``O`` if a tie is no win for X, ``X`` if it is one."""
    threshold: Fraction
    bid: Fraction | None
    """The optimal bid of both, as a share of all money; None where the game is over."""
    winner_places: bool | None
    """Whether the winner of a bid places himself; False where moves only hurt: he then has the other side move."""
    placements: dict[str, tuple[PlacementThreshold, ...]]
    """Of ``X``, the least threshold first; of ``O``, the greatest first; then by code."""

    @property
    def pays(self) -> str:
        """Whom the winner of a bid pays, ``loser`` or ``bank``."""
        return PAYS[self.rule]

    @property
    def ratio(self) -> Fraction | None:
        """X's money for each unit of O's; None where the threshold is all money."""
        return None if self.threshold == 1 else self.threshold / (1 - self.threshold)

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            **self.row(),
            "placements": {side: [p.to_json() for p in found] for side, found in self.placements.items()},
        }

    def row(self) -> dict[str, Any]:
        """As the command line prints it, without the placements."""
        numbers = exact("threshold", self.threshold) | exact("ratio", self.ratio) | exact("bid", self.bid)
        return {
            "rule": self.rule,
            "pays": self.pays,
            "ties": self.ties,
            **numbers,
            "winner_places": self.winner_places,
        }


@dataclasses.dataclass(frozen=True)
class Thresholds:
    """What is found of a position: the four thresholds, in the order of `MEASURES`."""

    game: Game
    state: int
    position: str
    boards: int
    """Classes of boards that can be reached from it."""
    tied: bool
    """Whether any of them is a tie."""
    over: bool
    thresholds: tuple[Threshold, ...]

    def __getitem__(self, measure: tuple[str, str]) -> Threshold:
        """One of the four, such as ``found["poorman", "O"]``."""
        return self.thresholds[MEASURES.index(measure)]

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it."""
        return {
            "game": self.game.spec,
            "position": self.position,
            "over": self.over,
            "boards": self.boards,
            "tie_possible": self.tied,
            "thresholds": [threshold.to_json() for threshold in self.thresholds],
        }


def exact(name: str, number: Fraction | None) -> dict[str, Any]:
    """A number as text and as a float.

    >>> exact("bid", Fraction(1, 4))
    {'bid': '1/4', 'bid_float': 0.25}
    """
    return (
        {name: None, f"{name}_float": None} if number is None else {name: spell(number), f"{name}_float": float(number)}
    )


def spell(number: Fraction) -> str:
    """A fraction as text. Poorman thresholds of large boards have more digits than ``str`` takes (4,300), unlike a
    decimal number.

    >>> spell(Fraction(133, 256)), spell(Fraction(1)), len(spell(Fraction(1, 10**5000)))
    ('133/256', '1', 5003)
    """
    numerator, denominator = (f"{Decimal(part):f}" for part in number.as_integer_ratio())
    return numerator if denominator == "1" else f"{numerator}/{denominator}"


# Finding it -----------------------------------------------------------------------------------------------------------


@checked
def find_thresholds(
    game: str | HasRules,
    position: str | None = None,
    *,
    out: Path | None = None,
    symmetry: str = "geometric",
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Thresholds:
    """The thresholds of a position (default: of the start): what share of all money X needs to win from there.

    ``game`` is a specification or a `Game` in which either side may be given the move; of a bidding game it is the game
    on the board that counts. The thresholds of every board from the ``position`` on are written to ``out`` on the way,
    a .parquet or a .csv file with the columns of `SCHEMA`. ``symmetry`` is one of ``geometric``, ``full`` and ``none``,
    ``workers`` how many work (default: as many as processors), and ``progress`` is told how far the work is. Raises
    `SpecError`, `PositionError`, `OptionError`, `SymmetryError`, `RulesError`, `StoreError`, and `TooLargeError` where
    memory will not do.

    >>> found = find_thresholds("tictactoe")
    >>> found["richman", "O"].threshold, found["richman", "X"].threshold, found["poorman", "O"].threshold
    (Fraction(133, 256), Fraction(123, 256), Fraction(396925, 786688))
    """
    loaded = load_game(game)
    if isinstance(loaded, Bidding) and position is not None:  # the chips of a state are no matter here
        position = loaded.base.format_position(loaded.parse_state(position).board)
    base = _on_board(loaded)
    boards, tied = 0, False
    last: collections.deque[ThresholdTier] = collections.deque(maxlen=2)
    with _writing(out) as write, _engine(base, position, symmetry, workers, progress) as engine:
        for tier in threshold_tiers(engine):
            last.append(tier)
            boards, tied = boards + len(tier.states), tied or tier.tied
            for table in () if out is None else _tables(engine, tier):
                write(table)
    thresholds = _thresholds(base, engine, last[-1], last[0])
    text = base.format_position(engine.start)
    return Thresholds(base, engine.start, text, boards, tied, thresholds[0].bid is None, thresholds)


def all_thresholds(
    game: str | HasRules,
    position: str | None = None,
    *,
    symmetry: str = "geometric",
    workers: int | None = None,
    progress: Progress = no_progress,
) -> Iterator[pa.Table]:
    """The thresholds of every board (one of each class) from a position on, in tables with the columns of `SCHEMA`:
    the last ply first, and each ascending by state. Raises what `find_thresholds` raises.

    >>> sum(table.num_rows for table in all_thresholds("tictactoe"))
    2694
    """
    with _engine(_on_board(game), position, symmetry, workers, progress) as engine:
        for tier in threshold_tiers(engine):
            yield from _tables(engine, tier)


def _on_board(game: str | HasRules) -> Game:
    """The game, or the one on the board where it is a bidding game."""
    loaded = load_game(game)
    return loaded.base if isinstance(loaded, Bidding) else loaded


@contextlib.contextmanager
def _engine(
    base: Game, position: str | None, symmetry: str, workers: int | None, progress: Progress
) -> Iterator[Engine]:
    EitherSide(base).rules()  # refuses a game without such rules, before its positions are read
    board = None if position is None else read_either_side(base, position)
    with Workers(workers) as pool:
        yield board_engine(base, board=board, symmetry=symmetry, workers=pool, progress=progress)


def _thresholds(base: Game, engine: Engine, tier: ThresholdTier, below: ThresholdTier) -> tuple[Threshold, ...]:
    """Those of the start, which is alone in its tier, with its placements, which lead to the tier below."""
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
    """The rows of a tier, some at a time."""
    for low in range(0, len(tier.states), ROW_GROUP):
        rows = slice(low, min(low + ROW_GROUP, len(tier.states)))
        states = tier.states[rows]
        columns = [
            column(states),
            pa.array(list(engine.game.format_positions(states)), pa.string()),
            column(np.full(len(states), tier.number, np.int16)),
            column(engine.orbit_sizes(states)),
        ]
        for number in range(len(MEASURES)):
            values, index = tier.distinct(number, rows)
            columns.append(pa.array([spell(value) for value in values], pa.string()).take(column(index)))
            columns.append(column(np.array([float(value) for value in values])[index]))
        yield pa.table(columns, schema=SCHEMA)


@contextlib.contextmanager
def _writing(path: Path | None) -> Iterator[Write]:
    """What writes tables to a file, complete or absent; nothing without one. Raises `OptionError`, `StoreError`."""
    if path is None:
        yield lambda table: None
        return
    if path.suffix.lower() not in SUFFIXES:
        raise OptionError(f"--out {path}: thresholds are written as {' or '.join(SUFFIXES)}; name a file that ends so")
    with row_file(path, SCHEMA) as write:
        yield write
