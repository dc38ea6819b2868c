"""The tables of solved bidding games: how they are made of solved tiers, counted, and looked up, in memory and in the
files of a directory; `bidding_solving.solve` describes the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.arguments import NATURAL, fits
from ..common.version import __version__
from ..common.workers import Workers
from ..engine import columns
from ..engine.columns import array, column
from ..engine.engine import Engine, resting
from ..errors import StoreError
from ..games.bidding import SIDES, Bidding
from ..games.families import BIDDING, load_game
from ..rules.game import Game, GameLike
from ..solution.storage import parquet
from ..solution.storage.directory import (
    MANIFEST,
    SYMMETRY_FORM,
    TIERS,
    SolutionDirectory,
    open_manifest,
    part_name,
    tier_name,
)
from ..solution.storage.row_files import text_column
from ..solution.storage.store import record_tier
from ..solution.storage.stored_games import StoredGame, refuse_other_rules, stored_game
from ..solution.storage.stored_tier import StoredTier
from .bidding_rules import BidLayout
from .bidding_solution import COUNTS, Bid, BiddingSolution, Bids, BoardRecord, sums_of, value_rows
from .board_tiers import SolvedBoards, board_engine, parts
from .exact_values import Value, is_small, stored_value, value_json
from .kernels import NO_BID

MIX = pa.list_(
    pa.struct(
        [("bid", pa.int16()), ("probability", pa.float64()), ("numerator", pa.int64()), ("denominator", pa.int64())]
    )
)
VALUE = ["value", "value_numerator", "value_denominator"]
SCHEMA = pa.schema(
    {
        "state": pa.int64(), "tier": pa.int16(), "x_chips": pa.int16(), "o_chips": pa.int16(), "advantage": pa.int8(),
        "value": pa.float64(), "value_numerator": pa.int64(), "value_denominator": pa.int64(), "terminal": pa.bool_(),
        "orbit_size": pa.uint16(), "x_bid": pa.int16(), "o_bid": pa.int16(), "x_mix": MIX, "o_mix": MIX,
        "x_move": pa.uint8(), "o_move": pa.uint8(),
    }
)  # fmt: skip
"""The columns of a tier. A finished board has one row, without chips, bids or moves."""
TEXT = pa.field("position", pa.string())

# From solved tiers ----------------------------------------------------------------------------------------------------


def position_table(layout: BidLayout, solved: SolvedBoards, part: slice, game: Game | None = None) -> pa.Table:
    """Return the rows of some boards, with their text if the ``game`` is given, sorted by state and by column: one for
    a finished board, else one for each column of the layout.
    """
    tier, goes_on = solved.boards, ~solved.boards.over[part]
    playing = slice(*np.searchsorted(tier.playing, [part.start, part.stop]).tolist())
    repeats = np.where(goes_on, layout.columns, 1)
    in_play = np.repeat(goes_on, repeats)
    shape, chips = (int(goes_on.sum()), layout.columns), np.arange(layout.purses).astype(np.int16)

    def each(of_boards: np.ndarray) -> np.ndarray:
        """Repeat values of boards for each of their rows."""
        return np.repeat(of_boards[part], repeats)

    def states(of_states: np.ndarray, valid: np.ndarray | bool = True) -> pa.Array:
        """Make a column from values of states [board, column] or [column], null if finished or not ``valid``."""
        rows, there = np.zeros(len(in_play), dtype=of_states.dtype), in_play.copy()
        rows[in_play], there[in_play] = (np.broadcast_to(of, shape).ravel() for of in (of_states, valid))
        return column(rows, there)

    ranks = solved.ranks[part][np.arange(layout.columns) < repeats[:, None]]
    exact = np.array([isinstance(value, Fraction) for value in solved.values])
    fractions = [value if isinstance(value, Fraction) else Fraction(0) for value in solved.values]
    numerators, denominators = zip(*(value.as_integer_ratio() for value in fractions), strict=True)
    pure, mixes = solved.x_bids[playing] != NO_BID, _mixes(layout, solved, playing, np.flatnonzero(in_play))
    table = {
        "state": column(each(tier.states)),
        "tier": column(np.full(len(in_play), tier.number, dtype=np.int16)),
        "x_chips": states(np.tile(chips, 2)),
        "o_chips": states(np.tile(chips[::-1], 2)),
        "advantage": states(np.repeat(np.array([1, -1], np.int8), layout.purses)),
        "value": column(np.array(solved.values, float)[ranks]),
        "value_numerator": column(np.array(numerators, np.int64)[ranks], exact[ranks]),
        "value_denominator": column(np.array(denominators, np.int64)[ranks], exact[ranks]),
        "terminal": column(~in_play),
        "orbit_size": column(each(tier.orbit_sizes)),
        "x_bid": states(solved.x_bids[playing], pure),
        "o_bid": states(solved.o_bids[playing], pure),
        **{name: pa.array(map(of.get, range(len(in_play))), MIX) if of else pa.nulls(len(in_play), MIX)
           for name, of in mixes.items()},
        "x_move": states(solved.x_moves[playing]),
        "o_move": states(solved.o_moves[playing]),
    }  # fmt: skip
    if game is None:
        return pa.table(table, schema=SCHEMA)
    table["position"] = text_column(game.format_positions(each(tier.states)))
    return pa.table(table, schema=SCHEMA.append(TEXT))


def _mixes(layout: BidLayout, solved: SolvedBoards, playing: slice, rows: np.ndarray) -> dict[str, dict[int, Any]]:
    """Return the mixed bids of each side, by row; ``rows`` are the rows of the boards in play."""
    mixes: dict[str, dict[int, Any]] = {"x_mix": {}, "o_mix": {}}
    for (board, at), mixed in solved.mixed.items():
        if playing.start <= board < playing.stop:
            row = int(rows[(board - playing.start) * layout.columns + at])
            for by_row, bids, drawn in zip(mixes.values(), layout.bids(at), (mixed.rows, mixed.columns), strict=True):
                by_row[row] = [_drawn(bid, p) for bid, p in zip(bids, drawn, strict=True) if p]
    return mixes


def _drawn(bid: int, probability: Value) -> dict[str, Any]:
    exact = isinstance(probability, Fraction) and is_small(probability)
    numerator, denominator = probability.as_integer_ratio() if exact else (None, None)
    return {"bid": bid, "probability": float(probability), "numerator": numerator, "denominator": denominator}


def totals_of(layout: BidLayout, number: int, tables: Sequence[pa.Table]) -> dict[str, Any]:
    """Return the counts of a tier. All but ``classes`` count symmetric boards separately; a state is a board where the
    game goes on, a split of the chips, and a holder of the advantage. ``values`` are ascending.
    """
    every = pa.concat_tables([table.select([*VALUE, "terminal", "orbit_size", "x_bid"]) for table in tables])
    over, playing = every.filter(every["terminal"]), every.filter(pc.invert(every["terminal"]))

    def weight(table: pa.Table, which: Any = None) -> int:
        return pc.sum(table["orbit_size"] if which is None else table["orbit_size"].filter(which)).as_py() or 0

    states, mixed = weight(playing), weight(playing, pc.is_null(playing["x_bid"]))
    sums = playing.group_by(VALUE).aggregate([("orbit_size", "sum")]).to_pylist()
    rows = [
        {**value_json(stored_value(*(row[name] for name in VALUE))), "states": row["orbit_size_sum"]} for row in sums
    ]
    sizes = weight(over) + states // layout.columns, len(over) + len(playing) // layout.columns
    ended = [weight(over, pc.equal(pc.sign(over["value"]), sign)) for sign in (1, -1, 0)]
    rounded = weight(playing, pc.is_null(playing["value_numerator"]))
    counts = dict(zip(COUNTS, (*sizes, *ended, states, states - mixed, mixed, rounded), strict=True))
    return {"tier": number, **counts, "values": value_rows([rows])}


# Looked up ------------------------------------------------------------------------------------------------------------


def record_of(rows: pa.Table) -> BoardRecord | None:
    """Return what the rows of one board tell; None if there are none."""
    if not len(rows):
        return None
    values = [stored_value(*row) for row in zip(*(rows[name].to_pylist() for name in VALUE), strict=True)]

    def bids(at: int) -> Bids:
        row = rows.slice(at, 1).to_pylist()[0]
        return {side: _bids(row[f"{side.lower()}_bid"], row[f"{side.lower()}_mix"]) for side in SIDES}

    if rows["terminal"][0].as_py():
        return BoardRecord(True, lambda at: values[0], lambda at: {})
    return BoardRecord(False, values.__getitem__, bids)


def _bids(bid: int | None, mix: list[dict[str, Any]] | None) -> tuple[Bid, ...]:
    if bid is not None:
        return (Bid(bid, Fraction(1)),)
    return tuple(Bid(drawn.pop("bid"), stored_value(*drawn.values())) for drawn in mix or ())


def _rows(table: pa.Table, board: int) -> pa.Table:
    first, last = np.searchsorted(array(table["state"]), [board, board + 1]).tolist()
    return table.slice(first, last - first)


class HeldBoards(NamedTuple):
    """A tier in memory."""

    table: pa.Table

    def find(self, board: int) -> BoardRecord | None:
        """See `Boards`."""
        return record_of(_rows(self.table, board))


class StoredBoards(StoredTier):
    """A tier on disk."""

    def find(self, board: int) -> BoardRecord | None:
        """See `Boards`. Raises `StoreError`."""
        tables = [_rows(part.group(group, part.file.schema.names), board) for part, group in self._groups(board)]
        return record_of(pa.concat_tables(tables)) if tables else None


# Directories ----------------------------------------------------------------------------------------------------------


class BiddingWriter(SolutionDirectory):
    """Writes the solution of a ``game`` into a directory, tier by tier, including the boards as ``text`` if wanted; as
    a context manager it leaves nothing behind unless finished.
    """

    def __init__(self, directory: Path, game: Bidding, workers: Workers, *, text: bool = False) -> None:
        super().__init__(directory, ["positions"])
        self._game, self._workers, self._text = game, workers, text

    def write_tier(self, solved: SolvedBoards) -> dict[str, Any]:
        """Write the files of a tier, each of about `columns.PART` rows, then its JSON; return its counts."""
        number, layout = solved.boards.number, BidLayout.of(self._game)

        def write_part(part: tuple[int, slice]) -> tuple[dict[str, Any], pa.Table]:
            table = position_table(layout, solved, part[1], self._game.base if self._text else None)
            return parquet.write_table(self.partial / "positions" / part_name(number, part[0]), table), table

        files = enumerate(parts(solved.boards, layout.columns, columns.PART))
        records, tables = zip(*self._workers.map(write_part, files), strict=True)
        record_tier(self, self._game.rules_hash(), number, positions=list(records), moves=[])
        return totals_of(layout, number, tables)

    def write_solution(self, engine: Engine, totals: Sequence[dict[str, Any]]) -> None:
        """Move everything into place, the manifest last."""
        tables = [StoredBoards.open(self.partial, row["tier"], self.tier_sums[row["tier"]]) for row in totals]
        solution = BiddingSolution(self._game, resting(engine), tables, totals)
        boards = {"start": engine.canonical(self._game.start.board), "payoffs": list(engine.payoffs)}
        boards["symmetry"] = {"kind": solution.symmetry, "order": solution.symmetry_order}
        self.finish(manifest_of(self._game, boards, solution.root.value, totals, text=self._text))


def manifest_of(
    game: Bidding, boards: Mapping[str, Any], value: Value, totals: Sequence[dict[str, Any]], *, text: bool
) -> dict[str, Any]:
    """Return the manifest of a solution without the parts that `SolutionDirectory.finish` adds; ``boards`` has the
    start, the payoffs and the symmetry.
    """
    return {
        "kind": BIDDING,
        "gametree": __version__,
        "game": game.lasting_spec,
        "parameters": game.parameters(),
        "rules_hash": game.rules_hash(),
        **boards,
        "tables": {"text": text},
        **value_json(value),
        **sums_of(totals),
        "totals": list(totals),
    }


def open_solution(directory: str | Path, game: GameLike | None = None) -> BiddingSolution:
    """Open the solution in a ``directory``; tables are read when needed. ``game``, a game or its specification, is what
    it solves, wherever its file was then (default: as the manifest names it). Raises `StoreError` if the directory
    holds no bidding solution, or one by other rules than the game has now, and `RulesNeededError` for one on the board
    of a user's game that is neither given nor loaded before.
    """
    directory = Path(directory)
    manifest = read_bidding_manifest(directory)
    game = stored_bidding(directory, manifest) if game is None else load_game(game)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory} holds the solution of {manifest['game']}, but {game.spec} is not a bidding game")
    refuse_other_rules(directory, manifest, game)
    totals, sums = manifest["totals"], manifest[TIERS]
    try:
        tables = [StoredBoards.open(directory, row["tier"], sums[tier_name(row["tier"])]) for row in totals]
    except KeyError as error:
        raise StoreError(f"{directory} is damaged: its manifest or tiers/ are not what was written ({error})") from None
    engine = board_engine(game.base, symmetry=manifest["symmetry"]["kind"], workers=Workers(1))
    solution = BiddingSolution(game, engine, tables, totals)
    solution.directory = directory
    return solution


_TOTALS = {
    **dict.fromkeys(("tier", *COUNTS), int),
    "values": [{"value": (int, float), "value_exact": (str, None), "states": int}],
}
_FORMS: dict[str, Any] = {
    "game": str, "parameters": dict, "rules_hash": str, "start": NATURAL, "payoffs": [int, 2],
    "symmetry": SYMMETRY_FORM, "tables": {"text": bool}, "totals": [_TOTALS],
}  # fmt: skip


def read_bidding_manifest(directory: Path) -> dict[str, Any]:
    """Read the manifest of a bidding solution. Raises `StoreError`."""
    manifest = open_manifest(directory)
    if manifest.get("kind") != BIDDING:
        raise StoreError(f"{directory} holds the solution of {manifest.get('game')}, which is not a bidding game")
    wrong = [name for name, form in _FORMS.items() if not fits(manifest.get(name, ...), form)]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or no longer what was written")
    return manifest


def stored_bidding(directory: Path, manifest: dict[str, Any]) -> Bidding:
    """Return the game that a manifest names. Raises `StoreError` and `RulesNeededError`."""
    game = stored_game(directory, manifest)
    if isinstance(game, StoredGame):
        game.refuse()
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory / MANIFEST} is damaged: {game.spec} is not a bidding game")
    return game
