"""Write and open the directories of bidding solutions; docs/solution-directory.md describes the tables."""

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

from analysis.bidding.bidding_induction import LeastChips
from analysis.bidding.bidding_rules import StateLayout
from analysis.bidding.bidding_solution import (
    TOTALS_FORM,
    Bid,
    BiddingSolution,
    BiddingTotals,
    Bids,
    BoardRecord,
    sums_of,
)
from analysis.bidding.board_tiers import SolvedBoards, board_engine
from analysis.bidding.exact_values import Value, is_small, stored_as, stored_value, value_json
from analysis.bidding.kernels.bid_rules import NO_BID
from analysis.engine import columns
from analysis.engine.columns import array, column
from analysis.engine.engine import Engine, resting
from analysis.errors import GametreeError, StoreError
from analysis.games.bidding import SIDES, Bidding, BiddingState
from analysis.games.families import load_game
from analysis.machine.arguments import NATURAL, checked, fits
from analysis.machine.version import __version__
from analysis.machine.workers import Workers, no_progress
from analysis.rules.game import Game, HasRules, Rules
from analysis.storage import parquet
from analysis.storage.directory import (
    MANIFEST,
    SYMMETRY_FORM,
    TIERS,
    SolutionDirectory,
    open_manifest,
    part_name,
    tier_name,
)
from analysis.storage.row_files import text_column
from analysis.storage.stored_games import KIND, refuse_other_rules, stored_game
from analysis.storage.stored_tier import StoredTier
from analysis.storage.without_rules import StoredEngine, StoredGame

MIX = pa.list_(
    pa.struct(
        [("bid", pa.int16()), ("probability", pa.float64()), ("numerator", pa.int64()), ("denominator", pa.int64())]
    )
)


class BiddingWriter(SolutionDirectory):
    """Writes the solution of a ``game`` into a directory, tier by tier, with the boards as ``text`` too if wanted; as a
    context manager it leaves nothing behind unless finished.
    """

    def __init__(self, directory: Path, game: Bidding, workers: Workers, *, text: bool = False) -> None:
        super().__init__(directory, ["positions"])
        self._game, self._workers, self._text = game, workers, text

    def write_tier(self, solved: SolvedBoards) -> None:
        """Write the files of a tier, then its JSON."""
        number, layout = solved.boards.number, StateLayout.of(self._game)

        def write_part(part: tuple[int, slice]) -> dict[str, Any]:
            table = position_table(layout, solved, part[1], self._game.base if self._text else None)
            return parquet.write_table(self.partial / "positions" / part_name(number, part[0]), table)

        written = list(self._workers.map(write_part, enumerate(parts(solved, layout.columns))))
        data = {
            "tier": number,
            "rows": sum(part["rows"] for part in written),
            "rules_hash": self._game.rules_hash(),
            "positions": written,
        }
        self.write_tier_json(number, data)

    def write_solution(self, engine: Engine, totals: Sequence[BiddingTotals], least: Sequence[LeastChips]) -> None:
        """Move everything into place, the manifest last."""
        stored = [StoredBoards.open(self.partial, row.tier, self.tier_sums[row.tier]).find for row in totals]
        solution = BiddingSolution(self._game, resting(engine), stored, totals, lambda: least)
        start, symmetry = engine.canonical(self._game.start.board), (solution.symmetry, solution.symmetry_order)
        value = solution.root.value
        self.finish(manifest_of(self._game, start, engine.payoffs, symmetry, value, totals, least, text=self._text))


def manifest_of(
    game: Bidding,
    start: int,
    payoffs: Sequence[int],
    symmetry: tuple[str, int | None],
    value: Value,
    totals: Sequence[BiddingTotals],
    least: Sequence[LeastChips],
    *,
    text: bool,
) -> dict[str, Any]:
    """The manifest of a solution but for what `SolutionDirectory.finish` adds."""
    return {
        "kind": KIND,
        "gametree": __version__,
        "game": game.lasting_spec,
        "parameters": game.parameters(),
        "rules_hash": game.rules_hash(),
        "start": start,
        "payoffs": list(payoffs),
        "symmetry": dict(zip(("kind", "order"), symmetry, strict=True)),
        "tables": {"text": text},
        **value_json(value),
        **sums_of(totals),
        "totals": [row.to_json() for row in totals],
        "least_chips": [row.to_json() for row in least],
    }


