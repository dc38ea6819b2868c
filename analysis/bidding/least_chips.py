"""Find the least chips with which X can force a win, or at least a tie, for every total of chips and either holder.

Only pure bids count: X must be sure of the payoff, whatever O bids and however coins fall. Mixed strategies force no
further wins, since every bid that they may draw has to win too.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from analysis.bidding.bidding_rules import StateLayout
from analysis.bidding.bidding_solution import LeastChips
from analysis.bidding.board_tiers import BoardTier
from analysis.bidding.kernels import COIN, UNLUCKY
from analysis.bidding.kernels import saddles as kernels
from analysis.games.bidding import Bidding
from analysis.machine.memory import Budget
from analysis.machine.workers import Workers, tell_progress

CHUNK = 1 << 23
"""Approximate states per task."""

MOST = {"loser": 500, "bank": 200}
"""Limit on the totals tabulated, by who is paid; the time grows with the cube."""
ROOM = 1 << 28
"""Limit on the bytes of a tier's states; if the bank is paid, their number grows with the square of the total."""
BATCH = 1000
"""Purses of several totals are processed together up to this number, since few have too little work for a pass."""
LANES, MOST_LANES = 64, 256
"""Boards per pass, a multiple of the first: 256 took a third less time than 64, where there are enough."""
COPIES = 5
"""Arrays of that size: two tiers, each side's best placements, and the result."""


def least_chips(game: Bidding, tiers: list[BoardTier], workers: Workers) -> list[LeastChips]:
    """Return the least chips for totals from 0 to the game's or `MOST`; the tiers are given last first."""
    return tabulate(game, max(map(len, tiers)), lambda *of: _forced(tiers, workers, *of))


def tabulate(game: Bidding, classes: int, force: Callable[[StateLayout, int], np.ndarray]) -> list[LeastChips]:
    """Return the table of a game with this many classes of boards in its largest tier. ``force(layout, total)`` gives
    what X can force at the start in each column with up to ``total`` chips: -1, 0 or 1. Raises `NoRoomError`.
    """
    most, rows = min(sum(game.budgets), MOST[game.pays]), list[LeastChips]()
    if game.pays == "bank":
        most = max(0, min(most, math.isqrt(ROOM // (len(game.holders) * classes)) - 1))
        needed, what = COPIES * len(game.holders) * (LANES + classes) * (most + 1) ** 2, f"with totals up to {most},"
        Budget.of_machine().require(needed, f"the least chips of {game.spec}, {what}", "a smaller board")
    first = 0
    while first <= most:
        tell_progress("least chips", first**3, most**3)
        last = most if game.pays == "bank" else first
        while last < most and sum(range(first + 1, last + 3)) <= BATCH:
            last += 1
        # if the loser is paid, purses of several totals, since a bid keeps the total
        chips = [f"{most}+{most}"] if game.pays == "bank" else [f"{total}+0" for total in range(first, last + 1)]
        layouts = [StateLayout.of(dataclasses.replace(game, chips=each)) for each in chips]
        x, o = (np.concatenate([getattr(each, name) for each in layouts]) for name in ("x_chips", "o_chips"))
        layout = layouts[0]._replace(x_chips=x, o_chips=o)
        forced = force(layout, last).reshape(layout.copies, -1)
        for total in range(first, last + 1):
            for holder, payoffs in zip(game.holders, forced[:, x + o == total], strict=True):
                win, tie = (next(iter(np.flatnonzero(payoffs >= least).tolist()), None) for least in (1, 0))
                rows.append(LeastChips(total, holder, win, tie, bool((np.diff(payoffs) >= 0).all())))
        first = last + 1
    return rows


def _forced(tiers: list[BoardTier], workers: Workers, layout: StateLayout, total: int) -> np.ndarray:
    """Return what X can force on the board of the last tier with at most ``total`` chips, int8[columns]."""
    columns, rules = layout.columns, layout._replace(ties=UNLUCKY) if layout.ties == COIN else layout
    below = np.empty((0, columns), np.int8)
    for tier in tiers:
        payoffs = np.repeat(np.sign(tier.payoffs).astype(np.int8)[:, None], columns, axis=1)

        def force(boards: slice, tier: BoardTier = tier, below: np.ndarray = below, out: np.ndarray = payoffs) -> None:
            shape = (boards.stop - boards.start, columns)
            best = []
            for side, sign in ((tier.x, 1), (tier.o, -1)):
                best.append(np.empty(shape, np.int8))
                kernels.best_payoffs(below, side.offsets[boards.start : boards.stop + 1], side.rows, sign, best[-1])
            found = np.zeros(shape, np.int8)
            lanes = min(MOST_LANES, -(-shape[0] // LANES) * LANES)
            kernels.forced(*best, tuple(rules), total, lanes, found)
            out[tier.playing[boards]] = found

        size = max(1, min(CHUNK // columns, -(-len(tier.playing) // workers.threads)))
        workers.run(force, [slice(i, min(i + size, len(tier.playing))) for i in range(0, len(tier.playing), size)])
        below = payoffs
    return below[0]
