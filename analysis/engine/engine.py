"""Combine a game with its symmetry group and its threads, for the passes over the tiers.

Single states are answered by the rules and the group in plain Python. The compiler is loaded only for many states,
since loading it takes longer than reading a stored solution.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..common.time_limit import watched_over
from ..common.workers import Workers
from ..errors import PositionError, RulesError
from ..rules.game import Game, Rules, is_users, own_order
from ..rules.keeping import kept_rules
from ..rules.symmetry import RESIDUAL, Group, ResidualGame, find_group, residual_of, usable_kind

if TYPE_CHECKING:
    from .compiling.functions import CompiledRules
    from .kernels.states import ChunkMoves, ExpandedChunk
    from .kernels.types import Board

CHUNK_MOVES = 1 << 20
"""The most moves of a chunk of states: its children (8 MB) are sorted near the cache."""

CHUNK_TIERED = 1 << 18
"""The most moves of a chunk if tiers are not plies: data of each child are then gathered, up to 100 bytes a move."""


TIERED_BYTES = 96
"""Bytes per move of expanding a chunk if tiers are not plies: two results wait for each thread, 18 bytes a move each,
and the data gathered of the children, counts included, take up to 60.
"""

WORTH_COMPILING = 1 << 15
"""The least states for which a function of the rules is compiled; plain Python takes a tenth of a second for them."""

GREATEST_ORBIT = 65535
"""The greatest orbit size that the tables hold."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """The rules, the start state, and the group that fixes it."""

    game: Game
    rules: Rules
    start: int
    group: Group
    reduces: bool
    """Whether the rules' own canonical() is used, or their residual()."""
    workers: Workers
    residual: ResidualGame | None = None
    """The game of the tiers, if classes are positions with the same game left to play. ``rules`` are then still those
    of the positions, and their canonical() gives what is left.
    """
    whole: Engine | None = None
    """The engine of full positions, if this is a residual engine."""

    ruled: ClassVar[bool] = True
    """Whether rules are available."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the engine is made from, without compiled rules and threads."""
        if self.whole is not None:
            return getattr, (self.whole, "classes")
        return functools.partial(make_engine, self.game, symmetry=self.group.kind, start=self.start), ()

    @functools.cached_property
    def classes(self) -> Engine:
        """The engine that solves the tiers: this one, or the residual game's."""
        if self.residual is None:
            return self
        start = self._ask(self.rules.canonical, self.start)
        rules = kept_rules(self.residual)
        return Engine(self.residual, rules, start, self.group, False, self.workers, whole=self)

    @property
    def sized(self) -> bool:
        """Whether the number of positions in a class is known."""
        return self.group.kind != RESIDUAL

    @property
    def order(self) -> int | None:
        """The number of symmetries; None if they are not known, since the rules have their own canonical()."""
        if not self.reduces:
            return self.group.order
        return own_order(self.game, self.start) if self.sized else None

    @property
    def loopy(self) -> bool:
        """Whether moves can return to an earlier position."""
        return self.rules.loopy

    @property
    def by_ply(self) -> bool:
        """Whether every move leads to the next tier."""
        return self.rules.tier is None and not self.rules.loopy

    @property
    def payoffs(self) -> tuple[int, int]:
        """The least payoff and the greatest."""
        return self.rules.payoffs

    @property
    def compiled(self) -> CompiledRules:
        """The rules as kernels take them, compiled when first needed. Raises `RulesError`."""
        return _compiled(self.game, self.residual)

    def prepare(self) -> None:
        """Load the kernels and compile the rules. Do so before beginning a file, since it takes long and raises
        `RulesError`.
        """
        from .kernels import counting, hash_table, loops, states  # noqa: F401 - those of a solve

        _ = self.compiled

    @property
    def successors(self) -> Callable[..., int]:
        """The compiled function that gives the states after a state, canonical ones if the rules make them so."""
        return self.compiled.successors(reduced=self.reduces)

    def tier(self, state: int) -> int | None:
        """Return the tier of a state of a game that is not by plies; None without rules. Raises `PositionError` if the
        rules fail on it.
        """
        return 0 if self.rules.tier is None else self._ask(self.rules.tier, state)

    @functools.cached_property
    def board(self) -> Board:
        """The tables with which kernels find canonical states."""
        from .kernels.types import Board

        tables = self.group.tables
        more = -tables.shape[1] % self._kernels.TOGETHER
        return Board(np.pad(tables, ((0, 0), (0, more), (0, 0))), self.group.bits)

    @property
    def _kernels(self) -> Any:
        """The kernels over states, loaded when first needed."""
        from .kernels import states

        return states

    @property
    def chunk(self) -> int:
        """The number of states per chunk, which depends only on the game, so that results never depend on the number of
        threads.
        """
        return max(1, (CHUNK_MOVES if self.by_ply else CHUNK_TIERED) // self.rules.max_moves)

    def scratch_bytes(self, states: int) -> int:
        """Return the bytes of the threads' buffers while they expand a tier of this many states and look up its
        children.
        """
        a_move = 12 if self.by_ply else TIERED_BYTES
        return a_move * self.rules.max_moves * min(self.chunk * self.workers.threads, states)

    def chunks(self, n: int) -> list[slice]:
        """Return the rows of a tier of ``n`` states, in chunks."""
        return [slice(low, min(low + self.chunk, n)) for low in range(0, n, self.chunk)]

    def expand(self, states: np.ndarray) -> ChunkMoves:
        """Return the moves of the states. The children are the calling thread's scratch, valid until its next call."""
        n, most = len(states), self.rules.max_moves
        children = self.workers.scratch("children", n * most, np.int64)
        labels = np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int16)
        moves = self._kernels.ChunkMoves(*labels, children)
        arguments = self.successors, self.compiled.to_move, states, most, self.rules.most_code, self.board, moves
        total = self._count(states, children, self._kernels.expand, *arguments)
        return moves._replace(children=children[:total])

    def expand_tiers(self, states: np.ndarray) -> ExpandedChunk:
        """Return every move of the states, with the tiers they lead to. Arrays with an entry for each move are the
        calling thread's scratch, valid until its next call.
        """
        n, most = len(states), self.rules.max_moves
        codes = self.workers.scratch("codes", n * most, np.uint16)
        tiers, children = (self.workers.scratch(name, n * most, np.int64) for name in ("tiers", "children"))
        labels = np.empty(n, np.uint8), np.empty(n, np.int8), np.empty(n, np.int16)
        chunk = self._kernels.ExpandedChunk(states, *labels, codes, tiers, children)
        tiered = self.compiled.successors(reduced=self.reduces, tiered=True)
        arguments = tiered, self.compiled.to_move, most, self.rules.most_code, self.board, chunk
        total = self._count(states, children, self._kernels.expand_tiers, *arguments)
        return chunk._replace(codes=codes[:total], tiers=tiers[:total], children=children[:total])

    def _count(self, states: np.ndarray, children: np.ndarray, kernel: Callable[..., int], *arguments: Any) -> int:
        """Return the number of moves that a kernel finds. A number below 0 means that the rules are wrong at the state
        whose row is the first of the ``children``; raises `RulesError` for it.
        """
        from .compiling.faults import wrong_moves

        total = self.call(states, kernel, *arguments)
        if total < 0:
            raise wrong_moves(self.game, self.rules, int(states[children[0]]))
        return total

    def call(self, states: np.ndarray, kernel: Callable[..., int], *arguments: Any) -> int:
        """Call a kernel that uses the rules on these states. Raises `RulesError` if they fail."""
        from .compiling.faults import failure, watched, words_of_silence

        watch = watched_over(self.game.spec, lambda _: words_of_silence(self.game, states))
        with watch if is_users(self.game) else contextlib.nullcontext():
            result, error = watched(kernel, *arguments)
        if error is not None:
            raise failure(self.game, self.rules, states.tolist(), error)
        return result  # type: ignore[return-value]

    def expand_moves(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return every move of the states: row of the state int64[moves], code uint16[moves], canonical child
        int64[moves].
        """
        most = len(states) * self.rules.max_moves
        rows, children = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        codes = np.empty(most, dtype=np.uint16)
        arguments = self.successors, states, *self.board, rows, codes, children
        n = self.call(states, self._kernels.expand_moves, *arguments)
        return rows[:n], codes[:n], children[:n]

    def moves_of(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what `expand_moves` does, of few states without the compiler. Raises `RulesError`."""
        if len(states) >= WORTH_COMPILING:
            return self.expand_moves(states)
        moves = [(row, *move) for row, state in enumerate(states.tolist()) for move in self.rules.moves(state)]
        rows, codes, children = np.array(moves, np.int64).reshape(-1, 3).T
        return rows, codes.astype(self.rules.code_kind), self.canonicals(children)

    def movers_of(self, states: np.ndarray) -> np.ndarray:
        """Return who moves in each state: 1 or -1, int64[n]."""
        return self._ask_all(self.rules.to_move, states)

    def payoffs_of(self, states: np.ndarray) -> np.ndarray:
        """Return the first player's payoff in each state, `ONGOING` where the game goes on, int64[n]."""
        return self._ask_all(self.rules.outcome, states)

    def orbit_sizes(self, states: np.ndarray) -> np.ndarray:
        """Return the number of positions in the class of each canonical state, uint16[n]."""
        if not self.reduces:
            sizes_by_group = np.ones(len(states), dtype=np.uint16)
            if self.group.order > 1:
                self._kernels.orbit_sizes(states, *self.board, sizes_by_group)
            return sizes_by_group
        sizes = np.empty(len(states), dtype=np.int64)
        self.call(states, self._kernels.apply, self.compiled.alone(self.rules.orbit_size), states, sizes)
        wrong = np.flatnonzero((sizes < 1) | (sizes > GREATEST_ORBIT))
        if len(wrong):
            position = self.game.format_position(int(states[wrong[0]]))
            raise RulesError(
                f"position {position}: orbit_size() is {sizes[wrong[0]]}; the tables hold 1 to {GREATEST_ORBIT:,}"
            )
        return sizes.astype(np.uint16)

    def canonical(self, state: int) -> int:
        """Return the canonical state of a state, or its residual state. Raises `PositionError` if the rules
        fail on it.
        """
        if not self.reduces:
            return self.group.canonical(state)
        state_of_rules = self._ask(self.rules.canonical, state)
        return state_of_rules if self.residual is None else self.group.canonical(state_of_rules)

    def canonicals(self, states: np.ndarray) -> np.ndarray:
        """Return the canonical states of many, int64[n], as `canonical` does. Raises `PositionError` or `RulesError`
        if the rules fail on one.
        """
        states_of_rules = self._ask_all(self.rules.canonical, states) if self.reduces else states
        return states_of_rules if self.reduces and self.residual is None else self.group.canonicals(states_of_rules)

    def tiers_of(self, states: np.ndarray) -> np.ndarray:
        """Return the tiers of many states of a game that is not by plies, int64[n]. Raises as `canonicals` does."""
        tier = self.rules.tier
        return np.zeros(len(states), np.int64) if tier is None else self._ask_all(tier, states)

    def _ask_all(self, function: Callable[[int], int] | None, states: np.ndarray) -> np.ndarray:
        """Call a function of the rules for each state; it is compiled if that pays."""
        assert function is not None
        if len(states) < WORTH_COMPILING:
            return np.array([self._ask(function, state) for state in states.tolist()], dtype=np.int64)
        results = np.empty(len(states), np.int64)
        self.call(states, self._kernels.apply, self.compiled.alone(function), states, results)
        return results

    def orbit_size(self, state: int) -> int:
        """Return the size of the orbit of one canonical state. Raises `PositionError` if the rules fail on it."""
        return self._ask(self.rules.orbit_size, state) if self.reduces else self.group.orbit_size(state)

    def _ask(self, function: Callable[[int], int] | None, state: int) -> int:
        """Call a function of the rules for a state that a user may have made up."""
        assert function is not None
        try:
            return int(function(state))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise PositionError(f"state {state} is not a position of {self.game.spec}: {error}") from None


def make_engine(
    game: Game,
    *,
    symmetry: str = "geometric",
    start: int | None = None,
    workers: Workers | None = None,
) -> Engine:
    """Make the engine for a game from ``start`` (default: the rules' start). Raises `SymmetryError`, and for residual
    classes `OptionError` if the game has none.
    """
    rules = game.rules()
    start = rules.start if start is None else start
    if symmetry == RESIDUAL:
        return _residual_engine(game, rules, start, workers or Workers(1))
    symmetry = usable_kind(rules, symmetry)
    group = find_group(rules, symmetry, start=start)
    reduces = uses_own_canonical(rules, symmetry, start)
    return Engine(game, rules, start, group, reduces, workers or Workers(1))


def _residual_engine(game: Game, rules: Rules, start: int, workers: Workers) -> Engine:
    """Make the engine for positions that are looked up by what is left to play. The symmetries of residual states need
    not fix the start, since no positions are counted.
    """
    residual_game = ResidualGame(game)
    group = dataclasses.replace(find_group(residual_game.rules(), "geometric"), kind=RESIDUAL)
    return Engine(game, looked_up(game, rules), start, group, True, workers, residual_game)


def looked_up(game: Game, rules: Rules) -> Rules:
    """Return the rules of a game with what is left to play as their canonical(). Raises `OptionError` and
    `RulesError`.
    """
    residual = residual_of(game)
    most = max(rules.max_moves, residual.rules.max_moves)
    return dataclasses.replace(
        rules, max_moves=most, symmetries=(), exchange=False, lines=(), canonical=residual.of, orbit_size=_not_known
    )


def _not_known(state: int) -> int:
    return 1


def without_threads(engine: Engine) -> Engine:
    """Return the engine without the threads of the solve that made it."""
    return dataclasses.replace(engine, workers=Workers(1))


@functools.lru_cache(maxsize=64)
def _compiled(game: Game, residual: ResidualGame | None) -> CompiledRules:
    from .compiling.functions import compile_rules
    from .sample import try_out

    rules = game.rules()
    try_out(game, rules)
    return compile_rules(rules if residual is None else looked_up(game, rules), repeating=game.moves_may_repeat)


def uses_own_canonical(rules: Rules, symmetry: str, start: int) -> bool:
    """Return whether the rules' own canonical() is used. Symmetries that move the start cannot be used: orbits would
    hold positions that are not reached.
    """
    if rules.canonical is None or rules.orbit_size is None or symmetry != "geometric":
        return False
    return rules.orbit_size(start) == 1
