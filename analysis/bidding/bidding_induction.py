"""Backward pass of a bidding game: the value and the optimal bids of every state, tier by tier.

Values are ranks in the tier's table. The kernels find the best placements and the pure saddle points of all states of a
tier; states without one are solved one by one as matrix games, equal ones once.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from analysis.bidding.bidding_rules import StateLayout
from analysis.bidding.board_tiers import BoardTier, Mixed, Placements, SolvedBoards
from analysis.bidding.exact_values import LevelWorth, Value, ascending, mean, ranks_in
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.kernels.bid_rules import COIN, NO_BID, UNLUCKY
from analysis.bidding.kernels.saddles import Means
from analysis.bidding.matrix_games import MatrixSolution, solve_matrix
from analysis.games.bidding import Bidding
from analysis.machine.memory import Budget
from analysis.machine.workers import Progress, Workers

CHUNK = 1 << 27
"""About how many bids a thread looks at in one go: a fifth of a second, so that Ctrl-C is heard."""

STATE_BYTES = 20
"""Bytes of a state while its tier is solved: five arrays of ranks and bids, two of moves."""

LANE_BYTES = 1024
"""Bytes of a column besides: boards side by side in two threads' kernels."""


def solve_states(
    layout: StateLayout, tiers: list[BoardTier], workers: Workers, progress: Progress
) -> Iterator[SolvedBoards]:
    """All tiers, given the last first, solved."""
    level = LevelWorth.joined(layout.columns, [])
    done, total = 0, sum(len(tier.playing) for tier in tiers)
    for tier in tiers:

        def part(share: float, done: int = done, size: int = len(tier.playing)) -> None:
            progress("solving", done + share * size, total)

        part(0)
        solved = solve_tier(layout, tier, level, workers, part)
        level = solved.level()
        done += len(tier.playing)
        yield solved


def solve_tier(
    layout: StateLayout, tier: BoardTier, below: LevelWorth, workers: Workers, part: Callable[[float], None]
) -> SolvedBoards:
    """One tier from the one below it; ``part`` is told what share of it is done."""
    chunks = _chunks(len(tier.playing), layout)
    x_best, x_moves = _best(tier.x, below, 1, chunks, workers)
    o_best, o_moves = _best(tier.o, below, -1, chunks, workers)
    table, means = below.table, Means(np.empty(0, np.int64), np.empty(0, np.int32), 0)
    if layout.ties == COIN:
        table, means = _with_means(layout, below.table, x_best, o_best)
        renumbered = ranks_in(table, below.table)
        x_best, o_best = renumbered[x_best], renumbered[o_best]
    ranks, x_bids, o_bids = (np.empty(x_best.shape, dtype) for dtype in (np.int32, np.int16, np.int16))

    def find_saddles(rows: slice) -> None:
        of_rows = ranks[rows], x_bids[rows], o_bids[rows]
        kernels.saddles(x_best[rows], o_best[rows], tuple(layout), tuple(means), *of_rows)

    workers.run(find_saddles, chunks)
    mixed = _mixed(layout, table, x_best, o_best, np.argwhere(x_bids == NO_BID), part)
    return SolvedBoards.of(tier, table, ranks, (x_bids, o_bids), (x_moves, o_moves), mixed)


def _chunks(boards: int, layout: StateLayout) -> list[slice]:
    """The boards in play, a chunk for each task."""
    bids = 1 + int(layout.x_chips.max()) + int(layout.o_chips.max())
    lanes = max(1, min(CHUNK // (layout.columns * bids), -(-boards // 8)) // kernels.LANES)
    size = lanes * kernels.LANES
    return [slice(low, min(low + size, boards)) for low in range(0, boards, size)]


def _best(
    side: Placements, below: LevelWorth, sign: int, chunks: list[slice], workers: Workers
) -> tuple[np.ndarray, np.ndarray]:
    """The ranks of the best placements [m, columns], and their moves."""
    shape = (len(side.offsets) - 1, below.ranks.shape[1])
    best, moves = np.empty(shape, np.int32), np.empty(shape, np.uint8)

    def find_best(rows: slice) -> None:
        offsets = side.offsets[rows.start : rows.stop + 1]
        kernels.best_placements(below.ranks, offsets, side.rows, side.moves, sign, best[rows], moves[rows])

    workers.run(find_best, chunks)
    return best, moves


def _with_means(
    layout: StateLayout, table: list[Value], x_best: np.ndarray, o_best: np.ndarray
) -> tuple[list[Value], Means]:
    """The table with the means that tied bids are worth, and their ranks."""
    old = np.unique(np.concatenate(list(_tied_pairs(layout, len(table), x_best, o_best)) or [np.empty(0, np.int64)]))
    x, o = np.divmod(old, max(1, len(table)))
    values = [mean(table[a], table[b]) for a, b in zip(x.tolist(), o.tolist(), strict=True)]
    longer = ascending([*table, *values])
    to_longer = ranks_in(longer, table).astype(np.int64)
    return longer, Means(to_longer[x] * len(longer) + to_longer[o], ranks_in(longer, values), len(longer))


def _tied_pairs(layout: StateLayout, values: int, x_best: np.ndarray, o_best: np.ndarray) -> Iterator[np.ndarray]:
    """The pairs of ranks that meet in a tie, bid by bid, as ``x * values + o``."""
    for bid in range(int(min(layout.x_chips.max(), layout.o_chips.max())) + 1):
        both = (layout.x_chips >= bid) & (layout.o_chips >= bid)
        if bid < layout.least:
            both &= (layout.x_chips < layout.least) & (layout.o_chips < layout.least)
        purses = np.flatnonzero(both)
        x, o = x_best[:, layout.won("X", purses, bid)], o_best[:, layout.won("O", purses, bid)]
        yield np.unique(x.astype(np.int64) * values + o)


def _mixed(
    layout: StateLayout,
    table: list[Value],
    x_best: np.ndarray,
    o_best: np.ndarray,
    where: np.ndarray,
    part: Callable[[float], None],
) -> Mixed:
    """The matrix games without a saddle point, solved, equal ones once."""
    known: dict[tuple[Value, ...], MatrixSolution] = {}
    mixed: Mixed = {}
    for number, (board, column) in enumerate(where.tolist()):
        part(number / len(where))
        x, o = x_best[board], o_best[board]
        matrix = layout.matrix(
            column,
            lambda at: table[x[at]],  # noqa: B023 - called before the next board
            lambda at: table[o[at]],  # noqa: B023
        )
        entries = list(itertools.chain.from_iterable(matrix))
        key = (len(matrix), any(isinstance(entry, float) for entry in entries), *entries)
        if key not in known:
            known[key] = solve_matrix(matrix)
        mixed[board, column] = known[key]
    return mixed


FORCED_CHUNK = 1 << 23
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

        size = max(1, min(FORCED_CHUNK // columns, -(-len(tier.playing) // workers.threads)))
        workers.run(force, [slice(i, min(i + size, len(tier.playing))) for i in range(0, len(tier.playing), size)])
        below = payoffs
    return below[0]
