"""Choose the part of a solution to export: its classes in blocks, their moves, and the columns of all formats."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...common.memory import Budget
from ...common.version import __version__
from ...common.workers import tell_progress
from ...engine.columns import COUNT_COLUMNS, NEVER, array, column, text_column
from ...engine.tiers import SolvedTier, worths_in
from ...errors import OptionError
from ...rules.game import Game
from ...solution.batches import worth_column
from ...solution.lookup import Edges, known_moves, rows_together
from ...solution.solution import Solution

MOST_ROWS, MOST_MOVES = 1 << 13, 1 << 16
"""The most rows and moves of a block; a move becomes some 150 bytes of text."""

CLASS_BYTES = 24
"""Bytes per class while classes are chosen."""

MOST_LONG = (1 << 63) - 1
"""The greatest count written as a number."""

NONE = np.empty(0, np.int64)


class BlockMoves(NamedTuple):
    """Every legal move of the classes of a block, by row and then by code."""

    rows: np.ndarray  # int64[m], the row of the block that the move is made in
    codes: np.ndarray  # uint8[m] or uint16[m]
    children: np.ndarray  # int64[m], the canonical states after them
    values: np.ndarray  # int16[m], of the children
    remoteness: np.ndarray  # uint16[m], of the children; `NEVER` for a draw
    optimal: np.ndarray  # bool[m], whether the move keeps the value
    inside: np.ndarray  # bool[m], whether the child belongs to the part


@dataclasses.dataclass(frozen=True)
class Block:
    """Some classes of one tier, ascending by state, with the columns of `columns.position_schema`."""

    game: Game
    table: pa.Table
    moves: BlockMoves | None = None

    def __len__(self) -> int:
        return len(self.table)

    @functools.cached_property
    def states(self) -> np.ndarray:
        """int64[n]."""
        return np.asarray(array(self.table["state"]))

    @functools.cached_property
    def positions(self) -> Sequence[str]:
        """The texts of the states, as stored or made again."""
        if "position" in self.table.column_names:
            return self.table["position"].to_pylist()  # type: ignore[no-any-return]
        return self.game.format_positions(self.states)

    @property
    def columns(self) -> dict[str, pa.Array]:
        """The columns of the table with texts, values in the game's own units, and who has won if the game is over:
        ``outcome`` is ``X``, ``O``, ``tie`` or null.
        """
        columns = {"state": self.table["state"].combine_chunks(), "position": text_column(self.positions)}
        for name in (name for name in self.table.column_names if name not in columns):
            columns[name] = self.table[name].combine_chunks()
            if name == "value":
                columns[name] = worth_column(self.game, array(self.table[name]))
            elif name == "terminal":
                signs = np.sign(array(self.table["value"])).astype(np.int8) + 1
                outcomes = pa.array(["O", "tie", "X"]).take(column(signs))
                columns["outcome"] = pc.if_else(columns[name], outcomes, pa.scalar(None, pa.string()))
        return columns


class Part:
    """The classes of a solution, or those within ``depth`` moves of its start, or those that optimal moves reach.

    >>> import analysis
    >>> part = Part(analysis.solve("tictactoe"), depth=2)
    >>> part.classes, [len(block) for block in part.blocks()]
    (16, [1, 3, 12])
    """

    def __init__(self, solution: Solution, *, depth: int | None = None, optimal_only: bool = False) -> None:
        if depth is not None and depth < 0:
            raise OptionError(f"depth {depth} is not valid; give 0 or more plies")
        self.solution, self.depth, self.optimal_only = solution, depth, optimal_only
        self.whole = depth is None and not optimal_only
        """Whether nothing is left out."""
        self._chosen = {} if self.whole else choose(solution.of_classes, depth, optimal_only)
        self.classes = solution.classes if self.whole else sum(map(len, self._chosen.values()))
        """The number of classes."""

    @property
    def facts(self) -> dict[str, int | bool | str | None]:
        """Facts about the part as a whole; ``depth`` is None without a limit, ``remoteness_plies`` in a draw."""
        solution = self.solution
        return {
            "game": solution.game.spec,
            "start": solution.start,
            "value": solution.value,
            "remoteness_plies": solution.remoteness_plies,
            "symmetry": solution.symmetry,
            "classes": self.classes,
            "depth": self.depth,
            "optimal_only": self.optimal_only,
            "version": f"gametree {__version__}",
        }

    @functools.cached_property
    def count_type(self) -> pa.DataType:
        """The type of count columns: int64, or text if the game's counts may exceed `MOST_LONG`.

        No count of a class exceeds the histories of the whole game: each counted path continues one of them, all
        different.
        """
        histories = self.solution.statistics()["histories"]
        return pa.int64() if histories is None or histories <= MOST_LONG else pa.string()

    def columns(self, block: Block) -> dict[str, pa.Array]:
        """Return the columns of a block for JSON and graphs, in file order.

        ``cut`` says whether moves are left out; it is missing if the part is not whole and the block has no moves.
        """
        columns = block.columns
        columns |= {name: pc.cast(columns[name], self.count_type) for name in COUNT_COLUMNS if name in columns}
        if block.moves is not None or self.whole:
            cut = np.zeros(len(block), dtype=bool)
            if block.moves is not None:
                cut[block.moves.rows[~block.moves.inside]] = True
            columns["cut"] = column(cut)
        return columns

    def rows(self, *, moves: bool = False) -> Iterator[tuple[Block, list[dict[str, Any]]]]:
        """Yield the blocks, with the `columns` of each as rows, including ``cut``."""
        for block in self.blocks(moves=moves or not self.whole):
            rows = pa.table(self.columns(block)).to_pylist()
            for row, value in zip(rows, block.table["value"].to_pylist(), strict=True):
                row["value"] = block.game.worth(value)
            yield block, rows

    def blocks(self, *, moves: bool = False) -> Iterator[Block]:
        """Yield the classes by tier and state, in blocks of at most `MOST_ROWS`, with ``moves`` if wanted."""
        engine, done = self.solution.engine, 0
        most = min(MOST_ROWS, engine.chunk)
        if moves:  # children are looked up together, for as many classes as row groups hold
            most = 1 << rows_together(engine).bit_length() - 1
        for tier in self.solution.tiers:
            chosen = None if self.whole else self._chosen.get(tier.number, NONE)
            for table in tier.pieces(most, among=chosen) if chosen is None or len(chosen) else ():
                if chosen is not None:
                    table = table.filter(pa.array(_among(array(table["state"]), chosen)))
                for block in self._with_moves(tier, table) if moves else [Block(self.solution.game, table)]:
                    yield block
                    done += len(block)
                    tell_progress("writing moves" if moves else "writing positions", done, self.classes)

    @functools.cached_property
    def _tiers(self) -> dict[int, SolvedTier]:
        return {tier.number: tier for tier in self.solution.tiers}

    def _with_moves(self, tier: SolvedTier, table: pa.Table) -> Iterator[Block]:
        """Yield classes of a tier with their moves, at most `MOST_MOVES` of them at a time."""
        engine, states = self.solution.engine, np.require(array(table["state"]), requirements="W")
        most, before = max(1, MOST_MOVES // engine.rules.max_moves), array(table["value"])
        for rows, edges, values, remoteness in known_moves(engine, self._tiers, tier.number, states):
            optimal, inside = values == before[rows][edges.rows], self._inside(edges)
            for low in range(0, rows.stop - rows.start, most):
                piece_moves = slice(*np.searchsorted(edges.rows, (low, low + most)))
                codes = edges.codes.astype(engine.rules.code_kind)
                arrays = (codes, edges.children, values, remoteness, optimal, inside)
                moves = BlockMoves(edges.rows[piece_moves] - low, *(entries[piece_moves] for entries in arrays))
                piece = table.slice(rows.start + low, min(most, rows.stop - rows.start - low))
                yield Block(self.solution.game, piece, moves)

    def _inside(self, edges: Edges) -> np.ndarray:
        """Return which moves lead to classes of the part, bool[m]."""
        inside = np.full(len(edges.rows), self.whole)
        for number, lead in () if self.whole else edges.by_tier():
            inside[lead] = _among(edges.children[lead], self._chosen.get(number, NONE))
        return inside


def _among(states: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return which states are among the sorted chosen ones, bool[n]."""
    places = np.searchsorted(chosen, states)
    return np.asarray(np.append(chosen, -1)[places] == states)


