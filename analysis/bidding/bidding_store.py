"""Write and open the directories of bidding solutions; `bidding_solving.solve` describes the columns."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ..engine import columns
from ..engine.columns import column
from ..engine.engine import Engine, resting
from ..errors import GametreeError, StoreError
from ..games.bidding import SIDES, Bidding, BiddingState
from ..games.families import BIDDING, load_game
from ..machine.arguments import NATURAL, fits
from ..machine.version import __version__
from ..machine.workers import Workers
from ..rules.game import Game, GameLike, Rules
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
from ..solution.storage.stored_games import StoredEngine, StoredGame, refuse_other_rules, stored_game
from ..solution.storage.stored_tier import StoredTier
from .bidding_rules import StateLayout
from .bidding_solution import (
    TOTALS_FORM,
    Bid,
    BiddingSolution,
    BiddingTotals,
    Bids,
    BoardRecord,
    drawn_bids,
    sums_of,
)
from .board_tiers import SolvedBoards, board_engine
from .exact_values import Value, is_small, stored_value, value_json
from .kernels import NO_BID


class BiddingWriter(SolutionDirectory):
    """Writes the solution of a ``game`` into a directory, tier by tier, including the boards as ``text`` if wanted; as
    a context manager it leaves nothing behind unless finished.
    """

    def __init__(self, directory: Path, game: Bidding, workers: Workers, *, text: bool = False) -> None:
        super().__init__(directory, ["positions"])
        self._game, self._workers, self._text = game, workers, text

    def write_tier(self, solved: SolvedBoards) -> None:
        """Write the files of a tier, each of about `columns.PART` rows, then its JSON."""
        number, layout = solved.boards.number, StateLayout.of(self._game)
        files = np.cumsum(np.where(solved.boards.over, 1, layout.columns)) // columns.PART
        cuts = [0, *(np.flatnonzero(np.diff(files)) + 1).tolist(), len(files)]

        def write_part(part: tuple[int, slice]) -> dict[str, Any]:
            table = position_table(layout, solved, part[1], self._game.base if self._text else None)
            return parquet.write_table(self.partial / "positions" / part_name(number, part[0]), table)

        parts = [slice(low, high) for low, high in itertools.pairwise(cuts) if high > low]
        written = list(self._workers.map(write_part, enumerate(parts)))
        data = {"tier": number, "rows": sum(part["rows"] for part in written), "rules_hash": self._game.rules_hash()}
        self.write_tier_json(number, {**data, "positions": written})

    def write_solution(self, engine: Engine, totals: Sequence[BiddingTotals]) -> None:
        """Move everything into place, the manifest last."""
        stored = [StoredBoards.open(self.partial, row.tier, self.tier_sums[row.tier]).find for row in totals]
        solution = BiddingSolution(self._game, resting(engine), stored, totals)
        boards = {"start": engine.canonical(self._game.start.board), "payoffs": list(engine.payoffs)}
        boards["symmetry"] = {"kind": solution.symmetry, "order": solution.symmetry_order}
        self.finish(manifest_of(self._game, boards, solution.root.value, totals, text=self._text))


def manifest_of(
    game: Bidding,
    boards: dict[str, Any],
    value: Value,
    totals: Sequence[BiddingTotals],
    *,
    text: bool,
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
        "totals": [dataclasses.asdict(row) for row in totals],
    }


# Opened ---------------------------------------------------------------------------------------------------------------


def open_solution(directory: str | Path, game: GameLike | None = None) -> BiddingSolution:
    """Open the solution in a ``directory``; tables are read when needed. ``game``, a game or its specification, is what
    it solves, wherever its file was then (default: as the manifest names it; for user games see
    `analysis.open_solution`). Raises `StoreError` if the directory holds no bidding solution, or one by other rules
    than the game has now.
    """
    directory = Path(directory)
    manifest = read_bidding_manifest(directory)
    game = stored_bidding(directory, manifest) if game is None else load_game(game)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory} holds the solution of {manifest['game']}, but {game.spec} is not a bidding game")
    refuse_other_rules(directory, manifest, game)
    try:
        totals = [BiddingTotals(**row) for row in manifest["totals"]]
        sums = manifest[TIERS]
        stored = [StoredBoards.open(directory, row.tier, sums[tier_name(row.tier)]).find for row in totals]
        symmetry = manifest["symmetry"]["kind"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{directory} is damaged: its manifest or tiers/ are not what was written ({error})") from None
    if isinstance(game, StoredBidding):
        engine: Engine = StoredEngine(game.named, {**manifest, "loopy": False, "by_ply": True})
    else:
        engine = board_engine(game.base, symmetry=symmetry, workers=Workers(1))
    solution = BiddingSolution(game, engine, stored, totals)
    solution.directory = directory
    return solution


_FORMS: dict[str, Any] = {
    "game": str, "parameters": dict, "rules_hash": str, "start": NATURAL, "payoffs": [int, 2],
    "symmetry": SYMMETRY_FORM, "tables": {"text": bool}, "totals": [TOTALS_FORM],
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
    """Return the game that a manifest names. Raises `StoreError`."""
    game = stored_game(directory, manifest)
    if isinstance(game, StoredGame):
        return StoredBidding.of(directory, manifest, game)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory / MANIFEST} is damaged: {game.spec} is not a bidding game")
    return game


class StoredBidding(Bidding):
    """A game on the board of a user game whose file was not named (see `without_rules`): the chips and the holder are
    as in the manifest; boards are written as numbers.
    """

    named: StoredGame
    board: int

    @classmethod
    def of(cls, directory: Path, manifest: Mapping[str, Any], named: StoredGame) -> Self:
        """Return the game in a ``directory``. Raises `StoreError` for invalid parameters."""
        try:
            checked = Bidding(**{**manifest["parameters"], "game": "tictactoe"})  # on a board that is known
        except (GametreeError, AttributeError, TypeError, ValueError) as error:
            raise StoreError(f"{directory} is damaged: its parameters are not what was written ({error})") from None
        game = cls.__new__(cls)
        vars(game).update(vars(checked) | {"base": named, "named": named, "board": manifest["start"]})
        return game

    @property
    def spec(self) -> str:
        """The name in the manifest."""
        return self.named.spec

    @property
    def start(self) -> BiddingState:
        """The first board, as canonical, and full purses."""
        return BiddingState(self.board, *self.budgets, self.first)

    def rules_hash(self) -> str:
        """Return the hash in the manifest."""
        return self.named.digest

    def rules(self) -> Rules:
        """Raise `RulesNeededError`."""
        self.named.refuse()

    @property
    def slug(self) -> str:
        """Raises `RulesNeededError`: a manifest does not name folders."""
        self.named.refuse()


# What tiers know of one board, in memory and on the disk --------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class MemoryTable:
    """A solved tier in memory."""

    layout: StateLayout
    tier: SolvedBoards

    def find(self, board: int) -> BoardRecord | None:
        """See `FindBoard`."""
        boards = self.tier.boards
        row = int(np.searchsorted(boards.states, board))
        if row == len(boards) or boards.states[row] != board:
            return None
        place = int(np.searchsorted(boards.playing, row))
        if place == len(boards.playing) or boards.playing[place] != row:
            return BoardRecord.ended(Fraction(int(boards.payoffs[row])))
        return BoardRecord(False, functools.partial(self._value, place), functools.partial(self._bids, place))

    def _value(self, place: int, column: int) -> Value:
        return self.tier.table[self.tier.ranks[place, column]]

    def _bids(self, place: int, column: int) -> Bids:
        if self.tier.x_bids[place, column] == NO_BID:
            return drawn_bids(self.tier.mixed[place, column], self.layout.bids(column % self.layout.purses))
        pure = zip(SIDES, (self.tier.x_bids, self.tier.o_bids), strict=True)
        return {side: (Bid(int(of_side[place, column]), Fraction(1)),) for side, of_side in pure}


class StoredBoards(StoredTier):
    """A tier on disk."""

    def find(self, board: int) -> BoardRecord | None:
        """See `FindBoard`. Raises `StoreError`."""
        found = []
        for part, group in self._groups(board):
            table = part.group(group, part.file.schema.names)
            first, last = np.searchsorted(columns.array(table["state"]), [board, board + 1]).tolist()
            found.append(table.slice(first, last - first))
        if not any(map(len, found)):
            return None
        rows = pa.concat_tables(found)
        names = ("value", "value_numerator", "value_denominator")
        values = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
        if rows["terminal"][0].as_py():
            return BoardRecord.ended(stored_value(*values[0]))

        def bids(column: int) -> Bids:
            row, lower = rows.slice(column, 1).to_pylist()[0], {side: side.lower() for side in SIDES}
            if row["x_bid"] is not None:
                return {side: (Bid(row[f"{name}_bid"], Fraction(1)),) for side, name in lower.items()}
            parts = ("probability", "numerator", "denominator")
            return {
                side: tuple(Bid(drawn["bid"], stored_value(*map(drawn.get, parts))) for drawn in row[f"{name}_mix"])
                for side, name in lower.items()
            }

        return BoardRecord(False, lambda column: stored_value(*values[column]), bids)


# The Parquet tables, from solved tiers --------------------------------------------------------------------------------

MIX = pa.list_(
    pa.struct(
        [("bid", pa.int16()), ("probability", pa.float64()), ("numerator", pa.int64()), ("denominator", pa.int64())]
    )
)


def schema(*, text: bool) -> pa.Schema:
    """Return the columns of ``positions/``. A finished board has one row, without chips, bids or moves."""
    fields = {
        "state": pa.int64(),
        "tier": pa.int16(),
        "x_chips": pa.int16(),
        "o_chips": pa.int16(),
        "advantage": pa.int8(),
        "value": pa.float64(),
        "value_numerator": pa.int64(),
        "value_denominator": pa.int64(),
        "terminal": pa.bool_(),
        "orbit_size": pa.uint16(),
        "x_bid": pa.int16(),
        "o_bid": pa.int16(),
        "x_mix": MIX,
        "o_mix": MIX,
        "x_move": pa.uint8(),
        "o_move": pa.uint8(),
        **({"position": pa.string()} if text else {}),
    }
    return pa.schema(list(fields.items()))


def position_table(layout: StateLayout, solved: SolvedBoards, boards: slice, game: Game | None) -> pa.Table:
    """Return the rows of some boards, with their text if the ``game`` is given, sorted by state and by column: one for
    a finished board, else one for each column of the layout.
    """
    tier, goes_on = solved.boards, ~solved.boards.over[boards]
    playing = slice(*np.searchsorted(tier.playing, [boards.start, boards.stop]).tolist())
    repeats = np.where(goes_on, layout.columns, 1)
    in_play = np.repeat(goes_on, repeats)
    shape = len(tier.playing), layout.columns

    def each(of_boards: np.ndarray) -> np.ndarray:
        """Repeat values of boards for each of their rows."""
        return np.repeat(of_boards[boards], repeats)

    def states(of_states: np.ndarray, valid: np.ndarray | bool = True) -> pa.Array:
        """Make a column from values of states, by column or also by board, null if finished or not ``valid``."""
        rows, there = np.zeros(len(in_play), dtype=of_states.dtype), in_play.copy()
        rows[in_play] = np.broadcast_to(of_states, shape)[playing].ravel()
        there[in_play] = np.broadcast_to(valid, shape)[playing].ravel()
        return column(rows, there)

    pure, drawn = solved.x_bids != NO_BID, _mixes(layout, solved, playing, np.flatnonzero(in_play))
    found = {
        "state": column(each(tier.states)),
        "tier": column(np.full(len(in_play), tier.number, dtype=np.int16)),
        "x_chips": states(np.tile(layout.x_chips, 2)),
        "o_chips": states(np.tile(layout.o_chips, 2)),
        "advantage": states(np.repeat(np.array([1, -1], np.int8), layout.purses)),
        **_values(solved, in_play, solved.ranks[playing].ravel(), each(tier.payoffs)),
        "terminal": column(~in_play),
        "orbit_size": column(each(tier.orbit_sizes)),
        "x_bid": states(solved.x_bids, pure),
        "o_bid": states(solved.o_bids, pure),
        "x_mix": _spread(drawn["X"], len(in_play)),
        "o_mix": _spread(drawn["O"], len(in_play)),
        "x_move": states(solved.x_moves),
        "o_move": states(solved.o_moves),
    }
    if game is not None:
        found["position"] = text_column(game.format_positions(each(tier.states)))
    return pa.table(found, schema=schema(text=game is not None))


def _values(solved: SolvedBoards, in_play: np.ndarray, ranks: np.ndarray, payoffs: np.ndarray) -> dict[str, pa.Array]:
    exact = np.array([isinstance(value, Fraction) for value in solved.table], dtype=bool)
    fractions = [value if isinstance(value, Fraction) else Fraction(0) for value in solved.table]
    found = {}
    for name, numbers, dtype in (
        ("value", [float(value) for value in solved.table], np.float64),
        ("value_numerator", [value.numerator for value in fractions], np.int64),
        ("value_denominator", [value.denominator for value in fractions], np.int64),
    ):
        values = np.ones(len(in_play), dtype) if name == "value_denominator" else payoffs.astype(dtype)
        there = np.ones(len(values), dtype=bool)
        if len(ranks):
            values[in_play] = np.array(numbers, dtype)[ranks]
            there[in_play] = True if name == "value" else exact[ranks]
        found[name] = column(values, None if there.all() else there)
    return found


def _mixes(layout: StateLayout, solved: SolvedBoards, playing: slice, rows: np.ndarray) -> dict[str, dict[int, Any]]:
    """Return the mixed bids of each side, by row; ``rows`` are the rows of the boards in play."""
    found: dict[str, dict[int, Any]] = {side: {} for side in SIDES}
    for (board, at), mixed in solved.mixed.items():
        if playing.start <= board < playing.stop:
            row, legal = int(rows[(board - playing.start) * layout.columns + at]), layout.bids(at % layout.purses)
            for side, bids, drawn in zip(SIDES, legal, (mixed.rows, mixed.columns), strict=True):
                found[side][row] = [_drawn(bid, p) for bid, p in zip(bids, drawn, strict=True) if p]
    return found


def _spread(by_row: dict[int, Any], rows: int) -> pa.Array:
    return pa.array(map(by_row.get, range(rows)), MIX, size=rows) if by_row else pa.nulls(rows, MIX)


def _drawn(bid: int, probability: Value) -> dict[str, Any]:
    exact = probability if isinstance(probability, Fraction) and is_small(probability) else None
    return {
        "bid": bid,
        "probability": float(probability),
        "numerator": exact and exact.numerator,
        "denominator": exact and exact.denominator,
    }
