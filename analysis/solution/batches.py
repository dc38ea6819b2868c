"""Yield all classes of a solution as Arrow record batches, tier by tier, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.wording import in_words
from ..engine.columns import COUNT_COLUMNS, DECIMAL, array, column, text_column
from ..engine.tiers import SolvedTier
from ..errors import MissingDataError, OptionError
from ..rules.game import Game
from .lookup import known_moves, rows_together

if TYPE_CHECKING:
    from .solution import Solution

MOVE_COLUMNS = ("legal_moves", "optimal_moves")
CODES = pa.list_(pa.field("item", pa.uint16(), nullable=False))


class Batches:
    """The classes of some ``tiers`` of a solution, in batches of at most ``size`` rows; see `Solution.batches`."""

    def __init__(
        self,
        solution: Solution,
        tiers: Sequence[SolvedTier],
        size: int,
        columns: Sequence[str] | None,
        *,
        moves: bool,
        text: bool,
    ) -> None:
        if size < 1:
            raise OptionError(f"batches of {size} rows are none; give 1 or more")
        self._solution, self._tiers, self._size = solution, tiers, size
        self._moves = moves
        self.classes = sum(map(len, tiers))
        """The number of all rows."""
        stored = _schema(solution, tiers)
        names = [name for name in stored.names if name != "position"] if columns is None else [*columns]
        if unknown := next((name for name in names if name not in stored.names), None):
            raise MissingDataError(f"there is no column {unknown!r}; choose from {in_words(stored.names)}")
        fields = [stored.field(name) for name in names]
        fields += [pa.field("position", pa.string())] if text and "position" not in names else []
        fields += [pa.field(name, CODES, False) for name in MOVE_COLUMNS * moves]
        self.schema = pa.schema(fields)
        """The columns."""
        self._read = [name for name in names if name != "position"]

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches."""
        engine = self._solution.engine
        together = max(self._size, 1 << rows_together(engine).bit_length() - 1) if self._moves else self._size
        names = list(dict.fromkeys(["state", "value", *self._read]))
        for tier in self._tiers:
            for piece in tier.pieces(together, names):
                whole = self._table(tier, piece)
                yield from whole.to_batches(max_chunksize=self._size)

    def _table(self, tier: SolvedTier, piece: pa.Table) -> pa.Table:
        game, states = self._solution.game, np.require(array(piece["state"]), requirements="W")
        columns = {name: piece[name].combine_chunks() for name in self._read}
        if "value" in columns:
            columns["value"] = worth_column(game, array(piece["value"]))
        if "position" in self.schema.names:
            columns["position"] = text_column(game.format_positions(states))
        if self._moves:
            columns |= dict(zip(MOVE_COLUMNS, self._lists(tier, states, array(piece["value"])), strict=True))
        arrays = [pc.cast(columns[field.name], field.type) for field in self.schema]
        return pa.table(arrays, schema=self.schema)

    def _lists(self, tier: SolvedTier, states: np.ndarray, values: np.ndarray) -> list[pa.Array]:
        """Return the codes of legal moves and of those that keep the value, in lists, ascending."""
        below = {other.number: other for other in self._solution.tiers}
        collected: list[list[np.ndarray]] = [[], [], []]
        for rows, edges, after, _ in known_moves(self._solution.engine, below, tier.number, states):
            parents = rows.start + edges.rows
            for column_pieces, piece in zip(collected, (parents, edges.codes, after == values[parents]), strict=True):
                column_pieces.append(piece)
        parents, codes, optimal = (np.concatenate(pieces) for pieces in collected)
        lists = []
        for chosen in (np.ones(len(codes), bool), optimal):
            counts = np.bincount(parents[chosen], minlength=len(states))
            ends = np.cumsum([0, *counts], dtype=np.int32)
            lists.append(pa.ListArray.from_arrays(column(ends), column(codes[chosen].astype(np.uint16))))
        return lists


def _schema(solution: Solution, tiers: Sequence[SolvedTier]) -> pa.Schema:
    """Return the columns of all tiers; counts are decimals in all if they are in one."""
    schemas = [next(tier.pieces(1)).schema for tier in tiers]
    fields = []
    for field in schemas[0]:
        kind = field.type
        if field.name in COUNT_COLUMNS and any(schema.field(field.name).type == DECIMAL for schema in schemas):
            kind = DECIMAL
        if field.name == "value":
            kind = worth_column(solution.game, np.empty(0, np.int16)).type
        fields.append(field.with_type(kind))
    return pa.schema(fields)


def worth_column(game: Game, values: np.ndarray) -> pa.Array:
    """Return the numbers that values stand for, or texts if some of them are fractions."""
    if game.worths is None:
        return column(values)
    worths = [game.worth(value) for value in values.tolist()]
    if any(isinstance(worth, Fraction) for worth in game.worths.values()):
        return pa.array(map(str, worths), pa.string())
    return pa.array(worths, pa.array([*game.worths.values()]).type)
