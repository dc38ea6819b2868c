"""Play the games of a match: thousands at a time by a kernel, or one by one by players that search or are functions,
here or on an executor. A game is the same wherever it is played, and whatever is played before it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import random
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..engine.engine import Engine, make_engine
from ..engine.kernels import walk
from ..engine.kernels.hash_table import HashTable
from ..engine.kernels.states import BAD_MOVER, as_payoff
from ..engine.passes.children import build_table
from ..engine.plan import table_bytes
from ..engine.tiers import NOT_TOGETHER
from ..errors import GametreeError, RulesError, StoreError
from ..machine.memory import Budget
from ..machine.workers import Workers, in_order, slots_of
from ..rules.backtracker import backtracker
from ..rules.game import ONGOING, Game
from ..solution.lookup import WHOLE_BYTES, whole
from ..solution.solution import Solution
from ..solution.storage.stored_games import is_named, load_same
from . import kernels
from .kernels import O_WON, TIED, UNFINISHED, X_WON
from .levels import Level, find_player, parse_level
from .player import ForfeitError, Player
from .terms import Terms

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ..engine.compiling.functions import CompiledRules


@dataclasses.dataclass(frozen=True)
class Pairing:
    """Two levels, A and B, that a kernel can play."""

    names: tuple[str, str]
    kinds: np.ndarray  # int64[2], such as kernels.PERFECT
    chances: tuple[Fraction, Fraction]
    """Probability that each moves at random."""

    @classmethod
    def of(cls, a: str, b: str) -> Pairing | None:
        """Return the pairing of two levels, None if one of them searches or is a bot. Raises `OptionError` for an
        unknown level.
        """
        levels = parse_level(a, bots=True), parse_level(b, bots=True)
        if any(level.kind in ("depth", "bot") for level in levels):
            return None
        return cls((a, b), np.array([_kind(level) for level in levels]), (levels[0].chance, levels[1].chance))

    @property
    def knows(self) -> bool:
        """Whether one of them plays by values."""
        return bool((self.kinds >= kernels.PERFECT).any())

    @property
    def thresholds(self) -> np.ndarray:
        """The probabilities as 53-bit integers, int64[2]."""
        return np.array([round(chance * kernels.CERTAIN) for chance in self.chances], dtype=np.int64)


def _kind(level: Level) -> int:
    if level.shortest:
        return kernels.SHORTEST
    return {"random": kernels.RANDOM, "greedy": kernels.GREEDY}.get(level.kind, kernels.PERFECT)


@dataclasses.dataclass(frozen=True)
class SolvedArrays:
    """A game from one of its states: the rules and, if solved, all classes by ascending tier."""

    engine: Engine
    root: int
    """The state that games start from."""
    states: np.ndarray  # int64[classes], canonical
    values: np.ndarray  # int16[classes]
    remoteness: np.ndarray  # uint16[classes]
    table: HashTable
    """Canonical states to rows."""

    @classmethod
    def unsolved(cls, game: Game, root: int) -> SolvedArrays:
        """Return a game with no values, only rules."""
        empty = HashTable(np.zeros(2, dtype=np.uint64), 0, 1)
        states, values, remoteness = np.empty(0, np.int64), np.empty(0, np.int16), np.empty(0, np.uint16)
        return cls(make_engine(game, symmetry="none"), root, states, values, remoteness, empty)

    @classmethod
    def solved(cls, solution: Solution, root: int) -> SolvedArrays:
        """Return the classes of a solution that holds the root. Raises `PositionError` if not, `TooLargeError`."""
        solution.lookup(root)
        tiers = solution.tiers
        rows = sum(map(len, tiers))
        Budget.of_machine().require(table_bytes(rows) + WHOLE_BYTES * rows, f"playing from {rows:,} classes")
        states, values, remoteness = whole(tiers)
        return cls(solution.engine, root, states, values, remoteness, build_table(states))

    @property
    def classes(self) -> SolvedArrays:
        """The same over classes (see `Solution.classes`), where games end as they do over positions."""
        return dataclasses.replace(self, engine=self.engine.classes, root=self.engine.canonical(self.root))

    @property
    def known(self) -> kernels.KnownRows:
        """The arguments of the kernels."""
        slots, bits, seed = self.table.slots, self.table.bits, self.table.seed
        return kernels.KnownRows(
            *self.engine.board, slots, bits, seed, self.values, self.remoteness, int(self.engine.loopy)
        )

    def fault(self, answer: int, state: int) -> GametreeError:
        """Return the error behind a kernel's negative answer about a state."""
        if answer == kernels.FOUND_MISSING:
            return StoreError(NOT_TOGETHER)
        if answer == BAD_MOVER:
            return self.engine.fault(state)
        try:
            self.engine.expand(np.array([state], dtype=np.int64))
        except GametreeError as error:
            return error
        return RulesError(f"the moves of {self.engine.game.format_position(state)} are not always the same")


BATCH_GAMES = 4096
"""Limit on the games played at once."""

BATCH_PLIES = 1 << 22
"""Limit on the plies of a batch, since a kernel cannot be interrupted."""


ENDS = ("X", "O", "tie", "unfinished")
"""The kinds of ends in words, in the order of `kernels.X_WON` and its neighbours."""


class Batch(NamedTuple):
    """Games played, in order."""

    first: int
    """The number of the first one."""
    payoffs: np.ndarray  # int16[n], the first player's; 0 of an unfinished game
    plies: np.ndarray  # int32[n]
    ends: np.ndarray  # uint8[n], such as kernels.X_WON
    paths: list[str] | None
    """Backtrackers, if wanted."""


