"""Optimal paths, ``out(s)``: enumerate in lexicographic order, count, rank and sample.

A path is optimal if every state on it has the value of the state it starts from; all of them therefore end in the same
outcome. A *shortest* optimal path also loses one ply of remoteness with every move: the winner hurries, the loser
delays, and with value 0 both hurry.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from analysis.engine import Engine
from analysis.errors import MissingDataError, OptionError, StoreError
from analysis.kernels import walk as kernels
from analysis.kernels.table import MISSING
from analysis.links import build_table
from analysis.memory import Budget
from analysis.plan import table_bits
from analysis.tiers import NOT_TOGETHER, Record, SolvedTier

AHEAD = 10
"""Paths found one by one from the counts before the tiers of a large game are read, so that printing starts at once."""

LARGE = 1 << 22
"""States from which on that takes more than a second."""

BLOCK = 1 << 16
"""Most paths written at a time; the first blocks are smaller, so that printing starts at once."""


class _Lead(NamedTuple):
    """A move that keeps the value, the state after it, and how many optimal paths go on from there."""

    code: int
    child: int
    paths: int


class OptimalPaths:
    """All optimal paths from a state, as backtracker texts: iterate, take one by its number, sample.

    >>> import analysis
    >>> paths = analysis.solve("tictactoe").optimal_paths()
    >>> paths.count, paths[0], paths[3583]
    (3584, '041263578', '847625310')
    """

    def __init__(
        self, engine: Engine, tiers: Sequence[SolvedTier], ply: int, state: int, *, shortest: bool = False
    ) -> None:
        self._engine, self._tiers, self._ply, self._state, self.shortest = engine, tiers, ply, state, shortest
        self.value = self._record(ply, state).value

    @property
    def game(self) -> str:
        """The specification of the game."""
        return self._engine.game.spec

    @property
    def start(self) -> str:
        """The position they start from."""
        return self._engine.game.format_position(self._state)

    @property
    def outcome(self) -> str:
        """How all of the paths end: ``X``, ``O`` or ``tie``."""
        return "X" if self.value > 0 else "O" if self.value < 0 else "tie"

    @property
    def counted(self) -> bool:
        """Whether their number is known."""
        return self._record(self._ply, self._state).optimal_paths is not None

    @property
    def count(self) -> int:
        """How many there are. Raises `MissingDataError` for a solution without counts."""
        return self._count(self._record(self._ply, self._state))

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks():
            yield from block.decode("ascii").split("\n")[:-1]

    def __getitem__(self, index: int) -> str:
        """The path with this number, counted from 0, without walking the ones before it."""
        index = operator.index(index)
        if not 0 <= index < self.count:
            raise OptionError(f"there is no path number {index}; they are numbered from 0 to {self.count - 1}")
        codes, state, ply = [], self._state, self._ply
        while moves := self._moves(ply, state):
            while index >= moves[0].paths:
                index -= moves.pop(0).paths
            codes.append(moves[0].code)
            state, ply = moves[0].child, ply + 1
        return path_text(codes, self._joined)

    def sample(self, number: int, seed: int | None = None) -> Iterator[str]:
        """``number`` paths drawn independently, each path being as likely as any other."""
        if number < 0:
            raise OptionError(f"cannot draw {number} paths; draw 0 or more")
        generator, count = random.Random(seed), self.count
        for _ in range(number):
            yield self[generator.randrange(count)]

    def blocks(self, limit: int | None = None) -> Iterator[bytes]:
        """The paths as lines of text, many at a time, at most ``limit`` in all."""
        ahead = self._ahead(limit)
        for index in range(ahead):
            yield f"{self[index]}\n".encode()
        for block in self._walk(limit) if limit != ahead else ():
            yield block.split(b"\n", ahead)[-1]
            ahead = 0

    def _ahead(self, limit: int | None) -> int:
        """How many paths to find one by one first."""
        if not self.counted or sum(len(tier) for tier in self._tiers[self._ply :]) < LARGE:
            return 0
        return min(AHEAD, self.count, AHEAD if limit is None else limit)

    def _walk(self, limit: int | None) -> Iterator[bytes]:
        """All paths by one depth-first walk."""
        engine, plies = self._engine, len(self._tiers) - self._ply
        slots, layout, values, remoteness = self._arrays()
        most = engine.rules.max_moves
        child_states = np.zeros((plies + 1, most + 1), dtype=np.int64)
        child_states[-1, -1] = self._state
        child_codes = np.zeros_like(child_states)
        counts, cursors = np.zeros(plies + 1, dtype=np.int64), np.zeros(plies + 1, dtype=np.int64)
        depth = np.array([kernels.ENTER], dtype=np.int64)
        size, left = 16, limit
        while depth[0] != kernels.DONE and left != 0:
            size = min(size * 4, BLOCK) if left is None else min(size * 4, BLOCK, left)
            paths, lengths = np.empty((size, plies), dtype=np.uint8), np.empty(size, dtype=np.int64)
            written = kernels.walk(
                engine.compiled.successors, most, *engine.board, slots, layout, values, remoteness, int(self.shortest),
                child_states, child_codes, counts, cursors, depth, paths, lengths,
            )  # fmt: skip
            if written == MISSING:
                raise StoreError(NOT_TOGETHER)
            text = np.empty(size * (4 * plies + 1), dtype=np.uint8)
            yield text[: kernels.spell(paths, lengths, written, int(self._joined), text)].tobytes()
            left = None if left is None else left - written

    def codes(self, path: str) -> list[int]:
        """The move codes of a path."""
        return [int(code) for code in (path.split("-") if self._joined and path else path)]

    def plies(self, path: str) -> int:
        """How many moves a path has."""
        return len(path) if not self._joined else path.count("-") + 1 if path else 0

    @property
    def _joined(self) -> bool:
        return self._engine.rules.largest_code > 9

    def _arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Hash tables, layout, values and remoteness of all tiers from the first one needed."""
        tiers = self._tiers[self._ply :]
        rows, bits = [len(tier) for tier in tiers], [table_bits(len(tier)) for tier in tiers]
        size = sum(1 << b for b in bits)
        Budget.of_machine().require(8 * size + 12 * sum(rows), f"walking paths through {sum(rows):,} states")
        slots, layout = np.zeros(size, dtype=np.uint64), np.zeros((len(tiers) + 1, 4), dtype=np.int64)
        values, remoteness = np.empty(sum(rows), dtype=np.int16), np.empty(sum(rows), dtype=np.uint16)
        slot = row = 0
        for i, tier in enumerate(tiers):
            table = build_table(tier.states, slots[slot : slot + (1 << bits[i])])
            layout[i] = slot, table.bits, table.seed, row
            values[row : row + rows[i]], remoteness[row : row + rows[i]] = tier.value, tier.remoteness
            slot, row = slot + (1 << bits[i]), row + rows[i]
        return slots, layout, values, remoteness

    def _record(self, ply: int, state: int) -> Record:
        record = self._tiers[ply].lookup(self._engine.canonical(state))
        if record is None:
            raise StoreError(NOT_TOGETHER)
        return record

    def _moves(self, ply: int, state: int) -> list[_Lead]:
        """The moves that lead on from a state, ascending."""
        own = self._record(ply, state)
        found = []
        for code, child in self._engine.rules.moves(state):
            record = self._record(ply + 1, child)
            if record.value == self.value and (not self.shortest or _follows(own, record)):
                found.append(_Lead(code, child, self._count(record)))
        return found

    def _count(self, record: Record) -> int:
        count = record.shortest_paths if self.shortest else record.optimal_paths
        if count is None:
            raise MissingDataError("this solution holds no counts (--no-counts); solve again with them: add --force")
        return count


def _follows(record: Record, after: Record) -> bool:
    """Whether a move takes one ply of remoteness."""
    if record.remoteness_plies is None or after.remoteness_plies is None:
        return False
    return after.remoteness_plies == record.remoteness_plies - 1


def path_text(codes: Sequence[int], joined: bool) -> str:
    """A path in backtracker form: its move codes, ``joined`` by ``-`` where one may exceed 9.

    >>> path_text([0, 11, 5], joined=True), path_text([0, 1, 2, 4], joined=False)
    ('0-11-5', '0124')
    """
    return ("-" if joined else "").join(map(str, codes))
