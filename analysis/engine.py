"""One game, compiled, with its symmetry group and its threads: what the passes over the tiers share."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from analysis.compiling import CompiledRules, compile_rules
from analysis.errors import RulesError
from analysis.kernels import states as kernels
from analysis.rules import Game, Rules
from analysis.symmetry import Group, find_group
from analysis.workers import Progress, Workers, no_progress

CHUNK_MOVES = 1 << 20
"""A chunk is as many states as can have this many moves: its children (8 MB) are sorted near the cache."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """The rules in compiled form, the start state, and the group that leaves it alone."""

    game: Game
    rules: Rules
    start: int
    compiled: CompiledRules
    group: Group
    tables: np.ndarray  # int64[order, chunks, 256], see Group.tables
    workers: Workers
    progress: Progress = no_progress

    @property
    def board(self) -> tuple[np.ndarray, int, int]:
        """What the kernels need to find canonical states."""
        return self.tables, self.rules.cells, self.rules.planes

    @property
    def chunk(self) -> int:
        """States per chunk; a constant of the game, so that results never depend on the number of threads."""
        return max(1, CHUNK_MOVES // self.rules.max_moves)

    def scratch_bytes(self, states: int) -> int:
        """Bytes of the threads' buffers while they expand a tier of so many states and look up its children."""
        return 12 * self.rules.max_moves * min(self.chunk * self.workers.threads, states)

    def chunks(self, n: int) -> list[slice]:
        """The rows of a tier of ``n`` states, in chunks."""
        return [slice(low, min(low + self.chunk, n)) for low in range(0, n, self.chunk)]

    def expand(self, states: np.ndarray) -> np.ndarray:
        """The canonical children of the states, int64[children], with duplicates and in no order; the array is the
        calling thread's scratch, good until its next call.
        """
        children = self.workers.scratch("children", len(states) * self.rules.max_moves, np.int64)
        n = kernels.expand(self.compiled.successors, states, self.rules.max_moves, *self.board, children)
        if n == kernels.NO_MOVE:
            position = self.game.format_position(int(states[children[0]]))
            raise RulesError(f"position {position} has no legal move, but outcome() says that the game goes on")
        return children[:n]

    def expand_moves(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every move of the states: row of the state int64[moves], code uint8[moves], canonical child int64[moves]."""
        most = len(states) * self.rules.max_moves
        rows, children = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
        codes = np.empty(most, dtype=np.uint8)
        n = kernels.expand_moves(
            self.compiled.successors, states, self.rules.max_moves, *self.board, rows, codes, children
        )
        return rows[:n], codes[:n], children[:n]

    def orbit_sizes(self, states: np.ndarray) -> np.ndarray:
        """How many positions each canonical state stands for, uint16[n]."""
        if self.group.order == 1:
            return np.ones(len(states), dtype=np.uint16)
        sizes = np.empty(len(states), dtype=np.uint16)
        kernels.orbit_sizes(states, *self.board, sizes)
        return sizes

    def canonical(self, state: int) -> int:
        """The least image of one state."""
        return int(kernels.canonical_state(state, *self.board))


def make_engine(
    game: Game,
    *,
    symmetry: str = "geometric",
    start: int | None = None,
    workers: Workers | None = None,
    progress: Progress = no_progress,
) -> Engine:
    """The engine for a game from ``start`` (default: where it begins). Raises `SymmetryError`, `RulesError`."""
    rules, compiled = _compiled(game)
    start = rules.start if start is None else start
    group = find_group(rules, symmetry, start=start)
    return Engine(game, rules, start, compiled, group, group.tables(), workers or Workers(1), progress)


@functools.lru_cache(maxsize=64)
def _compiled(game: Game) -> tuple[Rules, CompiledRules]:
    rules = game.rules()
    return rules, compile_rules(rules)