def simulate(arrays: SolvedArrays, pairing: Pairing, terms: Terms, workers: Workers) -> Iterator[Batch]:
    """Play the games of a pairing; the ``terms`` must have a seed. Raises `RulesError`, `StoreError`."""
    size = max(1, min(BATCH_GAMES, BATCH_PLIES // max(1, terms.max_plies)))
    tasks = ((first, min(size, terms.games - first)) for first in range(0, terms.games, size))
    compiled = arrays.engine.compiled  # here, since rules are tried only in the main thread
    return workers.map(functools.partial(_play, arrays, compiled, pairing, terms, workers), tasks)


def _play(
    arrays: SolvedArrays, compiled: CompiledRules, pairing: Pairing, terms: Terms, workers: Workers,
    task: tuple[int, int],
) -> Batch:  # fmt: skip
    (first, n), engine = task, arrays.engine
    assert terms.seed is not None
    paths = workers.scratch("paths", n * terms.max_plies if terms.keeps else 0, np.uint8).reshape(n, -1)
    played = kernels.PlayedGames(np.empty(n, np.int16), np.empty(n, np.int32), np.empty(n, np.uint8), paths)
    trouble = np.zeros(1, np.int64)
    rules = kernels.KernelTerms(
        arrays.root, int(engine.reduces), engine.rules.max_moves, terms.max_plies, terms.seed, int(terms.swap),
        pairing.kinds, pairing.thresholds,
    )  # fmt: skip
    answer = engine.call(
        trouble, kernels.play_games,
        compiled.successors, engine.successors, compiled.to_move, rules, arrays.known, first, played,
        trouble,
    )  # fmt: skip
    if answer < 0:
        raise arrays.fault(answer, int(trouble[0]))
    texts = _texts(paths, played.plies, engine.rules.largest_code > 9) if terms.keeps else None
    return Batch(first, played.payoffs, played.plies, played.ends, texts)


def _texts(paths: np.ndarray, plies: np.ndarray, joined: bool) -> list[str]:
    """Format move codes [games, plies] as backtrackers."""
    short = np.ascontiguousarray(paths[:, : max(1, int(plies.max()))])
    text = np.empty(4 * int(plies.sum()) + len(plies), dtype=np.uint8)
    written = walk.spell(short, plies.astype(np.int64), len(plies), int(joined), text)
    return text[:written].tobytes().decode("ascii").split("\n")[:-1]


TASKS = 8
"""Tasks for each slot of an executor."""

BATCH_SECONDS = 0.2
"""Games are passed on in batches of about this duration."""


def play_by_turns(
    players: tuple[Player, Player],
    root: int,
    terms: Terms,
    numbers: range | None = None,
    seconds: float = BATCH_SECONDS,
) -> Iterator[Batch]:
    """Play the games of these numbers (default: all) from a state, each independently unless the searches are limited
    by time. A batch takes about so many ``seconds``.
    """
    largest, played, began = players[0].rules.largest_code, [], time.monotonic()
    numbers = range(terms.games) if numbers is None else numbers
    for number in numbers:
        x, o = players[::-1] if terms.swap and number & 1 else players
        played.append(play_one((x, o), root, random.Random(f"{terms.seed} {number}"), terms.max_plies))
        if number == numbers[-1] or time.monotonic() - began > seconds:
            payoffs, ends, codes = zip(*played, strict=True)
            plies = np.array([len(path) for path in codes], np.int32)
            paths = [backtracker(path, largest) for path in codes] if terms.keeps else None
            first = number + 1 - len(played)
            yield Batch(first, np.array(payoffs, np.int16), plies, np.array(ends, np.uint8), paths)
            played, began = [], time.monotonic()


def play_elsewhere(
    executor: Executor, game: Game, levels: tuple[str, str], root: int, terms: Terms, seconds: float | None
) -> Iterator[Batch]:
    """Yield the games of a match in order, played by an executor, with at most ``seconds`` a move. Raises `StoreError`
    where the game is neither built-in nor from a file, and `ClusterError`.
    """
    if not is_named(game):
        raise StoreError(f"{game.spec} is neither built-in nor from a file, so other processes cannot play it")
    size = max(1, -(-terms.games // (TASKS * slots_of(executor))))
    play = functools.partial(play_some, game.lasting_spec, game.rules_hash(), levels, root, terms, seconds)
    numbers = range(terms.games)
    yield from in_order(executor, play, (numbers[n : n + size] for n in range(0, terms.games, size)))


def play_some(
    spec: str, rules_hash: str, levels: tuple[str, str], root: int, terms: Terms, seconds: float | None, numbers: range
) -> Batch:
    """Play the games of a match with these numbers. Raises `StoreError` if the game has other rules here."""
    game = load_same(spec, rules_hash)
    a, b = (find_player(level, game, seconds=seconds) for level in levels)
    (batch,) = play_by_turns((a, b), root, terms, numbers, math.inf)
    return batch


def play_one(order: tuple[Player, Player], root: int, rng: random.Random, max_plies: int) -> tuple[int, int, list[int]]:
    """Play one game from the state ``root``; return the first player's payoff, the kind of end, and all moves. A bot
    that does not play as it should loses by 1.
    """
    rules, codes, state = order[0].rules, list[int](), root
    for player in order:
        player.new_game(root)
    while (outcome := rules.outcome(state)) == ONGOING:
        if len(codes) == max_plies:
            return 0, UNFINISHED, codes
        side = rules.to_move(state)
        try:
            codes.append(order[0 if side > 0 else 1].choose(state, rng, codes))
        except ForfeitError:
            return -side, O_WON if side > 0 else X_WON, codes
        state = rules.play(state, codes[-1])
    payoff = int(as_payoff(outcome))
    return payoff, X_WON if payoff > 0 else O_WON if payoff < 0 else TIED, codes