@checked
def open_solution(directory: str | Path, game: str | HasRules | None = None) -> BiddingSolution:
    """The solution in a ``directory``; tables are read when they are needed. ``game`` is the game that it is of, or its
    specification, where that is known, wherever its file was then (default: the one that the manifest names; see
    `analysis.open_solution` for user games). Raises `StoreError` where the directory holds no bidding solution, or one
    by other rules than the game has now.
    """
    directory = Path(directory)
    manifest = read_bidding_manifest(directory)
    game = stored_bidding(directory, manifest) if game is None else load_game(game)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory} holds the solution of {manifest['game']}, and {game.spec} is no bidding game")
    refuse_other_rules(directory, manifest, game)
    try:
        totals = [BiddingTotals.from_json(row) for row in manifest["totals"]]
        least = [LeastChips(**row) for row in manifest["least_chips"]]
        sums = manifest[TIERS]
        stored = [StoredBoards.open(directory, row.tier, sums[tier_name(row.tier)]).find for row in totals]
        symmetry = manifest["symmetry"]["kind"]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{directory} is damaged: its manifest or tiers/ are not what was written ({error})") from None
    if isinstance(game, StoredBidding):
        engine = stored_engine(game, manifest)
    else:
        engine = board_engine(game.base, symmetry=symmetry, workers=Workers(1), progress=no_progress)
    return BiddingSolution(game, engine, stored, totals, lambda: least, directory)


_FORMS: dict[str, Any] = {
    "game": str, "parameters": dict, "rules_hash": str, "start": NATURAL, "payoffs": [int, 2],
    "symmetry": SYMMETRY_FORM, "tables": {"text": bool}, "totals": [TOTALS_FORM],
    "least_chips": [
        {"total": int, "advantage": (str, None), "win": (int, None), "tie": (int, None), "more_never_hurts": bool}
    ],
}  # fmt: skip


def read_bidding_manifest(directory: Path) -> dict[str, Any]:
    """The manifest of a bidding solution. Raises `StoreError`."""
    manifest = open_manifest(directory)
    if manifest.get("kind") != KIND:
        raise StoreError(f"{directory} holds the solution of {manifest.get('game')}, which is no bidding game")
    wrong = [name for name, form in _FORMS.items() if not fits(manifest.get(name, ...), form)]
    if wrong:
        raise StoreError(f"{directory / MANIFEST} is damaged: {wrong[0]} is missing or no longer what was written")
    return manifest


def stored_bidding(directory: Path, manifest: dict[str, Any]) -> Bidding:
    """The game that a manifest names. Raises `StoreError`."""
    game = stored_game(directory, manifest)
    if isinstance(game, StoredGame):
        return StoredBidding.of(directory, manifest, game)
    if not isinstance(game, Bidding):
        raise StoreError(f"{directory / MANIFEST} is damaged: {game.spec} is no bidding game")
    return game


# The Parquet tables, from solved tiers --------------------------------------------------------------------------------


def schema(*, text: bool) -> pa.Schema:
    """The columns of ``positions/``. A board where the game is over has one row, with no chips, bids and moves."""
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


@dataclasses.dataclass(frozen=True)
class _Rows:
    """Which rows some boards of a tier have: one where the game is over, else one for each column of the layout."""

    boards: slice
    playing: slice  # of the boards in play among them
    repeats: np.ndarray  # int64[boards]
    in_play: np.ndarray  # bool[rows]

    @classmethod
    def of(cls, solved: SolvedBoards, columns: int, boards: slice) -> _Rows:
        goes_on = ~solved.boards.over[boards]
        repeats = np.where(goes_on, columns, 1)
        first, last = np.searchsorted(solved.boards.playing, [boards.start, boards.stop]).tolist()
        return cls(boards, slice(first, last), repeats, np.repeat(goes_on, repeats))

    def each(self, of_boards: np.ndarray) -> np.ndarray:
        """What boards have, for each of their rows."""
        return np.repeat(of_boards[self.boards], self.repeats)

    def states(self, of_states: np.ndarray, valid: np.ndarray | None = None) -> pa.Array:
        """What states [m, columns] have, null where the game is over or not ``valid``."""
        rows = np.zeros(len(self.in_play), dtype=of_states.dtype)
        rows[self.in_play] = of_states[self.playing].ravel()
        there = self.in_play.copy()
        if valid is not None:
            there[self.in_play] = valid[self.playing].ravel()
        return column(rows, there)


