"""Make tables of solved tiers of bidding games, count them, and look them up, in memory and in the files of a
directory; `bidding_solving.solve` describes the columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ..common.arguments import NATURAL, fits
from ..common.version import __version__
from ..common.workers import Workers
from ..engine import columns
from ..engine.columns import array, column, text_column
from ..engine.engine import Engine
from ..errors import StoreError
from ..games.bidding import SIDES, Bidding
from ..games.families import BIDDING, load_game
from ..rules.game import GameLike
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
from ..solution.storage.store import record_tier
from ..solution.storage.stored_games import StoredGame, refuse_other_rules, stored_game
from ..solution.storage.stored_tier import StoredTier
from .bidding_solution import COUNTS, Bid, BiddingSolution, Bids, BoardRecord, drawn_bids
from .board_tiers import SolvedBoards, board_engine, parts
from .exact_values import stored_parts, stored_value, value_json
from .kernels import NO_BID

MIX = pa.list_(
    pa.struct(
        [("bid", pa.int16()), ("probability", pa.float64()), ("numerator", pa.int64()), ("denominator", pa.int64())]
    )
)
MIX_VALUE = ("probability", "numerator", "denominator")
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


def position_table(game: Bidding, solved: SolvedBoards, part: slice, *, text: bool) -> pa.Table:
    """Return the rows of some boards, with their ``text`` if wanted, sorted by state and by column: one for a finished
    board, else one for each column.
    """
    tier, goes_on = solved.boards, ~solved.boards.over[part]
    playing = slice(*np.searchsorted(tier.playing, [part.start, part.stop]).tolist())
    repeats = np.where(goes_on, game.columns, 1)
    in_play = np.repeat(goes_on, repeats)
    shape, chips = (int(goes_on.sum()), game.columns), np.arange(game.splits).astype(np.int16)

    def per_row(of_boards: np.ndarray) -> np.ndarray:
        """Repeat values of boards for each of their rows."""
        return np.repeat(of_boards[part], repeats)

    def states(of_states: np.ndarray, valid: np.ndarray | bool = True) -> pa.Array:
        """Make a column from values of states [board, column] or [column], null if finished or not ``valid``."""
        rows, valid_rows = np.zeros(len(in_play), dtype=of_states.dtype), in_play.copy()
        rows[in_play], valid_rows[in_play] = (np.broadcast_to(of, shape).ravel() for of in (of_states, valid))
        return column(rows, valid_rows)

    ranks = solved.ranks[part][np.arange(game.columns) < repeats[:, None]]
    exact = np.array([isinstance(value, Fraction) for value in solved.values])
    fractions = [value if isinstance(value, Fraction) else Fraction(0) for value in solved.values]
    numerators, denominators = zip(*(value.as_integer_ratio() for value in fractions), strict=True)
    pure, mixes = solved.x_bids[playing] != NO_BID, _mixes(game, solved, playing, np.flatnonzero(in_play))
    table = {
        "state": column(per_row(tier.states)),
        "tier": column(np.full(len(in_play), tier.number, dtype=np.int16)),
        "x_chips": states(np.tile(chips, 2)),
        "o_chips": states(np.tile(chips[::-1], 2)),
        "advantage": states(np.repeat(np.array([1, -1], np.int8), game.splits)),
        "value": column(np.array(solved.values, float)[ranks]),
        "value_numerator": column(np.array(numerators, np.int64)[ranks], exact[ranks]),
        "value_denominator": column(np.array(denominators, np.int64)[ranks], exact[ranks]),
        "terminal": column(~in_play),
        "orbit_size": column(per_row(tier.orbit_sizes)),
        "x_bid": states(solved.x_bids[playing], pure),
        "o_bid": states(solved.o_bids[playing], pure),
        **{name: pa.array(map(of.get, range(len(in_play))), MIX) if of else pa.nulls(len(in_play), MIX)
           for name, of in mixes.items()},
        "x_move": states(solved.x_moves[playing]),
        "o_move": states(solved.o_moves[playing]),
    }  # fmt: skip
    if text:
        table["position"] = text_column(game.base.format_positions(per_row(tier.states)))
    return pa.table(table, schema=SCHEMA.append(TEXT) if text else SCHEMA)


def _mixes(game: Bidding, solved: SolvedBoards, playing: slice, rows: np.ndarray) -> dict[str, dict[int, Any]]:
    """Return the mixed bids of each side, by row; ``rows`` are the rows of the boards in play."""
    mixes: dict[str, dict[int, Any]] = {"x_mix": {}, "o_mix": {}}
    for (board, at), mixed in solved.mixed.items():
        if playing.start <= board < playing.stop:
            row = int(rows[(board - playing.start) * game.columns + at])
            for by_row, drawn in zip(mixes.values(), drawn_bids(mixed, game.bids(at)).values(), strict=True):
                by_row[row] = [{"bid": bid, **dict(zip(MIX_VALUE, stored_parts(p), strict=True))} for bid, p in drawn]
    return mixes


def totals_of(game: Bidding, solved: SolvedBoards) -> dict[str, Any]:
    """Return the counts of a tier. All but ``classes`` count symmetric boards separately; a state is a board where the
    game goes on, a split of the chips, and a holder of the advantage. ``values`` are ascending.
    """
    tier, orbits = solved.boards, solved.boards.orbit_sizes.astype(np.int64)
    playing, ended = orbits[tier.playing], orbits * tier.over
    states, mixed = game.columns * int(playing.sum()), int(playing @ (solved.x_bids == NO_BID).sum(axis=1))
    ranks, weights = solved.ranks[tier.playing].ravel(), np.repeat(playing, game.columns)
    counts = np.bincount(ranks, weights, len(solved.values)).astype(np.int64).tolist()  # exact below 2 ** 53
    rows = [{**value_json(value), "states": count} for value, count in zip(solved.values, counts, strict=True) if count]
    won = [int(ended[np.sign(tier.payoffs) == sign].sum()) for sign in (1, -1, 0)]
    rounded = sum(row["states"] for row in rows if row["value_exact"] is None)
    sums = int(orbits.sum()), len(orbits), *won, states, states - mixed, mixed, rounded
    return {"tier": tier.number, **dict(zip(COUNTS, sums, strict=True)), "values": rows}


# Looking up -----------------------------------------------------------------------------------------------------------


def find_solved(game: Bidding, solved: SolvedBoards, board: int) -> BoardRecord | None:
    """Return the record of a board of a tier in memory; None if it is not there."""
    tier = solved.boards
    row = int(np.searchsorted(tier.states, board))
    if row == len(tier.states) or tier.states[row] != board:
        return None
    place, ranks = int(np.searchsorted(tier.playing, row)), solved.ranks[row]

    def bids(at: int) -> Bids:
        if (place, at) in solved.mixed:
            return drawn_bids(solved.mixed[place, at], game.bids(at))
        pure = solved.x_bids[place, at], solved.o_bids[place, at]
        return {side: (Bid(int(bid), Fraction(1)),) for side, bid in zip(SIDES, pure, strict=True)}

    over = place == len(tier.playing) or tier.playing[place] != row
    return BoardRecord(bool(over), lambda at: solved.values[ranks[at]], (lambda at: {}) if over else bids)


class StoredBoards(StoredTier):
    """A tier on disk."""

    def find(self, board: int) -> BoardRecord | None:
        """Return the record of a board; None if it is not there. Raises `StoreError`."""
        groups = [(part, group) for part in self.parts for group in part.groups_among(np.array([board]))]
        tables = [part.group(group, part.file.schema.names) for part, group in groups]
        places = [np.searchsorted(array(table["state"]), [board, board + 1]).tolist() for table in tables]
        pieces = [table.slice(first, last - first) for table, (first, last) in zip(tables, places, strict=True)]
        if not sum(map(len, pieces)):
            return None
        rows = pa.concat_tables(pieces)
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


# Directories ----------------------------------------------------------------------------------------------------------


class BiddingWriter(SolutionDirectory):
    """Writes the solution of a ``game`` into a directory, tier by tier, with the boards as text if ``text``; as a
    context manager it leaves nothing behind unless finished.
    """

    def __init__(self, directory: Path, game: Bidding, workers: Workers, *, text: bool = False) -> None:
        super().__init__(directory, ["positions"])
        self._game, self._workers, self._text = game, workers, text

    def write_tier(self, solved: SolvedBoards) -> dict[str, Any]:
        """Write the files of a tier, each of about `columns.PART` rows, then its JSON; return its counts."""
        number, game = solved.boards.number, self._game

        def write_part(part: tuple[int, slice]) -> dict[str, Any]:
            table = position_table(game, solved, part[1], text=self._text)
            return parquet.write_table(self.partial / "positions" / part_name(number, part[0]), table)

        files = enumerate(parts(solved.boards, game.columns, columns.PART))
        records = list(self._workers.map(write_part, files))
        record_tier(self, game.rules_hash(), number, positions=records, moves=[])
        return totals_of(game, solved)

    def write_solution(self, engine: Engine, start: SolvedBoards, totals: Sequence[dict[str, Any]]) -> None:
        """Move everything into place, the manifest last; ``start`` is the tier of the start."""
        symmetry, text = {"kind": engine.group.kind, "order": engine.order}, self._text
        boards = {"start": int(start.boards.states[0]), "payoffs": list(engine.payoffs), "symmetry": symmetry}
        self.finish(manifest_of(self._game, boards, start, totals, text=text))


def manifest_of(
    game: Bidding, boards: Mapping[str, Any], start: SolvedBoards, totals: Sequence[dict[str, Any]], *, text: bool
) -> dict[str, Any]:
    """Return the manifest of a solution without the parts that `SolutionDirectory.finish` adds; ``boards`` has the
    start, the payoffs and the symmetry, and ``start`` is the tier of the start.
    """
    sums = {name: sum(row[name] for row in totals) for name in COUNTS}
    return {
        "kind": BIDDING,
        "gametree": __version__,
        "game": game.lasting_spec,
        "parameters": game.parameters(),
        "rules_hash": game.rules_hash(),
        **boards,
        "tables": {"text": text},
        **value_json(start.values[start.ranks[0, game.column(game.start)]]),
        "boards": sums.pop("boards"),
        "classes": sums.pop("classes"),
        "terminal": {side: sums.pop(f"terminal_{side}") for side in ("X", "O", "tie")},
        **sums,
        "totals": list(totals),
    }


def open_solution(directory: str | Path, game: GameLike | None = None) -> BiddingSolution:
    """Open the solution in a ``directory``; tables are read when needed. ``game``, a game or its specification, is the
    solved game, wherever its file was then (default: the one in the manifest). Raises `StoreError` if the directory
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
        tables = [StoredBoards.open(directory, row["tier"], sums[tier_name(row["tier"])]).find for row in totals]
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
