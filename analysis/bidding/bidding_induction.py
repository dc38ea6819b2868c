"""Backward pass of a bidding game: the value and the optimal bids of every state, tier by tier.

Values are ranks in the tier's table. The kernels find the best placements and the pure saddle points of all states of a
tier; states without one are solved one by one as matrix games, equal ones once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from analysis.bidding.bidding_rules import StateLayout
from analysis.bidding.board_tiers import BoardTier, LevelWorth, Mixed, Placements, SolvedBoards, with_means
from analysis.bidding.exact_values import Value
from analysis.bidding.kernels import saddles as kernels
from analysis.bidding.kernels.bid_rules import COIN, NO_BID, TieMeans
from analysis.bidding.matrix_games import MatrixSolution, solve_matrix
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
    boards, bids = len(tier.playing), 1 + int(layout.x_chips.max()) + int(layout.o_chips.max())
    size = kernels.LANES * max(1, min(CHUNK // (layout.columns * bids), -(-boards // 8)) // kernels.LANES)
    chunks = [slice(low, min(low + size, boards)) for low in range(0, boards, size)]
    x_best, x_moves = _best(tier.x, below, 1, chunks, workers)
    o_best, o_moves = _best(tier.o, below, -1, chunks, workers)
    table, means = below.table, TieMeans(np.empty(0, np.int64), np.empty(0, np.int32), 0)
    if layout.ties == COIN:
        table, (x_best, o_best), means = with_means(layout, below.table, x_best, o_best)
    ranks, x_bids, o_bids = (np.empty(x_best.shape, dtype) for dtype in (np.int32, np.int16, np.int16))

    def find_saddles(rows: slice) -> None:
        of_rows = ranks[rows], x_bids[rows], o_bids[rows]
        kernels.saddles(x_best[rows], o_best[rows], tuple(layout), tuple(means), *of_rows)

    workers.run(find_saddles, chunks)
    known, mixed, where = dict[tuple[Value, ...], MatrixSolution](), Mixed(), np.argwhere(x_bids == NO_BID)
    for number, (board, column) in enumerate(where.tolist()):
        part(number / len(where))
        x, o = x_best[board], o_best[board]
        matrix = layout.matrix(column, lambda at: table[x[at]], lambda at: table[o[at]])  # noqa: B023
        entries = list(itertools.chain.from_iterable(matrix))
        key = (len(matrix), any(isinstance(entry, float) for entry in entries), *entries)
        if key not in known:
            known[key] = solve_matrix(matrix)
        mixed[board, column] = known[key]
    return SolvedBoards.of(tier, table, ranks, (x_bids, o_bids), (x_moves, o_moves), mixed)


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
