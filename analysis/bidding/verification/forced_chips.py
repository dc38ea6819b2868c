"""The least chips that force a win or a tie, by recursion over all splits of the chips in NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.bidding.verification.played_boards import PlayedTier, Purses
from analysis.games.bidding import Bidding
from analysis.machine.workers import Progress

ALL = 200
"""Up to this total of chips, that of 100 + 100, all totals are derived again: some ten seconds on the 3 x 3 board."""
CHUNK = 1 << 25
"""About how many numbers are gathered at a time, of one byte each."""

Rows = dict[tuple[int, str | None], dict[str, Any]]
"""Rows of the manifest, by total and holder."""

UNBOUNDED = np.int8(2)
"""Above all payoffs."""


def forced_rows(game: Bidding, tiers: Sequence[PlayedTier], most: int, progress: Progress) -> Rows:
    """What the manifest should say of these totals: those up to `ALL`, and ``most``."""
    rows = Rows()
    if game.pays == "bank":
        progress("verifying the least chips", 0, most)
        purses = Purses.of(game, most, most)
        forced = Recursion(game, purses, np.flatnonzero(purses.x + purses.o <= most)).start(tiers)
        for total in range(most + 1):
            x = np.arange(total + 1)
            rows |= _rows(game, total, forced[:, x * (most + 1) + total - x])
        return rows
    for total in sorted({*range(min(most, ALL) + 1), most}):
        progress("verifying the least chips", total, most)
        purses = Purses.of(game, total, 0)
        rows |= _rows(game, total, Recursion(game, purses, np.arange(len(purses))).start(tiers))
    return rows


def _rows(game: Bidding, total: int, forced: np.ndarray) -> Rows:
    found = Rows()
    for holder, payoffs in zip(game.holders, forced, strict=True):
        least = {name: np.flatnonzero(payoffs >= enough).tolist()[:1] for name, enough in (("win", 1), ("tie", 0))}
        numbers = {name: chips[0] if chips else None for name, chips in least.items()}
        more_never_hurts = all(more >= fewer for fewer, more in itertools.pairwise(payoffs.tolist()))
        found[total, holder] = {"total": total, "advantage": holder, **numbers, "more_never_hurts": more_never_hurts}
    return found


class Recursion:
    """What X is sure of by pure bids, tier by tier; arrays are [holders, purses, boards], of payoffs -1, 0 and 1."""

    def __init__(self, game: Bidding, purses: Purses, wanted: np.ndarray) -> None:
        self._game, self._purses, self._wanted = game, purses, wanted

    def start(self, tiers: Sequence[PlayedTier]) -> np.ndarray:
        """What X is sure of on the first board, int8[holders, purses]."""
        shape = (len(self._game.holders), len(self._purses))
        below = np.zeros((*shape, 0), dtype=np.int8)
        for tier in reversed(tiers):
            worth = np.empty((*shape, len(tier.states)), dtype=np.int8)
            worth[:] = np.sign(tier.payoffs)
            playing = np.flatnonzero(~tier.over)
            if len(playing):
                worth[:, :, playing] = self._tier(tier, len(playing), below)
            below = worth
        return below[:, :, 0]

    def _tier(self, tier: PlayedTier, playing: int, below: np.ndarray) -> np.ndarray:
        found = np.empty((*below.shape[:2], playing), dtype=np.int8)
        sides = [(tier.placements("X"), np.maximum), (tier.placements("O"), np.minimum)]
        size = max(1, CHUNK * playing // (len(tier.codes) * below.shape[0] * below.shape[1]))
        for low in range(0, playing, size):
            best = []
            for placements, ufunc in sides:
                starts = placements.starts[low : low + size + 1]
                after = below[:, :, placements.children[starts[0] : starts[-1]]]
                best.append(ufunc.reduceat(after, starts[:-1] - starts[0], axis=2))
            found[:, :, low : low + size] = self._forced(*best)
        return found

    def _forced(self, x_best: np.ndarray, o_best: np.ndarray) -> np.ndarray:
        """From what both place for, bid by bid."""
        purses, least = self._purses, self._purses.least
        worst = purses.of_dearer("O", o_best, 1, np.minimum)
        forced = np.full(x_best.shape, -1, dtype=np.int8)
        x, o = purses.x[self._wanted], purses.o[self._wanted]
        unopposed = self._wanted[x > o]  # bids above all that O has; the dearest may be the best
        best = purses.of_dearer("X", x_best, 1, np.maximum)
        forced[:, unopposed] = best[:, purses.after("X", unopposed, purses.o[unopposed] + 1)]
        for bid in range(int(np.minimum(x, o).max()) + 1):
            at = self._wanted[(x >= bid) & (bid >= np.minimum(least, x)) & (bid <= o)]
            sure = np.full((len(x_best), len(at), x_best.shape[2]), UNBOUNDED)
            theirs = purses.o[at]
            their_least = np.minimum(least, theirs)
            dearer = np.maximum(bid + 1, their_least)
            some = dearer <= theirs
            sure[:, some] = worst[:, purses.after("O", at[some], dearer[some])]
            some = bid > their_least
            sure[:, some] = np.minimum(sure[:, some], x_best[:, purses.after("X", at[some], bid)])
            some = their_least <= bid
            sure[:, some] = np.minimum(sure[:, some], self._tie(x_best, o_best, at[some], bid))
            forced[:, at] = np.maximum(forced[:, at], sure)
        return forced

    def _tie(self, x_best: np.ndarray, o_best: np.ndarray, purses: np.ndarray, bid: int) -> np.ndarray:
        """What X is sure of after equal bids: a coin falls against X."""
        x_wins = x_best[:, self._purses.after("X", purses, bid)]
        o_wins = o_best[:, self._purses.after("O", purses, bid)]
        if self._game.ties == "coin":
            return np.minimum(x_wins, o_wins)
        tie = np.stack([x_wins[1], o_wins[0]])  # the holder, X in the first row, has won and passed the advantage
        if self._game.ties == "chooses":
            tie = np.stack([np.maximum(tie[0], o_wins[0]), np.minimum(tie[1], x_wins[1])])
        return tie
