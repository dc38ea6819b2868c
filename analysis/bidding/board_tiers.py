"""Tiers of the boards of a game with moves by either side, with their placements; and a tier once it is solved."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from ..common.memory import Budget
from ..common.workers import Workers, tell_progress
from ..engine.engine import Engine, make_engine
from ..engine.passes.children import build_table, link
from ..engine.passes.forward_by_ply import check_payoffs, forward_by_ply
from ..engine.plan import Plan
from ..errors import RulesError
from ..games.bidding import Bidding
from ..rules.either_side import EitherSide
from ..rules.game import Game
from ..solution.storage.store import Tables
from ..solving.resources import SizeGuard
from .bidding_rules import bid_matrix
from .exact_values import Value, ascending, ranks_in
from .matrix_games import MatrixSolution

KEPT, LINKED, BOARD = 5, 60, 48
"""Bytes of a placement kept, of one while its tier is linked, and of a class of boards (measured)."""
SAMPLE = 256
"""Boards of a tier whose placements are counted to estimate the total."""


@dataclasses.dataclass(frozen=True)
class Placements:
    """One side's placements on the boards in play: board ``b`` has the entries ``offsets[b]`` to ``offsets[b + 1]``,
    those that end the game first, then by code.
    """

    offsets: np.ndarray  # int64[boards in play + 1]
    rows: np.ndarray  # uint32[placements], of the board after it in the next tier
    moves: np.ndarray  # uint8[placements], codes of the game itself


@dataclasses.dataclass(frozen=True)
class BoardTier:
    """The canonical boards with ``number`` stones, sorted."""

    number: int
    states: np.ndarray  # int64[n]
    orbit_sizes: np.ndarray  # uint16[n]
    payoffs: np.ndarray  # int64[n], X's; 0 where the game goes on
    playing: np.ndarray  # int64[m], rows of the boards where the game goes on
    x: Placements
    o: Placements

    @classmethod
    def of(
        cls, number: int, states: np.ndarray, orbit_sizes: np.ndarray, moves: Sequence[np.ndarray], goes_on: np.ndarray
    ) -> BoardTier:
        """Build from the payoffs and ``moves`` of all boards: their numbers and, board by board, code and row in the
        next tier, where the game ``goes_on`` or ends. Raises `RulesError` if only one side can place.
        """
        payoffs, branching, codes, rows = moves
        playing, sides = np.flatnonzero(branching), []
        boards = np.repeat(np.arange(len(playing)), branching[playing])
        for side in (0, 1):
            mine = np.flatnonzero(codes & 1 == side)
            mine = mine[np.lexsort((codes[mine], goes_on[rows[mine]], boards[mine]))]
            offsets = np.searchsorted(boards[mine], np.arange(len(playing) + 1))
            if not np.diff(offsets).all():
                raise RulesError(f"tier {number}: a side has no move on a board where the game goes on")
            sides.append(Placements(offsets, rows[mine].astype(np.uint32), (codes[mine] >> 1).astype(np.uint8)))
        return cls(number, states, orbit_sizes, np.where(branching, 0, payoffs), playing, *sides)

    @property
    def over(self) -> np.ndarray:
        """bool[n], whether the game is over."""
        over = np.ones(len(self.states), dtype=bool)
        over[self.playing] = False
        return over


def board_engine(game: Game, *, board: int | None = None, symmetry: str = "geometric", workers: Workers) -> Engine:
    """Return the engine for the boards of ``game`` from ``board`` on (default: its start). Raises `SpecError` for a
    game in which only the side to move can move, and `RulesError` for boards not tiered by ply.
    """
    rules = EitherSide(game).rules()
    if rules.tier is not None or rules.loopy:
        raise RulesError(f"either_side() of {game.spec} has tiers or loops; for bidding, boards must be tiered by ply")
    return make_engine(EitherSide(game), symmetry=symmetry, start=board, workers=workers)


def board_tiers(engine: Engine) -> list[BoardTier]:
    """Return the tiers of reachable canonical boards with their placements, the last first. Raises `TooLargeError`."""
    plan = Plan(Budget.of_machine(), in_memory=True, fields=0, threads=engine.workers.threads)
    guard = SizeGuard(engine, Tables(counts=False), plan.budget, in_memory=True, anyway=True)
    tiers = forward_by_ply(engine, dataclasses.replace(plan, ahead=guard)).states
    samples = [states[:: max(1, len(states) // SAMPLE)].copy() for states in tiers]
    branching = [len(engine.expand_moves(sample)[0]) / max(1, len(sample)) for sample in samples]
    placements = [average * len(states) for average, states in zip(branching, tiers, strict=True)]
    bytes_needed = KEPT * sum(placements) + LINKED * max(placements) + BOARD * sum(map(len, tiers))
    subject = f"{engine.game.spec} has {sum(map(len, tiers)):,} classes of boards: their placements"
    Budget.of_machine().require(bytes_needed, subject, "a smaller board")
    return list(_linked(engine, tiers))


def _linked(engine: Engine, tiers: list[np.ndarray]) -> Iterator[BoardTier]:
    following, goes_on = np.empty(0, np.int64), np.empty(0, bool)
    for number in range(len(tiers) - 1, -1, -1):
        tell_progress("linking boards", len(tiers) - 1 - number, len(tiers))
        states, table = tiers[number], build_table(following)
        moves = []
        for chunk in engine.chunks(len(states)):
            links = link(engine, states[chunk], table).compact()
            check_payoffs(engine, states[chunk], links.branching, links.payoffs)
            moves.append((links.payoffs, links.branching, engine.expand_moves(states[chunk])[1], links.rows))
        joined = [*map(np.concatenate, zip(*moves, strict=True))]
        tier = BoardTier.of(number, states, engine.orbit_sizes(states), joined, goes_on)
        following, goes_on = states, ~tier.over
        yield tier


# Solved ---------------------------------------------------------------------------------------------------------------

Mixed = dict[tuple[int, int], MatrixSolution]
"""States without a saddle point, by board in play and column."""


@dataclasses.dataclass(frozen=True)
class SolvedBoards:
    """A tier with each state's value, optimal bids and best placements."""

    boards: BoardTier
    values: list[Value]
    """All that occur, ascending."""
    ranks: np.ndarray  # int32[n, columns], of the values; finished boards too
    x_bids: np.ndarray  # int16[m, columns], `NO_BID` without a saddle point
    o_bids: np.ndarray
    x_moves: np.ndarray  # uint8[m, columns], the best placement with the chips and the advantage as they are
    o_moves: np.ndarray
    mixed: Mixed


