"""Solve a bidding game, or open its solution.

The states are solved by backward induction, tier by tier. Values are ranks in the tier's table. Kernels find the best
placements and the pure saddle points of all states of a tier; the other states are solved one by one as matrix games,
equal ones once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ..engine.engine import Engine, resting
from ..errors import OptionError
from ..games.bidding import Bidding
from ..games.families import BIDDING
from ..machine.context import options
from ..machine.memory import Budget
from ..machine.workers import Workers, tell_progress
from ..rules.game import GameLike
from ..rules.symmetry import usable_kind
from ..solution.storage.directory import is_solution, manifest_kind, open_manifest, recover
from ..solution.storage.stored_games import (
    Output,
    is_from,
    place_of,
    places_of,
    refuse_options,
    refuse_other,
)
from ..solving.cluster.running import running
from ..solving.sharded.run import discard
from .bidding_rules import StateLayout
from .bidding_solution import BiddingSolution, BiddingTotals
from .bidding_store import BiddingWriter, MemoryTable, open_solution, read_bidding_manifest
from .board_tiers import (
    BoardTier,
    Leaves,
    LevelWorth,
    Mixed,
    Placements,
    SolvedBoards,
    board_engine,
    board_tiers,
    find_boards,
)
from .exact_values import Value
from .kernels import NO_BID
from .kernels import saddles as kernels
from .matrix_games import MatrixSolution, solve_matrix
from .plain_bidding import load_bidding, worth_of

CHUNK = 1 << 27
"""Approximate bids per task: a fifth of a second, so that Ctrl-C is noticed."""
STATE_BYTES = 20
"""Bytes of a state while its tier is solved: five arrays of ranks and bids, two of moves."""
LANE_BYTES = 1024
"""Additional bytes of a column: boards side by side in two threads' kernels."""


def solve(
    game: GameLike,
    *,
    position: str | None = None,
    directory: str | Path | Output | None = None,
    symmetry: str = "geometric",
    workers: int | None = None,
    memory: int | str | None = None,
) -> BiddingSolution:
    """Solve a bidding game completely, in memory or into a ``directory``.

    ``game`` is a specification such as ``bidding:game=tictactoe,chips=4`` or a `Bidding`; ``position`` a board or state
    to start from; ``symmetry`` one of ``geometric``, ``full`` and ``none``; ``directory``, ``workers`` and ``memory``
    are as for `analysis.solve`; an `Output` may have only the table ``text``. Raises what `analysis.solve` raises, and
    `OptionError` for a position together with a directory, which holds a game from its start.

    A row of ``positions/`` in a directory is a canonical board with chips and advantage, or a finished board:

    - ``state`` (int64): the board; in wild and notakto a finished one has one more bit if O moved last
    - ``tier`` (int16): moves made
    - ``x_chips``, ``o_chips`` (int16), ``advantage`` (int8, +1 X, -1 O): null if the game is over
    - ``value`` (double): X's expected payoff under optimal play; ``value_numerator``, ``value_denominator`` (int64):
      the same exactly, or null
    - ``terminal`` (bool), ``orbit_size`` (uint16), ``position`` (string, with the table ``text``)
    - ``x_bid``, ``o_bid`` (int16): the least saddle point, or null; ``x_mix``, ``o_mix``: without one, structs of
      ``bid``, ``probability`` (double), ``numerator`` and ``denominator`` (int64 or null)
    - ``x_move``, ``o_move`` (uint8): the best placement of a side that has just won and paid

    >>> solution = solve("bidding:game=tictactoe,chips=4")
    >>> solution.root.value, solution.root.saddle
    (Fraction(1, 1), True)
    """
    game = load_bidding(game)
    with running(workers=workers, memory=memory):
        if directory is None:
            return _solve(game, position, None, symmetry)
        if position is not None:
            raise OptionError(f"a directory holds a game from its start, not from {position}; leave one of them out")
        return _solve_into(directory if isinstance(directory, Output) else Output(directory), game, symmetry)


def search_bidding(
    game: GameLike,
    position: str,
    depth: int,
    *,
    evaluation: str | None = None,
) -> BiddingSolution:
    """Solve the game that ends ``depth`` moves after a ``position``, a board or state: boards at its end are valued by
    the game's ``evaluation``, or 0 while the game goes on (``none``, the default).

    ``game`` is as for `solve`. Raises `OptionError` for an unknown evaluation and for a depth below 1, and what `solve`
    raises.
    """
    game = load_bidding(game)
    if depth < 1:
        raise OptionError(f"a search of depth {depth} cannot choose a bid; the depth must be at least 1")
    return _solve(game, position, Leaves(depth, worth_of(game, evaluation)), "geometric")


def _solve_into(output: Output, game: Bidding, symmetry: str) -> BiddingSolution:
    """Solve into a directory (default: its `place_of`) and open the solution; files are complete or absent."""
    said, tables = options(), output.tables
    refuse_options(game, moves="moves" in tables, paths="paths" in tables, sharded=said.sharded, anyway=said.anyway)
    refuse_options(game, scratch=said.scratch is not None, dask=said.executor is not None)
    symmetry, text = usable_kind(game.base.rules(), symmetry), "text" in tables
    directory = place_of(game, symmetry) if output.directory is None else Path(output.directory)
    recover(directory)
    if is_solution(directory) and not output.force:
        of_bids = manifest_kind(directory) == BIDDING
        manifest = read_bidding_manifest(directory) if of_bids else open_manifest(directory)
        refuse_other(directory, manifest, game, symmetry, {"text": text})
        solution = open_solution(directory, game)
        solution.was_there = True
        return solution
    with Workers() as pool:
        engine = board_engine(game.base, symmetry=symmetry, workers=pool)
        boards = list(board_tiers(engine, find_boards(engine)))
        if output.force:
            discard(directory)
        with BiddingWriter(directory, game, pool, text=text) as writer:
            totals = []
            for solved in _solved(game, engine, boards, kept=False):
                writer.write_tier(solved)
                totals.append(BiddingTotals.of(solved))
            writer.write_solution(engine, totals[::-1])
    return open_solution(directory, game)


