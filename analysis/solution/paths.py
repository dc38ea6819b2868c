"""Optimal paths, ``out(s)``: enumerate in lexicographic order, count, rank and sample.

A path is optimal if every state on it has the value of its first; all of them therefore end in the same outcome. A
*shortest* optimal path also loses one ply of remoteness with every move: the winner hurries, the loser delays, and with
value 0 both hurry.
"""

from __future__ import annotations

import itertools
import operator
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from ..common.memory import Budget
from ..common.results import Printable
from ..common.wording import at_prompt, described, shortened
from ..engine.plan import table_bytes
from ..engine.tiers import COUNTS, NOT_TOGETHER, SolvedTier
from ..errors import (
    ArgumentError,
    CountOverflowError,
    MissingDataError,
    NoSuchPathError,
    OptionError,
    StoreError,
    UncountedError,
)
from ..rules.backtracker import backtracker, joined
from .look_ups import Located, StateRecords
from .lookup import WHOLE_BYTES, whole

FEW = 10_000
"""This many paths are all found move by move, without the compiler."""

BLOCK, BLOCK_BYTES = 1 << 16, 1 << 24
"""The most paths, and about as many bytes, written at a time; first blocks are smaller, to start at once."""


REMEMBERED = 1 << 14
"""Positions whose moves are cached while paths are found move by move, a few kilobytes each."""

COUNTED_BYTES, LEAD_BYTES = 350, 1000
"""Bytes of a position whose paths are counted here, and of a move just looked up."""

SHOWN, WIDE = 3, 16
"""Paths shown at the prompt, and characters of each."""

NO_COUNTS = "this solution has no counts (--no-counts); add --force to solve it again with counts"

Lead = tuple[int, int, Located]
"""A move that keeps the value, the state after it, and its record."""


