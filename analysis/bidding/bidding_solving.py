"""Solve a bidding game, or open its solution.

The states are solved by backward induction, tier by tier. Values are ranks in the tier's table of values. Kernels find
the best placements and the pure saddle points of all states of a tier; the other states are solved one by one as matrix
games, equal ones once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..common.context import options
from ..common.memory import Budget
from ..common.workers import Workers, tell_progress
from ..engine.engine import without_threads
from ..errors import OptionError
from ..games.bidding import Bidding
from ..games.families import BIDDING
from ..rules.game import GameLike
from ..rules.symmetry import usable_kind
from ..solution.storage.directory import is_solution, manifest_kind, open_manifest, recover
from ..solution.storage.stored_games import Output, is_from, place_of, places_of, refuse_options, refuse_other
from ..solving.cluster.running import running
from ..solving.sharded.run import discard
from .bidding_solution import BiddingSolution
from .bidding_store import BiddingWriter, find_solved, open_solution, read_bidding_manifest, totals_of
from .board_tiers import BoardTier, Mixed, SolvedBoards, board_engine, board_tiers, matrix_at, ranked
from .exact_values import Value
from .kernels import NO_BID
from .kernels import saddles as kernels
from .matrix_games import MatrixSolution, solve_matrix
from .plain_bidding import load_bidding

CHUNK = 1 << 27
"""Approximate bids per task: a fifth of a second, so that Ctrl-C is noticed."""
STATE_BYTES, ROW_BYTES = 20, 80
"""Bytes of a state while its tier is solved (five arrays of ranks and bids, two of moves), and of a row of the tables.
"""


def solve(
    game: GameLike,
    *,
    start: str | None = None,
    directory: str | Path | Output | None = None,
    symmetry: str = "geometric",
    workers: int | None = None,
    memory: int | str | None = None,
) -> BiddingSolution:
    """Solve a bidding game completely, in memory or into a ``directory``.

    ``game`` is a specification such as ``bidding:game=tictactoe,chips=4`` or a `Bidding`; ``start`` a board or state
    to start from; ``symmetry`` one of ``geometric``, ``full`` and ``none``; ``directory``, ``workers`` and ``memory``
    are as for `analysis.solve`; an `Output` may have only the table ``text``. Raises what `analysis.solve` raises, and
    `OptionError` for a ``start`` together with a directory, which holds a game from its start.

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
            return _solve(game, start, symmetry)
        if start is not None:
            raise OptionError(f"a directory holds a game from its start, not from {start}; leave one of them out")
        return _solve_into(directory if isinstance(directory, Output) else Output(directory), game, symmetry)


def _solve_into(output: Output, game: Bidding, symmetry: str) -> BiddingSolution:
    """Solve into a directory (default: its `place_of`) and open the solution; files are complete or absent."""
    context, tables = options(), output.tables
    refuse_options(game, moves="moves" in tables, paths="paths" in tables, sharded=context.sharded)
    refuse_options(game, anyway=context.anyway, scratch=context.scratch is not None, dask=context.executor is not None)
    symmetry, text = usable_kind(game.base.rules(), symmetry), "text" in tables
    directory = place_of(game, symmetry) if output.directory is None else Path(output.directory)
    recover(directory)
    if is_solution(directory) and not output.force:
        is_bidding = manifest_kind(directory) == BIDDING
        manifest = read_bidding_manifest(directory) if is_bidding else open_manifest(directory)
        refuse_other(directory, manifest, game, symmetry, {"text": text})
        solution = open_solution(directory, game)
        solution.was_there = True
        return solution
    with Workers() as pool:
        engine = board_engine(game.base, symmetry=symmetry, workers=pool)
        tiers = board_tiers(engine)
        if output.force:
            discard(directory)
        with BiddingWriter(directory, game, pool, text=text) as writer:
            totals: list[dict[str, Any]] = []
            for solved in solve_states(game, tiers, pool, kept=False):
                totals.insert(0, writer.write_tier(solved))
            writer.write_solution(engine, solved, totals)
    return open_solution(directory, game)


def find_solution(
    name: GameLike,
    *,
    start: str | None = None,
    symmetry: str | None = None,
    workers: int | None = None,
) -> BiddingSolution:
    """Find the solution that ``name``, a GAME_OR_DIR, stands for: a solution itself, the directory, or the game's own
    under ``data/`` if it has the same rules and this ``symmetry``. Otherwise, and from a ``start`` (a board or
    state), the game is solved in memory with this ``symmetry`` (default: that of the directory, or geometric). Raises
    `StoreError` if a directory cannot be read, and what `solve` raises.
    """
    if isinstance(name, BiddingSolution) or (isinstance(name, str | Path) and name and is_solution(Path(name))):
        stored = name if isinstance(name, BiddingSolution) else open_solution(name)
        if start is None and symmetry in (None, stored.symmetry):
            return stored
        game, symmetry = stored.game, symmetry or stored.symmetry
    else:
        game, symmetry = load_bidding(name), symmetry or "geometric"
        kind = usable_kind(game.base.rules(), symmetry)
        for directory in () if start is not None else filter(is_solution, places_of(game, kind)):
            if manifest_kind(directory) == BIDDING and is_from(read_bidding_manifest(directory), game, kind):
                return open_solution(directory, game)
    return solve(game, start=start, symmetry=symmetry, workers=workers)