def parts(solved: SolvedBoards, states: int) -> list[slice]:
    """The boards of each file of a tier: about `columns.PART` rows."""
    rows = np.cumsum(np.where(solved.boards.over, 1, states))
    files = rows // columns.PART
    cuts = [0, *(np.flatnonzero(np.diff(files)) + 1).tolist(), len(rows)]
    return [slice(low, high) for low, high in itertools.pairwise(cuts) if high > low]


def position_table(layout: StateLayout, solved: SolvedBoards, boards: slice, game: Game | None) -> pa.Table:
    """The rows of some boards, with their text if the ``game`` is given, sorted by state and by column."""
    rows = _Rows.of(solved, layout.columns, boards)
    shape = (len(solved.boards.playing), layout.columns)
    chips = [np.broadcast_to(np.tile(chips, len(layout.holders)), shape) for chips in (layout.x_chips, layout.o_chips)]
    holds = np.repeat(np.array([1, -1], np.int8)[: len(layout.holders)], layout.purses)
    pure = solved.x_bids != NO_BID
    columns = {
        "state": column(rows.each(solved.boards.states)),
        "tier": column(np.full(len(rows.in_play), solved.boards.number, dtype=np.int16)),
        "x_chips": rows.states(chips[0]),
        "o_chips": rows.states(chips[1]),
        "advantage": rows.states(np.broadcast_to(holds, shape), np.full(shape, len(layout.holders) == 2)),
        **_values(solved, rows),
        "terminal": column(~rows.in_play),
        "orbit_size": column(rows.each(solved.boards.orbit_sizes)),
        "x_bid": rows.states(solved.x_bids, pure),
        "o_bid": rows.states(solved.o_bids, pure),
        **_mixes(layout, solved, rows),
        "x_move": rows.states(solved.x_moves),
        "o_move": rows.states(solved.o_moves),
    }
    if game is not None:
        columns["position"] = text_column(game.format_positions(rows.each(solved.boards.states)))
    return pa.table(columns, schema=schema(text=game is not None))


def _values(solved: SolvedBoards, rows: _Rows) -> dict[str, pa.Array]:
    exact = np.array([isinstance(value, Fraction) for value in solved.table], dtype=bool)
    parts = {
        "value": [float(value) for value in solved.table],
        "value_numerator": [value.numerator if isinstance(value, Fraction) else 0 for value in solved.table],
        "value_denominator": [value.denominator if isinstance(value, Fraction) else 1 for value in solved.table],
    }
    ranks = solved.ranks[rows.playing].ravel()
    found = {}
    for name, numbers in parts.items():
        ended = {"value": solved.boards.payoffs, "value_numerator": solved.boards.payoffs}.get(name)
        dtype = np.float64 if name == "value" else np.int64
        values = rows.each(ended).astype(dtype) if ended is not None else np.ones(len(rows.in_play), dtype)
        there = np.ones(len(values), dtype=bool)
        if len(ranks):
            values[rows.in_play] = np.array(numbers, dtype)[ranks]
            there[rows.in_play] = True if name == "value" else exact[ranks]
        found[name] = column(values, None if there.all() else there)
    return found


def _mixes(layout: StateLayout, solved: SolvedBoards, rows: _Rows) -> dict[str, pa.Array]:
    """The mixed bids of each side."""
    mixed = {
        (board - rows.playing.start, at): found
        for (board, at), found in solved.mixed.items()
        if rows.playing.start <= board < rows.playing.stop
    }
    if not mixed:
        return {f"{side.lower()}_mix": pa.nulls(len(rows.in_play), MIX) for side in SIDES}
    in_play = np.flatnonzero(rows.in_play)
    columns: dict[str, list[Any]] = {side: [None] * len(rows.in_play) for side in SIDES}
    for (board, at), found in mixed.items():
        row, legal = in_play[board * layout.columns + at], layout.bids(at % layout.purses)
        for side, bids, drawn in zip(SIDES, legal, (found.rows, found.columns), strict=True):
            columns[side][row] = [_drawn(bid, p) for bid, p in zip(bids, drawn, strict=True) if p]
    return {f"{side.lower()}_mix": pa.array(columns[side], type=MIX) for side in SIDES}


