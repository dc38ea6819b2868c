"""Two levels as the kernels know them, and the solved classes that they play on."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from analysis.engine.engine import Engine, make_engine
from analysis.engine.kernels.hash_table import HashTable
from analysis.engine.passes.children import build_table
from analysis.engine.plan import table_bytes
from analysis.engine.tiers import NOT_TOGETHER
from analysis.errors import GametreeError, RulesError, StoreError
from analysis.machine.memory import Budget
from analysis.playing.kernels import simulated_games as kernels
from analysis.playing.players.levels import Level, parse_level
from analysis.rules.game import Game
from analysis.solution.solution import Solution

ROW_BYTES = 28
"""Bytes of a class beside its place in the hash table: the tiers' arrays, and their copies one after another."""


@dataclasses.dataclass(frozen=True)
class Pairing:
    """Two levels, A and B, both of which a kernel can play."""

    names: tuple[str, str]
    kinds: np.ndarray  # int64[2], such as kernels.PERFECT
    chances: tuple[Fraction, Fraction]
    """How often each moves entirely at random."""

    @classmethod
    def of(cls, a: str, b: str) -> Pairing | None:
        """The pairing of two levels; None if one of them searches. Raises `OptionError` for a text that is no level."""
        levels = parse_level(a), parse_level(b)
        if any(level.kind == "depth" for level in levels):
            return None
        return cls((a, b), np.array([_kind(level) for level in levels]), (levels[0].chance, levels[1].chance))

    @property
    def knows(self) -> bool:
        """Whether one of them plays by values."""
        return bool((self.kinds >= kernels.PERFECT).any())

    @property
    def thresholds(self) -> np.ndarray:
        """The chances as numbers of 53 bits, int64[2]."""
        return np.array([round(chance * kernels.CERTAIN) for chance in self.chances], dtype=np.int64)


def _kind(level: Level) -> int:
    if level.shortest:
        return kernels.SHORTEST
    return {"random": kernels.RANDOM, "greedy": kernels.GREEDY}.get(level.kind, kernels.PERFECT)


@dataclasses.dataclass(frozen=True)
class SolvedArrays:
    """A game from one of its states: the rules and, if it is solved, all classes, tiers ascending."""

    engine: Engine
    root: int
    """The state that games start from."""
    states: np.ndarray  # int64[classes], canonical
    values: np.ndarray  # int16[classes]
    remoteness: np.ndarray  # uint16[classes]
    table: HashTable
    """From canonical states to their rows."""

    @classmethod
    def unsolved(cls, game: Game, root: int) -> SolvedArrays:
        """Where nothing is known but the rules."""
        empty = HashTable(np.zeros(2, dtype=np.uint64), 0, 1)
        states, values, remoteness = np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.uint16)
        return cls(make_engine(game, symmetry="none"), root, states, values, remoteness, empty)

    @classmethod
    def solved(cls, solution: Solution, root: int) -> SolvedArrays:
        """The classes of a solution that holds the root. Raises `PositionError` where it does not, `TooLargeError`."""
        solution.lookup(root)
        tiers = solution.tiers
        rows = sum(map(len, tiers))
        Budget.of_machine().require(table_bytes(rows) + ROW_BYTES * rows, f"playing by {rows:,} classes")
        states = np.concatenate([tier.states for tier in tiers])
        values, remoteness = (np.concatenate([getattr(t, name) for t in tiers]) for name in ("value", "remoteness"))
        return cls(solution.engine, root, states, values, remoteness, build_table(states))

    @property
    def known(self) -> kernels.Known:
        """What the kernels take of it."""
        slots, bits, seed = self.table.slots, self.table.bits, self.table.seed
        return kernels.Known(
            *self.engine.board, slots, bits, seed, self.values, self.remoteness, int(self.engine.loopy)
        )

    def fault(self, answer: int, state: int) -> GametreeError:
        """The error behind a negative answer of a kernel about a state."""
        if answer == kernels.FOUND_MISSING:
            return StoreError(NOT_TOGETHER)
        try:
            self.engine.expand(np.array([state], dtype=np.int64))
        except GametreeError as error:
            return error
        return RulesError(f"the moves of {self.engine.game.format_position(state)} are not always the same")