def named_bidding(name: GameLike) -> Bidding:
    """Return the game that a specification or a directory names, solved or not."""
    if isinstance(name, str | Path) and str(name) and is_solution(Path(name)):
        return open_solution(name).game
    return load_bidding(name)


def _solve(game: Bidding, position: str | None, symmetry: str) -> BiddingSolution:
    with Workers() as pool:
        start = game.start if position is None else game.parse_state(position)
        engine = board_engine(game.base, board=start.board, symmetry=symmetry, workers=pool)
        solved = [*solve_states(game, board_tiers(engine), pool)][::-1]
    tables = [functools.partial(find_solved, game, tier) for tier in solved]
    return BiddingSolution(
        game, without_threads(engine), tables, [totals_of(game, tier) for tier in solved], start=start
    )


# The backward pass ----------------------------------------------------------------------------------------------------


def solve_states(
    game: Bidding, tiers: list[BoardTier], workers: Workers, *, kept: bool = True
) -> Iterator[SolvedBoards]:
    """Yield all tiers, solved, in the given order, the last first. Raises `TooLargeError` if they do not fit in memory:
    all of them if they are ``kept``, else one at a time with its tables.
    """
    sizes = [(1 + len(tier.playing)) * game.columns for tier in tiers]
    bytes_needed = 2 * STATE_BYTES * max(sizes) + (STATE_BYTES * sum(sizes) if kept else ROW_BYTES * max(sizes))
    subject = f"{game.spec} has {sum(sizes):,} states up to symmetry and"
    Budget.of_machine().require(bytes_needed, subject, "fewer chips, a smaller board")
    solved, done, total = None, 0, sum(len(tier.playing) for tier in tiers)
    tell_progress("compiling the bids", 0, None)  # with the first tier, whose pace is far too slow
    for tier in tiers:

        def tell_share(share: float, done: int = done, size: int = len(tier.playing)) -> None:
            tell_progress("solving", done + share * size, total)

        solved = solve_tier(game, tier, solved, workers, tell_share)
        done += len(tier.playing)
        if done:
            tell_progress("solving", done, total)
        yield solved


def solve_tier(
    game: Bidding, tier: BoardTier, below: SolvedBoards | None, workers: Workers, part: Callable[[float], None]
) -> SolvedBoards:
    """Solve a tier from the one below it; ``part`` is called with the share done."""
    shape = len(tier.playing), game.columns
    values: list[Value] = below.values if below else []
    ranks_below = below.ranks if below else np.empty((0, game.columns), np.int32)
    x_best, o_best, ranks = (np.empty(shape, np.int32) for _ in range(3))
    x_bids, o_bids = (np.empty(shape, np.int16) for _ in range(2))
    x_moves, o_moves = (np.empty(shape, np.uint8) for _ in range(2))
    size = max(1, CHUNK // (2 * game.columns * game.splits), 1)
    size = min(size, max(1, -(-len(tier.playing) // 8)))

    def solve_some(rows: slice) -> None:
        for side, sign, best, moves in ((tier.x, 1, x_best, x_moves), (tier.o, -1, o_best, o_moves)):
            offsets = side.offsets[rows.start : rows.stop + 1]
            kernels.best_placements(ranks_below, offsets, side.rows, side.moves, sign, best[rows], moves[rows])
        kernels.saddles(
            x_best[rows], o_best[rows], game.least, game.ties == "chooses", ranks[rows], x_bids[rows], o_bids[rows]
        )

    workers.run(solve_some, [slice(low, min(low + size, shape[0])) for low in range(0, shape[0], size)])
    mixed, unsettled = Mixed(), np.argwhere(x_bids == NO_BID)
    solutions = dict[Any, MatrixSolution]()
    for number, (board, column) in enumerate(unsettled.tolist()):
        part(number / len(unsettled))
        holder, purse = divmod(column, game.splits)  # these and the results of the bids decide the matrix
        x, o = x_best[board].reshape(2, -1)[:, purse::-1], o_best[board].reshape(2, -1)[:, purse:]
        key = holder, x[holder:].tobytes(), o[: holder + 1].tobytes()
        if key not in solutions:
            solutions[key] = solve_matrix(matrix_at(game, column, values, x_best[board], o_best[board]))
        mixed[board, column] = solutions[key]
    values, every = ranked(tier, values, ranks, mixed)
    return SolvedBoards(tier, values, every, x_bids, o_bids, x_moves, o_moves, mixed)
