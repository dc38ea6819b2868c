"""The least chips with which X can force a win, or at least a tie, for every total of chips and either holder.

Only what pure bids force counts here: a payoff that X is sure of, whatever O bids and however coins fall. No mixed
strategy forces a win that no single bid forces, since every bid that it may draw has to win too.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.bidding.board_tiers import BoardTier
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.kernels.bid_rules import COIN, UNLUCKY
from analysis.bidding.state_layout import StateLayout
from analysis.games.bidding import Bidding
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, Workers

CHUNK = 1 << 23
"""About how many states a thread does at a time."""

MOST = {"loser": 500, "bank": 200}
"""The greatest total that is tabulated, by who is paid: the time grows with its cube."""
ROOM = 1 << 28
"""Bytes that the states of a tier may take here; if the bank is paid there are as many as the total squared."""
BATCH = 1000
"""Purses of several totals that are done together."""
LANES, MOST_LANES = 64, 256
"""Boards done at once, a multiple of the first: 256 took a third less time than 64, where there are so many."""
COPIES = 5
"""Arrays of that size: two tiers, what each side places for, and what is found of it."""


@dataclasses.dataclass(frozen=True)
class LeastChips:
    """The least of ``total`` chips with which X forces it, the others being O's; None where no number does."""

    total: int
    advantage: str | None
    """Who holds it; None where a coin decides ties."""
    win: int | None
    tie: int | None
    more_never_hurts: bool
    """Whether every greater number does too: with a least bid of 1, chips can hurt where moving does."""

    def to_json(self) -> dict[str, Any]:
        """As ``gametree stats`` prints it."""
        return dataclasses.asdict(self)


def least_chips(game: Bidding, tiers: list[BoardTier], workers: Workers, progress: Progress) -> list[LeastChips]:
    """For the totals from 0 up to that of the game or to `MOST`, at the last of the tiers, given the last first."""
    return tabulate(game, max(map(len, tiers)), lambda *of: _forced(tiers, workers, *of), progress)


def tabulate(
    game: Bidding, classes: int, force: Callable[[StateLayout, int], np.ndarray], progress: Progress
) -> list[LeastChips]:
    """The table of a game with so many classes of boards in its largest tier. ``force(layout, total)`` finds what X can
    force at the start in each column with up to ``total`` chips: -1, 0 or 1. Raises `NoRoomError`.
    """
    most, by_total = greatest_total(game, classes), dict[int, np.ndarray]()
    if game.pays == "bank":
        needed, what = COPIES * len(game.holders) * (LANES + classes) * (most + 1) ** 2, f"with totals up to {most},"
        Budget.of_machine().require(needed, f"the least chips of {game.spec}, {what}", "a smaller board")
    while len(by_total) <= most:
        progress("least chips", len(by_total) ** 3, most**3)
        if game.pays == "bank":
            totals, layout = range(most + 1), StateLayout.of(dataclasses.replace(game, chips=f"{most}+{most}"))
        else:
            totals = _batch(len(by_total), most)
            layout = _of_totals(game, totals)
        forced, chips = force(layout, totals[-1]).reshape(layout.copies, -1), layout.x_chips + layout.o_chips
        by_total |= {total: forced[:, chips == total] for total in totals}
    return _rows(game, by_total)


def _batch(first: int, most: int) -> range:
    """Totals from ``first`` on that are done together: few purses have too little work for what each pass costs."""
    last = first
    while last < most and sum(range(first + 1, last + 3)) <= BATCH:
        last += 1
    return range(first, last + 1)


def _of_totals(game: Bidding, totals: range) -> StateLayout:
    """The purses of several totals, one total after the other: a bid leads from a purse to one of the same total."""
    layouts = [StateLayout.of(dataclasses.replace(game, chips=f"{total}+0")) for total in totals]
    x, o = (np.concatenate([getattr(layout, name) for layout in layouts]) for name in ("x_chips", "o_chips"))
    return layouts[0]._replace(x_chips=x, o_chips=o)


def greatest_total(game: Bidding, boards: int) -> int:
    """The greatest total that is tabulated, with so many classes of boards in the largest tier."""
    most = min(sum(game.budgets), MOST[game.pays])
    if game.pays == "loser":
        return most
    return max(0, min(most, math.isqrt(ROOM // (len(game.holders) * boards)) - 1))


def _rows(game: Bidding, by_total: dict[int, np.ndarray]) -> list[LeastChips]:
    rows = []
    for total, forced in by_total.items():
        for holder, payoffs in zip(game.holders, forced, strict=True):
            win, tie = (next(iter(np.flatnonzero(payoffs >= least).tolist()), None) for least in (1, 0))
            rows.append(LeastChips(total, holder, win, tie, bool((np.diff(payoffs) >= 0).all())))
    return rows


def _forced(tiers: list[BoardTier], workers: Workers, layout: StateLayout, total: int) -> np.ndarray:
    """What X can force on the board of the last tier with at most ``total`` chips, int8[columns]."""
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
