"""The boards of a game with moves by either side, tier by tier: with placements, and solved for the tables."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from ..engine.engine import Engine, make_engine
from ..engine.passes.children import build_table, link
from ..engine.passes.forward_by_ply import check_payoffs, forward_by_ply, next_tier
from ..engine.plan import Plan
from ..errors import RulesError
from ..games.shared.either_side import EitherSide
from ..machine.memory import Budget
from ..machine.workers import Workers, tell_progress
from ..rules.game import Game
from ..solution.storage.store import Tables
from ..solving.resources import SizeGuard
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

    @classmethod
    def of_sides(
        cls, playing: int, boards: np.ndarray, codes: np.ndarray, rows: np.ndarray, goes_on: np.ndarray
    ) -> tuple[Placements, Placements]:
        """Return X's and O's placements, from the moves of ``playing`` boards: board, code, and row in the next tier,
        where the game ``goes_on`` or ends.
        """
        found = []
        for side in (0, 1):
            mine = np.flatnonzero(codes & 1 == side)
            mine = mine[np.lexsort((codes[mine], goes_on[rows[mine]], boards[mine]))]
            offsets = np.searchsorted(boards[mine], np.arange(playing + 1))
            found.append(cls(offsets, rows[mine], (codes[mine] >> 1).astype(np.uint8)))
        return found[0], found[1]

    def some(self, boards: slice) -> Placements:
        """Return the placements of some of the boards."""
        offsets = self.offsets[boards.start : boards.stop + 1]
        entries = slice(int(offsets[0]), int(offsets[-1]))
        return Placements(offsets - entries.start, self.rows[entries], self.moves[entries])


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

    @property
    def over(self) -> np.ndarray:
        """bool[n], whether the game is over."""
        over = np.ones(len(self.states), dtype=bool)
        over[self.playing] = False
        return over

    def some(self, boards: slice) -> BoardTier:
        """Return some of the boards."""
        playing = slice(*np.searchsorted(self.playing, [boards.start, boards.stop]).tolist())
        states, orbit_sizes, payoffs = (array[boards] for array in (self.states, self.orbit_sizes, self.payoffs))
        rows, x, o = self.playing[playing] - boards.start, self.x.some(playing), self.o.some(playing)
        return BoardTier(self.number, states, orbit_sizes, payoffs, rows, x, o)

    def __len__(self) -> int:
        return len(self.states)


@dataclasses.dataclass(frozen=True)
class Leaves:
    """Where to stop: the depth in stones, and the value of a board there, or where the game ended before."""

    depth: int
    worth: Callable[[int], int]


def board_engine(
    game: Game,
    *,
    board: int | None = None,
    symmetry: str = "geometric",
    workers: Workers,
) -> Engine:
    """Return the engine for the boards of ``game`` from ``board`` on (default: its start). Raises `SpecError` for a
    game in which only the side to move can move, and `RulesError` for boards not tiered by ply.
    """
    rules = EitherSide(game).rules()
    if rules.tier is not None or rules.loopy:
        raise RulesError(f"either_side() of {game.spec} has tiers or loops; for bidding, boards must be tiered by ply")
    return make_engine(EitherSide(game), symmetry=symmetry, start=board, workers=workers)


def find_boards(engine: Engine, leaves: Leaves | None = None) -> list[np.ndarray]:
    """Return the reachable canonical boards, int64[n] per tier, sorted; tier 0 is the start. Raises `TooLargeError`."""
    plan = Plan(Budget.of_machine(), in_memory=True, fields=0, threads=engine.workers.threads)
    if leaves is None:
        guard = SizeGuard(engine, Tables(counts=False), plan.budget, in_memory=True, anyway=True)
        return forward_by_ply(engine, dataclasses.replace(plan, ahead=guard)).states
    tiers = [np.array([engine.canonical(engine.start)], dtype=np.int64)]
    while len(tiers) <= leaves.depth and len(tiers[-1]):
        tiers.append(next_tier(engine, plan, tiers, None))
    return tiers if len(tiers[-1]) else tiers[:-1]


def board_tiers(engine: Engine, tiers: list[np.ndarray], leaves: Leaves | None = None) -> Iterator[BoardTier]:
    """Yield the tiers with their placements, the last first. Raises `TooLargeError` if memory does not suffice."""
    samples = [states[:: max(1, len(states) // SAMPLE)].copy() for states in tiers]
    branching = [len(engine.expand_moves(some)[0]) / max(1, len(some)) for some in samples]
    placements = [each * len(states) for each, states in zip(branching, tiers, strict=True)]
    needed = KEPT * sum(placements) + LINKED * max(placements) + BOARD * sum(map(len, tiers))
    what = f"{engine.game.spec} has {sum(map(len, tiers)):,} classes of boards: their placements"
    Budget.of_machine().require(needed, what, "a smaller board")
    below = _ended(engine, len(tiers), np.empty(0, np.int64))
    for number in range(len(tiers) - 1, -1, -1):
        tell_progress("linking boards", len(tiers) - 1 - number, len(tiers))
        cut = leaves is not None and number == leaves.depth
        below = _ended(engine, number, tiers[number]) if cut else _linked(engine, number, tiers[number], below)
        if leaves is not None:
            over = below.over
            below.payoffs[over] = [leaves.worth(state) for state in below.states[over].tolist()]
        yield below


def _ended(engine: Engine, number: int, states: np.ndarray) -> BoardTier:
    """Return a tier where every board is finished."""
    none = Placements(np.zeros(1, np.int64), np.empty(0, np.uint32), np.empty(0, np.uint8))
    payoffs, playing = np.zeros(len(states), np.int64), np.empty(0, np.int64)
    return BoardTier(number, states, engine.orbit_sizes(states), payoffs, playing, none, none)


def _linked(engine: Engine, number: int, states: np.ndarray, below: BoardTier) -> BoardTier:
    """Return a tier with its placements, which lead to the one below."""
    table = build_table(below.states)
    branching, payoffs = np.empty(len(states), np.uint8), np.empty(len(states), np.int64)
    codes, rows = [], []
    for chunk in engine.chunks(len(states)):
        links = link(engine, states[chunk], table).compact()
        check_payoffs(engine, states[chunk], links.branching, links.payoffs)
        branching[chunk], payoffs[chunk] = links.branching, links.payoffs
        codes.append(engine.expand_moves(states[chunk])[1])
        rows.append(links.rows)
    playing = np.flatnonzero(branching)
    boards = np.repeat(np.arange(len(playing)), branching[playing])
    x, o = Placements.of_sides(len(playing), boards, np.concatenate(codes), np.concatenate(rows), ~below.over)
    return BoardTier(number, states, engine.orbit_sizes(states), payoffs, playing, x, o)


# Solved ---------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class LevelWorth:
    """The values of a tier's boards, for the tier before it."""

    table: list[Value]
    ranks: np.ndarray  # int32[boards, columns]

    @classmethod
    def joined(cls, columns: int, files: Sequence[LevelWorth]) -> LevelWorth:
        """Join the values of the boards in a tier's files. Raises `NoRoomError`."""
        needed = 8 * columns * sum(len(file.ranks) for file in files)
        Budget.of_machine().require(needed, "the values of a tier's states", "fewer chips, a smaller board")
        table = ascending(value for file in files for value in file.table)
        ranks = [ranks_in(table, file.table)[file.ranks] for file in files]
        return cls(table, np.concatenate([np.empty((0, columns), dtype=np.int32), *ranks]))