def merged_edges(block: Block) -> list[dict[str, Any]]:
    """Return the edges from the classes of a block with moves to classes of the part, by row and then by least code:
    ``source`` and ``target`` are states, ``moves`` and ``names`` belong to all moves between them, and ``value`` and
    ``remoteness_plies`` (None for a draw) to the target.

    >>> import analysis
    >>> part = Part(analysis.solve("tictactoe"), depth=1)
    >>> [(edge["moves"], edge["value"]) for edge in merged_edges(next(part.blocks(moves=True)))]
    [([0, 2, 6, 8], 0), ([1, 3, 5, 7], 0), ([4], 0)]
    """
    moves = block.moves
    assert moves is not None
    names = {code: block.game.format_move(code) for code in np.unique(moves.codes).tolist()}
    edges: dict[tuple[int, int], dict[str, Any]] = {}
    arrays = (block.states[moves.rows], moves.children, moves.codes, moves.values, moves.remoteness, moves.optimal)
    inside = (of_moves[moves.inside].tolist() for of_moves in arrays)
    for source, target, code, value, plies, optimal in zip(*inside, strict=True):
        new = {"source": source, "target": target, "move": code, "moves": [], "names": []}
        new |= {"value": block.game.worth(value), "remoteness_plies": None if plies == NEVER else plies}
        edge = edges.setdefault((source, target), new | {"optimal": optimal})
        edge["moves"].append(code)
        edge["names"].append(names[code])
    return [*edges.values()]


