"""One tier of a bidding solution: values, bids and placements of all its states against those of the next tier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from analysis.bidding.bidding_store import schema
from analysis.bidding.exact_values import LevelWorth, Value, ascending, mean, ranks_in, value_json
from analysis.bidding.verification.bid_certificates import (
    NONE,
    Bidder,
    Entries,
    MatrixOfBids,
    RefusedError,
    check_mixes,
)
from analysis.bidding.verification.played_boards import PlayedPlacements, PlayedTier, Purses
from analysis.bidding.verification.stored_rows import FileRows
from analysis.errors import VerificationError
from analysis.games.bidding import SIDES, Bidding
from analysis.storage.directory import part_path
from analysis.storage.parquet import PartFile

CHUNK = 1 << 21
"""About how many placements times columns are compared at a time: some 100 MB."""

ENDS = (("X", 1), ("O", -1), ("tie", 0))
BEST = {"X": np.maximum, "O": np.minimum}


class TierCheck:
    """Checks the files of one tier, one after the other. All methods raise `VerificationError`."""

    def __init__(self, game: Bidding, text: bool, tier: PlayedTier, below: LevelWorth) -> None:
        self._game, self._text, self._tier, self._below = game, text, tier, below
        self._purses = Purses.of(game, *game.budgets)
        self._columns = len(game.holders) * len(self._purses)
        self._placements = {side: tier.placements(side) for side in SIDES}
        self._files: list[tuple[list[Value], np.ndarray]] = []
        self._states: Counter[tuple[Value, bool]] = Counter()
        self._saddles = 0

    def files(self, folder: Path, parts: Sequence[dict[str, Any]]) -> LevelWorth:
        """All files of the tier, in order; what it is worth to the tier before it."""
        low = 0  # the first board of the next file
        for part in parts:
            low = self._file(part_path(folder, part), part, low)
        if low < len(self._tier.states):
            text = self._game.base.format_position(int(self._tier.states[low]))
            raise VerificationError(f"tier {self._tier.number}, board {text}: not stored")
        return LevelWorth.joined(self._columns, self._files)

    def _file(self, path: Path, part: dict[str, Any], low: int) -> int:
        table = PartFile(path, part).read()
        if not table.schema.equals(schema(text=self._text)):
            raise VerificationError(f"{path}: has other columns or types than gametree writes")
        rows = FileRows(self._game, self._purses, self._tier, low, table)
        values, ranks = rows.values()
        rows.check_finished(self._tier.payoffs[rows.boards], values, ranks)
        worth = np.empty((len(rows.over), self._columns), dtype=np.int32)
        worth[rows.over] = ranks[~rows.in_play][:, None]
        worth[~rows.over] = ranks[rows.in_play].reshape(-1, self._columns)
        first = int((~self._tier.over[: rows.boards.start]).sum())
        in_play = slice(first, first + int((~rows.over).sum()))  # by number among the boards in play of the tier
        placements = {side: found.of(in_play) for side, found in self._placements.items()}
        StateCheck(self._game, rows, values, worth[~rows.over], self._below).run(placements)
        self._count(rows, values, worth[~rows.over])
        self._files.append((values, worth))
        return rows.boards.stop

    # Totals -----------------------------------------------------------------------------------------------------------

    def _count(self, rows: FileRows, values: list[Value], ranks: np.ndarray) -> None:
        orbits = self._tier.orbits[rows.boards][~rows.over]
        pure = rows.of_states("X", "bid")[1].reshape(ranks.shape)
        self._saddles += int((orbits * pure.sum(axis=1)).sum())
        states = np.zeros(len(values), dtype=np.int64)
        np.add.at(states, ranks, orbits[:, None])
        for value, count in zip(values, states.tolist(), strict=True):
            self._states[value, isinstance(value, float)] += count

    def totals(self) -> dict[str, Any]:
        """The totals of the tier, as the manifest should have them."""
        tier, states = self._tier, sum(self._states.values())
        ended = {name: tier.orbits[tier.over & (np.sign(tier.payoffs) == sign)] for name, sign in ENDS}
        values = [(value, count) for (value, _), count in sorted(self._states.items()) if count]
        return {
            "tier": tier.number,
            "boards": int(tier.orbits.sum()),
            "classes": len(tier.states),
            **{f"terminal_{name}": int(orbits.sum()) for name, orbits in ended.items()},
            "states": states,
            "saddle": self._saddles,
            "mixed": states - self._saddles,
            "rounded": sum(count for value, count in values if isinstance(value, float)),
            "values": [{**value_json(value), "states": count} for value, count in values],
        }


class StateCheck:
    """Checks the states in play of one file."""

    def __init__(
        self, game: Bidding, rows: FileRows, values: list[Value], ranks: np.ndarray, below: LevelWorth
    ) -> None:
        self._game, self._rows, self._below = game, rows, below
        self._purses = Purses.of(game, *game.budgets)
        self._table = ascending([*values, *below.table])
        self._ranks = ranks_in(self._table, values)[ranks]
        self._from_below = ranks_in(self._table, below.table)
        self._bids = {side: rows.of_states(side, "bid") for side in SIDES}
        self._moves = {side: rows.of_states(side, "move") for side in SIDES}

    def run(self, placements: dict[str, PlayedPlacements]) -> None:
        """Check placements and bids, some boards at a time."""
        boards, columns = self._ranks.shape
        self._check_kinds()
        most = max(len(found.children) for found in placements.values())
        size = max(1, CHUNK * boards // max(1, most * columns))
        for low in range(0, boards, size):
            chunk = slice(low, min(low + size, boards))
            entries = Entries(self._purses, self._game.ties, self._table, {}, self._ranks[chunk])
            for side in SIDES:
                best, moves = placements[side].best(chunk, self._below.ranks, BEST[side])
                entries.best[side] = self._from_below[best]
                self._same(f"{side.lower()}_move", low * columns, *self._moves[side], moves.ravel())
            for side in SIDES:
                self._check_pure(side, entries, low * columns)
            self._check_mixed(entries, low * columns)

    def _refuse(self, state: int, what: str) -> NoReturn:
        columns = self._ranks.shape[1]
        self._rows.refuse(self._rows.row_of(state // columns, state % columns), what)

    def _check_kinds(self) -> None:
        """Both sides bid without chance, or both draw their bids."""
        pure = self._bids["X"][1]
        fine = (self._bids["O"][1] == pure) & (self._rows.mixed("X") != pure) & (self._rows.mixed("O") != pure)
        if not fine.all():
            self._refuse(int(np.argmin(fine)), "not just one of x_bid and o_bid, or x_mix and o_mix, is there")

    def _same(self, name: str, first: int, stored: np.ndarray, there: np.ndarray, wanted: np.ndarray) -> None:
        part = slice(first, first + len(wanted))
        wrong = np.flatnonzero((stored[part] != wanted) | ~there[part])
        if len(wrong):
            found = stored[part][wrong[0]] if there[part][wrong[0]] else None
            self._refuse(first + int(wrong[0]), f"{name} is {found}, the rules say {wanted[wrong[0]]}")

    def _check_pure(self, side: str, entries: Entries, first: int) -> None:
        """The stored bid is the least of those that get the side the value, whatever the answer."""
        name, bidder = f"{side.lower()}_bid", Bidder(side, entries)
        stored, there = (found[first : first + entries.value.size] for found in self._bids[side])
        states = np.flatnonzero(there)
        bids = stored[states]
        legal = bidder.legal(states, bids)
        if not legal.all():
            wrong = int(np.argmin(legal))
            self._refuse(first + int(states[wrong]), f"{name} is {bids[wrong]}, which is no legal bid")
        least = bidder.least_that_keeps(states, bids)
        wrong_ones = np.flatnonzero(least != bids)
        if len(wrong_ones):
            wrong = int(wrong_ones[0])
            value = self._table[int(entries.value.ravel()[states[wrong]])]
            says = f"does not get {side} the value {value}" if least[wrong] == NONE else f"the rules say {least[wrong]}"
            self._refuse(first + int(states[wrong]), f"{name} is {bids[wrong]}, {says}")

    def _check_mixed(self, entries: Entries, first: int) -> None:
        states = np.flatnonzero(~self._bids["X"][1][first : first + entries.value.size])
        stored = {side: self._rows.mixes(side, first + states) for side in SIDES}
        values = entries.value.ravel()[states].tolist()
        for at, state in enumerate(states.tolist()):
            mixes = {side: stored[side][at] for side in SIDES}
            try:
                check_mixes(self._matrix(entries, state), self._table[values[at]], mixes)
            except RefusedError as error:
                self._refuse(first + state, str(error))

    def _matrix(self, entries: Entries, state: int) -> MatrixOfBids:
        """What there is to bid for in one state."""
        purse = state % len(self._purses)
        won, bids = {}, {}
        for side in SIDES:
            chips = int(self._purses.chips(side)[purse])
            bids[side] = np.arange(min(self._purses.least, chips), chips + 1)
            ranks = entries.best[side].ravel()[state - purse + self._purses.after(side, np.array(purse), bids[side])]
            won[side] = dict(zip(bids[side].tolist(), map(self._table.__getitem__, ranks.tolist()), strict=True))
        both = np.intersect1d(bids["X"], bids["O"])
        tied = entries.tied(np.full(len(both), state), both)
        pairs = zip(both.tolist(), tied[0].tolist(), tied[1].tolist(), strict=True)
        ties = {bid: mean(self._table[a], self._table[b]) for bid, a, b in pairs}
        return MatrixOfBids(won["X"], won["O"], ties)