class OptimalPaths(Printable):
    """All optimal paths from a state, as backtracker texts: iterate, index, sample.

    >>> import analysis
    >>> paths = analysis.solve("tictactoe").optimal_paths()
    >>> paths.count, paths[0], paths[3583]
    (3584, '041263578', '847625310')
    >>> paths
    <OptimalPaths of tictactoe from ?????????: 3,584, each a tie
     041263578, 041263587, 042173586, ...>
    """

    def __init__(self, solved: StateRecords, state: int, root: Located, *, shortest: bool = False) -> None:
        self._solved, self._engine, self._state, self._root = solved, solved.engine, state, root
        self.shortest = shortest
        self._known: dict[int, int] = {}
        """Numbers of paths from states, where they are counted here."""
        self.value = root.record.value

    @property
    def game(self) -> str:
        """The specification of the game."""
        return self._engine.game.spec

    @property
    def start(self) -> str:
        """The position the paths start from."""
        return self._engine.game.format_position(self._state)

    def to_json(self) -> dict[str, Any]:
        """Return the object that ``gametree paths --format json`` prints, with all paths."""
        return {"game": self.game, "start": self.start, "count": self.count, "paths": [*self]}

    @property
    def columns(self) -> Sequence[str]:
        """The columns of a path."""
        return ("path", "outcome", "plies")

    def csv_rows(self) -> list[dict[str, Any]]:
        """Return a row for each path."""
        return [{"path": path, "outcome": self.outcome, "plies": self.plies(path)} for path in self]

    @property
    def outcome(self) -> str:
        """The outcome of all paths: ``X``, ``O`` or ``tie``."""
        return "X" if self.value > 0 else "O" if self.value < 0 else "tie"

    @property
    def over(self) -> bool:
        """Whether the game is over at the start: the only path has no move then."""
        return not self._leads(self._state, self._root)

    @property
    def counted(self) -> bool:
        """Whether the number of paths is known."""
        return self._root.record.optimal_paths is not None or self._finds_itself

    @property
    def count(self) -> int:
        """The number of paths. Raises `MissingDataError` for a solution without counts."""
        return self._count(self._state, self._root)

    @property
    def _finds_itself(self) -> bool:
        """Whether paths are counted here, since no solution counts the shortest paths of a loopy game."""
        return self.shortest and self._engine.loopy

    def __len__(self) -> int:
        """Return ``count``. Raises `CountOverflowError` beyond ``sys.maxsize``, and `UncountedError` without counts."""
        if not self.counted:
            raise UncountedError(NO_COUNTS)
        if self.count > sys.maxsize:
            raise CountOverflowError(f"len() cannot exceed {sys.maxsize:,}; use .count, which is {self.count:,}")
        return self.count

    def __bool__(self) -> bool:
        return True  # every position has at least one

    def __repr__(self) -> str:
        counted = self.counted and not self._finds_itself  # that would take long
        found = f"OptimalPaths of {self.game} from {self.start}{', shortest' * self.shortest}: "
        found += f"{self.count:,}, " if counted else ""
        won = "to the goal" if self._engine.game.puzzle and self.value > 0 else f"a win of {self.outcome}"
        found += f"each {'a tie' if self.outcome == 'tie' else won}"
        first = [*itertools.islice(self.one_by_one(), SHOWN + 1)]
        return at_prompt([found, shortened([each[:WIDE] + "..." * (len(each) > WIDE) for each in first], SHOWN)])

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks():
            yield from block.decode("ascii").split("\n")[:-1]

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return the path with this number, from 0 or negative from the end, or those of a slice, without walking the
        ones before it. Raises `NoSuchPathError` for a number out of range.

        >>> import analysis
        >>> analysis.solve("tictactoe").optimal_paths()[3582:]
        ['847625301', '847625310']
        """
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(self.count))]
        if not hasattr(index, "__index__"):
            raise ArgumentError(f"choose a path by a number or a slice, not {described(index)}")
        number = operator.index(index)
        index = number + self.count if number < 0 else number
        if not 0 <= index < self.count:
            raise NoSuchPathError(f"there is no path number {number}; they are numbered from 0 to {self.count - 1}")
        codes, state, found = [], self._state, self._root
        while leads := self._leads(state, found):
            for code, state, found in leads:  # noqa: B007 - after the loop, this is the lead that holds the path
                paths = self._count(state, found)
                if index < paths:
                    break
                index -= paths
            codes.append(code)
        return backtracker(codes, self._engine.rules.largest_code)

    def sample(self, number: int, seed: int | None = None) -> Iterator[str]:
        """Draw ``number`` paths independently and uniformly."""
        if number < 0:
            raise OptionError(f"cannot draw {number} paths; draw 0 or more")
        generator, count = random.Random(seed), self.count
        for _ in range(number):
            yield self[generator.randrange(count)]

    def blocks(self, limit: int | None = None) -> Iterator[bytes]:
        """Yield the paths as lines of text, many at a time, at most ``limit`` in all."""
        wanted = self._root.record.shortest_paths if self.shortest else self._root.record.optimal_paths
        known, rows = [number for number in (limit, wanted) if number is not None], sum(map(len, self._tiers))
        few = (known and min(known) <= FEW) or self._finds_itself
        if few or table_bytes(rows) + WHOLE_BYTES * rows > Budget.of_machine().limit:  # what `_walk` needs
            for path in itertools.islice(self.one_by_one(), limit):
                yield f"{path}\n".encode()
        else:
            yield from self._walk(limit)

    def one_by_one(self) -> Iterator[str]:
        """Yield the paths, found move by move on demand: every move that keeps the value leads to the end of one."""
        known: dict[int, list[Lead]] = {}
        codes: list[int] = []
        first = self._leads(self._state, self._root)
        if not first:
            yield ""
        waiting = [iter(first)]
        while waiting:
            code, child, found = next(waiting[-1], (None, 0, self._root))
            if code is None:
                waiting.pop()
                del codes[-1:]
                continue
            codes.append(code)
            if child not in known:
                if len(known) >= REMEMBERED:
                    known.clear()
                known[child] = self._leads(child, found)
            if known[child]:
                waiting.append(iter(known[child]))
            else:
                yield backtracker(codes, self._engine.rules.largest_code)
                codes.pop()

    def _walk(self, limit: int | None) -> Iterator[bytes]:
        """Yield all paths by one depth-first walk in compiled code."""
        from ..engine.kernels import MISSING
        from ..engine.kernels import walk as kernels
        from ..engine.passes.children import build_table, find

        engine, plies = self._engine, len(self._tiers)
        states, values, remoteness = whole(self._tiers)
        solved = kernels.SolvedStates(build_table(states), values, remoteness)
        most, compiled = engine.rules.max_moves, engine.compiled
        row = find(engine, np.array([engine.canonical(self._state)], dtype=np.int64), solved.table)[0]
        trail = kernels.Trail.begin(self._state, row, plies, most)
        size, left, most_paths = 16, limit, max(16, min(BLOCK, BLOCK_BYTES // (8 * plies)))
        while trail.depth[0] != kernels.DONE and left != 0:
            size = min(size * 4, most_paths) if left is None else min(size * 4, most_paths, left)
            paths, lengths = np.empty((size, plies), dtype=np.uint16), np.empty(size, dtype=np.int64)
            written = engine.call(
                np.empty(0, np.int64), kernels.walk,
                compiled.successors(), engine.successors, most, engine.board, solved, int(self.shortest), trail, paths,
                lengths,
            )  # fmt: skip
            if written == MISSING:
                raise StoreError(NOT_TOGETHER)
            text = np.empty(size * (6 * plies + 1), dtype=np.uint8)
            yield text[: kernels.spell(paths, lengths, written, int(self._joined), text)].tobytes()
            left = None if left is None else left - written

    def codes(self, path: str) -> list[int]:
        """Return the move codes of a path."""
        return [int(code) for code in (path.split("-") if self._joined and path else path)]

    def plies(self, path: str) -> int:
        """Return the number of moves in a path."""
        return len(path) if not self._joined else path.count("-") + 1 if path else 0

    @property
    def _joined(self) -> bool:
        return joined(self._engine.rules.largest_code)

    @property
    def _tiers(self) -> Sequence[SolvedTier]:
        """The tiers from the first one needed."""
        return [tier for tier in self._solved.tiers if tier.number >= self._root.tier]

    def _leads(self, state: int, found: Located) -> list[Lead]:
        """Return the path moves from a state, ascending."""
        leads = []
        for code, child, tier, record in self._solved.children(state, found.tier, COUNTS):
            located, plies = Located(tier, record), record.remoteness_plies
            hurries = plies is not None and found.record.remoteness_plies == plies + 1
            if record.value == self.value and (hurries or not self.shortest):
                leads.append((code, child, located))
        return leads

    def _count(self, state: int, found: Located) -> int:
        record = found.record
        count = record.shortest_paths if self.shortest else record.optimal_paths
        if count is None and self._finds_itself:
            return self._counted_here(state, found)
        if count is None:
            raise MissingDataError(NO_COUNTS)
        return count

    def _counted_here(self, state: int, found: Located) -> int:
        """Count the shortest paths from a state, each move of which is one ply nearer the end: collect the states of
        each distance, then add up from the last ones back.
        """
        layers: list[dict[int, list[int]]] = []
        waiting, budget = {state: found}, Budget.of_machine()
        while waiting and state not in self._known:
            leads = {each: self._leads(each, place) for each, place in waiting.items() if each not in self._known}
            layers.append({each: [child for _, child, _ in own] for each, own in leads.items()})
            waiting = {child: after for own in leads.values() for _, child, after in own}
            states = sum(map(len, layers))
            needed = COUNTED_BYTES * (states + len(self._known)) + LEAD_BYTES * sum(map(len, leads.values()))
            budget.require(needed, f"counting paths through {states:,} positions or more", "a later position")
        for layer in reversed(layers):
            for each, own in layer.items():
                self._known[each] = sum(self._known[child] for child in own) if own else 1
        return self._known[state]