Mixed = dict[tuple[int, int], MatrixSolution]
"""States without a saddle point, by board in play and column."""


@dataclasses.dataclass(frozen=True)
class SolvedBoards:
    """A tier, or the part in a file, with each state's value and optimal bids: [boards in play, `StateLayout`]."""

    boards: BoardTier
    table: list[Value]
    ranks: np.ndarray  # int32[m, columns], of the values in the table
    x_bids: np.ndarray  # int16[m, columns], `NO_BID` without a saddle point
    o_bids: np.ndarray
    x_moves: np.ndarray  # uint8[m, columns], the best placement with the chips and the advantage as they are
    o_moves: np.ndarray
    mixed: Mixed

    @classmethod
    def of(
        cls,
        boards: BoardTier,
        table: list[Value],
        ranks: np.ndarray,
        bids: tuple[np.ndarray, np.ndarray],
        moves: tuple[np.ndarray, np.ndarray],
        mixed: Mixed,
    ) -> SolvedBoards:
        """Build from ranks in any ascending ``table`` (those of ``mixed`` states are ignored) and from X's and O's bids
        and moves; the new table has only the values that occur.
        """
        values = [found.value for found in mixed.values()]
        places = tuple(np.array(list(mixed), dtype=np.int64).reshape(-1, 2).T)
        counted = np.ones(ranks.shape, dtype=bool)
        counted[places] = False
        used = np.unique(ranks[counted] if mixed else ranks)
        kept = [table[rank] for rank in used.tolist()]
        new, renumbered = ascending([*kept, *values]), np.zeros(len(table) + 1, dtype=np.int32)
        renumbered[used] = ranks_in(new, kept)
        ranks = renumbered[ranks]
        ranks[places] = ranks_in(new, values)
        return cls(boards, new, ranks, *bids, *moves, mixed)

    def level(self) -> LevelWorth:
        """Return the values, finished boards included, for the tier above."""
        payoffs = [Fraction(p) for p in self.boards.payoffs.tolist()]
        table = ascending([*self.table, *payoffs])
        ranks = np.repeat(ranks_in(table, payoffs)[:, None], self.ranks.shape[1], axis=1)
        ranks[self.boards.playing] = ranks_in(table, self.table)[self.ranks]
        return LevelWorth(table, ranks)