def ranked(boards: BoardTier, values: list[Value], ranks: np.ndarray, mixed: Mixed) -> tuple[list[Value], np.ndarray]:
    """Return the values of a tier and the ranks int32[n, columns] of all its boards, from ``ranks`` [m, columns] of the
    boards in play in ascending ``values`` (those of ``mixed`` states are ignored).
    """
    payoffs, own = [Fraction(p) for p in boards.payoffs.tolist()], [each.value for each in mixed.values()]
    places = tuple(np.array(list(mixed), dtype=np.int64).reshape(-1, 2).T)
    counted = np.ones(ranks.shape, dtype=bool)
    counted[places] = False
    used = np.unique(ranks[counted] if mixed else ranks).tolist()
    distinct = ascending([*(values[rank] for rank in used), *own, *payoffs])
    renumbered = np.zeros(len(values) + 1, dtype=np.int32)
    renumbered[used] = ranks_in(distinct, (values[rank] for rank in used))
    every = np.repeat(ranks_in(distinct, payoffs)[:, None], ranks.shape[1], axis=1)
    in_play = renumbered[ranks]
    in_play[places] = ranks_in(distinct, own)
    every[boards.playing] = in_play
    return distinct, every


def parts(boards: BoardTier, columns: int, rows: int) -> Iterable[slice]:
    """Yield the boards of each file of a tier: whole ones, about so many ``rows``."""
    files = np.cumsum(np.where(boards.over, 1, columns)) // rows
    cuts = [0, *(np.flatnonzero(np.diff(files)) + 1).tolist(), len(files)]
    return [slice(low, high) for low, high in itertools.pairwise(cuts) if high > low]


def matrix_at(
    game: Bidding, column: int, values: list[Value], x_best: np.ndarray, o_best: np.ndarray
) -> list[list[Value]]:
    """Return the matrix of bids of a board's column, from the ranks of both sides' best placements."""
    return bid_matrix(game, column, lambda at: values[x_best[at]], lambda at: values[o_best[at]])