def find_solution(
    name: GameLike,
    *,
    position: str | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
) -> BiddingSolution:
    """Find the solution that ``name``, a GAME_OR_DIR, stands for: a solution itself, the directory, or the game's own
    under ``data/`` if it has the same rules and this ``symmetry``. Otherwise, and from a ``position`` (a board or
    state), the game is solved in memory with this ``symmetry`` (default: that of the directory, or geometric). Raises
    `StoreError` if a directory cannot be read, and what `solve` raises.
    """
    if isinstance(name, BiddingSolution) or (isinstance(name, str | Path) and name and is_solution(Path(name))):
        stored = name if isinstance(name, BiddingSolution) else open_solution(name)
        if position is None and symmetry in (None, stored.symmetry):
            return stored
        game, symmetry = stored.game, symmetry or stored.symmetry
    else:
        game, symmetry = load_bidding(name), symmetry or "geometric"
        kind = usable_kind(game.base.rules(), symmetry)
        for directory in () if position is not None else filter(is_solution, places_of(game, kind)):
            if manifest_kind(directory) == BIDDING and is_from(read_bidding_manifest(directory), game, kind):
                return open_solution(directory, game)
    return solve(game, position=position, symmetry=symmetry, workers=workers)


def named_bidding(name: str) -> Bidding:
    """Return the game that a specification or a directory names, solved or not."""
    return open_solution(name).game if is_solution(Path(name)) else load_bidding(name)


def _solve(
    game: Bidding,
    position: str | None,
    leaves: Leaves | None,
    symmetry: str,
) -> BiddingSolution:
    with Workers() as pool:
        start = game.start if position is None else game.parse_state(position)
        engine = board_engine(game.base, board=start.board, symmetry=symmetry, workers=pool)
        boards = list(board_tiers(engine, find_boards(engine, leaves), leaves))
        solved = list(_solved(game, engine, boards, kept=True))[::-1]
    tables, totals = [MemoryTable(StateLayout.of(game), tier).find for tier in solved], map(BiddingTotals.of, solved)
    depth = None if leaves is None else leaves.depth
    return BiddingSolution(game, resting(engine), tables, [*totals], searched=depth, start=start)


def _solved(game: Bidding, engine: Engine, boards: list[BoardTier], *, kept: bool) -> Iterator[SolvedBoards]:
    """Yield all tiers, solved, the last first. Raises `TooLargeError` if the states do not fit in memory."""
    layout = StateLayout.of(game)
    sizes = [(1 + len(tier.playing)) * layout.columns for tier in boards]
    needed = STATE_BYTES * (sum(sizes) if kept else 2 * max(sizes)) + LANE_BYTES * layout.columns
    what = f"{game.spec} has {sum(sizes):,} states up to symmetry and"
    Budget.of_machine().require(needed, what, "fewer chips, a smaller board")
    return solve_states(layout, boards, engine.workers)


# The backward pass ----------------------------------------------------------------------------------------------------


def solve_states(layout: StateLayout, tiers: list[BoardTier], workers: Workers) -> Iterator[SolvedBoards]:
    """Yield the solved tiers, in the given order, the last first."""
    level = LevelWorth.joined(layout.columns, [])
    done, total = 0, sum(len(tier.playing) for tier in tiers)
    tell_progress("compiling the bids", 0, None)  # with the first tier, which would tell of a pace far too slow
    for tier in tiers:

        def part(share: float, done: int = done, size: int = len(tier.playing)) -> None:
            tell_progress("solving", done + share * size, total)

        solved = solve_tier(layout, tier, level, workers, part)
        level = solved.level()
        done += len(tier.playing)
        if done:
            tell_progress("solving", done, total)
        yield solved


def solve_tier(
    layout: StateLayout, tier: BoardTier, below: LevelWorth, workers: Workers, part: Callable[[float], None]
) -> SolvedBoards:
    """Solve a tier from the one below it; ``part`` is called with the share done."""
    boards, bids = len(tier.playing), 2 * layout.purses
    size = kernels.LANES * max(1, min(CHUNK // (layout.columns * bids), -(-boards // 8)) // kernels.LANES)
    chunks = [slice(low, min(low + size, boards)) for low in range(0, boards, size)]
    x_best, x_moves = _best(tier.x, below, 1, chunks, workers)
    o_best, o_moves = _best(tier.o, below, -1, chunks, workers)
    table = below.table
    ranks, x_bids, o_bids = (np.empty(x_best.shape, dtype) for dtype in (np.int32, np.int16, np.int16))

    def find_saddles(rows: slice) -> None:
        of_rows = ranks[rows], x_bids[rows], o_bids[rows]
        kernels.saddles(x_best[rows], o_best[rows], tuple(layout), *of_rows)

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
    """Return the ranks of the best placements [m, columns], and their moves."""
    shape = (len(side.offsets) - 1, below.ranks.shape[1])
    best, moves = np.empty(shape, np.int32), np.empty(shape, np.uint8)

    def find_best(rows: slice) -> None:
        offsets = side.offsets[rows.start : rows.stop + 1]
        kernels.best_placements(below.ranks, offsets, side.rows, side.moves, sign, best[rows], moves[rows])

    workers.run(find_best, chunks)
    return best, moves
