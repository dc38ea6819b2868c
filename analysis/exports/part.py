"""The part of a solution to export: its classes in blocks, their moves, and the columns common to every format."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..engine.columns import COUNT_COLUMNS, NEVER, array, column
from ..engine.tiers import SolvedTier
from ..errors import OptionError
from ..machine.memory import Budget
from ..machine.version import __version__
from ..machine.workers import tell_progress
from ..rules.game import Game
from ..solution.lookup import Children, Edges, expand, known_moves, rows_together
from ..solution.solution import Solution
from ..solution.storage.row_files import text_column

MOST_ROWS, MOST_MOVES = 1 << 13, 1 << 16
"""The most rows of a block, and moves, which become some 150 bytes of text each."""

CLASS_BYTES = 24
"""Bytes per class while classes are chosen."""

MOST_PIECES = 16
"""Results of chunks that are merged together."""

MOST_LONG = (1 << 63) - 1
"""The greatest count written as a number."""

Chosen = dict[int, np.ndarray]
"""The sorted canonical states chosen in each tier, int64[n]; tiers without any are absent."""


@dataclasses.dataclass(frozen=True)
class BlockMoves:
    """Every legal move of the classes of a block, by row and then by code."""

    rows: np.ndarray  # int64[m], the row of the block that the move is made in
    codes: np.ndarray  # uint8[m]
    children: np.ndarray  # int64[m], the canonical states after them
    values: np.ndarray  # int16[m], of the children
    remoteness: np.ndarray  # uint16[m], of the children; `NEVER` for a draw
    optimal: np.ndarray  # bool[m], whether the move keeps the value
    inside: np.ndarray  # bool[m], whether the child belongs to the part


@dataclasses.dataclass(frozen=True)
class Block:
    """Some classes of one tier, ascending by state."""

    game: Game
    tier: int
    table: pa.Table
    """Columns as in ``positions/``, see `columns.position_schema`, without the text."""
    moves: BlockMoves | None
    texts: pa.ChunkedArray | None = None
    """The positions' texts, if stored."""

    def __len__(self) -> int:
        return len(self.table)

    @functools.cached_property
    def states(self) -> np.ndarray:
        """int64[n]."""
        return np.asarray(array(self.table["state"]))

    @functools.cached_property
    def positions(self) -> Sequence[str]:
        """The texts of the states."""
        if self.texts is not None:
            return self.texts.to_pylist()  # type: ignore[no-any-return]
        return self.game.format_positions(self.states)

    @property
    def outcomes(self) -> pa.Array:
        """``X``, ``O`` or ``tie`` if the game is over, else null."""
        signs = np.sign(array(self.table["value"])).astype(np.int8) + 1
        over = self.table["terminal"].combine_chunks()
        return pc.if_else(over, pa.array(["O", "tie", "X"]).take(column(signs)), pa.scalar(None, pa.string()))


