"""Check the directory of a bidding solution: that files are what was written, and numbers what the rules say."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from analysis.bidding.bidding_report import BiddingReport, place_of
from analysis.bidding.bidding_solution import BiddingTotals
from analysis.bidding.bidding_store import manifest_of, position_table, read_bidding_manifest, schema, stored_bidding
from analysis.bidding.board_tiers import BoardTier
from analysis.bidding.exact_values import LevelWorth
from analysis.bidding.kernels.bid_rules import NO_BID
from analysis.bidding.least_chips import tabulate
from analysis.bidding.solved_boards import Mixed, SolvedBoards
from analysis.bidding.state_layout import StateLayout
from analysis.bidding.verification.bid_certificates import BETTER, Bids, best_placements, certified
from analysis.bidding.verification.played_boards import play_boards, symmetries
from analysis.errors import OptionError, SymmetryError, VerificationError
from analysis.games.bidding import SIDES, Bidding
from analysis.machine.arguments import checked, differences
from analysis.machine.workers import Progress, no_progress
from analysis.storage.directory import MANIFEST, TIERS, part_name, part_path, tier_name
from analysis.storage.integrity import check_files, first_difference, not_as_written, read_tier_files
from analysis.storage.parquet import PartFile

OF_MIXED = ["value", "value_numerator", "value_denominator", "x_mix", "o_mix"]
"""Columns of which a state without a saddle point may have this or that, as long as the mixes prove the value."""


@checked
def verify(directory: str | Path, *, progress: Progress = no_progress) -> BiddingReport:
    """Check every file and every number of the ``directory`` of a bidding solution; ``progress`` is told how far it is.

    The boards are played again, and each state is compared with those after it: its placements have to be the best, its
    bids to get each side the value whatever the other bids, which proves the value. The manifest follows, also the
    least chips for each total. Rounded values may miss theirs by 2e-9 of the range of what is bid for. Raises
    `StoreError` where there is no bidding solution at all, and `VerificationError` where one is not what the rules
    say, which names the file, or the first state that fails and the column.
    """
    directory = Path(directory)
    manifest, path = read_bidding_manifest(directory), directory / MANIFEST
    game = stored_bidding(directory, manifest)
    if manifest["rules_hash"] != game.rules_hash():
        raise VerificationError(f"{path}: made by other rules than {game.spec} has now (rules_hash)")
    with not_as_written(directory):
        recorded = read_tier_files(directory, manifest, game.rules_hash())
        for data in recorded:
            names = [part_name(data["tier"], number) for number in range(max(1, len(data["positions"])))]
            if [part["file"] for part in data["positions"] if part["rows"]] != names or "moves" in data:
                raise VerificationError(f"{directory / TIERS / tier_name(data['tier'])}: not what gametree writes")
        files = check_files(directory, recorded, ["positions"])
        rules, kind = game.base.either_side(), manifest["symmetry"]["kind"]  # refused where there is no game to ask
        assert rules is not None
        try:
            order, canonical, orbit_sizes = symmetries(rules, kind)
        except (OptionError, SymmetryError) as error:
            raise VerificationError(f"{path}: {error}") from None
        tiers, totals = play_boards(rules, canonical, orbit_sizes, progress), list[BiddingTotals]()
        if [data["tier"] for data in recorded] != list(range(len(tiers))):
            raise VerificationError(f"{path}: totals are not of the tiers 0 to {len(tiers) - 1}")
        check = _TierCheck(game, bool(manifest["tables"]["text"]), directory / "positions")
        for tier, data in zip(reversed(tiers), reversed(recorded), strict=True):
            progress("verifying", len(totals), len(tiers))
            totals.insert(0, check.tier(tier, data["positions"]))
        root = check.level.table[check.level.ranks[0, check.layout.column(game.start)]]
        least = tabulate(game, max(map(len, tiers)), lambda *of: _forced(game, tiers, *of), progress)
        derived = (int(tiers[0].states[0]), rules.payoffs, (kind, order), root, totals, least)
        wanted = manifest_of(game, *derived, text=check.text) | {name: manifest[name] for name in ("schema", TIERS)}
        wanted |= {"gametree": str(manifest["gametree"]), "entries": ["positions", TIERS]}
        for place, found, right in differences(manifest, wanted):
            raise VerificationError(f"{path}: {place} is {found}, the rules say {right}")
    counts = {name: manifest[name] for name in ("boards", "states", "mixed")}
    return BiddingReport(game.spec, files, **counts, totals=least[-1].total + 1)


verify_bidding = verify  # the name that it had


class _TierCheck:
    """The check of the tables in a ``folder``, tier by tier, the last first."""

    def __init__(self, game: Bidding, text: bool, folder: Path) -> None:
        self._game, self.text, self._folder, self.layout = game, text, folder, StateLayout.of(game)
        self._bids = Bids(self.layout, game.ties, sum(game.budgets))
        self.level = LevelWorth.joined(self.layout.columns, [])

    def tier(self, tier: BoardTier, parts: list[dict[str, Any]]) -> BiddingTotals:
        """Check a tier beside the one after it, and count its states."""
        ends = np.cumsum(np.where(tier.over, 1, self.layout.columns))
        solved, rows, first = list[tuple[LevelWorth, BiddingTotals]](), 0, 0
        for part in parts:
            stored = PartFile(part_path(self._folder, part), part).read()
            if not stored.schema.equals(schema(text=self.text)) or first == len(tier):
                raise VerificationError(f"{part['file']}: has other columns or types than it should, or too many rows")
            rows += len(stored)
            boards = slice(first, min(int(np.searchsorted(ends, rows)) + 1, len(tier)))
            solved.append(self._part(tier.some(boards), stored))
            first = boards.stop
        if first < len(tier):  # a board is missing
            self._part(tier.some(slice(first, first + 1)), stored.slice(0, 0))
        levels, counts = zip(*solved, strict=True)
        self.level = LevelWorth.joined(self.layout.columns, levels)
        return BiddingTotals.joined(tier.number, counts)

    def _part(self, boards: BoardTier, stored: pa.Table) -> tuple[LevelWorth, BiddingTotals]:
        """Check the rows of some boards of a tier."""
        x_best, x_moves = best_placements(boards.x, self.level.ranks, 1)
        o_best, o_moves = best_placements(boards.o, self.level.ranks, -1)
        table, best, coin = self._bids.ranked(self.level.table, {"X": x_best.T, "O": o_best.T})
        least = {side: np.empty(of_side.shape, dtype=np.int16) for side, of_side in best.items()}
        low, high = (self._bids.pure(side, best, coin, least[side]).T for side in SIDES)
        x_bids, o_bids = (np.where(low == high, least[side].T, np.int16(NO_BID)) for side in SIDES)

        def compare(mixed: Mixed, but: list[str]) -> SolvedBoards:
            solved = SolvedBoards.of(boards, table, low, (x_bids, o_bids), (x_moves, o_moves), mixed)
            wanted = position_table(self.layout, solved, slice(0, len(boards)), self._game.base if self.text else None)
            if different := first_difference(stored, wanted.drop_columns(but)):
                at, name, was, due = different
                raise VerificationError(f"{place_of(self._game, wanted, at)}: {name} is {was!r}, the rules say {due!r}")
            return solved

        states = np.argwhere(low != high)
        solved = compare({}, OF_MIXED if len(states) else [])
        rows = np.flatnonzero(stored["x_chips"].is_valid().to_numpy() & stored["x_bid"].is_null().to_numpy())
        batches = stored.select(OF_MIXED).take(rows).to_batches(1 << 12)
        said, ties = (
            (row for batch in batches for row in batch.to_pylist()),
            self._bids.ties(best, coin) if len(states) else {},
        )
        known, mixed = dict[bytes, Any](), Mixed()  # equal states are many
        for (board, column), row, numbers in zip(states.tolist(), rows.tolist(), said, strict=True):
            ranks, legal = self._bids.matrix(board, column, best, ties)
            matrix = [[table[rank] for rank in line] for line in ranks]
            key = hashlib.sha256(repr((matrix, legal, numbers)).encode()).digest()
            try:
                known[key] = mixed[board, column] = known.get(key) or certified(matrix, legal, numbers)
            except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
                raise VerificationError(f"{place_of(self._game, stored, row)}: value and mixes: {error}") from None
        solved = compare(mixed, []) if mixed else solved
        return solved.level(), BiddingTotals.of(solved)


def _forced(game: Bidding, tiers: list[BoardTier], layout: StateLayout, total: int) -> np.ndarray:
    """What X can force at the start with up to so many chips in each column: -1, 0 or 1."""
    bids, below = Bids(layout, game.ties, total), np.empty((0, layout.columns), np.uint8)
    size = (1 << 22) // layout.columns  # boards at a time
    for tier in reversed(tiers):
        worth = np.repeat((np.sign(tier.payoffs) + 1).astype(np.uint8)[:, None], layout.columns, axis=1)
        for low in range(0, len(tier), size):
            some = tier.some(slice(low, min(low + size, len(tier))))
            best = {}
            for side, at in zip(SIDES, (some.x, some.o), strict=True):
                placed = BETTER[side].reduceat(below[at.rows], at.offsets[:-1], axis=0)
                best[side] = np.ascontiguousarray(placed.T)
            worth[low + some.playing] = bids.pure("X", best).T
        below = worth
    return below[0].astype(np.int8) - 1