def choose(solution: Solution, depth: int | None, optimal_only: bool) -> dict[int, np.ndarray]:
    """Choose the classes within ``depth`` moves of the start, breadth first; with ``optimal_only`` by moves that keep
    the value. Returns the sorted canonical states of each tier that has any, int64[n]. Raises `TooLargeError` if memory
    does not hold them.
    """
    engine, budget, tiers = solution.engine, Budget.of_machine(), {tier.number: tier for tier in solution.tiers}
    chosen: dict[int, np.ndarray] = {}
    frontier = {solution.records.tier(engine.start): np.array([engine.canonical(engine.start)], dtype=np.int64)}
    for plies in itertools.count():
        chosen |= {tier: np.union1d(chosen.get(tier, NONE), states) for tier, states in frontier.items()}
        classes = sum(map(len, chosen.values()))
        budget.require(CLASS_BYTES * classes, f"choosing {classes:,} classes or more", "a smaller --depth")
        tell_progress("choosing classes", classes, None)
        if not frontier or plies == depth:
            break
        after: dict[int, np.ndarray] = {}
        for tier, states in frontier.items():
            before = worths_in(tiers[tier], states)[0]
            for rows, edges, values, _ in known_moves(engine, tiers, tier, states):
                followed = values == before[rows][edges.rows] if optimal_only else True
                for number, lead in edges.by_tier():
                    after[number] = np.union1d(after.get(number, NONE), edges.children[lead & followed])
        new = {tier: np.setdiff1d(states, chosen.get(tier, NONE)) for tier, states in after.items()}
        frontier = {tier: states for tier, states in new.items() if len(states)}
    return dict(sorted(chosen.items()))