def _drawn(bid: int, probability: Value) -> dict[str, Any]:
    exact = probability if isinstance(probability, Fraction) and is_small(probability) else None
    return {
        "bid": bid,
        "probability": float(probability),
        "numerator": exact and exact.numerator,
        "denominator": exact and exact.denominator,
    }


class StoredBidding(Bidding):
    """The chips and who holds what, as the manifest has them; boards are written as numbers."""

    named: StoredGame
    board: int

    @classmethod
    def of(cls, directory: Path, manifest: Mapping[str, Any], named: StoredGame) -> Self:
        """The game in a ``directory``. Raises `StoreError` where its parameters are none."""
        try:
            checked = Bidding(**{**manifest["parameters"], "game": "tictactoe"})  # on a board that is known
        except (GametreeError, AttributeError, TypeError, ValueError) as error:
            raise StoreError(f"{directory} is damaged: its parameters are not what was written ({error})") from None
        game = cls.__new__(cls)
        vars(game).update(vars(checked) | {"base": named, "named": named, "board": manifest["start"]})
        return game

    @property
    def spec(self) -> str:
        """What it was called."""
        return self.named.spec

    @property
    def start(self) -> BiddingState:
        """The first board, as canonical, and full purses."""
        return BiddingState(self.board, *self.budgets, None if self.ties == "coin" else self.first)

    def rules_hash(self) -> str:
        """The hash in the manifest."""
        return self.named.digest

    def rules(self) -> Rules:
        """Raises `RulesNeededError`."""
        self.named.refuse()

    @property
    def slug(self) -> str:
        """Raises `RulesNeededError`: no folder is called as a manifest says."""
        self.named.refuse()


def stored_engine(game: StoredBidding, manifest: Mapping[str, Any]) -> Engine:
    """The engine of its boards, which has no rules."""
    return StoredEngine(game.named, {**manifest, "loopy": False, "by_ply": True})


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
        if place < len(boards.playing) and boards.playing[place] == row:
            return BoardRecord(False, functools.partial(self._value, place), functools.partial(self._bids, place))
        payoff = Fraction(int(boards.payoffs[row]))
        return BoardRecord(True, lambda column: payoff, lambda column: {})

    def _value(self, place: int, column: int) -> Value:
        return self.tier.table[self.tier.ranks[place, column]]

    def _bids(self, place: int, column: int) -> Bids:
        pure = self.tier.x_bids[place, column], self.tier.o_bids[place, column]
        if pure[0] != NO_BID:
            return {side: (Bid(int(bid), Fraction(1)),) for side, bid in zip(SIDES, pure, strict=True)}
        mixed = self.tier.mixed[place, column]
        legal = self.layout.bids(column % self.layout.purses)
        drawn = zip(SIDES, legal, (mixed.rows, mixed.columns), strict=True)
        return {
            side: tuple(Bid(bid, stored_as(p)) for bid, p in zip(bids, probabilities, strict=True) if p)
            for side, bids, probabilities in drawn
        }


class StoredBoards(StoredTier):
    """A tier on the disk."""

    def find(self, board: int) -> BoardRecord | None:
        """See `FindBoard`. Raises `StoreError`."""
        found = [_rows_of(part.group(group, part.file.schema.names), board) for part, group in self._groups(board)]
        return _stored_record(pa.concat_tables(found)) if any(map(len, found)) else None


def _rows_of(table: pa.Table, board: int) -> pa.Table:
    first, last = np.searchsorted(array(table["state"]), [board, board + 1]).tolist()
    return table.slice(first, last - first)


def _stored_record(rows: pa.Table) -> BoardRecord:
    """What the rows of one board say."""
    names = ("value", "value_numerator", "value_denominator")
    values = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
    if rows["terminal"][0].as_py():
        payoff = stored_value(*values[0])
        return BoardRecord(True, lambda column: payoff, lambda column: {})

    def bids(column: int) -> Bids:
        row = rows.slice(column, 1).to_pylist()[0]
        if row["x_bid"] is not None:
            return {side: (Bid(row[f"{side.lower()}_bid"], Fraction(1)),) for side in SIDES}
        mixes = {side: row[f"{side.lower()}_mix"] for side in SIDES}
        parts = ("probability", "numerator", "denominator")
        return {
            side: tuple(Bid(drawn["bid"], stored_value(*map(drawn.get, parts))) for drawn in mix)
            for side, mix in mixes.items()
        }

    return BoardRecord(False, lambda column: stored_value(*values[column]), bids)