class Part:
    """The classes of a solution, or those within ``depth`` moves of its start, or those that optimal moves reach.

    >>> import analysis
    >>> part = Part(analysis.solve("tictactoe"), depth=2)
    >>> part.classes, [len(block) for block in part.blocks()]
    (16, [1, 3, 12])
    """

    def __init__(
        self,
        solution: Solution,
        *,
        depth: int | None = None,
        optimal_only: bool = False,
    ) -> None:
        if depth is not None and depth < 0:
            raise OptionError(f"depth {depth} is not valid; give 0 or more plies")
        self.solution, self.depth, self.optimal_only = solution, depth, optimal_only
        self._chosen = None
        self._tiers = {tier.number: tier for tier in solution.tiers}
        if depth is not None or optimal_only:
            self._chosen = choose(solution.classes, depth, optimal_only)

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return self._chosen is None

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.solution.canonical if self._chosen is None else sum(map(len, self._chosen.values()))

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
        """Return the columns of a block's classes by name, in file order.

        ``to_move`` is ``X`` or ``O``, null if the game is over; ``cut`` says whether moves are left out, and is present
        only for blocks with moves, or of a whole.
        """
        found: dict[str, pa.Array] = {}
        for name in block.table.column_names:
            found[name] = block.table[name].combine_chunks()
            if name in COUNT_COLUMNS:
                found[name] = pc.cast(found[name], self.count_type)
            elif name == "value":
                found["value"] = worth_column(block.game, array(block.table["value"]))
            elif name == "state":
                found["position"] = text_column(block.positions)
            elif name == "terminal":
                found["outcome"] = block.outcomes
        first = pc.if_else(pc.greater(found["to_move"], 0), "X", "O")
        found["to_move"] = pc.if_else(found["terminal"], pa.scalar(None, pa.string()), first)
        if block.moves is not None or self.whole:
            cut = np.zeros(len(block), dtype=bool)
            if block.moves is not None:
                cut[block.moves.rows[~block.moves.inside]] = True
            found["cut"] = column(cut)
        return found

    def rows(self, *, moves: bool = False) -> Iterator[tuple[Block, list[dict[str, Any]]]]:
        """Yield the blocks, with the `columns` of each as rows, including ``cut``."""
        for block in self.blocks(moves=moves or not self.whole):
            found = pa.table(self.columns(block)).to_pylist()
            for row, value in zip(found, block.table["value"].to_pylist(), strict=True):
                row["value"] = block.game.worth(value)
            yield block, found

    def blocks(self, *, moves: bool = False) -> Iterator[Block]:
        """Yield the classes by tier and state, in blocks of at most `MOST_ROWS`, with ``moves`` if wanted."""
        engine, done = self.solution.engine, 0
        stage, most = "writing positions", min(MOST_ROWS, engine.chunk)
        if moves:
            stage, fitting = "writing moves", max(1, MOST_MOVES // engine.rules.max_moves)
            most = min(most, 1 << fitting.bit_length() - 1)  # so that pieces end where row groups of files do
        for tier in self.solution.tiers:
            blocks = self._blocks(tier, most)
            for block in self._with_moves(blocks) if moves else blocks:
                yield block
                done += len(block)
                tell_progress(stage, done, self.classes)

    def _blocks(self, tier: SolvedTier, most: int) -> Iterator[Block]:
        """Yield the classes of a tier, without moves."""
        among = None if self._chosen is None else self._chosen.get(tier.number)
        if self._chosen is not None and among is None:
            return
        for table in tier.pieces(most, among=among):
            if among is not None:
                table = table.filter(pa.array(_among(array(table["state"]), among)))
            texts = table["position"] if "position" in table.column_names else None
            if len(table):
                table = table if texts is None else table.drop_columns(["position"])
                yield Block(self.solution.game, tier.number, table, None, texts)

    def _with_moves(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Add moves to blocks of a tier, looking up the children of several blocks together."""
        most = rows_together(self.solution.engine)
        together: list[Block] = []
        for block in blocks:
            if sum(map(len, together)) + len(block) > most:
                yield from self._together(together)
                together.clear()
            together.append(block)
        yield from self._together(together)

    def _together(self, blocks: Sequence[Block]) -> Iterator[Block]:
        children = Children(self._tiers, map(self._edges, blocks))
        for block in blocks:
            yield dataclasses.replace(block, moves=self._moves(block, children))

    def _edges(self, block: Block) -> Edges:
        return expand(self.solution.engine, block.tier, np.require(block.states, requirements="W"))

    def _moves(self, block: Block, children: Children) -> BlockMoves:
        edges = self._edges(block)
        values, remoteness = children.worths(edges)
        optimal = values == array(block.table["value"])[edges.rows]
        chosen = self._chosen
        inside = np.full(len(edges.rows), chosen is None)
        for number, lead in edges.by_tier() if chosen else ():
            if chosen and number in chosen:
                inside[lead] = _among(edges.children[lead], chosen[number])
        return BlockMoves(edges.rows, edges.codes, edges.children, values, remoteness, optimal, inside)


def worth_column(game: Game, values: np.ndarray) -> pa.Array:
    """Return what values stand for: numbers, or texts if some of them are fractions."""
    if game.worths is None:
        return column(values)
    worths = [game.worth(value) for value in values.tolist()]
    return pa.array(map(str, worths) if any(isinstance(each, Fraction) for each in game.worths.values()) else worths)


def _among(states: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return which states are chosen, bool[n]."""
    places = np.minimum(np.searchsorted(chosen, states), len(chosen) - 1)
    return np.asarray(chosen[places] == states)


class Edge(NamedTuple):
    """All moves from one class to another."""

    row: int  # of the block, the class that is left
    source: int  # the canonical states
    target: int
    codes: list[int]  # of the moves, ascending
    names: list[str]  # as people write them, in the order of the codes
    value: int  # of the class after it
    remoteness_plies: int | None  # likewise; None for a draw
    optimal: bool  # whether the moves keep the value


def merged_edges(block: Block) -> list[Edge]:
    """Return the edges from the classes of a block with moves to classes of the part, by row and then by least code.

    >>> import analysis
    >>> part = Part(analysis.solve("tictactoe"), depth=1)
    >>> [(edge.codes, edge.value) for edge in merged_edges(next(part.blocks(moves=True)))]
    [([0, 2, 6, 8], 0), ([1, 3, 5, 7], 0), ([4], 0)]
    """
    moves = block.moves
    assert moves is not None
    names = {code: block.game.format_move(code) for code in np.unique(moves.codes).tolist()}
    found: dict[tuple[int, int], Edge] = {}
    sources = block.states[moves.rows]
    arrays = (moves.rows, sources, moves.children, moves.codes, moves.values, moves.remoteness, moves.optimal)
    kept = (each[moves.inside].tolist() for each in arrays)
    for row, source, target, code, value, plies, optimal in zip(*kept, strict=True):
        if (row, target) not in found:
            left = None if plies == NEVER else plies
            found[row, target] = Edge(row, source, target, [], [], block.game.worth(value), left, optimal)
        found[row, target].codes.append(code)
        found[row, target].names.append(names[code])
    return [*found.values()]


def choose(solution: Solution, depth: int | None, optimal_only: bool) -> Chosen:
    """Choose the classes within ``depth`` moves of the start, breadth first; with ``optimal_only`` by moves that keep
    the value. Raises `TooLargeError` if memory does not hold them.
    """
    engine, budget = solution.engine, Budget.of_machine()
    chosen: Chosen = {}
    frontier: Chosen = {solution.find_tier(engine.start): np.array([engine.canonical(engine.start)], dtype=np.int64)}
    plies = 0
    while frontier:
        for tier, states in frontier.items():
            chosen[tier] = np.union1d(chosen.get(tier, states), states)
        classes = sum(map(len, chosen.values()))
        budget.require(CLASS_BYTES * classes, f"choosing {classes:,} classes or more", "a smaller --depth")
        tell_progress("choosing classes", classes, None)
        if depth is not None and plies == depth:
            break
        found: dict[int, list[np.ndarray]] = {}
        for edges in _moves_from(solution, frontier, optimal_only):
            for number, lead in edges.by_tier():
                pieces = found.setdefault(number, [])
                pieces.append(np.unique(edges.children[lead]))
                if len(pieces) == MOST_PIECES:
                    pieces[:] = [np.unique(np.concatenate(pieces))]
        after = {tier: np.setdiff1d(np.concatenate(pieces), chosen.get(tier, ())) for tier, pieces in found.items()}
        frontier, plies = {tier: new for tier, new in sorted(after.items()) if len(new)}, plies + 1
    return dict(sorted(chosen.items()))


def _moves_from(solution: Solution, frontier: Mapping[int, np.ndarray], optimal_only: bool) -> Iterator[Edges]:
    """Yield the moves from classes by tier, some at a time; with ``optimal_only`` those that keep the value."""
    engine, tiers = solution.engine, {each.number: each for each in solution.tiers}
    for tier, states in frontier.items():
        if not optimal_only:
            for rows in engine.chunks(len(states)):
                yield expand(engine, tier, states[rows])
            continue
        values = tiers[tier].worths(states)[0]
        for rows, edges, after, _ in known_moves(engine, tiers, tier, states):
            kept = after == values[rows][edges.rows]
            yield Edges(*(each[kept] for each in edges))
