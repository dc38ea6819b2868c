"""The part of a solution that is exported, handed on in blocks, so that only some rows are in memory at a time."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from analysis.engine.columns import array
from analysis.engine.tiers import SolvedTier
from analysis.errors import OptionError
from analysis.exports.parts.choice import choose
from analysis.machine.workers import Progress, no_progress
from analysis.rules.game import Game
from analysis.solution.lookup import Children, Edges, expand, rows_together
from analysis.solution.solution import Solution

MOST_ROWS = 1 << 16
"""Rows of one block, at most."""


@dataclasses.dataclass(frozen=True)
class BlockMoves:
    """Every legal move of the classes of a block, ordered by row and then by code."""

    rows: np.ndarray  # int64[m], the row of the block that the move is made in
    codes: np.ndarray  # uint8[m]
    children: np.ndarray  # int64[m], the canonical states after them
    values: np.ndarray  # int16[m], of the children
    remoteness: np.ndarray  # uint16[m], of the children; tables.NEVER for a draw
    optimal: np.ndarray  # bool[m], whether the move keeps the value
    inside: np.ndarray  # bool[m], whether the child belongs to the part


@dataclasses.dataclass(frozen=True)
class Block:
    """Some classes of one tier, ascending by state."""

    game: Game
    tier: int
    table: pa.Table
    """Columns as in the files of ``positions/``, see `tables.position_schema`; never the text."""
    moves: BlockMoves | None
    texts: pa.ChunkedArray | None = None
    """The positions as text, where they are stored."""

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


class Part:
    """All classes of a solution, or those that at most ``depth`` moves from its start, or only optimal moves, reach.

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
        progress: Progress = no_progress,
    ) -> None:
        if depth is not None and depth < 0:
            raise OptionError(f"a depth of {depth} plies makes no sense; it is 0 or more")
        self.solution, self.depth, self.optimal_only = solution, depth, optimal_only
        self._progress, self._chosen = progress, None
        self._tiers = {tier.number: tier for tier in solution.tiers}
        if depth is not None or optimal_only:
            self._chosen = choose(solution.classes, depth, optimal_only, progress)

    @property
    def whole(self) -> bool:
        """Whether nothing was cut off."""
        return self._chosen is None

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return self.solution.canonical if self._chosen is None else sum(map(len, self._chosen.values()))

    def blocks(self, *, moves: bool = False, most: int | None = None) -> Iterator[Block]:
        """The classes by tier and state, with their ``moves`` if they are wanted, at most so many at a time (None:
        `MOST_ROWS`). Raises `StoreError`.
        """
        done, stage = 0, "writing moves" if moves else "writing positions"
        for tier in self.solution.tiers:
            blocks = self._blocks(tier, min(most or MOST_ROWS, self.solution.engine.chunk))
            for block in self._with_moves(blocks) if moves else blocks:
                yield block
                done += len(block)
                self._progress(stage, done, self.classes)

    def _blocks(self, tier: SolvedTier, most: int) -> Iterator[Block]:
        """The classes of a tier, without moves."""
        among = None if self._chosen is None else self._chosen.get(tier.number)
        if self._chosen is None or among is not None:
            for piece in tier.pieces(most, among=among):
                table, texts = self._cut(tier.number, piece)
                if len(table):
                    yield Block(self.solution.game, tier.number, table, None, texts)

    def _with_moves(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Blocks of a tier with their moves; the children of several are looked up together."""
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

    def _cut(self, tier: int, table: pa.Table) -> tuple[pa.Table, pa.ChunkedArray | None]:
        """The rows that are chosen, and their texts apart."""
        if self._chosen is not None:
            table = table.filter(pa.array(_among(array(table["state"]), self._chosen.get(tier))))
        if "position" not in table.column_names:
            return table, None
        return table.drop_columns(["position"]), table["position"]

    def _edges(self, block: Block) -> Edges:
        return expand(self.solution.engine, block.tier, np.require(block.states, requirements="W"))

    def _moves(self, block: Block, children: Children) -> BlockMoves:
        edges = self._edges(block)
        values, remoteness = children.worths(edges)
        optimal = values == array(block.table["value"])[edges.rows]
        inside = np.ones(len(edges.rows), dtype=bool)
        if self._chosen is not None:
            for number, lead in edges.by_tier():
                inside[lead] = _among(edges.children[lead], self._chosen.get(number))
        return BlockMoves(edges.rows, edges.codes, edges.children, values, remoteness, optimal, inside)


def _among(states: np.ndarray, chosen: np.ndarray | None) -> np.ndarray:
    """Which of the states are chosen, bool[n]."""
    if chosen is None:
        return np.zeros(len(states), dtype=bool)
    places = np.minimum(np.searchsorted(chosen, states), len(chosen) - 1)
    return np.asarray(chosen[places] == states)
